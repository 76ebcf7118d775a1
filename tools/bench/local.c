/* LOCAL: scene A, 200 balls that settle in a box of triangles, beside a scene B a kilometre away.
 * Each steps alone and both in one world, in turn, in one run: from which tick on the bits of A
 * differ, and what both together cost over the sum of both alone. Processor time. */
#include <kugel/kugel.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "report.h"
#include "times.h"

enum { BALLS = 200 };
static const double dt = 1 / 60., away = 1000; /* s, m */

static kugel_world *create_floor(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
    kugel_world *world;
    def.gravity[2] = -9.81;
    if (kugel_world_create(&def, &world) || kugel_surface_create(world, &floor, NULL)) abort();
    return world;
}

static kugel_body add_ball(kugel_world *world, double x, double y, double z, double radius,
                           double mass, double speed)
{
    kugel_body_def ball = kugel_body_def_default();
    kugel_body handle;
    ball.position[0] = x, ball.position[1] = y, ball.position[2] = z;
    ball.radius = radius, ball.mass = mass, ball.friction = 0.5;
    ball.velocity[0] = speed;
    if (kugel_body_create(world, &ball, &handle)) abort();
    return handle;
}

/* A layer after a layer of balls. */
static void add_heap(kugel_world *world, double x, uint32_t count, double radius)
{
    for (uint32_t i = 0; i < count; ++i)
        add_ball(world, x + 2.2 * radius * (i % 6), 2.2 * radius * (i / 6 % 6),
                 radius * (1.1 + 2.1 * (i / 36)) + 0.01 * radius * (i % 7), radius, 1, 0);
}

/* A surface of triangles around the origin of its frame. */
static void add_mesh(kugel_world *world, double x, const double *vertices, uint32_t vertex_count,
                     const uint32_t *triangles, uint32_t triangle_count, double spin)
{
    kugel_surface_def mesh = kugel_surface_def_default();
    mesh.vertices = vertices, mesh.vertex_count = vertex_count;
    mesh.triangles = triangles, mesh.triangle_count = triangle_count;
    mesh.position[0] = x, mesh.position[2] = 1;
    mesh.spin[2] = spin;
    if (kugel_surface_create(world, &mesh, NULL)) abort();
}

static void add_a(kugel_world *world, kugel_body *bodies)
{
    static const double corners[] = {-1, -1, -1, 8, -1, -1, 8, 8, -1, -1, 8, -1,
                                     -1, -1, 9,  8, -1, 9,  8, 8, 9,  -1, 8, 9};
    static const uint32_t walls[] = {0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5,
                                     2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
    add_mesh(world, 0, corners, 8, walls, 8, 0);
    for (uint32_t i = 0; i < BALLS; ++i)
        bodies[i] = add_ball(world, 1.1 * (i % 6) + 0.01 * (i % 7), 1.1 * (i / 6 % 6),
                             0.6 + 1.05 * (i / 36), 0.5, 1, 0);
}

typedef enum other {
    GRAIN,
    BULLET,
    FUNNEL,
    PADDLE,
    SLEEPERS,
    MASSES,
    BOULDER,
    ROLLING,
    SCATTERED,
    OTHERS
} other;
static const char *const names[] = {"a grain of 1 mm",
                                    "a bullet of 5 cm at 500 m/s",
                                    "a funnel with 300 grains",
                                    "a paddle that turns",
                                    "300 sleepers",
                                    "masses 1 : 100 : 10000",
                                    "a boulder",
                                    "a ball that rolls",
                                    "1,000 scattered balls"};

static void add_funnel(kugel_world *world)
{
    static const double rim[] = {-2,  -2,  2, 2,  -2,  2, 2,  2,  2, -2,  2,  2,
                                 -.1, -.1, 0, .1, -.1, 0, .1, .1, 0, -.1, .1, 0};
    static const uint32_t sides[] = {0, 4, 5, 0, 5, 1, 1, 5, 6, 1, 6, 2,
                                     2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0};
    add_mesh(world, away, rim, 8, sides, 8, 0);
    for (uint32_t i = 0; i < 300; ++i)
        add_ball(world, away - 0.4 + 0.11 * (i % 8), -0.4 + 0.11 * (i / 8 % 8), 3 + 0.11 * (i / 64),
                 0.05, 1e-3, 0);
}

static void add_b(kugel_world *world, other kind)
{
    static const double blade[] = {-3, 0, -1, 3, 0, -1, 3, 0, 1, -3, 0, 1};
    static const uint32_t square[] = {0, 1, 2, 0, 2, 3};
    if (kind == GRAIN) add_ball(world, away, 0, 0.001, 0.001, 1e-6, 0);
    if (kind == BULLET) add_ball(world, away, 0, 50, 0.05, 1, 500);
    if (kind == FUNNEL) add_funnel(world);
    if (kind == PADDLE) add_mesh(world, away, blade, 4, square, 2, 6);
    if (kind == PADDLE || kind == ROLLING) add_ball(world, away + 1, 1, 0.5, 0.5, 1, 2);
    if (kind == SLEEPERS) add_heap(world, away, 300, 0.5);
    if (kind == BOULDER) add_ball(world, away, 0, 20, 20, 1e5, 0);
    for (uint32_t i = 0; kind == MASSES && i < 9; ++i)
        add_ball(world, away, 0, 0.5 + i, 0.5, i % 3 == 0 ? 1 : i % 3 == 1 ? 100 : 1e4, 0);
    for (uint32_t i = 0; kind == SCATTERED && i < 1000; ++i)
        add_ball(world, away + 100. * (i % 32), 100. * (i / 32), 0.5, 0.5, 1, 1);
}

static double step(kugel_world *world)
{
    double start = thread_time();
    if (kugel_world_step(world, dt)) abort();
    return thread_time() - start;
}

static bool same_bits(const kugel_world *alone, const kugel_world *both, const kugel_body *bodies)
{
    for (uint32_t i = 0; i < BALLS; ++i) {
        kugel_body_state p, q;
        if (kugel_body_get(alone, bodies[i], &p) || kugel_body_get(both, bodies[i], &q)) abort();
        if (memcmp(p.position, q.position, sizeof p.position) != 0 ||
            memcmp(p.velocity, q.velocity, sizeof p.velocity) != 0)
            return false;
    }
    return true;
}

static void measure(other kind, uint32_t ticks)
{
    kugel_world *a = create_floor(), *b = create_floor(), *both = create_floor();
    kugel_body bodies[BALLS];
    double seconds[3] = {0};
    uint32_t differs = 0;
    add_a(a, bodies), add_b(b, kind);
    add_a(both, bodies), add_b(both, kind);
    for (uint32_t k = 0; k < 300 && kind == SLEEPERS; ++k)
        (void)step(b), (void)step(both), (void)step(a);
    for (uint32_t k = 1; k <= ticks; ++k) {
        seconds[0] += step(a), seconds[1] += step(b), seconds[2] += step(both);
        if (!differs && !same_bits(a, both, bodies)) differs = k;
    }
    ROW(TEXT(names[kind]), NUMBER(differs), NUMBER(seconds[0] / ticks), NUMBER(seconds[1] / ticks),
        NUMBER(seconds[2] / ticks), NUMBER(seconds[2] / (seconds[0] + seconds[1])));
    kugel_world_destroy(a), kugel_world_destroy(b), kugel_world_destroy(both);
}

void bench_local(const bench_options *chosen)
{
    static const column columns[] = {
        {"scene B", "other", "%-28s", 1},           {"A differs from tick", "differs", "%6.0f", 1},
        {"A alone, us", "a_seconds", "%9.2f", 1e6}, {"B alone, us", "b_seconds", "%9.2f", 1e6},
        {"both, us", "both_seconds", "%9.2f", 1e6}, {"both over the sum", "ratio", "%6.2f", 1},
    };
    report_table("LOCAL",
                 "200 balls settle, alone and beside another scene; 0: the bits never differ",
                 columns, sizeof columns / sizeof *columns);
    for (other kind = GRAIN; kind < OTHERS; ++kind) measure(kind, chosen->quick ? 30 : 300);
}
