/* kugel as an engine of the benchmark. */
#include <kugel/kugel.h>
#include <stdlib.h>

#include "cells.h"
#include "times.h"

static uint64_t nanoseconds(void *unused)
{
    (void)unused;
    return (uint64_t)(1e9 * now());
}

static void add_bodies(kugel_world *world, const scene *s)
{
    kugel_body_def body = kugel_body_def_default();
    body.restitution = s->restitution;
    body.friction = s->friction;
    for (uint32_t i = 0; i < s->count; ++i) {
        body.radius = scene_radius(s, i);
        body.mass = scene_mass(s, i);
        if (s->collision_group)
            body.category = 1u << s->collision_group[i], body.mask = ~body.category;
        for (int k = 0; k < 3; ++k) {
            body.position[k] = s->position[3 * (size_t)i + (size_t)k];
            body.velocity[k] = s->velocity[3 * (size_t)i + (size_t)k];
            if (s->spin) body.spin[k] = s->spin[3 * (size_t)i + (size_t)k];
        }
        if (kugel_body_create(world, &body, NULL)) abort();
    }
}

static void add_floor(kugel_world *world, const scene *s)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = s->floor.vertices, def.vertex_count = s->floor.vertex_count;
    def.triangles = s->floor.triangles, def.triangle_count = s->floor.triangle_count;
    def.restitution = s->restitution;
    def.friction = s->friction;
    if (kugel_surface_create(world, &def, NULL)) abort();
}

/* The surfaces of movers follow that of the floor. */
static void add_mover(kugel_world *world, const scene *s, const mover *m)
{
    kugel_surface_def def = kugel_surface_def_default();
    double vertices[3 * KUGEL_MESH_BOX_VERTICES];
    uint32_t triangles[3 * KUGEL_MESH_BOX_TRIANGLES];
    if (kugel_mesh_box(m->half, vertices, triangles)) abort();
    def.vertices = vertices, def.vertex_count = KUGEL_MESH_BOX_VERTICES;
    def.triangles = triangles, def.triangle_count = KUGEL_MESH_BOX_TRIANGLES;
    def.one_sided = true;
    def.restitution = s->restitution;
    def.friction = s->friction;
    for (int k = 0; k < 3; ++k) def.position[k] = m->position[k];
    if (kugel_surface_create(world, &def, NULL)) abort();
}

static void *open_kugel(const scene *s)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = s->gravity;
    if (!s->defaults) {
        def.bounce_threshold = s->threshold;
        def.slop = s->slop;
        def.substeps = s->substeps;
    }
    if (s->sweeps) def.contact_iterations = s->sweeps;
    if (s->tasks.threads) def.tasks = s->tasks;
    def.sleep = s->sleeps;
    def.body_capacity = s->count;
    if (!s->untimed) def.clock.now = nanoseconds;
    for (int k = 0; k < 6 && !s->boundless; ++k)
        def.bounds.faces[k] = s->periodic ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL;
    if (s->open_top) def.bounds.faces[5] = KUGEL_FACE_OPEN;
    for (int k = 0; k < 3; ++k) def.bounds.max[k] = s->length[k];
    def.bounds.restitution = s->restitution;
    def.bounds.friction = s->friction;
    kugel_world *world;
    if (kugel_world_create(&def, &world)) abort();
    if (s->floor.triangle_count) add_floor(world, s);
    for (uint32_t k = 0; k < s->mover_count; ++k) add_mover(world, s, &s->movers[k]);
    add_bodies(world, s);
    return world;
}

static void step_kugel(void *engine, double dt)
{
    if (kugel_world_step(engine, dt)) abort();
}

static void move_kugel(void *engine, uint32_t index, double rise, double spin, double dt)
{
    const double velocity[3] = {0, 0, rise}, turn[3] = {0, 0, spin};
    (void)dt;
    if (kugel_surface_set_motion(engine, kugel_world_surface(engine, index + 1), velocity, turn))
        abort();
}

static void read_kugel(void *engine, double *position, double *velocity)
{
    kugel_world_read_arrays(engine, kugel_world_body_count(engine),
                            &(kugel_body_arrays){.position = position, .velocity = velocity});
}

static size_t meetings_kugel(void *engine, contact_event *out, size_t room)
{
    size_t count, met = 0;
    const kugel_impact *impacts = kugel_world_impact_events(engine, &count);
    for (size_t k = 0; k < count; ++k) {
        if (impacts[k].target != KUGEL_TARGET_BODY) continue;
        if (met < room)
            out[met] = (contact_event){kugel_body_id(impacts[k].a), kugel_body_id(impacts[k].b),
                                       impacts[k].time};
        met += 1;
    }
    return met;
}

static void empty_kugel(void *engine)
{
    uint32_t end = kugel_world_id_end(engine);
    for (uint32_t id = 0; id < end; ++id) {
        if (kugel_body_destroy(engine, kugel_world_body(engine, id))) abort();
    }
}

static void close_kugel(void *engine) { kugel_world_destroy(engine); }

kugel_stats kugel_stats_of(void *engine)
{
    kugel_stats stats;
    kugel_world_stats(engine, &stats);
    return stats;
}

uint64_t kugel_impacts_of(void *engine) { return kugel_stats_of(engine).impacts_total; }
double kugel_memory_of(void *engine) { return (double)kugel_stats_of(engine).memory; }

double kugel_virial_of(void *engine, const scene *s)
{
    size_t count;
    double sum = 0;
    const kugel_impact *impacts = kugel_world_impact_events(engine, &count);
    for (size_t k = 0; k < count; ++k) {
        if (impacts[k].target != KUGEL_TARGET_BODY) continue;
        sum += impacts[k].impulse * (scene_radius(s, kugel_body_id(impacts[k].a)) +
                                     scene_radius(s, kugel_body_id(impacts[k].b)));
    }
    return sum;
}

kugel_step_times kugel_times_of(void *engine)
{
    kugel_step_times total;
    kugel_world_step_times(engine, NULL, &total);
    return total;
}

const peer peer_kugel = {"kugel",    open_kugel,     step_kugel,  move_kugel,
                         read_kugel, meetings_kugel, empty_kugel, close_kugel};
