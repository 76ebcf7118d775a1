/* MIXED: piles of unlike spheres, all engines. A second world of kugel, in which bodies fall
 * asleep, gives the number of sleepers. */
#include <math.h>
#include <string.h>

#include "course.h"
#include "mixtures.h"
#include "report.h"
#include "stages.h"
#include "times.h"

static const mixture mixtures[] = {
    {"one size", LAW_ONE, 1},      {"two 1:10", LAW_TWO, 10},       {"two 1:30", LAW_TWO, 30},
    {"two 1:100", LAW_TWO, 100},   {"power 1:10", LAW_POWER, 10},   {"power 1:20", LAW_POWER, 20},
    {"power 1:30", LAW_POWER, 30}, {"power 1:100", LAW_POWER, 100}, {"log 1:10", LAW_LOG, 10},
    {"log 1:30", LAW_LOG, 30},     {"log 1:100", LAW_LOG, 100},
};
enum { MIXTURES = sizeof mixtures / sizeof *mixtures };

static const column columns[] = {
    {"n", "n", "%7.0f", 1},
    {"radii", "radii", "%-11s", 1},
    {"engine", "engine", "%-7s", 1},
    {"steps", "steps", "%4.0f", 1},
    {"ms a step, at rest", "seconds", "%9.3f", 1e3},
    {"spread", "seconds_spread", "%5.1f%%", 100},
    {"x kugel's", "ratio", "%7.2fx", 1},
    {"whole run", "seconds_mean", "%9.3f", 1e3},
    {"x kugel's", "ratio_mean", "%7.2fx", 1},
    {"slowest ten", "seconds_slowest", "%9.3f", 1e3},
    {"substeps, most", "substeps_most", "%3.0f", 1},
    {"ns a contact, at rest", "seconds_a_contact", "%6.1f", 1e9},
    {"ns a contact or impact", "seconds_a_meeting", "%6.1f", 1e9},
    {"depth mean", "mean_depth", "%8.4f%%", 100},
    {"depth max", "max_depth", "%8.4f%%", 100},
    {"worst in run", "worst_depth", "%8.4f%%", 100},
    {"escaped", "escaped", "%.0f", 1},
    {"budgets", "budgets_exhausted", "%.0f", 1},
    {"asleep", "asleep", "%5.1f%%", 100},
    {"bytes a body", "bytes_a_body", "%6.0f", 1},
};

/* Kugel's work: contacts of all substeps, and impacts. */
typedef struct work {
    double contacts, impacts, rest_contacts, rest_seconds, substeps_most;
    uint64_t budgets;
} work;

/* Runs a block of steps. A world changes little in a block, so contacts and substeps of its last
 * step count for all its steps. */
static void run_block(course *c, bool at_rest, work *w)
{
    lane *own = c->lanes;
    double before = own->all;
    course_run_block(c, BLOCK, at_rest);
    kugel_stats now = kugel_stats_of(own->engine);
    double contacts = BLOCK * (double)now.resting_contacts * (double)now.substeps;
    w->contacts += contacts;
    w->impacts = (double)now.impacts_total;
    w->substeps_most = fmax(w->substeps_most, (double)now.substeps);
    w->budgets = now.budgets_exhausted;
    if (at_rest) w->rest_contacts += contacts, w->rest_seconds += own->all - before;
}

/* Share of the bodies that sleep after `steps` steps. */
static double share_asleep(const scene *s, int steps)
{
    scene sleeping = *s;
    sleeping.sleeps = true;
    void *world = peer_kugel.open(&sleeping);
    for (int k = 0; k < steps; ++k) peer_kugel.step(world, s->dt);
    double asleep = (double)kugel_stats_of(world).asleep / s->count;
    peer_kugel.close(world);
    return asleep;
}

static void report(course *c, lane *l, const char *name, const work *w, double asleep, double *own)
{
    times t = l->blocks ? times_of(l->seconds, (size_t)l->blocks) : (times){NAN, NAN, NAN};
    quality q = course_look(c, l);
    bool first = l == c->lanes;
    if (first) *own = t.median;
#define OWN(value) NUMBER(first ? (value) : NAN)
    ROW(NUMBER(c->scene->count), TEXT(name), TEXT(l->peer->name), NUMBER(l->steps),
        NUMBER(t.median), NUMBER(t.spread), NUMBER(t.median / *own), NUMBER(l->all / l->steps),
        NUMBER(l->all / l->kugel), NUMBER(l->slowest), OWN(w->substeps_most),
        OWN(w->rest_seconds / w->rest_contacts), OWN(l->all / (w->contacts + w->impacts)),
        NUMBER(q.mean_depth), NUMBER(q.max_depth), NUMBER(l->worst), NUMBER(q.escaped),
        OWN((double)w->budgets), OWN(asleep), OWN(kugel_memory_of(l->engine) / c->scene->count));
#undef OWN
}

static void race(uint32_t n, const mixture *m, const bench_options *chosen)
{
    scene s = scene_mixed_pile(n, m);
    course c = course_open(&s, chosen->peers);
    int steps = chosen->quick ? 60 : 600, from = steps / 3 * 2;
    work w = {0};
    double own = 0;
    kugel_step_times before = {0};
    c.cap = chosen->cap;
    for (int step = 0; step < steps; step += BLOCK) {
        if (step <= from) before = kugel_times_of(c.lanes[0].engine);
        run_block(&c, step >= from, &w);
    }
    stages_note(m->name, n, c.lanes[0].engine, &before);
    double asleep = share_asleep(&s, steps);
    for (int p = 0; p < c.count; ++p) report(&c, &c.lanes[p], m->name, &w, asleep, &own);
    course_close(&c);
    scene_free(&s);
}

bool bench_has_mixture(const char *name)
{
    int m = strcmp(name, "gas") == 0 ? -1 : 0;
    while (m >= 0 && m < MIXTURES && strcmp(mixtures[m].name, name) != 0) ++m;
    return m < MIXTURES;
}

void bench_mixed(const bench_options *chosen)
{
    static const uint32_t sizes[] = {10000, 100000};
    if (chosen->mix && strcmp(chosen->mix, "gas") == 0) {
        bench_mixed_gas(chosen);
        return;
    }
    report_table("MIXED",
                 "unlike spheres of one density, the largest with radius 0.5 m, fall into an open "
                 "box; friction 0.5, restitution 0, kugel with its defaults; at rest: the last "
                 "third of the steps. Two: two radii, half of the volume each; power: radii as "
                 "r^-3.5. Fewer steps: the engine has exceeded its cap of time, mostly while the "
                 "pile lands",
                 columns, sizeof columns / sizeof *columns);
    for (int k = 0; k < (chosen->size ? 1 : chosen->large ? 2 : 1); ++k) {
        for (int m = 0; m < MIXTURES; ++m) {
            if (chosen->mix && strcmp(chosen->mix, mixtures[m].name) != 0) continue;
            race(chosen->size ? chosen->size : sizes[k], &mixtures[m], chosen);
        }
    }
    if (!chosen->mix) bench_mixed_gas(chosen);
}
