/* Tables: median, minimum and spread of step times, quality beside every time, ratios against kugel. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

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

static void row_json(const char *scene, uint32_t n, const char *engine, double median, double least, double most, const quality *q,
                     double energy_change)
{
    if (!json) return;
    fprintf(json, "%s\n  {\"scene\": \"%s\", \"n\": %u, \"engine\": \"%s\", \"ms\": %.5g, \"ms_min\": %.5g, \"ms_max\": %.5g, "
                  "\"energy_change\": %.3g, \"mean_depth\": %.3g, \"max_depth\": %.3g, \"escaped\": %u}",
            json_any ? "," : "[", scene, n, engine, median, least, most, energy_change, q->mean_depth, q->max_depth, q->escaped);
    json_any = true;
}

/* Run all engines on one scene, interleaved in blocks of steps so that a slow hour hits all alike. The
 * time of a step is the median over the blocks that start at step `from`. */
static void race(const char *name, const scene *s, int steps, int from)
{
    enum { BLOCKS_MOST = 64, BLOCK = 10 };
    void *engine[4];
    double time[4][BLOCKS_MOST], worst[4] = {0}, first[4];
    int blocks = 0, count = 0;
    double *x = malloc((size_t)s->count * 3 * sizeof *x), *v = malloc((size_t)s->count * 3 * sizeof *v);
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
        double median = time[p][blocks / 2] * 1e3, least = time[p][0] * 1e3, most = time[p][blocks - 1] * 1e3;
        if (p == 0) own = median;
        peers[p]->read(engine[p], x, v);
        quality q = scene_quality(s, x, v);
        double change = q.energy / first[p] - 1;
        printf("%-5s %7u  %-7s %9.3f %9.3f %9.3f  %7.2fx  %+9.2e  %8.4f%% %8.4f%% %8.4f%%  %u\n", name, s->count, peers[p]->name,
               median, least, most, median / own, change, 100 * q.mean_depth, 100 * q.max_depth, 100 * worst[p], q.escaped);
        row_json(name, s->count, peers[p]->name, median, least, most, &q, change);
        if (p == 0) printf("%-5s %7u  memory  %.0f bytes a body\n", name, s->count, kugel_memory_of(engine[0]) / s->count);
        peers[p]->close(engine[p]);
    }
    fflush(stdout);
    free(x);
    free(v);
}

/* Impacts a second of an elastic periodic gas in equilibrium, ticks of about `per_tick` impacts a sphere. */
static void exact(uint32_t n, double eta, double per_tick, double seconds)
{
    scene s = scene_gas(n, eta, true);
    double z = (1 + eta + eta * eta - eta * eta * eta) / pow(1 - eta, 3), chi = (z - 1) / (4 * eta);
    double rate = 4 * sqrt(3.14159265358979) * (eta * 6 / 3.14159265358979) * 5 * chi; /* Enskog, per sphere */
    void *world = peer_kugel.open(&s);
    double dt = per_tick / rate;
    for (int k = 0; k * per_tick < 20; ++k) peer_kugel.step(world, dt); /* forget the lattice */
    uint64_t before = kugel_impacts_of(world);
    double start = now(), end = start;
    while (end - start < seconds) {
        for (int k = 0; k < 4; ++k) peer_kugel.step(world, dt);
        end = now();
    }
    double millions = (double)(kugel_impacts_of(world) - before) / (end - start) * 1e-6;
    printf("exact %7u  eta %.2f  %.2f impacts a sphere and tick  %7.3f million impacts/s  %6.0f bytes a body\n", n, eta, per_tick,
           millions, kugel_memory_of(world) / n);
    if (json) {
        fprintf(json, "%s\n  {\"scene\": \"exact\", \"n\": %u, \"eta\": %.2f, \"impacts_a_tick\": %.2f, \"million_impacts_a_second\": %.4g}",
                json_any ? "," : "[", n, eta, per_tick, millions);
        json_any = true;
    }
    fflush(stdout);
    peer_kugel.close(world);
    scene_free(&s);
}

int main(int argc, char **argv)
{
    static const struct option longs[] = {{"quick", no_argument, NULL, 'q'}, {"json", required_argument, NULL, 'j'},
                                          {"large", no_argument, NULL, 'l'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    bool quick = false, large = false;
    for (int c; (c = getopt_long(argc, argv, "h", longs, NULL)) != -1;) {
        if (c == 'q') quick = true;
        else if (c == 'l') large = true;
        else if (c == 'j') json = fopen(optarg, "w");
        else return puts("usage: kugel-bench [--quick] [--large] [--json FILE]"), c == 'h' ? 0 : 2;
    }
#ifndef HAVE_BULLET
    puts("Bullet is not built in: no comparison with it");
#endif
#ifndef HAVE_ODE
    puts("ODE is not built in: no comparison with it");
#endif
    puts("scene       n  engine   ms median       min       max    ratio     energy  depth mean      max    worst  escaped");
    const uint32_t sizes[] = {1000, 10000, 100000};
    for (int k = 0; k < (large ? 3 : getenv("EXACT_ONLY") ? 0 : 2); ++k) {
        scene gas = scene_gas(sizes[k], 0.1, false);
        race("GAS", &gas, quick ? 100 : 600, quick ? 20 : 60);
        scene_free(&gas);
        scene pile = scene_pile(sizes[k]);
        if (!quick || k == 0) race("PILE", &pile, 600, 400);
        scene_free(&pile);
    }
    const double etas[] = {0.1, 0.3, 0.49};
    for (int k = 0; k < 3; ++k) {
        exact(1000, etas[k], 0.5, quick ? 0.5 : 4);
        exact(10000, etas[k], 0.5, quick ? 1 : 4);
        if (!quick) exact(100000, etas[k], 0.5, 8);
    }
    if (json) fputs(json_any ? "\n]\n" : "[]\n", json), fclose(json);
    return 0;
}
