/* The features of surfaces that each body rests on in a step: a chain for each body. Faces and
 * planes are bits of work.resting_boundaries instead. Empty in a world without surfaces.
 * A feature keeps its last gap and normal: a substep needs them twice, mostly at one place. */
#ifndef KG_WORLD_RESTING_FEATURES_H
#define KG_WORLD_RESTING_FEATURES_H

#include "world/boundary.h"

typedef struct kg_resting_feature {
    kg_boundary boundary;
    uint32_t next; /* of the body, or KG_NONE */
    bool moves;    /* the surface moves */
    /* of the body at a place: gap, m, and unit normal; KG_NEVER (sweep_linear.h): not measured */
    double place[3], gap, normal[3];
} kg_resting_feature;

typedef struct kg_resting_features {
    uint32_t *first; /* by slot: index of its first item, or KG_NONE; NULL: no surfaces */
    kg_resting_feature *items;
    uint32_t count, free; /* items used so far; the first released item, or KG_NONE */
    kg_column columns[2];
} kg_resting_features;

/* Empty the chains of n bodies. n is 0 in a world without surfaces, which has no chains. False when
 * out of memory. */
bool kg_resting_features_clear(kg_memory *memory, kg_resting_features *all, uint32_t n);
/* Add a feature that the body does not rest on yet. False when out of memory. */
bool kg_resting_features_add(kg_memory *memory, kg_resting_features *all, uint32_t slot,
                             kg_boundary k, bool moves);
void kg_resting_features_remove(kg_resting_features *all, uint32_t slot, kg_boundary k);
/* The item of a feature that the body rests on, or NULL. */
kg_resting_feature *kg_resting_features_find(const kg_resting_features *all, uint32_t slot,
                                             kg_boundary k);
void kg_resting_features_free(kg_memory *memory, kg_resting_features *all);

/* The body's first item, or KG_NONE. */
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

/* Iterates over the boundaries that a body rests on: faces and planes in ascending order, then
 * features. */
typedef struct kg_resting_iterator {
    kg_boundary_set set;
    const kg_resting_feature *items;
    uint32_t next;
} kg_resting_iterator;

static inline kg_resting_iterator kg_resting_begin(kg_boundary_set set,
                                                   const kg_resting_features *all, uint32_t slot)
{
    return (kg_resting_iterator){set, all->items, kg_resting_features_first(all, slot)};
}

/* False at the end. */
static inline bool kg_resting_next(kg_resting_iterator *at, kg_boundary *k)
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
