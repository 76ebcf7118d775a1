#include <kugel/kugel.h>
#include <stdlib.h>

#include "bench.h"

static void *open_kugel(const scene *s)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = s->gravity;
    def.bounce_threshold = s->threshold;
    def.slop = s->slop;
    def.substeps = s->substeps;
    if (s->sweeps) def.contact_iterations = s->sweeps;
    def.sleep = false;
    def.body_capacity = s->count;
    for (int k = 0; k < 6; ++k)
        def.bounds.faces[k] = s->periodic ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL;
    if (s->open_top) def.bounds.faces[5] = KUGEL_FACE_OPEN;
    for (int k = 0; k < 3; ++k) def.bounds.max[k] = s->length[k];
    def.bounds.restitution = s->restitution;
    def.bounds.friction = s->friction;
    kugel_world *world;
    if (kugel_world_create(&def, &world)) abort();
    kugel_body_def body = kugel_body_def_default();
    body.radius = s->radius;
    body.mass = s->mass;
    body.restitution = s->restitution;
    body.friction = s->friction;
    for (uint32_t i = 0; i < s->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            body.position[k] = s->position[3 * (size_t)i + (size_t)k];
            body.velocity[k] = s->velocity[3 * (size_t)i + (size_t)k];
        }
        if (kugel_body_create(world, &body, NULL)) abort();
    }
    return world;
}

static void step_kugel(void *engine, double dt)
{
    if (kugel_world_step(engine, dt)) abort();
}

static void read_kugel(void *engine, double *position, double *velocity)
{
    kugel_world_read(engine, kugel_world_body_count(engine), NULL, position, velocity, NULL);
}

static void close_kugel(void *engine) { kugel_world_destroy(engine); }

uint64_t kugel_impacts_of(void *engine)
{
    kugel_stats stats;
    kugel_world_stats(engine, &stats);
    return stats.impacts_total;
}

double kugel_memory_of(void *engine)
{
    kugel_stats stats;
    kugel_world_stats(engine, &stats);
    return (double)stats.memory;
}

const peer peer_kugel = {"kugel", open_kugel, step_kugel, read_kugel, close_kugel};
