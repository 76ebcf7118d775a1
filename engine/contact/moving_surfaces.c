/* Contacts with surfaces that move. For the solve each gets an immovable body of its own, in a row
 * behind the others. Its velocity is that of the surface at the contact.
 * In: groups, poses. Out: groups whose second bodies are these rows, until
 * kg_moving_surfaces_leave. Cost: a pass over the boundary contacts of a world in which some
 * surface moves. */
#include <string.h>

#include "contact/contact.h"

static const kg_contact *contact_of(const kugel_world *world, uint32_t group, int lane)
{
    const kg_contact_stage *stage = world->contact;
    return &world->work.contacts.items[kg_contact_item(stage, &stage->group_info[group], lane)];
}

static void set_row(const kugel_world *world, uint32_t row, uint32_t group, int lane)
{
    const kg_contact_group *g = &world->contact->groups[group];
    const kg_motion *m = &world->work.motion[g->a[lane]];
    kg_solver_body *body = &world->contact->bodies[row];
    double point[3], velocity[3];
    for (int k = 0; k < 3; ++k) point[k] = m->x[k] + m->radius * (double)g->normal[k][lane];
    kg_boundary_velocity(world, contact_of(world, group, lane)->b, 0, point, velocity);
    memset(body, 0, sizeof *body);
    for (int k = 0; k < 3; ++k) body->v[k] = (float)velocity[k];
}

/* Lanes of boundary contacts whose surface moves. */
static uint32_t moving_lanes(const kugel_world *world, uint32_t group)
{
    const kg_contact_group_info *info = &world->contact->group_info[group];
    uint32_t moving = 0;
    for (uint32_t lanes = info->boundary & ~(uint32_t)info->asleep; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        if (kg_boundary_moves(world, contact_of(world, group, lane)->b)) moving |= 1u << lane;
    }
    return moving;
}

static uint32_t count_moving(const kugel_world *world)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->contact->group_count; ++i) {
        for (uint32_t lanes = moving_lanes(world, i); lanes; lanes &= lanes - 1) ++count;
    }
    return count;
}

bool kg_moving_surfaces_enter(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    uint32_t row = world->bodies.count + 1;
    if (!world->surfaces.any_moves) return true;
    if (!KG_RESERVE(&world->memory, &stage->columns[KG_CONTACT_COLUMN_BODIES], stage->bodies,
                    (size_t)row + count_moving(world), row))
        return false;
    for (uint32_t i = 0; i < stage->group_count; ++i) {
        for (uint32_t lanes = moving_lanes(world, i); lanes; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            set_row(world, row, i, lane);
            stage->groups[i].b[lane] = row++;
        }
    }
    return true;
}

void kg_moving_surfaces_leave(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    for (uint32_t i = 0; i < stage->group_count && world->surfaces.any_moves; ++i) {
        for (int lane = 0; lane < KG_LANES; ++lane) {
            if (stage->groups[i].b[lane] > world->bodies.count)
                stage->groups[i].b[lane] = world->bodies.count;
        }
    }
}
