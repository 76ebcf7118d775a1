/* Several threads read one const world: snapshots, clones, queries, contacts, states, events. For
 * the thread sanitizer, under which unit tests cannot run. All threads have the same results. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kugel/kugel.h"

enum { READERS = 4, ROUNDS = 20, BALLS = 60 };

typedef struct reader {
    const kugel_world *world;
    kugel_body body;
    pthread_t thread;
    void *snapshot;
    size_t size, contacts, found;
    uint64_t hash; /* of the clone */
    double sum;    /* of what the other functions give */
    bool failed;
} reader;

/* A call of each other kind of function with a const world. */
static void read_all(reader *r)
{
    const kugel_world *world = r->world;
    double position[3 * BALLS], from[3] = {0, 0, 5};
    kugel_body_arrays arrays = {.position = position};
    kugel_body_state state;
    kugel_resting_contact contacts[4 * BALLS];
    kugel_move moves[BALLS];
    kugel_body inside[BALLS];
    kugel_stats stats;
    kugel_world_def def;
    kugel_found near;
    kugel_surface_def shape;
    kugel_surface trap = kugel_world_surface(world, 0);
    size_t resting, events[4], bodies, found;
    if (kugel_body_get(world, r->body, &state) || kugel_world_get_def(world, &def) ||
        kugel_world_contacts(world, 4 * BALLS, contacts, &resting) ||
        kugel_surface_bodies(world, trap, BALLS, inside, &bodies) ||
        kugel_surface_get(world, trap, &shape, NULL) ||
        kugel_world_nearest(world, from, 9, NULL, 1, &near, &found)) {
        r->failed = true;
        return;
    }
    kugel_world_stats(world, &stats);
    (void)kugel_world_impact_events(world, &events[0]);
    (void)kugel_world_begin_events(world, &events[1]);
    (void)kugel_world_sleep_events(world, &events[2]);
    (void)kugel_world_sensor_events(world, &events[3]);
    r->sum = (double)(kugel_world_read_arrays(world, BALLS, &arrays) +
                      kugel_world_moves(world, BALLS, moves) + kugel_world_hash(world) % 1000003 +
                      resting + bodies + found + stats.tick + events[0] + events[1] + events[2] +
                      events[3]) +
             state.position[2] + position[3 * BALLS - 1] + near.gap + def.gravity[2];
}

static void read_once(reader *r)
{
    static const double up[3] = {0, 0, 2}, down[3] = {0, 0, -1};
    kugel_ray ray = {{up[0], up[1], up[2]}, {down[0], down[1], down[2]}, 10};
    kugel_ray_hit hits[8];
    kugel_resting_contact contacts[16];
    kugel_world *clone;
    size_t room;
    if (kugel_snapshot_save(r->world, true, NULL, 0, &room)) r->failed = true;
    free(r->snapshot);
    r->snapshot = malloc(room);
    if (!r->snapshot || kugel_snapshot_save(r->world, true, r->snapshot, room, &r->size))
        r->failed = true;
    if (kugel_world_ray_all(r->world, &ray, NULL, 8, hits, &r->found)) r->failed = true;
    if (kugel_body_contacts(r->world, r->body, 16, contacts, &r->contacts)) r->failed = true;
    if (kugel_world_clone(r->world, &clone)) {
        r->failed = true;
        return;
    }
    r->hash = kugel_world_hash(clone);
    kugel_world_destroy(clone);
}

static void *run(void *context)
{
    for (int k = 0; k < ROUNDS; ++k) read_once(context), read_all(context);
    return NULL;
}

static kugel_world *make(kugel_body *first)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.gravity[2] = -9.81;
    def.bounds.faces[4] = def.bounds.faces[5] = KUGEL_FACE_WALL;
    def.bounds.max[2] = 100;
    if (kugel_world_create(&def, &world)) abort();
    for (int i = 0; i < BALLS; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.position[0] = 0.01 * (i % 3), ball.position[1] = i / 3;
        ball.position[2] = 0.5 + 1.0 * (i % 3), ball.user_data = (uint64_t)i;
        if (kugel_body_create(world, &ball, i ? NULL : first)) abort();
    }
    kugel_surface_def trap = kugel_surface_def_default();
    trap.shape = KUGEL_SURFACE_BOX, trap.sensor = true;
    trap.size[0] = trap.size[1] = trap.size[2] = 1;
    if (kugel_surface_create(world, &trap, NULL)) abort();
    for (int tick = 0; tick < 60; ++tick) {
        if (kugel_world_step(world, 1 / 60.)) abort();
    }
    return world;
}

int main(void)
{
    kugel_body first;
    kugel_world *world = make(&first);
    uint64_t hash = kugel_world_hash(world);
    reader readers[READERS] = {0};
    bool same = true;
    for (int k = 0; k < READERS; ++k) {
        readers[k].world = world, readers[k].body = first;
        if (pthread_create(&readers[k].thread, NULL, run, &readers[k])) abort();
    }
    for (int k = 0; k < READERS; ++k) pthread_join(readers[k].thread, NULL);
    for (int k = 0; k < READERS; ++k) {
        const reader *r = &readers[k], *one = &readers[0];
        same = same && !r->failed && r->hash == hash && r->size == one->size &&
               !memcmp(r->snapshot, one->snapshot, r->size) && r->found == one->found &&
               r->contacts == one->contacts && r->sum == one->sum;
    }
    for (int k = 0; k < READERS; ++k) free(readers[k].snapshot);
    kugel_world_destroy(world);
    if (!same) fprintf(stderr, "readers differ\n");
    return !same;
}
