/* Runs a program: two worlds, the disturbances of the twin, comparisons, and the recording. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kugel/query.h"
#include "record/support_recording.h"
#include "support/support_caches.h"
#include "support/support_events.h"
#include "support/support_program.h"
#include "support/support_snapshot.h"
#include "world/world.h"

typedef struct run {
    kugel_world *world, *twin;
    support_program_names names;
    uint64_t stale[SUPPORT_PROGRAM_CALLS]; /* handles of what was removed */
    uint32_t stale_count;
    support_program_fault fault;
} run;

static void note(run *r, uint32_t call, const char *what, const kugel_divergence *d)
{
    if (r->fault.found) return;
    r->fault.found = true;
    r->fault.call = call;
    snprintf(r->fault.text, sizeof r->fault.text, "%s: body %u, %s: %.17g, %.17g", what, d->body,
             d->field, d->expected, d->found);
}

static void restore_twin(run *r, const support_bytes *bytes)
{
    cr_assert_eq(kugel_snapshot_restore(r->twin, bytes->data, bytes->size), KUGEL_OK);
}

/* A world that has nothing in common with that of the program. */
static kugel_world *make_foreign(uint32_t threads)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    kugel_surface_def surface = kugel_surface_def_default();
    kugel_body_def body = kugel_body_def_default();
    def.gravity[0] = 3, def.substeps = 7, def.slop = 0.2;
    def.tasks.threads = threads;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    surface.shape = KUGEL_SURFACE_CAPSULE, surface.size[0] = surface.size[1] = 1;
    surface.spin[2] = 1;
    kugel_surface_create(world, &surface, NULL);
    for (int k = 0; k < 3; ++k) {
        body.position[0] = 3 + k, body.radius = 0.6, body.velocity[0] = k * 20;
        kugel_body_create(world, &body, NULL);
    }
    kugel_world_step(world, 0.1);
    return world;
}

/* Queries build trees and indices. */
static void make_queries(const kugel_world *world)
{
    kugel_ray ray = {.direction = {0, 0.1, -1}, .t_max = 100};
    kugel_ray_hit hit;
    size_t count;
    kugel_world_ray_closest(world, &ray, NULL, &hit);
    kugel_world_overlap_sphere(world, ray.origin, 3, NULL, 0, NULL, &count);
}

static void disturb(run *r, const support_call *call)
{
    support_bytes bytes = {0};
    switch (call->op) {
    case SUPPORT_OP_CLONE:
        kugel_world_destroy(r->twin);
        cr_assert_eq(kugel_world_clone(r->world, &r->twin), KUGEL_OK);
        break;
    case SUPPORT_OP_FOREIGN:
        bytes = support_snapshot_of(r->world);
        kugel_world_destroy(r->twin);
        r->twin = make_foreign(call->other);
        restore_twin(r, &bytes);
        break;
    case SUPPORT_OP_ROLLBACK:
        bytes = support_snapshot_of(r->twin);
        (void)kugel_world_step(r->twin, call->value[0]);
        restore_twin(r, &bytes);
        break;
    case SUPPORT_OP_SHORTEST_SKIN:
    case SUPPORT_OP_LONGEST_SKIN:
        support_caches_force_skin(r->twin, call->value[0]);
        break;
    case SUPPORT_OP_REBUILD:
        support_caches_rebuild_lists(r->twin);
        break;
    case SUPPORT_OP_WINDOW:
        support_caches_set_window(r->twin, call->value[0]);
        break;
    case SUPPORT_OP_CELLS:
        support_caches_allow_cell_lists(r->twin, call->other);
        break;
    case SUPPORT_OP_SORT:
        support_caches_sort_columns(r->twin, call->other);
        break;
    default:
        make_queries(r->twin);
    }
    free(bytes.data);
}

static uint64_t count_asleep(const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    return stats.asleep;
}

static void compare(run *r, uint32_t call)
{
    kugel_divergence d = {.tick = kugel_world_tick(r->world)};
    support_bytes a = support_snapshot_of(r->world), b = support_snapshot_of(r->twin);
    const char *events = support_events_difference(r->world, r->twin);
    if (!support_same_bytes(&a, &b)) {
        kugel_snapshot_difference(a.data, a.size, b.data, b.size, &d);
        note(r, call, events ? events : "state", &d);
    } else if (events) {
        note(r, call, events, &d);
    } else if (count_asleep(r->world) != count_asleep(r->twin)) {
        note(r, call, "number of sleeping bodies", &d);
    }
    free(a.data), free(b.data);
}

/* Forget the handle of what a call removed, which must be stale from now on. */
static void forget(run *r, uint64_t *name)
{
    r->stale[r->stale_count++] = *name;
    *name = 0;
}

static void name_made(run *r, const support_call *call, uint64_t made)
{
    if (call->op == SUPPORT_OP_CREATE) r->names.body[call->at] = made;
    if (call->op == SUPPORT_OP_ADD_SURFACE) r->names.surface[call->at] = made;
    if (call->op == SUPPORT_OP_DESTROY) forget(r, &r->names.body[call->at]);
    if (call->op == SUPPORT_OP_REMOVE_SURFACE) forget(r, &r->names.surface[call->at]);
}

/* True if calls refuse a handle that is of no live body, and of no live surface. */
static bool is_refused(kugel_world *world, uint64_t handle, bool body, bool surface)
{
    const double place[3] = {0}, upright[4] = {0, 0, 0, 1};
    bool of_bodies = !kugel_body_is_valid(world, handle) &&
                     kugel_body_destroy(world, handle) == KUGEL_ERROR_STALE_HANDLE,
         of_surfaces =
             !kugel_surface_is_valid(world, handle) &&
             kugel_surface_set_pose(world, handle, place, upright) == KUGEL_ERROR_STALE_HANDLE &&
             kugel_surface_destroy(world, handle) == KUGEL_ERROR_STALE_HANDLE;
    return (!body || of_bodies) && (!surface || of_surfaces);
}

/* Handles of what was removed are refused, whatever has the id or index now, and so are those of
 * another kind. */
static void check_refusals(run *r, kugel_world *world, uint32_t call)
{
    bool refused = true;
    kugel_divergence d = {.field = "a handle is not refused"};
    for (uint32_t k = 0; k < r->stale_count; ++k)
        refused = refused && is_refused(world, r->stale[k], true, true);
    for (int k = 0; k < SUPPORT_PROGRAM_BODIES; ++k)
        refused = refused && is_refused(world, r->names.body[k], false, true);
    for (int k = 0; k < SUPPORT_PROGRAM_SURFACES; ++k)
        refused = refused && is_refused(world, r->names.surface[k], true, false);
    if (!refused) note(r, call, "call", &d);
}

static void make_call(run *r, uint32_t k, support_call call)
{
    uint64_t made, same;
    if (!support_program_resolve(r->world, &r->names, &call)) return;
    kugel_status status = support_program_call(r->world, &r->names, &call, &made),
                 twin = support_program_call(r->twin, &r->names, &call, &same);
    kugel_divergence d = {.expected = status, .found = twin, .field = "status"};
    if (status != twin || made != same) note(r, k, "call", &d);
    if (!status) name_made(r, &call, made);
    if (call.op != SUPPORT_OP_STEP || status) return;
    check_refusals(r, r->world, k), check_refusals(r, r->twin, k);
    compare(r, k);
}

/* Plays the recording from its start. Then seeks to every second tick, from which one step must
 * give the recorded state. */
static void play(run *r, const support_file *file)
{
    kugel_player *player;
    kugel_recording_info info;
    kugel_divergence d = {0};
    kugel_play result;
    cr_assert_eq(kugel_player_open(file->data, file->size, NULL, NULL, 1, &player, NULL), KUGEL_OK);
    kugel_player_info(player, &info);
    while ((result = kugel_player_step(player, &d)) == KUGEL_PLAY_TICK) continue;
    if (result != KUGEL_PLAY_END) note(r, (uint32_t)d.tick, "played", &d);
    for (uint64_t tick = info.ticks; tick > 1 && !r->fault.found; tick -= 2) {
        kugel_player_seek(player, tick - 1);
        if (kugel_player_step(player, &d) != KUGEL_PLAY_TICK)
            note(r, (uint32_t)tick, "sought and played", &d);
        if (tick < 3) break;
    }
    kugel_player_close(player);
    r->fault.played = r->fault.found;
}

support_program_fault support_program_run(const support_program *program)
{
    run r = {0};
    support_file file = {0};
    kugel_recording_def recording = support_recording_def(&file, true);
    if (kugel_world_create(&program->def, &r.world)) return r.fault;
    cr_assert_eq(kugel_world_create(&program->def, &r.twin), KUGEL_OK);
    bool recorded = program->keyframe_ticks >= 0;
    recording.keyframe_ticks = recorded ? (uint32_t)program->keyframe_ticks : 0;
    if (recorded) cr_assert_eq(kugel_world_recording_start(r.world, &recording), KUGEL_OK);
    for (uint32_t k = 0; k < program->count && !r.fault.found; ++k) {
        const support_call *call = &program->calls[k];
        if (call->op >= SUPPORT_OP_CLONE) disturb(&r, call);
        else make_call(&r, k, *call);
    }
    if (recorded) cr_assert_eq(kugel_world_recording_stop(r.world), KUGEL_OK);
    if (recorded && !r.fault.found) play(&r, &file);
    support_file_free(&file);
    kugel_world_destroy(r.world), kugel_world_destroy(r.twin);
    return r.fault;
}
