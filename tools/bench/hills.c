/* HILLS: spheres fall on uneven ground of triangles, all engines. No two triangles are in one
 * plane. The depth under the ground is measured by a world of kugel that has only the ground. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdlib.h>

#include "course.h"
#include "ground.h"
#include "random.h"
#include "report.h"
#include "times.h"

enum { TICKS = 180 };
static const double apart = 2, rim = 12; /* m, between the spheres, and around them */

static const column columns[] = {
    {"n", "n", "%7.0f", 1},
    {"triangles", "triangles", "%9.0f", 1},
    {"edge, m", "edge", "%5.2f", 1},
    {"engine", "engine", "%-7s", 1},
    {"ms a step", "seconds_mean", "%9.3f", 1e3},
    {"slowest ten", "seconds_slowest", "%9.3f", 1e3},
    {"x kugel's", "ratio", "%7.2fx", 1},
    {"x slowest", "ratio_slowest", "%7.2fx", 1},
    {"deepest", "deepest", "%8.4f%%", 100},
    {"deepest pair", "worst_depth", "%8.4f%%", 100},
    {"below the ground", "lost", "%.0f", 1},
    {"bytes a body", "bytes_a_body", "%6.0f", 1},
};

/* Hills of 1 m, 12 m from top to top. */
static double hill(const double at[2])
{
    const double turn = 2 * 3.14159265358979323846 / 12;
    return sin(turn * at[0]) * sin(turn * at[1]);
}

/* A square of `cells` x `cells` squares of two triangles; each vertex is moved up or down by up to
 * a twentieth of a square. */
static floor_mesh make_hills(uint32_t cells, double length)
{
    const double edge = length / cells;
    floor_mesh floor = floor_make(cells);
    uint32_t row = cells + 1;
    for (uint32_t k = 0; k < floor.vertex_count; ++k) {
        double *at = floor.vertices + 3 * (size_t)k;
        at[0] = k % row * edge, at[1] = k / row * edge;
        at[2] = hill(at) + 0.05 * edge * (2 * random_uniform() - 1);
    }
    floor_set_squares(&floor, cells);
    return floor;
}

static scene make_scene(uint32_t n, double edge)
{
    scene s = scene_make(n);
    uint32_t side = (uint32_t)ceil(sqrt(n));
    double length = apart * side + 2 * rim;
    s.boundless = true;
    s.friction = 0.5, s.restitution = 0.3, s.gravity = -9.81, s.defaults = true;
    s.floor = make_hills((uint32_t)ceil(length / edge), length);
    for (uint32_t i = 0; i < n; ++i) {
        double *x = s.position + 3 * (size_t)i;
        x[0] = rim + apart * (i % side) + 1 + 0.8 * random_uniform() - 0.4;
        x[1] = rim + apart * (i / side) + 1 + 0.8 * random_uniform() - 0.4;
        x[2] = 2 + 2 * random_uniform();
    }
    return s;
}

/* Spheres wholly below the ground. */
static double count_lost(const scene *s, const double *x)
{
    double lost = 0;
    for (size_t i = 0; i < s->count; ++i) lost += x[3 * i + 2] + s->radius < hill(x + 3 * i) - 0.1;
    return lost;
}

static void race(uint32_t n, double edge, int ticks, uint32_t peers_most)
{
    scene s = make_scene(n, edge);
    kugel_world *ground = ground_open(&s);
    double deepest[PEERS_MOST] = {0}, lost[PEERS_MOST];
    course c = course_open(&s, peers_most);
    for (int tick = 0; tick < ticks; tick += BLOCK) {
        course_run_block(&c, BLOCK, true);
        for (int k = 0; k < c.count; ++k) {
            c.lanes[k].peer->read(c.lanes[k].engine, c.x, c.v);
            deepest[k] = fmax(deepest[k], ground_depth(&s, ground, c.x));
            lost[k] = count_lost(&s, c.x);
        }
    }
    for (int k = 0; k < c.count; ++k) {
        const lane *l = &c.lanes[k], *own = c.lanes;
        ROW(NUMBER(n), NUMBER(s.floor.triangle_count), NUMBER(edge), TEXT(l->peer->name),
            NUMBER(l->all / l->steps), NUMBER(l->slowest), NUMBER(l->all / l->kugel),
            NUMBER(l->slowest / own->slowest), NUMBER(deepest[k]), NUMBER(l->worst),
            NUMBER(lost[k]), NUMBER(k ? NAN : kugel_memory_of(l->engine) / n));
    }
    course_close(&c);
    peer_kugel.close(ground);
    floor_free(&s.floor);
    scene_free(&s);
}

void bench_hills(const bench_options *chosen)
{
    static const double edges[] = {4, 1, 0.28, 0.14};
    uint32_t n = chosen->size ? chosen->size : chosen->quick ? 200 : 2000;
    report_table("HILLS",
                 "spheres of 0.5 m, 2 m apart, fall on hills of 1 m made of triangles; friction "
                 "0.5, restitution 0.3, kugel with its defaults, 180 ticks of 1/60 s. Depth in "
                 "radii under the ground, at the end of a block of ten ticks",
                 columns, sizeof columns / sizeof *columns);
    for (size_t k = 0; k < sizeof edges / sizeof *edges; ++k)
        race(n, edges[k], chosen->quick ? 30 : TICKS, chosen->peers);
    if (!chosen->quick && !chosen->size) race(10000, 0.28, TICKS, chosen->peers);
}
