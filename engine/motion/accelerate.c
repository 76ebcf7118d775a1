#include "motion/motion.h"

#include <string.h>

#include "grid/grid.h"
#include "world/sleep.h"

/* e to the power of -c h, to second order; positive and below 1 for every c h > 0, libm-free. */
static double decay(double c, double h)
{
    double s = c * h;
    return 1 / (1 + s + 0.5 * s * s);
}

static void apply_torques(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    const kg_bodies *bodies = &world->bodies;
    for (uint32_t i = from; i < to; ++i) {
        if (bodies->mass[i] == 0) continue;
        double inertia = 0.4 * bodies->mass[i] * bodies->radius[i] * bodies->radius[i];
        for (int k = 0; k < 3; ++k) world->work.w[k][i] += bodies->torque[k][i] / inertia * h;
    }
}

static void damp(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    const kg_bodies *bodies = &world->bodies;
    double linear = decay(world->def.linear_damping, h), angular = decay(world->def.angular_damping, h);
    for (uint32_t i = from; i < to; ++i) {
        if (bodies->mass[i] == 0) continue;
        for (int k = 0; k < 3; ++k) {
            world->work.motion[i].v[k] *= linear;
            world->work.w[k][i] *= angular;
        }
    }
}

/* Until a contact holds it, each body falls as it would alone. */
static void accelerate_range(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    kg_work *work = &world->work;
    kg_release_range(world, from, to, world->work.inert);
    for (uint32_t i = from; i < to; ++i) work->frame[i] = work->calm[i] == KG_ASLEEP ? KG_FRAME_INERTIAL : work->frame[i];
    memset(work->impacts + from, 0, (to - from) * sizeof *work->impacts);
    memset(work->stamp + from, 0, (to - from) * sizeof *work->stamp);
    if (world->bodies.has_forces) apply_torques(world, from, to, h);
    if (world->def.linear_damping > 0 || world->def.angular_damping > 0) damp(world, from, to, h);
}

void kg_motion_accelerate(kugel_world *world, double h)
{
    kg_work *work = &world->work;
    if (world->bodies.count) kg_for_bodies(world, accelerate_range, h);
    double fall = 2 * work->pull * h, slow = world->def.bounce_threshold / work->stretch; /* presses in as much in a longer substep */
    work->rest_speed = slow > fall ? slow : fall;
    work->per_substep = work->stretch / h;
    work->stick_speed = KG_STICK_PRESS * world->grid->solid / h;
}
