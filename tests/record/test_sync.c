/* For engine/api/api_sync.c: repeatable runs pass, others are found. After a failure the world has
 * its initial state and all memory is freed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "record/support_recording.h"
#include "support/support_plane.h"
#include "support/support_snapshot.h"

static kugel_world *make(void)
{
    kugel_world_def def = support_drive_def();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    support_drive_fill(world);
    return world;
}

static kugel_status same_calls(void *user, kugel_world *world, uint64_t tick)
{
    (void)user;
    support_drive_calls(world, tick, 4);
    return KUGEL_OK;
}

/* An input that depends on earlier runs: the second run pushes harder. */
static kugel_status other_calls(void *user, kugel_world *world, uint64_t tick)
{
    int *calls = user;
    return tick == 9 ? kugel_body_apply_impulse(world, kugel_world_body(world, 4),
                                                (double[3]){0, ++*calls, 0}, NULL)
                     : KUGEL_OK;
}

Test(sync, inputs_that_repeat_pass_and_others_are_found)
{
    int calls = 0;
    kugel_sync_report report;
    kugel_sync_def def = kugel_sync_def_default();
    kugel_world *world = make();
    def.input = same_calls;
    cr_assert_eq(kugel_sync_test(world, &def, &report), KUGEL_OK);
    cr_assert(report.same);
    cr_assert_eq(report.ticks, 60);
    cr_assert_eq(kugel_world_tick(world), 60);
    kugel_world_destroy(world);

    world = make();
    support_bytes before = support_snapshot_of(world);
    def.input = other_calls;
    def.user = &calls;
    cr_assert_eq(kugel_sync_test(world, &def, &report), KUGEL_OK);
    cr_assert_not(report.same);
    cr_assert_eq(report.divergence.tick, 10);
    cr_assert_eq(report.divergence.body, 4);
    cr_assert_str_eq(report.divergence.field, "position.y");
    support_bytes after = support_snapshot_of(world);
    cr_assert(support_same_bytes(&before, &after), "the world is back at the beginning");
    free(before.data), free(after.data);
    def.ticks = 0;
    cr_assert_eq(kugel_sync_test(world, &def, &report), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_sync_test(world, &(kugel_sync_def){0}, &report),
                 KUGEL_ERROR_UNINITIALIZED_DEF);
    kugel_world_destroy(world);
}

static kugel_status recording_calls(void *user, kugel_world *world, uint64_t tick)
{
    kugel_recording_def def = kugel_recording_def_default();
    def.write = support_file_write, def.user = user;
    return tick == 3 ? kugel_world_recording_start(world, &def) : KUGEL_OK;
}

/* A recorded world cannot go back: the test says so, and the world is where it began nevertheless.
 */
Test(sync, an_input_that_begins_to_record_is_refused)
{
    support_file file = {0};
    kugel_sync_report report;
    kugel_sync_def def = kugel_sync_def_default();
    kugel_world *world = make();
    support_bytes before = support_snapshot_of(world);
    def.input = recording_calls, def.user = &file;
    cr_assert_eq(kugel_sync_test(world, &def, &report), KUGEL_ERROR_STATE);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "def.input");
    cr_assert_not(report.same);
    support_bytes after = support_snapshot_of(world);
    cr_assert(support_same_bytes(&before, &after), "the world is back at the beginning");
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_ERROR_STATE,
                 "nothing is recorded any more");
    def.input = same_calls;
    cr_assert_eq(kugel_sync_test(world, &def, &report), KUGEL_OK);
    free(before.data), free(after.data);
    support_file_free(&file);
    kugel_world_destroy(world);
}

/* What the last error says. */

/* What an input does at tick 4: a status of its own, or a call's. */
typedef enum manner { OWN, CALLS, OWN_AFTER_AN_IGNORED_CALL, OTHER_THAN_ITS_CALLS, IGNORES } manner;

static kugel_status failing_calls(void *user, kugel_world *world, uint64_t tick)
{
    const manner *how = user;
    const double wrong[3] = {-1e300, 0, 0};
    bool ignores = *how == IGNORES || (*how == OWN_AFTER_AN_IGNORED_CALL && tick == 3);
    if (ignores) kugel_body_set_velocity(world, kugel_world_body(world, 4), wrong);
    if (tick != 4 || ignores) return KUGEL_OK;
    if (*how == OWN || *how == OWN_AFTER_AN_IGNORED_CALL) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = kugel_body_set_velocity(world, kugel_world_body(world, 4), wrong);
    return *how == CALLS ? status : KUGEL_ERROR_STATE;
}

struct error_row {
    manner how;
    kugel_status status;
    char argument[16];
};

Test(sync, the_last_error_is_that_of_the_call)
{
    static const struct error_row table[] = {
        {OWN, KUGEL_ERROR_INVALID_ARGUMENT, "def.input"},
        {CALLS, KUGEL_ERROR_INVALID_ARGUMENT, "velocity"},
        {OWN_AFTER_AN_IGNORED_CALL, KUGEL_ERROR_INVALID_ARGUMENT, "def.input"},
        {OTHER_THAN_ITS_CALLS, KUGEL_ERROR_STATE, "def.input"},
        {IGNORES, KUGEL_OK, "velocity"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        kugel_world *world = make();
        kugel_sync_def def = kugel_sync_def_default();
        kugel_sync_report report;
        manner how = table[i].how;
        def.input = failing_calls, def.user = &how;
        kugel_world_set_gravity(world, NULL); /* an error from before */
        cr_assert_eq(kugel_sync_test(world, &def, &report), table[i].status, "row %d", (int)i);
        const kugel_error *error = kugel_world_last_error(world);
        cr_assert_str_eq(error->argument, table[i].argument, "row %d", (int)i);
        if (table[i].status) cr_assert_eq(error->status, table[i].status, "row %d", (int)i);
        kugel_world_destroy(world);
    }
}

Test(sync, the_last_error_may_be_that_of_a_step_or_from_before)
{
    kugel_world *world = make();
    kugel_sync_def def = kugel_sync_def_default();
    kugel_sync_report report;
    kugel_world_set_gravity(world, NULL);
    def.input = same_calls;
    cr_assert_eq(kugel_sync_test(world, &def, &report), KUGEL_OK);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "gravity");
    def.input = NULL, def.dt = -1;
    cr_assert_eq(kugel_sync_test(world, &def, &report), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(kugel_world_last_error(world)->argument, "dt");
    kugel_world_destroy(world);
}

/* Balls on a floor, of two materials: a snapshot makes room for every pair of their values, which
 * is more than the world has needed so far. */
static kugel_world *make_heap(support_memory *memory)
{
    kugel_world_def def = support_drive_def();
    support_plane floor = {{0, 0, 1}, 0, 0.3, 0.4};
    kugel_world *world;
    def.allocator = support_allocator(memory);
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(support_add_plane(world, &floor, NULL), KUGEL_OK);
    for (int i = 0; i < 9; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.position[0] = 1.1 * (i % 3), ball.position[1] = 1.1 * (i / 3), ball.position[2] = 0.5;
        ball.restitution = i % 2 ? 0.1 : 0.2, ball.friction = i % 2 ? 0.3 : 0.4;
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    }
    return world;
}

/* Calls that take memory: a body, a force, a plane. */
static kugel_status hungry_calls(void *user, kugel_world *world, uint64_t tick)
{
    (void)user;
    kugel_body_def ball = kugel_body_def_default();
    support_plane wall = {{-1, 0, 0}, -5, 1, 0};
    ball.position[0] = 0.5, ball.position[2] = 2 + (double)tick;
    ball.rolling_resistance = 0.01 * (double)tick;
    if (tick == 5) return support_add_plane(world, &wall, NULL);
    if (tick == 3)
        return kugel_body_apply_force(world, kugel_world_body(world, 2), (double[3]){1, 2, 3},
                                      NULL);
    return tick < 3 ? kugel_body_create(world, &ball, NULL) : KUGEL_OK;
}

/* One allocation of the call fails, or that and all behind it. Returns what became of the call. */
static kugel_status starve(uint64_t at, bool on)
{
    support_memory memory = {.fail_on = on};
    kugel_world *world = make_heap(&memory);
    kugel_sync_def def = kugel_sync_def_default();
    kugel_sync_report report;
    def.ticks = 8, def.input = hungry_calls;
    support_bytes before = support_snapshot_of(world);
    kugel_world_set_gravity(world, NULL); /* an error from before */
    memory.fail_at = memory.allocations + at;
    kugel_status status = kugel_sync_test(world, &def, &report);
    memory.fail_at = 0;
    support_bytes after = support_snapshot_of(world);
    if (status) {
        cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY, "allocation %d: %s", (int)at,
                     kugel_status_text(status));
        cr_assert_eq(kugel_world_last_error(world)->status, status, "allocation %d", (int)at);
        cr_assert_not(report.same);
        cr_assert(support_same_bytes(&before, &after),
                  "allocation %d: the world is not where it began", (int)at);
    }
    cr_assert_eq(kugel_sync_test(world, &def, &report), KUGEL_OK);
    cr_assert(report.same && report.ticks == def.ticks);
    free(before.data), free(after.data);
    kugel_world_destroy(world);
    cr_assert_eq(memory.bytes, 0, "allocation %d: %d bytes are lost", (int)at, (int)memory.bytes);
    return status;
}

Test(sync, each_allocation_may_fail)
{
    for (int on = 0; on < 2; ++on) {
        uint64_t at = 1;
        while (starve(at, on)) ++at;
        cr_assert(at > 20, "only %d allocations", (int)at);
    }
}
