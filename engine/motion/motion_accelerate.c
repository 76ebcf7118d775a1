/* Applies gravity, forces and damping at the start of a substep. */
#include "motion/motion.h"

#include <string.h>

#include "resting/resting.h"
#include "world/sleep_state.h"

/* exp(-c h) to second order, without libm; in (0, 1) for c h > 0. */
static double damping_factor(double c, double h)
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
    double linear = damping_factor(world->def.linear_damping, h),
           angular = damping_factor(world->def.angular_damping, h);
    for (uint32_t i = from; i < to; ++i) {
        if (bodies->mass[i] == 0) continue;
        for (int k = 0; k < 3; ++k) {
            world->work.motion[i].v[k] *= linear;
            world->work.w[k][i] *= angular;
        }
    }
}

/* Until a contact supports it, each body has its free acceleration. */
static void accelerate_range(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    kg_work *work = &world->work;
    kg_frame_set_free_range(world, from, to, world->work.any_inert);
    for (uint32_t i = from; i < to; ++i)
        work->frame[i] = work->sleep_state[i] == KG_ASLEEP ? KG_FRAME_INERTIAL : work->frame[i];
    memset(work->impact_load + from, 0, (to - from) * sizeof *work->impact_load);
    memset(work->motion_version + from, 0, (to - from) * sizeof *work->motion_version);
    if (world->bodies.has_forces) apply_torques(world, from, to, h);
    if (world->def.linear_damping > 0 || world->def.angular_damping > 0) damp(world, from, to, h);
}

void kg_motion_accelerate(kugel_world *world, double h)
{
    if (world->bodies.count) kg_for_bodies(world, accelerate_range, h);
    kg_resting_set_speeds(world, h);
}
