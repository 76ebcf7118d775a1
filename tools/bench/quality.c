/* Quality of a state: energy, overlaps, escapes. */
#include <math.h>

#include "cells.h"

double scene_kinetic(const scene *s, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < 3 * (size_t)s->count; ++i)
        sum += s->masses ? s->masses[i / 3] * v[i] * v[i] : v[i] * v[i];
    return s->masses ? 0.5 * sum : 0.5 * s->mass * sum;
}

typedef struct measurement {
    const scene *scene;
    const double *x;
    uint32_t own; /* the sphere whose pairs are measured */
    uint64_t pairs;
    double sum, most;
} measurement;

static void measure_pair(void *user, uint32_t j)
{
    measurement *m = user;
    const double *p = m->x + 3 * (size_t)m->own, *r = m->x + 3 * (size_t)j;
    double a = scene_radius(m->scene, m->own), b = scene_radius(m->scene, j);
    double depth = (a + b - scene_distance(m->scene, p, r)) / fmin(a, b);
    if (depth <= 0) return;
    m->pairs += 1;
    m->sum += depth;
    m->most = fmax(m->most, depth);
}

/* Measures the depths of overlapping pairs. A pair is found from its smaller sphere, or from the
 * later one of equal spheres. */
static void measure(const scene *s, const double *x, quality *q)
{
    measurement m = {.scene = s, .x = x};
    cells c;
    cells_make(&c, s);
    for (int level = 0; level < c.levels; ++level) {
        for (m.own = 0; m.own < s->count; ++m.own) {
            if (c.level[m.own] != level) continue;
            cells_near(&c, x, x + 3 * (size_t)m.own, level + 1, measure_pair, &m);
            cells_insert(&c, x, m.own);
        }
    }
    q->mean_depth = m.pairs ? m.sum / (double)m.pairs : 0;
    q->max_depth = m.most;
    cells_free(&c);
}

quality scene_quality(const scene *s, const double *x, const double *v)
{
    quality q = {0};
    q.energy = scene_kinetic(s, v);
    for (size_t i = 0; i < s->count; ++i) {
        q.energy -= scene_mass(s, i) * s->gravity * x[3 * i + 2];
        bool out = false;
        for (size_t k = 0; k < 3 && !s->periodic && !s->boundless; ++k) {
            double p = x[3 * i + k];
            out = out || p < 0 || (p > s->length[k] && !(s->open_top && k == 2));
        }
        q.escaped += out;
    }
    measure(s, x, &q);
    return q;
}
