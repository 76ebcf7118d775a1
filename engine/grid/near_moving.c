/* Near triangles while surfaces move: how long they hold, and whose are found again.
 * In: list origins, poses, motions. Out: near triangles of the bodies near a surface that moves or
 * got another motion; those of other bodies hold. Cost: nothing while no surface moves; else now
 * and then a pass over the bodies for each of these surfaces, and a search for the bodies near
 * it. */
#include "base/vec.h"
#include "grid/grid.h"
#include "grid/neighbours.h"
#include "world/surface_tree.h"

/* Time for which spans hold, s: until a surface moves by a share of the skin, but at least one
 * and at most SUBSTEPS substeps. Longer: more triangles are tested; shorter: they are found more
 * often. */
static double time_of(const kugel_world *world)
{
    enum { SUBSTEPS = 32 };
    const double share = 0.5;
    double h = world->work.substep_length, fastest = 0;
    const kg_surfaces *set = &world->surfaces;
    for (uint32_t k = 0; k < set->moving_count; ++k) {
        const kg_surface *surface = &set->items[set->moving[k]];
        double speed = kg_surface_speed_bound(surface, surface->pose.origin,
                                              kg_surface_extent(surface), SUBSTEPS * h);
        fastest = speed > fastest ? speed : fastest;
    }
    double time = fastest > 0 ? share * world->grid->skin / fastest : h;
    return time > SUBSTEPS * h ? SUBSTEPS * h : time > h ? time : h;
}

void kg_near_time_choose(kugel_world *world) { world->grid->near_lasts = time_of(world); }

/* Note in `found` the bodies that a surface may be near while the near triangles hold, or was. Its
 * points are within its extent of its origin. Without a spin their path is the same everywhere. */
static void note_near(const kugel_world *world, const kg_surface *surface, uint8_t *found)
{
    const kg_grid *grid = world->grid;
    const double *origin = surface->pose.origin;
    bool turns = !kg_is_zero3(surface->spin);
    double extent = kg_surface_extent(surface) + surface->mesh.facet_thickness,
           displacement = kg_grid_widened_list_displacement(grid),
           path = kg_near_surface_path(grid, surface, origin, 0);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        const double *x = grid->origin[i].x;
        double reach = grid->origin[i].radius + displacement;
        if (turns) path = kg_near_surface_path(grid, surface, x, reach);
        double far = extent + reach + path;
        found[i] |= kg_squared_distance3(x, origin) <= far * far * (1 + 1e-9);
    }
}

/* Note in `found` the bodies that had a surface with another motion, or have one that moves. */
static void note_had(const kugel_world *world, uint8_t *found)
{
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        kg_near_triangles near = kg_neighbours_triangles(world, i);
        for (; near.next < near.end && !found[i]; ++near.next) {
            const kg_surface *surface = kg_boundary_surface(world, near.next->number);
            found[i] = surface->moves || surface->motion_changed;
        }
    }
}

static bool find_noted(kugel_world *world, const uint8_t *found)
{
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!found[i]) continue;
        kg_grid_reset_clearance(world->grid, i);
        if (!kg_near_triangles_find(world, i)) return false;
    }
    return true;
}

/* Find the near triangles of the bodies near surfaces that move or got another motion. */
static bool find_near_moving(kugel_world *world)
{
    const kg_surfaces *set = &world->surfaces;
    uint8_t *found;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    if (!world->bodies.count) return true;
    if (!KG_TAKE(world, found, world->bodies.count)) return false;
    memset(found, 0, world->bodies.count);
    note_had(world, found);
    bool changed = set->any_motion_changed;
    for (uint32_t k = 0; k < (changed ? set->end : set->moving_count); ++k) {
        const kg_surface *surface = &set->items[changed ? k : set->moving[k]];
        if (surface->moves || surface->motion_changed) note_near(world, surface, found);
    }
    bool ok = find_noted(world, found);
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return ok;
}

bool kg_near_triangles_prepare(kugel_world *world, double h)
{
    kg_grid *grid = world->grid;
    kg_surfaces *set = &world->surfaces;
    bool lasts = grid->near_lasts - grid->near_substep >= h * (1 + 1e-9);
    if (!set->moving_count && !set->any_motion_changed) return true;
    if (lasts && !set->any_motion_changed) {
        grid->near_lasts -= grid->near_substep;
        grid->near_substep = h;
        /* queries may have built the tree for one moment only */
        kg_surface_tree_prepare(set, grid->near_lasts);
        return true;
    }
    kg_near_time_choose(world);
    grid->near_substep = h;
    kg_surface_tree_prepare(set, grid->near_lasts);
    if (!find_near_moving(world)) return false;
    kg_surfaces_note_motions_seen(set);
    return true;
}
