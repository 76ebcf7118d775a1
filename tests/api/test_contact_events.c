/* Bodies that do not report their impacts and touches, in random worlds of every kind: the events
 * are those of a world in which all bodies report, less those of two such bodies, or of one with a
 * wall or a surface. States, counts and other events are the same, also from a snapshot and in a
 * recording. Environment: KUGEL_SEED, the first seed. */
#include <criterion/criterion.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "record/support_recording.h"
#include "support/support_snapshot.h"
#include "support/support_worlds.h"

enum { WORLDS = 200, FLOOR = 2 };

/* Whether a body reports, before and after the calls of its world that change it. */
static bool reports(uint64_t seed, uint32_t id, bool changed)
{
    support_random random = {seed + 1000 * id + (changed ? 7 : 0)};
    support_uniform(&random);
    return support_below(&random, 3) == 0;
}

static bool are_reported(uint64_t seed, bool changed, kugel_body a, kugel_body b)
{
    return reports(seed, kugel_body_id(a), changed) ||
           (b && reports(seed, kugel_body_id(b), changed));
}

typedef struct run {
    support_any_world any;
    kugel_world *all, *some; /* all bodies report, or some */
    uint64_t seed, changes_at;
    bool changed;
    size_t reported, dropped;
} run;

static kugel_world *make(support_scene *scene, uint32_t threads)
{
    scene->def.tasks.threads = threads;
    kugel_world *world = support_scene_world(scene);
    kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0, 1}, FLOOR);
    kugel_surface_create(world, &floor, NULL);
    return world;
}

static run start(uint64_t seed)
{
    run r = {.any = support_any_world_make(seed), .seed = seed};
    r.changes_at = r.any.ticks / 2;
    r.all = make(&r.any.scene, 1);
    for (uint32_t i = 0; i < r.any.scene.count; ++i)
        r.any.scene.bodies[i].contact_events = reports(seed, i, false);
    r.some = make(&r.any.scene, 1 + seed % 3);
    return r;
}

static void end(run *r)
{
    kugel_world_destroy(r->all), kugel_world_destroy(r->some);
    support_scene_free(&r->any.scene);
}

static void change(kugel_world *world, const run *r)
{
    for (uint32_t i = 0; i < r->any.scene.count; ++i) {
        kugel_body body = kugel_world_body(world, i);
        kugel_body_state s;
        if (!body) continue;
        cr_assert_eq(kugel_body_set_contact_events(world, body, reports(r->seed, i, true)),
                     KUGEL_OK);
        cr_assert_eq(kugel_body_get(world, body, &s), KUGEL_OK);
        cr_assert_eq(s.contact_events, reports(r->seed, i, true));
    }
}

/* The calls before a tick: some end contacts. */
static void call(kugel_world *world, const run *r, uint64_t tick)
{
    kugel_body body = kugel_world_body(world, (uint32_t)(tick % r->any.scene.count));
    if (r->any.pushes) support_any_world_calls(world, r->seed, tick);
    if (tick % 9 == 8 && body) cr_assert_eq(kugel_body_destroy(world, body), KUGEL_OK);
}

static void step(kugel_world *world, const run *r, uint64_t tick)
{
    kugel_status status = kugel_world_step(world, support_any_world_dt(&r->any, r->seed, tick));
    cr_assert_eq(status, KUGEL_OK, "seed %d, tick %d", (int)r->seed, (int)tick);
}

/* `triangle` is the last member. */
#define WITHOUT_PADDING(type) (offsetof(type, triangle) + sizeof(uint32_t))
/* Events of one kind: those of `some` are the reported ones of `all`. */
#define CHECK_EVENTS(r, type, list)                                                                \
    do {                                                                                           \
        size_t n, m, at = 0;                                                                       \
        const type *all = list((r)->all, &n), *some = list((r)->some, &m);                         \
        for (size_t k = 0; k < n; ++k) {                                                           \
            if (!are_reported((r)->seed, (r)->changed, all[k].a, all[k].b)) continue;              \
            cr_assert(at < m && !memcmp(&all[k], &some[at], WITHOUT_PADDING(type)),                \
                      "seed %d: %s, row %zu", (int)(r)->seed, #list, at);                          \
            at += 1;                                                                               \
        }                                                                                          \
        cr_assert_eq(at, m, "seed %d: %s", (int)(r)->seed, #list);                                 \
        (r)->reported += m, (r)->dropped += n - m;                                                 \
    } while (0)

static void check_same(const kugel_world *a, const kugel_world *b, uint64_t seed, uint64_t tick)
{
    kugel_stats s, t;
    size_t n, m;
    kugel_world_stats(a, &s), kugel_world_stats(b, &t);
    cr_assert_eq(kugel_world_hash(a), kugel_world_hash(b), "seed %d, tick %d", (int)seed,
                 (int)tick);
    cr_assert(s.impacts == t.impacts && s.resting_contacts == t.resting_contacts &&
              s.asleep == t.asleep);
    const kugel_rest *rest = kugel_world_wake_events(a, &n),
                     *other = kugel_world_wake_events(b, &m);
    cr_assert(n == m && (!n || !memcmp(rest, other, n * sizeof *rest)));
}

Test(contact_events, are_those_of_bodies_that_report)
{
    size_t reported = 0, dropped = 0;
    uint64_t first = support_random_start("contact_events/rows", 1).state;
    for (uint64_t seed = first; seed < first + WORLDS; ++seed) {
        run r = start(seed);
        for (uint64_t tick = 0; tick < r.any.ticks; ++tick) {
            if (tick == r.changes_at) change(r.some, &r), r.changed = true;
            call(r.all, &r, tick), call(r.some, &r, tick);
            step(r.all, &r, tick), step(r.some, &r, tick);
            check_same(r.all, r.some, seed, tick);
            CHECK_EVENTS(&r, kugel_impact, kugel_world_impact_events);
            CHECK_EVENTS(&r, kugel_touch, kugel_world_begin_events);
            CHECK_EVENTS(&r, kugel_touch, kugel_world_end_events);
        }
        reported += r.reported, dropped += r.dropped;
        end(&r);
    }
    cr_assert(reported > 10 * WORLDS && dropped > 10 * WORLDS, "%zu, %zu", reported, dropped);
}

/* Number of events of the last step. */
static size_t count_events(const kugel_world *world)
{
    size_t impacts, begins, ends;
    kugel_world_impact_events(world, &impacts);
    kugel_world_begin_events(world, &begins), kugel_world_end_events(world, &ends);
    return impacts + begins + ends;
}

Test(contact_events, are_saved_and_recorded)
{
    uint64_t first = support_random_start("contact_events/saved", 1).state;
    for (uint64_t seed = first; seed < first + WORLDS / 4; ++seed) {
        run r = start(seed);
        support_file file = {0};
        kugel_recording_def recording = support_recording_def(&file, true);
        kugel_world *restored = NULL;
        recording.keyframe_ticks = 7;
        cr_assert_eq(kugel_world_recording_start(r.some, &recording), KUGEL_OK);
        size_t *counts = calloc(r.any.ticks, sizeof *counts);
        for (uint64_t tick = 0; tick < r.any.ticks; ++tick) {
            if (tick == r.changes_at) change(r.some, &r);
            if (tick == r.changes_at) cr_assert_eq(kugel_world_clone(r.some, &restored), KUGEL_OK);
            call(r.some, &r, tick), step(r.some, &r, tick);
            counts[tick] = count_events(r.some);
            if (!restored) continue;
            call(restored, &r, tick), step(restored, &r, tick);
            check_same(r.some, restored, seed, tick);
            cr_assert_eq(count_events(restored), counts[tick], "seed %d", (int)seed);
        }
        cr_assert_eq(kugel_world_recording_stop(r.some), KUGEL_OK);
        kugel_player *player = support_open_player(&file);
        for (uint64_t tick = 0; tick < r.any.ticks; ++tick) {
            cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_TICK, "seed %d", (int)seed);
            cr_assert_eq(count_events(kugel_player_world(player)), counts[tick], "seed %d, tick %d",
                         (int)seed, (int)tick);
        }
        kugel_player_close(player), support_file_free(&file), free(counts);
        kugel_world_destroy(restored), end(&r);
    }
}
