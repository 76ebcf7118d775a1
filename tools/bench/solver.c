/* SOLVER: quality and time of the pile for several numbers of substeps and sweeps, whose worlds
 * alternate in blocks of ten steps. */
#include "bench.h"
#include "report.h"
#include "times.h"

enum { VARIANTS = 5, STEPS = 600, BLOCK = 10, SETTLED = 400 };

typedef struct variant {
    int substeps, sweeps;
    void *world;
    double seconds[STEPS / BLOCK], worst;
} variant;

static void run_block(variant *v, scene *s, int block)
{
    double start = now();
    for (int step = 0; step < BLOCK; ++step) peer_kugel.step(v->world, s->dt);
    v->seconds[block] = (now() - start) / BLOCK;
    peer_kugel.read(v->world, s->position, s->velocity);
    double depth = scene_quality(s, s->position, s->velocity).max_depth;
    v->worst = depth > v->worst ? depth : v->worst;
}

static void finish(variant *v, scene *s)
{
    enum { LAST = (STEPS - SETTLED) / BLOCK };
    times fall = times_of(v->seconds, SETTLED / BLOCK),
          settled = times_of(v->seconds + SETTLED / BLOCK, LAST);
    peer_kugel.read(v->world, s->position, s->velocity);
    quality q = scene_quality(s, s->position, s->velocity);
    ROW(NUMBER(s->count), NUMBER(v->substeps), NUMBER(v->sweeps), NUMBER(fall.median),
        NUMBER(settled.median), NUMBER(settled.least), NUMBER(settled.spread), NUMBER(q.mean_depth),
        NUMBER(q.max_depth), NUMBER(v->worst), NUMBER(scene_kinetic(s, s->velocity) / s->count));
    peer_kugel.close(v->world);
}

void bench_solver(const bench_options *chosen)
{
    static const column columns[] = {
        {"n", "n", "%8.0f", 1},
        {"substeps", "substeps", "%2.0f", 1},
        {"least sweeps", "sweeps", "%2.0f", 1},
        {"falling, ms a step", "seconds_falling", "%8.3f", 1e3},
        {"settled, ms a step", "seconds", "%8.3f", 1e3},
        {"least", "seconds_least", "%8.3f", 1e3},
        {"spread", "seconds_spread", "%5.1f%%", 100},
        {"depth mean", "mean_depth", "%8.4f%%", 100},
        {"depth max", "max_depth", "%8.4f%%", 100},
        {"worst in run", "worst_depth", "%8.4f%%", 100},
        {"J a sphere", "joule_a_body", "%9.2e", 1},
    };
    variant all[VARIANTS] = {{4, 1}, {1, 4}, {2, 2}, {4, 4}, {8, 1}};
    scene s = scene_pile(chosen->size ? chosen->size : 1000);
    report_table("SOLVER", "the pile with other substeps and sweeps", columns,
                 sizeof columns / sizeof *columns);
    for (variant *v = all; v < all + VARIANTS; ++v) {
        s.substeps = v->substeps, s.sweeps = v->sweeps;
        v->world = peer_kugel.open(&s);
    }
    for (int block = 0; block < STEPS / BLOCK; ++block) {
        for (variant *v = all; v < all + VARIANTS; ++v) run_block(v, &s, block);
    }
    for (variant *v = all; v < all + VARIANTS; ++v) finish(v, &s);
    scene_free(&s);
}
