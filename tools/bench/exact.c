/* EXACT: impacts a second of elastic periodic gases in equilibrium, the measure of event-driven
 * codes. */
#include <math.h>

#include "bench.h"
#include "report.h"
#include "stages.h"
#include "times.h"

enum { ROUNDS = 5 };

/* Impact rate of a sphere in an elastic gas, 1/s: Enskog's 4 sqrt(pi) n d^2 sigma chi with Carnahan
 * and Starling's contact value chi = (Z - 1) / (4 eta). */
static double hit_rate(const scene *s, double eta)
{
    const double pi = 3.14159265358979323846, diameter = 2 * s->radius;
    double squares = 2 * scene_kinetic(s, s->velocity) / s->mass;
    double sigma = sqrt(squares / (3.0 * s->count));
    double z = (1 + eta + eta * eta - eta * eta * eta) / pow(1 - eta, 3);
    double number = eta * 6 / (pi * diameter * diameter * diameter);
    return 4 * sqrt(pi) * number * diameter * diameter * sigma * (z - 1) / (4 * eta);
}

/* Steps for about `seconds`. @return seconds an impact. Adds to *steps and *impacts. */
static double measure(void *world, double dt, double seconds, uint64_t *steps, uint64_t *impacts)
{
    uint64_t before = kugel_impacts_of(world);
    double start = now(), end = start;
    do {
        peer_kugel.step(world, dt);
        *steps += 1;
        end = now();
    } while (end - start < seconds);
    uint64_t met = kugel_impacts_of(world) - before;
    *impacts += met;
    return (end - start) / (double)(met ? met : 1);
}

/* Runs ROUNDS times `seconds` in ticks of about `per_tick` impacts a sphere. Reports the impacts
 * over Enskog's number and the change of energy as quality; in full: the stages, too. */
static void exact(uint32_t n, double eta, double per_tick, double seconds, bool in_full)
{
    scene s = scene_gas(n, eta, true);
    double rate = hit_rate(&s, eta), dt = per_tick / rate, first = scene_kinetic(&s, s.velocity),
           round[ROUNDS];
    void *world = peer_kugel.open(&s);
    /* melts the lattice; takes longer near freezing */
    for (int k = 0; k * per_tick < (eta > 0.4 ? 100 : 20); ++k) peer_kugel.step(world, dt);
    kugel_step_times before = kugel_times_of(world);
    uint64_t steps = 0, impacts = 0;
    for (int r = 0; r < ROUNDS; ++r) round[r] = measure(world, dt, seconds, &steps, &impacts);
    double enskog = 2 * (double)impacts / (n * rate * dt * (double)steps);
    times t = times_of(round, ROUNDS);
    peer_kugel.read(world, s.position, s.velocity);
    ROW(NUMBER(n), NUMBER(eta), NUMBER(per_tick), NUMBER(1 / t.median), NUMBER(1 / t.least),
        NUMBER(t.spread), NUMBER(enskog), NUMBER(scene_kinetic(&s, s.velocity) / first - 1),
        NUMBER(kugel_memory_of(world) / n));
    if (per_tick == 1 && in_full)
        stages_note(eta < 0.2 ? "0.10" : eta < 0.4 ? "0.30" : "0.49", n, world, &before);
    peer_kugel.close(world);
    scene_free(&s);
}

void bench_exact(const bench_options *chosen)
{
    static const double etas[] = {0.1, 0.3, 0.49};
    static const uint32_t sizes[] = {1000, 10000, 100000, 1000000};
    static const column columns[] = {
        {"n", "n", "%8.0f", 1},
        {"eta", "eta", "%4.2f", 1},
        {"impacts a sphere and tick", "per_tick", "%5.2f", 1},
        {"million impacts/s", "impacts_a_second", "%7.3f", 1e-6},
        {"most", "impacts_a_second_most", "%7.3f", 1e-6},
        {"spread", "spread", "%5.1f%%", 100},
        {"impacts / Enskog", "over_enskog", "%6.3f", 1},
        {"energy change", "energy_change", "%+9.2e", 1},
        {"bytes a body", "bytes_a_body", "%6.0f", 1},
    };
    int most = chosen->size ? 1 : chosen->quick ? 2 : chosen->large ? 4 : 3;
    report_table("EXACT",
                 "elastic periodic gases in equilibrium, impacts in the exact order of time",
                 columns, sizeof columns / sizeof *columns);
    for (int e = 0; e < (chosen->eta > 0 ? 1 : 3); ++e) {
        for (int k = 0; k < most; ++k) {
            uint32_t size = chosen->size ? chosen->size : sizes[k];
            double seconds = chosen->quick ? 0.1 : size < 100000 ? 0.8 : 1.6;
            exact(size, chosen->eta > 0 ? chosen->eta : etas[e],
                  chosen->per_tick > 0 ? chosen->per_tick : 1, seconds,
                  chosen->size || size == 100000);
        }
    }
}
