/* Surfaces by place, so that lists and queries find those in reach without testing all. Planes
 * beyond those of a kg_boundary_set are not among them.
 * In: surfaces, the time for which the tree holds. Out: their indices. Cost: O(n log n) to build,
 * after a surface was added, removed, placed, or has moved for that time; O(log n) for a place with
 * few surfaces around it. */
#ifndef KG_WORLD_SURFACE_TREE_H
#define KG_WORLD_SURFACE_TREE_H

#include <stdatomic.h>

#include "surfaces/mesh_tree.h"
#include "world/surfaces.h"

struct kg_surface_tree {
    kg_tree_builder boxes; /* of surfaces wherever they move meanwhile, without those everywhere */
    uint32_t count;        /* items of the tree */
    /* items after those of the tree, which are always visited: surfaces without an end, the only
     * one, or ones that spin in steps */
    uint32_t everywhere;
    double now, until; /* s in the tick: time of the present poses; the tree holds up to then */
    bool spins;        /* some surface spins and has no box in the tree */
    atomic_bool ready; /* it holds between steps */
    kg_column columns[2];
};

/* Reserve room for `count` surfaces, so that building cannot fail; false when out of memory. */
bool kg_surface_tree_reserve(kg_memory *memory, kg_surfaces *set, uint32_t count);
void kg_surface_tree_free(kg_memory *memory, kg_surface_tree *tree);
/* Surfaces, their places or motions have changed. `tree` may be NULL. */
void kg_surface_tree_note_change(kg_surface_tree *tree);
/* Moving surfaces are at the end of a tick. */
void kg_surface_tree_end_tick(kg_surface_tree *tree, double dt);
/* Make the tree hold for `time`, s, from now on. In a step. */
void kg_surface_tree_prepare(kg_surfaces *set, double time);
/* The same between steps, for the present poses. A world's queries call it one at a time, unless
 * the tree is ready. */
void kg_surface_tree_prepare_poses(const kg_surfaces *set);
static inline bool kg_surface_tree_is_ready(const kg_surfaces *set)
{
    return !set->count || atomic_load_explicit(&set->tree->ready, memory_order_acquire);
}

/* Call visit(context, index) for the surfaces that may be within *reach (m) of a box, near ones
 * first, until it returns false; returns false then. The visitor may lower *reach. */
typedef bool kg_surface_visit(void *context, uint32_t index);
bool kg_surface_tree_visit(const kg_surfaces *set, const double low[3], const double high[3],
                           const double *reach, kg_surface_visit *visit, void *context);
/* The same for those within reach of origin + s direction, s in [0, *end], in the order in which
 * their boxes are reached. The largest component of the direction is in [1, 2), or all are 0. */
bool kg_surface_tree_visit_line(const kg_surfaces *set, const double origin[3],
                                const double direction[3], double reach, const double *end,
                                kg_surface_visit *visit, void *context);

#endif
