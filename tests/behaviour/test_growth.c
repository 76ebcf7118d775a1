/* Growth of radii (kugel_world_set_growth): closed forms of single impacts; impacts of random gases
 * against a search over all pairs that shares no code with the engine; no overlap after any tick;
 * the same bits on threads and after a restore; a jammed packing; refused calls. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_sanitized.h"
#include "support/support_scene.h"

static void set_growth(kugel_world *world, double growth)
{
    cr_assert_eq(kugel_world_set_growth(world, growth), KUGEL_OK);
}

static kugel_impact only_impact(const kugel_world *world)
{
    size_t count;
    const kugel_impact *impact = kugel_world_impact_events(world, &count);
    cr_assert_eq(count, 1);
    return *impact;
}

/* A ball of restitution e at x with velocity v along x. */
static kugel_body_def *add_ball(support_scene *scene, double x, double v, double radius, double e)
{
    kugel_body_def *body =
        support_scene_add(scene, (double[3]){x, 0, 0}, (double[3]){v, 0, 0}, radius, 1 + radius);
    body->restitution = e;
    return body;
}

static double velocity(const kugel_world *world, uint32_t id)
{
    kugel_body_state state;
    support_state(world, id, &state);
    return state.velocity[0];
}

/* The surfaces of two balls approach at v + G, G = growth (r1 + r2): they touch after the gap over
 * that speed, and leave at e times it. A few roundings. */
static void check_two(double v, double e, double growth)
{
    const double r1 = 0.5, r2 = 0.3, gap = 0.1, speed = v + growth * (r1 + r2), dt = 0.15,
                 m1 = 1 + r1, m2 = 1 + r2;
    support_scene scene = support_scene_start();
    add_ball(&scene, 0, 0, r1, e), add_ball(&scene, r1 + r2 + gap, -v, r2, e);
    kugel_world *world = support_scene_world(&scene);
    set_growth(world, growth);
    support_run(world, dt, 1);
    kugel_impact hit = only_impact(world);
    cr_expect_float_eq(hit.time, gap / speed, 1e-15);
    cr_expect_float_eq(hit.speed, speed, 1e-14);
    cr_expect_float_eq(hit.point[0], r1 * (1 + growth * hit.time), 1e-15);
    cr_expect_float_eq(hit.impulse, (1 + e) * speed * m1 * m2 / (m1 + m2), 1e-14);
    double parting = velocity(world, 1) - velocity(world, 0);
    cr_expect_float_eq(parting, e * speed + growth * (r1 + r2), 1e-14);
    cr_expect_float_eq(m1 * velocity(world, 0) + m2 * velocity(world, 1), -m2 * v, 1e-14);
    kugel_body_state state;
    support_state(world, 1, &state);
    cr_expect_float_eq(state.radius, r2 * (1 + growth * dt), 1e-15);
    cr_expect_eq(state.mass, m2);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Also balls that part more slowly than they grow. */
Test(growth, two_balls)
{
    check_two(1, 1, 0.2), check_two(1, 0.5, 0.2), check_two(0, 1, 1.5), check_two(-0.3, 0.8, 2);
    check_two(1, 1, 0);
}

/* As two balls, but one is static or kinematic and does not grow. */
static void check_unlike(kugel_body_type type, double v)
{
    const double growth = 0.5, r = 0.4, speed = 1 + v + growth * r;
    support_scene scene = support_scene_start();
    kugel_body_def *still = add_ball(&scene, 0, v, 0.5, 0.9);
    still->type = type;
    add_ball(&scene, 1.0, -1, r, 0.9);
    kugel_world *world = support_scene_world(&scene);
    set_growth(world, growth);
    support_run(world, 0.2, 1);
    cr_expect_float_eq(only_impact(world).time, 0.1 / speed, 1e-15);
    cr_expect_float_eq(velocity(world, 1) - v, 0.9 * speed + growth * r, 1e-14);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(growth, immovable_balls_do_not_grow)
{
    check_unlike(KUGEL_STATIC, 0), check_unlike(KUGEL_KINEMATIC, 0.3);
}

/* A ball at rest between two walls 2 apart, of which one may be a plane: it touches both when its
 * radius is 1. Off the middle it touches one first, leaves it at (1 + e) G, and so on: the times of
 * all impacts follow from the gaps, in a loop. */
static void check_walls(bool plane, double e)
{
    const double growth = 0.4, r = 0.5, dt = 2.4, G = growth * r;
    support_scene scene = support_scene_start();
    scene.def.bounds.max[0] = plane ? 100 : 2, scene.def.bounds.restitution = e;
    scene.def.bounds.faces[0] = scene.def.bounds.faces[1] = KUGEL_FACE_WALL;
    add_ball(&scene, 0.8, 0, r, e);
    kugel_world *world = support_scene_world(&scene);
    if (plane) {
        kugel_surface_def wall = kugel_surface_def_default();
        wall.shape = KUGEL_SURFACE_PLANE, wall.position[0] = 2;
        wall.rotation[1] = -sqrt(0.5), wall.rotation[3] = sqrt(0.5); /* normal -x */
        wall.restitution = e;
        cr_assert_eq(kugel_surface_create(world, &wall, NULL), KUGEL_OK);
    }
    set_growth(world, growth);
    support_run(world, dt, 1);
    size_t count, n = 0;
    const kugel_impact *hits = kugel_world_impact_events(world, &count);
    double t = 0, x = 0.8, v = 0;
    for (;; ++n) {
        double low = (x - r - G * t) / (G - v), high = (2 - x - r - G * t) / (G + v);
        bool left = G - v > 0 && (high < 0 || G + v <= 0 || low < high);
        double s = left ? low : high;
        if (!(t + s < dt)) break;
        t += s, x += v * s;
        cr_assert_lt(n, count);
        cr_expect_float_eq(hits[n].time, t, 1e-13, "%zu: %.17g, not %.17g", n, hits[n].time, t);
        v = left ? G + e * (G - v) : -G - e * (G + v);
    }
    cr_expect_eq(n, count, "%zu, not %zu", count, n);
    cr_expect_geq(n, 3);
    cr_expect_float_eq(velocity(world, 0), v, 1e-12);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(growth, between_walls) { check_walls(false, 1), check_walls(false, 0.7); }
Test(growth, between_a_wall_and_a_plane) { check_walls(true, 1), check_walls(true, 0.6); }

/* A ball falls onto a wall and onto a static ball: gap = (g t^2) / 2 + growth r t. */
Test(growth, falling_balls)
{
    const double growth = 0.3, r = 0.5, g = 10, gap = 0.2, G = growth * r,
                 t = (-G + sqrt(G * G + 2 * g * gap)) / g;
    for (int on_ball = 0; on_ball < 2; ++on_ball) {
        support_scene scene = support_scene_start();
        scene.def.gravity[0] = -g;
        scene.def.bounds.max[0] = 10;
        scene.def.bounds.faces[0] = scene.def.bounds.faces[1] =
            on_ball ? KUGEL_FACE_OPEN : KUGEL_FACE_WALL;
        if (on_ball) add_ball(&scene, -0.25, 0, 0.25, 1)->type = KUGEL_STATIC;
        add_ball(&scene, r + gap, 0, r, 1);
        scene.def.bounds.restitution = 1;
        kugel_world *world = support_scene_world(&scene);
        set_growth(world, growth);
        support_run(world, 0.25, 1);
        kugel_impact hit = only_impact(world);
        cr_expect_float_eq(hit.time, t, 1e-15);
        cr_expect_float_eq(hit.speed, g * t + G, 1e-13);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* The reference: straight paths of few bodies in a cube, all pairs and images at each event. */
enum { MOST = 24 };
typedef struct reference {
    uint32_t count, impacts;
    double length, growth, e;
    bool periodic;
    double x[MOST][3], v[MOST][3], r[MOST], m[MOST]; /* r: at the tick's start */
} reference;

typedef struct contact {
    double t, n[3]; /* s from now; n: from a to b */
    uint32_t a, b;  /* b == MOST: a wall */
} contact;

/* First root of |d + w t|^2 = (c + G t)^2 with a falling gap, by the quadratic formula. */
static double root(const double d[3], const double w[3], double c, double G)
{
    double A = -G * G, B = -c * G, C = -c * c;
    for (int k = 0; k < 3; ++k) A += w[k] * w[k], B += d[k] * w[k], C += d[k] * d[k];
    if (C <= 1e-13 * c * c) return B < 0 ? 0 : INFINITY; /* it touches, as after an impact */
    double D = B * B - A * C;
    if (D < 0 || (B >= 0 && A >= 0)) return INFINITY;
    return C / (-B + sqrt(D));
}

static void find_pair(const reference *s, double now, uint32_t a, uint32_t b, contact *first)
{
    double G = s->growth * (s->r[a] + s->r[b]), c = s->r[a] + s->r[b] + G * now;
    int most = s->periodic ? 1 : 0;
    for (int i = 0; i < 27; ++i) {
        int image[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        double d[3], w[3];
        if (!most && i != 13) continue;
        for (int k = 0; k < 3; ++k) {
            d[k] = s->x[b][k] - s->x[a][k];
            if (most) d[k] -= s->length * round(d[k] / s->length);
            d[k] += image[k] * s->length * most;
            w[k] = s->v[b][k] - s->v[a][k];
        }
        double t = root(d, w, c, G);
        if (!(t < first->t)) continue;
        *first = (contact){.t = t, .a = a, .b = b};
        for (int k = 0; k < 3; ++k) first->n[k] = (d[k] + w[k] * t) / (c + G * t);
    }
}

static void find_wall(const reference *s, double now, uint32_t a, contact *first)
{
    for (int face = 0; face < 6; ++face) {
        int k = face / 2, high = face % 2;
        double G = s->growth * s->r[a], x = high ? s->length - s->x[a][k] : s->x[a][k],
               u = high ? -s->v[a][k] : s->v[a][k], gap = x - s->r[a] - G * now;
        if (u >= G) continue;
        double t = gap > 1e-14 ? gap / (G - u) : 0;
        if (!(t < first->t)) continue;
        *first = (contact){.t = t, .a = a, .b = MOST};
        first->n[k] = high ? 1 : -1;
    }
}

static void collide(reference *s, const contact *c)
{
    double G = s->growth * (s->r[c->a] + (c->b < MOST ? s->r[c->b] : 0)), u = G,
           inverse = 1 / s->m[c->a] + (c->b < MOST ? 1 / s->m[c->b] : 0);
    for (int k = 0; k < 3; ++k) u += (s->v[c->a][k] - (c->b < MOST ? s->v[c->b][k] : 0)) * c->n[k];
    for (int k = 0; k < 3; ++k) {
        double impulse = (1 + s->e) * u / inverse * c->n[k];
        s->v[c->a][k] -= impulse / s->m[c->a];
        if (c->b < MOST) s->v[c->b][k] += impulse / s->m[c->b];
    }
    s->impacts += 1;
}

/* One tick. */
static void advance(reference *s, double dt)
{
    for (double now = 0;;) {
        contact first = {.t = dt - now};
        bool found = false;
        for (uint32_t a = 0; a < s->count; ++a) {
            for (uint32_t b = a + 1; b < s->count; ++b) find_pair(s, now, a, b, &first);
            if (!s->periodic) find_wall(s, now, a, &first);
        }
        found = first.t < dt - now;
        for (uint32_t a = 0; a < s->count; ++a)
            for (int k = 0; k < 3; ++k) s->x[a][k] += s->v[a][k] * first.t;
        now += first.t;
        if (!found) break;
        collide(s, &first);
    }
    for (uint32_t a = 0; a < s->count; ++a) s->r[a] *= 1 + s->growth * dt;
}

/* Errors of 1e-16 grow about tenfold an impact of a body; after two impacts each, and up to twice
 * as many of some, they are far below 1e-6. */
static void check_gas(uint64_t seed)
{
    support_random random = support_random_start("growth/gas", seed);
    support_mix mix = {.count = MOST,
                       .length = 4,
                       .radius = {0.25, 0.45},
                       .mass = {0.5, 2},
                       .sigma = support_between(&random, 0.1, 1),
                       .face = seed % 2 ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    reference s = {.count = MOST,
                   .length = mix.length,
                   .growth = support_between(&random, 0, 0.6),
                   .e = seed % 3 ? 1 : 0.8,
                   .periodic = seed % 2};
    scene.def.bounds.restitution = s.e;
    for (uint32_t i = 0; i < MOST; ++i) {
        scene.bodies[i].restitution = s.e;
        memcpy(s.x[i], scene.bodies[i].position, sizeof s.x[i]);
        memcpy(s.v[i], scene.bodies[i].velocity, sizeof s.v[i]);
        s.r[i] = scene.bodies[i].radius, s.m[i] = scene.bodies[i].mass;
    }
    kugel_world *world = support_scene_world(&scene);
    set_growth(world, s.growth);
    double dt = support_between(&random, 0.02, 0.1);
    for (int tick = 0; tick < 200 && s.impacts < MOST; ++tick) {
        support_run(world, dt, 1);
        advance(&s, dt);
        kugel_stats stats;
        kugel_world_stats(world, &stats);
        cr_assert_eq(stats.impacts_total, s.impacts, "seed %d, tick %d: %d impacts, not %d",
                     (int)seed, tick, (int)stats.impacts_total, (int)s.impacts);
        for (uint32_t i = 0; i < MOST; ++i) {
            kugel_body_state state;
            support_state(world, i, &state);
            cr_assert_float_eq(state.radius, s.r[i], 1e-14);
            for (int k = 0; k < 3; ++k) {
                double x = state.position[k] - s.x[i][k];
                if (s.periodic) x -= s.length * round(x / s.length);
                cr_assert(fabs(x) < 1e-6 && fabs(state.velocity[k] - s.v[i][k]) < 1e-6,
                          "seed %d, tick %d, body %u", (int)seed, tick, i);
            }
        }
    }
    cr_assert_geq(s.impacts, MOST);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(growth, gases_have_the_impacts_of_a_search)
{
    for (uint64_t seed = 0; seed < SUPPORT_ROUNDS(30); ++seed) check_gas(seed);
}

/* The scene's radii become those of the world, for support_worst_overlap. */
static double worst_overlap(support_scene *scene, const kugel_world *world)
{
    for (uint32_t i = 0; i < scene->count; ++i) {
        kugel_body_state state;
        support_state(world, i, &state);
        scene->bodies[i].radius = state.radius;
    }
    return support_worst_overlap(scene, world);
}

static kugel_world *clone_by_snapshot(const kugel_world *world, const support_scene *scene)
{
    size_t size;
    kugel_world *copy;
    cr_assert_eq(kugel_snapshot_save(world, true, NULL, 0, &size), KUGEL_OK);
    void *data = malloc(size);
    cr_assert_eq(kugel_snapshot_save(world, true, data, size, &size), KUGEL_OK);
    kugel_world_def def = kugel_world_def_default();
    def.tasks.threads = scene->def.tasks.threads % 4 + 1;
    cr_assert_eq(kugel_world_create(&def, &copy), KUGEL_OK);
    cr_assert_eq(kugel_snapshot_restore(copy, data, size), KUGEL_OK);
    free(data);
    return copy;
}

/* Growth until a tick has 20 impacts a body. Overlaps are roundings of positions in a box of 12
 * radii, below 1e-13 radii. */
static void check_overlaps(uint64_t seed)
{
    support_random random = support_random_start("growth/overlaps", seed);
    support_mix mix = {.count = 150,
                       .length = 12,
                       .radius = {0.3, 0.8},
                       .mass = {0.5, 2},
                       .sigma = support_between(&random, 0.05, 1),
                       .face = seed % 2 ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    scene.def.tasks.threads = 1 + seed % 4;
    for (uint32_t i = 0; i < mix.count; ++i) scene.bodies[i].restitution = seed % 3 ? 1 : 0.9;
    kugel_world *world = support_scene_world(&scene), *copy = NULL;
    uint64_t before = 0;
    for (int tick = 0; tick < 400; ++tick) {
        set_growth(world, 0.2);
        if (copy) set_growth(copy, 0.2);
        if (tick == 7) copy = clone_by_snapshot(world, &scene);
        support_run(world, 0.02, 1);
        if (copy) support_run(copy, 0.02, 1);
        cr_assert(!copy || kugel_world_hash(copy) == kugel_world_hash(world), "seed %d, tick %d",
                  (int)seed, tick);
        kugel_stats stats;
        kugel_world_stats(world, &stats);
        if (stats.budgets_exhausted) break; /* an inelastic collapse */
        double worst = worst_overlap(&scene, world);
        cr_assert_lt(worst, 1e-13, "seed %d, tick %d: %g", (int)seed, tick, worst);
        if (stats.impacts_total - before > 10 * mix.count) break;
        before = stats.impacts_total;
        double t = support_kinetic_energy(world) / mix.count;
        for (kugel_world *w = world; w && t > 10; w = w == world ? copy : NULL)
            cr_assert_eq(kugel_world_set_temperature(w, 0.1), KUGEL_OK);
    }
    cr_assert_gt(scene.bodies[0].radius, 1.1 * 0.3);
    kugel_world_destroy(world), kugel_world_destroy(copy);
    support_scene_free(&scene);
}

Test(growth, no_overlap_and_the_same_bits_everywhere)
{
    for (uint64_t seed = 0; seed < SUPPORT_ROUNDS(12); ++seed) check_overlaps(seed);
}

/* Lubachevsky and Stillinger's compression: slow growth of a gas at constant temperature ends at
 * random close packing, 0.64, here from 0.635 on; without crystals it stays below 0.66. */
Test(growth, compression_jams, .timeout = 300)
{
    enum { N = 500 };
    support_random random = support_random_start("growth/jams", 5);
    support_mix mix = {.count = N,
                       .length = 10,
                       .radius = {0.45, 0.45},
                       .mass = {1, 1},
                       .sigma = 1,
                       .face = KUGEL_FACE_PERIODIC};
    support_scene scene = support_scene_mixed(&mix, &random);
    scene.def.impact_budget = 1 << 30;
    kugel_world *world = support_scene_world(&scene);
    kugel_stats stats = {0};
    uint64_t before = 0;
    double dt = 0.02;
    set_growth(world, 0.01);
    for (int tick = 0; tick < 4000 && stats.impacts_total - before < 200 * N; ++tick) {
        if (stats.impacts_total - before > 20 * N) dt *= 0.7;
        before = stats.impacts_total;
        cr_assert_eq(kugel_world_set_temperature(world, 1), KUGEL_OK);
        support_run(world, dt, 1);
        kugel_world_stats(world, &stats);
    }
    double worst = worst_overlap(&scene, world),
           packing = N * 4.0 / 3 * M_PI * pow(scene.bodies[0].radius, 3) / 1000;
    cr_expect_lt(worst, 1e-12, "overlap %g", worst);
    cr_expect(packing > 0.635 && packing < 0.66, "packing %g", packing);
    cr_expect_eq(stats.budgets_exhausted, 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* The largest overlap of a pile of 40 balls in a box that grows for two seconds, in radii. */
static double worst_of_pile(uint64_t seed, double growth)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    support_random random = support_random_start("growth/pile", seed);
    def.gravity[2] = -9.81;
    def.sleep = false;
    for (int face = 0; face < 6; ++face) def.bounds.faces[face] = KUGEL_FACE_WALL;
    for (int k = 0; k < 3; ++k) def.bounds.max[k] = k < 2 ? 5 : 100;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    support_scene scene = {.def = def};
    for (int i = 0; i < 40; ++i) {
        double x[3] = {0.5 + i % 3, 0.5 + i / 3 % 3, 0.5 + i / 9 * 0.9};
        for (int k = 0; k < 2; ++k) x[k] += support_between(&random, 0, 0.05);
        double radius = support_between(&random, 0.35, 0.4);
        kugel_body_def *body = support_scene_add(&scene, x, (double[3]){0}, radius, 1);
        body->restitution = 0.3, body->friction = 0.3;
        cr_assert_eq(kugel_body_create(world, body, NULL), KUGEL_OK);
    }
    support_run(world, 1 / 60., 120);
    set_growth(world, growth);
    double worst = 0;
    for (int tick = 0; tick < 120; ++tick) {
        support_run(world, 1 / 60., 1);
        worst = fmax(worst, worst_overlap(&scene, world));
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return worst;
}

/* At the largest rate the pile rises by 1 m/s. Overlaps stay near the slop, 1 % of the radius; up
 * to twice that where moving balls strike balls at rest. */
Test(growth, resting_bodies_grow_apart)
{
    static const double rates[] = {0, 0.01, 0.05, 0.2};
    for (uint64_t seed = 0; seed < SUPPORT_ROUNDS(3); ++seed) {
        for (int k = 0; k < 4; ++k) {
            double worst = worst_of_pile(seed, rates[k]);
            cr_expect_lt(worst, 0.02, "seed %d: %g at %g/s", (int)seed, worst, rates[k]);
        }
    }
}

static kugel_body_state state_of(const kugel_world *world, uint32_t id)
{
    kugel_body_state state;
    support_state(world, id, &state);
    return state;
}

/* A stack of balls on a wall that grows: each centre rises at the sum of the rates of the radii up
 * to it; sweeps leave 1e-4 m/s. Its height is their sum up to the slop, 1 %. When growth
 * ends the stack keeps its momentum. */
static void check_stack(uint32_t count, double growth)
{
    const double dt = 1 / 60., g = 9.81;
    support_scene scene = support_scene_start();
    scene.def.gravity[0] = -g, scene.def.sleep = false;
    scene.def.bounds.max[0] = 100, scene.def.bounds.faces[0] = KUGEL_FACE_WALL;
    double top = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double radius = 0.5 - 0.1 * i;
        add_ball(&scene, top + radius, 0, radius, 0.5), top += 2 * radius;
    }
    kugel_world *world = support_scene_world(&scene);
    support_run(world, dt, 30);
    set_growth(world, growth);
    for (int tick = 0; tick < 120; ++tick) {
        double height = 0, rise = 0;
        support_run(world, dt, 1);
        for (uint32_t i = 0; i < count; ++i) {
            kugel_body_state s = state_of(world, i);
            double rate = s.radius * growth / (1 + growth * dt);
            height += s.radius, rise += rate;
            cr_expect_float_eq(s.velocity[0], rise, 1e-4, "%g, not %g", s.velocity[0], rise);
            cr_expect_float_eq(s.position[0], height, 0.01 * height);
            height += s.radius, rise += rate;
        }
    }
    double v = velocity(world, 0), t = 0.25 * v / g;
    set_growth(world, 0);
    support_run(world, t, 1);
    cr_expect_float_eq(velocity(world, 0), v - g * t, 1e-12);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(growth, a_ball_on_a_wall_rises)
{
    check_stack(1, 0.05), check_stack(1, 0.2), check_stack(1, 1);
}
Test(growth, a_stack_rises) { check_stack(3, 0.05), check_stack(3, 0.2); }

/* Two balls that rest on each other without gravity part as their surfaces grow; their momentum
 * stays. The solve adds changes in floats. */
Test(growth, contacts_keep_momentum)
{
    const double growth = 0.3, dt = 0.01, m1 = 1.5, m2 = 1.3;
    support_scene scene = support_scene_start();
    scene.def.sleep = false;
    add_ball(&scene, 0, 0.2, 0.5, 0), add_ball(&scene, 0.81, -0.1, 0.3, 0);
    kugel_world *world = support_scene_world(&scene);
    double momentum = m1 * 0.2 - m2 * 0.1;
    support_run(world, dt, 10);
    cr_assert_float_eq(velocity(world, 1) - velocity(world, 0), 0, 1e-7);
    set_growth(world, growth);
    for (int tick = 0; tick < 20; ++tick) {
        support_run(world, dt, 1);
        kugel_body_state a = state_of(world, 0), b = state_of(world, 1);
        double rate = growth / (1 + growth * dt) * (a.radius + b.radius);
        cr_expect_float_eq(b.velocity[0] - a.velocity[0], rate, 1e-5);
        cr_expect_float_eq(m1 * a.velocity[0] + m2 * b.velocity[0], momentum, 1e-6);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(growth, is_refused_as_a_whole)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 4.1, KUGEL_FACE_PERIODIC);
    add_ball(&scene, 1, 0, 1, 1);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def surface = kugel_surface_def_default();
    kugel_surface plane, ball;
    uint64_t hash = kugel_world_hash(world);
    static const double bad[] = {-1e-9, NAN, INFINITY, 1.1e6};
    for (int k = 0; k < 4; ++k)
        cr_assert_eq(kugel_world_set_growth(world, bad[k]), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "growth");
    surface.shape = KUGEL_SURFACE_PLANE;
    cr_assert_eq(kugel_surface_create(world, &surface, &plane), KUGEL_OK);
    surface.shape = KUGEL_SURFACE_ELLIPSOID;
    surface.size[0] = surface.size[1] = surface.size[2] = 1;
    cr_assert_eq(kugel_surface_create(world, &surface, &ball), KUGEL_OK);
    cr_assert_eq(kugel_world_set_growth(world, 1), KUGEL_ERROR_STATE);
    cr_assert_eq(kugel_surface_destroy(world, ball), KUGEL_OK);
    cr_assert_eq(kugel_surface_destroy(world, plane), KUGEL_OK);
    set_growth(world, 1);
    cr_assert_neq(kugel_world_hash(world), hash);
    cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_ERROR_STATE);
    /* the period must stay above four radii */
    hash = kugel_world_hash(world);
    cr_assert_eq(kugel_world_step(world, 0.1), KUGEL_ERROR_LIMIT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "growth");
    cr_assert_eq(kugel_world_hash(world), hash);
    kugel_body_state state;
    support_state(world, 0, &state);
    cr_assert_eq(state.radius, 1);
    support_run(world, 0.02, 1);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Entries and exits of a sensor alternate, and count the bodies that are in it, while balls and
 * sensors of all types grow, rest and move. */
Test(growth, entries_and_exits_pair)
{
    support_random random = support_random_start("growth/sensors", 21);
    int events = 0;
    for (int n = 0; n < 300; ++n) {
        kugel_world_def def = kugel_world_def_default();
        kugel_world *world;
        kugel_body sensor;
        def.growth = support_below(&random, 2) ? support_between(&random, 0.02, 2) : 0;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        for (int k = 0; k < 2; ++k) {
            kugel_body_def ball = kugel_body_def_default();
            ball.type = (kugel_body_type)support_below(&random, 3);
            ball.sensor = k == 0;
            if (k == 1) ball.position[0] = 1 + support_between(&random, -0.02, 0.02);
            if (ball.type != KUGEL_STATIC && support_below(&random, 2))
                ball.velocity[0] = support_between(&random, -0.5, 0.5);
            cr_assert_eq(kugel_body_create(world, &ball, k == 0 ? &sensor : NULL), KUGEL_OK);
        }
        for (int tick = 0, inside = 0; tick < 20; ++tick) {
            size_t count, now;
            kugel_body found[2];
            cr_assert_eq(kugel_world_step(world, 0.01), KUGEL_OK);
            const kugel_sensor_event *e = kugel_world_sensor_events(world, &count);
            for (size_t k = 0; k < count; ++k) {
                cr_assert_neq(e[k].entered, inside, "world %d, tick %d", n, tick);
                inside = e[k].entered;
            }
            events += (int)count;
            cr_assert_eq(kugel_world_sensor_bodies(world, sensor, 2, found, &now), KUGEL_OK);
            cr_assert_eq((int)now, inside, "world %d, tick %d", n, tick);
        }
        kugel_world_destroy(world);
    }
    cr_expect_gt(events, 50);
}
