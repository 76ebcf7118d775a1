/* Radius laws, and the random placing of spheres, from the largest on. */
#include "mixtures.h"

#include <math.h>
#include <stdlib.h>

#include "cells.h"
#include "random.h"

enum { TRIALS_MOST = 100000 };
static const double ball = 4.18879020478639098; /* volume of a sphere of radius 1 */

double scene_volume(const scene *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; ++i) sum += ball * pow(scene_radius(s, i), 3);
    return sum;
}

double scene_smallest(const scene *s)
{
    double least = INFINITY;
    for (size_t i = 0; i < s->count; ++i) least = fmin(least, scene_radius(s, i));
    return least;
}

double scene_largest(const scene *s)
{
    double most = 0;
    for (size_t i = 0; i < s->count; ++i) most = fmax(most, scene_radius(s, i));
    return most;
}

/* A radius between 1 and the ratio. `large`: of two sizes. */
static double draw(const mixture *m, bool large)
{
    double u = random_uniform(), power = -2.5;
    if (m->law == LAW_TWO) return large ? m->ratio : 1;
    if (m->law == LAW_LOG) return pow(m->ratio, u);
    if (m->law == LAW_POWER) return pow(1 + u * (pow(m->ratio, power) - 1), 1 / power);
    return 1;
}

/* Radii from `smallest` on; a sphere of radius 0.5 has mass 1. */
static scene make(uint32_t count, const mixture *m, double smallest)
{
    scene s = scene_make(count);
    double large = fmax(1, round(count / (1 + pow(m->ratio, 3))));
    s.radii = malloc(count * sizeof *s.radii);
    s.masses = malloc(count * sizeof *s.masses);
    if (!s.radii || !s.masses) abort();
    for (uint32_t i = 0; i < count; ++i) {
        /* the large ones are spread evenly over the ids */
        bool is_large = floor((i + 1) * large / count) > floor(i * large / count);
        s.radii[i] = smallest * draw(m, is_large);
        s.masses[i] = pow(2 * s.radii[i], 3);
    }
    return s;
}

static const double *compared;
static int larger_first(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    double p = compared[i], q = compared[j];
    return p != q ? (p < q) - (p > q) : (i > j) - (i < j);
}

typedef struct trial {
    const scene *scene;
    uint32_t own;
    bool overlaps;
} trial;

static void test_pair(void *user, uint32_t j)
{
    trial *t = user;
    const double *x = t->scene->position;
    double reach = scene_radius(t->scene, t->own) + scene_radius(t->scene, j);
    t->overlaps = t->overlaps || scene_distance(t->scene, x + 3 * (size_t)t->own,
                                                x + 3 * (size_t)j) < reach * (1 + 1e-9);
}

static void place(cells *c, const scene *s, const double box[3], uint32_t i)
{
    double *x = s->position + 3 * (size_t)i, margin = s->periodic ? 0 : s->radii[i];
    for (int k = 0; k < TRIALS_MOST; ++k) {
        trial t = {s, i, false};
        for (int axis = 0; axis < 3; ++axis)
            x[axis] = margin + random_uniform() * (box[axis] - 2 * margin);
        cells_near(c, s->position, x, c->level[i] + 1, test_pair, &t);
        if (!t.overlaps) return cells_insert(c, s->position, i);
    }
    abort();
}

/* Random sequential insertion, the largest first. */
static void fill(scene *s, const double box[3])
{
    cells c;
    uint32_t *order = malloc(s->count * sizeof *order);
    if (!order) abort();
    for (uint32_t i = 0; i < s->count; ++i) order[i] = i;
    compared = s->radii;
    qsort(order, s->count, sizeof *order, larger_first);
    cells_make(&c, s);
    for (uint32_t k = 0; k < s->count; ++k) place(&c, s, box, order[k]);
    cells_free(&c);
    free(order);
}

scene scene_mixed_pile(uint32_t count, const mixture *m)
{
    scene s = make(count, m, 0.5 / m->ratio);
    double volume = scene_volume(&s), largest = scene_largest(&s),
           width = fmax(cbrt(volume / 0.6), 4 * largest);
    const double box[3] = {width, width, volume / (0.3 * width * width) + 2 * largest};
    s.length[0] = s.length[1] = width;
    s.length[2] = 1e6;
    s.open_top = s.defaults = true;
    s.friction = 0.5;
    s.gravity = -9.81;
    fill(&s, box);
    return s;
}

scene scene_mixed_gas(uint32_t count, const mixture *m, double eta, bool periodic)
{
    scene s = make(count, m, 0.5);
    double length = fmax(cbrt(scene_volume(&s) / eta), 4.01 * scene_largest(&s));
    for (int k = 0; k < 3; ++k) s.length[k] = length;
    s.restitution = 1;
    s.periodic = periodic;
    s.substeps = 1;
    fill(&s, s.length);
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        s.velocity[i] = 5 / sqrt(s.masses[i / 3]) * random_gauss();
    return s;
}
