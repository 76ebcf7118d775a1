/* Builds scenes, and worlds from them. */
#include "support/support_scene.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

support_scene support_scene_start(void)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.bounce_threshold = 0;
    scene.def.slop = 0;
    scene.def.substeps = 1;
    return scene;
}

void support_scene_free(support_scene *scene)
{
    free(scene->bodies);
    *scene = (support_scene){0};
}

void support_scene_box(support_scene *scene, double length, kugel_face face)
{
    kugel_bounds *bounds = &scene->def.bounds;
    for (int k = 0; k < 3; ++k) bounds->min[k] = 0, bounds->max[k] = length;
    for (int k = 0; k < 6; ++k) bounds->faces[k] = face;
    bounds->restitution = 1;
    bounds->friction = 0;
}

kugel_body_def *support_scene_add(support_scene *scene, const double position[3],
                                  const double velocity[3], double radius, double mass)
{
    if (scene->count == scene->capacity) {
        scene->capacity = scene->capacity ? 2 * scene->capacity : 64;
        scene->bodies = realloc(scene->bodies, scene->capacity * sizeof *scene->bodies);
        if (!scene->bodies) abort();
    }
    kugel_body_def *def = &scene->bodies[scene->count++];
    *def = kugel_body_def_default();
    def->radius = radius;
    def->mass = mass;
    def->restitution = 1;
    def->friction = 0;
    memcpy(def->position, position, sizeof def->position);
    if (velocity) memcpy(def->velocity, velocity, sizeof def->velocity);
    return def;
}

static void stop_drift(support_scene *scene)
{
    double mass = 0, p[3] = {0, 0, 0};
    for (uint32_t i = 0; i < scene->count; ++i) {
        mass += scene->bodies[i].mass;
        for (int k = 0; k < 3; ++k) p[k] += scene->bodies[i].mass * scene->bodies[i].velocity[k];
    }
    for (uint32_t i = 0; i < scene->count; ++i) {
        for (int k = 0; k < 3; ++k) scene->bodies[i].velocity[k] -= p[k] / mass;
    }
}

support_scene support_scene_gas(uint32_t cells, double eta, kugel_face face, double sigma,
                                support_random *random)
{
    static const double basis[4][3] = {
        {0.25, 0.25, 0.25}, {0.25, 0.75, 0.75}, {0.75, 0.25, 0.75}, {0.75, 0.75, 0.25}};
    support_scene scene = support_scene_start();
    const double pi = 3.14159265358979323846;
    double edge = cbrt(4 * (pi / 6) / eta); /* edge of a lattice cell for spheres of diameter 1 */
    support_scene_box(&scene, edge * cells, face);
    for (uint32_t c = 0; c < 4 * cells * cells * cells; ++c) {
        uint32_t cell = c / 4, at[3] = {cell % cells, cell / cells % cells, cell / cells / cells};
        double position[3], velocity[3];
        for (int k = 0; k < 3; ++k) {
            position[k] = edge * (at[k] + basis[c % 4][k]);
            velocity[k] = sigma * support_gauss(random);
        }
        support_scene_add(&scene, position, velocity, 0.5, 1);
    }
    stop_drift(&scene);
    return scene;
}

support_scene support_scene_tower(kugel_face face, support_random *random)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 150, face);
    scene.def.bounds.max[0] = scene.def.bounds.max[1] = 18;
    for (int i = 0; i < 9 * 9 * 75; ++i) {
        double x[3] = {1 + 2 * (i % 9), 1 + 2 * (i / 9 % 9), 1 + 2 * (i / 81)}, v[3];
        for (int k = 0; k < 3; ++k) v[k] = 5 * support_gauss(random);
        support_scene_add(&scene, x, v, 0.5, 1);
    }
    return scene;
}

static bool is_free(const support_scene *scene, const double x[3], double radius, double length,
                    bool periodic)
{
    for (uint32_t i = 0; i < scene->count; ++i) {
        double reach = 1.001 * (radius + scene->bodies[i].radius), q = 0;
        for (int k = 0; k < 3; ++k) {
            double d = x[k] - scene->bodies[i].position[k];
            if (periodic) d -= length * rint(d / length);
            q += d * d;
        }
        if (q < reach * reach) return false;
    }
    return true;
}

support_scene support_scene_mixed(const support_mix *mix, support_random *random)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, mix->length, mix->face);
    bool periodic = mix->face == KUGEL_FACE_PERIODIC;
    for (uint32_t tries = 0; scene.count < mix->count; ++tries) {
        cr_assert(tries < 1000000, "the mixture does not fit its box");
        double radius = support_between(random, mix->radius[0], mix->radius[1]);
        double mass = support_between(random, mix->mass[0], mix->mass[1]);
        double margin = periodic ? 0 : 1.001 * radius, position[3], velocity[3];
        for (int k = 0; k < 3; ++k)
            position[k] = support_between(random, margin, mix->length - margin);
        if (!is_free(&scene, position, radius, mix->length, periodic)) continue;
        for (int k = 0; k < 3; ++k) velocity[k] = mix->sigma * support_gauss(random);
        support_scene_add(&scene, position, velocity, radius, mass);
    }
    stop_drift(&scene);
    return scene;
}

void support_scene_shift(support_scene *scene, const double by[3])
{
    for (int k = 0; k < 3; ++k) {
        scene->def.bounds.min[k] += by[k];
        scene->def.bounds.max[k] += by[k];
        for (uint32_t i = 0; i < scene->count; ++i) scene->bodies[i].position[k] += by[k];
    }
}

kugel_world *support_scene_share(const support_scene *scene, const kugel_exchange *exchange)
{
    kugel_world *world = NULL;
    kugel_error error;
    cr_assert_eq(kugel_world_def_check(&scene->def, &error), KUGEL_OK, "%s %s", error.argument,
                 error.message);
    cr_assert_eq(kugel_world_create(&scene->def, &world), KUGEL_OK);
    for (uint32_t k = 0; k < scene->plane_count; ++k) {
        cr_assert_eq(support_add_plane(world, &scene->planes[k], NULL), KUGEL_OK);
    }
    if (exchange) cr_assert_eq(kugel_ranks_share_creation(world, exchange), KUGEL_OK);
    for (uint32_t i = 0; i < scene->count; ++i) {
        kugel_status status = kugel_body_create(world, &scene->bodies[i], NULL);
        const kugel_error *why = kugel_world_last_error(world);
        cr_assert_eq(status, KUGEL_OK, "body %u: %s %s", i, why->argument, why->message);
    }
    return world;
}

kugel_world *support_scene_world(const support_scene *scene)
{
    return support_scene_share(scene, NULL);
}

void support_run(kugel_world *world, double dt, uint32_t ticks)
{
    for (uint32_t k = 0; k < ticks; ++k) {
        kugel_status status = kugel_world_step(world, dt);
        cr_assert_eq(status, KUGEL_OK, "step: %s, %s", kugel_status_text(status),
                     kugel_world_last_error(world)->message);
    }
}

double support_kinetic_energy(const kugel_world *world)
{
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    return sums.kinetic;
}

void support_state(const kugel_world *world, uint32_t id, kugel_body_state *state)
{
    cr_assert_eq(kugel_body_get(world, kugel_world_body(world, id), state), KUGEL_OK,
                 "body %u is gone", id);
}

typedef struct cells {
    double low[3], edge[3], length[3]; /* length 0: not periodic */
    int count[3];
    uint32_t *first, *item; /* bodies of cell c: item[first[c]] ... item[first[c + 1] - 1] */
} cells;

static int cell_on_axis(const cells *g, int axis, double x)
{
    int c = (int)((x - g->low[axis]) / g->edge[axis]);
    return c < 0 ? 0 : c >= g->count[axis] ? g->count[axis] - 1 : c;
}

static size_t cell_of(const cells *g, const double *x)
{
    int at[3];
    for (int k = 0; k < 3; ++k) at[k] = cell_on_axis(g, k, x[k]);
    return ((size_t)at[2] * (size_t)g->count[1] + (size_t)at[1]) * (size_t)g->count[0] +
           (size_t)at[0];
}

static cells make_cells(const support_scene *scene, const double *x, uint32_t n, double diameter)
{
    cells g = {0};
    for (int k = 0; k < 3; ++k) {
        bool periodic = scene->def.bounds.faces[2 * k] == KUGEL_FACE_PERIODIC;
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < n; ++i)
            low = fmin(low, x[3 * i + k]), high = fmax(high, x[3 * i + k]);
        if (periodic) low = scene->def.bounds.min[k], high = scene->def.bounds.max[k];
        double most = fmax(1, cbrt(2.0 * n));
        g.low[k] = low;
        g.length[k] = periodic ? high - low : 0;
        g.count[k] = (int)fmax(1, fmin(most, floor((high - low) / diameter)));
        g.edge[k] = fmax((high - low) / g.count[k], diameter * 1e-3);
    }
    size_t total = (size_t)g.count[0] * (size_t)g.count[1] * (size_t)g.count[2];
    g.first = calloc(total + 2, sizeof *g.first);
    g.item = malloc((n + 1) * sizeof *g.item);
    for (uint32_t i = 0; i < n; ++i) g.first[cell_of(&g, x + 3 * i) + 2] += 1;
    for (size_t c = 2; c < total + 2; ++c) g.first[c] += g.first[c - 1];
    for (uint32_t i = 0; i < n; ++i) g.item[g.first[cell_of(&g, x + 3 * i) + 1]++] = i;
    return g;
}

static double pair_overlap(const cells *g, const support_scene *scene, const double *x, uint32_t i,
                           uint32_t j)
{
    double q = 0, a = scene->bodies[i].radius, b = scene->bodies[j].radius;
    for (int k = 0; k < 3; ++k) {
        double d = x[3 * j + k] - x[3 * i + k];
        if (g->length[k] > 0) d -= g->length[k] * rint(d / g->length[k]);
        q += d * d;
    }
    return q < (a + b) * (a + b) ? (a + b - sqrt(q)) / fmin(a, b) : 0;
}

/* Adds the overlaps of body i with bodies of lower index in its cell and the 26 cells around. On
 * short axes several offsets give one cell, and its pairs count repeatedly. */
static void add_overlaps(const cells *g, const support_scene *scene, const double *x, uint32_t i,
                         support_overlaps *all)
{
    for (int o = 0; o < 27; ++o) {
        int at[3] = {o % 3 - 1, o / 3 % 3 - 1, o / 9 - 1};
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            at[k] += cell_on_axis(g, k, x[3 * i + k]);
            if (g->length[k] > 0) at[k] = (at[k] + g->count[k]) % g->count[k];
            else inside = inside && at[k] >= 0 && at[k] < g->count[k];
        }
        if (!inside) continue;
        size_t c = ((size_t)at[2] * (size_t)g->count[1] + (size_t)at[1]) * (size_t)g->count[0] +
                   (size_t)at[0];
        for (uint32_t k = g->first[c]; k < g->first[c + 1]; ++k) {
            uint32_t j = g->item[k];
            double depth = j < i ? pair_overlap(g, scene, x, i, j) : 0;
            if (depth == 0) continue;
            all->worst = fmax(all->worst, depth);
            all->mean += depth;
            all->pairs += 1;
        }
    }
}

support_overlaps support_all_overlaps(const support_scene *scene, const kugel_world *world)
{
    support_overlaps all = {0};
    uint32_t n = kugel_world_body_count(world);
    cr_assert_eq(n, scene->count);
    double *x = malloc(3 * (size_t)n * sizeof *x), diameter = 0;
    kugel_world_read_arrays(world, n, &(kugel_body_arrays){.position = x});
    for (uint32_t i = 0; i < n; ++i) diameter = fmax(diameter, 2 * scene->bodies[i].radius);
    cells g = make_cells(scene, x, n, diameter);
    for (uint32_t i = 0; i < n; ++i) add_overlaps(&g, scene, x, i, &all);
    free(g.first), free(g.item), free(x);
    if (all.pairs) all.mean /= (double)all.pairs;
    return all;
}

double support_farthest(const support_scene *scene, const kugel_world *world)
{
    double most = 0;
    for (uint32_t id = 0; id < scene->count; ++id) {
        kugel_body_state s;
        double way2 = 0;
        support_state(world, id, &s);
        for (int k = 0; k < 3; ++k)
            way2 += (s.position[k] - scene->bodies[id].position[k]) *
                    (s.position[k] - scene->bodies[id].position[k]);
        most = fmax(most, way2);
    }
    return sqrt(most);
}

double support_worst_overlap(const support_scene *scene, const kugel_world *world)
{
    return support_all_overlaps(scene, world).worst;
}
