/* THREADS: a gas and a settled pile with one and more threads, measured in two ways. By wall time:
 * worlds in equal states alternate in blocks of steps, for up to as many threads as processors. By
 * task ranges: one thread runs and times all ranges, which a model assigns to the thread that is
 * free first. The model leaves out waiting, waking, shared memory and load of the machine. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "machine.h"
#include "report.h"
#include "times.h"

enum { ROUNDS = 7, THREADS_MOST = 16 };

typedef struct virtual_threads {
    uint32_t threads;
    double saved; /* s */
} virtual_threads;

static void run_ranges(void *user, uint32_t count, void (*task)(void *, uint32_t), void *context)
{
    virtual_threads *h = user;
    double load[THREADS_MOST] = {0}, most = 0, start = thread_time(), before = start;
    for (uint32_t range = 0; range < count; ++range) {
        uint32_t idle = 0;
        task(context, range);
        for (uint32_t t = 1; t < h->threads; ++t) idle = load[t] < load[idle] ? t : idle;
        double end = thread_time();
        load[idle] += end - before;
        most = load[idle] > most ? load[idle] : most;
        before = end;
    }
    h->saved += before - start - most;
}

typedef struct image {
    scene scene;
    void *data;
    size_t size;
} image;

static image take(scene *s, int ticks)
{
    int cores = machine_measure().cores;
    s->tasks.threads = (uint32_t)(cores < THREADS_MOST ? cores : THREADS_MOST);
    kugel_world *world = peer_kugel.open(s);
    for (int k = 0; k < ticks; ++k) peer_kugel.step(world, s->dt);
    image i = {.scene = *s};
    if (kugel_snapshot_save(world, true, NULL, 0, &i.size)) abort();
    if (!(i.data = malloc(i.size)) || kugel_snapshot_save(world, true, i.data, i.size, &i.size))
        abort();
    peer_kugel.close(world);
    return i;
}

/* A world in the state of the image, after some steps that make the data kept between steps. */
static kugel_world *put(const image *i, kugel_tasks tasks, int steps)
{
    scene s = i->scene;
    s.tasks = tasks;
    kugel_world *world = peer_kugel.open(&s);
    if (kugel_snapshot_restore(world, i->data, i->size)) abort();
    for (int k = 0; k < steps; ++k) peer_kugel.step(world, s.dt);
    return world;
}

enum { ONE, RANGES, MANY, WORLDS };

typedef struct outcome {
    times step[WORLDS];
    double ratio[WORLDS]; /* time of ONE over that of the world: medians of the rounds */
    bool same;            /* true: the final states are equal */
} outcome;

/* Measures the first `worlds` of ONE, RANGES and MANY, which are copies of one world and step in
 * turn. */
static outcome race(const image *i, uint32_t threads, int worlds, int steps)
{
    virtual_threads h = {.threads = threads};
    const kugel_tasks tasks[] = {
        {.threads = 1}, {.threads = threads, .run = run_ranges, .user = &h}, {.threads = threads}};
    kugel_world *world[WORLDS];
    double seconds[WORLDS][ROUNDS], ratio[WORLDS][ROUNDS];
    for (int w = 0; w < worlds; ++w) world[w] = put(i, tasks[w], steps);
    for (int r = 0; r < ROUNDS; ++r) {
        double own[WORLDS];
        for (int w = 0; w < worlds; ++w) {
            double start = now(), own_start = thread_time();
            h.saved = 0;
            for (int k = 0; k < steps; ++k) peer_kugel.step(world[w], i->scene.dt);
            seconds[w][r] = (now() - start) / steps;
            own[w] = (thread_time() - own_start - (w == RANGES ? h.saved : 0)) / steps;
            ratio[w][r] = w == RANGES ? own[ONE] / own[w] : seconds[ONE][r] / seconds[w][r];
        }
    }
    outcome o = {.same = true};
    for (int w = 0; w < worlds; ++w) {
        o.step[w] = times_of(seconds[w], ROUNDS);
        o.ratio[w] = times_of(ratio[w], ROUNDS).median;
        o.same = o.same && kugel_world_hash(world[w]) == kugel_world_hash(world[0]);
    }
    for (int w = 0; w < worlds; ++w) peer_kugel.close(world[w]);
    return o;
}

static void measure(const char *name, scene *s, int ticks, int steps)
{
    image i = take(s, ticks);
    for (uint32_t threads = 2; threads <= THREADS_MOST; threads *= 2) {
        bool clock = (int)threads <= machine_measure().cores;
        outcome o = race(&i, threads, clock ? WORLDS : MANY, steps);
        ROW(TEXT(name), NUMBER(s->count), NUMBER(threads), NUMBER(o.step[ONE].median),
            NUMBER(clock ? o.step[MANY].median : NAN), NUMBER(clock ? o.ratio[MANY] : NAN),
            NUMBER(o.ratio[RANGES]), TEXT(o.same ? "yes" : "NO"));
    }
    free(i.data);
    scene_free(s);
}

void bench_threads(const bench_options *chosen)
{
    static const column columns[] = {
        {"scene", "of", "%-4s", 1},
        {"n", "n", "%8.0f", 1},
        {"threads", "threads", "%3.0f", 1},
        {"ms a step with one", "seconds_one", "%9.3f", 1e3},
        {"with so many", "seconds", "%9.3f", 1e3},
        {"x by the clock", "ratio", "%6.2fx", 1},
        {"x by task ranges", "ratio_of_ranges", "%6.2fx", 1},
        {"same state", "same", "%-3s", 1},
    };
    uint32_t n = chosen->size ? chosen->size : chosen->quick ? 10000 : 100000;
    report_table("THREADS",
                 "one thread and more, in turn; by task ranges: processor time of the ranges, "
                 "each assigned to the thread that is free first",
                 columns, sizeof columns / sizeof *columns);
    scene gas = scene_gas(n, 0.1, false), pile;
    measure("gas", &gas, 20, chosen->quick ? 3 : 10);
    pile = scene_pile(n);
    measure("pile", &pile, chosen->quick ? 150 : 400, chosen->quick ? 3 : 10);
}
