/* SMALL: worlds of few spheres, all engines: what a step costs beside the work of its bodies. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "random.h"
#include "report.h"
#include "times.h"

typedef enum kind { AT_REST, IN_FLIGHT, PILE, KINDS } kind;
static const char *const names[KINDS] = {"at rest apart", "in flight", "pile at rest"};

static const column columns[] = {
    {"n", "n", "%5.0f", 1},
    {"spheres", "spheres", "%-14s", 1},
    {"engine", "engine", "%-7s", 1},
    {"us a step", "seconds", "%9.3f", 1e6},
    {"spread", "seconds_spread", "%5.1f%%", 100},
    {"x kugel's", "ratio", "%7.2fx", 1},
};

/* Spheres 3 m apart on the floor or in the air without gravity, or a lattice that falls. */
static scene make_scene(uint32_t n, kind k)
{
    bool pile = k == PILE;
    scene s = pile ? scene_pile(n) : scene_make(n);
    uint32_t side = (uint32_t)ceil(sqrt(n));
    s.friction = 0.5, s.defaults = true, s.open_top = true, s.untimed = true;
    s.gravity = k == IN_FLIGHT ? 0 : -9.81;
    if (pile) return s;
    s.length[0] = s.length[1] = 3.0 * side, s.length[2] = 1e6;
    for (uint32_t i = 0; i < n; ++i) {
        double *x = s.position + 3 * (size_t)i;
        x[0] = 3.0 * (i % side) + 1.5, x[1] = 3.0 * (i / side) + 1.5;
        x[2] = k == AT_REST ? s.radius : 1000;
        if (k == IN_FLIGHT) s.velocity[3 * (size_t)i + 2] = 1 + 0.1 * random_uniform();
    }
    return s;
}

/* Engines alternate in blocks of steps. */
static void race(uint32_t n, kind kind, int blocks)
{
    enum { STEPS = 50, MOST = 41 };
    scene s = make_scene(n, kind);
    void *engines[PEERS_MOST];
    double seconds[PEERS_MOST][MOST], own = NAN;
    for (int p = 0; peers[p]; ++p) {
        engines[p] = peers[p]->open(&s);
        for (int step = 0; step < (kind == PILE ? 600 : 60); ++step)
            peers[p]->step(engines[p], s.dt);
    }
    for (int block = 0; block < blocks; ++block) {
        for (int p = 0; peers[p]; ++p) {
            double start = now();
            for (int step = 0; step < STEPS; ++step) peers[p]->step(engines[p], s.dt);
            seconds[p][block] = (now() - start) / STEPS;
        }
    }
    for (int p = 0; peers[p]; ++p) {
        times t = times_of(seconds[p], (size_t)blocks);
        if (p == 0) own = t.median;
        ROW(NUMBER(n), TEXT(names[kind]), TEXT(peers[p]->name), NUMBER(t.median), NUMBER(t.spread),
            NUMBER(t.median / own));
        peers[p]->close(engines[p]);
    }
    scene_free(&s);
}

void bench_small(const bench_options *chosen)
{
    static const uint32_t sizes[] = {1, 10, 100};
    report_table("SMALL",
                 "few spheres of 0.5 m: on the floor 3 m apart, in flight without gravity, and a "
                 "pile after 600 ticks; friction 0.5, kugel with its defaults, no sleep, 1/60 s",
                 columns, sizeof columns / sizeof *columns);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        if (chosen->quick && k > 1) break;
        for (kind kind = 0; kind < KINDS; ++kind) {
            if (kind != PILE || sizes[k] > 1) race(sizes[k], kind, chosen->quick ? 3 : 41);
        }
    }
}
