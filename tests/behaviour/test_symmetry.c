/* Symmetries: shifted origin, moving frame, mirror image, other ids, other thread counts. None
 * changes the result. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_scene.h"

typedef struct entry {
    double time, speed;
    uint32_t a, b;
    kugel_target target;
} entry;

/* The first `most` impacts of a run. */
static uint32_t first_impacts(const support_scene *scene, double dt, entry *list, uint32_t most)
{
    kugel_world *world = support_scene_world(scene);
    uint32_t n = 0;
    for (uint32_t tick = 0; tick < 5000 && n < most; ++tick) {
        support_run(world, dt, 1);
        size_t count;
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        for (size_t k = 0; k < count && n < most; ++k) {
            const kugel_impact *i = &impacts[k];
            list[n++] =
                (entry){tick * dt + i->time, i->speed, kugel_body_id(i->a),
                        i->target == KUGEL_TARGET_BODY ? kugel_body_id(i->b) : i->index, i->target};
        }
    }
    kugel_world_destroy(world);
    return n;
}

static void check_same(const entry *a, const entry *b, uint32_t n, double time_error,
                       const char *what)
{
    for (uint32_t k = 0; k < n; ++k) {
        cr_assert(a[k].a == b[k].a && a[k].b == b[k].b && a[k].target == b[k].target &&
                      fabs(a[k].time - b[k].time) <= time_error,
                  "%s: impact %u is %u with %u at %.15g, was %u with %u at %.15g", what, k, b[k].a,
                  b[k].b, b[k].time, a[k].a, a[k].b, a[k].time);
    }
}

/* Positions and velocities on a grid of 2^-24: exactly the same numbers near the origin and at 2^20
 * m. */
static void round_places(support_scene *scene)
{
    for (uint32_t i = 0; i < scene->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            scene->bodies[i].position[k] = rint(scene->bodies[i].position[k] * 0x1p24) * 0x1p-24;
            scene->bodies[i].velocity[k] = rint(scene->bodies[i].velocity[k] * 0x1p24) * 0x1p-24;
        }
    }
}

static support_scene mixture(kugel_face face, support_random *random)
{
    support_mix mix = {.count = 64,
                       .length = 5,
                       .radius = {0.3, 0.55},
                       .mass = {0.2, 3},
                       .sigma = 2,
                       .face = face};
    support_scene scene = support_scene_mixed(&mix, random);
    round_places(&scene);
    return scene;
}

/* At 1,048,576 m positions have a resolution of 1.2e-10 m, a million times coarser than near the
 * origin. Errors can grow by 4 decades until 1e-6 s, instead of 10 decades near the origin. So 100
 * of the 400 to 620 impacts of test_oracle.c are compared. */
Test(symmetry, a_million_metres_from_the_origin)
{
    enum { IMPACTS = 100 };
    static const kugel_face faces[2] = {KUGEL_FACE_PERIODIC, KUGEL_FACE_WALL};
    support_random random = support_random_start("symmetry/far", 500);
    for (int k = 0; k < 2; ++k) {
        support_scene scene = mixture(faces[k], &random);
        entry near[IMPACTS], far[IMPACTS];
        cr_assert_eq(first_impacts(&scene, 1 / 60., near, IMPACTS), IMPACTS);
        support_scene_shift(&scene, (double[3]){0x1p20, -0x1p20, 0x1p20});
        cr_assert_eq(first_impacts(&scene, 1 / 60., far, IMPACTS), IMPACTS);
        check_same(near, far, IMPACTS, 1e-6, "2^20 m away");
        support_scene_free(&scene);
    }
}

/* A moving frame adds only rounding of 1e-16 times 10 m/s, so nearly as many impacts as in
 * test_oracle.c are equal. */
Test(symmetry, a_moving_frame_has_the_same_impacts)
{
    enum { IMPACTS = 300 };
    support_random random = support_random_start("symmetry/drift", 501);
    support_scene scene = mixture(KUGEL_FACE_PERIODIC, &random);
    entry still[IMPACTS], drifting[IMPACTS];
    cr_assert_eq(first_impacts(&scene, 1 / 60., still, IMPACTS), IMPACTS);
    for (uint32_t i = 0; i < scene.count; ++i) {
        static const double drift[3] = {7, -3, 11};
        for (int k = 0; k < 3; ++k) scene.bodies[i].velocity[k] += drift[k];
    }
    cr_assert_eq(first_impacts(&scene, 1 / 60., drifting, IMPACTS), IMPACTS);
    check_same(still, drifting, IMPACTS, 1e-6, "with a drift velocity");
    support_scene_free(&scene);
}

/* Add a body and its mirror image across the plane of `axis` to two scenes; the image has the
 * opposite spin about the other axes. */
static void add_mirrored(support_scene scenes[2], int axis, const kugel_body_def *def)
{
    for (int side = 0; side < 2; ++side) {
        kugel_body_def *to =
            support_scene_add(&scenes[side], def->position, def->velocity, def->radius, def->mass);
        *to = *def;
        for (int k = 0; k < 3 && side; ++k) {
            if (k == axis) to->position[k] = -to->position[k], to->velocity[k] = -to->velocity[k];
            else to->spin[k] = -to->spin[k];
        }
    }
}

/* Two scenes that are mirror images across the plane of `axis` have mirrored bits in each tick. */
static void stay_mirrored(support_scene scenes[2], int axis, int ticks, const char *what)
{
    kugel_world *world[2] = {support_scene_world(&scenes[0]), support_scene_world(&scenes[1])};
    for (int tick = 0; tick < ticks; ++tick) {
        for (int side = 0; side < 2; ++side) support_run(world[side], 1 / 60., 1);
        for (uint32_t i = 0; i < scenes[0].count; ++i) {
            kugel_body_state s, t;
            support_state(world[0], i, &s), support_state(world[1], i, &t);
            for (int k = 0; k < 3; ++k) {
                double sign = k == axis ? -1 : 1;
                cr_assert(s.position[k] == sign * t.position[k] &&
                              s.velocity[k] == sign * t.velocity[k] &&
                              s.spin[k] == -sign * t.spin[k] && s.asleep == t.asleep,
                          "%s, tick %d, body %u, axis %d: %.17g and %.17g", what, tick, i, k,
                          s.position[k], t.position[k]);
            }
        }
    }
    for (int side = 0; side < 2; ++side) {
        kugel_world_destroy(world[side]);
        support_scene_free(&scenes[side]);
    }
}

/* A billiard break on cloth at the defaults: 15 balls, a table with cushions. */
Test(symmetry, the_mirror_image_of_a_break_has_its_bits)
{
    static const double restitution[3] = {0.95, 0.5, 0}, r = 0.0286, apart[2] = {0, 1e-4};
    support_random random = support_random_start("symmetry/table", 503);
    for (int trial = 0; trial < 12; ++trial) {
        support_scene scenes[2];
        double gap = apart[trial & 1], speed = support_between(&random, 2, 8);
        kugel_body_def def = kugel_body_def_default();
        def.radius = r, def.mass = 0.17, def.restitution = restitution[trial % 3];
        def.friction = 0.2, def.rolling_resistance = 0.01;
        for (int side = 0; side < 2; ++side) {
            scenes[side] = (support_scene){.def = kugel_world_def_default()};
            kugel_bounds *bounds = &scenes[side].def.bounds;
            const double half[3] = {1.27, 0.635, 1};
            for (int k = 0; k < 3; ++k)
                bounds->min[k] = k < 2 ? -half[k] : 0, bounds->max[k] = half[k];
            for (int k = 0; k < 5; ++k) bounds->faces[k] = KUGEL_FACE_WALL;
            scenes[side].def.gravity[2] = -9.81;
        }
        def.position[0] = -0.635, def.position[1] = support_between(&random, -0.1, 0.1);
        def.position[2] = r;
        def.velocity[0] = speed, def.velocity[1] = -speed * def.position[1] / 1.27;
        add_mirrored(scenes, 1, &def);
        def.velocity[0] = def.velocity[1] = 0;
        for (int row = 0; row < 5; ++row) {
            for (int k = 0; k <= row; ++k) {
                def.position[0] = 0.635 + row * (2 * r + gap) * 0.8660254037844387 +
                                  gap * support_between(&random, 0, 0.1);
                def.position[1] = (k - 0.5 * row) * (2 * r + gap);
                add_mirrored(scenes, 1, &def);
            }
        }
        stay_mirrored(scenes, 1, 180, "break");
    }
}

/* Heaps of up to 60 balls of several sizes, which have at most 256 resting contacts: they fall into
 * a box, mirrored along each axis. */
Test(symmetry, the_mirror_image_of_a_heap_has_its_bits)
{
    support_random random = support_random_start("symmetry/heap", 504);
    for (int trial = 0; trial < 12; ++trial) {
        support_scene scenes[2];
        int axis = trial % 3, down = (axis + 1) % 3;
        for (int side = 0; side < 2; ++side) {
            scenes[side] = (support_scene){.def = kugel_world_def_default()};
            kugel_bounds *bounds = &scenes[side].def.bounds;
            for (int k = 0; k < 3; ++k) bounds->min[k] = -2, bounds->max[k] = 2;
            bounds->min[down] = 0, bounds->max[down] = 40;
            for (int k = 0; k < 6; ++k) bounds->faces[k] = KUGEL_FACE_WALL;
            scenes[side].def.gravity[down] = -9.81;
        }
        kugel_body_def def = kugel_body_def_default();
        def.restitution = support_below(&random, 3) * 0.4;
        uint32_t count = 10 + support_below(&random, 50);
        for (uint32_t i = 0; i < count; ++i) {
            def.radius = support_between(&random, 0.3, 0.5);
            for (int k = 0; k < 3; ++k) {
                def.position[k] = support_between(&random, -1.4, 1.4);
                def.velocity[k] = support_between(&random, -1, 1);
                def.spin[k] = support_between(&random, -3, 3);
            }
            def.position[down] = 0.6 + 0.6 * i;
            add_mirrored(scenes, axis, &def);
        }
        stay_mirrored(scenes, axis, 240, "heap");
    }
}

/* Two cue balls hit a rack that is its own mirror image across y = 0; body 2k + 1 mirrors 2k.
 * Negation is exact, so both halves keep the same numbers; 1e-12 allows for another order of
 * sums. */
Test(symmetry, a_mirrored_break_stays_mirrored)
{
    support_random random = support_random_start("symmetry/mirror", 502);
    support_scene scene = support_scene_start();
    for (int side = 1; side >= -1; side -= 2) {
        support_scene_add(&scene, (double[3]){-6, side * 1.2, 0.05},
                          (double[3]){10, side * -0.1, 0}, 0.5, 1);
    }
    for (int layer = 0; layer < 3; ++layer) {
        for (int row = 0; row < 4; ++row) {
            for (int k = 0; k < 3; ++k) {
                double x = row * 1.002 + support_between(&random, -1e-4, 1e-4),
                       y = 0.501 + k * 1.002, z = (layer - 1) * 1.002;
                support_scene_add(&scene, (double[3]){x, y, z}, NULL, 0.5, 1);
                support_scene_add(&scene, (double[3]){x, -y, z}, NULL, 0.5, 1);
            }
        }
    }
    kugel_world *world = support_scene_world(&scene);
    for (int tick = 0; tick < 120; ++tick) {
        support_run(world, 1 / 60., 1);
        for (uint32_t i = 0; i < scene.count; i += 2) {
            kugel_body_state a, b;
            support_state(world, i, &a);
            support_state(world, i + 1, &b);
            double error = fabs(a.position[0] - b.position[0]) +
                           fabs(a.position[1] + b.position[1]) +
                           fabs(a.position[2] - b.position[2]);
            cr_assert(error <= 1e-12, "tick %d: bodies %u and %u are off by %g m", tick, i, i + 1,
                      error);
        }
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert(stats.impacts_total > 30, "only %g impacts", (double)stats.impacts_total);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A cue ball on the mirror plane hits a billiard rack with gaps: balls on the plane meet two
 * neighbours simultaneously. Body `mirror[i]` mirrors i bit for bit. */
Test(symmetry, a_break_on_the_mirror_plane_stays_mirrored)
{
    support_scene scene = support_scene_start();
    uint32_t mirror[64], impacts_on_plane = 0;
    support_scene_box(&scene, 10, KUGEL_FACE_WALL);
    support_scene_shift(&scene, (double[3]){-5, -5, -5});
    support_scene_add(&scene, (double[3]){-4, 0, 0}, (double[3]){10, 0, 0}, 0.5, 1);
    mirror[0] = 0;
    for (int row = 0; row < 6; ++row) {
        for (int k = 0; k <= row; ++k) {
            double y = (2 * k - row) * 0.5005, x = row * 0.867;
            mirror[scene.count] = scene.count - (uint32_t)k + (uint32_t)(row - k);
            support_scene_add(&scene, (double[3]){x, y, 0}, NULL, 0.5, 1);
        }
    }
    kugel_world *world = support_scene_world(&scene);
    for (int tick = 0; tick < 600; ++tick) {
        support_run(world, 1 / 60., 1);
        size_t count;
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        for (size_t k = 1; k < count; ++k) {
            uint32_t a = kugel_body_id(impacts[k].a), b = impacts[k].index;
            bool on_plane = mirror[a] == a || mirror[b] == b;
            impacts_on_plane += on_plane && impacts[k].time == impacts[k - 1].time;
        }
        for (uint32_t i = 0; i < scene.count; ++i) {
            kugel_body_state a, b;
            support_state(world, i, &a);
            support_state(world, mirror[i], &b);
            cr_assert(a.position[0] == b.position[0] && a.position[1] == -b.position[1],
                      "tick %d: %u at %.17g %.17g, %u at %.17g %.17g", tick, i, a.position[0],
                      a.position[1], mirror[i], b.position[0], b.position[1]);
        }
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert(impacts_on_plane >= 1 && stats.impacts_total > 50, "%u at one instant of %g impacts",
              impacts_on_plane, (double)stats.impacts_total);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

static support_scene pile(uint32_t count, support_random *random)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 6, KUGEL_FACE_WALL);
    scene.def.bounds.faces[5] = KUGEL_FACE_OPEN;
    scene.def.bounds.restitution = 0, scene.def.bounds.friction = 0.5;
    scene.def.gravity[2] = -9.81;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at[3] = {i % 5, i / 5 % 5, i / 25};
        double x[3];
        for (int k = 0; k < 3; ++k) x[k] = 0.7 + 1.1 * at[k] + support_between(random, -0.04, 0.04);
        kugel_body_def *def = support_scene_add(&scene, x, NULL, 0.5, 1);
        def->restitution = 0.1, def->friction = 0.5;
    }
    return scene;
}

static void empty_ids(kugel_world *world, const support_scene *scene, uint32_t end)
{
    kugel_body_def def = scene->bodies[0];
    for (uint32_t k = 0; k < end; ++k) cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    for (uint32_t k = 0; k < end; ++k)
        cr_assert_eq(kugel_body_destroy(world, kugel_world_body(world, k)), KUGEL_OK);
}

/* Compares a scene with the same scene under other ids: dummy bodies take the low ids and are
 * destroyed after the bodies are created. */
static void check_renamed(const support_scene *scene, uint32_t ticks, uint32_t shift, bool turned)
{
    uint32_t n = scene->count;
    kugel_world *plain = support_scene_world(scene), *other = NULL;
    kugel_body *name = malloc(n * sizeof *name), *dummy = malloc((shift + 1) * sizeof *dummy);
    cr_assert_eq(kugel_world_create(&scene->def, &other), KUGEL_OK);
    empty_ids(other, scene, 7); /* also other generations and another history of slots */
    for (uint32_t k = 0; k < shift; ++k)
        cr_assert_eq(kugel_body_create(other, &scene->bodies[0], &dummy[k]), KUGEL_OK);
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t row = turned ? n - 1 - k : k;
        cr_assert_eq(kugel_body_create(other, &scene->bodies[row], &name[row]), KUGEL_OK);
    }
    for (uint32_t k = 0; k < shift; ++k)
        cr_assert_eq(kugel_body_destroy(other, dummy[k]), KUGEL_OK);
    for (uint32_t tick = 0; tick < ticks; ++tick) {
        support_run(plain, 1 / 60., 1);
        support_run(other, 1 / 60., 1);
        for (uint32_t i = 0; i < n; ++i) {
            kugel_body_state a, b;
            support_state(plain, i, &a);
            cr_assert_eq(kugel_body_get(other, name[i], &b), KUGEL_OK);
            bool same = !memcmp(a.position, b.position, sizeof a.position) &&
                        !memcmp(a.velocity, b.velocity, sizeof a.velocity) &&
                        !memcmp(a.spin, b.spin, sizeof a.spin);
            cr_assert(same, "body %u by another name is at %.17g, was at %.17g (x), tick %u", i,
                      b.position[0], a.position[0], tick);
        }
    }
    free(name), free(dummy);
    kugel_world_destroy(plain);
    kugel_world_destroy(other);
}

Test(symmetry, ids_do_not_matter)
{
    support_random random = support_random_start("symmetry/names", 503);
    support_scene gas = support_scene_gas(4, 0.25, KUGEL_FACE_WALL, 3, &random),
                  heap = pile(100, &random);
    for (uint32_t i = 0; i < gas.count; ++i)
        gas.bodies[i].friction = 0.3, gas.bodies[i].restitution = 0.95;
    check_renamed(&gas, 120, 13, false);
    check_renamed(&gas, 120, 13, true); /* without ties the order of ids does not matter either */
    check_renamed(&heap, 120, 13, false);
    support_scene_free(&gas);
    support_scene_free(&heap);
}

static void check_hashes(const support_scene *scene, uint32_t ticks)
{
    static const uint32_t threads[5] = {1, 1, 2, 3, 7};
    uint64_t *hash = malloc(ticks * sizeof *hash);
    for (int run = 0; run < 5; ++run) {
        support_scene copy = *scene;
        copy.def.tasks.threads = threads[run];
        kugel_world *world = support_scene_world(&copy);
        for (uint32_t tick = 0; tick < ticks; ++tick) {
            support_run(world, 1 / 60., 1);
            uint64_t now = kugel_world_hash(world);
            if (run == 0) hash[tick] = now;
            cr_assert_eq(now, hash[tick], "run %d with %u threads differs from tick %u on", run,
                         threads[run], tick);
            cr_assert(run > 0 || tick == 0 || now != hash[tick - 1],
                      "the hash does not see motion");
        }
        kugel_world_destroy(world);
    }
    free(hash);
}

Test(symmetry, two_runs_and_any_threads_have_the_same_hashes)
{
    support_random random = support_random_start("symmetry/hashes", 504);
    support_scene gas = support_scene_gas(7, 0.3, KUGEL_FACE_PERIODIC, 4, &random),
                  heap = pile(200, &random);
    check_hashes(&gas, 60);
    check_hashes(&heap, 60);
    support_scene_free(&gas);
    support_scene_free(&heap);
}
