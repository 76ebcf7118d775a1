/* Times at which c[0] + c[1] t + c[2] t^2 >= 0, that is, at which a centre on a parabola is in a
 * half-space. These times form at most two intervals. To find when the centre enters an
 * intersection of half-spaces, t moves to the next time in each half-space until it is in all. */
#ifndef KG_SURFACES_MESH_TIMES_H
#define KG_SURFACES_MESH_TIMES_H

#include "base/vec.h"
#include "geometry/sweep_linear.h"

/* `count` intervals [low, high] in ascending order, s. Unbounded ends are -KG_NEVER and
 * KG_NEVER. */
typedef struct kg_times {
    double low[2], high[2];
    int count;
} kg_times;

static inline kg_times kg_times_between(double low, double high)
{
    return (kg_times){.low = {low}, .high = {high}, .count = 1};
}

static inline kg_times kg_times_of(const double c[3])
{
    if (c[2] == 0) {
        if (c[1] > 0) return kg_times_between(-c[0] / c[1], KG_NEVER);
        if (c[1] < 0) return kg_times_between(-KG_NEVER, -c[0] / c[1]);
        return c[0] >= 0 ? kg_times_between(-KG_NEVER, KG_NEVER) : (kg_times){0};
    }
    double disc = c[1] * c[1] - 4 * c[2] * c[0];
    if (!(disc > 0)) return c[2] > 0 ? kg_times_between(-KG_NEVER, KG_NEVER) : (kg_times){0};
    double q = -0.5 * (c[1] + (c[1] < 0 ? -sqrt(disc) : sqrt(disc)));
    double one = q / c[2], two = c[0] / q;
    double low = one < two ? one : two, high = one < two ? two : one;
    if (c[2] < 0) return kg_times_between(low, high);
    return (kg_times){{-KG_NEVER, high}, {low, KG_NEVER}, 2};
}

/* The first time >= t in an interval; KG_NEVER if there is none. */
static inline double kg_times_begin(const kg_times *times, double t)
{
    for (int k = 0; k < times->count; ++k) {
        if (t <= times->high[k]) return t < times->low[k] ? times->low[k] : t;
    }
    return KG_NEVER;
}

/* The end of the interval that contains t. *again: the beginning of the next one, or KG_NEVER. */
static inline double kg_times_end(const kg_times *times, double t, double *again)
{
    *again = KG_NEVER;
    for (int k = 0; k < times->count; ++k) {
        if (t > times->high[k]) continue;
        if (k + 1 < times->count) *again = times->low[k + 1];
        return times->high[k];
    }
    return t;
}

#endif
