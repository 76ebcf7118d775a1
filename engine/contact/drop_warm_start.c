/* Drops a warm start that adds kinetic energy. Where a load has just landed, or bodies wedge, the
 * impulses of the last substep are too large. Mostly the sweeps take back what is too much. Where
 * they do not, as among unlike masses and in deep overlaps, the bodies would be thrown. See
 * tools/docs/decisions/22-warm-start-energy-limit.md. */
#include <string.h>

#include "contact/solver.h"

/* Kinetic energy that the solve has added to a body, of its spin too, J. */
static double gain_of(const kugel_world *world, uint32_t i, double h)
{
    const kg_solver_body *now = &world->contact->bodies[i];
    kg_solver_body was = {.v = {0}, .u = {0}}; /* kg_solver_body_load does not set [3] */
    double sum = 0;
    kg_solver_body_load(world, i, h, &was);
    for (int k = 0; k < 3; ++k) {
        double v = (double)now->v[k], v0 = (double)was.v[k], u = (double)now->u[k],
               u0 = (double)was.u[k];
        sum += (v - v0) * (v + v0) + 0.4 * (u - u0) * (u + u0);
    }
    return world->bodies.mass[i] * sum / 2;
}

/* The sum over the bodies in contact, J. Each is added once, at its first contact in the order of
 * the groups. */
static double sum_gains(const kugel_world *world, double h)
{
    const kg_contact_stage *stage = world->contact;
    const kg_bodies *bodies = &world->bodies;
    uint8_t *added = stage->marks;
    double sum = 0;
    for (uint32_t g = 0; g < stage->group_count; ++g) {
        for (int k = 0; k < 2 * KG_LANES; ++k) {
            uint32_t i = k % 2 ? stage->groups[g].b[k / 2] : stage->groups[g].a[k / 2];
            if (i >= bodies->count || bodies->mass[i] == 0 || added[i] ||
                !kg_solver_body_is_solved(&world->work, i))
                continue;
            added[i] = 1;
            sum += gain_of(world, i, h);
        }
    }
    memset(added, 0, bodies->count);
    return sum;
}

static void clear(void *context, uint32_t range, uint32_t from, uint32_t to)
{
    (void)range;
    for (uint32_t i = from; i < to; ++i) kg_contact_scale_impulses(context, i, 0);
}

bool kg_contact_drop_warm_start(kugel_world *world, double h)
{
    if (!(sum_gains(world, h) > 0)) return false;
    kg_contact_for_groups(world, 0, clear, world->contact);
    return true;
}
