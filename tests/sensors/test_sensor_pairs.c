/* Entries and exits of a body and a sensor alternate, whatever ends their overlap: random programs
 * of calls on small worlds, against the positions and filters after each step. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kugel/kugel.h"
#include "support/support_memory.h"
#include "support/support_plane.h"
#include "support/support_random.h"
#include "support/support_sanitized.h"
#include "support/support_shapes.h"
#include "support/support_snapshot.h"
#include "world/world.h"

enum { BODIES = 8, SURFACES = 4, PAIRS = 512 };

/* A pair that the events say is inside. */
typedef struct pair {
    kugel_body sensor; /* null for a surface */
    kugel_surface surface;
    kugel_body body;
} pair;

typedef struct program {
    support_random random;
    kugel_world *world;
    pair inside[PAIRS];
    uint32_t count;
    uint32_t entries, exits, restores;
} program;

static kugel_body add_body(program *p, bool sensor)
{
    kugel_body_def def = kugel_body_def_default();
    kugel_body body;
    def.type = (kugel_body_type)support_below(&p->random, 3);
    def.sensor = sensor;
    def.radius = support_between(&p->random, 0.2, 1);
    def.category = 1u << support_below(&p->random, 2);
    def.mask = support_below(&p->random, 4) ? 3 : 1;
    for (int k = 0; k < 3; ++k) {
        def.position[k] = support_between(&p->random, -1.5, 1.5);
        def.velocity[k] = def.type == KUGEL_STATIC ? 0 : support_between(&p->random, -9, 9);
    }
    cr_assert_eq(kugel_body_create(p->world, &def, &body), KUGEL_OK);
    return body;
}

/* A place, and a rotation about an axis. */
static void random_pose(support_random *random, double position[3], double rotation[4])
{
    for (int k = 0; k < 3; ++k) position[k] = support_between(random, -1.5, 1.5);
    uint32_t axis = support_below(random, 3);
    double half = support_between(random, -1.5, 1.5);
    for (int k = 0; k < 3; ++k) rotation[k] = k == (int)axis ? sin(half) : 0;
    rotation[3] = cos(half);
}

static void add_surface(program *p)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_PLANE + support_below(&p->random, 5);
    def.sensor = support_below(&p->random, 5);
    for (int k = 0; k < 3; ++k) def.size[k] = support_between(&p->random, 0.1, 1.5);
    random_pose(&p->random, def.position, def.rotation);
    if (def.shape == KUGEL_SURFACE_PLANE) def.position[2] = -1;
    for (int k = 0; k < 3 && support_below(&p->random, 2); ++k) {
        def.velocity[k] = support_between(&p->random, -2, 2);
        def.spin[k] = support_between(&p->random, -9, 9);
    }
    def.category = 1u << support_below(&p->random, 2);
    cr_assert_eq(kugel_surface_create(p->world, &def, NULL), KUGEL_OK);
}

static void call_surface(program *p)
{
    double position[3], rotation[4], motion[3];
    uint32_t end = kugel_world_surface_end(p->world), what = support_below(&p->random, 5);
    kugel_surface surface =
        end ? kugel_world_surface(p->world, support_below(&p->random, end)) : KUGEL_NULL_SURFACE;
    random_pose(&p->random, position, rotation);
    random_pose(&p->random, motion, rotation);
    if (!surface || what == 0) {
        if (end < SURFACES) add_surface(p);
    } else if (what == 1) {
        cr_assert_eq(kugel_surface_destroy(p->world, surface), KUGEL_OK);
    } else if (what == 2) {
        uint32_t category = 1u << support_below(&p->random, 2);
        uint32_t mask = 1 + 2 * support_below(&p->random, 2);
        cr_assert_eq(kugel_surface_set_filter(p->world, surface, category, mask, 0), KUGEL_OK);
    } else if (what == 3) {
        cr_assert_eq(kugel_surface_set_motion(p->world, surface, motion, position), KUGEL_OK);
    } else {
        cr_assert_eq(kugel_surface_set_pose(p->world, surface, position, rotation), KUGEL_OK);
    }
}

/* A live body, or null. */
static kugel_body any_body(program *p)
{
    uint32_t end = kugel_world_id_end(p->world);
    return kugel_world_body(p->world, support_below(&p->random, end));
}

static void restore(program *p)
{
    size_t room = support_snapshot_room(p->world, true), size;
    void *bytes = malloc(room);
    cr_assert_eq(kugel_snapshot_save(p->world, true, bytes, room, &size), KUGEL_OK);
    if (support_below(&p->random, 2)) {
        cr_assert_eq(kugel_snapshot_restore(p->world, bytes, size), KUGEL_OK);
    } else {
        kugel_world *clone;
        cr_assert_eq(kugel_world_clone(p->world, &clone), KUGEL_OK);
        kugel_world_destroy(p->world);
        p->world = clone;
    }
    p->restores += 1;
    free(bytes);
}

static void call(program *p)
{
    kugel_body body = any_body(p);
    double x[3], number = support_between(&p->random, 0.2, 1.5);
    for (int k = 0; k < 3; ++k) x[k] = support_between(&p->random, -2, 2);
    uint32_t what = support_below(&p->random, 11);
    if (!body || what == 8) {
        if (what == 8) restore(p);
        return;
    }
    kugel_body_type type = (kugel_body_type)support_below(&p->random, 3);
    if (what < 2) cr_assert_eq(kugel_body_set_position(p->world, body, x), KUGEL_OK);
    if (what == 2) cr_assert_eq(kugel_body_set_radius(p->world, body, number), KUGEL_OK);
    if (what == 3) cr_assert_eq(kugel_body_set_type(p->world, body, type, number), KUGEL_OK);
    if (what == 4) {
        uint32_t category = 1u << support_below(&p->random, 2);
        uint32_t mask = 1 + 2 * support_below(&p->random, 2);
        cr_assert_eq(kugel_body_set_filter(p->world, body, category, mask, 0), KUGEL_OK);
    }
    if (what == 5) {
        size_t count;
        bool sensor = kugel_world_sensor_bodies(p->world, body, 0, NULL, &count) == KUGEL_OK;
        cr_assert_eq(kugel_body_destroy(p->world, body), KUGEL_OK);
        if (support_below(&p->random, 4)) add_body(p, sensor);
    }
    if (what == 6 && kugel_world_body_count(p->world) < BODIES + 4)
        add_body(p, support_below(&p->random, 2));
    bool flag = support_below(&p->random, 2);
    if (what == 9) cr_assert_eq(kugel_body_set_sensor(p->world, body, flag), KUGEL_OK);
    if (what == 10) cr_assert_eq(kugel_body_set_enabled(p->world, body, flag), KUGEL_OK);
    if (what == 7) (void)kugel_body_set_velocity(p->world, body, x); /* not of a static one */
}

static uint32_t find(const program *p, const kugel_sensor_event *e)
{
    uint32_t k = 0;
    while (k < p->count && (p->inside[k].sensor != e->sensor || p->inside[k].body != e->body ||
                            p->inside[k].surface != e->surface))
        ++k;
    return k;
}

/* Entries of pairs that were outside, exits of pairs that were inside. */
static void follow(program *p)
{
    size_t count;
    const kugel_sensor_event *events = kugel_world_sensor_events(p->world, &count);
    for (size_t e = 0; e < count; ++e) {
        uint32_t k = find(p, &events[e]);
        cr_assert_eq(events[e].entered, k == p->count, "body %llx %s sensor %llx twice",
                     (unsigned long long)events[e].body, events[e].entered ? "enters" : "leaves",
                     (unsigned long long)events[e].sensor);
        p->entries += events[e].entered, p->exits += !events[e].entered;
        if (!events[e].entered) p->inside[k] = p->inside[--p->count];
        else p->inside[p->count++] = (pair){events[e].sensor, events[e].surface, events[e].body};
        cr_assert(p->count < PAIRS);
    }
}

/* The bodies that a surface lists are inside by events, and by distances that another method finds.
 * Returns their number. */
static uint32_t compare_surface(const program *p, kugel_surface surface)
{
    kugel_body bodies[PAIRS];
    kugel_surface_def def;
    size_t count, near = 0;
    if (!surface || kugel_surface_bodies(p->world, surface, PAIRS, bodies, &count)) return 0;
    cr_assert_eq(kugel_surface_get(p->world, surface, &def, NULL), KUGEL_OK);
    for (size_t k = 0; k < count; ++k) {
        kugel_sensor_event e = {.surface = surface, .body = bodies[k]};
        cr_assert(find(p, &e) < p->count, "surface %llx has body %llx without an entry",
                  (unsigned long long)surface, (unsigned long long)bodies[k]);
    }
    for (uint32_t id = 0; id < kugel_world_id_end(p->world); ++id) {
        kugel_body_state b;
        kugel_body body = kugel_world_body(p->world, id);
        if (!body || kugel_body_get(p->world, body, &b) || b.sensor || !b.enabled) continue;
        bool matches = (b.category & def.mask) && (def.category & b.mask);
        double gap = support_shape_distance(&def, b.position) - b.radius;
        bool listed = near < count && bodies[near] == body;
        near += listed;
        cr_assert(listed == (matches && b.type != KUGEL_STATIC && gap <= 0) || fabs(gap) < 1e-9,
                  "gap %g, listed %d", gap, listed);
    }
    cr_assert_eq(near, count);
    return (uint32_t)count;
}

/* The pairs inside are those that each sensor lists. */
static void compare(const program *p)
{
    uint32_t listed = 0;
    for (uint32_t id = 0; id < kugel_world_id_end(p->world); ++id) {
        kugel_body sensor = kugel_world_body(p->world, id), bodies[PAIRS];
        size_t count;
        if (!sensor ||
            kugel_world_sensor_bodies(p->world, sensor, PAIRS, bodies, &count) != KUGEL_OK)
            continue;
        for (size_t k = 0; k < count; ++k) {
            kugel_sensor_event e = {.sensor = sensor, .body = bodies[k]};
            cr_assert(find(p, &e) < p->count, "sensor %llx has body %llx without an entry",
                      (unsigned long long)sensor, (unsigned long long)bodies[k]);
        }
        listed += (uint32_t)count;
    }
    for (uint32_t k = 0; k < kugel_world_surface_end(p->world); ++k)
        listed += compare_surface(p, kugel_world_surface(p->world, k));
    cr_assert_eq(listed, p->count, "%u pairs inside, %u by events", listed, p->count);
}

Test(sensor_pairs, alternate_whatever_calls_do)
{
    support_random random = support_random_start("sensor pairs", 5);
    uint32_t entries = 0, exits = 0, restores = 0;
    for (int k = 0; k < SUPPORT_ROUNDS(400); ++k) {
        program p = {.random = random};
        kugel_world_def def = kugel_world_def_default();
        def.gravity[2] = k % 2 ? -9.81 : 0;
        for (int f = 0; f < 6; ++f)
            def.bounds.faces[f] = k % 3 ? KUGEL_FACE_WALL : KUGEL_FACE_PERIODIC;
        for (int axis = 0; axis < 3; ++axis) def.bounds.min[axis] = -3, def.bounds.max[axis] = 3;
        cr_assert_eq(kugel_world_create(&def, &p.world), KUGEL_OK);
        for (uint32_t i = 0; i < BODIES; ++i) add_body(&p, i % 2);
        for (int tick = 0; tick < 30; ++tick) {
            for (uint32_t calls = support_below(&p.random, 5); calls; --calls) call(&p);
            if (k % 2 && support_below(&p.random, 3) == 0) call_surface(&p);
            cr_assert_eq(kugel_world_step(p.world, 1 / 60.), KUGEL_OK);
            follow(&p);
            compare(&p);
        }
        entries += p.entries, exits += p.exits, restores += p.restores;
        random = p.random;
        kugel_world_destroy(p.world);
    }
    cr_assert(entries > SUPPORT_ROUNDS(1000) && exits > SUPPORT_ROUNDS(1000) &&
                  restores > SUPPORT_ROUNDS(100),
              "%u, %u, %u", entries, exits, restores);
}

/* A world that was saved after calls and restored reports the same events from then on. */
Test(sensor_pairs, a_restored_world_reports_the_same_events)
{
    size_t events = 0;
    for (uint64_t seed = 1; seed <= SUPPORT_ROUNDS(40); ++seed) {
        program p = {.random = support_random_start("restored sensors", seed)};
        kugel_world_def def = kugel_world_def_default();
        kugel_world *other;
        cr_assert_eq(kugel_world_create(&def, &p.world), KUGEL_OK);
        cr_assert_eq(kugel_world_create(&def, &other), KUGEL_OK);
        for (uint32_t i = 0; i < BODIES; ++i) add_body(&p, i % 2);
        for (uint32_t k = 0; k < SURFACES; ++k) add_surface(&p);
        for (int tick = 0; tick < 5; ++tick) cr_assert_eq(kugel_world_step(p.world, 1 / 60.), 0);
        for (int calls = 0; calls < 4; ++calls) call(&p), call_surface(&p);
        size_t room = support_snapshot_room(p.world, true), size, counts[2];
        void *bytes = malloc(room);
        cr_assert_eq(kugel_snapshot_save(p.world, true, bytes, room, &size), KUGEL_OK);
        cr_assert_eq(kugel_snapshot_restore(other, bytes, size), KUGEL_OK);
        for (int tick = 0; tick < 20; ++tick) {
            cr_assert_eq(kugel_world_step(p.world, 1 / 60.), KUGEL_OK);
            cr_assert_eq(kugel_world_step(other, 1 / 60.), KUGEL_OK);
            const kugel_sensor_event *a = kugel_world_sensor_events(p.world, &counts[0]),
                                     *b = kugel_world_sensor_events(other, &counts[1]);
            cr_assert_eq(counts[0], counts[1], "seed %llu, tick %d", (unsigned long long)seed,
                         tick);
            for (size_t k = 0; k < counts[0]; ++k)
                cr_assert(a[k].time == b[k].time && a[k].entered == b[k].entered &&
                          a[k].body == b[k].body && a[k].sensor == b[k].sensor &&
                          a[k].surface == b[k].surface);
            events += counts[0];
        }
        free(bytes);
        kugel_world_destroy(p.world);
        kugel_world_destroy(other);
    }
    cr_assert_gt(events, SUPPORT_ROUNDS(200u));
}

/* A call puts a body out of a sensor and into a wall, which pushes it back into the sensor at once:
 * an exit, then an entry, both at time 0; in one place, and beside another one. */
Test(sensor_pairs, an_exit_by_a_call_comes_before_an_entry_at_time_0)
{
    for (int others = 0; others < 2; ++others) {
        kugel_world_def def = kugel_world_def_default();
        kugel_body_def ball = kugel_body_def_default(), sensor = ball;
        kugel_body body, area, other;
        kugel_world *world;
        size_t count;
        def.bounds.faces[0] = KUGEL_FACE_WALL;
        def.bounds.min[0] = 0, def.bounds.max[0] = 9000;
        ball.position[0] = ball.radius = 1;
        sensor.position[0] = sensor.radius = 2;
        sensor.type = KUGEL_STATIC, sensor.sensor = true;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
        cr_assert_eq(kugel_body_create(world, &sensor, &area), KUGEL_OK);
        ball.position[0] = 5000;
        if (others) cr_assert_eq(kugel_body_create(world, &ball, &other), KUGEL_OK);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        cr_assert_eq(kugel_world_sensor_events(world, &count)->entered, true);
        /* 3.0003 from the centre of the sensor, 0.03 in the wall */
        const double out[3] = {0.97, 2.818, 0};
        cr_assert_eq(kugel_body_set_position(world, body, out), KUGEL_OK);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        const kugel_sensor_event *events = kugel_world_sensor_events(world, &count);
        cr_assert_eq(count, 2u, "%zu events", count);
        cr_assert(!events[0].entered && events[1].entered, "others %d", others);
        kugel_world_destroy(world);
    }
}

/* The end of a contact that a call ends between steps is in the snapshot. */
Test(sensor_pairs, ends_of_contacts_survive_a_restore)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world, *other;
    support_plane floor = {.normal = {0, 0, 1}};
    kugel_body_def ball = kugel_body_def_default();
    kugel_body body;
    def.gravity[2] = -9.81;
    ball.position[2] = 0.5;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_create(&def, &other), KUGEL_OK);
    cr_assert_eq(support_add_plane(world, &floor, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    cr_assert_eq(kugel_body_destroy(world, body), KUGEL_OK);
    size_t room = support_snapshot_room(world, true), size, count;
    void *bytes = malloc(room);
    cr_assert_eq(kugel_snapshot_save(world, true, bytes, room, &size), KUGEL_OK);
    cr_assert_eq(kugel_snapshot_restore(other, bytes, size), KUGEL_OK);
    kugel_world_destroy(world);
    cr_assert_eq(kugel_world_step(other, 1 / 60.), KUGEL_OK);
    const kugel_touch *ends = kugel_world_end_events(other, &count);
    cr_assert_eq(count, 1u);
    cr_assert(ends->a == body && ends->target == KUGEL_TARGET_SURFACE && ends->time == 0);
    cr_assert(fabs(ends->point[2]) < 1e-9 && ends->normal[2] == -1, "%g, %g", ends->point[2],
              ends->normal[2]);
    cr_assert_eq(kugel_world_step(other, 1 / 60.), KUGEL_OK);
    (void)kugel_world_end_events(other, &count);
    cr_assert_eq(count, 0u);
    free(bytes);
    kugel_world_destroy(other);
}

/* A call that finds no memory leaves no exit behind, so that the pair has one later. */
Test(sensor_pairs, a_refused_call_leaves_no_exit)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def body = kugel_body_def_default();
    kugel_body sensor, inside[64];
    kugel_world *world;
    size_t count;
    support_memory memory = {0};
    def.allocator = support_allocator(&memory);
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    body.sensor = true, body.radius = 9, body.type = KUGEL_KINEMATIC;
    cr_assert_eq(kugel_body_create(world, &body, &sensor), KUGEL_OK);
    body.sensor = false, body.radius = 0.1, body.type = KUGEL_DYNAMIC;
    for (int k = 0; k < 64; ++k) {
        for (int axis = 0; axis < 3; ++axis) body.position[axis] = (k >> 2 * axis & 3) - 1.5;
        cr_assert_eq(kugel_body_create(world, &body, &inside[k]), KUGEL_OK);
    }
    cr_assert_eq(kugel_world_step(world, 0.01), KUGEL_OK);
    bool refused = false;
    for (int others = 0;; ++others) {
        support_memory_arm(&memory, others);
        kugel_status status = kugel_body_set_filter(world, sensor, 2, 7, 5);
        support_memory_arm(&memory, -1);
        if (!status) break;
        cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY);
        cr_assert_eq(world->events.left_count, 0u);
        refused = true;
    }
    cr_assert(refused);
    cr_assert_eq(kugel_body_destroy(world, sensor), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 0.01), KUGEL_OK);
    const kugel_sensor_event *events = kugel_world_sensor_events(world, &count);
    cr_assert_eq(count, 64u);
    for (size_t k = 0; k < count; ++k) cr_assert(!events[k].entered && events[k].time == 0);
    kugel_world_destroy(world);
}

/* A body whose filter a call sets counts as placed in the next step, which decides the places of
 * the step. A sensor that no path reaches must not decide that. */
Test(sensor_pairs, a_far_sensor_changes_nothing_when_a_filter_is_set)
{
    uint8_t placed[2];
    for (int has_sensor = 0; has_sensor < 2; ++has_sensor) {
        kugel_world_def def = kugel_world_def_default();
        kugel_body_def ball = kugel_body_def_default();
        kugel_body body, other;
        kugel_world *world;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
        ball.type = KUGEL_STATIC;
        ball.position[0] = 1000;
        ball.sensor = has_sensor;
        cr_assert_eq(kugel_body_create(world, &ball, &other), KUGEL_OK);
        cr_assert_eq(kugel_world_step(world, 1. / 60), KUGEL_OK);
        cr_assert_eq(kugel_body_set_filter(world, body, 2, 2, 0), KUGEL_OK);
        placed[has_sensor] = world->bodies.placed[world->bodies.slot[0]];
        kugel_world_destroy(world);
    }
    cr_assert_eq(placed[0], placed[1]);
}
