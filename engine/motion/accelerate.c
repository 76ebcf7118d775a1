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

static void apply_torques(kugel_world *world, double h)
{
    const kg_bodies *bodies = &world->bodies;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (bodies->mass[i] == 0) continue;
        double inertia = 0.4 * bodies->mass[i] * bodies->radius[i] * bodies->radius[i];
        for (int k = 0; k < 3; ++k) world->work.w[k][i] += bodies->torque[k][i] / inertia * h;
    }
}

static void damp(kugel_world *world, double h)
{
    const kg_bodies *bodies = &world->bodies;
    double linear = decay(world->def.linear_damping, h), angular = decay(world->def.angular_damping, h);
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (bodies->mass[i] == 0) continue;
        for (int k = 0; k < 3; ++k) {
            world->work.motion[i].v[k] *= linear;
            world->work.w[k][i] *= angular;
        }
    }
}

/* Until a contact holds it, each body falls as it would alone. */
static void release_all(kugel_world *world)
{
    kg_work *work = &world->work;
    const double *g = work->gravity;
    uint32_t n = world->bodies.count;
    uint8_t falls = g[0] != 0 || g[1] != 0 || g[2] != 0 ? KG_FRAME_GRAVITY : KG_FRAME_INERTIAL;
    for (uint32_t i = 0; i < n; ++i) {
        if (work->calm[i] == KG_ASLEEP) work->frame[i] = KG_FRAME_INERTIAL;
        else if (work->own) kg_release(world, i);
        else work->frame[i] = world->bodies.mass[i] == 0 ? KG_FRAME_INERTIAL : falls;
    }
}

void kg_motion_accelerate(kugel_world *world, double h)
{
    kg_work *work = &world->work;
    uint32_t n = world->bodies.count;
    release_all(world);
    if (n) memset(work->impacts, 0, n * sizeof *work->impacts);
    if (n) memset(work->stamp, 0, n * sizeof *work->stamp);
    if (world->bodies.has_forces) apply_torques(world, h);
    if (world->def.linear_damping > 0 || world->def.angular_damping > 0) damp(world, h);
    double g2 = 0;
    for (int k = 0; k < 3; ++k) g2 += work->gravity[k] * work->gravity[k];
    double fall = 2 * __builtin_sqrt(g2) * h;
    work->rest_speed = world->def.bounce_threshold > fall ? world->def.bounce_threshold : fall;
    double presses = KG_STICK_PRESS * world->grid->smallest / h;
    work->stick_speed = presses > work->rest_speed ? presses : work->rest_speed;
}
