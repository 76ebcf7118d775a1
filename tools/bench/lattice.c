/* LATTICE: equal speeds on a perfect cubic lattice, where very many impacts are simultaneous, and
 * on a lattice with jitter, where none are. Spheres are elastic, the box is periodic, and
 * velocities along the axes have one of two patterns. */
#include <math.h>

#include "bench.h"
#include "random.h"
#include "report.h"
#include "times.h"

enum { TICKS = 10 };
static const double spacing = 1.5, speed = 1; /* m, m/s; radius 0.5 */

typedef enum pattern {
    FACING, /* neighbours along x approach each other */
    MIXED   /* any of the six directions */
} pattern;

static void set_velocity(scene *s, size_t i, const uint32_t at[3], pattern pattern)
{
    int axis = pattern == FACING ? 0 : (int)(3 * random_uniform());
    bool back = pattern == FACING ? at[0] & 1 : random_uniform() < 0.5;
    s->velocity[3 * i + (size_t)axis] = back ? -speed : speed;
}

/* side^3 spheres, side even; jitter of up to `jitter` m along each axis. */
static scene make(uint32_t side, pattern pattern, double jitter)
{
    scene s = scene_make(side * side * side);
    s.restitution = 1;
    s.periodic = true;
    s.substeps = 1;
    for (int k = 0; k < 3; ++k) s.length[k] = side * spacing;
    for (uint32_t i = 0; i < s.count; ++i) {
        const uint32_t at[3] = {i % side, i / side % side, i / side / side};
        set_velocity(&s, i, at, pattern);
        for (size_t k = 0; k < 3; ++k) {
            s.position[3 * (size_t)i + k] =
                (at[k] + 0.5) * spacing + jitter * (2 * random_uniform() - 1);
        }
    }
    return s;
}

typedef struct outcome {
    times step;
    double impacts, energy_change; /* mean of a step; of the run */
} outcome;

/* Runs TICKS ticks. In a tick a sphere moves as far as the gap between two neighbours. */
static outcome run(const scene *s)
{
    double seconds[TICKS], first = scene_kinetic(s, s->velocity);
    void *world = peer_kugel.open(s);
    for (int k = 0; k < TICKS; ++k) {
        double start = now();
        peer_kugel.step(world, (spacing - 2 * s->radius) / speed);
        seconds[k] = now() - start;
    }
    outcome o = {.step = times_of(seconds, TICKS),
                 .impacts = (double)kugel_impacts_of(world) / TICKS};
    peer_kugel.read(world, s->position, s->velocity);
    o.energy_change = scene_kinetic(s, s->velocity) / first - 1;
    peer_kugel.close(world);
    return o;
}

void bench_lattice(const bench_options *chosen)
{
    static const column columns[] = {
        {"n", "n", "%8.0f", 1},
        {"directions", "directions", "%-7s", 1},
        {"lattice", "lattice", "%-8s", 1},
        {"ms a step", "seconds", "%9.3f", 1e3},
        {"least", "seconds_least", "%9.3f", 1e3},
        {"spread", "seconds_spread", "%5.1f%%", 100},
        {"impacts a step", "impacts_a_step", "%9.0f", 1},
        {"us an impact", "seconds_an_impact", "%7.3f", 1e6},
        {"x jittered", "ratio", "%6.2fx", 1},
        {"energy change", "energy_change", "%+9.2e", 1},
    };
    static const char *const names[] = {"facing", "mixed"};
    uint32_t n = chosen->size ? chosen->size : chosen->quick ? 10000 : 100000, side = 4;
    while (side * side * side < n) side += 2;
    report_table("LATTICE",
                 "equal speeds on a perfect lattice, all impacts at a few instants, against "
                 "jittered ones; elastic, periodic",
                 columns, sizeof columns / sizeof *columns);
    for (pattern p = FACING; p <= MIXED; ++p) {
        double jittered = NAN;
        for (int perfect = 0; perfect < 2; ++perfect) {
            scene s = make(side, p, perfect ? 0 : 0.1);
            outcome o = run(&s);
            double each = o.step.median / o.impacts;
            if (!perfect) jittered = o.step.median;
            ROW(NUMBER(s.count), TEXT(names[p]), TEXT(perfect ? "perfect" : "jittered"),
                NUMBER(o.step.median), NUMBER(o.step.least), NUMBER(o.step.spread),
                NUMBER(o.impacts), NUMBER(each), NUMBER(o.step.median / jittered),
                NUMBER(o.energy_change));
            scene_free(&s);
        }
    }
}
