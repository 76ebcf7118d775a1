/* QUERIES: rates of queries, as medians over rounds in which the engines alternate. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "queries.h"
#include "random.h"
#include "report.h"
#include "times.h"

enum { MOST_ASKED = 20000 }; /* queries of each kind, equal for all engines */

static const char *const names[QUERY_KINDS] = {"ray", "cast", "overlap", "batch"};

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

static kugel_ray ray_of(const query *q)
{
    return (kugel_ray){{q->from[0], q->from[1], q->from[2]},
                       {q->to[0] - q->from[0], q->to[1] - q->from[1], q->to[2] - q->from[2]},
                       1};
}

static uint64_t ask_batch(void *world, const query *q, size_t n)
{
    static kugel_ray rays[MOST_ASKED];
    static kugel_ray_hit hits[MOST_ASKED];
    uint64_t sum = 0;
    for (size_t i = 0; i < n; ++i) rays[i] = ray_of(&q[i]);
    if (kugel_world_rays_closest(world, n, rays, NULL, hits)) abort();
    for (size_t i = 0; i < n; ++i) sum += hits[i].hit.hit;
    return sum;
}

static uint64_t ask_kugel(void *world, int kind, const query *q, size_t n)
{
    static kugel_found found[4096];
    uint64_t sum = 0;
    if (kind == QUERY_BATCH) return ask_batch(world, q, n);
    for (size_t i = 0; i < n; ++i, ++q) {
        kugel_ray ray = ray_of(q);
        kugel_ray_hit hit;
        kugel_cast_hit cast;
        size_t count = 0;
        if (kind == QUERY_RAY && !kugel_world_ray_closest(world, &ray, NULL, &hit))
            sum += hit.hit.hit;
        if (kind == QUERY_CAST && !kugel_world_cast_closest(world, &ray, q->radius, NULL, &cast))
            sum += cast.contact.hit;
        if (kind == QUERY_OVERLAP)
            kugel_world_overlap_sphere(world, q->from, q->radius, NULL, 4096, found, &count);
        sum += count;
    }
    return sum;
}

static void close_kugel(void *world) { kugel_world_destroy(world); }

static const query_engine answerer_kugel = {"kugel", open_kugel, ask_kugel, close_kugel};
static const query_engine *const own[] = {&answerer_kugel, NULL};

/* `count` sites of a cubic lattice, layer by layer. */
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

/* Random origins in the lattice, random directions. */
static query *make_queries(size_t n, double width, double length, double radius)
{
    query *q = malloc(n * sizeof *q);
    if (!q) abort();
    random_seed(7);
    for (size_t i = 0; i < n; ++i) {
        double d[3];
        random_direction(length, d);
        for (int k = 0; k < 3; ++k) {
            q[i].from[k] = width * random_uniform();
            q[i].to[k] = q[i].from[k] + d[k];
        }
        q[i].radius = radius;
    }
    return q;
}

enum { ROUNDS = 7, ENGINES_MOST = 2 };

static const column columns[] = {
    {"n", "n", "%8.0f", 1},
    {"question", "what", "%-7s", 1},
    {"spacing", "spacing", "%4.1f", 1},
    {"length", "length", "%4.0f", 1},
    {"engine", "engine", "%-7s", 1},
    {"thousand/s", "answers_a_second", "%8.1f", 1e-3},
    {"most", "answers_a_second_most", "%8.1f", 1e-3},
    {"spread", "spread", "%5.1f%%", 100},
    {"kugel's over it", "ratio", "%6.1fx", 1},
    {"found each", "found", "%7.3f", 1},
};

typedef struct field {
    uint32_t count;
    double spacing, length;
} field;

static void ask_all(const query_engine *const *engines, void **engine, int kind, const field *f,
                    const query *q, size_t asked)
{
    double seconds[ENGINES_MOST][ROUNDS], own = 0;
    int n = 0;
    while (engines[n]) ++n;
    for (int r = 0; r < ROUNDS; ++r) {
        for (int e = 0; e < n; ++e) {
            double start = now();
            engines[e]->ask(engine[e], kind, q, asked);
            seconds[e][r] = now() - start;
        }
    }
    for (int e = 0; e < n; ++e) {
        times t = times_of(seconds[e], ROUNDS);
        double each = t.median / (double)asked, least = t.least / (double)asked;
        uint64_t found = engines[e]->ask(engine[e], kind, q, asked);
        if (e == 0) own = each;
        ROW(NUMBER(f->count), TEXT(names[kind]), NUMBER(f->spacing), NUMBER(f->length),
            TEXT(engines[e]->name), NUMBER(1 / each), NUMBER(1 / least), NUMBER(t.spread),
            NUMBER(each / own), NUMBER((double)found / (double)asked));
    }
}

static const double radii[QUERY_KINDS] = {0, 0.25, 2, 0};

static void race(const query_engine *const *engines, field f, bool quick)
{
    size_t asked = quick ? 2000 : MOST_ASKED;
    double width, *x = make_lattice(f.count, f.spacing, &width);
    void *engine[ENGINES_MOST];
    for (int e = 0; engines[e]; ++e) engine[e] = engines[e]->open(x, f.count, 0.5);
    for (int kind = 0; kind < QUERY_KINDS; ++kind) {
        query *q = make_queries(asked, width, f.length, radii[kind]);
        ask_all(kind == QUERY_BATCH ? own : engines, engine, kind, &f, q, asked);
        free(q);
    }
    for (int e = 0; engines[e]; ++e) engines[e]->close(engine[e]);
    free(x);
}

/* Hills 184 m wide, 24 m from the lowest to the highest, with rough triangles. */
static void *open_hills(uint32_t cells, double width)
{
    uint32_t row = cells + 1, *t = malloc(6 * (size_t)cells * cells * sizeof *t);
    double *x = malloc(3 * (size_t)row * row * sizeof *x);
    kugel_world_def def = kugel_world_def_default();
    kugel_surface_def hills = kugel_surface_def_default();
    kugel_world *world;
    if (!t || !x || kugel_world_create(&def, &world)) abort();
    for (size_t k = 0; k < (size_t)row * row; ++k) {
        double *v = x + 3 * k;
        v[0] = (double)(k % row) * width / cells, v[1] = (double)(k / row) * width / cells;
        v[2] = 10 * sin(0.13 * v[0]) * cos(0.11 * v[1]) + 2 * sin(0.7 * v[0] + 0.3 * v[1]) +
               0.05 * random_uniform();
    }
    for (uint32_t k = 0; k < cells * cells; ++k) {
        uint32_t a = k / cells * row + k % cells;
        const uint32_t two[6] = {a, a + 1, a + row + 1, a, a + row + 1, a + row};
        for (size_t i = 0; i < 6; ++i) t[6 * (size_t)k + i] = two[i];
    }
    hills.vertices = x, hills.vertex_count = row * row;
    hills.triangles = t, hills.triangle_count = 2 * cells * cells;
    if (kugel_surface_create(world, &hills, NULL)) abort();
    free(x);
    free(t);
    return world;
}

/* Measures queries of surfaces in a cube, or of hills. For hills the rays start within +-12 m,
 * between the lowest and the highest point. */
static void race_world(void *world, const field *f, double width, bool hills, size_t asked)
{
    for (int kind = 0; kind < QUERY_KINDS; ++kind) {
        query *q = make_queries(asked, width, f->length, radii[kind]);
        for (size_t i = 0; i < asked && hills; ++i) {
            double lift = 24 * q[i].from[2] / width - 12 - q[i].from[2];
            q[i].from[2] += lift, q[i].to[2] += lift;
        }
        ask_all(own, &world, kind, f, q, asked);
        free(q);
    }
    close_kugel(world);
}

static void race_hills(bool quick)
{
    const double width = 184;
    uint32_t cells = quick ? 100 : 708;
    const field f = {2 * cells * cells, NAN, 200};
    race_world(open_hills(cells, width), &f, width, true, quick ? 2000 : MOST_ASKED);
}

/* Boxes, spheres of triangles and ellipsoids, about 1 m wide, in a cube. */
static void *open_surfaces(uint32_t count, double width)
{
    enum { AROUND = 12 };
    static double x[3 * KUGEL_MESH_CAPSULE_VERTICES(AROUND)];
    static uint32_t t[3 * KUGEL_MESH_CAPSULE_TRIANGLES(AROUND)];
    const double middle[3] = {0, 0, 0}, half[3] = {0.4, 0.4, 0.4};
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    if (kugel_world_create(&def, &world)) abort();
    for (uint32_t k = 0; k < count; ++k) {
        kugel_surface_def one = kugel_surface_def_default();
        if (k % 3 == 0) {
            if (kugel_mesh_box(half, x, t)) abort();
            one.vertices = x, one.vertex_count = KUGEL_MESH_BOX_VERTICES;
            one.triangles = t, one.triangle_count = KUGEL_MESH_BOX_TRIANGLES;
        } else if (k % 3 == 1) {
            if (kugel_mesh_capsule(middle, middle, 0.5, AROUND, x, t)) abort();
            one.vertices = x, one.vertex_count = KUGEL_MESH_CAPSULE_VERTICES(AROUND);
            one.triangles = t, one.triangle_count = KUGEL_MESH_CAPSULE_TRIANGLES(AROUND);
        } else {
            one.shape = KUGEL_SURFACE_ELLIPSOID;
            for (int i = 0; i < 3; ++i) one.size[i] = 0.2 + 0.4 * random_uniform();
        }
        for (int i = 0; i < 3; ++i) one.position[i] = width * random_uniform();
        if (kugel_surface_create(world, &one, NULL)) abort();
    }
    return world;
}

static void race_surfaces(bool quick)
{
    const double width = 60;
    uint32_t count = quick ? 300 : 4000;
    const field f = {count, NAN, 60};
    race_world(open_surfaces(count, width), &f, width, false, quick ? 2000 : MOST_ASKED);
}

/* Rays in a pile at rest. */
static void race_pile(uint32_t count, bool quick)
{
    scene s = scene_pile(count);
    void *world = peer_kugel.open(&s);
    for (int k = 0; k < 200; ++k) peer_kugel.step(world, s.dt);
    peer_kugel.read(world, s.position, s.velocity);
    double top = 0, seconds[ROUNDS];
    for (size_t i = 0; i < s.count; ++i)
        top = s.position[3 * i + 2] > top ? s.position[3 * i + 2] : top;
    size_t asked = quick ? 20000 : 200000;
    query *q = make_queries(asked, s.length[0], 100, 0);
    for (size_t i = 0; i < asked; ++i)
        q[i].to[2] -= q[i].from[2], q[i].from[2] *= top / s.length[0], q[i].to[2] += q[i].from[2];
    void *still = open_kugel(s.position, s.count, s.radius);
    uint64_t found = 0;
    for (int r = 0; r < ROUNDS; ++r) {
        double start = now();
        found = ask_kugel(still, QUERY_RAY, q, asked);
        seconds[r] = now() - start;
    }
    times t = times_of(seconds, ROUNDS);
    ROW(NUMBER(s.count), TEXT("in pile"), NUMBER(NAN), NUMBER(100), TEXT("kugel"),
        NUMBER((double)asked / t.median), NUMBER((double)asked / t.least), NUMBER(t.spread),
        NUMBER(1), NUMBER((double)found / (double)asked));
    free(q);
    close_kugel(still);
    peer_kugel.close(world);
    scene_free(&s);
}

void bench_queries(const bench_options *chosen)
{
    static const query_engine *const all[] = {&answerer_kugel,
#ifdef HAVE_BULLET
                                              &query_engine_bullet,
#endif
                                              NULL};
    uint32_t n = chosen->size ? chosen->size : 100000;
    bool quick = chosen->quick;
    report_table("QUERIES",
                 "closest ray, closest cast of a sphere of radius 0.25, all that a sphere of "
                 "radius 2 overlaps, among spheres of radius 0.5 on a lattice; lines of 100 m "
                 "(spacing 4.0 and hills: 200 m, small surfaces: 60 m); 20,000 of a kind (pile: "
                 "200,000); batch: all rays in one call; without spacing: so many triangles of "
                 "hills, or so many small surfaces",
                 columns, sizeof columns / sizeof *columns);
    race(all, (field){n, 1.5, 100}, quick);
    race(all, (field){n, 4, 200}, quick);
    if (!chosen->size && !quick) race(own, (field){1000000, 4, 200}, quick);
    race_hills(quick);
    race_surfaces(quick);
    race_pile(chosen->size ? n : quick ? 3000 : 100000, quick);
}
