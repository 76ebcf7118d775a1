/* Limits the energy that the warm start adds where sweeps converge slowly: among unlike masses, and
 * among bodies that lack space (measure.c). Where a load has just landed, the impulses of the
 * last substep are too large and would throw bodies. Impulses s J change the kinetic energy by
 * q s^2 / 2 + b s, with q the sum of m dv^2 over the velocity changes dv. b is the work of the
 * impulses at the velocities before them. See
 * tools/docs/decisions/22-warm-start-energy-limit.md. */
#include <string.h>

#include "contact/solver.h"

/* m dv^2 of the velocity change of a body, of its spin too, J. */
static double change_of(const kugel_world *world, uint32_t i, double h)
{
    const kg_solver_body *now = &world->contact->bodies[i];
    kg_solver_body was = {.v = {0}, .u = {0}}; /* kg_solver_body_load does not set [3] */
    double v2 = 0, u2 = 0;
    kg_solver_body_load(world, i, h, &was);
    for (int k = 0; k < 3; ++k) {
        double v = (double)now->v[k] - (double)was.v[k], u = (double)now->u[k] - (double)was.u[k];
        v2 += v * v, u2 += u * u;
    }
    return world->bodies.mass[i] * (v2 + 0.4 * u2);
}

/* The sum over the bodies that the warm start pushes, J. Each is added once, at its first contact
 * in the order of the groups. */
static double sum_changes(const kugel_world *world, double h)
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
            sum += change_of(world, i, h);
        }
    }
    memset(added, 0, bodies->count);
    return sum;
}

/* The share s of the impulses that adds no energy. `gain`: energy that the whole impulses add,
 * J. */
static double find_share(double gain, double change)
{
    double work = gain - change / 2;
    return work < 0 ? -2 * work / change : 0;
}

typedef struct scale_context {
    kg_contact_stage *stage;
    float share;
} scale_context;

static void scale(void *context, uint32_t range, uint32_t from, uint32_t to)
{
    const scale_context *s = context;
    (void)range;
    for (uint32_t i = from; i < to; ++i) kg_contact_scale_impulses(s->stage, i, s->share);
}

bool kg_contact_limit_warm_start(kugel_world *world, double h)
{
    const kg_contact_stage *stage = world->contact;
    double gain = kg_contact_warm_start_gain(stage);
    bool slow = stage->any_engulfed || stage->largest_load > KG_SWEEPS_NORMAL_LOAD;
    if (!slow || !(gain > 0)) return false;
    double share = find_share(gain, sum_changes(world, h));
    if (share > KG_WARM_START_WHOLE) return false;
    scale_context s = {world->contact, (float)share};
    kg_contact_for_groups(world, 0, scale, &s);
    return true;
}
