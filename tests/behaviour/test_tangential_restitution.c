/* Tangential restitution b of rough hard spheres (Walton and Braun 1986; Lun and Savage 1987):
 * impacts with balls, walls and moving surfaces compared with closed forms, conservation, and the
 * equipartition of a gas. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"

/* Times of impact and the normal have a relative error of some roundings; the formulas multiply it
 * by less than 1e3. */
static const double tolerance = 1e-11, half_tick = 1 / 128.;
static const double betas[] = {-1, -0.5, 0, 0.25, 0.5, 1};
enum { BETAS = sizeof betas / sizeof *betas };

/* Ball `a` meets `b` in the direction n from a to b. Inverse masses are 0 for what is not moved. */
typedef struct meeting {
    double inverse_mass[2], radius[2], v[2][3], w[2][3], n[3];
    double restitution, friction, beta;
    bool slides;
} meeting;

/* Velocities and spins after the impact. J = (1 + e) m u with the reduced mass m. The tangential
 * impulse that turns the slip s into -b s is 2/7 m (1 + b) s, and at most friction J. */
static void predict(meeting *m)
{
    double per_mass = m->inverse_mass[0] + m->inverse_mass[1], u[3], surface[3], turning[3],
           slip[3];
    kg_sub3(u, m->v[1], m->v[0]);
    double along = kg_dot3(u, m->n), normal = -(1 + m->restitution) * along / per_mass;
    for (int k = 0; k < 3; ++k) surface[k] = m->w[0][k] * m->radius[0] + m->w[1][k] * m->radius[1];
    kg_cross3(turning, surface, m->n);
    for (int k = 0; k < 3; ++k) slip[k] = u[k] - along * m->n[k] - turning[k];
    double length = kg_length3(slip), size = (1 + m->beta) * length / (3.5 * per_mass), moment[3];
    m->slides = size > m->friction * normal;
    if (m->slides) size = m->friction * normal;
    for (int k = 0; k < 3; ++k) slip[k] *= length > 0 ? -size / length : 0; /* P */
    kg_cross3(moment, m->n, slip);
    for (int s = 0; s < 2; ++s) {
        double share = m->inverse_mass[s], sign = s ? share : -share;
        for (int k = 0; k < 3; ++k) {
            m->v[s][k] += sign * (normal * m->n[k] + slip[k]);
            if (share > 0) m->w[s][k] -= share / (0.4 * m->radius[s]) * moment[k];
        }
    }
}

static void expect(const kugel_world *world, uint32_t id, const meeting *m, int side,
                   const char *what)
{
    kugel_body_state s;
    support_state(world, id, &s);
    for (int k = 0; k < 3; ++k) {
        double v = s.velocity[k] - m->v[side][k], w = s.spin[k] - m->w[side][k];
        cr_assert(fabs(v) <= tolerance && fabs(m->radius[side] * w) <= tolerance,
                  "%s, b %g, axis %d: velocity off by %g, spin by %g", what, m->beta, k, v, w);
    }
}

/* Random numbers of a meeting at an approach that is no graze. */
static meeting random_meeting(support_random *random, double beta)
{
    meeting m = {.beta = beta, .restitution = support_between(random, 0.1, 1)};
    m.friction = support_below(random, 2) ? support_between(random, 0, 0.4) : 100;
    do {
        support_direction(random, 1, m.n);
        for (int s = 0; s < 2; ++s) {
            m.radius[s] = support_between(random, 0.1, 2);
            m.inverse_mass[s] = 1 / support_between(random, 0.1, 10);
            support_direction(random, support_between(random, 0, 5), m.v[s]);
            support_direction(random, support_between(random, 0, 5), m.w[s]);
        }
    } while (kg_dot3(m.v[0], m.n) - kg_dot3(m.v[1], m.n) < 1);
    return m;
}

/* A body of a meeting, placed so that it meets the point `at` after half a tick. */
static kugel_body_def *add_side(support_scene *scene, const meeting *m, int side,
                                const double at[3])
{
    double x[3];
    for (int k = 0; k < 3; ++k)
        x[k] = at[k] + (side ? 1 : -1) * m->radius[side] * m->n[k] - half_tick * m->v[side][k];
    double inverse_mass = m->inverse_mass[side];
    kugel_body_def *body = support_scene_add(scene, x, m->v[side], m->radius[side],
                                             inverse_mass > 0 ? 1 / inverse_mass : 1);
    body->restitution = m->restitution, body->friction = m->friction;
    body->tangential_restitution = m->beta;
    memcpy(body->spin, m->w[side], sizeof body->spin);
    return body;
}

/* Balls of equal and unlike masses and radii; every fourth is static, every fourth kinematic. */
Test(tangential_restitution, of_two_balls)
{
    support_random random = support_random_start("tangential_restitution/balls", 1);
    int slides = 0, grips = 0;
    for (int round = 0; round < 1200; ++round) {
        meeting m = random_meeting(&random, betas[round % BETAS]);
        int kind = round / BETAS % 4;
        if (kind == 0) m.radius[1] = m.radius[0], m.inverse_mass[1] = m.inverse_mass[0];
        if (kind >= 2) m.inverse_mass[1] = 0;
        if (kind == 2) {
            kg_sub3(m.v[0], m.v[0], m.v[1]);
            kg_set3(m.v[1], 0, 0, 0), kg_set3(m.w[1], 0, 0, 0);
        }
        support_scene scene = support_scene_start();
        add_side(&scene, &m, 0, (double[3]){1, 2, 3});
        kugel_body_def *b = add_side(&scene, &m, 1, (double[3]){1, 2, 3});
        if (kind >= 2) b->type = kind == 2 ? KUGEL_STATIC : KUGEL_KINEMATIC;
        if (round % 3 == 0) b->tangential_restitution = 0; /* that of the other counts */
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 2 * half_tick, 1);
        predict(&m);
        slides += m.slides, grips += !m.slides;
        expect(world, 0, &m, 0, "ball a"), expect(world, 1, &m, 1, "ball b");
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    cr_assert(slides > 200 && grips > 200, "%d slide, %d do not", slides, grips);
}

enum { WALL, PLANE, BELT, LIFT, MESH, CAPSULE, TARGETS };
static const char *const names[TARGETS] = {"wall", "plane", "belt", "lift", "mesh", "capsule"};

/* A target at z = 0 that has the velocity `v` where the ball meets it, and the number beta. */
static void add_target(kugel_world *world, int target, const meeting *m, double beta)
{
    static const double corners[9] = {-50, -50, 0, 50, -50, 0, 0, 50, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    kugel_surface_def def = kugel_surface_def_plane((double[3]){0, 0, 1}, 0);
    if (target == MESH || target == CAPSULE) def = kugel_surface_def_default();
    if (target == MESH) {
        def.vertices = corners, def.vertex_count = 3, def.triangles = triangle;
        def.triangle_count = 1;
    }
    if (target == CAPSULE) {
        def.shape = KUGEL_SURFACE_CAPSULE, def.size[0] = 2, def.size[2] = 0;
        def.position[2] = -2;
    }
    memcpy(target == BELT ? def.tangent_velocity : def.velocity, m->v[1], sizeof def.velocity);
    if (target != BELT)
        for (int k = 0; k < 3; ++k) def.position[k] -= half_tick * m->v[1][k];
    def.restitution = m->restitution, def.friction = m->friction;
    def.tangential_restitution = beta;
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
}

/* The number is that of the ball, of the surface, or of the table of pairs. Walls have none. */
Test(tangential_restitution, of_walls_and_surfaces)
{
    support_random random = support_random_start("tangential_restitution/targets", 2);
    for (int round = 0; round < 1800; ++round) {
        meeting m = random_meeting(&random, betas[round % BETAS]);
        int target = round / BETAS % TARGETS, giver = (int)support_below(&random, 3);
        bool moves = target == LIFT || target == MESH || target == CAPSULE;
        kg_set3(m.n, 0, 0, -1), kg_set3(m.w[1], 0, 0, 0);
        m.inverse_mass[1] = m.radius[1] = 0;
        if (!moves && target != BELT) kg_set3(m.v[1], 0, 0, 0);
        if (target == BELT) m.v[1][2] = 0;
        if (target == CAPSULE) m.v[1][0] = m.v[1][1] = 0;
        m.v[0][2] = m.v[1][2] - support_between(&random, 1, 5);
        support_scene scene = support_scene_start();
        if (target == WALL) {
            support_scene_box(&scene, 100, KUGEL_FACE_WALL);
            for (int k = 0; k < 2; ++k) scene.def.bounds.min[k] = -100;
            scene.def.bounds.restitution = m.restitution, scene.def.bounds.friction = m.friction;
            scene.def.face_kinds[4] = 2;
            if (giver == 1) giver = 0;
        }
        kugel_body_def *ball = add_side(&scene, &m, 0, (double[3]){0, 0, 0});
        if (giver) ball->tangential_restitution = 0;
        if (giver == 2) ball->kind = 2;
        kugel_world *world = support_scene_world(&scene);
        if (target != WALL) add_target(world, target, &m, giver == 1 ? m.beta : 0);
        const kugel_pair_material pair = {m.restitution, m.friction, 0, m.beta};
        if (giver == 2)
            cr_assert_eq(kugel_world_set_pair_material(world, 2, target == WALL ? 2 : 0, &pair),
                         KUGEL_OK);
        support_run(world, 2 * half_tick, 1);
        predict(&m);
        expect(world, 0, &m, 0, names[target]);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* The number of a pair, and of an overlap of signs, is that farther from 0. */
Test(tangential_restitution, of_a_pair_is_that_farther_from_0)
{
    static const double rows[][3] = {{0, 0, 0},       {0, 0.5, 0.5},   {0, -0.5, -0.5},
                                     {0.5, 0.2, 0.5}, {-1, 0.5, -1},   {-0.5, -0.25, -0.5},
                                     {1, -0.9, 1},    {0.5, -0.5, 0.5}};
    for (size_t k = 0; k < 2 * sizeof rows / sizeof *rows; ++k) {
        const double *row = rows[k / 2];
        meeting m = {{1, 0.5}, {1, 0.5}, {{1, 0.5, 0}}, {{0}}, {1, 0, 0}, 1, 10, row[2], false};
        support_scene scene = support_scene_start();
        for (int s = 0; s < 2; ++s)
            add_side(&scene, &m, s, (double[3]){0})->tangential_restitution =
                row[(k + (size_t)s) % 2];
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 2 * half_tick, 1);
        predict(&m);
        expect(world, 0, &m, 0, "first"), expect(world, 1, &m, 1, "second");
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Energy, momentum and angular momentum about the origin. */
typedef struct totals {
    double energy, turning, momentum[3], angular[3]; /* turning: the part of the energy in spins */
} totals;

static totals totals_of(const kugel_world *world, uint32_t count)
{
    totals t = {0};
    for (uint32_t id = 0; id < count; ++id) {
        kugel_body_state s;
        double moment[3];
        support_state(world, id, &s);
        double inertia = 0.4 * s.mass * s.radius * s.radius;
        kg_cross3(moment, s.position, s.velocity);
        t.turning += 0.5 * inertia * kg_dot3(s.spin, s.spin);
        t.energy += 0.5 * s.mass * kg_dot3(s.velocity, s.velocity);
        kg_add_scaled3(t.momentum, t.momentum, s.mass, s.velocity);
        for (int k = 0; k < 3; ++k) t.angular[k] += s.mass * moment[k] + inertia * s.spin[k];
    }
    t.energy += t.turning;
    return t;
}

/* A cloud of unlike balls that falls in on itself in open space. All its impacts are between two
 * bodies. */
static support_scene cloud(support_random *random)
{
    support_mix mix = {.count = 300,
                       .length = 12,
                       .radius = {0.2, 0.5},
                       .mass = {0.2, 5},
                       .sigma = 3,
                       .face = KUGEL_FACE_OPEN};
    support_scene scene = support_scene_mixed(&mix, random);
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_def *b = &scene.bodies[i];
        for (int k = 0; k < 3; ++k) b->velocity[k] += 6 - b->position[k];
        support_direction(random, support_between(random, 0, 8), b->spin);
    }
    return scene;
}

/* e = 1, b = 1 and friction that always suffices: each impact keeps energy, momentum and angular
 * momentum up to some roundings. Other numbers only lose energy, tick by tick. */
Test(tangential_restitution, conserves)
{
    support_random random = support_random_start("tangential_restitution/conserves", 3);
    uint64_t impacts = 0;
    for (int round = 0; round < 40; ++round) {
        support_scene scene = cloud(&random);
        bool perfect = round % 2;
        for (uint32_t i = 0; i < scene.count; ++i) {
            kugel_body_def *b = &scene.bodies[i];
            b->friction = perfect ? 1e6 : support_between(&random, 0, 2);
            b->tangential_restitution = perfect ? 1 : support_between(&random, -1, 1);
            if (!perfect) b->restitution = support_between(&random, 0.1, 1);
            if (!perfect && round % 4) b->rolling_resistance = support_between(&random, 0, 1);
        }
        kugel_world *world = support_scene_world(&scene);
        totals before = totals_of(world, scene.count), last = before, now;
        double reach = 0;
        for (uint32_t i = 0; i < scene.count; ++i) {
            const kugel_body_def *b = &scene.bodies[i];
            reach += b->mass * kg_length3(b->position) * kg_length3(b->velocity);
        }
        for (int tick = 0; tick < 60; ++tick, last = now) {
            support_run(world, 1 / 60., 1);
            now = totals_of(world, scene.count);
            cr_assert_leq(now.energy, last.energy * (1 + 1e-13), "round %d, tick %d", round, tick);
        }
        if (perfect)
            cr_assert_float_eq(now.energy, before.energy, 1e-12 * before.energy, "by %g",
                               now.energy / before.energy - 1);
        for (int k = 0; k < 3; ++k) {
            cr_assert_float_eq(now.momentum[k], before.momentum[k], 1e-12 * reach);
            cr_assert_float_eq(now.angular[k], before.angular[k], 1e-12 * reach);
        }
        kugel_stats stats;
        kugel_world_stats(world, &stats);
        impacts += stats.impacts_total;
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    cr_assert_gt(impacts, 10000);
}

/* A gas of perfectly rough spheres that do not spin at first: its energy comes to be in equal parts
 * in translation and rotation. The share of one of them has the standard deviation
 * 1 / (2 sqrt(3 n + 1)) = 0.013 with n = 500; the mean over 40 nearly independent times 0.002. */
Test(tangential_restitution, leads_to_equipartition)
{
    support_random random = support_random_start("tangential_restitution/gas", 4);
    support_scene scene = support_scene_gas(5, 0.2, KUGEL_FACE_PERIODIC, 1, &random);
    for (uint32_t i = 0; i < scene.count; ++i)
        scene.bodies[i].friction = 1e6, scene.bodies[i].tangential_restitution = 1;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 20., 600);
    double share = 0, energy = totals_of(world, scene.count).energy;
    for (int k = 0; k < 40; ++k) {
        support_run(world, 1 / 20., 60);
        totals now = totals_of(world, scene.count);
        cr_assert_float_eq(now.energy, energy, 1e-12 * energy);
        share += now.turning / now.energy / 40;
    }
    cr_assert_float_eq(share, 0.5, 0.01, "the share of rotation is %g", share);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Without a rebound the number has no effect: for balls of restitution 0, in a pile. */
Test(tangential_restitution, acts_where_an_impact_rebounds)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        support_random random = support_random_start("tangential_restitution/pile", 5);
        support_mix mix = {.count = 200,
                           .length = 8,
                           .radius = {0.2, 0.4},
                           .mass = {1, 2},
                           .sigma = 1,
                           .face = KUGEL_FACE_WALL};
        support_scene scene = support_scene_mixed(&mix, &random);
        scene.def.gravity[2] = -10, scene.def.bounce_threshold = KUGEL_BOUNCE_BY_SIZE;
        scene.def.bounds.restitution = 0;
        for (uint32_t i = 0; i < scene.count; ++i) {
            scene.bodies[i].restitution = 0, scene.bodies[i].friction = 0.5;
            scene.bodies[i].tangential_restitution = k ? (i % 5) / 2. - 1 : 0;
        }
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 1 / 60., 120);
        hash[k] = kugel_world_hash(world);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    cr_assert_eq(hash[0], hash[1]);
}
