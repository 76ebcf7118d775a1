/* Steps engine and oracle, and compares the next impacts and the states. */
#include "support/support_compare.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

typedef struct comparison {
    support_oracle oracle;
    support_tolerance tolerance;
    /* largest approach speed and impulse so far; errors are relative to them */
    double fastest, hardest;
} comparison;

static uint32_t other(const kugel_impact *impact)
{
    return impact->target == KUGEL_TARGET_BODY ? kugel_body_id(impact->b) : impact->index;
}

static bool same(comparison *run, const kugel_impact *got, double time)
{
    support_oracle_impact want = {0};
    if (!support_oracle_next(&run->oracle, time + 1, &want)) {
        fprintf(stderr, "the oracle has no impact up to %.17g\n", time + 1);
        return false;
    }
    run->fastest = fmax(run->fastest, (double)want.speed);
    run->hardest = fmax(run->hardest, (double)want.impulse);
    bool alike = want.target == got->target && want.a == kugel_body_id(got->a) &&
                 want.b == other(got) && fabsl(want.time - time) <= run->tolerance.time &&
                 fabsl(want.speed - got->speed) <= run->tolerance.relative * run->fastest &&
                 fabsl(want.impulse - got->impulse) <= run->tolerance.relative * run->hardest;
    if (alike) return true;
    fprintf(stderr, "engine: kind %d, %u with %u at %.15g, speed %.15g, impulse %.15g\n",
            (int)got->target, kugel_body_id(got->a), other(got), time, got->speed, got->impulse);
    fprintf(stderr, "oracle: kind %d, %u with %u at %.15Lg, speed %.15Lg, impulse %.15Lg\n",
            (int)want.target, want.a, want.b, want.time, want.speed, want.impulse);
    return false;
}

uint32_t support_compare(const support_scene *scene, double dt, uint32_t limit,
                         support_tolerance tolerance)
{
    comparison run = {.oracle = support_oracle_start(scene), .tolerance = tolerance};
    kugel_world *world = support_scene_world(scene);
    uint32_t equal = 0;
    bool alike = true;
    for (uint32_t tick = 0; tick < 100000 && alike && equal < limit; ++tick) {
        support_run(world, dt, 1);
        size_t count;
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        for (size_t k = 0; k < count && alike && equal < limit; ++k) {
            alike = same(&run, &impacts[k], tick * dt + impacts[k].time);
            if (alike) ++equal;
        }
    }
    kugel_world_destroy(world);
    support_oracle_free(&run.oracle);
    return equal;
}
