/* The order of events: by time, then what was met, then ids; the same for any number of threads;
 * and what they say of bodies that are gone. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"
#include "world/event_log.h"

static int compare(double a, double b) { return a < b ? -1 : a > b; }

/* time, target, low id, high id or number of the boundary. */
typedef struct place {
    double part[4];
} place;

static int compare_places(const place *a, const place *b)
{
    int order = 0;
    for (int k = 0; k < 4 && !order; ++k) order = compare(a->part[k], b->part[k]);
    return order;
}

static place place_of_impact(const kugel_impact *i)
{
    return (place){{i->time, i->target, kugel_body_id(i->a), i->index}};
}
static place place_of_touch(const kugel_touch *t)
{
    return (place){{t->time, t->target, kugel_body_id(t->a), t->index}};
}
static place place_of_rest(const kugel_rest *r)
{
    return (place){{r->time, 0, kugel_body_id(r->body), 0}};
}
static place place_of_sensor_event(const kugel_sensor_event *s)
{
    return (place){{s->time, kugel_body_id(s->sensor), kugel_body_id(s->body), !s->entered}};
}

/* What a run's events were: how many of each kind, how many at one instant, and a sum over all in
 * their order. */
typedef struct account {
    size_t impacts, begins, ends, sleeps, wakes, sensor_events, together;
    double sum;
} account;

static void add(account *all, double value) { all->sum = all->sum * 0.9999 + value; }

/* One kind of a tick. `strictly`: no two are the same in all parts. */
#define CHECK(type, list, place_of, counter, strictly)                                             \
    do {                                                                                           \
        size_t n;                                                                                  \
        const type *events = list(world, &n);                                                      \
        for (size_t i = 0; i < n; ++i) {                                                           \
            place here = place_of(&events[i]);                                                     \
            cr_assert(here.part[0] >= 0 && here.part[0] <= dt, "at %g s of the tick",              \
                      here.part[0]);                                                               \
            for (int k = 0; k < 4; ++k) add(all, here.part[k]);                                    \
            if (i == 0) continue;                                                                  \
            place before = place_of(&events[i - 1]);                                               \
            int order = compare_places(&before, &here);                                            \
            cr_assert(order < 0 || (order == 0 && !(strictly)), #list ": %zu before %zu of %zu",   \
                      i - 1, i, n);                                                                \
            all->together += before.part[0] == here.part[0];                                       \
        }                                                                                          \
        all->counter += n;                                                                         \
    } while (0)

static void check_tick(const kugel_world *world, double dt, account *all)
{
    CHECK(kugel_impact, kugel_world_impact_events, place_of_impact, impacts, false);
    CHECK(kugel_touch, kugel_world_begin_events, place_of_touch, begins, true);
    CHECK(kugel_touch, kugel_world_end_events, place_of_touch, ends, true);
    CHECK(kugel_rest, kugel_world_sleep_events, place_of_rest, sleeps, true);
    CHECK(kugel_rest, kugel_world_wake_events, place_of_rest, wakes, true);
    CHECK(kugel_sensor_event, kugel_world_sensor_events, place_of_sensor_event, sensor_events,
          true);
}

static account run(support_scene *scene, uint32_t threads, int ticks)
{
    account all = {0};
    scene->def.tasks.threads = threads;
    kugel_world *world = support_scene_world(scene);
    for (int tick = 0; tick < ticks; ++tick) {
        if (tick == ticks / 2) kugel_world_set_gravity(world, (double[3]){1, 0, 9.81});
        support_run(world, 1 / 60., 1);
        check_tick(world, 1 / 60., &all);
    }
    kugel_world_destroy(world);
    return all;
}

/* Rows of balls that land, and later leave the floor, at the same instants; ids in no order of
 * places; two large sensors. */
static support_scene rows(void)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .friction = 0.5};
    for (int i = 0; i < 120; ++i) {
        int at = i * 77 % 120;
        double position[3] = {at % 12 * 1.001, at / 12 % 5 * 1.001, 1.5 + at / 60};
        kugel_body_def *body = support_scene_add(&scene, position, NULL, 0.5, 1);
        body->restitution = 0.4, body->friction = 0.5, body->rolling_resistance = 0.1;
    }
    for (int i = 0; i < 2; ++i) {
        kugel_body_def *sensor =
            support_scene_add(&scene, (double[3]){3 + 5 * i, 2, 1}, NULL, 2, 1);
        sensor->type = KUGEL_STATIC, sensor->sensor = true;
    }
    return scene;
}

Test(events_sort, is_in_the_total_order_for_any_number_of_threads)
{
    support_scene scene = rows();
    account one = run(&scene, 1, 400), three = run(&scene, 3, 400);
    cr_assert(
        one.impacts > 300 && one.begins > 100 && one.ends >= 60 && one.sleeps >= 120 &&
            one.wakes >= 120 && one.sensor_events > 50 && one.together > 300,
        "%zu impacts, %zu begins, %zu ends, %zu sleeps, %zu wakes, %zu sensor_events, %zu at one "
        "instant",
        one.impacts, one.begins, one.ends, one.sleeps, one.wakes, one.sensor_events, one.together);
    cr_assert_eq(one.sum, three.sum);
    support_scene_free(&scene);
}

/* The stronger one goes first, and is yet reported behind the one with the lower id. */
Test(events_sort, impacts_of_one_instant_are_by_id_not_by_strength)
{
    support_scene scene = support_scene_start();
    support_scene_add(&scene, (double[3]){0, 0, 0}, (double[3]){1, 0, 0}, 0.5, 10);
    support_scene_add(&scene, (double[3]){0.6, 0.8, 0}, NULL, 0.5, 1);
    support_scene_add(&scene, (double[3]){1, 0, 0}, NULL, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 1);
    size_t count;
    const kugel_impact *impacts = kugel_world_impact_events(world, &count);
    cr_assert_eq(count, 2);
    cr_assert(impacts[0].time == 0 && impacts[1].time == 0);
    cr_assert(impacts[0].index == 1 && impacts[1].index == 2);
    cr_assert_float_eq(impacts[1].speed, 1, 1e-15, "it went first: with all the speed");
    cr_assert_float_eq(impacts[0].speed, 0.6 * (1 - 2 / 11.), 1e-15, "with what the other left");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Slow impacts happen all the same: the same states, counts and loud impacts. */
Test(events_sort, slow_impacts_are_counted_and_not_reported)
{
    const double threshold = 1.5;
    support_scene scene = rows();
    kugel_world *all = support_scene_world(&scene), *loud = support_scene_world(&scene);
    size_t reported = 0, left_out = 0;
    cr_assert_eq(kugel_world_report_impacts_above(loud, threshold), KUGEL_OK);
    for (int tick = 0; tick < 120; ++tick) {
        support_run(all, 1 / 60., 1);
        support_run(loud, 1 / 60., 1);
        size_t n, m, at = 0;
        const kugel_impact *impacts = kugel_world_impact_events(all, &n),
                           *some = kugel_world_impact_events(loud, &m);
        for (size_t i = 0; i < n; ++i) {
            if (impacts[i].speed < threshold) continue;
            cr_assert(at < m && impacts[i].impulse == some[at].impulse &&
                      impacts[i].a == some[at].a);
            ++at;
        }
        cr_assert_eq(at, m);
        reported += m, left_out += n - m;
        kugel_stats a, b;
        kugel_world_stats(all, &a);
        kugel_world_stats(loud, &b);
        cr_assert(a.impacts == n && b.impacts == n && a.impacts_total == b.impacts_total);
        cr_assert_eq(kugel_world_hash(all), kugel_world_hash(loud));
    }
    cr_assert(reported > 50 && left_out > 50, "%zu reported, %zu left out", reported, left_out);
    const double bad[] = {-1, NAN, INFINITY, 1.1e15};
    for (int k = 0; k < 4; ++k)
        cr_assert_eq(kugel_world_report_impacts_above(loud, bad[k]), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(all);
    kugel_world_destroy(loud);
    support_scene_free(&scene);
}

/* A body's events outlive it up to the next step; its handle in them is then no live body's, not
 * even when another has its id. */
Test(events_sort, handles_of_destroyed_bodies_are_not_live)
{
    support_scene scene = support_scene_start();
    support_scene_add(&scene, (double[3]){-0.6, 0, 0}, (double[3]){10, 0, 0}, 0.5, 1);
    support_scene_add(&scene, (double[3]){0.6, 0, 0}, NULL, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 30., 1);
    size_t count;
    const kugel_impact *impacts = kugel_world_impact_events(world, &count);
    cr_assert_eq(count, 1);
    cr_assert(kugel_body_is_valid(world, impacts[0].a) && kugel_body_is_valid(world, impacts[0].b));
    cr_assert_eq(kugel_body_destroy(world, impacts[0].b), KUGEL_OK);
    kugel_body_def def = kugel_body_def_default();
    def.position[0] = 50;
    kugel_body other;
    cr_assert_eq(kugel_body_create(world, &def, &other), KUGEL_OK);
    impacts = kugel_world_impact_events(world, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(kugel_body_id(impacts[0].b), kugel_body_id(other), "the id was given again");
    cr_assert(impacts[0].b != other && !kugel_body_is_valid(world, impacts[0].b));
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Ticks in which no body moves: the first one reports the contacts that calls ended, sorted; the
 * others report nothing, also not once more what earlier ticks did. */
Test(events_sort, idle_ticks_report_ends_of_calls_once)
{
    enum { BALLS = 4 };
    support_scene scene = support_scene_start();
    scene.def = kugel_world_def_default();
    support_scene_box(&scene, 10, KUGEL_FACE_WALL);
    scene.def.bounds.restitution = 0;
    scene.def.gravity[2] = -9.81;
    for (int i = 0; i < BALLS; ++i)
        support_scene_add(&scene, (double[3]){1 + 2 * i, 5, 0.5}, NULL, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    size_t sleeps = 0, asleep = 0, ends = 0, others = 0;
    for (int tick = 0; tick < 600 && asleep < BALLS; ++tick) {
        support_run(world, 1 / 60., 1);
        kugel_world_sleep_events(world, &sleeps);
        asleep += sleeps;
    }
    cr_assert_eq(asleep, BALLS);
    for (uint32_t id = BALLS; --id > 0;)
        cr_assert_eq(kugel_body_destroy(world, kugel_world_body(world, id)), KUGEL_OK);
    for (int tick = 0; tick < 4; ++tick) {
        support_run(world, 1 / 60., 1);
        const kugel_touch *end = kugel_world_end_events(world, &ends);
        cr_assert_eq(ends, tick ? 0 : BALLS - 1, "%zu ends in tick %d", ends, tick);
        for (size_t k = 0; k < ends; ++k) cr_assert_eq(kugel_body_id(end[k].a), k + 1);
        kugel_world_sleep_events(world, &sleeps), kugel_world_begin_events(world, &others);
        cr_assert(sleeps == 0 && others == 0, "%zu, %zu in tick %d", sleeps, others, tick);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* The sign of zero in a normal does not depend on the body that was predicted: a ball meets another
 * on its way out, or on its way back from a wall. */
Test(events_sort, normals_have_one_zero)
{
    for (int k = 0; k < 4; ++k) {
        bool back = k & 1, rough = k & 2;
        support_scene scene = support_scene_start();
        support_scene_box(&scene, 10, KUGEL_FACE_WALL);
        support_scene_add(&scene, (double[3]){back ? 3 : 7, 5, 5}, NULL, 0.5, 1);
        support_scene_add(&scene, (double[3]){5, 5, 5}, (double[3]){10, 0, 0}, 0.5, 1);
        for (int i = 0; i < 2; ++i) scene.bodies[i].friction = rough ? 0.5 : 0;
        kugel_world *world = support_scene_world(&scene);
        support_run(world, back ? 1.1 : 0.12, 1);
        size_t count;
        const kugel_impact *impact = kugel_world_impact_events(world, &count);
        cr_assert_eq(count, back ? 2 : 1);
        impact += count - 1;
        cr_assert_eq(impact->target, KUGEL_TARGET_BODY);
        cr_assert(!signbit(impact->normal[1]) && !signbit(impact->normal[2]), "%s, %s",
                  back ? "back" : "out", rough ? "rough" : "smooth");
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* What a tick of many impacts took is given back after a while of few, and kept while many come now
 * and then. */
Test(events_sort, memory_of_many_impacts_is_given_back)
{
    kg_memory memory;
    kg_memory_init(&memory, &(kugel_allocator){0});
    kg_event_log log = {0};
    for (uint32_t tick = 0; tick < 600; ++tick) {
        kg_event_log_begin(&memory, &log);
        uint32_t impacts = tick % 50 == 0 && tick < 300 ? 5000 : 3;
        for (uint32_t k = 0; k < impacts; ++k)
            cr_assert(kg_event_set_add_impact(&memory, &log.pending, &(kugel_impact){.index = k}));
        cr_assert(log.pending.impact_count == impacts &&
                  log.pending.impacts[impacts - 1].index == impacts - 1);
        if (tick < 300)
            cr_assert(memory.used > 5000 * sizeof(kugel_impact), "given back in tick %u", tick);
    }
    cr_assert(memory.used < 100 * sizeof(kugel_impact), "%zu bytes are kept", memory.used);
    kg_event_log_free(&memory, &log);
    cr_assert_eq(memory.used, 0);
}
