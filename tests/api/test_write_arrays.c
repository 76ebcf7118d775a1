/* kugel_world_write_arrays has the effects of the calls that set one value, bit for bit, on random
 * worlds; a call that fails changes nothing. */
#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_memory.h"
#include "support/support_snapshot.h"
#include "support/support_worlds.h"

enum { MOST = 160, RECORDED = 1 << 20 };

/* The rows of a call: each array is complete, and `arrays` has those that are written. */
typedef struct rows {
    uint32_t count;
    kugel_body bodies[MOST];
    double position[3 * MOST], velocity[3 * MOST], spin[3 * MOST], rotation[4 * MOST];
    double radius[MOST], mass[MOST];
    kugel_body_arrays arrays;
} rows;

static void fill_row(support_random *random, const kugel_world *world, rows *r, uint32_t row)
{
    kugel_body_state is;
    kugel_world_def def;
    kugel_world_get_def(world, &def);
    cr_assert_eq(kugel_body_get(world, r->bodies[row], &is), KUGEL_OK);
    bool turns = support_below(random, 2), stops = support_below(random, 4) == 0;
    for (int k = 0; k < 3; ++k) {
        double high = def.bounds.max[k];
        r->position[3 * row + k] = support_between(random, 0, high);
        bool inside = is.position[k] >= 0 && is.position[k] <= high; /* kinematic: or not */
        if (inside && support_below(random, 3)) r->position[3 * row + k] = is.position[k];
        bool still = stops || is.type == KUGEL_STATIC || !is.enabled;
        r->velocity[3 * row + k] = still ? 0 : support_between(random, -3, 3);
        r->spin[3 * row + k] = still ? -0.0 : support_between(random, -3, 3);
    }
    for (int k = 0; k < 4; ++k) r->rotation[4 * row + k] = k == (turns ? 1 : 3);
    r->radius[row] = is.radius * support_between(random, 0.8, 1);
    r->mass[row] = is.type == KUGEL_DYNAMIC ? support_between(random, 0.5, 4) : 0;
}

/* Random rows, in which a body may occur twice; or one for each body in id order. */
static void choose(support_random *random, const kugel_world *world, rows *r)
{
    uint32_t end = kugel_world_id_end(world), columns = 1 + support_below(random, 63);
    bool all = support_below(random, 4) == 0;
    r->count = 0;
    for (uint32_t k = 0; k < (all ? end : 1 + support_below(random, end)); ++k) {
        kugel_body body = kugel_world_body(world, all ? k : support_below(random, end));
        if (body) r->bodies[r->count++] = body;
    }
    for (uint32_t k = 0; k < r->count; ++k) fill_row(random, world, r, k);
    r->arrays = (kugel_body_arrays){
        .bodies = all && support_below(random, 2) ? NULL : r->bodies,
        .position = columns & 1 ? r->position : NULL,
        .velocity = columns & 2 ? r->velocity : NULL,
        .spin = columns & 4 ? r->spin : NULL,
        .rotation = columns & 8 ? r->rotation : NULL,
        .radius = columns & 16 ? r->radius : NULL,
        .mass = columns & 32 ? r->mass : NULL,
    };
}

static kugel_status write(kugel_world *world, const rows *r)
{
    return kugel_world_write_arrays(world, r->count, &r->arrays);
}

#define SET(call) cr_assert_eq(call, KUGEL_OK, "%s: row %u", #call, k)
static void write_single(kugel_world *world, const rows *r)
{
    for (uint32_t k = 0; k < r->count; ++k) {
        kugel_body_state is;
        kugel_body body = r->bodies[k];
        cr_assert_eq(kugel_body_get(world, body, &is), KUGEL_OK);
        bool moves = is.type != KUGEL_STATIC, dynamic = is.type == KUGEL_DYNAMIC;
        if (r->arrays.position) SET(kugel_body_set_position(world, body, &r->position[3 * k]));
        if (r->arrays.velocity && moves)
            SET(kugel_body_set_velocity(world, body, &r->velocity[3 * k]));
        if (r->arrays.spin && moves) SET(kugel_body_set_spin(world, body, &r->spin[3 * k]));
        if (r->arrays.rotation) SET(kugel_body_set_rotation(world, body, &r->rotation[4 * k]));
        if (r->arrays.radius) SET(kugel_body_set_radius(world, body, r->radius[k]));
        if (r->arrays.mass && dynamic) SET(kugel_body_set_mass(world, body, r->mass[k]));
    }
}

static void check_same(const kugel_world *one, const kugel_world *two, uint64_t seed, uint32_t tick)
{
    support_bytes a = support_snapshot_of(one), b = support_snapshot_of(two);
    cr_assert(support_same_bytes(&a, &b), "seed %llu, tick %u", (unsigned long long)seed, tick);
    free(a.data), free(b.data);
}

typedef struct recording {
    size_t size;
    uint8_t data[RECORDED];
} recording;

static bool keep(void *user, const void *data, size_t size)
{
    recording *to = user;
    if (to->size + size > RECORDED) return false;
    memcpy(to->data + to->size, data, size);
    to->size += size;
    return true;
}

static void record(kugel_world *world, recording *to)
{
    kugel_recording_def def = kugel_recording_def_default();
    def.write = keep, def.user = to;
    to->size = 0;
    cr_assert_eq(kugel_world_recording_start(world, &def), KUGEL_OK);
}

static void check_events(const kugel_world *one, const kugel_world *two)
{
    size_t m, n;
    const kugel_sensor_event *a = kugel_world_sensor_events(one, &m),
                             *b = kugel_world_sensor_events(two, &n);
    cr_assert_eq(m, n);
    for (size_t k = 0; k < m; ++k) { /* without the bytes between members */
        cr_assert(
            a[k].time == b[k].time && a[k].entered == b[k].entered &&
            !memcmp(&a[k].sensor, &b[k].sensor, sizeof *a - offsetof(kugel_sensor_event, sensor)));
    }
    const kugel_touch *c = kugel_world_end_events(one, &m), *d = kugel_world_end_events(two, &n);
    cr_assert_eq(m, n);
    for (size_t k = 0; k < m; ++k) {
        cr_assert(!memcmp(&c[k], &d[k], offsetof(kugel_touch, triangle)) &&
                  c[k].triangle == d[k].triangle);
    }
}

/* Snapshots, events and the bytes of recordings are the same. */
static void compare(uint64_t seed)
{
    static recording recorded[2];
    static rows r;
    support_any_world any = support_any_world_make(seed);
    support_random random = {seed * 77 + 5};
    kugel_world *world[2];
    for (int k = 0; k < 2; ++k) {
        world[k] = support_scene_world(&any.scene);
        record(world[k], &recorded[k]);
    }
    for (uint32_t tick = 0; tick < 6 * any.ticks / 10; ++tick) {
        if (tick % 3 == 2) {
            choose(&random, world[0], &r);
            cr_assert_eq(write(world[0], &r), KUGEL_OK, "%s",
                         kugel_world_last_error(world[0])->message);
            write_single(world[1], &r);
            check_same(world[0], world[1], seed, tick);
        }
        double dt = support_any_world_dt(&any, seed, tick);
        for (int k = 0; k < 2; ++k) cr_assert_eq(kugel_world_step(world[k], dt), KUGEL_OK);
        check_events(world[0], world[1]);
    }
    for (int k = 0; k < 2; ++k) {
        cr_assert_eq(kugel_world_recording_stop(world[k]), KUGEL_OK);
        kugel_world_destroy(world[k]);
    }
    cr_assert(recorded[0].size == recorded[1].size &&
              !memcmp(recorded[0].data, recorded[1].data, recorded[0].size));
    support_scene_free(&any.scene);
}

Test(write_arrays, has_the_effects_of_single_calls)
{
    for (uint64_t seed = 1; seed <= 300; ++seed) compare(seed);
}

/* What was read can be written back, also of bodies without mass. It wakes sleepers. */
Test(write_arrays, take_what_was_read)
{
    static rows r;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        support_any_world any = support_any_world_make(seed);
        kugel_world *world = support_scene_world(&any.scene);
        for (int tick = 0; tick < 5; ++tick) kugel_world_step(world, any.dt);
        r.arrays = (kugel_body_arrays){.position = r.position,
                                       .velocity = r.velocity,
                                       .spin = r.spin,
                                       .rotation = r.rotation,
                                       .radius = r.radius,
                                       .mass = r.mass};
        r.count = kugel_world_read_arrays(world, MOST, &r.arrays);
        uint64_t hash = kugel_world_hash(world);
        kugel_body_arrays turns = {.rotation = r.rotation};
        cr_assert_eq(kugel_world_write_arrays(world, r.count, &turns), KUGEL_OK);
        cr_assert_eq(kugel_world_hash(world), hash, "seed %llu", (unsigned long long)seed);
        r.arrays.position = NULL; /* of kinematic bodies beyond a wall it is refused */
        cr_assert_eq(write(world, &r), KUGEL_OK);
        kugel_world_destroy(world);
        support_scene_free(&any.scene);
    }
}

/* A call with one wrong value changes nothing, and its error names argument and row. */
static void refuse(kugel_world *world, rows *r, uint32_t row, double *at, double value,
                   const char *argument)
{
    char begin[24];
    double was = *at;
    support_bytes before = support_snapshot_of(world);
    *at = value;
    cr_assert_eq(write(world, r), KUGEL_ERROR_INVALID_ARGUMENT, "%s", argument);
    *at = was;
    const kugel_error *error = kugel_world_last_error(world);
    snprintf(begin, sizeof begin, "row %u: ", row);
    cr_assert_str_eq(error->argument, argument);
    cr_assert(!strncmp(error->message, begin, strlen(begin)), "%s", error->message);
    support_bytes after = support_snapshot_of(world);
    cr_assert(support_same_bytes(&before, &after), "%s", argument);
    free(before.data), free(after.data);
}

static kugel_world *world_to_write(rows *r, kugel_allocator allocator)
{
    support_any_world any = support_any_world_make(11);
    support_random random = {3};
    any.scene.def.allocator = allocator;
    any.scene.bodies[0].sensor = true;
    any.scene.bodies[0].type = KUGEL_DYNAMIC;
    kugel_world *world = support_scene_world(&any.scene);
    for (int tick = 0; tick < 20; ++tick) kugel_world_step(world, any.dt);
    choose(&random, world, r);
    for (r->count = 0; r->count < kugel_world_body_count(world); ++r->count) {
        r->bodies[r->count] = kugel_world_body(world, r->count);
        fill_row(&random, world, r, r->count);
    }
    r->arrays = (kugel_body_arrays){.bodies = r->bodies,
                                    .position = r->position,
                                    .velocity = r->velocity,
                                    .spin = r->spin,
                                    .rotation = r->rotation,
                                    .radius = r->radius,
                                    .mass = r->mass};
    support_scene_free(&any.scene);
    return world;
}

Test(write_arrays, refuse_all_rows_for_one)
{
    static rows r;
    static bool asleep[MOST];
    kugel_world *world = world_to_write(&r, (kugel_allocator){0});
    uint32_t row = r.count - 1;
    refuse(world, &r, row, &r.position[3 * row], NAN, "position");
    refuse(world, &r, row, &r.velocity[3 * row + 1], 1e16, "velocity");
    refuse(world, &r, row, &r.spin[3 * row + 2], -INFINITY, "spin");
    refuse(world, &r, row, &r.rotation[4 * row], 0.5, "rotation");
    refuse(world, &r, row, &r.radius[row], 0, "radius");
    refuse(world, &r, row, &r.mass[row], -1, "mass");
    kugel_body was = r.bodies[row];
    r.bodies[row] += (uint64_t)1 << 40;
    cr_assert_eq(write(world, &r), KUGEL_ERROR_STALE_HANDLE);
    r.bodies[row] = was;
    r.arrays.asleep = asleep;
    cr_assert_eq(write(world, &r), KUGEL_ERROR_INVALID_ARGUMENT);
    r.arrays.asleep = NULL, r.arrays.bodies = NULL, r.count -= 1;
    cr_assert_eq(write(world, &r), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "count");
    cr_assert_eq(kugel_world_write_arrays(world, 0, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_world_write_arrays(NULL, 0, &r.arrays), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_world_write_arrays(world, 0, &(kugel_body_arrays){.bodies = r.bodies}),
                 KUGEL_OK);
    kugel_world_destroy(world);
}

/* Wherever memory ends, a call that reports it has written nothing. */
Test(write_arrays, without_memory_write_nothing)
{
    static rows r;
    kugel_status status = KUGEL_ERROR_OUT_OF_MEMORY;
    for (int others = 0; status; ++others) {
        support_memory memory = {0};
        kugel_world *world = world_to_write(&r, support_allocator(&memory));
        support_bytes before = support_snapshot_of(world);
        support_memory_arm(&memory, others);
        memory.fail_on = true;
        status = write(world, &r);
        cr_assert(!memory.failures == !status, "%d allocations", others);
        support_memory_arm(&memory, -1);
        memory.fail_on = false;
        support_bytes after = support_snapshot_of(world);
        cr_assert(!status || support_same_bytes(&before, &after), "%d allocations", others);
        free(before.data), free(after.data);
        kugel_world_destroy(world);
        cr_assert(others < 100);
    }
}
