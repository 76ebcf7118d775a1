/* SIZE: the pile of 1,000 spheres with scaled lengths and unscaled ticks. */
#include <math.h>

#include "course.h"
#include "report.h"
#include "times.h"

static const column columns[] = {
    {"radius, mm", "radius", "%7.1f", 1e3},
    {"n", "n", "%7.0f", 1},
    {"engine", "engine", "%-7s", 1},
    {"steps", "steps", "%4.0f", 1},
    {"ms a step, at rest", "seconds", "%9.3f", 1e3},
    {"spread", "seconds_spread", "%5.1f%%", 100},
    {"whole run", "seconds_mean", "%9.3f", 1e3},
    {"x kugel's", "ratio_mean", "%7.2fx", 1},
    {"slowest ten", "seconds_slowest", "%9.3f", 1e3},
    {"substeps, all", "substeps", "%7.0f", 1},
    {"substeps, most", "substeps_most", "%4.0f", 1},
    {"us a substep", "seconds_a_substep", "%8.2f", 1e6},
    {"depth mean", "mean_depth", "%8.4f%%", 100},
    {"depth max", "max_depth", "%8.4f%%", 100},
    {"worst in run", "worst_depth", "%8.4f%%", 100},
    {"escaped", "escaped", "%.0f", 1},
    {"budgets", "budgets_exhausted", "%.0f", 1},
};

static void race(double radius, const bench_options *chosen)
{
    scene s = scene_pile(chosen->size ? chosen->size : 1000);
    s.defaults = true;
    scene_scale(&s, radius / s.radius);
    course c = course_open(&s, chosen->peers);
    int steps = chosen->quick ? 60 : 600;
    double substeps = 0, substeps_most = 0;
    c.cap = chosen->cap;
    for (int step = 0; step < steps; step += BLOCK) {
        course_run_block(&c, BLOCK, step >= steps / 3 * 2);
        double taken = (double)kugel_stats_of(c.lanes[0].engine).substeps;
        substeps += BLOCK * taken, substeps_most = fmax(substeps_most, taken);
    }
    for (lane *l = c.lanes; l < c.lanes + c.count; ++l) {
        times t = l->blocks ? times_of(l->seconds, (size_t)l->blocks) : (times){NAN, NAN, NAN};
        quality q = course_look(&c, l);
        bool first = l == c.lanes;
#define OWN(value) NUMBER(first ? (value) : NAN)
        ROW(NUMBER(radius), NUMBER(s.count), TEXT(l->peer->name), NUMBER(l->steps),
            NUMBER(t.median), NUMBER(t.spread), NUMBER(l->all / l->steps),
            NUMBER(l->all / l->kugel), NUMBER(l->slowest), OWN(substeps), OWN(substeps_most),
            OWN(l->all / substeps), NUMBER(q.mean_depth), NUMBER(q.max_depth), NUMBER(l->worst),
            NUMBER(q.escaped), OWN((double)kugel_stats_of(l->engine).budgets_exhausted));
#undef OWN
    }
    course_close(&c);
    scene_free(&s);
}

void bench_size(const bench_options *chosen)
{
    static const double radii[] = {0.5, 0.1, 0.01, 1e-3, 1e-4};
    report_table("SIZE",
                 "the pile with all lengths scaled, density, gravity and ticks of 1/60 s as they "
                 "are, kugel with its defaults; at rest: the last third of the steps. Fewer "
                 "steps: the engine has exceeded its cap of time",
                 columns, sizeof columns / sizeof *columns);
    for (size_t k = 0; k < sizeof radii / sizeof *radii; ++k) race(radii[k], chosen);
}
