/* The times of the stages: by a clock that counts its own calls they are numbers that can be known.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_scene.h"
#include "support/support_snapshot.h"

/* Every look is a nanosecond later than the one before. */
static uint64_t ticking(void *calls) { return ++*(uint64_t *)calls; }
static uint64_t backwards(void *calls) { return 1000000 - ++*(uint64_t *)calls; }

static uint64_t sum_of_stages(const kugel_step_times *t)
{
    return t->grid + t->pairs + t->contact + t->sweep + t->impact + t->advance + t->record;
}

/* Spheres that fall into a box: impacts, resting contacts, lists that wear out. */
static support_scene fall(void)
{
    support_random random = support_random_start("stopwatch", 1);
    support_scene scene = support_scene_gas(3, 0.2, KUGEL_FACE_WALL, 2, &random);
    scene.def.gravity[2] = -9.81;
    scene.def.substeps = 2;
    scene.def.bounce_threshold = 0.5, scene.def.slop = 0.01;
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].restitution = 0.3;
    return scene;
}

Test(stopwatch, without_a_clock_all_is_0)
{
    support_scene scene = fall();
    kugel_world *world = support_scene_world(&scene);
    kugel_step_times last = {.steps = 7}, total = {.steps = 7}, none = {0};
    support_run(world, 1 / 60., 3);
    kugel_world_step_times(world, &last, &total);
    cr_assert(!memcmp(&last, &none, sizeof none) && !memcmp(&total, &none, sizeof none));
    kugel_world_step_times(NULL, NULL, &total);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(stopwatch, stages_make_up_the_step)
{
    support_scene scene = fall();
    uint64_t calls = 0, whole = 0;
    scene.def.clock = (kugel_clock){ticking, &calls};
    kugel_world *world = support_scene_world(&scene);
    kugel_step_times last, total;
    cr_assert_eq(calls, 0, "the clock is for steps only");
    for (uint64_t tick = 1; tick <= 60; ++tick) {
        uint64_t before = calls;
        support_run(world, 1 / 60., 1);
        kugel_world_step_times(world, &last, &total);
        whole += last.whole;
        cr_assert_eq(last.steps, 1);
        cr_assert_eq(total.steps, tick);
        cr_assert_eq(last.whole, calls - before - 1,
                     "the first reading of the clock begins the step, the last one ends it");
        cr_assert_eq(sum_of_stages(&last), last.whole);
        cr_assert_eq(total.whole, whole);
        cr_assert_eq(sum_of_stages(&total), whole);
        /* 2 substeps: order, skins before each, cells of a rebuild; a crowded tick is run twice */
        cr_assert(last.grid >= 3 && last.contact >= 5 && last.sweep >= 2 && last.impact >= 2 &&
                  last.advance >= 5 && last.record == 1);
    }
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    cr_assert(stats.list_rebuilds > 1 && stats.impacts_total > 100 && stats.resting_contacts > 10,
              "the scene shows all stages");
    cr_assert_eq(total.pairs, stats.list_rebuilds, "a look for every rebuild");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

typedef struct sink {
    char *bytes;
    size_t size;
} sink;

static bool take(void *user, const void *data, size_t size)
{
    sink *s = user;
    s->bytes = realloc(s->bytes, s->size + size);
    memcpy(s->bytes + s->size, data, size);
    s->size += size;
    return true;
}

/* A recorded run with some clock; the hash of its last state. */
static uint64_t record(const support_scene *scene, sink *out)
{
    kugel_world *world = support_scene_world(scene);
    kugel_recording_def def = kugel_recording_def_default();
    def.write = take, def.user = out;
    cr_assert_eq(kugel_world_recording_start(world, &def), KUGEL_OK);
    support_run(world, 1 / 60., 60);
    uint64_t hash = kugel_world_hash(world);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    return hash;
}

Test(stopwatch, a_clock_changes_no_bit)
{
    support_scene scene = fall();
    sink plain = {0}, timed = {0}, odd = {0};
    uint64_t calls = 0, hash = record(&scene, &plain);
    scene.def.clock = (kugel_clock){ticking, &calls};
    cr_assert_eq(record(&scene, &timed), hash);
    scene.def.clock = (kugel_clock){backwards, &calls};
    cr_assert_eq(record(&scene, &odd), hash);
    cr_assert(plain.size > 1000 && plain.size == timed.size && plain.size == odd.size);
    cr_assert(!memcmp(plain.bytes, timed.bytes, plain.size) &&
              !memcmp(plain.bytes, odd.bytes, plain.size));
    free(plain.bytes), free(timed.bytes), free(odd.bytes);
    support_scene_free(&scene);
}

Test(stopwatch, a_clock_that_is_set_back_gives_no_time)
{
    support_scene scene = fall();
    uint64_t calls = 0;
    kugel_step_times total;
    scene.def.clock = (kugel_clock){backwards, &calls};
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 5);
    kugel_world_step_times(world, NULL, &total);
    cr_assert(total.steps == 5 && total.whole == 0 && calls > 50);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Neither one that is refused at once, nor one that fails at its end. */
Test(stopwatch, failed_steps_are_not_counted)
{
    support_scene scene = support_scene_start();
    uint64_t calls = 0;
    kugel_step_times before, after;
    scene.def.clock = (kugel_clock){ticking, &calls};
    support_scene_add(&scene, (const double[3]){9e14, 0, 0}, (const double[3]){1e14, 0, 0}, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.5, 1);
    kugel_world_step_times(world, NULL, &before);
    uint64_t looks = calls;
    cr_assert_eq(kugel_world_step(world, -1), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_world_step(world, 1), KUGEL_ERROR_LIMIT);
    cr_assert(calls > looks + 3, "it did begin");
    kugel_world_step_times(world, NULL, &after);
    cr_assert(!memcmp(&before, &after, sizeof before));
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A clone has the clock of its original, and its times begin at 0; a restored world keeps its clock
 * and times. */
Test(stopwatch, copies)
{
    support_scene scene = fall();
    uint64_t calls = 0;
    kugel_step_times times;
    scene.def.clock = (kugel_clock){ticking, &calls};
    kugel_world *world = support_scene_world(&scene), *clone;
    support_run(world, 1 / 60., 5);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    kugel_world_step_times(clone, NULL, &times);
    cr_assert_eq(times.steps, 0);
    support_run(clone, 1 / 60., 2);
    kugel_world_step_times(clone, NULL, &times);
    cr_assert(times.steps == 2 && times.whole > 20);
    size_t size;
    void *image = malloc(support_snapshot_room(clone, true));
    cr_assert_eq(kugel_snapshot_save(clone, true, image, support_snapshot_room(clone, true), &size),
                 KUGEL_OK);
    cr_assert_eq(kugel_snapshot_restore(world, image, size), KUGEL_OK);
    support_run(world, 1 / 60., 1);
    kugel_world_step_times(world, NULL, &times);
    cr_assert_eq(times.steps, 6);
    free(image);
    kugel_world_destroy(world), kugel_world_destroy(clone);
    support_scene_free(&scene);
}
