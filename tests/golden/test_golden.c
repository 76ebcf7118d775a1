/* Golden scenes: every tick has the stored hash, for any number of threads and order of tasks.
 * Snapshots of any tick continue, and recordings play back, bit for bit. Other generations of
 * handles do not change the motion. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/support_golden.h"
#include "support/support_sanitized.h"
#include "support/support_snapshot.h"

/* The stored hashes of a scene. */
typedef struct golden_hashes {
    uint32_t ticks;
    uint32_t low[512]; /* lower 32 bits after each tick */
    uint64_t last;     /* all bits after the last tick */
} golden_hashes;

static golden_hashes read_golden_hashes(const char *name)
{
    char path[1024], word[64];
    golden_hashes k = {0};
    snprintf(path, sizeof path, "%s/tests/golden/golden.txt", getenv("KUGEL_SOURCE"));
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s cannot be read", path);
    unsigned epoch;
    cr_assert_eq(fscanf(file, "epoch %u", &epoch), 1);
    cr_assert_eq(epoch, KUGEL_PHYSICS_EPOCH, "golden.txt is of epoch %u: tools/update-golden",
                 epoch);
    while (fscanf(file, "%63s", word) == 1) {
        if (strcmp(word, "scene") != 0 || fscanf(file, "%63s", word) != 1 ||
            strcmp(word, name) != 0)
            continue;
        cr_assert_eq(fscanf(file, "%u", &k.ticks), 1);
        cr_assert_leq(k.ticks, 512);
        for (uint32_t t = 0; t < k.ticks; ++t) cr_assert_eq(fscanf(file, "%x", &k.low[t]), 1);
        unsigned long long last;
        cr_assert_eq(fscanf(file, " last %llx", &last), 1);
        k.last = last;
    }
    fclose(file);
    cr_assert(k.ticks > 0, "%s is not among the kept hashes: tools/update-golden", name);
    return k;
}

static void check_hashes(const golden_scene *scene, const kugel_tasks *tasks, const char *how)
{
    golden_hashes k = read_golden_hashes(scene->name);
    kugel_world *world = golden_start(scene, tasks);
    cr_assert(world, "%s", scene->name);
    cr_assert_eq(k.ticks, scene->ticks);
    uint64_t impacts = 0, contacts = 0;
    for (uint32_t t = 0; t < k.ticks; ++t) {
        cr_assert(golden_step(scene, world), "%s: %s", scene->name,
                  kugel_world_last_error(world)->message);
        uint32_t low = (uint32_t)kugel_world_hash(world);
        cr_assert_eq(low, k.low[t],
                     "%s %s: tick %u gives %08x, kept is %08x: a changed result needs a new "
                     "physics epoch (tools/update-golden)",
                     scene->name, how, t + 1, low, k.low[t]);
        kugel_stats stats;
        kugel_world_stats(world, &stats);
        impacts = stats.impacts_total;
        contacts += stats.resting_contacts;
    }
    cr_assert_eq(kugel_world_hash(world), k.last);
    cr_assert(impacts + contacts > 10, "%s: nothing happens in it", scene->name);
    kugel_world_destroy(world);
}

Test(golden, every_tick_of_every_scene)
{
    for (int s = 0; s < GOLDEN_SCENES; ++s) check_hashes(&golden_scenes[s], NULL, "on one thread");
}

/* A task system of the host: threads run tasks in an unusual order, with random delays. */
typedef struct jitter {
    uint32_t threads, state;
} jitter;

typedef struct share {
    void (*task)(void *, uint32_t);
    void *context;
    uint32_t first, step, count, seed;
} share;

static void *work(void *argument)
{
    share *s = argument;
    for (uint32_t i = s->first; i < s->count; i += s->step) {
        s->seed = s->seed * 1664525u + 1013904223u;
        for (uint32_t k = 0; k < s->seed >> 29; ++k) sched_yield();
        s->task(s->context, s->count - 1 - i);
    }
    return NULL;
}

static void run_jitter(void *user, uint32_t count, void (*task)(void *, uint32_t), void *context)
{
    jitter *j = user;
    pthread_t threads[16];
    share shares[16];
    for (uint32_t k = 0; k < j->threads; ++k) {
        j->state = j->state * 1664525u + 1013904223u;
        shares[k] = (share){task, context, k, j->threads, count, j->state};
        cr_assert_eq(pthread_create(&threads[k], NULL, work, &shares[k]), 0);
    }
    for (uint32_t k = 0; k < j->threads; ++k) pthread_join(threads[k], NULL);
}

Test(golden, any_number_of_threads_in_any_order)
{
    static const uint32_t threads[4] = {2, 3, 7, 16};
    for (int s = 0; s < GOLDEN_SCENES; ++s) {
        for (int k = 0; k < 4; k += SUPPORT_SANITIZED ? 3 : 1) {
            jitter j = {threads[k], 7u + (uint32_t)k};
            check_hashes(&golden_scenes[s], &(kugel_tasks){.threads = threads[k]},
                         "on the world's own threads");
            check_hashes(&golden_scenes[s], &(kugel_tasks){run_jitter, &j, threads[k]},
                         "on jittering threads");
        }
    }
}

/* Restores a snapshot in another world, runs for up to `ticks` ticks and compares all states. */
static void continue_from(const golden_scene *scene, const support_bytes *frames, uint32_t from,
                          uint32_t ticks)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_snapshot_restore(world, frames[from].data, frames[from].size), KUGEL_OK,
                 "%s", kugel_world_last_error(world)->message);
    for (uint32_t t = from + 1; t <= from + ticks && t <= scene->ticks; ++t) {
        cr_assert(golden_step(scene, world));
        support_bytes now = support_snapshot_of(world);
        if (now.size != frames[t].size || memcmp(now.data, frames[t].data, now.size) != 0) {
            kugel_divergence d = {0};
            kugel_snapshot_difference(frames[t].data, frames[t].size, now.data, now.size, &d);
            cr_assert(false, "%s from tick %u: at tick %u body %u %s is %.17g, not %.17g",
                      scene->name, from, t, d.body, d.field, d.found, d.expected);
        }
        free(now.data);
    }
    kugel_world_destroy(world);
}

/* Runs from every tick for two ticks, and from every eighth to the end. */
Test(golden, restoring_and_going_on_from_every_tick)
{
    for (int s = 0; s < GOLDEN_SCENES; ++s) {
        const golden_scene *scene = &golden_scenes[s];
        support_bytes *frames = calloc(scene->ticks + 1, sizeof *frames);
        kugel_world *world = golden_start(scene, NULL);
        frames[0] = support_snapshot_of(world);
        for (uint32_t t = 1; t <= scene->ticks; ++t) {
            cr_assert(golden_step(scene, world));
            frames[t] = support_snapshot_of(world);
        }
        for (uint32_t t = 0; t < scene->ticks; ++t)
            continue_from(scene, frames, t, t % 8 ? 2 : scene->ticks);
        for (uint32_t t = 0; t <= scene->ticks; ++t) free(frames[t].data);
        free(frames);
        kugel_world_destroy(world);
    }
}

/* Bodies that are created and destroyed first change the generations of later handles, but must not
 * change the motion. */
Test(golden, other_generations_move_the_same)
{
    const golden_scene *scene = &golden_scenes[2];
    kugel_world_def def = golden_def(scene);
    kugel_world *plain = golden_start(scene, NULL), *other;
    cr_assert_eq(kugel_world_create(&def, &other), KUGEL_OK);
    kugel_body_def dummy = kugel_body_def_default();
    for (int k = 0; k < 3; ++k) dummy.position[k] = 1;
    for (int round = 0; round < 3; ++round) {
        kugel_body made[40];
        for (int i = 0; i < 40; ++i)
            cr_assert_eq(kugel_body_create(other, &dummy, &made[i]), KUGEL_OK);
        for (int i = 0; i < 40; ++i) kugel_body_destroy(other, made[i]);
    }
    uint32_t n = kugel_world_body_count(plain);
    for (uint32_t id = 0; id < n; ++id) {
        kugel_body_state state;
        kugel_body_get(plain, kugel_world_body(plain, id), &state);
        kugel_body_def copy = kugel_body_def_default();
        copy.radius = state.radius, copy.mass = state.mass, copy.restitution = state.restitution,
        copy.friction = state.friction;
        memcpy(copy.position, state.position, sizeof copy.position);
        memcpy(copy.velocity, state.velocity, sizeof copy.velocity);
        memcpy(copy.spin, state.spin, sizeof copy.spin);
        cr_assert_eq(kugel_body_create(other, &copy, NULL), KUGEL_OK);
    }
    double *x = malloc(6 * n * sizeof *x), *y = x + 3 * n;
    for (uint32_t t = 0; t < scene->ticks; ++t) {
        cr_assert(golden_step(scene, plain) && golden_step(scene, other));
        kugel_world_read_arrays(plain, n, &(kugel_body_arrays){.position = x});
        kugel_world_read_arrays(other, n, &(kugel_body_arrays){.position = y});
        cr_assert_eq(memcmp(x, y, 3 * n * sizeof *x), 0, "tick %u", t + 1);
    }
    free(x);
    kugel_world_destroy(plain);
    kugel_world_destroy(other);
}

static bool append(void *user, const void *data, size_t size)
{
    support_bytes *file = user;
    file->data = realloc(file->data, file->size + size);
    memcpy(file->data + file->size, data, size);
    file->size += size;
    return file->data;
}

Test(golden, recordings_of_every_scene_play_back)
{
    for (int s = 0; s < GOLDEN_SCENES; ++s) {
        const golden_scene *scene = &golden_scenes[s];
        support_bytes file = {0};
        kugel_world_def def = golden_def(scene);
        kugel_recording_def recording = kugel_recording_def_default();
        kugel_world *world;
        recording.write = append;
        recording.user = &file;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
        scene->fill(world);
        for (uint32_t t = 0; t < scene->ticks; ++t) cr_assert(golden_step(scene, world));
        cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
        kugel_world_destroy(world);
        kugel_player *player;
        cr_assert_eq(kugel_player_open(file.data, file.size, NULL, NULL, 2, &player, NULL),
                     KUGEL_OK);
        uint32_t ticks = 0;
        kugel_play play;
        while ((play = kugel_player_step(player, NULL)) == KUGEL_PLAY_TICK) ++ticks;
        cr_assert_eq(play, KUGEL_PLAY_END, "%s: tick %u", scene->name, ticks + 1);
        cr_assert_eq(ticks, scene->ticks);
        kugel_player_close(player);
        free(file.data);
    }
}
