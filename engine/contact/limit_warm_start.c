/* A warm start knows the load of the substep before. Where a load has just landed that is too much:
 * it would throw back what landed, and the sweeps, which along the normals only lose energy, may
 * not come far enough to take it off. Impulses s J change the kinetic energy by q s^2 / 2 + b s,
 * with q the sum of m dv^2 over what J changes, and b the work of J at the speeds before. At s = 1
 * that is the gain; nothing is gained at s = -2 b / q = 1 - 2 gain / q and below. (Least is gained
 * at half of that, but a quiet tower that has half its support taken away is quiet no more.) */
#include "contact/contact.h"

/* Twice the kinetic energy of what the warm start changed, J. */
static double twice_energy_of_change(const kugel_world *world, double h)
{
    double sum = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!kg_solver_body_is_solved(&world->work, i))
            continue; /* what has no mass here has no share in the sum */
        const kg_solver_body *now = &world->contact->bodies[i];
        kg_solver_body was = {.v = {0}, .u = {0}}; /* loading leaves the fourths */
        double v2 = 0, u2 = 0;
        kg_solver_body_load(world, i, h, &was);
        for (int k = 0; k < 3; ++k) {
            double v = (double)now->v[k] - (double)was.v[k],
                   u = (double)now->u[k] - (double)was.u[k];
            v2 += v * v;
            u2 += u * u;
        }
        sum += world->bodies.mass[i] * (v2 + 0.4 * u2);
    }
    return sum;
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
    double q = twice_energy_of_change(world, h), share = q > 2 * gain ? 1 - 2 * gain / q : 0;
    if (share > KG_WARM_START_WHOLE) return false;
    scale_context s = {world->contact, (float)share};
    kg_contact_for_groups(world, 0, scale, &s);
    return true;
}
