/* Images count crossings of periodic faces, so that unwrapped positions are continuous. Steps on
 * any threads, snapshots, deltas and recordings have the same images; hashes leave images out. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "record/snapshot.h"
#include "record/support_recording.h"
#include "support/support_scene.h"

enum { MOST = 20000 };

/* Unwrapped positions of all bodies in a cube [0, length]^3. */
static uint32_t read_unwrapped(const kugel_world *world, double length, double *unwrapped)
{
    static double position[3 * MOST];
    static int32_t image[3 * MOST];
    uint32_t n = kugel_world_read_arrays(
        world, MOST, &(kugel_body_arrays){.position = position, .image = image});
    cr_assert(n <= MOST);
    for (size_t k = 0; k < 3 * (size_t)n; ++k) unwrapped[k] = position[k] + length * image[k];
    return n;
}

/* Asserts that no unwrapped position jumps: a body moves by less than half the box in a tick, but
 * an uncounted crossing is a jump by the whole box. `farthest` receives the longest path of a body
 * along an axis since the start, m. */
static void check_continuous(kugel_world *world, double length, double dt, int ticks,
                             double *farthest)
{
    static double before[3 * MOST], now[3 * MOST], first[3 * MOST];
    uint32_t n = read_unwrapped(world, length, before);
    memcpy(first, before, 3 * n * sizeof *first);
    *farthest = 0;
    for (int t = 0; t < ticks; ++t) {
        support_run(world, dt, 1);
        read_unwrapped(world, length, now);
        for (uint32_t k = 0; k < 3 * n; ++k) {
            cr_assert(fabs(now[k] - before[k]) < 0.5 * length, "tick %d, body %u, %c: %g to %g", t,
                      k / 3, "xyz"[k % 3], before[k], now[k]);
            *farthest = fmax(*farthest, fabs(now[k] - first[k]));
        }
        memcpy(before, now, sizeof before);
    }
}

/* In free flight unwrapped positions lie on a straight line, at speeds of up to 30 boxes a tick, up
 * to rounding by 1e-13 of the path. */
Test(images, straight_lines)
{
    support_scene scene = support_scene_start();
    static const double velocities[6][3] = {{1, 2, 3},   {-4, 0.5, 0}, {0, -300, 7},
                                            {0, 0, 1e3}, {-1, -1, -1}, {3000, -3000, 2900}};
    support_scene_box(&scene, 10, KUGEL_FACE_PERIODIC);
    for (int k = 0; k < 6; ++k) {
        kugel_body_def *def = support_scene_add(&scene, (const double[3]){1.5 + k, 2, 9.875 - k},
                                                velocities[k], 0.125, 1);
        def->mask = 0; /* they pass through each other */
        if (k % 2) def->type = KUGEL_KINEMATIC;
    }
    kugel_world *world = support_scene_world(&scene);
    static double now[3 * MOST];
    for (int t = 1; t <= 50; ++t) {
        support_run(world, 0.1, 1);
        read_unwrapped(world, 10, now);
        for (int k = 0; k < 18; ++k) {
            double way = velocities[k / 3][k % 3] * 0.1 * t;
            cr_assert_float_eq(now[k], scene.bodies[k / 3].position[k % 3] + way,
                               1e-12 * (10 + fabs(way)), "tick %d, body %d, %c: %.17g", t, k / 3,
                               "xyz"[k % 3], now[k]);
        }
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A gas in cell lists, also in subdomains of several threads: images are the same. */
Test(images, of_a_gas_on_threads)
{
    static const uint32_t threads[] = {1, 2, 5};
    static double found[3][3 * MOST];
    for (int k = 0; k < 3; ++k) {
        support_random random = support_random_start("images/gas", 1);
        support_scene scene = support_scene_gas(16, 0.1, KUGEL_FACE_PERIODIC, 5, &random);
        scene.def.tasks = (kugel_tasks){.threads = threads[k]};
        kugel_world *world = support_scene_world(&scene);
        double length = scene.def.bounds.max[0], farthest;
        check_continuous(world, length, 0.02, 160, &farthest);
        cr_assert_gt(farthest, 0.5 * length, "%g of %g m", farthest, length);
        read_unwrapped(world, length, found[k]);
        cr_assert_eq(memcmp(found[k], found[0], sizeof found[0]), 0, "%u threads", threads[k]);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* The tower is high enough for subdomains on two threads. */
Test(images, of_subdomains)
{
    static double found[2][3 * MOST];
    for (uint32_t threads = 1; threads <= 2; ++threads) {
        support_random random = support_random_start("images/tower", 2);
        support_scene scene = support_scene_tower(KUGEL_FACE_PERIODIC, &random);
        scene.def.tasks = (kugel_tasks){.threads = threads};
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 0.05, 60);
        read_unwrapped(world, 1, found[threads - 1]);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
    cr_assert_eq(memcmp(found[0], found[1], sizeof found[0]), 0);
}

/* Neighbour lists, resting contacts, friction: balls roll through a periodic channel with a floor,
 * along a plane that is inclined by gravity. */
Test(images, of_a_flow_with_contacts)
{
    support_random random = support_random_start("images/flow", 3);
    support_mix mix = {120, 6, {0.2, 0.35}, {0.5, 2}, 1, KUGEL_FACE_PERIODIC};
    support_scene scene = support_scene_mixed(&mix, &random);
    scene.def.bounds.faces[4] = scene.def.bounds.faces[5] = KUGEL_FACE_WALL;
    scene.def.bounds.restitution = 0, scene.def.bounds.friction = 0.2;
    scene.def.gravity[0] = 5, scene.def.gravity[2] = -8;
    scene.def.slop = 0.01, scene.def.bounce_threshold = 0.5, scene.def.substeps = 0;
    for (uint32_t i = 0; i < scene.count; ++i) {
        scene.bodies[i].restitution = 0.3, scene.bodies[i].friction = 0.2;
        double *z = &scene.bodies[i].position[2], r = scene.bodies[i].radius;
        *z = fmin(fmax(*z, r), 6 - r);
    }
    kugel_world *world = support_scene_world(&scene);
    double farthest;
    check_continuous(world, 6, 1 / 60., 300, &farthest);
    cr_assert_gt(farthest, 12, "%g m: the flow has to pass the box twice", farthest);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* One body that crosses +x once a tick, at 10 m/s in a box of 10 m. */
static kugel_world *one_body(kugel_body *body)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 10, KUGEL_FACE_PERIODIC);
    scene.def.bounds.faces[2] = scene.def.bounds.faces[3] = KUGEL_FACE_WALL;
    kugel_body_def *def = support_scene_add(&scene, (const double[3]){5, 5, 5},
                                            (const double[3]){10, 0, -10}, 0.5, 1);
    def->image[0] = 7;
    kugel_world *world = support_scene_world(&scene);
    *body = kugel_world_body(world, 0);
    support_scene_free(&scene);
    return world;
}

static void check_image(const kugel_world *world, kugel_body body, int32_t x, int32_t y, int32_t z)
{
    kugel_body_state s;
    cr_assert_eq(kugel_body_get(world, body, &s), KUGEL_OK);
    cr_assert(s.image[0] == x && s.image[1] == y && s.image[2] == z, "%d %d %d, not %d %d %d",
              s.image[0], s.image[1], s.image[2], x, y, z);
}

Test(images, are_set_and_not_hashed)
{
    kugel_body body, other;
    kugel_world *world = one_body(&body), *plain = one_body(&other);
    check_image(world, body, 7, 0, 0);
    support_run(world, 1, 2), support_run(plain, 1, 2);
    check_image(world, body, 9, 0, -2);
    cr_assert_eq(kugel_body_set_image(world, body, (const int32_t[3]){-3, 0, INT32_MIN}), KUGEL_OK);
    cr_assert_eq(kugel_world_hash(world), kugel_world_hash(plain));
    support_run(world, 1, 1);
    check_image(world, body, -2, 0, INT32_MAX); /* modulo 2^32 */
    cr_assert_eq(kugel_body_set_position(world, body, (const double[3]){1, 1, 1}), KUGEL_OK);
    check_image(world, body, -2, 0, INT32_MAX);
    kugel_world_destroy(world);
    kugel_world_destroy(plain);
}

Test(images, refusals)
{
    kugel_body body;
    kugel_world *world = one_body(&body);
    cr_assert_eq(kugel_body_set_image(world, body, (const int32_t[3]){1, 2, 3}),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->message,
                     "must be 0 along y, which is not periodic, got 2");
    cr_assert_eq(kugel_body_set_image(world, body, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_body_set_image(NULL, body, (const int32_t[3]){0}),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_body_set_image(world, body + 1, (const int32_t[3]){0}),
                 KUGEL_ERROR_STALE_HANDLE);
    kugel_body_def def = kugel_body_def_default();
    def.position[0] = def.position[1] = def.position[2] = 2;
    def.image[1] = 1;
    cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "def.image");
    check_image(world, body, 7, 0, 0);
    kugel_world_destroy(world);
}

/* A refused step leaves images unchanged; the next step counts from there. */
Test(images, after_a_failed_step)
{
    kugel_body body;
    kugel_world *world = one_body(&body);
    kugel_world_def def;
    kugel_world_get_def(world, &def);
    def.step_event_limit = 5;
    kugel_world *small;
    cr_assert_eq(kugel_world_create(&def, &small), KUGEL_OK);
    kugel_body_def b = kugel_body_def_default();
    b.position[0] = b.position[1] = b.position[2] = 5, b.velocity[0] = 10;
    cr_assert_eq(kugel_body_create(small, &b, &body), KUGEL_OK);
    cr_assert_eq(kugel_world_step(small, 20), KUGEL_ERROR_LIMIT);
    check_image(small, body, 0, 0, 0);
    support_run(small, 3, 1);
    check_image(small, body, 3, 0, 0);
    kugel_world_destroy(small);
    kugel_world_destroy(world);
}

static size_t save(kugel_world *world, uint8_t *data, size_t room)
{
    size_t size;
    cr_assert_eq(kugel_snapshot_save(world, true, data, room, &size), KUGEL_OK);
    return size;
}

Test(images, snapshots_clones_and_deltas)
{
    static uint8_t first[4096], second[4096], delta[4096], back[4096];
    kugel_body body;
    kugel_world *world = one_body(&body), *clone;
    size_t a = save(world, first, sizeof first), bytes, size;
    support_run(world, 1, 3);
    size_t b = save(world, second, sizeof second);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    check_image(clone, body, 10, 0, -3);
    cr_assert_eq(kugel_delta_make(first, a, second, b, delta, sizeof delta, &bytes), KUGEL_OK);
    cr_assert_eq(kugel_delta_apply(first, a, delta, bytes, back, sizeof back, &size), KUGEL_OK);
    cr_assert(size == b && memcmp(back, second, b) == 0);
    kugel_divergence d;
    cr_assert_eq(kugel_snapshot_restore(world, first, a), KUGEL_OK);
    check_image(world, body, 7, 0, 0);
    support_run(world, 1, 3);
    cr_assert_eq(save(world, back, sizeof back), b);
    cr_assert_eq(memcmp(back, second, b), 0, "equal states give equal bytes");
    cr_assert_eq(kugel_body_set_image(world, body, (const int32_t[3]){10, 0, -4}), KUGEL_OK);
    size = save(world, back, sizeof back);
    cr_assert(kugel_snapshot_difference(second, b, back, size, &d));
    cr_assert_str_eq(d.field, "image.z");
    cr_assert(d.expected == -3 && d.found == -4, "%g, %g", d.expected, d.found);
    kugel_world_destroy(clone);
    kugel_world_destroy(world);
}

/* A snapshot has columns of images only if an image is not 0. */
Test(images, snapshots_without_images)
{
    static uint8_t data[4096], with[4096];
    kugel_body body;
    kugel_world *world = one_body(&body);
    size_t more = save(world, with, sizeof with);
    cr_assert_eq(kugel_body_set_image(world, body, (const int32_t[3]){0, 0, 0}), KUGEL_OK);
    size_t size = save(world, data, sizeof data);
    cr_assert(size < more && kg_get32(data + 76) == 0 && kg_get32(with + 76) == 2);
    kugel_body_set_image(world, body, (const int32_t[3]){5, 0, 0});
    cr_assert_eq(kugel_snapshot_restore(world, data, size), KUGEL_OK);
    check_image(world, body, 0, 0, 0);
    kugel_world_destroy(world);
}

/* A centre on the max face of a periodic axis is on the min face of the next image, from the call
 * that puts it there on, whether or not another body moves. So are replays. */
Test(images, a_centre_on_a_max_face)
{
    for (int moving = 0; moving < 2; ++moving) {
        support_file file = {0};
        kugel_recording_def recording = support_recording_def(&file, true);
        support_scene scene = support_scene_start();
        support_scene_box(&scene, 10, KUGEL_FACE_PERIODIC);
        support_scene_add(&scene, (double[3]){5, 5, 5}, (double[3]){moving, 0, 0}, 0.125, 1)->type =
            KUGEL_KINEMATIC;
        kugel_world *world = support_scene_world(&scene);
        cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
        kugel_body_def def = kugel_body_def_default();
        kugel_body made, set;
        def.type = KUGEL_STATIC, def.radius = 0.125;
        def.position[0] = 10, def.position[1] = 1, def.image[1] = 4;
        cr_assert_eq(kugel_body_create(world, &def, &made), KUGEL_OK);
        def.position[0] = 2, def.position[1] = 3, def.image[1] = 0;
        cr_assert_eq(kugel_body_create(world, &def, &set), KUGEL_OK);
        kugel_body_set_position(world, set, (double[3]){2, 10, 10});
        for (int tick = 0; tick < 3; ++tick) {
            double x[3];
            kugel_body_get_position(world, made, x);
            cr_assert(x[0] == 0 && x[1] == 1, "tick %d: %g, %g", tick, x[0], x[1]);
            kugel_body_get_position(world, set, x);
            cr_assert(x[0] == 2 && x[1] == 0 && x[2] == 0, "tick %d: %g, %g", tick, x[1], x[2]);
            check_image(world, made, 1, 4, 0);
            check_image(world, set, 0, 1, 1);
            support_run(world, 1, 1);
            cr_assert(!world->bodies.placed[0] && !world->bodies.placed[2], "a step has passed");
        }
        cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
        kugel_player *player;
        cr_assert_eq(kugel_player_open(file.data, file.size, NULL, NULL, 1, &player, NULL),
                     KUGEL_OK);
        cr_assert_eq(kugel_player_seek(player, 3), KUGEL_PLAY_TICK);
        check_image(kugel_player_world(player), made, 1, 4, 0);
        check_image(kugel_player_world(player), set, 0, 1, 1);
        kugel_player_close(player);
        kugel_world_destroy(world);
        support_scene_free(&scene);
        support_file_free(&file);
    }
}

/* Snapshots of other formats are refused. */
Test(images, other_formats)
{
    static uint8_t data[4096];
    kugel_body body;
    kugel_snapshot_info info;
    kugel_error error;
    kugel_world *world = one_body(&body);
    size_t size = save(world, data, sizeof data);
    char known[32];
    snprintf(known, sizeof known, "only %d is known", KUGEL_SNAPSHOT_FORMAT);
    for (uint32_t format = 1; format <= KUGEL_SNAPSHOT_FORMAT + 1; ++format) {
        bool good = format == KUGEL_SNAPSHOT_FORMAT;
        kg_put32(data + 8, format);
        kg_put64(data + KG_SNAPSHOT_CHECKSUM, kg_snapshot_checksum(data, size));
        cr_assert_eq(kugel_snapshot_check(data, size, &info, &error),
                     good ? KUGEL_OK : KUGEL_ERROR_FORMAT, "format %u", format);
        cr_assert(good ? info.format == format : strstr(error.message, known) != NULL);
    }
    kugel_world_destroy(world);
}

/* Calls that set images are recorded. A seek by a keyframe gives the images of a play from the
 * start. */
Test(images, recordings)
{
    kugel_body body;
    support_file file = {0};
    kugel_recording_def recording = support_recording_def(&file, true);
    recording.keyframe_ticks = 8;
    kugel_world *world = one_body(&body);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    support_run(world, 1, 5);
    kugel_body_set_image(world, body, (const int32_t[3]){100, 0, -100});
    kugel_body_def def = kugel_body_def_default();
    def.position[0] = def.position[1] = def.position[2] = 2;
    def.image[2] = -9;
    kugel_body made;
    cr_assert_eq(kugel_body_create(world, &def, &made), KUGEL_OK);
    support_run(world, 1, 15);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    for (int steps = 0; steps < 2; ++steps) {
        kugel_player *player;
        cr_assert_eq(kugel_player_open(file.data, file.size, NULL, NULL, 1, &player, NULL),
                     KUGEL_OK);
        for (int t = 1; t <= 20 && steps; ++t)
            cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_TICK);
        cr_assert_eq(kugel_player_seek(player, 20), KUGEL_PLAY_TICK);
        kugel_body_state expected;
        kugel_body_get(world, body, &expected);
        check_image(kugel_player_world(player), body, expected.image[0], 0, expected.image[2]);
        check_image(kugel_player_world(player), made, 0, 0, -9);
        kugel_player_close(player);
    }
    kugel_world_destroy(world);
    support_file_free(&file);
}
