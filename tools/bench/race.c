/* GAS and PILE: steps of all engines on elastic gases and settling piles. */
#include <math.h>

#include "course.h"
#include "report.h"
#include "stages.h"
#include "times.h"

static const column columns[] = {
    {"n", "n", "%8.0f", 1},
    {"engine", "engine", "%-7s", 1},
    {"ms a step", "seconds", "%9.3f", 1e3},
    {"least", "seconds_least", "%9.3f", 1e3},
    {"spread", "seconds_spread", "%5.1f%%", 100},
    {"x kugel's", "ratio", "%7.2fx", 1},
    {"whole run", "seconds_mean", "%9.3f", 1e3},
    {"x kugel's", "ratio_of_runs", "%7.2fx", 1},
    {"slowest ten", "seconds_slowest", "%9.3f", 1e3},
    {"energy change", "energy_change", "%+9.2e", 1},
    {"depth mean", "mean_depth", "%8.4f%%", 100},
    {"depth max", "max_depth", "%8.4f%%", 100},
    {"worst in run", "worst_depth", "%8.4f%%", 100},
    {"escaped", "escaped", "%.0f", 1},
    {"bytes a body", "bytes_a_body", "%6.0f", 1},
};

/* @param own kugel's time of a measured step, s */
static void report(course *c, lane *l, double *own)
{
    times t = times_of(l->seconds, (size_t)l->blocks);
    quality q = course_look(c, l);
    bool first = l == c->lanes;
    if (first) *own = t.median;
    ROW(NUMBER(c->scene->count), TEXT(l->peer->name), NUMBER(t.median), NUMBER(t.least),
        NUMBER(t.spread), NUMBER(t.median / *own), NUMBER(l->all / l->steps),
        NUMBER(l->all / l->kugel), NUMBER(l->slowest), NUMBER(q.energy / l->energy - 1),
        NUMBER(q.mean_depth), NUMBER(q.max_depth), NUMBER(l->worst), NUMBER(q.escaped),
        NUMBER(first ? kugel_memory_of(l->engine) / c->scene->count : NAN));
}

/* The time of a step is the median over the blocks from step `from` on. */
static void race(const char *name, const scene *s, uint32_t peers_most, int steps, int from)
{
    course c = course_open(s, peers_most);
    int block = from + BLOCK < steps ? BLOCK : 1;
    double own = 0;
    kugel_step_times before = {0};
    for (int step = 0; step < steps; step += block) {
        if (step <= from) before = kugel_times_of(c.lanes[0].engine);
        course_run_block(&c, block, step >= from);
    }
    stages_note(name, s->count, c.lanes[0].engine, &before);
    for (int p = 0; p < c.count; ++p) report(&c, &c.lanes[p], &own);
    course_close(&c);
}

/* Number of spheres of scene k; 0: end of the list. */
static uint32_t size_at(const bench_options *chosen, int k)
{
    static const uint32_t sizes[] = {1000, 10000, 100000, 1000000};
    if (chosen->size) return k == 0 ? chosen->size : 0;
    return k < (chosen->large ? 4 : 2) ? sizes[k] : 0;
}

void bench_gas(const bench_options *chosen)
{
    report_table("GAS",
                 "restitution 1, no friction, no gravity, packing 0.10 in a box, sigma 5 m/s a "
                 "component, ticks of 1/60 s",
                 columns, sizeof columns / sizeof *columns);
    for (int k = 0; size_at(chosen, k); ++k) {
        uint32_t n = size_at(chosen, k);
        scene s = scene_gas(n, 0.1, false);
        int steps = chosen->quick ? (n > 5000 ? 40 : 100) : n > 50000 ? 100 : 600;
        race("GAS", &s, chosen->peers, steps, steps / (chosen->quick ? 5 : 10) / BLOCK * BLOCK);
        scene_free(&s);
    }
}

void bench_pile(const bench_options *chosen)
{
    report_table("PILE",
                 "friction 0.5, restitution 0, a jittered lattice falls into an open box; times of "
                 "the last 200 of 600 ticks of 1/60 s (300 ticks with 1,000,000)",
                 columns, sizeof columns / sizeof *columns);
    for (int k = 0; size_at(chosen, k); ++k) {
        uint32_t n = size_at(chosen, k);
        if (chosen->quick && !chosen->size && n > 1000) continue;
        scene s = scene_pile(n);
        int steps = n > 500000 ? 300 : 600;
        race("PILE", &s, chosen->peers, steps, steps - 200);
        scene_free(&s);
    }
}
