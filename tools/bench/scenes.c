/* The scenes: GAS and PILE as the baselines describe them, and a periodic gas for exact impacts. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t state = 1;
static double uniform(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}
static double gauss(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

static scene make(uint32_t count)
{
    scene s = {.count = count, .radius = 0.5, .mass = 1, .dt = 1.0 / 60, .substeps = 4};
    s.position = calloc((size_t)count * 3, sizeof(double));
    s.velocity = calloc((size_t)count * 3, sizeof(double));
    if (!s.position || !s.velocity) abort();
    state = 1;
    return s;
}

/* Sites of a face-centred lattice (i + j + k even) in the cube, chosen at random: any packing up to
 * 0.7 without overlap. */
static void fill(scene *s, double length)
{
    int64_t n = (int64_t)(length / (2 * s->radius / sqrt(2)) * (1 - 1e-9)) / 2 * 2;
    double step = length / (double)n;
    uint64_t left = (uint64_t)(n * n * n / 2), need = s->count, i = 0;
    for (int64_t c = 0; c < n * n * n && need; ++c) {
        int64_t at[3] = {c % n, c / n % n, c / (n * n)};
        if ((at[0] + at[1] + at[2]) & 1) continue;
        if (uniform() * (double)left-- >= (double)need) continue;
        for (int k = 0; k < 3; ++k) s->position[3 * i + (uint64_t)k] = ((double)at[k] + 0.5) * step;
        ++i, --need;
    }
    if (need) abort();
}

scene scene_gas(uint32_t count, double eta, bool periodic)
{
    scene s = make(count);
    double length = cbrt(count * 3.14159265358979323846 / 6 / eta);
    for (int k = 0; k < 3; ++k) s.length[k] = length;
    s.restitution = 1;
    s.periodic = periodic;
    s.substeps = 1;
    fill(&s, length);
    if (!periodic) { /* walls: keep the surfaces inside */
        int64_t n = (int64_t)ceil(cbrt(count));
        double step = length / (double)n;
        for (uint32_t i = 0; i < count; ++i) {
            const int64_t at[3] = {i % n, i / n % n, i / (n * n)};
            for (int k = 0; k < 3; ++k) {
                s.position[3 * (size_t)i + (size_t)k] =
                    ((double)at[k] + 0.5) * step + (uniform() - 0.5) * (step - 1) * 0.9;
            }
        }
    }
    for (size_t i = 0; i < (size_t)count * 3; ++i) s.velocity[i] = 5 * gauss();
    return s;
}

scene scene_pile(uint32_t count)
{
    scene s = make(count);
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
                ((double)at[k] + 0.5) * 1.1 + (uniform() - 0.5) * 0.04;
        }
    }
    return s;
}

void scene_free(scene *s)
{
    free(s->position);
    free(s->velocity);
}

/* Depths of overlapping pairs through a hash of cells one diameter wide. */
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
    for (size_t i = 0; i < s->count; ++i) {
        for (size_t k = 0; k < 3; ++k) q.energy += 0.5 * s->mass * v[3 * i + k] * v[3 * i + k];
        q.energy -= s->mass * s->gravity * x[3 * i + 2];
        bool out = false;
        for (size_t k = 0; k < 3 && !s->periodic; ++k) {
            double p = x[3 * i + k];
            out = out || p < 0 || (p > s->length[k] && !(s->open_top && k == 2));
        }
        q.escaped += out;
    }
    measure(s, x, &q);
    return q;
}
