/* The number of substeps of a tick. By default g h^2, twice the fall from rest in a substep of
 * length h, is a small part of the smallest radius. A large pile that settles takes fewer substeps,
 * with proportionally more sweeps in each; so do bodies at rest that do not touch each other. A
 * world in which bodies only collide takes one (only_collides). See
 * tools/docs/decisions/09-substeps-by-load.md.
 * In: the state at the tick's start, groups. Out: substeps, their length and ratio in world->work.
 * Only counts are used: no order. */
#include <math.h>

#include "base/compiler.h"
#include "contact/solver.h"
#include "world/locks.h"
#include "world/pair_filter.h"
#include "world/stride.h"

/* If at most one in `share` awake bodies is fast, g h^2 may be `fall` smallest radii. */
static const struct settled_levels {
    uint32_t share;
    double fall;
} settled_levels[] = {{KG_SETTLED_FAST_ONE_IN, KG_SETTLED_FALL},
                      {KG_SETTLING_FAST_ONE_IN, KG_SETTLING_FALL}};

/* True for a body with a force, a torque or a gravity scale of its own. */
static bool has_own_acceleration(const kugel_world *world, uint32_t i)
{
    const kg_bodies *bodies = &world->bodies;
    if (!world->work.has_own_accelerations) return false;
    const kg_material *m = kg_bodies_material(bodies, i);
    return m->gravity_scale != 1 || kg_locks_hold(m->locks, world->def.gravity) ||
           kg_bodies_has_load(bodies, i);
}

/* True for a body whose centre or surface moves by more than KG_INACTIVE_TRAVEL in the tick. */
static bool moves(const kugel_world *world, uint32_t i, double dt)
{
    const double *v = world->work.motion[i].v, radius = world->bodies.radius[i],
                 w[3] = {world->work.w[0][i], world->work.w[1][i], world->work.w[2][i]};
    double most = KG_INACTIVE_TRAVEL * radius;
    return (kg_dot3(v, v) + kg_dot3(w, w) * radius * radius) * dt * dt > most * most;
}

/* Count the awake dynamic bodies and the fast ones among them, and find whether one of them moves,
 * and whether an own acceleration drives one. Sensors are left out. */
static void count_fast_range(kugel_world *world, uint32_t from, uint32_t to, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t awake = 0, fast = 0;
    bool any_own_acceleration = false, any_moves = false,
         any_sensor = kg_bodies_any_sensor(&world->bodies);
    for (uint32_t i = from; i < to; ++i) {
        if (world->work.sleep_state[i] == KG_ASLEEP || bodies->mass[i] == 0 ||
            (any_sensor && kg_bodies_is_sensor(bodies, i)))
            continue;
        const double *v = world->work.motion[i].v, most = KG_SETTLED_PATH * bodies->radius[i];
        awake += 1;
        any_moves = any_moves || moves(world, i, dt);
        any_own_acceleration = any_own_acceleration || has_own_acceleration(world, i);
        fast += kg_dot3(v, v) * dt * dt > most * most;
    }
    KG_ATOMIC_ADD(&world->contact->awake_count, awake);
    KG_ATOMIC_ADD(&world->contact->fast_count, fast);
    if (any_moves) KG_ATOMIC_STORE(&world->contact->any_moves, true);
    if (any_own_acceleration) KG_ATOMIC_STORE(&world->contact->any_own_acceleration, true);
}

/* Number of substeps, not rounded, whose length h gives g h^2 = `path` (m). */
static double substeps_for(const kugel_world *world, double dt, double path)
{
    return dt * sqrt(world->work.gravity_magnitude / path);
}

/* The next whole number above `wanted`, but at most `most`. */
static int32_t round_up_limited(double wanted, int32_t most)
{
    return wanted < most ? (int32_t)wanted + 1 : most;
}

/* True when an awake body that is not a sensor rests. */
static bool any_resting(const kugel_world *world)
{
    const kg_contact_set *set = &world->work.contacts;
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_contact *c = &set->items[k];
        if (!kg_contact_is_asleep(world, c) &&
            !kg_bodies_is_sensor(&world->bodies, world->bodies.slot[c->a]))
            return true;
    }
    return false;
}

/* True when a surface or kinematic body that moves is in contact with an awake body. */
static bool any_driving_contact(const kugel_world *world)
{
    const kg_contact_set *set = &world->work.contacts;
    const uint32_t *slot = world->bodies.slot;
    const double *mass = world->bodies.mass;
    if (!kg_surfaces_any_drags(&world->surfaces) && !world->work.any_mover) return false;
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_contact *c = &set->items[k];
        if (kg_contact_is_asleep(world, c)) continue;
        if (c->with != KG_WITH_BODY) {
            if (kg_boundary_moves(world, c->b)) return true;
            continue;
        }
        uint32_t a = slot[c->a], b = slot[c->b];
        if ((mass[a] == 0 && !kg_sleep_is_motionless(&world->work, a)) ||
            (mass[b] == 0 && !kg_sleep_is_motionless(&world->work, b)))
            return true;
    }
    return false;
}

/* True when some surface or kinematic body moves, or a body has a force or torque. */
static bool any_external_motion(const kugel_world *world)
{
    const kg_bodies *bodies = &world->bodies;
    if (kg_surfaces_any_drags(&world->surfaces) ||
        (world->whole && world->whole->any_kinematic_moves))
        return true;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (kg_bodies_is_sensor(bodies, i)) continue;
        if (bodies->mass[i] == 0 && !kg_sleep_is_motionless(&world->work, i)) return true;
        if (kg_bodies_has_load(bodies, i)) return true;
    }
    return false;
}

/* True when the result does not depend on the substep length: the bounce threshold is 0, and there
 * are no resting contacts, no accelerations, no damping and no lossy impacts (their budgets are per
 * substep). Sensors are left out, since they do not influence other bodies. */
static bool only_collides(const kugel_world *world)
{
    const kugel_world_def *def = &world->def;
    if (def->bounce_threshold != 0 || world->work.gravity_magnitude != 0 || any_resting(world))
        return false;
    if (def->linear_damping > 0 || def->angular_damping > 0 || world->work.has_own_damping ||
        !kg_pairs_are_lossless(world))
        return false;
    bool may_be_driven = world->work.any_inert || world->bodies.has_forces ||
                         kg_surfaces_any_drags(&world->surfaces) || world->whole;
    return !may_be_driven || !any_external_motion(world);
}

/* True if some dynamic body may hit the surface in the tick. */
static bool is_met(const kugel_world *world, const kg_surface *surface, double dt)
{
    bool met = false;
    for (uint32_t i = 0; i < world->bodies.count && !met; ++i)
        met = world->bodies.mass[i] > 0 && kg_stride_meets(world, surface, i, dt) &&
              kg_pair_filter_meets_surface(world, i, surface);
    return met;
}

/* Number of substeps, not rounded, in each of which the fastest spinning surface that a body may
 * touch turns by `turn` (rad). */
static double substeps_for_spins(const kugel_world *world, double dt, double turn)
{
    double fastest = 0;
    const kg_surfaces *set = &world->surfaces;
    for (uint32_t k = 0; k < set->moving_count; ++k) {
        const kg_surface *surface = &set->items[set->moving[k]];
        double speed = kg_length3(surface->spin);
        bool collides = !surface->material.sensor;
        if (collides && speed > fastest && is_met(world, surface, dt)) fastest = speed;
    }
    return fastest * dt / turn;
}

/* Number of substeps, not rounded, for which g h^2 is KG_SUBSTEP_FALL smallest radii. */
static double substeps_for_gravity(const kugel_world *world, double dt)
{
    if (world->work.gravity_magnitude == 0)
        return KG_SUBSTEPS_WITHOUT_GRAVITY - 1; /* round_up_limited adds 1 */

    return substeps_for(world, dt, KG_SUBSTEP_FALL * world->work.smallest_moving_radius);
}

/* The number of substeps in the def or, if that is 0, the number that gravity requires; more if the
 * spins of surfaces require it. `*limited` is true when KG_SUBSTEPS_MAX limits it. */
static int32_t nominal_substeps(const kugel_world *world, double dt, double for_spins,
                                bool *limited)
{
    int32_t given = world->def.substeps;
    *limited = false;
    if (given && !(for_spins > given)) return given;
    double wanted = given ? for_spins : kg_max(substeps_for_gravity(world, dt), for_spins);
    *limited = !(wanted < KG_SUBSTEPS_MAX);
    return round_up_limited(wanted, KG_SUBSTEPS_MAX);
}

/* True when all awake bodies rest, nothing that moves may touch one in the tick, and one sweep
 * solves their contacts. */
static bool all_rest(const kugel_world *world, double dt)
{
    const kg_contact_stage *stage = world->contact;
    if (!stage->awake_count || stage->any_moves || world->work.any_mover || world->work.any_driven)
        return false;
    for (uint32_t i = 0; i < world->bodies.count && world->surfaces.moving_count; ++i) {
        if (world->bodies.mass[i] > 0 && kg_stride_meets_moving(world, i, dt)) return false;
    }
    return kg_contact_are_independent(world, false);
}

/* The number of substeps: `most`, or fewer where bodies only collide, rest or settle. */
static int32_t reduce_substeps(kugel_world *world, double dt, double for_spins, int32_t most)
{
    kg_contact_stage *stage = world->contact;
    if (only_collides(world)) return 1;
    if (most == 1 || world->work.refinement > 1 || !stage->group_count ||
        world->def.bounce_threshold == 0)
        return most;
    stage->awake_count = stage->fast_count = 0,
    stage->any_own_acceleration = stage->any_moves = false;
    kg_for_bodies(world, count_fast_range, dt);
    if (stage->any_own_acceleration || stage->on_mover ||
        (stage->awake_count < KG_SETTLED_BODIES_MIN && !all_rest(world, dt)))
        return most;
    for (size_t k = 0; k < sizeof settled_levels / sizeof *settled_levels; ++k) {
        if ((uint64_t)stage->fast_count * settled_levels[k].share > stage->awake_count) continue;
        double path = settled_levels[k].fall * world->work.smallest_moving_radius;
        return round_up_limited(kg_max(substeps_for(world, dt, path), for_spins), most);
    }
    return most;
}

void kg_contact_choose_substeps(kugel_world *world, double dt)
{
    kg_work *work = &world->work;
    bool limited;
    double turn = world->def.substeps ? KG_SUBSTEP_TURN_MAX : KG_SUBSTEP_TURN,
           for_spins = substeps_for_spins(world, dt, turn);
    world->contact->on_mover = any_driving_contact(world);
    int32_t most = nominal_substeps(world, dt, for_spins, &limited) * work->refinement;
    work->substeps = reduce_substeps(world, dt, for_spins, most);
    work->substeps_limited = limited && work->substeps == most;
    work->substep_length = dt / work->substeps;
    work->substep_ratio = (double)most / work->substeps;
}
