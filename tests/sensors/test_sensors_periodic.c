/* For engine/sensors/sensors.c and sensor_pair.c: bodies that go far in a periodic box in one tick,
 * and fall in it, against closed forms and against the places that they have in between. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"
#include "support/support_sensor_events.h"

static kugel_body_def *add(support_scene *scene, double x, double speed, double radius, bool sensor)
{
    kugel_body_def *def =
        support_scene_add(scene, (double[3]){x, 5, 5}, (double[3]){speed, 0, 0}, radius, 1);
    def->sensor = sensor;
    return def;
}

/* From one side of the box to the other, past a sensor: at both ends another image of it is nearer
 * than the one that is passed. */
Test(sensors_periodic, see_who_passes_on_a_long_way)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 10, KUGEL_FACE_PERIODIC);
    add(&scene, 8, 0, 0.5, true)->type = KUGEL_STATIC;
    add(&scene, 0.5, 9, 0.5, false);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1, 1);
    const kugel_sensor_event *e = support_sensor_events(world, 2);
    cr_assert(e[0].entered && !e[1].entered);
    cr_assert_float_eq(e[0].time, 6.5 / 9, 1e-12);
    cr_assert_float_eq(e[1].time, 8.5 / 9, 1e-12);
    cr_assert_float_eq(e[0].speed, 9, 1e-12);
    cr_assert_float_eq(e[1].speed, -9, 1e-12);
    cr_assert_float_eq(e[0].point[0], 7.5, 1e-12);
    support_run(world, 0.01, 1);
    support_sensor_events(world, 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Two that run towards each other for a tick are in and out once for each box length between them.
 */
Test(sensors_periodic, meet_over_and_over)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 10, KUGEL_FACE_PERIODIC);
    add(&scene, 9, -1e4, 0.5, true)->type = KUGEL_KINEMATIC;
    add(&scene, 1, 1.1e4, 0.5, false);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1,
                1); /* 21 km, which end 8 m before the next box length: in 7 + 10 k, out 9 + 10 k */
    const kugel_sensor_event *e = support_sensor_events(world, 2 * 2100);
    for (int k = 0; k < 2 * 2100; ++k) {
        cr_assert_eq(e[k].entered, k % 2 == 0);
        cr_assert_float_eq(e[k].time, (k / 2 * 10 + (k % 2 ? 9 : 7)) / 2.1e4, 1e-9);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

enum { SENSORS = 8, BODIES = 24, TICKS = 6, LOOKS = 1500, MOST = 1 << 15 };
static const double box[3] = {10, 7, 8}, tick = 0.8;

/* Bodies that do not collide, and sensors of up to nearly a quarter of the box, all as fast as they
 * like. */
static support_scene make_crowd(const double gravity[3], uint64_t seed)
{
    support_random random = support_random_start("sensors/crowd", seed);
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 10, KUGEL_FACE_PERIODIC);
    scene.def.substeps = 1;
    for (int k = 0; k < 3; ++k) scene.def.bounds.max[k] = box[k], scene.def.gravity[k] = gravity[k];
    for (int i = 0; i < SENSORS + BODIES; ++i) {
        double place[3], velocity[3];
        for (int k = 0; k < 3; ++k) place[k] = support_uniform(&random) * box[k];
        support_direction(&random, support_between(&random, 0, 40), velocity);
        double radius = support_between(&random, 0.01, i % 2 ? 0.3 : 1.74);
        kugel_body_def *def = support_scene_add(&scene, place, velocity, radius, 1);
        def->sensor = i < SENSORS;
        def->category = i < SENSORS ? 2 : 1;
        def->mask = i < SENSORS ? 1 : 2;
        if (i < SENSORS)
            def->type = i % 4 == 0 ? KUGEL_STATIC : i % 4 == 1 ? KUGEL_KINEMATIC : KUGEL_DYNAMIC;
        if (def->type == KUGEL_STATIC) velocity[0] = velocity[1] = velocity[2] = 0;
        for (int k = 0; k < 3; ++k) def->velocity[k] = velocity[k];
    }
    return scene;
}

static double fall(const support_scene *scene, const kugel_body_def *def, int axis)
{
    return def->type == KUGEL_DYNAMIC ? scene->def.gravity[axis] : 0;
}

/* How far a body is from a sensor's reach at a time, by the nearest images, and how fast it goes
 * out: m, m/s. */
static double gap_at(const support_scene *scene, uint32_t s, uint32_t b, double t, double *parting)
{
    const kugel_body_def *p = &scene->bodies[s], *q = &scene->bodies[b];
    double dd = 0, dw = 0;
    for (int k = 0; k < 3; ++k) {
        double a = fall(scene, q, k) - fall(scene, p, k), w = q->velocity[k] - p->velocity[k];
        double d = q->position[k] - p->position[k] + w * t + 0.5 * a * t * t;
        d -= box[k] * round(d / box[k]);
        dd += d * d;
        dw += d * (w + a * t);
    }
    *parting = dw / sqrt(dd);
    return sqrt(dd) - p->radius - q->radius;
}

/* The events of all ticks, and the pairs that are inside after those up to `next`. */
typedef struct account {
    kugel_sensor_event events[MOST];
    double at[MOST]; /* s since the start */
    size_t count, next;
    bool inside[SENSORS][BODIES];
} account;

static void run_crowd(account *all, support_scene *scene, uint32_t threads)
{
    scene->def.tasks.threads = threads;
    kugel_world *world = support_scene_world(scene);
    all->count = 0;
    for (int k = 0; k < TICKS; ++k) {
        size_t n;
        support_run(world, tick, 1);
        const kugel_sensor_event *e = kugel_world_sensor_events(world, &n);
        cr_assert(all->count + n <= MOST);
        for (size_t i = 0; i < n; ++i, ++all->count) {
            all->events[all->count] = e[i];
            all->at[all->count] = k * tick + e[i].time;
        }
    }
    kugel_world_destroy(world);
}

/* Events alternate and happen where the surfaces touch. */
static void take_events(account *all, const support_scene *scene, double until)
{
    for (; all->next < all->count && all->at[all->next] <= until; ++all->next) {
        const kugel_sensor_event *e = &all->events[all->next];
        uint32_t s = kugel_body_id(e->sensor), b = kugel_body_id(e->body);
        double parting, gap = gap_at(scene, s, b, all->at[all->next], &parting);
        cr_assert_neq(all->inside[s][b - SENSORS], e->entered, "body %u, sensor %u at %g s", b, s,
                      all->at[all->next]);
        all->inside[s][b - SENSORS] = e->entered;
        if (e->time == 0 && e->entered) continue; /* was made inside */
        cr_assert_float_eq(gap, 0, 1e-9, "body %u, sensor %u at %g s: gap %g m", b, s,
                           all->at[all->next], gap);
        cr_assert_float_eq(e->speed, -parting, 1e-6);
    }
}

static void check_crowd(const double gravity[3], uint64_t seed)
{
    static account all, threaded;
    support_scene scene = make_crowd(gravity, seed);
    run_crowd(&all, &scene, 1);
    run_crowd(&threaded, &scene, 3);
    cr_assert_eq(all.count, threaded.count);
    for (size_t i = 0; i < all.count; ++i) {
        const kugel_sensor_event *p = &all.events[i], *q = &threaded.events[i];
        cr_assert(p->time == q->time && p->speed == q->speed && p->entered == q->entered);
        cr_assert_eq(kugel_body_id(p->body), kugel_body_id(q->body));
    }
    for (int look = 0; look < TICKS * LOOKS; ++look) {
        double t = (look + 0.5) / LOOKS * tick, unused;
        take_events(&all, &scene, t);
        for (uint32_t s = 0; s < SENSORS; ++s) {
            for (uint32_t b = 0; b < BODIES; ++b) {
                double gap = gap_at(&scene, s, SENSORS + b, t, &unused);
                cr_assert(fabs(gap) < 1e-9 || all.inside[s][b] == (gap < 0),
                          "body %u, sensor %u at %g s: gap %g m", SENSORS + b, s, t, gap);
            }
        }
    }
    cr_assert(all.count > 100, "%zu events", all.count);
    support_scene_free(&scene);
}

Test(sensors_periodic, know_who_is_inside_at_any_time) { check_crowd((double[3]){0, 0, 0}, 5); }
Test(sensors_periodic, know_who_falls_through) { check_crowd((double[3]){1, -2, -9.81}, 6); }
Test(sensors_periodic, know_who_is_thrown) { check_crowd((double[3]){20, -60, -120}, 7); }
