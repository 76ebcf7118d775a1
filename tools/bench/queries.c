/* See queries.h. Rates are medians over rounds in which the engines take turns. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "queries.h"

static const char *const names[ASK_KINDS] = {"ray", "cast", "overlap"};

/* ---- kugel ---- */

static void *open_kugel(const double *position, size_t count, double radius)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.body_capacity = (uint32_t)count;
    if (kugel_world_create(&def, &world)) abort();
    kugel_body_def body = kugel_body_def_default();
    body.radius = radius;
    body.type = KUGEL_STATIC;
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) body.position[k] = position[3 * i + (size_t)k];
        if (kugel_body_create(world, &body, NULL)) abort();
    }
    if (kugel_world_step(world, 1 / 60.) || kugel_world_prepare_queries(world)) abort();
    return world;
}

static uint64_t ask_kugel(void *world, int kind, const question *q, size_t n)
{
    static kugel_found found[4096];
    uint64_t sum = 0;
    for (size_t i = 0; i < n; ++i, ++q) {
        kugel_ray ray = {{q->from[0], q->from[1], q->from[2]},
                         {q->to[0] - q->from[0], q->to[1] - q->from[1], q->to[2] - q->from[2]}, 1};
        kugel_ray_hit hit;
        kugel_cast_hit cast;
        size_t count = 0;
        if (kind == ASK_RAY && !kugel_world_ray_closest(world, &ray, NULL, &hit)) sum += hit.body != 0;
        if (kind == ASK_CAST && !kugel_world_cast_closest(world, &ray, q->radius, NULL, &cast)) sum += cast.body != 0;
        if (kind == ASK_OVERLAP) kugel_world_overlap_sphere(world, q->from, q->radius, NULL, 4096, found, &count);
        sum += count;
    }
    return sum;
}

static void close_kugel(void *world) { kugel_world_destroy(world); }

static const answerer answerer_kugel = {"kugel", open_kugel, ask_kugel, close_kugel};

/* ---- scenes ---- */

static uint64_t state;
static double uniform(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* `count` sites of a cubic lattice, filled up layer by layer. */
static double *make_lattice(uint32_t count, double spacing, double *width)
{
    double *x = malloc((size_t)count * 3 * sizeof *x);
    uint32_t side = 1;
    if (!x) abort();
    while (side * side * side < count) ++side;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at[3] = {i % side, i / side % side, i / side / side};
        for (size_t k = 0; k < 3; ++k) x[3 * (size_t)i + k] = at[k] * spacing;
    }
    *width = (side - 1) * spacing;
    return x;
}

/* Starts anywhere in the lattice, directions at random. */
static question *make_questions(size_t n, double width, double length, double radius)
{
    question *q = malloc(n * sizeof *q);
    if (!q) abort();
    state = 7;
    for (size_t i = 0; i < n; ++i) {
        double turn = 6.283185307179586 * uniform(), up = 2 * uniform() - 1, flat = sqrt(1 - up * up);
        const double d[3] = {flat * cos(turn), flat * sin(turn), up};
        for (int k = 0; k < 3; ++k) {
            q[i].from[k] = width * uniform();
            q[i].to[k] = q[i].from[k] + length * d[k];
        }
        q[i].radius = radius;
    }
    return q;
}

/* ---- the race ---- */

static int compare(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

enum { ROUNDS = 7 };

/* Thousands a second, median. */
static double rate_of(double *seconds, size_t n)
{
    qsort(seconds, ROUNDS, sizeof *seconds, compare);
    return (double)n / seconds[ROUNDS / 2] * 1e-3;
}

typedef void row_hook(const char *, const char *, double, uint32_t, double);

static void race(const answerer *const *engines, uint32_t count, double spacing, double length, bool quick, row_hook *row)
{
    static const double radii[ASK_KINDS] = {0, 0.25, 2};
    double width, *x = make_lattice(count, spacing, &width);
    void *engine[3];
    int n = 0;
    for (; engines[n]; ++n) engine[n] = engines[n]->open(x, count, 0.5);
    for (int kind = 0; kind < ASK_KINDS; ++kind) {
        size_t asked[2] = {quick ? 20000 : 200000, quick ? 1000 : 5000};
        question *q = make_questions(asked[0], width, length, radii[kind]);
        double seconds[3][ROUNDS], first = 0;
        uint64_t sum[3] = {0};
        for (int r = 0; r < ROUNDS; ++r) {
            for (int e = 0; e < n; ++e) {
                double start = now();
                engines[e]->ask(engine[e], kind, q, asked[e > 0]);
                seconds[e][r] = now() - start;
            }
        }
        for (int e = 0; e < n; ++e) {
            double rate = rate_of(seconds[e], asked[e > 0]);
            sum[e] = engines[e]->ask(engine[e], kind, q, asked[n > 1]);
            if (e == 0) first = rate;
            printf("QUERY %7u  %-7s %4.1f  %-7s %10.1f k/s  %7.1fx  %8.3f found each\n", count, names[kind], spacing,
                   engines[e]->name, rate, first / rate, (double)sum[e] / (double)asked[n > 1]);
            row(names[kind], engines[e]->name, spacing, count, rate);
        }
        fflush(stdout);
        free(q);
    }
    for (int e = 0; e < n; ++e) engines[e]->close(engine[e]);
    free(x);
}

/* Rays in a settled pile. */
static void race_pile(bool quick, row_hook *row)
{
    scene s = scene_pile(quick ? 10000 : 100000);
    void *world = peer_kugel.open(&s);
    for (int k = 0; k < (quick ? 300 : 200); ++k) peer_kugel.step(world, s.dt);
    peer_kugel.read(world, s.position, s.velocity);
    double top = 0, seconds[ROUNDS];
    for (size_t i = 0; i < s.count; ++i) top = s.position[3 * i + 2] > top ? s.position[3 * i + 2] : top;
    size_t asked = quick ? 20000 : 200000;
    question *q = make_questions(asked, s.length[0], 100, 0);
    for (size_t i = 0; i < asked; ++i) q[i].to[2] -= q[i].from[2], q[i].from[2] *= top / s.length[0], q[i].to[2] += q[i].from[2];
    void *still = open_kugel(s.position, s.count, s.radius);
    for (int r = 0; r < ROUNDS; ++r) {
        double start = now();
        ask_kugel(still, ASK_RAY, q, asked);
        seconds[r] = now() - start;
    }
    double rate = rate_of(seconds, asked);
    printf("QUERY %7u  pile          kugel   %10.1f k/s\n", s.count, rate);
    row("ray in a pile", "kugel", 0, s.count, rate);
    free(q);
    close_kugel(still);
    peer_kugel.close(world);
    scene_free(&s);
}

void bench_queries(bool quick, row_hook *row)
{
    static const answerer *const all[] = {&answerer_kugel,
#ifdef HAVE_BULLET
                                          &answerer_bullet,
#endif
                                          NULL};
    static const answerer *const own[] = {&answerer_kugel, NULL};
    puts("scene       n  question spacing engine         rate    kugel's over it   bodies found");
    race(all, 100000, 1.5, 100, quick, row);
    race(all, 100000, 4, 200, quick, row);
    race(own, 10000, 4, 200, quick, row);
    if (!quick) race(own, 1000000, 4, 200, quick, row);
    race_pile(quick, row);
}
