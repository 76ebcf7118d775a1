/* The features of surfaces on which each body rests in a step: a linked list for each body. Faces
 * and planes are bits of work.resting_boundaries instead. A world without surfaces has no lists. An
 * item caches the last gap and normal of its feature, which a substep needs twice, mostly for the
 * same centre of the body. Order: ascending numbers of features. */
#ifndef KG_WORLD_RESTING_FEATURES_H
#define KG_WORLD_RESTING_FEATURES_H

#include "world/boundary.h"

typedef struct kg_resting_feature {
    kg_boundary boundary;
    uint32_t next; /* index of the body's next item, or KG_NONE */
    bool moves;    /* the surface moves */
    /* the last measurement (resting/measure_boundary.c) */
    double place[3];  /* m, centre of the body */
    double gap;       /* m; KG_NEVER (sweep_linear.h): not measured */
    double normal[3]; /* unit, into the feature */
} kg_resting_feature;

typedef struct kg_resting_features {
    uint32_t *first; /* by slot: index of the body's first item, or KG_NONE; NULL: no surfaces */
    kg_resting_feature *items;
    uint32_t count; /* items used since the lists were cleared */
    uint32_t free;  /* index of the first released item, linked by `next`, or KG_NONE */
    kg_column columns[2];
} kg_resting_features;

/* Empty the lists of n bodies; n = 0 for a world without surfaces. False when out of memory. */
bool kg_resting_features_clear(kg_memory *memory, kg_resting_features *all, uint32_t n);
/* Add a feature on which the body does not rest yet. False when out of memory. */
bool kg_resting_features_add(kg_memory *memory, kg_resting_features *all, uint32_t slot,
                             kg_boundary k, bool moves);
/* Remove a feature from the list of a body, if the list contains it. */
void kg_resting_features_remove(kg_resting_features *all, uint32_t slot, kg_boundary k);
/* The item of a feature in the list of a body, or NULL. */
kg_resting_feature *kg_resting_features_find(const kg_resting_features *all, uint32_t slot,
                                             kg_boundary k);
void kg_resting_features_free(kg_memory *memory, kg_resting_features *all);

/* Index of the body's first item, or KG_NONE. */
static inline uint32_t kg_resting_features_first(const kg_resting_features *all, uint32_t slot)
{
    return all->first ? all->first[slot] : KG_NONE;
}

/* True if some surface that the body rests on moves. */
static inline bool kg_resting_features_any_moves(const kg_resting_features *all, uint32_t slot)
{
    uint32_t at = kg_resting_features_first(all, slot);
    while (at != KG_NONE && !all->items[at].moves) at = all->items[at].next;
    return at != KG_NONE;
}

static inline uint32_t kg_resting_features_count(const kg_resting_features *all, uint32_t slot)
{
    uint32_t count = 0;
    for (uint32_t at = kg_resting_features_first(all, slot); at != KG_NONE; ++count)
        at = all->items[at].next;
    return count;
}

/* Iterates over the boundaries on which a body rests: faces and planes in ascending order, then
 * features in ascending order. */
typedef struct kg_resting_iterator {
    kg_boundary_set set; /* faces and planes still to come */
    const kg_resting_feature *items;
    uint32_t next; /* item still to come, or KG_NONE */
} kg_resting_iterator;

static inline kg_resting_iterator
kg_resting_iterator_begin(kg_boundary_set set, const kg_resting_features *all, uint32_t slot)
{
    return (kg_resting_iterator){set, all->items, kg_resting_features_first(all, slot)};
}

/* Set *k to the next boundary; false at the end. */
static inline bool kg_resting_iterator_next(kg_resting_iterator *at, kg_boundary *k)
{
    if (at->set) {
        *k = kg_boundary_set_take(&at->set);
        return true;
    }
    if (at->next == KG_NONE) return false;
    *k = at->items[at->next].boundary;
    at->next = at->items[at->next].next;
    return true;
}

#endif
