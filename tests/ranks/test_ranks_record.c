/* Recordings of divided worlds have the bytes that one process records, and one process plays them.
 * Failures of the recording do not fail a step. Comparisons are exact. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_ranks.h"
#include "support/support_scene.h"

enum { RANKS = 3, TICKS = 40, STOP = 35 /* ticks of the recording */, CHANGE = 16 };
static const double dt = 0.02;

typedef struct bytes {
    char *data;
    size_t size, most; /* most: writes beyond fail */
} bytes;

static bool append(void *user, const void *data, size_t size)
{
    bytes *b = user;
    char *more = b->size + size <= b->most ? realloc(b->data, b->size + size) : NULL;
    if (!more) return false;
    memcpy(more + b->size, data, size);
    b->data = more, b->size += size;
    return true;
}

typedef struct recorded_run {
    kugel_world *worlds[RANKS];
    kugel_recording_def def;
    bytes bytes;
    kugel_status status[RANKS], recording; /* recording: when it is stopped */
    uint64_t hash[RANKS];
} recorded_run;

/* End the recording before the last ticks; dump that of a ring. */
static kugel_status stop(recorded_run *run, kugel_world *world)
{
    kugel_status status = KUGEL_OK;
    if (run->def.ring_ticks) status = kugel_world_recording_dump(world, append, &run->bytes);
    kugel_status stopped = kugel_world_recording_stop(world);
    return status ? status : stopped;
}

/* The recording holds these calls. */
static void change(kugel_world *world)
{
    kugel_body_destroy(world, kugel_world_body(world, 3));
    kugel_body_apply_impulse(world, kugel_world_body(world, 5), (double[3]){3, 0, 0}, NULL);
    kugel_world_set_gravity(world, (double[3]){0, 0, -1});
}

static void run_rank(const kugel_exchange *exchange, void *argument)
{
    recorded_run *run = argument;
    uint32_t me = exchange->rank;
    kugel_status *status = &run->status[me];
    kugel_ranks *ranks;
    if ((*status = kugel_ranks_create(run->worlds[me], exchange, &ranks))) abort();
    for (int t = 0; t < TICKS && !*status; ++t) {
        if (t == STOP && me == 0) run->recording = stop(run, run->worlds[me]);
        if (t % CHANGE == 0) {
            kugel_world *world;
            if ((*status = kugel_ranks_edit(ranks, &world))) break;
            change(world);
        }
        *status = kugel_ranks_step(ranks, dt);
    }
    kugel_ranks_hash(ranks, &run->hash[me]);
    kugel_ranks_destroy(ranks);
}

/* The recording begins before the second body is made, so it holds a snapshot and calls. */
static kugel_world *make(const support_scene *scene, recorded_run *run)
{
    support_scene first = *scene;
    first.count = 1;
    kugel_world *world = support_scene_world(&first);
    run->def.write = append, run->def.user = &run->bytes;
    cr_assert(!run->def.cookie || !kugel_world_recording_start(world, &run->def));
    for (uint32_t i = 1; i < scene->count; ++i)
        cr_assert(!kugel_body_create(world, &scene->bodies[i], NULL));
    return world;
}

static uint64_t run_alone(const support_scene *scene, recorded_run *run)
{
    kugel_world *world = make(scene, run);
    for (int t = 0; t < TICKS; ++t) {
        if (t == STOP) run->recording = stop(run, world);
        if (t % CHANGE == 0) change(world);
        cr_assert(!kugel_world_step(world, dt));
    }
    uint64_t hash = kugel_world_hash(world);
    kugel_world_destroy(world);
    return hash;
}

static void run_divided(const support_scene *scene, recorded_run *run)
{
    recorded_run unrecorded = {0};
    for (uint32_t k = 0; k < RANKS; ++k) run->worlds[k] = make(scene, k ? &unrecorded : run);
    support_ranks_run(RANKS, 1, run_rank, run);
}

static void check_plays(const bytes *recording, bool ring)
{
    kugel_player *player;
    kugel_recording_info info;
    uint32_t ticks = 0;
    cr_assert(!kugel_player_open(recording->data, recording->size, NULL, NULL, 1, &player, NULL));
    while (kugel_player_step(player, NULL) == KUGEL_PLAY_TICK) ++ticks;
    kugel_player_info(player, &info);
    cr_assert(info.closed && ticks == info.ticks && ticks + info.origin == STOP);
    cr_assert(ring == (info.origin > 0));
    kugel_player_close(player);
}

Test(ranks_record, has_the_bytes_of_one_process)
{
    support_random random = support_random_start("ranks, record", 1);
    support_scene scene = support_scene_gas(5, 0.2, KUGEL_FACE_PERIODIC, 5, &random);
    static const struct {
        bool states;
        uint32_t ring, keyframes;
    } rows[] = {{true, 0, 8}, {false, 0, 8}, {false, 0, 0}, {true, 9, 0}, {false, 9, 4}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        recorded_run alone = {.def = kugel_recording_def_default(), .bytes.most = SIZE_MAX};
        alone.def.states = rows[k].states;
        alone.def.ring_ticks = rows[k].ring;
        alone.def.keyframe_ticks = rows[k].keyframes;
        recorded_run many = alone;
        uint64_t hash = run_alone(&scene, &alone);
        run_divided(&scene, &many);
        cr_assert(!alone.recording && !many.recording);
        for (uint32_t r = 0; r < RANKS; ++r)
            cr_assert(!many.status[r] && many.hash[r] == hash, "row %zu", k);
        cr_assert(many.bytes.size == alone.bytes.size &&
                      memcmp(many.bytes.data, alone.bytes.data, many.bytes.size) == 0,
                  "row %zu: %zu and %zu bytes", k, many.bytes.size, alone.bytes.size);
        check_plays(&many.bytes, rows[k].ring);
        free(alone.bytes.data), free(many.bytes.data);
    }
    support_scene_free(&scene);
}

/* The run goes on without its recording, which keeps what was written. */
Test(ranks_record, write_that_fails)
{
    support_random random = support_random_start("ranks, record, failure", 2);
    support_scene scene = support_scene_gas(5, 0.2, KUGEL_FACE_WALL, 5, &random);
    recorded_run none = {0};
    uint64_t hash = run_alone(&scene, &none);
    recorded_run many = {.def = kugel_recording_def_default(), .bytes.most = 60000};
    run_divided(&scene, &many);
    cr_assert_eq(many.recording, KUGEL_ERROR_IO);
    for (uint32_t r = 0; r < RANKS; ++r) cr_assert(!many.status[r] && many.hash[r] == hash);
    free(many.bytes.data);
    support_scene_free(&scene);
}
