/* Contacts with surfaces that move or drag. For the solve each of these contacts gets an immovable
 * body of its own, in a row behind all others. Its velocity is that of the surface's material at
 * the contact in the middle of the substep. At the start of the substep it would be a step of
 * Euler's method: a ball that rolls on a turntable would gain speed.
 * In: groups, poses. Out: groups whose second bodies are these rows, until
 * kg_moving_surfaces_leave. Cost: three passes over the groups of a world in which some surface
 * moves or drags. */
#include <string.h>

#include "base/compiler.h"
#include "base/vec.h"
#include "contact/solver.h"

static const kg_contact *contact_of(const kugel_world *world, uint32_t group, int lane)
{
    const kg_contact_stage *stage = world->contact;
    return &world->work.contacts.items[kg_contact_item(stage, &stage->group_info[group], lane)];
}

/* Rate at which the gap of a contact grows because its surface turns, m/s, if the body keeps the
 * velocity `v`: its own velocity, but with the part along the normal of the surface's velocity. The
 * body's path is straight and the surface's is not: without this rate a body that turns with the
 * surface would sink in. */
static double opening_by_turn(const kugel_world *world, kg_boundary surface, const kg_motion *m,
                              const double v[3], const double normal[3], double h)
{
    double end[3], at_start[3], at_end[3];
    double gap = kg_boundary_contact_gap(world, surface, 0, m->x, 0, at_start);
    kg_add_scaled3(end, m->x, h, v);
    double gap_at_end = kg_boundary_contact_gap(world, surface, h, end, 0, at_end);
    if (kg_dot3(at_end, normal) < 0) gap_at_end = -gap_at_end; /* behind the surface */
    return (gap_at_end - gap) / h;
}

static void set_row(const kugel_world *world, uint32_t row, uint32_t group, int lane, double h)
{
    const kg_contact_group *g = &world->contact->groups[group];
    const kg_motion *m = &world->work.motion[g->a[lane]];
    const float *of_body = world->contact->bodies[g->a[lane]].v;
    kg_solver_body *body = &world->contact->bodies[row];
    kg_boundary surface = contact_of(world, group, lane)->b;
    double point[3], velocity[3], v[3], normal[3];
    for (int k = 0; k < 3; ++k) {
        normal[k] = (double)g->normal[k][lane];
        v[k] = (double)of_body[k];
    }
    kg_add_scaled3(point, m->x, m->radius, normal);
    kg_add_scaled3(point, point, h / 2, v);
    kg_boundary_material_velocity(world, surface, h / 2, point, normal, velocity);
    if (kg_boundary_turns(world, surface)) {
        kg_add_scaled3(v, v, kg_dot3(velocity, normal) - kg_dot3(v, normal), normal);
        kg_add_scaled3(velocity, velocity, opening_by_turn(world, surface, m, v, normal, h),
                       normal);
    }
    memset(body, 0, sizeof *body);
    for (int k = 0; k < 3; ++k) body->v[k] = (float)velocity[k];
}

uint32_t kg_moving_surfaces_lanes(const kugel_world *world, uint32_t group)
{
    const kg_contact_group_info *info = &world->contact->group_info[group];
    uint32_t moving = 0;
    for (uint32_t lanes = info->boundary; lanes; lanes &= lanes - 1) {
        int lane = kg_lowest_bit(lanes);
        if (kg_boundary_moves(world, contact_of(world, group, lane)->b)) moving |= 1u << lane;
    }
    return moving;
}

static uint32_t count_moving(const kugel_world *world)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->contact->group_count; ++i) {
        for (uint32_t lanes = kg_moving_surfaces_lanes(world, i); lanes; lanes &= lanes - 1)
            ++count;
    }
    return count;
}

bool kg_moving_surfaces_enter(kugel_world *world, double h)
{
    kg_contact_stage *stage = world->contact;
    uint32_t row = world->bodies.count + 1;
    if (!kg_surfaces_any_drags(&world->surfaces)) return true;
    if (!KG_RESERVE(&world->memory, &stage->columns[KG_CONTACT_COLUMN_BODIES], stage->bodies,
                    (size_t)row + count_moving(world), row))
        return false;
    for (uint32_t i = 0; i < stage->group_count; ++i) {
        for (uint32_t lanes = kg_moving_surfaces_lanes(world, i); lanes; lanes &= lanes - 1) {
            int lane = kg_lowest_bit(lanes);
            set_row(world, row, i, lane, h);
            stage->groups[i].b[lane] = row++;
        }
    }
    return true;
}

void kg_moving_surfaces_leave(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    bool drags = kg_surfaces_any_drags(&world->surfaces);
    for (uint32_t i = 0; i < stage->group_count && drags; ++i) {
        for (int lane = 0; lane < KG_LANES; ++lane) {
            if (stage->groups[i].b[lane] > world->bodies.count)
                stage->groups[i].b[lane] = world->bodies.count;
        }
    }
}
