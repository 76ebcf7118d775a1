/* Limit of the energy that the warm start adds. Where a load has just landed, the impulses of the
 * last substep are too large and would throw it back. Impulses s J change the kinetic energy by
 * q s^2 / 2 + b s, with q the sum of m dv^2 over the velocity changes dv, and b the work of the
 * impulses at the velocities before. With gain = q / 2 + b, the energy does not change at
 * s = -2 b / q = 1 - 2 gain / q. See tools/docs/decisions/22-warm-start-energy-limit.md. */
#include "base/exact_sum.h"
#include "contact/contact.h"

/* Twice the kinetic energy of the warm start's changes, J, or more than 100 times the gain if it is
 * as large. The order of the bodies does not matter. */
static double twice_energy_of_change(const kugel_world *world, double h, double gain)
{
    kg_exact_sum sum = kg_exact_sum_begin(2 * gain);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!kg_solver_body_is_solved(&world->work, i)) continue;
        const kg_solver_body *now = &world->contact->bodies[i];
        kg_solver_body was = {.v = {0}, .u = {0}}; /* [3] is not loaded */
        double v2 = 0, u2 = 0;
        kg_solver_body_load(world, i, h, &was);
        for (int k = 0; k < 3; ++k) {
            double v = (double)now->v[k] - (double)was.v[k],
                   u = (double)now->u[k] - (double)was.u[k];
            v2 += v * v;
            u2 += u * u;
        }
        kg_exact_sum_add(&sum, world->bodies.mass[i] * (v2 + 0.4 * u2));
    }
    return kg_exact_sum_value(&sum);
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
    double gain = kg_contact_warm_start_gain(world->contact);
    if (!(gain > 0)) return false;
    double q = twice_energy_of_change(world, h, gain), share = q > 2 * gain ? 1 - 2 * gain / q : 0;
    if (share > KG_WARM_START_WHOLE) return false;
    scale_context s = {world->contact, (float)share};
    kg_contact_for_groups(world, 0, scale, &s);
    return true;
}
