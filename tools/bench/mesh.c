/* MESH and ROLL: spheres on flat floors of random triangles, which should act as planes. Engines
 * alternate in blocks of steps. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "random.h"
#include "report.h"
#include "times.h"

enum { BLOCK = 10, BLOCKS_MOST = 64 };

/* A flat square [0, length]^2 of cells x cells squares, two triangles each. Inner vertices are
 * moved by up to 0.24 of a square; from 0.25 on a triangle could turn over. */
static floor_mesh make_floor(uint32_t cells, double length)
{
    floor_mesh floor = floor_make(cells);
    uint32_t row = cells + 1, *t = floor.triangles;
    for (uint32_t k = 0; k < floor.vertex_count; ++k) {
        const uint32_t at[2] = {k % row, k / row};
        for (size_t axis = 0; axis < 2; ++axis) {
            bool border = at[axis] == 0 || at[axis] == cells;
            double aside = border ? 0 : 0.24 * (2 * random_uniform() - 1);
            floor.vertices[3 * (size_t)k + axis] = (at[axis] + aside) * length / cells;
        }
    }
    for (uint32_t k = 0; k < cells * cells; ++k, t += 6) {
        uint32_t a = k / cells * row + k % cells, b = a + 1, c = a + row, d = c + 1;
        bool turned = random_uniform() < 0.5;
        const uint32_t two[6] = {a, b, turned ? c : d, turned ? b : a, d, c};
        for (int i = 0; i < 6; ++i) t[i] = two[i];
    }
    return floor;
}

/* One engine in a comparison. */
typedef struct lane {
    const peer *peer;
    void *engine;
    double opening, seconds[BLOCKS_MOST]; /* s: to open; of a step, in each block */
    /* m, largest distances below and above the height of a sphere at rest, without spheres under
     * the floor */
    double deepest, highest;
    uint32_t hops; /* number of spheres more than radius / HOP_SHARE above it, over all blocks */
} lane;

typedef struct course {
    const scene *scene;
    lane lanes[PEERS_MOST];
    double *x, *v;
    int blocks;
} course;

static course open_course(const scene *s)
{
    course c = {.scene = s};
    size_t values = 3 * (size_t)s->count;
    c.x = malloc(values * sizeof *c.x), c.v = malloc(values * sizeof *c.v);
    if (!c.x || !c.v) abort();
    for (int k = 0; peers[k]; ++k) {
        double start = now();
        c.lanes[k] = (lane){.peer = peers[k], .engine = peers[k]->open(s)};
        c.lanes[k].opening = now() - start;
    }
    return c;
}

static void close_course(course *c)
{
    for (int k = 0; peers[k]; ++k) c->lanes[k].peer->close(c->lanes[k].engine);
    free(c->x);
    free(c->v);
}

enum { HOP_SHARE = 1000 }; /* a hop is higher than this part of the radius */

static void run_block(course *c, int steps)
{
    const scene *s = c->scene;
    for (int k = 0; peers[k]; ++k) {
        lane *l = &c->lanes[k];
        double start = now();
        for (int step = 0; step < steps; ++step) l->peer->step(l->engine, s->dt);
        if (c->blocks < BLOCKS_MOST) l->seconds[c->blocks] = (now() - start) / steps;
        l->peer->read(l->engine, c->x, c->v);
        for (size_t i = 0; i < s->count; ++i) {
            double above = c->x[3 * i + 2] - s->radius;
            if (above < -s->radius) continue; /* below the floor */
            l->deepest = fmax(l->deepest, -above), l->highest = fmax(l->highest, above);
            l->hops += above > s->radius / HOP_SHARE;
        }
    }
    c->blocks += 1;
}

/* Number of spheres whose centres were below the floor when last read. */
static uint32_t count_lost(const course *c)
{
    uint32_t lost = 0;
    for (size_t i = 0; i < c->scene->count; ++i) lost += c->x[3 * i + 2] < 0;
    return lost;
}

static const column mesh_columns[] = {
    {"n", "n", "%8.0f", 1},
    {"triangles", "triangles", "%9.0f", 1},
    {"engine", "engine", "%-7s", 1},
    {"ms a step", "seconds", "%9.3f", 1e3},
    {"least", "seconds_least", "%9.3f", 1e3},
    {"spread", "seconds_spread", "%5.1f%%", 100},
    {"x kugel's", "ratio", "%7.2fx", 1},
    {"x its plane", "ratio_of_plane", "%7.2fx", 1},
    {"open, ms", "opening", "%9.1f", 1e3},
    {"deepest", "deepest", "%8.4f%%", 100},
    {"speed at the end", "speed", "%9.2e", 1},
    {"below the floor", "lost", "%.0f", 1},
};

/* Spheres 2 m apart fall from up to 3 m. @param plane time of a step on a plane, for each engine;
 * the call for a scene without triangles sets it. */
static void land(scene *s, int steps, double plane[PEERS_MOST])
{
    course c = open_course(s);
    double own = NAN;
    for (int step = 0; step < steps; step += BLOCK) run_block(&c, BLOCK);
    for (int k = 0; peers[k]; ++k) {
        lane *l = &c.lanes[k];
        size_t blocks = (size_t)(c.blocks < BLOCKS_MOST ? c.blocks : BLOCKS_MOST);
        times t = times_of(l->seconds, blocks);
        l->peer->read(l->engine, c.x, c.v);
        if (k == 0) own = t.median;
        if (!s->floor.triangle_count) plane[k] = t.median;
        ROW(NUMBER(s->count), NUMBER(s->floor.triangle_count), TEXT(l->peer->name),
            NUMBER(t.median), NUMBER(t.least), NUMBER(t.spread), NUMBER(t.median / own),
            NUMBER(t.median / plane[k]), NUMBER(l->opening), NUMBER(l->deepest / s->radius),
            NUMBER(sqrt(2 * scene_kinetic(s, c.v) / s->mass / s->count)), NUMBER(count_lost(&c)));
    }
    close_course(&c);
}

void bench_mesh(const bench_options *chosen)
{
    uint32_t n = chosen->size ? chosen->size : 10000, side = (uint32_t)ceil(sqrt(n));
    double plane[PEERS_MOST] = {0}, length = 2.0 * side;
    report_table(
        "MESH",
        "spheres 2 m apart fall by 0.5 to 2.5 m onto a plane (0 triangles), then onto flat "
        "floors of random triangles; friction 0.5, restitution 0.3, 300 ticks of 1/60 s",
        mesh_columns, sizeof mesh_columns / sizeof *mesh_columns);
    for (int floor = 0; floor < (chosen->quick ? 2 : 3); ++floor) {
        scene s = scene_make(n);
        for (int k = 0; k < 2; ++k) s.length[k] = length;
        s.length[2] = 100, s.open_top = true;
        s.friction = 0.5, s.restitution = 0.3, s.gravity = -9.81;
        s.threshold = 0.5, s.slop = 0.01;
        for (uint32_t i = 0; i < n; ++i) {
            s.position[3 * (size_t)i] = 2 * (i % side) + 1 + 0.8 * random_uniform() - 0.4;
            s.position[3 * (size_t)i + 1] = 2 * (i / side) + 1 + 0.8 * random_uniform() - 0.4;
            s.position[3 * (size_t)i + 2] = 1 + 2 * random_uniform();
        }
        if (floor) s.floor = make_floor(floor == 1 ? 100 : 708, length);
        s.boundless = floor > 0;
        land(&s, chosen->quick ? 100 : 300, plane);
        floor_free(&s.floor);
        scene_free(&s);
    }
}

static const column roll_columns[] = {
    {"n", "n", "%8.0f", 1},
    {"speed, m/s", "speed", "%7.1f", 1},
    {"engine", "engine", "%-7s", 1},
    {"ms a step", "seconds", "%9.3f", 1e3},
    {"hops a sphere", "hops", "%8.2f", 1},
    {"highest", "highest", "%10.4f%%", 100},
    {"deepest", "deepest", "%8.4f%%", 100},
    {"speed error", "speed_error", "%9.2e", 1},
    {"sideways", "sideways", "%9.2e", 1},
    {"below the floor", "lost", "%.0f", 1},
};

/* Spheres that roll along x without slipping, side by side. On a plane they keep their speed. */
static scene rolling(uint32_t n, double speed, const floor_mesh *floor)
{
    scene s = scene_make(n);
    s.boundless = true, s.floor = *floor;
    s.friction = 0.5, s.gravity = -9.81, s.threshold = 0.5, s.slop = 0.01;
    s.spin = calloc(3 * (size_t)n, sizeof(double));
    if (!s.spin) abort();
    for (size_t i = 0; i < n; ++i) {
        s.position[3 * i] = 5;
        s.position[3 * i + 1] = 10 + 100.0 * ((double)i + 0.3 * random_uniform()) / n;
        s.position[3 * i + 2] = s.radius;
        s.velocity[3 * i] = speed;
        s.spin[3 * i + 1] = speed / s.radius;
    }
    return s;
}

static void roll(uint32_t n, double speed, const floor_mesh *floor)
{
    scene s = rolling(n, speed, floor);
    course c = open_course(&s);
    int steps = (int)ceil(100 / speed / s.dt), block = (steps + BLOCKS_MOST - 1) / BLOCKS_MOST;
    for (int step = 0; step < steps; step += block) run_block(&c, block);
    for (int k = 0; peers[k]; ++k) {
        lane *l = &c.lanes[k];
        double error = 0, sideways = 0;
        l->peer->read(l->engine, c.x, c.v);
        for (size_t i = 0; i < n; ++i) {
            error = fmax(error, fabs(c.v[3 * i] / speed - 1));
            sideways = fmax(sideways, fabs(c.v[3 * i + 1] / speed));
        }
        ROW(NUMBER(n), NUMBER(speed), TEXT(l->peer->name),
            NUMBER(times_of(l->seconds, (size_t)c.blocks).median), NUMBER((double)l->hops / n),
            NUMBER(l->highest / s.radius), NUMBER(l->deepest / s.radius), NUMBER(error),
            NUMBER(sideways), NUMBER(count_lost(&c)));
    }
    close_course(&c);
    scene_free(&s);
}

void bench_roll(const bench_options *chosen)
{
    static const double speeds[] = {1, 10, 100};
    uint32_t n = chosen->quick ? 20 : 50;
    report_table("ROLL",
                 "spheres roll 100 m over a flat floor of 20,000 random triangles: how often a "
                 "sphere is seen more than 0.1 % of its radius above the floor, at 64 times of the "
                 "run; heights in radii; errors of the speed along and across, in its parts",
                 roll_columns, sizeof roll_columns / sizeof *roll_columns);
    random_seed(1);
    floor_mesh floor = make_floor(100, 120);
    for (int k = chosen->quick ? 1 : 0; k < (chosen->quick ? 2 : 3); ++k)
        roll(n, speeds[k], &floor);
    floor_free(&floor);
}
