/* The features of surfaces on which each body rests in a step: a sorted array for each body. Faces
 * are bits of work.resting_boundaries instead. A world without surfaces has no arrays.
 * An item caches the last gap and normal of its feature, which a substep needs twice, mostly for
 * the same centre of the body. Order: ascending numbers of features. */
#ifndef KG_WORLD_RESTING_FEATURES_H
#define KG_WORLD_RESTING_FEATURES_H

#include "geometry/sweep_linear.h"
#include "world/boundary.h"

typedef struct kg_resting_feature {
    kg_boundary boundary;
    bool moves; /* the surface moves or drags (kg_boundary_moves) */
    /* the last measurement (resting/measure_boundary.c) */
    double place[3];  /* m, centre of the body */
    double gap;       /* m; KG_NEVER (sweep_linear.h): not measured */
    double normal[3]; /* unit, into the feature */
} kg_resting_feature;

/* True if the gap and normal are those for a centre at x. */
static inline bool kg_resting_feature_is_measured_at(const kg_resting_feature *item,
                                                     const double x[3])
{
    return item->gap < KG_NEVER && item->place[0] == x[0] && item->place[1] == x[1] &&
           item->place[2] == x[2];
}

/* The features of a body: items[first ... first + count - 1] of the pool. */
typedef struct kg_resting_span {
    uint32_t first, count, capacity;
    uint32_t moving; /* number of those that move */
} kg_resting_span;

typedef struct kg_resting_features {
    kg_resting_span *spans;    /* by slot; NULL: no surfaces */
    kg_resting_feature *items; /* the pool */
    uint32_t count;            /* items of the pool that belong or belonged to spans */
    kg_column columns[2];
} kg_resting_features;

/* Empty the arrays of n bodies; n = 0 for a world without surfaces. False when out of memory. */
bool kg_resting_features_clear(kg_memory *memory, kg_resting_features *all, uint32_t n);
/* Add a feature on which the body does not rest yet. False when out of memory. */
bool kg_resting_features_add(kg_memory *memory, kg_resting_features *all, uint32_t slot,
                             kg_boundary k, bool moves);
/* Remove a feature on which a body may rest. */
void kg_resting_features_remove(kg_resting_features *all, uint32_t slot, kg_boundary k);
/* Search of more than one feature for kg_resting_features_find. */
kg_resting_feature *kg_resting_features_search(const kg_resting_features *all, uint32_t slot,
                                               kg_boundary k);
/* The item of a feature on which a body rests, else NULL. It is valid until one is added or
 * removed. */
static inline kg_resting_feature *kg_resting_features_find(const kg_resting_features *all,
                                                           uint32_t slot, kg_boundary k)
{
    const kg_resting_span *span = all->spans ? &all->spans[slot] : NULL;
    if (!span || !span->count) return NULL;
    if (span->count > 1) return kg_resting_features_search(all, slot, k);
    return all->items[span->first].boundary == k ? &all->items[span->first] : NULL;
}
void kg_resting_features_free(kg_memory *memory, kg_resting_features *all);

static inline uint32_t kg_resting_features_count(const kg_resting_features *all, uint32_t slot)
{
    return all->spans ? all->spans[slot].count : 0;
}

/* True if some surface that the body rests on moves or drags. */
static inline bool kg_resting_features_any_moves(const kg_resting_features *all, uint32_t slot)
{
    return all->spans && all->spans[slot].moving;
}

/* Iterates over the boundaries on which a body rests: faces in ascending order, then features in
 * ascending order. */
typedef struct kg_resting_iterator {
    kg_boundary_set set; /* faces still to come */
    const kg_resting_feature *items;
    uint32_t next, end; /* items still to come */
} kg_resting_iterator;

static inline kg_resting_iterator
kg_resting_iterator_begin(kg_boundary_set set, const kg_resting_features *all, uint32_t slot)
{
    uint32_t count = kg_resting_features_count(all, slot),
             first = count ? all->spans[slot].first : 0;
    return (kg_resting_iterator){set, all->items, first, first + count};
}

/* Set *k to the next boundary; false at the end. */
static inline bool kg_resting_iterator_next(kg_resting_iterator *at, kg_boundary *k)
{
    if (at->set) {
        *k = kg_boundary_set_take(&at->set);
        return true;
    }
    if (at->next == at->end) return false;
    *k = at->items[at->next++].boundary;
    return true;
}

#endif
