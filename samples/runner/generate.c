/* Generators: a jittered lattice, and a gas that fills the bounds without overlaps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "cells.h"
#include "random.h"
#include "scene.h"

static void make_lattice(scene *scene, const lattice *lattice, uint64_t seed)
{
    random_state random = random_seed(seed);
    for (uint32_t z = 0; z < lattice->count[2]; ++z) {
        for (uint32_t y = 0; y < lattice->count[1]; ++y) {
            for (uint32_t x = 0; x < lattice->count[0]; ++x) {
                kugel_body_def def = scene->defaults;
                const uint32_t at[3] = {x, y, z};
                for (int k = 0; k < 3; ++k) {
                    double jitter = (2 * random_uniform(&random) - 1) * lattice->jitter;
                    def.position[k] = lattice->origin[k] + at[k] * lattice->spacing[k] + jitter;
                }
                arrput(scene->bodies, def);
            }
        }
    }
}

/* ---- gas ---- */

/* The gas on its way: all spheres have one radius, bodies that are already there have their own. */
typedef struct filling {
    scene *scene;
    const kugel_bounds *bounds;
    double radius, largest;
    cells cells;
    size_t first; /* of the gas among the bodies */
    random_state random;
} filling;

typedef struct probe {
    const filling *filling;
} probe;

static bool is_clear(void *context, uint32_t index, double d2)
{
    const filling *f = ((probe *)context)->filling;
    double reach = f->radius + f->scene->bodies[index].radius;
    return d2 >= reach * reach;
}

static bool fits(const filling *f, const double place[3])
{
    probe p = {f};
    return cells_near(&f->cells, place, is_clear, &p);
}

static void put(filling *f, const double place[3])
{
    kugel_body_def def = f->scene->defaults;
    def.radius = f->radius;
    memcpy(def.position, place, sizeof def.position);
    arrput(f->scene->bodies, def);
    cells_add(&f->cells, place);
}

/* Where centres may lie along an axis. */
static void room(const filling *f, int axis, double *from, double *to)
{
    const kugel_bounds *b = f->bounds;
    bool periodic = b->faces[2 * axis] == KUGEL_FACE_PERIODIC;
    *from = b->min[axis] + (periodic ? 0 : f->radius);
    *to = b->max[axis] - (periodic ? 0 : f->radius);
}

/* Random sequential insertion: fine up to a packing of 0.3 (it jams at 0.38). */
static bool insert_randomly(filling *f, uint32_t count)
{
    enum { TRIES = 20000 };
    for (uint32_t n = 0; n < count; ++n) {
        double place[3];
        int tries = 0;
        do {
            if (tries++ == TRIES) return false;
            for (int k = 0; k < 3; ++k) {
                double from, to;
                room(f, k, &from, &to);
                place[k] = from + (to - from) * random_uniform(&f->random);
            }
        } while (!fits(f, place));
        put(f, place);
    }
    return true;
}

/* Sites (i + j + k even) of a face-centred lattice stretched to the box; neighbours at least a
 * diameter apart. Sites along the axis and their distance. */
static bool lattice_axis(const filling *f, int axis, int64_t *sites, double *step)
{
    double from, to, least = 2 * f->radius / sqrt(2) * (1 + 1e-9);
    room(f, axis, &from, &to);
    if (f->bounds->faces[2 * axis] == KUGEL_FACE_PERIODIC) {
        *sites = (int64_t)((to - from) / least) / 2 * 2;
        *step = *sites ? (to - from) / (double)*sites : 0;
        return *sites >= 2;
    }
    *sites = (int64_t)((to - from) / least) + 1;
    *step = *sites > 1 ? (to - from) / (double)(*sites - 1) : 0;
    return to >= from;
}

static double smaller(double a, double b) { return a < b ? a : b; }

/* Choose `count` of the free sites at random, each moved within what its neighbours leave. */
static bool insert_on_lattice(filling *f, uint32_t count)
{
    int64_t n[3];
    double step[3];
    for (int k = 0; k < 3; ++k) {
        if (!lattice_axis(f, k, &n[k], &step[k])) return false;
    }
    double (*site)[3] = NULL;
    for (int64_t c = 0; c < n[0] * n[1] * n[2]; ++c) {
        int64_t at[3] = {c % n[0], c / n[0] % n[1], c / (n[0] * n[1])};
        if ((at[0] + at[1] + at[2]) & 1) continue;
        double place[3], to;
        for (int k = 0; k < 3; ++k) {
            room(f, k, &place[k], &to);
            place[k] += (double)at[k] * step[k];
        }
        if (!fits(f, place)) continue;
        memcpy(arraddnptr(site, 1), place, sizeof place);
    }
    size_t sites = arrlenu(site);
    bool enough = sites >= count;
    double nearest = sqrt(smaller(smaller(step[0] * step[0] + step[1] * step[1], step[1] * step[1] + step[2] * step[2]),
                                  step[0] * step[0] + step[2] * step[2]));
    nearest = smaller(nearest, 2 * smaller(smaller(step[0], step[1]), step[2]));
    double slack = (nearest - 2 * f->radius) * 0.499 / sqrt(3);
    for (size_t i = 0; enough && i < count; ++i) {
        size_t j = i + (size_t)random_below(&f->random, sites - i);
        double place[3], from, to;
        for (int k = 0; k < 3; ++k) {
            double swap = site[i][k];
            site[i][k] = site[j][k], site[j][k] = swap;
            room(f, k, &from, &to);
            place[k] = site[i][k] + (slack > 0 ? slack * (2 * random_uniform(&f->random) - 1) : 0);
            place[k] = place[k] < from ? from : place[k] > to ? to : place[k];
        }
        put(f, fits(f, place) ? place : site[i]);
    }
    arrfree(site);
    return enough;
}

/* Gaussian speeds; the mean velocity is taken off, so that the gas has no momentum of its own. */
static void give_speeds(filling *f, uint32_t count, double sigma)
{
    double mean[3] = {0, 0, 0};
    kugel_body_def *bodies = f->scene->bodies + f->first;
    for (uint32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) mean[k] += bodies[i].velocity[k] = sigma * random_gauss(&f->random);
    }
    for (uint32_t i = 0; i < count && count > 1; ++i) {
        for (int k = 0; k < 3; ++k) bodies[i].velocity[k] -= mean[k] / count;
    }
}

/* The radius at which `count` spheres fill the fraction; the default radius where it already does. */
static double gas_radius(const scene *scene, const gas *gas)
{
    const double pi = 3.14159265358979323846;
    const kugel_bounds *b = &scene->world.bounds;
    double volume = (b->max[0] - b->min[0]) * (b->max[1] - b->min[1]) * (b->max[2] - b->min[2]);
    double radius = cbrt(3 * gas->packing_fraction * volume / (4 * pi * gas->count));
    double given = scene->defaults.radius;
    return fabs(radius - given) <= 1e-6 * given ? given : radius;
}

static bool fill(filling *f, const gas *gas)
{
    const scene *scene = f->scene;
    for (size_t i = 0; i < f->first; ++i) cells_add(&f->cells, scene->bodies[i].position);
    return gas->packing_fraction <= 0.3 ? insert_randomly(f, gas->count) : insert_on_lattice(f, gas->count);
}

static bool make_gas(scene *scene, const gas *gas, uint64_t seed, const char *name, size_t index, complaint *complaint)
{
    const kugel_bounds *b = &scene->world.bounds;
    filling f = {.scene = scene, .bounds = b, .first = arrlenu(scene->bodies), .random = random_seed(seed)};
    for (int k = 0; k < 6; ++k) {
        if (b->min[k / 2] < b->max[k / 2]) continue;
        return refuse(complaint, "%s: generators[%zu].gas: needs bounds to fill", name, index);
    }
    if (gas->packing_fraction > 0.74) {
        return refuse(complaint, "%s: generators[%zu].gas.packing_fraction: no packing of spheres reaches %g", name, index,
                      gas->packing_fraction);
    }
    f.radius = f.largest = gas_radius(scene, gas);
    for (size_t i = 0; i < f.first; ++i) f.largest = scene->bodies[i].radius > f.largest ? scene->bodies[i].radius : f.largest;
    if (!cells_open(&f.cells, (uint32_t)f.first + gas->count, f.radius + f.largest)) {
        return refuse(complaint, "%s: generators[%zu].gas: out of memory", name, index);
    }
    for (int k = 0; k < 3; ++k) {
        f.cells.low[k] = b->min[k];
        f.cells.length[k] = b->faces[2 * k] == KUGEL_FACE_PERIODIC ? b->max[k] - b->min[k] : 0;
    }
    bool ok = fill(&f, gas);
    if (ok) give_speeds(&f, gas->count, gas->speed_sigma);
    cells_close(&f.cells);
    return ok || refuse(complaint, "%s: generators[%zu].gas.packing_fraction: %g cannot be reached with %u spheres here", name,
                        index, gas->packing_fraction, gas->count);
}

bool scene_generate(scene *scene, const uint64_t *seed, const char *name, complaint *complaint)
{
    for (size_t i = 0; i < arrlenu(scene->generators); ++i) {
        const generator *g = &scene->generators[i];
        uint64_t own = seed ? *seed + i : g->is_gas ? g->gas.seed : g->lattice.seed;
        if (!g->is_gas) make_lattice(scene, &g->lattice, own);
        else if (!make_gas(scene, &g->gas, own, name, i, complaint)) return false;
    }
    return true;
}
