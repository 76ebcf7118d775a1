/* LEVEL: spheres of several sizes fall into a bowl of triangles, where a lift rises and sinks and a
 * paddle turns, all engines. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdlib.h>

#include "course.h"
#include "ground.h"
#include "random.h"
#include "report.h"
#include "times.h"

enum { TICKS = 260, CELLS = 64, SIDE = 12 };
static const double edge = 0.5, apart = 0.8; /* m: of the triangles, between the spheres */

/* A bowl with humps of 0.2 m. */
static floor_mesh make_bowl(void)
{
    floor_mesh floor = floor_make(CELLS);
    const uint32_t row = CELLS + 1;
    for (uint32_t k = 0; k < floor.vertex_count; ++k) {
        double *at = floor.vertices + 3 * (size_t)k;
        at[0] = (k % row - 0.5 * CELLS) * edge, at[1] = (k / row - 0.5 * CELLS) * edge;
        at[2] = 0.02 * (at[0] * at[0] + at[1] * at[1]) + 0.2 * sin(0.5 * at[0]) * sin(0.5 * at[1]) +
                0.03 * edge * random_uniform();
    }
    floor_set_squares(&floor, CELLS);
    return floor;
}

static scene make_scene(uint32_t n)
{
    scene s = scene_make(n);
    s.boundless = true;
    s.friction = 0.5, s.restitution = 0.3, s.gravity = -9.81, s.defaults = true;
    s.floor = make_bowl();
    s.movers[0] = (mover){
        .half = {2, 2, 0.2}, .position = {4, 0, 3}, .height = 0.8, .pulse = 3.14159265358979};
    s.movers[1] = (mover){.half = {3, 0.2, 1}, .position = {-3, 0, 1.3}, .spin = 1};
    s.mover_count = 2;
    s.radii = malloc(n * sizeof *s.radii);
    s.masses = malloc(n * sizeof *s.masses);
    if (!s.radii || !s.masses) abort();
    for (uint32_t i = 0; i < n; ++i) {
        double *x = s.position + 3 * (size_t)i;
        const uint32_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        s.radii[i] = 0.15 + 0.2 * random_uniform();
        s.masses[i] = 1000 * 4 / 3. * 3.14159265358979 * pow(s.radii[i], 3);
        for (int k = 0; k < 3; ++k)
            x[k] = apart * (at[k] - (k < 2 ? 0.5 * SIDE : 0)) + 0.08 * random_uniform();
        x[2] += 5;
    }
    return s;
}

static void step_ground(const scene *s, kugel_world *ground, int tick)
{
    for (int k = tick; k < tick + BLOCK; ++k) {
        scene_move(s, &peer_kugel, ground, k * s->dt);
        if (kugel_world_step(ground, s->dt)) abort();
    }
}

void bench_level(const bench_options *chosen)
{
    static const column columns[] = {
        {"n", "n", "%7.0f", 1},
        {"engine", "engine", "%-7s", 1},
        {"ms a step", "seconds_mean", "%9.3f", 1e3},
        {"slowest ten", "seconds_slowest", "%9.3f", 1e3},
        {"x kugel's", "ratio", "%7.2fx", 1},
        {"x slowest", "ratio_slowest", "%7.2fx", 1},
        {"deepest", "deepest", "%8.4f%%", 100},
        {"deepest pair", "worst_depth", "%8.4f%%", 100},
    };
    scene s = make_scene(chosen->size ? chosen->size : chosen->quick ? 200 : 2000);
    kugel_world *ground = ground_open(&s);
    double deepest[PEERS_MOST] = {0};
    course c = course_open(&s, chosen->peers);
    report_table(
        "LEVEL",
        "spheres of 0.15 to 0.35 m fall into a bowl of 8,192 triangles with a lift that rises "
        "and sinks and a paddle that turns; 260 ticks, else as HILLS",
        columns, sizeof columns / sizeof *columns);
    for (int tick = 0; tick < (chosen->quick ? 60 : TICKS); tick += BLOCK) {
        course_run_block(&c, BLOCK, true);
        step_ground(&s, ground, tick);
        for (int k = 0; k < c.count; ++k) {
            c.lanes[k].peer->read(c.lanes[k].engine, c.x, c.v);
            deepest[k] = fmax(deepest[k], ground_depth(&s, ground, c.x));
        }
    }
    for (int k = 0; k < c.count; ++k) {
        const lane *l = &c.lanes[k];
        ROW(NUMBER(s.count), TEXT(l->peer->name), NUMBER(l->all / l->steps), NUMBER(l->slowest),
            NUMBER(l->all / l->kugel), NUMBER(l->slowest / c.lanes->slowest), NUMBER(deepest[k]),
            NUMBER(l->worst));
    }
    course_close(&c);
    peer_kugel.close(ground);
    floor_free(&s.floor);
    scene_free(&s);
}
