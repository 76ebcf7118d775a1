/* Recordings, players, clones and deltas for the JavaScript package. In: pointers and doubles. Out:
 * bytes in memory that the caller frees, statuses. */
#include <stdlib.h>
#include <string.h>

#include "package.h"

/* Recordings: bytes collect until they are taken. */

typedef struct tape {
    uint8_t *data;
    size_t size, room;
} tape;

tape *EXPORT(js_tape_make)(void) { return calloc(1, sizeof(tape)); }

void EXPORT(js_tape_free)(tape *t)
{
    if (t) free(t->data);
    free(t);
}

const uint8_t *EXPORT(js_tape_data)(const tape *t) { return t->data; }
size_t EXPORT(js_tape_size)(const tape *t) { return t->size; }
void EXPORT(js_tape_clear)(tape *t) { t->size = 0; }

static bool tape_write(void *user, const void *data, size_t size)
{
    tape *t = user;
    if (size > t->room - t->size) {
        size_t room = 2 * (t->size + size);
        uint8_t *moved = realloc(t->data, room);
        if (!moved) return false;
        t->data = moved, t->room = room;
    }
    memcpy(t->data + t->size, data, size);
    t->size += size;
    return true;
}

int EXPORT(js_recording_start)(kugel_world *world, tape *t, const void *annotation, size_t size,
                               int states, uint32_t ring_ticks, uint32_t keyframe_ticks)
{
    kugel_recording_def def = kugel_recording_def_default();
    def.write = tape_write, def.user = t;
    def.annotation = size ? annotation : NULL, def.annotation_size = size;
    def.states = states, def.ring_ticks = ring_ticks, def.keyframe_ticks = keyframe_ticks;
    return kugel_world_recording_start(world, &def);
}

int EXPORT(js_recording_mark)(kugel_world *world) { return kugel_world_recording_mark(world); }

int EXPORT(js_recording_stop)(kugel_world *world) { return kugel_world_recording_stop(world); }

int EXPORT(js_recording_status)(const kugel_world *world)
{
    return kugel_world_recording_status(world);
}

int EXPORT(js_recording_dump)(kugel_world *world, tape *t)
{
    return kugel_world_recording_dump(world, tape_write, t);
}

static kugel_error open_error;
static kugel_divergence divergence; /* of the last step, snapshots or runs that differ */

void js_set_divergence(const kugel_divergence *found) { divergence = *found; }

const kugel_error *EXPORT(js_open_error)(void) { return &open_error; }

/* The data must stay until the player is closed. NULL: refused. */
kugel_player *EXPORT(js_player_open)(const void *data, size_t size, uint32_t bytes, uint32_t bodies)
{
    const kugel_limits limits = {bytes, bodies};
    kugel_player *player = NULL;
    kugel_status status = kugel_player_open(data, size, &limits, NULL, 1, &player, &open_error);
    return status ? NULL : player;
}

void EXPORT(js_player_close)(kugel_player *player) { kugel_player_close(player); }

/* Out: format, epoch, ticks, origin, bytes, lost, damaged, closed, states, pair filter, keyframes,
 * annotation's address and size. */
void EXPORT(js_player_info)(const kugel_player *player)
{
    kugel_recording_info i;
    kugel_player_info(player, &i);
    const double values[] = {i.format,
                             i.physics_epoch,
                             (double)i.ticks,
                             (double)i.origin,
                             (double)i.bytes,
                             (double)i.lost,
                             i.damaged,
                             i.closed,
                             i.states,
                             i.pair_filter,
                             i.keyframes,
                             (double)(uintptr_t)i.annotation,
                             (double)i.annotation_size};
    memcpy(js_numbers(), values, sizeof values);
}

int EXPORT(js_player_step)(kugel_player *player)
{
    divergence = (kugel_divergence){0};
    return (int)kugel_player_step(player, &divergence);
}

/* Out: tick, located, body, expected, found. */
void EXPORT(js_divergence)(void)
{
    const double values[] = {(double)divergence.tick, divergence.located, divergence.body,
                             divergence.expected, divergence.found};
    memcpy(js_numbers(), values, sizeof values);
}

const char *EXPORT(js_divergence_field)(void) { return divergence.field; }

/* Out: format, epoch, tick, time, bodies, contacts, exact. */
int EXPORT(js_snapshot_check)(const void *data, size_t size)
{
    kugel_snapshot_info i;
    kugel_status status = kugel_snapshot_check(data, size, &i, &open_error);
    if (status) return status;
    const double values[] = {i.format, i.physics_epoch, (double)i.tick, i.time,
                             i.bodies, i.contacts,      i.exact};
    memcpy(js_numbers(), values, sizeof values);
    return status;
}

/* True: they differ, and js_divergence says where. */
int EXPORT(js_snapshot_difference)(const void *expected, size_t expected_size, const void *found,
                                   size_t found_size)
{
    divergence = (kugel_divergence){0};
    return kugel_snapshot_difference(expected, expected_size, found, found_size, &divergence);
}

int EXPORT(js_player_seek)(kugel_player *player, double tick)
{
    return (int)kugel_player_seek(player, (uint64_t)tick);
}

void EXPORT(js_player_cache)(kugel_player *player, size_t bytes)
{
    kugel_player_cache_keyframes(player, bytes);
}

const kugel_world *EXPORT(js_player_world)(const kugel_player *player)
{
    return kugel_player_world(player);
}

uint64_t EXPORT(js_player_hash)(const kugel_player *player, double tick)
{
    return kugel_player_hash(player, (uint64_t)tick);
}

const kugel_error *EXPORT(js_player_error)(const kugel_player *player)
{
    return kugel_player_error(player);
}

/* NULL: out of memory. The C function takes no const world, because it reports errors there. */
kugel_world *EXPORT(js_world_clone)(const kugel_world *world)
{
    kugel_world *clone;
    return kugel_world_clone(world, &clone) ? NULL : clone;
}

/* js_delta_make and js_delta_apply return the status and write the size to js_numbers()[0]. Without
 * room that is KUGEL_ERROR_LIMIT and the room that they need. */
int EXPORT(js_delta_make)(const void *base, size_t base_size, const void *snapshot, size_t size,
                          void *delta, size_t room)
{
    size_t written = 0;
    kugel_status status =
        kugel_delta_make(base, base_size, snapshot, size, room ? delta : NULL, room, &written);
    *js_numbers() = (double)written;
    return !status && !room ? KUGEL_ERROR_LIMIT : status;
}

int EXPORT(js_delta_apply)(const void *base, size_t base_size, const void *delta, size_t delta_size,
                           void *snapshot, size_t room)
{
    size_t size = 0;
    kugel_status status =
        kugel_delta_apply(base, base_size, delta, delta_size, snapshot, room, &size);
    *js_numbers() = (double)size;
    return status;
}
