/* The collision law against its closed forms: geometry, restitution, friction and spin of single
 * impacts. Tolerances are some roundings (2^-53) of the terms of a sum. */
#include <criterion/criterion.h>
#include <math.h>

#include "base/vec.h"
#include "impact/collision.h"
#include "support/support_substep.h"

static const double rounding = 1e-14; /* relative: about 50 roundings */

/* Two touching bodies of random sizes, masses, velocities and spins; the second may be static. */
static support_scene pair_scene(support_random *random, bool is_static)
{
    support_scene scene = support_scene_start();
    double radius[2] = {support_between(random, 0.1, 2), support_between(random, 0.1, 2)}, n[3];
    support_direction(random, radius[0] + radius[1], n);
    for (int k = 0; k < 2; ++k) {
        double v[3];
        support_direction(random, k && is_static ? 0 : support_between(random, 0, 5), v);
        kugel_body_def *body = support_scene_add(&scene, k ? n : (double[3]){0, 0, 0}, v, radius[k],
                                                 support_between(random, 0.2, 5));
        if (k && is_static) body->type = KUGEL_STATIC;
        else support_direction(random, support_between(random, 0, 8), body->spin);
    }
    return scene;
}

/* What an impact must conserve. Angular momentum is about the contact, where the impulse acts. */
typedef struct totals {
    double energy, momentum[3], angular[2][3];
} totals;

static totals totals_of(const kugel_world *world, const kg_collision *hit)
{
    totals sum = {0};
    for (int s = 0; s < 2; ++s) {
        const kg_side *side = s ? &hit->b : &hit->a;
        if (side->inverse_mass == 0) continue;
        double mass = 1 / side->inverse_mass, inertia = 0.4 * mass * side->radius * side->radius,
               w[3], arm[3], l[3];
        const double *v = world->work.motion[side->slot].v;
        for (int k = 0; k < 3; ++k) w[k] = world->work.w[k][side->slot];
        sum.energy += 0.5 * mass * kg_dot3(v, v) + 0.5 * inertia * kg_dot3(w, w);
        kg_add_scaled3(sum.momentum, sum.momentum, mass, v);
        kg_scale3(arm, hit->normal, s ? side->radius : -side->radius); /* from the contact */
        kg_cross3(l, arm, v);
        kg_scale3(l, l, mass);
        kg_add_scaled3(sum.angular[s], l, inertia, w);
    }
    return sum;
}

/* Velocity of b's surface relative to a's at the contact. */
static void slip_of(const kugel_world *world, const kg_collision *hit, double slip[3])
{
    double velocity[2][3];
    for (int s = 0; s < 2; ++s) {
        const kg_side *side = s ? &hit->b : &hit->a;
        double w[3], arm[3], turning[3];
        for (int k = 0; k < 3; ++k) w[k] = world->work.w[k][side->slot];
        kg_scale3(arm, hit->normal, s ? -side->radius : side->radius); /* from the centre */
        kg_cross3(turning, w, arm);
        kg_add_scaled3(velocity[s], turning, 1, world->work.motion[side->slot].v);
    }
    kg_sub3(slip, velocity[1], velocity[0]);
}

/* Apply the impact law to a collision. */
static void collide(kugel_world *world, kg_collision *hit)
{
    double impulse[3], friction[3] = {0, 0, 0}, rolling[3];
    hit->impulse = kg_collision_approach_change(hit) / (hit->a.inverse_mass + hit->b.inverse_mass);
    if (kg_collision_is_rough(hit)) {
        kg_collision_friction(hit, friction, rolling);
        kg_collision_apply_spin(&world->work, hit, friction, rolling);
    }
    kg_add_scaled3(impulse, friction, hit->impulse, hit->normal);
    kg_collision_apply_impulse(&world->work, hit, impulse);
}

/* Tangential restitution from -1 to 1. */
static double beta_of(int round) { return (round / 2 % 9) / 4. - 1; }

/* Smooth: separation = e approach; momentum stays; the energy falls by m (1 - e^2) u^2 / 2 with the
 * reduced mass m; velocities across the normal stay. */
Test(collision, restitution)
{
    support_random random = support_random_start("collision/restitution", 1);
    for (int round = 0, hits = 0; hits < 300; ++round) {
        support_scene scene = pair_scene(&random, round % 3 == 2);
        double e = support_uniform(&random), loss, apart, across[3], u;
        scene.bodies[0].restitution = scene.bodies[1].restitution = e;
        kugel_world *world = support_substep_world(&scene, 1);
        kg_event event = support_pair_event(world, round & 1, !(round & 1), 0);
        kg_collision hit;
        kg_collision_from_event(world, &event, &hit);
        if (hit.approach > 0) {
            totals before = totals_of(world, &hit), after;
            const double *va = world->work.motion[hit.a.slot].v,
                         *vb = world->work.motion[hit.b.slot].v;
            double was[3], is[3], m = 1 / (hit.a.inverse_mass + hit.b.inverse_mass);
            hits += 1, u = hit.approach;
            kg_sub3(was, vb, va);
            collide(world, &hit);
            kg_sub3(is, vb, va);
            kg_sub3(across, is, was);
            after = totals_of(world, &hit);
            apart = kg_dot3(is, hit.normal);
            loss = before.energy - after.energy;
            cr_assert_float_eq(apart, e * u, 20 * rounding, "round %d: leaves at %.17g", round,
                               apart);
            cr_assert_float_eq(loss, 0.5 * m * (1 - e * e) * u * u, rounding * before.energy * 10);
            kg_add_scaled3(across, across, -kg_dot3(across, hit.normal), hit.normal);
            cr_assert_lt(kg_length3(across), 20 * rounding);
            if (hit.b.inverse_mass > 0) {
                kg_sub3(across, after.momentum, before.momentum);
                cr_assert_lt(kg_length3(across), 100 * rounding);
            }
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Rough: the tangential impulse turns the slip into -b times itself, with the tangential
 * restitution b, or is friction times the normal one, against the slip. Without restitution it
 * stops the slip. Angular momentum about the contact stays, of each body. Friction only takes
 * energy. */
Test(collision, friction)
{
    support_random random = support_random_start("collision/friction", 2);
    for (int round = 0, grips = 0, slides = 0; grips < 100 || slides < 100; ++round) {
        support_scene scene = pair_scene(&random, round % 3 == 2);
        double mu = support_between(&random, 0.01, 1), friction[3], unused[3], slip[3], rest[3];
        double b = beta_of(round);
        for (uint32_t k = 0; k < 2; ++k) {
            scene.bodies[k].friction = mu, scene.bodies[k].tangential_restitution = b;
            scene.bodies[k].restitution = round % 5 ? 0.5 : 0;
        }
        if (round % 5 == 0) b = 0;
        kugel_world *world = support_substep_world(&scene, 1);
        kg_event event = support_pair_event(world, 0, 1, 0);
        kg_collision hit;
        kg_collision_from_event(world, &event, &hit);
        if (hit.approach > 0) {
            totals before = totals_of(world, &hit), after;
            slip_of(world, &hit, slip);
            kg_add_scaled3(slip, slip, -kg_dot3(slip, hit.normal), hit.normal);
            collide(world, &hit);
            kg_collision_friction(&hit, friction, unused);
            after = totals_of(world, &hit);
            slip_of(world, &hit, rest);
            kg_add_scaled3(rest, rest, -kg_dot3(rest, hit.normal), hit.normal);
            kg_add_scaled3(rest, rest, b, slip);
            double size = kg_length3(friction), most = mu * hit.impulse;
            bool grip = size < most * (1 - rounding);
            grips += grip, slides += !grip;
            cr_assert_leq(size, most * (1 + rounding));
            cr_assert_float_eq(kg_dot3(friction, hit.normal), 0, 100 * rounding);
            cr_assert_float_eq(kg_dot3(friction, slip), -size * kg_length3(slip), 1e3 * rounding,
                               "the impulse is not against the slip");
            if (grip) cr_assert_lt(kg_length3(rest), 1e3 * rounding, "slips: %g", kg_length3(rest));
            else cr_assert_gt(kg_dot3(rest, slip), -1e3 * rounding, "friction is too large");
            for (int s = 0; s < 2; ++s) {
                kg_sub3(rest, after.angular[s], before.angular[s]);
                cr_assert_lt(kg_length3(rest), 1e3 * rounding, "body %d: by %g", s,
                             kg_length3(rest));
            }
            cr_assert_leq(after.energy, before.energy * (1 + 10 * rounding));
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* The documented closed form: a ball without spin on a floor grips if mu (1 + e) vn >= 2/7 vt and
 * keeps 5/7 of vt; else it loses mu (1 + e) vn. It rolls with w = vt / r only where it grips. */
Test(collision, oblique_bounce_off_the_floor)
{
    for (double vt = 0.25; vt < 8; vt *= 2) {
        const double e = 0.5, mu = 0.3, vn = 2, r = 0.25;
        support_scene scene = support_scene_start();
        support_scene_box(&scene, 10, KUGEL_FACE_WALL);
        scene.def.bounds.restitution = e, scene.def.bounds.friction = mu;
        kugel_body_def *body =
            support_scene_add(&scene, (double[3]){5, 5, r}, (double[3]){vt, 0, -vn}, r, 3);
        body->restitution = 0, body->friction = mu;
        kugel_world *world = support_substep_world(&scene, 1);
        kg_event event = support_boundary_event(world, 0, 4, 0);
        kg_collision hit;
        kg_collision_from_event(world, &event, &hit);
        cr_assert(hit.normal[0] == 0 && hit.normal[1] == 0 && hit.normal[2] == -1);
        cr_assert(hit.b.slot == KG_NONE && hit.boundary == 4 && hit.approach == vn);
        collide(world, &hit);
        bool grips = mu * (1 + e) * vn >= 2 / 7. * vt;
        double kept = grips ? 5 / 7. * vt : vt - mu * (1 + e) * vn;
        const double *v = world->work.motion[0].v;
        cr_assert_float_eq(v[0], kept, 8 * rounding, "vt %g: keeps %.17g of %.17g", vt, v[0], kept);
        cr_assert_float_eq(v[2], e * vn, rounding);
        double rim = world->work.w[1][0] * r; /* of the rolling spin, about +y */
        cr_assert_float_eq(rim, 2.5 * (vt - kept), 40 * rounding);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Rolling resistance and friction in one impact: each is within its limit, and below its limit it
 * turns the difference of spins or the slip into -b times those before, with the tangential
 * restitution b. At the limit it is against what is missing. With these properties both are the
 * solution, which is unique in the spins. Momentum and angular momentum of the pair stay, and
 * energy only falls. */
Test(collision, rolling_resistance)
{
    support_random random = support_random_start("collision/rolling", 5);
    int stops = 0, rolls = 0;
    for (int round = 0; stops < 100 || rolls < 100; ++round) {
        support_scene scene = pair_scene(&random, round % 3 == 2);
        double mu = round % 2 ? support_between(&random, 0.01, 1) : 0,
               c = support_between(&random, 0.01, 2), friction[3], rolling[3], slip[3], spin[3],
               slipped[3], spun[3], b = beta_of(round);
        for (uint32_t k = 0; k < 2; ++k) {
            scene.bodies[k].friction = mu, scene.bodies[k].tangential_restitution = b;
            scene.bodies[k].restitution = 0.5;
        }
        scene.bodies[round % 2].rolling_resistance = c;
        kugel_world *world = support_substep_world(&scene, 1);
        kg_event event = support_pair_event(world, 0, 1, 0);
        kg_collision hit;
        kg_collision_from_event(world, &event, &hit);
        if (hit.approach > 0) {
            totals before = totals_of(world, &hit), after;
            slip_of(world, &hit, slipped);
            kg_add_scaled3(slipped, slipped, -kg_dot3(slipped, hit.normal), hit.normal);
            for (int k = 0; k < 3; ++k)
                spun[k] = world->work.w[k][hit.b.slot] - world->work.w[k][hit.a.slot];
            collide(world, &hit);
            kg_collision_friction(&hit, friction, rolling);
            after = totals_of(world, &hit);
            slip_of(world, &hit, slip);
            kg_add_scaled3(slip, slip, -kg_dot3(slip, hit.normal), hit.normal);
            for (int k = 0; k < 3; ++k)
                spin[k] = world->work.w[k][hit.b.slot] - world->work.w[k][hit.a.slot] + b * spun[k];
            kg_add_scaled3(slip, slip, b, slipped);
            double arm = c / (1 / hit.a.radius + 1 / hit.b.radius), most = arm * hit.impulse;
            bool stop = kg_length3(rolling) < most * (1 - 1e-9);
            bool grip = kg_length3(friction) < mu * hit.impulse * (1 - 1e-9);
            stops += stop, rolls += !stop;
            cr_assert_float_eq(hit.rolling_arm, arm, rounding);
            cr_assert_leq(kg_length3(rolling), most * (1 + rounding));
            cr_assert_leq(kg_length3(friction), mu * hit.impulse * (1 + rounding));
            if (stop) cr_assert_lt(kg_length3(spin), 1e4 * rounding, "%g", kg_length3(spin));
            else cr_assert_lt(kg_dot3(spin, rolling), 1e4 * rounding, "it is too large");
            if (grip) cr_assert_lt(kg_length3(slip), 1e4 * rounding, "%g", kg_length3(slip));
            else cr_assert_lt(kg_dot3(slip, friction), 1e4 * rounding, "it is too large");
            for (int k = 0; k < 3 && hit.b.inverse_mass > 0; ++k) {
                double of_pair = after.angular[0][k] + after.angular[1][k] - before.angular[0][k] -
                                 before.angular[1][k];
                cr_assert_float_eq(of_pair, 0, 1e4 * rounding);
            }
            cr_assert_leq(after.energy, before.energy * (1 + 10 * rounding));
        }
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* A ball that rolls lands at vn with restitution e. It rolls on, and friction and resistance brake
 * it like the impulse (1 + e) m vn of a floor's force: by 5/7 c (1 + e) vn, but not beyond rest.
 * Without friction only its surface speed falls, by 5/2 c (1 + e) vn. */
Test(collision, a_ball_lands_rolling)
{
    const double e = 0.5, vt = 1, vn = 2, r = 0.25;
    for (int smooth = 0; smooth < 2; ++smooth) {
        for (double c = 0.01; c < 2; c *= 2) {
            support_scene scene = support_scene_start();
            support_scene_box(&scene, 10, KUGEL_FACE_WALL);
            scene.def.bounds.restitution = e, scene.def.bounds.friction = !smooth;
            kugel_body_def *body =
                support_scene_add(&scene, (double[3]){5, 5, r}, (double[3]){vt, 0, -vn}, r, 3);
            body->restitution = 0, body->friction = !smooth;
            body->rolling_resistance = c, body->spin[1] = vt / r;
            kugel_world *world = support_substep_world(&scene, 1);
            kg_event event = support_boundary_event(world, 0, 4, 0);
            kg_collision hit;
            kg_collision_from_event(world, &event, &hit);
            collide(world, &hit);
            double brake = (smooth ? 2.5 : 5 / 7.) * c * (1 + e) * vn,
                   rolls = brake < vt ? vt - brake : 0;
            const double *v = world->work.motion[0].v;
            cr_assert_float_eq(v[0], smooth ? vt : rolls, 1e3 * rounding, "c %g: %.17g", c, v[0]);
            cr_assert_float_eq(world->work.w[1][0] * r, rolls, 1e3 * rounding, "c %g", c);
            cr_assert_float_eq(v[2], e * vn, rounding);
            kugel_world_destroy(world);
            support_scene_free(&scene);
        }
    }
}

/* The normal points from the lower id to the higher one, or across the periodic face, with the same
 * bits from either body; +z where centres coincide. Materials: larger restitution, geometric mean
 * of friction. */
Test(collision, geometry_and_surfaces)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 10, KUGEL_FACE_PERIODIC);
    const double at[4][3] = {{0.25, 5, 5}, {9.75, 5, 5}, {5, 5, 5}, {5, 5, 5}};
    for (int k = 0; k < 4; ++k) support_scene_add(&scene, at[k], NULL, 0.5, 1);
    scene.bodies[0].restitution = 0.25, scene.bodies[0].friction = 0.5;
    scene.bodies[1].restitution = 0.75, scene.bodies[1].friction = 0.02;
    kugel_world *world = support_substep_world(&scene, 1);
    for (uint32_t turn = 0; turn < 2; ++turn) {
        kg_collision hit;
        kg_event event = support_pair_event(world, turn, !turn, 0);
        /* from body 0 the image of body 1 is one length lower: code 12; and back */
        event.b = (turn ? 0u : 1u) | (turn ? 14u : 12u) << KG_NEIGHBOUR_IMAGE_SHIFT;
        kg_collision_from_event(world, &event, &hit);
        cr_assert(hit.a.slot == 0 && hit.b.slot == 1 && hit.boundary == KG_WITH_BODY);
        cr_assert(hit.normal[0] == -1 && hit.normal[1] == 0 && hit.normal[2] == 0,
                  "normal (%g, %g, %g)", hit.normal[0], hit.normal[1], hit.normal[2]);
        cr_assert(hit.restitution == 0.75);
        cr_assert_float_eq(hit.friction, 0.1, rounding);
        event = support_pair_event(world, 2 + turn, 3 - turn, 0);
        kg_collision_from_event(world, &event, &hit);
        cr_assert(hit.normal[0] == 0 && hit.normal[1] == 0 && hit.normal[2] == 1);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
