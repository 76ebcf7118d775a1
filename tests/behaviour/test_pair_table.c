/* The table of pairs: impacts and resting contacts have its numbers whatever the two sides are,
 * compared with closed forms. Changes hold for contacts that exist. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_mesh.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"

static const double g = 9.81, dt = 1 / 60.;

static void set_pair(kugel_world *world, uint32_t a, uint32_t b, double restitution,
                     double friction, double rolling)
{
    const kugel_pair_material pair = {restitution, friction, rolling, 0};
    kugel_status status = kugel_world_set_pair_material(world, a, b, &pair);
    cr_assert_eq(status, KUGEL_OK, "%s", kugel_world_last_error(world)->message);
}

/* What a ball meets at x = 0 from the right. Its top or face has the normal x. */
enum { WALL, PLANE, ELLIPSOID, CAPSULE, MESH, STATIC_BALL, MOVING_BALL, TARGETS };
static const char *const names[TARGETS] = {"wall",       "plane",         "ellipsoid",    "capsule",
                                           "mesh facet", "a static ball", "a moving ball"};

/* A target of restitution 0.5, friction 0.25 and the kind. */
static void add_target(kugel_world *world, int target, uint32_t kind)
{
    static const double corners[9] = {0, -9, -9, 0, 9, -9, 0, 0, 9};
    static const uint32_t triangle[3] = {0, 1, 2};
    kugel_surface_def def = kugel_surface_def_plane((double[3]){1, 0, 0}, 0);
    if (target == ELLIPSOID || target == CAPSULE) {
        def = kugel_surface_def_default();
        def.shape = target == CAPSULE ? KUGEL_SURFACE_CAPSULE : KUGEL_SURFACE_ELLIPSOID;
        def.size[0] = 2, def.size[1] = 1, def.size[2] = 1.5;
        def.position[0] = -2;
    }
    if (target == MESH) {
        def = kugel_surface_def_default();
        def.vertices = corners, def.vertex_count = 3, def.triangles = triangle;
        def.triangle_count = 1;
    }
    def.restitution = 0.5, def.friction = 0.25, def.kind = kind;
    if (target >= PLANE && target <= MESH)
        cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    if (target < STATIC_BALL) return;
    kugel_body_def ball = kugel_body_def_default();
    ball.type = target == STATIC_BALL ? KUGEL_STATIC : KUGEL_DYNAMIC;
    ball.position[0] = -ball.radius, ball.restitution = 0.5, ball.friction = 0.25;
    ball.kind = kind;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
}

static kugel_world *make_world(int target, uint32_t kind, double bounce_threshold)
{
    kugel_world *world;
    kugel_world_def def = kugel_world_def_default();
    def.bounce_threshold = bounce_threshold;
    if (target == WALL) {
        def.bounds.faces[0] = KUGEL_FACE_WALL, def.bounds.max[0] = 100;
        def.bounds.restitution = 0.5, def.bounds.friction = 0.25, def.face_kinds[0] = kind;
        def.face_kinds[1] = 7;
    }
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    add_target(world, target, kind);
    return world;
}

static kugel_body add_ball(kugel_world *world, uint32_t kind, double x, double speed)
{
    kugel_body body;
    kugel_body_def ball = kugel_body_def_default();
    ball.radius = 0.25, ball.position[0] = x, ball.velocity[0] = speed;
    ball.restitution = 0.8, ball.friction = 0.5, ball.kind = kind;
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    return body;
}

/* Speed of separation, in approach speeds, of a ball of kind `ball` and a target of kind `other`;
 * the table has what `set` gave it. */
static double rebound(int target, uint32_t ball, uint32_t other, double bounce_threshold,
                      void (*set)(kugel_world *world))
{
    kugel_world *world = make_world(target, other, bounce_threshold);
    kugel_body body = add_ball(world, ball, 1, -3);
    kugel_body_state s, t = {0};
    if (set) set(world);
    support_run(world, 1 / 16., 8);
    cr_assert_eq(kugel_body_get(world, body, &s), KUGEL_OK);
    if (target == MOVING_BALL) support_state(world, 0, &t);
    kugel_world_destroy(world);
    return (s.velocity[0] - t.velocity[0]) / 3;
}

static void set_three(kugel_world *world)
{
    set_pair(world, 2, 5, 0.3, 0, 0);
    set_pair(world, 5, 5, 1, 0, 0);
    set_pair(world, 63, 0, 0.65, 0, 0);
}

/* e of the table for its pairs in any order; the larger of 0.8 and 0.5 for others. An exact world
 * (bounce threshold 0) uses other code than one with resting contacts. */
Test(pair_table, impacts_have_the_restitution_of_their_pair)
{
    static const struct {
        uint32_t ball, target;
        double e;
    } rows[] = {{2, 5, 0.3}, {5, 2, 0.3}, {5, 5, 1},    {63, 0, 0.65}, {0, 63, 0.65},
                {2, 2, 0.8}, {0, 0, 0.8}, {2, 63, 0.8}, {62, 0, 0.8}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        for (int target = 0; target < TARGETS; ++target) {
            for (int exact = 0; exact < 2; ++exact) {
                double e = rebound(target, rows[k].ball, rows[k].target,
                                   exact ? 0 : KUGEL_BOUNCE_BY_SIZE, set_three);
                cr_assert_float_eq(e, rows[k].e, 1e-12, "%s, kinds %u and %u: %.17g, not %g",
                                   names[target], rows[k].ball, rows[k].target, e, rows[k].e);
            }
        }
    }
}

static void set_and_remove(kugel_world *world)
{
    set_three(world);
    cr_assert_eq(kugel_world_set_pair_material(world, 5, 2, NULL), KUGEL_OK);
    cr_assert_eq(kugel_world_set_pair_material(world, 1, 2, NULL), KUGEL_OK); /* it has none */
}

Test(pair_table, a_removed_pair_has_the_rule_again)
{
    for (int target = 0; target < TARGETS; ++target) {
        double before = rebound(target, 2, 5, KUGEL_BOUNCE_BY_SIZE, NULL),
               after = rebound(target, 2, 5, KUGEL_BOUNCE_BY_SIZE, set_and_remove),
               other = rebound(target, 5, 5, KUGEL_BOUNCE_BY_SIZE, set_and_remove);
        cr_assert_eq(before, after, "%s", names[target]);
        cr_assert_float_eq(other, 1, 1e-12, "%s", names[target]);
    }
}

/* A ball that falls from the height h rises to e^2 h. */
Test(pair_table, a_ball_rises_to_e2_of_its_height)
{
    static const double e[] = {0.9, 0.6, 0.45};
    for (uint32_t k = 0; k < 3; ++k) {
        kugel_world *world;
        kugel_world_def def = kugel_world_def_default();
        kugel_body_def ball = kugel_body_def_default();
        double highest = 0;
        def.gravity[2] = -g, def.bounds.faces[4] = KUGEL_FACE_WALL, def.bounds.max[2] = 100;
        def.face_kinds[4] = 3;
        ball.kind = k, ball.radius = 0.1, ball.position[2] = 2 + ball.radius, ball.restitution = 1;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        for (uint32_t j = 0; j < 3; ++j) set_pair(world, 3, j, e[j], 0, 0);
        bool rises = false;
        for (int tick = 0; tick < 2000; ++tick) {
            kugel_body_state s;
            support_run(world, 1e-3, 1);
            support_state(world, 0, &s);
            rises = rises || s.velocity[2] > 0;
            if (rises && s.velocity[2] <= 0) break;
            if (rises) highest = fmax(highest, s.position[2] - ball.radius);
        }
        /* within half a tick of the top: g dt^2 / 8 and the last whole tick */
        cr_assert_float_eq(highest, e[k] * e[k] * 2, g * 1e-6, "%g: %.9g m", e[k], highest);
        kugel_world_destroy(world);
    }
}

/* A world whose gravity is tilted by `angle` about a floor at z = 0, with a ball at rest on it. */
static kugel_world *slope(int target, double angle, uint32_t floor, uint32_t kind)
{
    kugel_world *world;
    kugel_world_def def = kugel_world_def_default();
    def.gravity[0] = g * sin(angle), def.gravity[2] = -g * cos(angle);
    if (target == WALL) {
        def.bounds.faces[4] = KUGEL_FACE_WALL, def.bounds.max[2] = 100;
        def.face_kinds[4] = floor;
    }
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    support_random random = support_random_start("pair_table/slope", 1);
    support_mesh mesh = support_mesh_floor(40, 60, 0, &random);
    kugel_surface_def surface =
        target == MESH ? support_mesh_def(&mesh) : kugel_surface_def_plane((double[3]){0, 0, 1}, 0);
    surface.kind = floor;
    if (target != WALL) cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    support_mesh_free(&mesh);
    kugel_body_def ball = kugel_body_def_default();
    ball.radius = ball.position[2] = 0.25, ball.kind = kind, ball.friction = 0.5;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    return world;
}

/* Speed after a second from rest. */
static double speed_after(kugel_world *world)
{
    kugel_body_state s;
    support_run(world, dt, 60);
    support_state(world, 0, &s);
    return s.velocity[0];
}

/* Down a slope of the angle a a ball rolls with 5/7 g (sin a - c cos a), with rolling resistance c.
 * With friction below 2/7 tan a it slips, and accelerates with g (sin a - mu cos a). */
Test(pair_table, balls_on_slopes_have_the_friction_of_their_pair)
{
    const double a = 0.5;
    static const struct {
        double friction, rolling;
    } rows[] = {{0, 0}, {0.05, 0}, {0.1, 0}, {0.4, 0}, {0.8, 0.1}, {0.8, 0.3}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        for (int target = WALL; target < TARGETS; ++target) {
            if (target != WALL && target != PLANE && target != MESH) continue;
            kugel_world *world = slope(target, a, 1, 2);
            double mu = rows[k].friction, c = rows[k].rolling, slides = g * (sin(a) - mu * cos(a)),
                   rolls = 5 / 7. * g * (sin(a) - c * cos(a));
            set_pair(world, 1, 2, 0, mu, c);
            double exact = mu < 2 / 7. * tan(a) ? slides : rolls, v = speed_after(world);
            cr_assert_float_eq(v, exact, 2e-3 * exact, "%s, friction %g, rolling %g: %g, not %g",
                               names[target], mu, c, v, exact);
            kugel_world_destroy(world);
        }
    }
}

static bool is_asleep(const kugel_world *world)
{
    kugel_body_state s;
    support_state(world, 0, &s);
    return s.asleep;
}

/* Rolling resistance keeps a ball on a slope, asleep. A change of its pair wakes it, and it rolls;
 * changes of others do not. */
Test(pair_table, a_change_wakes_the_contacts_of_its_pair)
{
    const double a = 0.1;
    for (int target = WALL; target <= PLANE; ++target) {
        kugel_world *world = slope(target, a, 1, 2);
        set_pair(world, 2, 1, 0, 0.9, 0.5);
        support_run(world, dt, 120);
        cr_assert(is_asleep(world));
        set_pair(world, 1, 1, 0, 0.9, 0);
        set_pair(world, 2, 2, 0, 0.9, 0);
        cr_assert_eq(kugel_world_set_pair_material(world, 0, 2, NULL), KUGEL_OK);
        support_run(world, dt, 1);
        cr_assert(is_asleep(world), "changes of other pairs wake it");
        set_pair(world, 2, 1, 0, 0.9, 0);
        cr_assert(!is_asleep(world));
        double v = speed_after(world), exact = 5 / 7. * g * sin(a);
        cr_assert_float_eq(v, exact, 2e-3 * exact, "%s: %g, not %g", names[target], v, exact);
        cr_assert_eq(kugel_world_set_pair_material(world, 1, 2, NULL), KUGEL_OK);
        kugel_world_destroy(world);
    }
}

/* A change of kind is a change of material. */
Test(pair_table, a_change_of_kind_wakes_and_holds_at_once)
{
    const double a = 0.1, exact = 5 / 7. * g * sin(a);
    for (int of_surface = 0; of_surface < 2; ++of_surface) {
        kugel_world *world = slope(PLANE, a, 1, 2);
        set_pair(world, 2, 1, 0, 0.9, 0.5);
        set_pair(world, 2, 9, 0, 0.9, 0);
        set_pair(world, 9, 1, 0, 0.9, 0);
        support_run(world, dt, 120);
        cr_assert(is_asleep(world));
        kugel_status status = of_surface
                                  ? kugel_surface_set_kind(world, kugel_world_surface(world, 0), 9)
                                  : kugel_body_set_kind(world, kugel_world_body(world, 0), 9);
        cr_assert_eq(status, KUGEL_OK);
        double v = speed_after(world);
        cr_assert_float_eq(v, exact, 2e-3 * exact, "%g, not %g", v, exact);
        kugel_body_state s;
        kugel_surface_def def;
        support_state(world, 0, &s);
        kugel_surface_get(world, kugel_world_surface(world, 0), &def, NULL);
        cr_assert_eq(s.kind, of_surface ? 2 : 9);
        cr_assert_eq(def.kind, of_surface ? 9 : 1);
        kugel_world_destroy(world);
    }
}

static bool remember(void *user, uint64_t key, kugel_pair *pair)
{
    (void)key;
    if (pair->friction > 0) *(kugel_pair *)user = *pair;
    pair->restitution /= 2;
    return true;
}

Test(pair_table, a_pair_filter_begins_with_the_numbers_of_the_table)
{
    kugel_pair seen = {0};
    kugel_pair_filter filter = {.decide = remember, .user = &seen};
    kugel_world *world = make_world(STATIC_BALL, 4, KUGEL_BOUNCE_BY_SIZE);
    kugel_body ball = add_ball(world, 6, 1, -3);
    kugel_body_state s;
    set_pair(world, 4, 6, 0.625, 0.125, 0.75);
    cr_assert_eq(kugel_world_set_pair_filter(world, &filter), KUGEL_OK);
    support_run(world, 1 / 16., 8);
    cr_assert_eq(kugel_body_get(world, ball, &s), KUGEL_OK);
    cr_assert_eq(seen.restitution, 0.625);
    cr_assert_eq(seen.friction, 0.125);
    cr_assert_eq(seen.rolling_resistance, 0.75);
    cr_assert_float_eq(s.velocity[0], 3 * 0.3125, 1e-12);
    kugel_world_destroy(world);
}

/* A mixture with three materials between walls, on a floor. The kind of a material is its number
 * unless `plain`. `exact`: without gravity and rests. */
static support_scene mixture(bool exact, bool plain, uint32_t threads)
{
    static const double e[3] = {0.2, 0.9, 1}, f[3] = {0.4, 0.1, 0}, r[3] = {0, 0.05, 0};
    support_random random = support_random_start("pair_table/mixture", 3);
    const support_mix mix = {.count = 400,
                             .length = 14,
                             .radius = {0.2, 0.5},
                             .mass = {1, 2},
                             .sigma = 5,
                             .face = KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    if (!exact) {
        kugel_bounds bounds = scene.def.bounds;
        scene.def = kugel_world_def_default();
        scene.def.bounds = bounds, scene.def.gravity[2] = -g;
    }
    scene.def.tasks.threads = threads;
    scene.def.bounds.restitution = 0.5, scene.def.bounds.friction = 0.5;
    for (int k = 0; k < 6 && !plain; ++k) scene.def.face_kinds[k] = 3;
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_def *ball = &scene.bodies[i];
        ball->restitution = e[i % 3], ball->friction = f[i % 3];
        ball->rolling_resistance = r[i % 3];
        if (!plain) ball->kind = i % 3;
    }
    return scene;
}

static void set_by_the_rule(kugel_world *world)
{
    static const double e[4] = {0.2, 0.9, 1, 0.5}, f[4] = {0.4, 0.1, 0, 0.5}, r[4] = {0, 0.05};
    for (uint32_t a = 0; a < 4; ++a) {
        for (uint32_t b = a; b < 4; ++b)
            set_pair(world, a, b, fmax(e[a], e[b]), a == b ? f[a] : sqrt(f[a] * f[b]),
                     fmax(r[a], r[b]));
    }
}

static void expect_equal_motion(const kugel_world *p, const kugel_world *q, const char *what)
{
    for (uint32_t i = 0; i < kugel_world_body_count(p); ++i) {
        kugel_body_state s, t;
        support_state(p, i, &s), support_state(q, i, &t);
        cr_assert(memcmp(s.position, t.position, sizeof s.position) == 0 &&
                      memcmp(s.velocity, t.velocity, sizeof s.velocity) == 0 &&
                      memcmp(s.spin, t.spin, sizeof s.spin) == 0,
                  "%s: body %u differs at tick %d", what, i, (int)kugel_world_tick(p));
    }
}

/* A table that has the numbers of the rule for all pairs changes no bit, in an exact gas as in a
 * pile. So each place that combines two materials reads it alike. Nor do pairs that no two things
 * have. */
Test(pair_table, a_table_of_the_rule_changes_no_bit)
{
    for (int exact = 0; exact < 2; ++exact) {
        support_scene with = mixture(exact, false, 1), without = mixture(exact, true, 1);
        kugel_world *table = support_scene_world(&with), *rule = support_scene_world(&without),
                    *unused = support_scene_world(&without);
        set_by_the_rule(table);
        set_pair(unused, 1, 1, 0.7, 3, 2), set_pair(unused, 0, 40, 0, 3, 2);
        for (int tick = 0; tick < 120; ++tick) {
            support_run(table, dt, 1), support_run(rule, dt, 1), support_run(unused, dt, 1);
            expect_equal_motion(table, rule, exact ? "exact" : "pile");
            expect_equal_motion(unused, rule, "unused pairs");
        }
        kugel_world_destroy(table), kugel_world_destroy(rule), kugel_world_destroy(unused);
        support_scene_free(&with), support_scene_free(&without);
    }
}

static void set_random(kugel_world *world, support_random *random)
{
    uint32_t a = support_below(random, 4), b = support_below(random, 4);
    support_random aside = {random->state ^ 0x9e3779b97f4a7c15u};
    double tangential = support_below(&aside, 2) ? 0 : support_between(&aside, -1, 1);
    const kugel_pair_material pair = {support_between(random, 0, 1), support_between(random, 0, 1),
                                      support_below(random, 2) ? 0 : 0.1, tangential};
    const kugel_pair_material *given = support_below(random, 4) ? &pair : NULL;
    cr_assert_eq(kugel_world_set_pair_material(world, a, b, given), KUGEL_OK);
}

/* Random tables that change between ticks: one and three threads, a clone and a world restored
 * before each tick have the same bits. */
Test(pair_table, any_threads_clones_and_restored_worlds_have_the_same_bits)
{
    for (int exact = 0; exact < 2; ++exact) {
        support_scene scene = mixture(exact, false, 1), threaded = mixture(exact, false, 3);
        kugel_world *world = support_scene_world(&scene), *other = support_scene_world(&threaded),
                    *restored = support_scene_world(&scene), *clone;
        support_random random = support_random_start("pair_table/bits", 4);
        for (int tick = 0; tick < 120; ++tick) {
            support_random same = random, too = random;
            if (tick % 7 == 0) {
                set_random(world, &random), set_random(other, &same);
                set_random(restored, &too);
                cr_assert_eq(kugel_world_clone(restored, &clone), KUGEL_OK);
                kugel_world_destroy(restored);
                restored = clone;
            }
            support_bytes bytes = support_snapshot_of(world);
            cr_assert_eq(kugel_snapshot_restore(restored, bytes.data, bytes.size), KUGEL_OK);
            free(bytes.data);
            support_run(world, dt, 1), support_run(other, dt, 1), support_run(restored, dt, 1);
            cr_assert_eq(kugel_world_hash(world), kugel_world_hash(other), "tick %d", tick);
            cr_assert_eq(kugel_world_hash(world), kugel_world_hash(restored), "tick %d", tick);
        }
        kugel_world_destroy(world), kugel_world_destroy(other), kugel_world_destroy(restored);
        support_scene_free(&scene), support_scene_free(&threaded);
    }
}

/* A gas whose bodies lose energy by themselves, and by the table do not, keeps its energy with an
 * exact step: to rounding. One whose bodies are lossless loses it by the table. */
Test(pair_table, an_exact_gas_is_lossless_by_its_table)
{
    for (int lossless = 0; lossless < 2; ++lossless) {
        support_random random = support_random_start("pair_table/gas", 5);
        support_scene scene = support_scene_gas(4, 0.2, KUGEL_FACE_WALL, 5, &random);
        for (uint32_t i = 0; i < scene.count; ++i) {
            scene.bodies[i].restitution = lossless ? 0.3 : 1;
            scene.bodies[i].friction = lossless ? 0.3 : 0;
            scene.bodies[i].kind = 1 + i % 2;
        }
        kugel_world *world = support_scene_world(&scene);
        for (uint32_t a = 0; a < 3 && lossless; ++a) {
            for (uint32_t b = a; b < 3; ++b) set_pair(world, a, b, 1, 0, 0);
        }
        if (!lossless) set_pair(world, 1, 2, 0.9, 0, 0);
        double before = support_kinetic_energy(world);
        support_run(world, dt, 200);
        double change = support_kinetic_energy(world) / before - 1;
        if (lossless) cr_assert_float_eq(change, 0, 1e-11, "%g", change);
        else cr_assert_lt(change, -0.1, "%g", change);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* The table is state: it is hashed and saved, and differences name it. Without pairs nothing is
 * hashed. */
Test(pair_table, is_state)
{
    kugel_world *world = make_world(PLANE, 1, KUGEL_BOUNCE_BY_SIZE), *clone;
    uint64_t empty = kugel_world_hash(world), high = 0;
    support_bytes before = support_snapshot_of(world);
    set_pair(world, 40, 3, 0.5, -0.0, 1), set_pair(world, 3, 3, 1, 2, 0);
    cr_assert_neq(high = kugel_world_hash(world), empty);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    cr_assert_eq(kugel_world_hash(clone), high);
    kugel_pair_material m;
    cr_assert(kugel_world_get_pair_material(clone, 3, 40, &m));
    cr_assert(m.restitution == 0.5 && m.friction == 0 && !signbit(m.friction) &&
              m.rolling_resistance == 1);
    cr_assert(!kugel_world_get_pair_material(clone, 3, 4, &m) && m.rolling_resistance == 0);
    cr_assert(!kugel_world_get_pair_material(clone, 64, 3, NULL));
    cr_assert(kugel_world_get_pair_material(clone, 3, 3, NULL));
    set_pair(clone, 40, 3, 0.5, 0, 0.5);
    cr_assert_neq(kugel_world_hash(clone), high);
    support_bytes p = support_snapshot_of(world), q = support_snapshot_of(clone);
    kugel_divergence d;
    cr_assert(kugel_snapshot_difference(p.data, p.size, q.data, q.size, &d));
    cr_assert_str_eq(d.field, "pairs");
    cr_assert_eq(kugel_snapshot_restore(clone, p.data, p.size), KUGEL_OK);
    cr_assert_eq(kugel_world_hash(clone), high);
    cr_assert_eq(kugel_snapshot_restore(clone, before.data, before.size), KUGEL_OK);
    cr_assert_eq(kugel_world_hash(clone), empty, "a restore clears the table");
    cr_assert(!kugel_world_get_pair_material(clone, 3, 3, NULL));
    cr_assert_eq(kugel_world_set_pair_material(world, 3, 40, NULL), KUGEL_OK);
    cr_assert_eq(kugel_world_set_pair_material(world, 3, 3, NULL), KUGEL_OK);
    cr_assert_eq(kugel_world_hash(world), empty);
    free(before.data), free(p.data), free(q.data);
    kugel_world_destroy(world), kugel_world_destroy(clone);
}

static void expect_refused(kugel_world *world, kugel_status status, const char *argument,
                           const char *part)
{
    const kugel_error *error = kugel_world_last_error(world);
    cr_assert_eq(status, KUGEL_ERROR_INVALID_ARGUMENT, "%s", argument);
    cr_assert_str_eq(error->argument, argument);
    cr_assert_not_null(strstr(error->message, part), "%s", error->message);
}

/* The ranges are those of materials. */
Test(pair_table, wrong_numbers_and_kinds_are_refused)
{
    kugel_world *world = make_world(PLANE, 1, KUGEL_BOUNCE_BY_SIZE);
    kugel_body ball = add_ball(world, 1, 3, 0);
    static const struct {
        uint32_t a, b;
        kugel_pair_material m;
        const char *argument, *part;
    } rows[] = {
        {64, 0, {0}, "kind_a", "must be in [0, 63], got 64"},
        {0, UINT32_MAX, {0}, "kind_b", "must be in [0, 63], got 4294967295"},
        {0, 1, {1.5, 0, 0, 0}, "material.restitution", "must be in [0, 1], got 1.5"},
        {0, 1, {0, -1, 0, 0}, "material.friction", "must be in [0, 1000000], got -1"},
        {0, 1, {0, 0, 0, -1.5}, "material.tangential_restitution", "must be in [-1, 1], got -1.5"},
        {0, 1, {0, 0, NAN, 0}, "material.rolling_resistance", "is not a number"},
    };
    uint64_t hash = kugel_world_hash(world);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        expect_refused(world,
                       kugel_world_set_pair_material(world, rows[k].a, rows[k].b, &rows[k].m),
                       rows[k].argument, rows[k].part);
    expect_refused(world, kugel_world_set_pair_material(world, 0, 64, NULL), "kind_b", "got 64");
    expect_refused(world, kugel_body_set_kind(world, ball, 64), "kind", "got 64");
    expect_refused(world, kugel_surface_set_kind(world, kugel_world_surface(world, 0), 77), "kind",
                   "got 77");
    kugel_body_def body = kugel_body_def_default();
    body.kind = 64;
    expect_refused(world, kugel_body_create(world, &body, NULL), "def.kind", "got 64");
    kugel_surface_def surface = kugel_surface_def_plane((double[3]){1, 0, 0}, 0);
    surface.kind = 64;
    expect_refused(world, kugel_surface_create(world, &surface, NULL), "surface.kind", "got 64");
    kugel_world_def def = kugel_world_def_default();
    kugel_error error;
    def.face_kinds[5] = 100;
    cr_assert_eq(kugel_world_def_check(&def, &error), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(error.argument, "face_kinds");
    cr_assert_eq(kugel_world_hash(world), hash);
    kugel_world_destroy(world);
}
