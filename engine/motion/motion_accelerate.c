/* At the start of a substep, sets the frame of each body, with gravity and force as its
 * acceleration, and applies torques and damping to velocities and spins.
 * In: forces, torques, sleep states. Out: frames, velocities, spins, starts of paths for
 * containment.h. Order: none; bodies are independent. */
#include "motion/motion.h"

#include <string.h>

#include "motion/damping.h"
#include "world/locks.h"
#include "world/sleep_state.h"

/* The damping of the bodies of a task range: most of them share their materials. */
typedef struct rates {
    uint32_t material;  /* KG_NONE: none yet */
    double linear_rate; /* 1/s */
    kg_damping linear, angular;
} rates;

static void find_rates(const kugel_world *world, uint32_t i, double h, rates *r)
{
    const kg_material *m = kg_bodies_material(&world->bodies, i);
    if (world->bodies.material[i] == r->material) return;
    r->material = world->bodies.material[i];
    r->linear_rate = world->def.linear_damping + m->linear_damping;
    r->linear = kg_damping_of(r->linear_rate, h);
    r->angular = kg_damping_of(world->def.angular_damping + m->angular_damping, h);
}

/* Apply torque and angular damping. With damping, a torque changes the spin by its angular
 * acceleration times h times the mean decay. */
static void damp_spin(kugel_world *world, uint32_t i, const kg_damping *angular, double h)
{
    const kg_bodies *bodies = &world->bodies;
    double inertia = 0.4 * bodies->mass[i] * bodies->radius[i] * bodies->radius[i];
    uint32_t locks = kg_locks_of(bodies, i) >> KG_LOCKS_ANGULAR_SHIFT;
    for (int k = 0; k < 3; ++k) {
        world->work.w[k][i] *= angular->decay;
        if (bodies->has_forces && !(locks >> k & 1))
            world->work.w[k][i] += bodies->torque[k][i] / inertia * (angular->mean * h);
    }
}

/* Linear damping at the start of a substep. A body with contacts does not accelerate freely: only
 * the factor acts on it, not the gain. */
static void start_linear(kugel_world *world, uint32_t i, const kg_damping *linear)
{
    double *v = world->work.motion[i].v, a[3];
    kg_frame_free_acceleration(world, i, a);
    double gain = world->work.contact_count[i] ? 0 : linear->start_gain;
    for (int k = 0; k < 3; ++k) v[k] = v[k] * linear->start_factor + a[k] * gain;
}

static void damp(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    rates r = {.material = KG_NONE};
    for (uint32_t i = from; i < to; ++i) {
        if (world->bodies.mass[i] == 0 || world->work.sleep_state[i] == KG_ASLEEP) continue;
        find_rates(world, i, h, &r);
        damp_spin(world, i, &r.angular, h);
        if (r.linear_rate > 0) start_linear(world, i, &r.linear);
    }
}

static void end_linear(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    rates r = {.material = KG_NONE};
    for (uint32_t i = from; i < to; ++i) {
        if (world->bodies.mass[i] == 0 || world->work.sleep_state[i] == KG_ASLEEP) continue;
        find_rates(world, i, h, &r);
        double *v = world->work.motion[i].v, a[3];
        if (r.linear_rate == 0) continue;
        kg_work_acceleration(&world->work, i, a);
        double gain = world->work.contact_count[i] ? 0 : r.linear.end_gain;
        for (int k = 0; k < 3; ++k) v[k] = v[k] * r.linear.end_factor + a[k] * gain;
    }
}

void kg_motion_end_damping(kugel_world *world, double h)
{
    if (world->def.linear_damping > 0 || world->work.has_own_damping)
        kg_for_bodies(world, end_linear, h);
}

/* Begin the substep of some bodies. Each has its free acceleration until a contact supports it. */
static void accelerate_range(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    kg_work *work = &world->work;
    kg_frame_set_free_range(world, from, to, world->work.any_inert);
    for (uint32_t i = from; i < to; ++i)
        work->frame[i] = work->sleep_state[i] == KG_ASLEEP ? KG_FRAME_INERTIAL : work->frame[i];
    memset(work->impact_load + from, 0, (to - from) * sizeof *work->impact_load);
    memset(work->motion_version + from, 0, (to - from) * sizeof *work->motion_version);
    for (uint32_t i = from; i < to && world->surfaces.count; ++i)
        kg_path_start_set(work, i, work->motion[i].x, 0);
    if (world->def.linear_damping > 0 || world->def.angular_damping > 0 || work->has_own_damping ||
        world->bodies.has_forces)
        damp(world, from, to, h);
}

void kg_motion_accelerate(kugel_world *world, double h)
{
    if (world->bodies.count) kg_for_bodies(world, accelerate_range, h);
}
