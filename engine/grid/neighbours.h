/* The stages' one interface to what is near a body.
 * Behind it are three implementations: Verlet lists (grid.h), cell lists (cell_lists.h), and the
 * test against all bodies for unlisted bodies. Only the impact stage tests which one is in use, to
 * choose its predictor (impact/predict.h).
 * Invariant: candidates are a superset of the bodies that can collide; more of them, or a pair
 * given twice, change no result. Operations that can run out of memory return false then. */
#ifndef KG_GRID_NEIGHBOURS_H
#define KG_GRID_NEIGHBOURS_H

#include "base/assert.h"
#include "base/compiler.h"
#include "base/vec.h"
#include "base/wide.h"
#include "grid/grid.h"

/* Ranges: where a list may be asked. Beyond its range it lacks candidates, and the result would
 * depend on the skin. KG_ASSERT checks each in debug builds.
 * - Verlet list, near boundaries: while the centre is inside the skin (kg_grid_is_in_list_range,
 *   and during impacts kg_neighbours_list_holds). A body that contacts moved out of it begins the
 *   impacts with an exit, which comes before the impacts that its list lacks.
 * - Cell lists: while the centre is in its cell (kg_cell_lists_is_in_cell).
 * - Near triangles: for points inside the skin, and while surfaces have moved for less than
 *   kg_grid.near_lasts. The item of a whole facet stands for it only there: a caller whose path may
 *   leave the skin asks kg_neighbours_triangles_hold, or cuts the path at the end of the skin.
 * - Clearance of a body (inactive.c): in the substep in which it was measured or spent, at most the
 *   skin; KG_ASLEEP bodies have FLT_MAX, which says nothing about gaps.
 * - A body without a list has all candidates, and no range. */

/* Candidates of a body. */

/* Iterates over the candidates of one body, a list node of up to 14 at a time. Candidates that are
 * in no Verlet list are copied into `copied`, with their resting flags. */
typedef struct kg_candidates {
    const kugel_world *world;
    uint32_t slot;
    uint32_t node;   /* next node of the body's Verlet list, or KG_NONE */
    bool any_copied; /* some candidates are in no list node */
    uint32_t body;   /* index of the next body to copy */
    uint32_t image;  /* index of the next periodic image of that body */
    kg_list_node copied;
    uint32_t begun[KG_NODE_NEIGHBOURS]; /* slots on which the body began to rest in this step */
    uint32_t begun_count;               /* slots in `begun`; KG_NONE: they were not searched yet */
    /* index of the first contact that was not searched, since `begun` was full */
    uint32_t begun_end;
} kg_candidates;

static inline void kg_candidates_begin(kg_candidates *c, const kugel_world *world, uint32_t slot)
{
    const kg_grid *grid = world->grid;
    bool listed = !grid->cell_lists.used && !kg_grid_is_unlisted(grid, slot);
    KG_ASSERT(grid->valid);
    c->world = world;
    c->slot = slot;
    c->node = listed ? slot : KG_NONE;
    c->any_copied = !listed || grid->unlisted_count;
    c->body = c->image = 0;
    c->begun_count = KG_NONE;
}

/* candidates.c: copy the next candidates that are in no Verlet list; NULL when there are none. */
const kg_list_node *kg_candidates_copy(kg_candidates *candidates);

/* The next candidates, or NULL. */
static inline const kg_list_node *kg_candidates_next(kg_candidates *c)
{
    if (c->node != KG_NONE) {
        const kg_list_node *node = &c->world->grid->nodes[c->node];
        c->node = node->next;
        return node;
    }
    return c->any_copied ? kg_candidates_copy(c) : NULL;
}

/* For passes in which each active body tests its candidates: true when `other` tests the pair, so
 * `slot` skips it. Of two active bodies, the one with the lower slot tests. */
static inline bool kg_other_tests_pair(const kugel_world *world, uint32_t slot, uint32_t other)
{
    return other < slot && kg_grid_is_active(world->grid, other);
}

/* The first active body from `slot` on, or `end`. */
static inline uint32_t kg_neighbours_next_active(const kg_grid *grid, uint32_t slot, uint32_t end)
{
    while (slot < end && !kg_grid_is_active(grid, slot)) {
        for (slot += 1; end - slot >= 4; slot += 4) {
            kg_mask4f inactive;
            KG_EACH (4) KG_L(inactive) = KG_MASK(KG_LOAD(kg_float4, grid->clearance + slot) > 0);
            if (kg_movemask4f(&inactive) != 0xf) break;
        }
    }
    return slot;
}

/* In impacts: true if the body is inside its skin at `now`, up to rounding, or has no list. */
static inline bool kg_neighbours_list_holds(const kugel_world *world, uint32_t slot, double now)
{
    const kg_grid *grid = world->grid;
    double x[3], origin[3];
    kg_work_position_at(&world->work, slot, now, x);
    kg_copy3(origin, grid->origin[slot].x);
    kg_add_scaled3(origin, origin, now - grid->drift_from, grid->drift);
    double most = grid->skin * (1 + 1e-6) + 1e-14 * kg_max_abs3(x);
    return kg_grid_is_unlisted(grid, slot) || kg_squared_distance3(x, origin) <= most * most;
}

/* Boundaries that the body can meet before it leaves its skin. */
static inline kg_boundary_set kg_neighbours_boundaries(const kugel_world *world, uint32_t slot)
{
    KG_ASSERT(world->grid->valid && !world->grid->cell_lists.used);
    return world->grid->near_boundaries[slot] & ~KG_NEAR_UNLISTED;
}

/* Triangles of surfaces that the body can meet before it leaves its skin, sorted by distance from
 * the list origin. */
typedef struct kg_near_triangles {
    const kg_near_triangle *next, *end;
    /* set by kg_near_triangles_restrict; m */
    double from[3], path[3]; /* from the list origin to the path's start; the path to its end */
    double moved;            /* largest distance of the path from the list origin */
    double reach;            /* largest distance of a triangle from the path */
} kg_near_triangles;

/* All near triangles of a body. Call kg_near_triangles_restrict before kg_near_triangles_next. */
static inline kg_near_triangles kg_neighbours_triangles(const kugel_world *world, uint32_t slot)
{
    const kg_grid *grid = world->grid;
    if (!world->surfaces.count) return (kg_near_triangles){0};
    const kg_triangle_span *span = &grid->near_span[slot];
    if (!span->count) return (kg_near_triangles){0}; /* the array may be NULL */
    const kg_near_triangle *first = grid->near_triangles + span->first;
    return (kg_near_triangles){.next = first, .end = first + span->count};
}

/* Restrict the iteration to triangles that may be within `reach` (m) of a straight path near the
 * body. A distance is a convex function, and its slope bounds it from below: so both ends of the
 * path tell of all of it. */
static inline void kg_near_triangles_restrict(kg_near_triangles *near, const kugel_world *world,
                                              uint32_t slot, const double start[3],
                                              const double end[3], double reach)
{
    double to[3];
    kg_sub3(near->from, start, world->grid->origin[slot].x);
    kg_sub3(to, end, world->grid->origin[slot].x);
    kg_sub3(near->path, end, start);
    near->moved = sqrt(kg_max(kg_dot3(near->from, near->from), kg_dot3(to, to)));
    KG_ASSERT(kg_grid_is_unlisted(world->grid, slot) ||
              near->moved <= kg_grid_widened_list_displacement(world->grid));
    KG_ASSERT(!world->surfaces.moving_count ||
              world->grid->near_lasts >= world->work.substep_length * (1 - 1e-9));
    near->reach = reach * (1 + 1e-6);
}

/* True if the near triangles hold all that the centre can cross on the straight path from its place
 * `from` at the start of the substep to `to` at its end: both are inside the skin. */
static inline bool kg_neighbours_triangles_hold(const kugel_world *world, uint32_t slot,
                                                const double from[3], const double to[3])
{
    const kg_grid *grid = world->grid;
    double skin = grid->skin * (1 - 1e-6), first[3], last[3];
    if (kg_grid_is_unlisted(grid, slot)) return true;
    kg_sub3(first, from, grid->origin[slot].x);
    kg_sub3(last, to, grid->origin[slot].x);
    if (grid->drift_path > 0)
        kg_add_scaled3(last, last, -grid->drift_path / kg_length3(grid->drift), grid->drift);
    return kg_dot3(first, first) < skin * skin && kg_dot3(last, last) < skin * skin;
}

/* The near triangles that may be within `reach` (m) of a straight path near the body. */
static inline kg_near_triangles kg_neighbours_triangles_on(const kugel_world *world, uint32_t slot,
                                                           const double start[3],
                                                           const double end[3], double reach)
{
    kg_near_triangles near = kg_neighbours_triangles(world, slot);
    if (near.next != near.end) kg_near_triangles_restrict(&near, world, slot, start, end, reach);
    return near;
}

/* Those that may be within `reach` (m) of a point. */
static inline kg_near_triangles kg_neighbours_triangles_within(const kugel_world *world,
                                                               uint32_t slot, const double point[3],
                                                               double reach)
{
    return kg_neighbours_triangles_on(world, slot, point, point, reach);
}

/* A quick test, false if it cannot tell: true if no triangle is within `reach` (m) of the straight
 * path of kg_neighbours_triangles_hold. */
static inline bool kg_neighbours_path_is_clear(const kugel_world *world, uint32_t slot,
                                               const double from[3], const double to[3],
                                               double reach)
{
    const kg_near_triangles near = kg_neighbours_triangles(world, slot);
    double farthest = (reach + kg_grid_widened_list_displacement(world->grid)) * (1 + 1e-6);
    if (!kg_neighbours_triangles_hold(world, slot, from, to)) return false;
    return near.next == near.end || (double)near.next->distance > farthest;
}

/* Get the number of the next triangle within reach; false after the last. */
static inline bool kg_near_triangles_next(kg_near_triangles *near, uint32_t *number)
{
    for (; near->next < near->end; ++near->next) {
        const kg_near_triangle *item = near->next;
        double distance = (double)item->distance, slope[3];
        if (distance - near->moved * (1 + KG_NEAR_SLACK) > near->reach) break;
        for (int k = 0; k < 3; ++k) slope[k] = (double)item->slope[k];
        distance += kg_dot3(slope, near->from) - (double)item->slack * near->moved;
        if (distance + kg_min(kg_dot3(slope, near->path), 0) > near->reach) continue;
        *number = item->number;
        near->next += 1;
        return true;
    }
    return false;
}

/* True if the body has near triangles. */
static inline bool kg_neighbours_any_triangle(const kugel_world *world, uint32_t slot)
{
    kg_near_triangles near = kg_neighbours_triangles(world, slot);
    return near.next < near.end;
}

/* True if a near triangle of the body belongs to a surface that moves. */
static inline bool kg_neighbours_any_moving_triangle(const kugel_world *world, uint32_t slot)
{
    kg_near_triangles near = kg_neighbours_triangles(world, slot);
    for (; near.next < near.end; ++near.next) {
        if (kg_boundary_surface(world, near.next->number)->moves) return true;
    }
    return false;
}

/* hidden_features.c. Both take a time `t`, s in the substep, and the `centre`, m, of the body at
 * that time. */

/* Distance up to which planes count as equal for a body at x, m. */
double kg_neighbours_plane_tolerance(const kugel_world *world, uint32_t slot, const double x[3]);
/* True if a face hides an edge, a vertex or a shape (kg_boundary_is_curved): the centre is over the
 * face, and the point that the body would touch is not above the face's plane. The body touches the
 * face first, and the contact with the face replaces the other one. Faces are walls, facets and
 * the tangent planes of shapes; their plane must stay where it is relative to the feature's
 * surface. */
bool kg_neighbours_is_hidden(const kugel_world *world, uint32_t slot, kg_boundary feature, double t,
                             const double centre[3]);
/* True if the body rests on another face in the plane of a facet. That contact supports the body
 * until the end of the substep, also beyond the border of its face. */
bool kg_neighbours_rests_in_plane(const kugel_world *world, uint32_t slot, kg_boundary facet,
                                  double t, const double centre[3]);

/* Changes of motion. */

/* Make a body active after its motion or contacts changed: its measured clearance no longer holds.
 * In cell lists every body is active. */
static inline void kg_neighbours_note_motion(kugel_world *world, uint32_t slot)
{
    if (!world->grid->cell_lists.used) kg_grid_reset_clearance(world->grid, slot);
}

/* Make a body unlisted if its path up to `until` (s) is too long for lists; else make a list for it
 * if it has none. Call this when the speed of the body changed at `now`, s. */
bool kg_neighbours_update_listing(kugel_world *world, uint32_t slot, double now, double until,
                                  double h);

/* kg_neighbours_update_listing for all active bodies, before the prediction pass of a window. */
bool kg_neighbours_update_listings(kugel_world *world, double now, double until, double h);

/* Refresh the list of a body that left its skin at `now`. Sets grid->added to the neighbours that
 * only the new list holds. */
bool kg_neighbours_refresh(kugel_world *world, uint32_t slot, double now, double h);

/* Between steps: set aside bodies at rest that nothing meets (set_aside.c). `any_moves`: false
 * after an idle tick. */
void kg_neighbours_set_aside(kugel_world *world, bool any_moves);

/* Validity and rebuilds of all lists. */

/* Mark the lists as invalid, since they no longer describe the bodies: the next substep builds them
 * again. Threads may call this at the same time. */
static inline void kg_neighbours_invalidate(kugel_world *world)
{
    KG_ATOMIC_STORE(&world->grid->valid, false);
    KG_ATOMIC_STORE(&world->grid->edited, true);
}

/* Changes of the rows of bodies between steps. Cell lists stay valid if they have no oversized
 * bodies and are not in subdomains; all other lists become invalid. */
/* Call this before the rows from `count` on are removed. */
void kg_neighbours_truncate(kugel_world *world, uint32_t count);
/* Call this after rows were added at the end; the next step puts them into the cells. */
void kg_neighbours_note_added_rows(kugel_world *world);
/* Call this when one row is removed; the last row takes its place. */
void kg_neighbours_remove_row(kugel_world *world, uint32_t slot);

/* True when the lists still describe the bodies. */
static inline bool kg_neighbours_valid(const kugel_world *world)
{
    return world->grid->valid && !world->aside.rows_changed;
}

/* Abandon the cell lists: the window ends, and Verlet lists are used until cell lists are tried
 * again after KG_CELL_RETRY_AFTER substeps. A subdomain fails instead (KG_STEP_RETRY). */
static inline void kg_neighbours_abandon_cells(kugel_world *world)
{
    KG_ATOMIC_STORE(&world->grid->cell_lists.abandon, true);
}

/* True when a rebuild costs less than going on without one, or cell lists can no longer be used.
 * `refreshes_before`: world->list_refreshes at the start of the window. */
bool kg_neighbours_need_rebuild(const kugel_world *world, uint64_t refreshes_before);

/* Build Verlet lists of all bodies, at `now` in a substep of length h; they replace cell lists. */
bool kg_neighbours_rebuild(kugel_world *world, double now, double h);

/* Prefetching; always inline, because gcc drops calls of functions that only prefetch. */

#define KG_PREFETCH_INLINE KG_INLINE

/* Prefetch what the grid stores of the body. */
KG_PREFETCH_INLINE void kg_neighbours_prefetch_body(const kugel_world *world, uint32_t slot)
{
    const kg_grid *grid = world->grid;
    if (grid->cell_lists.used) {
        KG_PREFETCH(&grid->cell_lists.body_cell[slot]);
        return;
    }
    KG_PREFETCH(&grid->clearance[slot]);
    KG_PREFETCH(&grid->nodes[slot]);
    KG_PREFETCH(&grid->near_boundaries[slot]);
    KG_PREFETCH(&grid->origin[slot]);
}

/* Prefetch the cells around the body, or the motions of the bodies in its first list node. */
KG_PREFETCH_INLINE void kg_neighbours_prefetch(const kugel_world *world, uint32_t slot)
{
    if (world->grid->cell_lists.used) {
        kg_cell_lists_prefetch(&world->grid->cell_lists, slot);
        return;
    }
    const kg_list_node *node = &world->grid->nodes[slot];
    for (uint32_t k = 0; k < node->count; ++k)
        KG_PREFETCH(&world->work.motion[node->neighbour[k] & KG_NEIGHBOUR_SLOT]);
}

#endif
