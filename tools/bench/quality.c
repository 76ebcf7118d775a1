/* Quality of a state: energy, overlaps, escapes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

double scene_kinetic(const scene *s, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < 3 * (size_t)s->count; ++i) sum += v[i] * v[i];
    return 0.5 * s->mass * sum;
}

/* Depths of overlapping pairs, by hashed cells of one diameter. */
static void measure(const scene *s, const double *x, quality *q)
{
    uint32_t mask = 1;
    while (mask < s->count * 2) mask *= 2;
    mask -= 1;
    uint32_t *head = malloc(((size_t)mask + 1) * sizeof *head),
             *next = malloc(s->count * sizeof *next), pairs = 0;
    if (!head || !next) abort();
    memset(head, 0xff, ((size_t)mask + 1) * sizeof *head);
    double edge = 2 * s->radius, sum = 0;
#define CELL(v) ((int64_t)floor((v) / edge))
#define HASH(a, b, c)                                                                              \
    ((uint32_t)((uint64_t)(a)*73856093u ^ (uint64_t)(b)*19349663u ^ (uint64_t)(c)*83492791u) & mask)
    for (uint32_t i = 0; i < s->count; ++i) {
        const double *p = x + 3 * (size_t)i;
        for (int d = 0; d < 27; ++d) {
            int64_t a = CELL(p[0]) + d % 3 - 1, b = CELL(p[1]) + d / 3 % 3 - 1,
                    c = CELL(p[2]) + d / 9 - 1;
            for (uint32_t j = head[HASH(a, b, c)]; j != UINT32_MAX; j = next[j]) {
                const double *r = x + 3 * (size_t)j;
                if (CELL(r[0]) != a || CELL(r[1]) != b || CELL(r[2]) != c) continue;
                double dx = p[0] - r[0], dy = p[1] - r[1], dz = p[2] - r[2];
                double depth = (2 * s->radius - sqrt(dx * dx + dy * dy + dz * dz)) / s->radius;
                if (depth <= 0) continue;
                pairs += 1;
                sum += depth;
                q->max_depth = depth > q->max_depth ? depth : q->max_depth;
            }
        }
        uint32_t h = HASH(CELL(p[0]), CELL(p[1]), CELL(p[2]));
        next[i] = head[h];
        head[h] = i;
    }
    q->mean_depth = pairs ? sum / pairs : 0;
    free(head);
    free(next);
}

quality scene_quality(const scene *s, const double *x, const double *v)
{
    quality q = {0};
    q.energy = scene_kinetic(s, v);
    for (size_t i = 0; i < s->count; ++i) {
        q.energy -= s->mass * s->gravity * x[3 * i + 2];
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
