/* A tree of the surfaces' boxes, by which lists and queries find the surfaces near a place.
 * A box bounds a moving surface for a time. Surfaces at rest have a part of the tree that is built
 * again only when surfaces are added or removed. The part of the others, those that moved since, is
 * built when the time of its boxes is over, or after a surface was placed or given another motion.
 * Range: it may be asked for poses from `now` to `until`, if `now` is not before `from` (debug
 * builds assert it).
 * In: surfaces, a time, a box or line. Out: indices of surfaces.
 * Cost: O(n log n) to build; O(log n) for a place with few surfaces around it. */
#ifndef KG_WORLD_SURFACE_TREE_H
#define KG_WORLD_SURFACE_TREE_H

#include "base/compiler.h"
#include "surfaces/mesh_tree.h"
#include "world/surfaces.h"

/* A part of the tree. */
typedef struct kg_surface_boxes {
    kg_tree_builder boxes;
    uint32_t count; /* items with boxes */
    kg_column columns[2];
} kg_surface_boxes;

struct kg_surface_tree {
    /* Surfaces that moved since have stale boxes here, and kg_surface.rests is false. */
    kg_surface_boxes at_rest;
    /* The items are surfaces with boxes, then surfaces without boxes, which every visit includes:
     * unbounded ones, ones that spin (in a step), and the surface of a world that has only one. */
    kg_surface_boxes others;
    uint32_t unboxed_count; /* items of the others without boxes */
    uint32_t *other;        /* [other_count] indices of all surfaces that are not at rest */
    uint32_t other_count;
    bool rest_is_built;
    double now;         /* s in the tick, time of the present poses */
    double from, until; /* s in the tick; the boxes bound the surfaces between these times */
    bool spins;         /* some surface spins and has no box in the tree */
    atomic_bool ready;  /* between steps: the tree is valid for the present poses */
    kg_column column;   /* of `other` */
};

/* The box in the world, m, that contains a surface for the next `time`, s; spin is not considered.
 * False if the surface is unbounded. */
bool kg_surface_bounding_box(const kg_surface *surface, double time, double low[3], double high[3]);
/* Reserve `count` surfaces, so that building cannot fail; false when out of memory. */
bool kg_surface_tree_reserve(kg_memory *memory, kg_surfaces *set, uint32_t count);
void kg_surface_tree_free(kg_memory *memory, kg_surface_tree *tree);
/* Invalidate the tree: surfaces have changed. `tree` may be NULL. */
void kg_surface_tree_note_change(kg_surface_tree *tree);
/* Invalidate what it says of one surface, whose pose or motion has changed. */
void kg_surface_tree_note_moved(kg_surfaces *set, uint32_t index);
/* Invalidate what it says of surfaces that move: they are elsewhere than a step left them. */
static inline void kg_surface_tree_note_revert(kg_surface_tree *tree)
{
    tree->until = -1;
    tree->now = 0;
    atomic_store_explicit(&tree->ready, false, memory_order_relaxed);
}
/* At the end of a tick of length dt, s: times count from the start of the next tick. */
void kg_surface_tree_end_tick(kg_surface_tree *tree, double dt);
/* In a step: build the tree unless its boxes bound the surfaces for the next `time`, s. */
void kg_surface_tree_prepare(kg_surfaces *set, double time);
/* Between steps: build the tree for the present poses unless it is valid for them. Two threads must
 * not call this at once on one world; a tree that is ready needs no call. */
void kg_surface_tree_prepare_poses(const kg_surfaces *set);
static inline bool kg_surface_tree_is_ready(const kg_surfaces *set)
{
    return !set->count || atomic_load_explicit(&set->tree->ready, memory_order_acquire);
}

/* Call visit(context, index) for the surfaces that may be within *reach (m) of the box from `low`
 * to `high`: first those without boxes, then roughly by distance. Stops when visit returns false,
 * and returns false then. The visitor may lower *reach. */
typedef bool kg_surface_visit(void *context, uint32_t index);
bool kg_surface_tree_visit(const kg_surfaces *set, const double low[3], const double high[3],
                           const double *reach, kg_surface_visit *visit, void *context);
/* As kg_surface_tree_visit, for the surfaces that may be within `reach` (m) of the line
 * origin + s direction, s in [0, *end]: first those without boxes, then roughly by the s at which
 * the line reaches their boxes. The visitor may lower *end. The largest component of the direction
 * is in [1, 2), or all are 0. */
bool kg_surface_tree_visit_line(const kg_surfaces *set, const double origin[3],
                                const double direction[3], double reach, const double *end,
                                kg_surface_visit *visit, void *context);

#endif
