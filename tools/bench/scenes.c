/* Scenes GAS and PILE, and a periodic gas for EXACT. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "random.h"

floor_mesh floor_make(uint32_t cells)
{
    floor_mesh floor = {.vertex_count = (cells + 1) * (cells + 1),
                        .triangle_count = 2 * cells * cells};
    floor.vertices = calloc(3 * (size_t)floor.vertex_count, sizeof(double));
    floor.triangles = calloc(3 * (size_t)floor.triangle_count, sizeof(uint32_t));
    if (!floor.vertices || !floor.triangles) abort();
    return floor;
}

void floor_set_squares(floor_mesh *floor, uint32_t cells)
{
    uint32_t row = cells + 1, *t = floor->triangles;
    for (uint32_t k = 0; k < cells * cells; ++k, t += 6) {
        uint32_t a = k / cells * row + k % cells, b = a + 1, c = a + row, d = c + 1;
        const uint32_t two[6] = {a, b, d, a, d, c};
        for (int i = 0; i < 6; ++i) t[i] = two[i];
    }
}

void floor_free(floor_mesh *floor)
{
    free(floor->vertices);
    free(floor->triangles);
    *floor = (floor_mesh){0};
}

scene scene_make(uint32_t count)
{
    scene s = {.count = count, .radius = 0.5, .mass = 1, .dt = 1.0 / 60, .substeps = 4};
    s.position = calloc((size_t)count * 3, sizeof(double));
    s.velocity = calloc((size_t)count * 3, sizeof(double));
    if (!s.position || !s.velocity) abort();
    random_seed(1);
    return s;
}

/* Puts spheres on random sites of a face-centred lattice (i + j + k even) in the cube, without
 * overlaps for packing fractions up to 0.7. */
static void fill(scene *s, double length)
{
    int64_t n = (int64_t)(length / (2 * s->radius / sqrt(2)) * (1 - 1e-9)) / 2 * 2;
    double step = length / (double)n;
    uint64_t left = (uint64_t)(n * n * n / 2), need = s->count, i = 0;
    for (int64_t c = 0; c < n * n * n && need; ++c) {
        int64_t at[3] = {c % n, c / n % n, c / (n * n)};
        if ((at[0] + at[1] + at[2]) & 1) continue;
        if (random_uniform() * (double)left-- >= (double)need) continue;
        for (int k = 0; k < 3; ++k) s->position[3 * i + (uint64_t)k] = ((double)at[k] + 0.5) * step;
        ++i, --need;
    }
    if (need) abort();
}

scene scene_gas(uint32_t count, double eta, bool periodic)
{
    scene s = scene_make(count);
    double length = cbrt(count * 3.14159265358979323846 / 6 / eta);
    for (int k = 0; k < 3; ++k) s.length[k] = length;
    s.restitution = 1;
    s.periodic = periodic;
    s.substeps = 1;
    fill(&s, length);
    if (!periodic) { /* keep surfaces inside the walls */
        int64_t n = (int64_t)ceil(cbrt(count));
        double step = length / (double)n;
        for (uint32_t i = 0; i < count; ++i) {
            const int64_t at[3] = {i % n, i / n % n, i / (n * n)};
            for (int k = 0; k < 3; ++k) {
                s.position[3 * (size_t)i + (size_t)k] =
                    ((double)at[k] + 0.5) * step + (random_uniform() - 0.5) * (step - 1) * 0.9;
            }
        }
    }
    for (size_t i = 0; i < (size_t)count * 3; ++i) s.velocity[i] = 5 * random_gauss();
    return s;
}

scene scene_pile(uint32_t count)
{
    scene s = scene_make(count);
    int64_t n = (int64_t)ceil(cbrt(count));
    s.length[0] = s.length[1] = 1.1 * (double)n;
    s.length[2] = 1e6;
    s.open_top = true;
    s.friction = 0.5;
    s.gravity = -9.81;
    s.threshold = 0.5;
    s.slop = 0.01;
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t at[3] = {i % n, i / n % n, i / (n * n)};
        for (int k = 0; k < 3; ++k) {
            s.position[3 * (size_t)i + (size_t)k] =
                ((double)at[k] + 0.5) * 1.1 + (random_uniform() - 0.5) * 0.04;
        }
    }
    return s;
}

void scene_scale(scene *s, double scale)
{
    double mass = scale * scale * scale;
    for (size_t i = 0; i < 3 * (size_t)s->count; ++i)
        s->position[i] *= scale, s->velocity[i] *= scale;
    for (size_t i = 0; i < s->count && s->radii; ++i) s->radii[i] *= scale;
    for (size_t i = 0; i < s->count && s->masses; ++i) s->masses[i] *= mass;
    for (int k = 0; k < 3; ++k) s->length[k] *= scale;
    s->radius *= scale, s->mass *= mass;
}

void scene_move(const scene *s, const peer *peer, void *engine, double time)
{
    for (uint32_t k = 0; k < s->mover_count; ++k) {
        const mover *m = &s->movers[k];
        double rise = m->height * (sin(m->pulse * (time + s->dt)) - sin(m->pulse * time)) / s->dt;
        peer->move(engine, k, rise, m->spin, s->dt);
    }
}

void scene_free(scene *s)
{
    free(s->position);
    free(s->velocity);
    free(s->spin);
    free(s->radii);
    free(s->masses);
    free(s->collision_group);
}
