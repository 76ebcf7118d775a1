/* Tables: median, minimum and maximum of step times, quality beside every time, ratios against
 * kugel. In: options. Out: the table on standard output, the same as JSON where asked for. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "queries.h"

static FILE *json;
static bool json_any;

static const peer *const peers[] = {&peer_kugel,
#ifdef HAVE_BULLET
                                    &peer_bullet,
#endif
#ifdef HAVE_ODE
                                    &peer_ode,
#endif
                                    NULL};

static int compare(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static void row_json(const char *scene, uint32_t n, const char *engine, double median, double least,
                     double most, const quality *q, double energy_change)
{
    if (!json) return;
    fprintf(json,
            "%s\n  {\"scene\": \"%s\", \"n\": %u, \"engine\": \"%s\", \"ms\": %.5g, \"ms_min\": "
            "%.5g, \"ms_max\": %.5g, "
            "\"energy_change\": %.3g, \"mean_depth\": %.3g, \"max_depth\": %.3g, \"escaped\": %u}",
            json_any ? "," : "[", scene, n, engine, median, least, most, energy_change,
            q->mean_depth, q->max_depth, q->escaped);
    json_any = true;
}

static double kinetic_of(const scene *s, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < 3 * (size_t)s->count; ++i) sum += v[i] * v[i];
    return 0.5 * s->mass * sum;
}

/* Run all engines on one scene, in turn for a block of steps each, so that a slow hour hits all
 * alike. The time of a step is the median over the blocks from step `from` on. */
static void race(const char *name, const scene *s, int steps, int from)
{
    enum { BLOCKS_MOST = 64, BLOCK = 10 };
    void *engine[4];
    double time[4][BLOCKS_MOST], worst[4] = {0}, first[4];
    int blocks = 0, count = 0;
    double *x = malloc((size_t)s->count * 3 * sizeof *x),
           *v = malloc((size_t)s->count * 3 * sizeof *v);
    if (!x || !v) abort();
    for (; peers[count]; ++count) {
        engine[count] = peers[count]->open(s);
        peers[count]->read(engine[count], x, v);
        first[count] = scene_quality(s, x, v).energy;
    }
    for (int step = 0; step < steps; step += BLOCK) {
        for (int p = 0; p < count; ++p) {
            double start = now();
            for (int k = 0; k < BLOCK; ++k) peers[p]->step(engine[p], s->dt);
            double each = (now() - start) / BLOCK;
            if (step >= from && blocks < BLOCKS_MOST) time[p][blocks] = each;
            peers[p]->read(engine[p], x, v);
            double depth = scene_quality(s, x, v).max_depth;
            worst[p] = depth > worst[p] ? depth : worst[p];
        }
        blocks += step >= from && blocks < BLOCKS_MOST;
    }
    double own = 0;
    for (int p = 0; p < count; ++p) {
        qsort(time[p], (size_t)blocks, sizeof **time, compare);
        double median = time[p][blocks / 2] * 1e3, least = time[p][0] * 1e3,
               most = time[p][blocks - 1] * 1e3;
        if (p == 0) own = median;
        peers[p]->read(engine[p], x, v);
        quality q = scene_quality(s, x, v);
        double change = q.energy / first[p] - 1;
        printf("%-5s %7u  %-7s %9.3f %9.3f %9.3f  %7.2fx  %+9.2e  %8.4f%% %8.4f%% %8.4f%%  %u\n",
               name, s->count, peers[p]->name, median, least, most, median / own, change,
               100 * q.mean_depth, 100 * q.max_depth, 100 * worst[p], q.escaped);
        row_json(name, s->count, peers[p]->name, median, least, most, &q, change);
        if (p == 0)
            printf("%-5s %7u  memory  %.0f bytes a body\n", name, s->count,
                   kugel_memory_of(engine[0]) / s->count);
        peers[p]->close(engine[p]);
    }
    fflush(stdout);
    free(x);
    free(v);
}

/* How often a sphere of an elastic gas is hit, 1/s: Enskog's rate 4 sqrt(pi) n d^2 sigma chi with
 * Carnahan and Starling's contact value chi = (Z - 1) / (4 eta). */
static double hit_rate(const scene *s, double eta)
{
    const double pi = 3.14159265358979323846, diameter = 2 * s->radius;
    double squares = 0;
    for (size_t i = 0; i < 3 * (size_t)s->count; ++i) squares += s->velocity[i] * s->velocity[i];
    double sigma = sqrt(squares / (3.0 * s->count));
    double z = (1 + eta + eta * eta - eta * eta * eta) / pow(1 - eta, 3);
    double number = eta * 6 / (pi * diameter * diameter * diameter);
    return 4 * sqrt(pi) * number * diameter * diameter * sigma * (z - 1) / (4 * eta);
}

/* Impacts a second of an elastic periodic gas in equilibrium, in ticks of about `per_tick` impacts
 * a sphere. Quality: the number of impacts over Enskog's, and the change of energy. */
static void exact(uint32_t n, double eta, double per_tick, double seconds)
{
    scene s = scene_gas(n, eta, true);
    double rate = hit_rate(&s, eta), dt = per_tick / rate, first = kinetic_of(&s, s.velocity);
    void *world = peer_kugel.open(&s);
    /* forget the lattice it started from; near freezing that takes longer */
    for (int k = 0; k * per_tick < (eta > 0.4 ? 100 : 20); ++k) peer_kugel.step(world, dt);
    uint64_t before = kugel_impacts_of(world), ticks = 0;
    double start = now(), end = start;
    for (; end - start < seconds; end = now()) {
        for (int k = 0; k < 4; ++k, ++ticks) peer_kugel.step(world, dt);
    }
    double impacts = (double)(kugel_impacts_of(world) - before), bytes = kugel_memory_of(world) / n;
    double millions = impacts / (end - start) * 1e-6;
    double enskog = 2 * impacts / (n * rate * dt * (double)ticks);
    peer_kugel.read(world, s.position, s.velocity);
    double change = kinetic_of(&s, s.velocity) / first - 1;
    printf("exact %7u  %.2f  %8.2f %12.3f %10.3f  %+9.2e %8.0f\n", n, eta, per_tick, millions,
           enskog, change, bytes);
    if (json) {
        fprintf(json,
                "%s\n  {\"scene\": \"exact\", \"n\": %u, \"eta\": %.2f, \"per_tick\": %.2f, "
                "\"million_impacts_a_second\": %.4g, \"over_enskog\": %.4g, "
                "\"energy_change\": %.3g, \"bytes_a_body\": %.0f}",
                json_any ? "," : "[", n, eta, per_tick, millions, enskog, change, bytes);
        json_any = true;
    }
    fflush(stdout);
    peer_kugel.close(world);
    scene_free(&s);
}

/* The pile with other numbers of substeps and sweeps, all at once, in turn for ten steps each: what a second buys. */
static void solvers(uint32_t n)
{
    enum { VARIANTS = 5, STEPS = 600, BLOCK = 10, SETTLED = 400 };
    static const int substeps[VARIANTS] = {4, 1, 2, 4, 8}, sweeps[VARIANTS] = {1, 4, 2, 4, 1};
    scene s = scene_pile(n);
    void *world[VARIANTS];
    double time[VARIANTS][STEPS / BLOCK], worst[VARIANTS] = {0};
    for (int k = 0; k < VARIANTS; ++k) {
        s.substeps = substeps[k];
        s.sweeps = sweeps[k];
        world[k] = peer_kugel.open(&s);
    }
    for (int block = 0; block < STEPS / BLOCK; ++block) {
        for (int k = 0; k < VARIANTS; ++k) {
            double start = now();
            for (int step = 0; step < BLOCK; ++step) peer_kugel.step(world[k], s.dt);
            time[k][block] = (now() - start) / BLOCK;
            peer_kugel.read(world[k], s.position, s.velocity);
            double depth = scene_quality(&s, s.position, s.velocity).max_depth;
            worst[k] = depth > worst[k] ? depth : worst[k];
        }
    }
    puts("solver      n  substeps  sweeps  fall ms  settled ms  depth mean       max     worst   J a sphere");
    for (int k = 0; k < VARIANTS; ++k) {
        enum { LAST = (STEPS - SETTLED) / BLOCK };
        qsort(time[k], SETTLED / BLOCK, sizeof **time, compare);
        qsort(time[k] + SETTLED / BLOCK, LAST, sizeof **time, compare);
        peer_kugel.read(world[k], s.position, s.velocity);
        quality q = scene_quality(&s, s.position, s.velocity);
        printf("pile  %7u  %8d  %6d %8.3f %11.3f  %9.4f%% %8.4f%% %8.4f%%   %10.2e\n", n, substeps[k], sweeps[k],
               time[k][SETTLED / BLOCK / 2] * 1e3, time[k][SETTLED / BLOCK + LAST / 2] * 1e3, 100 * q.mean_depth,
               100 * q.max_depth, 100 * worst[k], kinetic_of(&s, s.velocity) / n);
        peer_kugel.close(world[k]);
    }
    scene_free(&s);
}

typedef struct choice {
    bool quick, large, gas, pile, exact, query, solver;
    double per_tick; /* impacts a sphere and tick; 0: several, the best of which counts */
    double eta;      /* of exact gases; 0: several */
    uint32_t size;   /* 0: several */
} choice;

static const char usage[] =
    "usage: kugel-bench [options]\n"
    "  --quick           short runs, under a minute\n"
    "  --large           GAS and PILE with 100,000 spheres as well, exact with 1,000,000\n"
    "  --only SCENE      gas, pile, exact or query; solver: the pile with other substeps and sweeps\n"
    "  --per-tick X      exact: ticks of X impacts a sphere (default: 0.5, 1 and 2)\n"
    "  --eta X           exact: this packing alone\n"
    "  --size N          gas, pile, exact, solver: this many spheres alone\n"
    "  --json FILE       the same numbers for programs\n"
    "Times are medians over blocks of ten steps, engines in turn; ratio is a peer's time over "
    "kugel's;\n"
    "depths are overlaps in parts of the radius, worst is the deepest of the whole run.";

static bool parse(int argc, char **argv, choice *chosen)
{
    static const struct option longs[] = {{"quick", no_argument, NULL, 'q'},
                                          {"json", required_argument, NULL, 'j'},
                                          {"large", no_argument, NULL, 'l'},
                                          {"only", required_argument, NULL, 'o'},
                                          {"per-tick", required_argument, NULL, 't'},
                                          {"eta", required_argument, NULL, 'e'},
                                          {"size", required_argument, NULL, 's'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const char *only = NULL;
    for (int c; (c = getopt_long(argc, argv, "h", longs, NULL)) != -1;) {
        char *end = NULL;
        if (c == 'q') chosen->quick = true;
        if (c == 'l') chosen->large = true;
        if (c == 'o') only = optarg;
        if (c == 't') chosen->per_tick = strtod(optarg, &end);
        if (c == 't' && (*end || !(chosen->per_tick > 0) || chosen->per_tick > 1e3)) return false;
        if (c == 'e') chosen->eta = strtod(optarg, &end);
        if (c == 'e' && (*end || !(chosen->eta >= 0.01 && chosen->eta <= 0.6))) return false;
        if (c == 's') chosen->size = (uint32_t)strtoul(optarg, &end, 10);
        if (c == 's' && (*end || chosen->size < 10 || chosen->size > 10000000)) return false;
        if (c == 'j' && !(json = fopen(optarg, "w"))) return perror(optarg), false;
        if (c == 'h') puts(usage), exit(0);
        if (c == '?') return false;
    }
    if (only && strcmp(only, "gas") && strcmp(only, "pile") && strcmp(only, "exact") && strcmp(only, "query") &&
        strcmp(only, "solver")) {
        return false;
    }
    chosen->gas = !only || strcmp(only, "gas") == 0;
    chosen->pile = !only || strcmp(only, "pile") == 0;
    chosen->exact = !only || strcmp(only, "exact") == 0;
    chosen->solver = only && strcmp(only, "solver") == 0;
    chosen->query = !only || strcmp(only, "query") == 0;
    return optind == argc;
}

static void races(const choice *chosen)
{
    const uint32_t sizes[] = {1000, 10000, 100000};
    puts("scene       n  engine   ms median       min       max    ratio     energy  "
         "depth mean      max    worst  escaped");
    for (int k = 0; k < (chosen->size ? 1 : chosen->large ? 3 : 2); ++k) {
        uint32_t size = chosen->size ? chosen->size : sizes[k];
        if (chosen->gas) {
            scene gas = scene_gas(size, 0.1, false);
            race("GAS", &gas, chosen->quick ? 100 : 600, chosen->quick ? 20 : 60);
            scene_free(&gas);
        }
        if (chosen->pile && (!chosen->quick || size <= 1000)) {
            scene pile = scene_pile(size);
            race("PILE", &pile, 600, 400);
            scene_free(&pile);
        }
    }
}

static void impacts_of(const choice *chosen, uint32_t size, double eta)
{
    static const double ticks[] = {0.5, 1, 2};
    double seconds = chosen->quick ? 0.5 : size < 100000 ? 4 : 8;
    for (int t = 0; t < (chosen->per_tick > 0 ? 1 : 3); ++t) {
        exact(size, eta, chosen->per_tick > 0 ? chosen->per_tick : ticks[t], seconds);
    }
}

static void impacts(const choice *chosen)
{
    static const double etas[] = {0.1, 0.3, 0.49};
    static const uint32_t sizes[] = {1000, 10000, 100000, 1000000};
    int many = chosen->quick ? 2 : chosen->large ? 4 : 3;
    puts("scene       n   eta  per tick  million/s   / Enskog     energy    bytes");
    for (int e = 0; e < (chosen->eta > 0 ? 1 : 3); ++e) {
        for (int k = 0; k < (chosen->size ? 1 : many); ++k) {
            impacts_of(chosen, chosen->size ? chosen->size : sizes[k],
                       chosen->eta > 0 ? chosen->eta : etas[e]);
        }
    }
}

static void query_json(const char *what, const char *engine, double spacing, uint32_t n, double thousands)
{
    if (!json) return;
    fprintf(json, "%s\n  {\"scene\": \"query\", \"what\": \"%s\", \"engine\": \"%s\", \"spacing\": %g, \"n\": %u, \"thousands_a_second\": %.5g}",
            json_any ? "," : "[", what, engine, spacing, n, thousands);
    json_any = true;
}

int main(int argc, char **argv)
{
    choice chosen = {0};
    if (!parse(argc, argv, &chosen)) return fprintf(stderr, "%s\n", usage), 2;
#ifndef HAVE_BULLET
    puts("Bullet is not built in: no comparison with it");
#endif
#ifndef HAVE_ODE
    puts("ODE is not built in: no comparison with it");
#endif
    if (chosen.gas || chosen.pile) races(&chosen);
    if (chosen.exact) impacts(&chosen);
    if (chosen.solver) solvers(chosen.size ? chosen.size : 1000);
    if (chosen.query) bench_queries(chosen.quick, query_json);
    if (!json) return 0;
    fputs(json_any ? "\n]\n" : "[]\n", json);
    if (fclose(json)) return perror("json"), 1;
    return 0;
}
