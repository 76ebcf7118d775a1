/* A warm start knows the load of the substep before. Where a load has just landed that is too much: it would
 * throw back what landed, and the sweeps, which along the normals only lose energy, may not come far enough to take it off.
 * Impulses s J change the kinetic energy by q s^2 / 2 + b s, with q the sum of m dv^2 over what J changes, and b the work
 * of J at the speeds before. At s = 1 that is the gain; nothing is gained at s = -2 b / q = 1 - 2 gain / q and below.
 * (Least is gained at half of that, but a quiet tower that has half its support taken away is quiet no more.) */
#include "contact/contact.h"

/* Twice the kinetic energy of what the warm start changed, J. */
static double change_squared(const kugel_world *world, double h)
{
    double sum = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!kg_contact_takes_part(&world->work, i)) continue; /* what has no mass here has no share in the sum */
        const kg_contact_body *now = &world->contact->bodies[i];
        kg_contact_body was = {.v = {0}, .u = {0}}; /* loading leaves the fourths */
        double v2 = 0, u2 = 0;
        kg_contact_load_body(world, i, h, &was);
        for (int k = 0; k < 3; ++k) {
            double v = (double)now->v[k] - (double)was.v[k], u = (double)now->u[k] - (double)was.u[k];
            v2 += v * v;
            u2 += u * u;
        }
        sum += world->bodies.mass[i] * (v2 + 0.4 * u2);
    }
    return sum;
}

typedef struct scaling {
    kg_contact_stage *stage;
    float share;
} scaling;

static void scale(void *context, uint32_t piece, uint32_t from, uint32_t to)
{
    const scaling *s = context;
    (void)piece;
    for (uint32_t i = from; i < to; ++i) kg_contact_scale(s->stage, i, s->share);
}

bool kg_contact_cool(kugel_world *world, double h)
{
    double gain = kg_contact_gain(world->contact);
    if (!(gain > 0)) return false;
    double q = change_squared(world, h), share = q > 2 * gain ? 1 - 2 * gain / q : 0;
    if (share > KG_WARM_ENOUGH) return false;
    scaling s = {world->contact, (float)share};
    kg_contact_any_order(world, 0, scale, &s);
    return true;
}
