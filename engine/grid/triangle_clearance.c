/* How far a body with contacts can move until it meets another triangle than those on which it
 * rests. A ball that rolls on a mesh is within reach of many triangles and can meet few: it is
 * outside of the regions of the others. While its path is shorter than the clearance, only the
 * triangles with features on which it rests are tested.
 * In: near triangles, resting features. Out: kg_triangle_span.clearance. Threads may measure
 * different bodies. Without a clearance more triangles are tested, which changes no result. */
#include "grid/neighbours.h"

/* The clearance is measured up to this many times the body's path in a substep. More: more
 * triangles are measured; fewer: the clearance lasts for fewer substeps. */
static const double measured_paths = 4;

/* Relative margin for the rounding of gaps, and of places in floats. */
static const double margin = 1e-6;

/* False when the last measurement shows that the clearance covers the path, or that it does not: a
 * move changes a clearance by at most the length of the move. `d`: the body's offset from its list
 * origin. */
static bool should_measure(const kg_triangle_clearance *c, const double d[3], double path)
{
    double moved = kg_triangle_clearance_moved(c, d);
    return !c->known ||
           ((double)c->clearance - moved <= path && (double)c->clearance + moved > path);
}

/* Add an item of the span to those on which the body rests. False if there are too many. */
static bool add_resting(kg_triangle_clearance *c, size_t item)
{
    if (c->resting_count == KG_CLEARANCE_RESTING || item > UINT16_MAX) return false;
    c->resting[c->resting_count++] = (uint16_t)item;
    return true;
}

/* The clearance of the body, at most `most` (m); adds the items on which the body rests. A
 * clearance of at most 0 is not used. */
static double measure(const kugel_world *world, uint32_t slot, double most,
                      kg_triangle_clearance *c)
{
    const kg_motion *m = &world->work.motion[slot];
    double clearance = most;
    kg_near_triangles all = kg_neighbours_triangles(world, slot),
                      near = kg_neighbours_triangles_within(world, slot, m->x, m->radius + most);
    for (uint32_t triangle; clearance > 0 && kg_near_triangles_next(&near, &triangle);) {
        bool rests;
        double way = kg_boundary_clearance(world, triangle, slot, clearance, &rests);
        bool has_place = !rests || add_resting(c, (size_t)(near.next - all.next) - 1);
        if (!has_place || kg_boundary_surface(world, triangle)->moves) return 0;
        clearance = way < clearance ? way : clearance;
        kg_near_triangles_set_reach(&near, m->radius + clearance);
    }
    return clearance;
}

void kg_triangle_clearance_measure(kugel_world *world, uint32_t slot, double path)
{
    const kg_motion *m = &world->work.motion[slot];
    kg_triangle_span *span = &world->grid->near_span[slot];
    double d[3];
    if (!span->count || !world->work.contact_count[slot] || kg_grid_is_unlisted(world->grid, slot))
        return;
    kg_sub3(d, m->x, world->grid->origin[slot].x);
    if (!should_measure(&span->clearance, d, path)) return;
    double in_skin = world->grid->skin * (1 - margin) - kg_length3(d),
           most = kg_min(measured_paths * path, in_skin);
    kg_triangle_clearance found = {.known = true};
    for (int k = 0; k < 3; ++k) found.place[k] = (float)d[k];
    double clearance = measure(world, slot, most, &found);
    found.clearance = (float)(clearance * (1 - margin) - margin * kg_length3(d));
    span->clearance = found;
}

void kg_triangle_clearance_forget(kugel_world *world, uint32_t slot)
{
    world->grid->near_span[slot].clearance.known = false;
}
