/* Gases of two sizes: GAS of unlike spheres for all engines, and EXACT with the pressure relative
 * to the equation of Boublik, Mansoori, Carnahan, Starling and Leland (1970, 1971). */
#include <math.h>

#include "cells.h"
#include "course.h"
#include "mixtures.h"
#include "report.h"
#include "stages.h"
#include "times.h"

static const double pi = 3.14159265358979323846;
static const mixture gases[] = {
    {"1:1", LAW_ONE, 1}, {"1:2", LAW_TWO, 2}, {"1:10", LAW_TWO, 10}, {"1:100", LAW_TWO, 100}};
enum { GASES = sizeof gases / sizeof *gases, ROUNDS = 5, MELTING = 20 };

typedef struct kind {
    double diameter, mass, number; /* m, kg, 1/m^3 */
} kind;

typedef struct theory {
    double rate;     /* impacts a second of all spheres (Enskog) */
    double pressure; /* over that of an ideal gas */
} theory;

/* The smallest and the largest spheres. */
static void find_kinds(const scene *s, kind kinds[2])
{
    double middle = (scene_smallest(s) + scene_largest(s)) / 2,
           volume = s->length[0] * s->length[1] * s->length[2];
    kinds[0] = kinds[1] = (kind){1, 1, 0};
    for (size_t i = 0; i < s->count; ++i) {
        kind *k = &kinds[scene_radius(s, i) > middle];
        k->diameter = 2 * scene_radius(s, i);
        k->mass = scene_mass(s, i);
        k->number += 1 / volume;
    }
}

/* Contact value of the pair distribution. */
static double contact_value(const kind kinds[2], double a, double b)
{
    double square = 0, cube = 0, common = a * b / (a + b);
    for (int k = 0; k < 2; ++k) {
        square += pi / 6 * kinds[k].number * pow(kinds[k].diameter, 2);
        cube += pi / 6 * kinds[k].number * pow(kinds[k].diameter, 3);
    }
    double free = 1 - cube, part = square * common / free;
    return (1 + 3 * part + 2 * part * part) / free;
}

static theory theory_of(const scene *s)
{
    kind kinds[2];
    find_kinds(s, kinds);
    double kT = 2 * scene_kinetic(s, s->velocity) / (3.0 * s->count),
           volume = s->length[0] * s->length[1] * s->length[2];
    theory t = {0, 1};
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            const kind *a = &kinds[i], *b = &kinds[j];
            double reach = (a->diameter + b->diameter) / 2,
                   mass = a->mass * b->mass / (a->mass + b->mass);
            double pairs = a->number * b->number * contact_value(kinds, a->diameter, b->diameter);
            t.rate += volume / 2 * pairs * reach * reach * sqrt(8 * pi * kT / mass);
            t.pressure += 2 * pi / 3 * pairs * pow(reach, 3) * volume / s->count;
        }
    }
    return t;
}

static const column race_columns[] = {
    {"n", "n", "%7.0f", 1},
    {"radii", "radii", "%-5s", 1},
    {"packing", "eta", "%5.3f", 1},
    {"engine", "engine", "%-7s", 1},
    {"steps", "steps", "%4.0f", 1},
    {"ms a step", "seconds", "%9.3f", 1e3},
    {"least", "seconds_least", "%9.3f", 1e3},
    {"spread", "seconds_spread", "%5.1f%%", 100},
    {"x kugel's", "ratio", "%7.2fx", 1},
    {"energy change", "energy_change", "%+9.2e", 1},
    {"depth mean", "mean_depth", "%8.4f%%", 100},
    {"depth max", "max_depth", "%8.4f%%", 100},
    {"worst in run", "worst_depth", "%8.4f%%", 100},
    {"escaped", "escaped", "%.0f", 1},
};

static double packing(const scene *s)
{
    return scene_volume(s) / (s->length[0] * s->length[1] * s->length[2]);
}

static void race(uint32_t n, const mixture *m, const bench_options *chosen)
{
    scene s = scene_mixed_gas(n, m, 0.1, false);
    course c = course_open(&s, chosen->peers);
    int steps = chosen->quick ? 20 : n > 50000 ? 100 : 300, from = BLOCK;
    double own = 0;
    c.cap = chosen->cap;
    for (int step = 0; step < steps; step += BLOCK) course_run_block(&c, BLOCK, step >= from);
    for (lane *l = c.lanes; l < c.lanes + c.count; ++l) {
        times t = l->blocks ? times_of(l->seconds, (size_t)l->blocks) : (times){NAN, NAN, NAN};
        quality q = course_look(&c, l);
        if (l == c.lanes) own = t.median;
        ROW(NUMBER(n), TEXT(m->name), NUMBER(packing(&s)), TEXT(l->peer->name), NUMBER(l->steps),
            NUMBER(t.median), NUMBER(t.least), NUMBER(t.spread), NUMBER(t.median / own),
            NUMBER(q.energy / l->energy - 1), NUMBER(q.mean_depth), NUMBER(q.max_depth),
            NUMBER(l->worst), NUMBER(q.escaped));
    }
    course_close(&c);
    scene_free(&s);
}

static const column exact_columns[] = {
    {"n", "n", "%7.0f", 1},
    {"radii", "radii", "%-5s", 1},
    {"packing", "eta", "%5.3f", 1},
    {"million impacts/s", "impacts_a_second", "%7.3f", 1e-6},
    {"most", "impacts_a_second_most", "%7.3f", 1e-6},
    {"spread", "spread", "%5.1f%%", 100},
    {"of one size", "ratio", "%5.2fx", 1},
    {"us an impact", "seconds_an_impact", "%7.3f", 1e6},
    {"impacts / Enskog", "over_enskog", "%6.3f", 1},
    {"pressure / BMCSL", "over_bmcsl", "%7.4f", 1},
    {"energy change", "energy_change", "%+9.2e", 1},
    {"bytes a body", "bytes_a_body", "%6.0f", 1},
};

/* Steps for about `seconds`, in ticks of one impact a sphere. */
static void run_round(void *world, const scene *s, double dt, double seconds, double *spent,
                      double *virial, double *time)
{
    for (*spent = 0; *spent < seconds; *time += dt) {
        double start = now();
        peer_kugel.step(world, dt);
        *spent += now() - start;
        *virial += kugel_virial_of(world, s);
    }
}

/* @param one impacts a second of a gas of equal spheres, which the call for the first mixture
 * measures. */
static void exact(uint32_t n, const mixture *m, double seconds, double *one)
{
    scene s = scene_mixed_gas(n, m, 0.3, true);
    theory expected = theory_of(&s);
    double dt = n / 2.0 / expected.rate, energy = scene_kinetic(&s, s.velocity), each[ROUNDS],
           virial = 0, time = 0;
    uint64_t impacts = 0;
    void *world = peer_kugel.open(&s);
    for (int k = 0; k < MELTING; ++k) peer_kugel.step(world, dt);
    kugel_step_times before = kugel_times_of(world);
    for (int r = 0; r < ROUNDS; ++r) {
        double spent;
        uint64_t first = kugel_impacts_of(world);
        run_round(world, &s, dt, seconds, &spent, &virial, &time);
        uint64_t met = kugel_impacts_of(world) - first;
        impacts += met;
        each[r] = spent / (double)(met ? met : 1);
    }
    times t = times_of(each, ROUNDS);
    peer_kugel.read(world, s.position, s.velocity);
    if (m->law == LAW_ONE) *one = 1 / t.median;
    ROW(NUMBER(n), TEXT(m->name), NUMBER(packing(&s)), NUMBER(1 / t.median), NUMBER(1 / t.least),
        NUMBER(t.spread), NUMBER(1 / t.median / *one), NUMBER(t.median),
        NUMBER((double)impacts / (expected.rate * time)),
        NUMBER((1 + virial / time / (2 * energy)) / expected.pressure),
        NUMBER(scene_kinetic(&s, s.velocity) / energy - 1), NUMBER(kugel_memory_of(world) / n));
    stages_note(m->name, n, world, &before);
    peer_kugel.close(world);
    scene_free(&s);
}

void bench_mixed_gas(const bench_options *chosen)
{
    static const uint32_t sizes[] = {10000, 100000};
    int most = chosen->size || chosen->quick ? 1 : 2;
    report_table("MIXED GAS",
                 "elastic spheres of two radii, the smallest 0.5 m, each with half of the volume, "
                 "in a box; smallest spheres with 5 m/s a component, ticks of 1/60 s",
                 race_columns, sizeof race_columns / sizeof *race_columns);
    for (int k = 0; k < most; ++k) {
        for (int m = 0; m < GASES; ++m)
            race(chosen->size ? chosen->size : sizes[k], &gases[m], chosen);
    }
    report_table("MIXED EXACT",
                 "the same gases in periodic boxes, in equilibrium, in ticks of one impact a "
                 "sphere, impacts in the exact order of time",
                 exact_columns, sizeof exact_columns / sizeof *exact_columns);
    for (int k = 0; k < most; ++k) {
        double one = 0;
        for (int m = 0; m < GASES; ++m)
            exact(chosen->size ? chosen->size : sizes[k], &gases[m], chosen->quick ? 0.1 : 1, &one);
    }
}
