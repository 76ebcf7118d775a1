/* The filter of cell lists: like neighbour_filter.c, but eight bodies at a time, in floats.
 * Positions at the start of the window are whole numbers of a unit that divides the world, modulo
 * 2^32. So differences are right across periodic faces and at any distance from the origin. Lengths
 * are in largest radii, times in windows. The filter is conservative: squared reaches grow by
 * kg_quantised_reach_margin, and bodies count as parting only above kg_quantised_parting_margin.
 * Over a path of KG_QUANTISED_MAX_PATH radii, quantising moves a body by less than a thousandth
 * of the margin. A body with a longer path has NaN velocities and passes the filter. */
#ifndef KG_IMPACT_QUANTISED_MOTIONS_H
#define KG_IMPACT_QUANTISED_MOTIONS_H

#include <math.h>
#include <string.h>

#include "impact/predict.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* wide vectors are passed within one file only */
#endif
#define KG_WIDTH KG_LANES_8
#include "base/lanes.h"
#include "base/wide_avx.h"

enum { KG_QUANTISED_MAX_PATH = 1000 };
static const float kg_quantised_reach_margin = 1 / 64.f, kg_quantised_parting_margin = 1e-3f,
                   kg_quantised_rounding_factor = 1 + 1 / 256.f;

/* Quantise the motion of a body. Adding 1.5 * 2^52 to a double leaves its whole part in the low
 * bits, modulo 2^32. */
KG_INLINE void kg_quantised_motions_write(kugel_world *world, uint32_t i)
{
    const kg_quantised_motions *t = &world->impact->quantised;
    const kg_motion *m = &world->work.motion[i];
    kg_quantised_motion *out = &t->motions[i];
    kg_double4 x, v, low, per_unit, scale, max_speed, max_position;
    kg_mask4 bits, plain;
    kg_mask4f units;
    kg_float4 motion;
    memcpy(&x, m->x, sizeof x);
    memcpy(&v, m->v, sizeof v);
    memcpy(&low, t->low, sizeof low);
    memcpy(&per_unit, t->per_unit, sizeof per_unit);
    memcpy(&scale, t->scale, sizeof scale);
    memcpy(&max_speed, t->max_speed, sizeof max_speed);
    memcpy(&max_position, t->max_position, sizeof max_position);
    KG_EACH (4) {
        kg_double4_lane u = KG_L(v), place = KG_L(x) + u * (t->from - m->clock) - KG_L(low);
        KG_L(plain) = KG_MASK((u <= KG_L(max_speed)) & (u >= -KG_L(max_speed)) &
                              (place <= KG_L(max_position)) & (place >= -KG_L(max_position)));
        KG_L(x) = place * KG_L(per_unit) + 0x1.8p52;
        KG_L(motion) = KG_CONVERT(kg_float4, u * KG_L(scale));
    }
    memcpy(&bits, &x, sizeof bits);
    KG_EACH (4) KG_L(units) = KG_CONVERT(kg_mask4f, KG_L(bits));
    memcpy(out->x, &units, sizeof units);
    memcpy(out->v, &motion, sizeof motion);
    if (kg_movemask4(&plain) == 0xf) return;
    out->v[0] = out->v[1] = out->v[2] = NAN;
    kg_cell_lists_check_path(world, i, t->window);
}

/* Whole numbers modulo 2^32. */
#ifdef KUGEL_PORTABLE
typedef uint32_t kg_units;
#define KG_TO_UNITS(x) ((x) >= -0x1p31f && (x) < 0x1p31f ? (uint32_t)(int32_t)(x) : 1u << 31)
#define KG_FROM_UNITS(x) ((float)(int32_t)(x))
#else
typedef uint32_t kg_units __attribute__((vector_size(32)));
#define KG_TO_UNITS(x) ((kg_units) __builtin_convertvector(x, kg_lane_mask))
#define KG_FROM_UNITS(x) __builtin_convertvector((kg_lane_mask)(x), kg_lanes)
#endif

/* KG_WIDTH bodies: positions at the start of the window in units, velocities, radii. */
typedef struct kg_motion_lanes {
    kg_units x[3];
    kg_lanes v[3], radius;
} kg_motion_lanes;

/* Load four floats of each of KG_WIDTH records, from float 2 pairs[k] of `rows` on, and transpose:
 * m[c] has float c of all records. */
KG_INLINE void kg_motion_lanes_load_half(const float *rows, const uint32_t *pairs, kg_lanes m[4])
{
#ifdef KUGEL_PORTABLE
    memcpy(m, rows + 2 * (size_t)pairs[0], 4 * sizeof *m);
#else
    typedef float half __attribute__((vector_size(16), aligned(16), may_alias));
    kg_lanes r[4];
    for (int k = 0; k < 4; ++k) {
        const half *low = (const half *)(const void *)(rows + 2 * (size_t)pairs[k]);
        const half *high = (const half *)(const void *)(rows + 2 * (size_t)pairs[k + 4]);
        r[k] = __builtin_shufflevector(*low, *high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    kg_lanes_transpose(r, m);
#endif
}

/* A record is four pairs of floats. Slots of neighbours are loaded one by one: they were stored
 * cell by cell just before, and a load across two stores would stall. */
KG_INLINE void kg_motion_lanes_load(const kg_quantised_motions *t, const uint32_t *neighbour,
                                    kg_motion_lanes *out)
{
    uint32_t at[KG_WIDTH];
    kg_lanes a[4], b[4];
    for (int k = 0; k < KG_WIDTH; ++k) at[k] = (neighbour[k] & KG_NEIGHBOUR_SLOT) << 2;
    const float *rows = (const float *)(const void *)t->motions;
    kg_motion_lanes_load_half(rows, at, a);
    kg_motion_lanes_load_half(rows + 4, at, b);
    memcpy(&out->x[0], &a[0], sizeof a[0]); /* a loop would go through memory */
    memcpy(&out->x[1], &a[1], sizeof a[1]);
    memcpy(&out->x[2], &a[2], sizeof a[2]);
    memcpy(out->v, b, sizeof out->v);
    out->radius = b[3];
}

/* A number of 32 bits in all lanes. */
KG_INLINE void kg_quantised_splat(const void *number, kg_lanes *out, bool wide)
{
#ifdef KUGEL_PORTABLE
    (void)wide;
    memcpy(out, number, sizeof *out);
#else
    kg_splat8(number, out, wide);
#endif
}

/* One body in all lanes. */
KG_INLINE void kg_motion_lanes_broadcast(const kg_quantised_motions *t, uint32_t i,
                                         kg_motion_lanes *out, bool wide)
{
    const kg_quantised_motion *of = &t->motions[i];
    kg_lanes x[3];
    for (int k = 0; k < 3; ++k) kg_quantised_splat(&of->x[k], &x[k], wide);
    for (int k = 0; k < 3; ++k) kg_quantised_splat(&of->v[k], &out->v[k], wide);
    memcpy(out->x, x, sizeof out->x);
    kg_quantised_splat(&of->radius, &out->radius, wide);
}

/* A macro: vectors of this width cannot be passed to functions in every build. */
#define DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])

/* Lanes of -1 where the two bodies cannot meet. `units`: position units in a largest radius, times
 * the time since the start of the window (in windows). `left`: twice the remaining time. b is d.w
 * and c is d.d - reach^2: lanes with c > -b * left meet too late, or have a gap and part. */
KG_INLINE void kg_motion_lanes_reject(const kg_motion_lanes *i, const kg_motion_lanes *j,
                                      const kg_lanes units[3], const kg_lanes radii[3],
                                      const kg_lanes *left, kg_lane_mask *out)
{
    kg_lanes d[3], w[3];
    for (int k = 0; k < 3; ++k) {
        w[k] = j->v[k] - i->v[k];
        kg_units apart = j->x[k] - i->x[k] + KG_TO_UNITS(w[k] * units[k]);
        d[k] = KG_FROM_UNITS(apart) * radii[k];
    }
    kg_lanes b = DOT(d, w), dd = DOT(d, d), ww = DOT(w, w), reach = i->radius + j->radius;
    kg_lanes c = dd - reach * reach * (1 + kg_quantised_reach_margin);
    kg_lane_mask parts = b > dd * kg_quantised_parting_margin + kg_quantised_parting_margin,
                 misses = b * b * kg_quantised_rounding_factor<ww * c, late = c + b * *left> 0;
    *out = parts | misses | late;
}
#undef DOT

/* Bit k is set for lanes that are not rejected. */
KG_INLINE uint32_t kg_motion_lanes_kept_bits(const kg_lane_mask *out, bool wide)
{
#ifdef KUGEL_PORTABLE
    (void)wide;
    return !*out;
#else
    kg_mask8 mask;
    memcpy(&mask, out, sizeof mask);
    return kg_movemask8_wide(&mask, wide) ^ 0xff;
#endif
}

/* Bit k is set if body i may collide with neighbour k, of at most 64, between `now` and the end of
 * the window. A superset of those that do. Reads up to 8 items beyond `count`. */
KG_INLINE uint64_t kg_filter_motion_lanes(const kg_quantised_motions *t, uint32_t i,
                                          const uint32_t *neighbour, uint32_t count, double now,
                                          bool wide)
{
    float time = (float)((now - t->from) * t->per_window),
          soon = 2 * (1 - time + 1e-5f) * kg_quantised_rounding_factor;
    kg_lanes units[3], radii[3], left;
    uint64_t near = 0;
    kg_motion_lanes me, others;
    kg_motion_lanes_broadcast(t, i, &me, wide);
    kg_quantised_splat(&soon, &left, wide);
    for (int k = 0; k < 3; ++k) {
        float unit = time * t->units[k];
        kg_quantised_splat(&unit, &units[k], wide);
        kg_quantised_splat(&t->radii[k], &radii[k], wide);
    }
    for (uint32_t k = 0; k < count; k += KG_WIDTH) {
        kg_lane_mask out;
        kg_motion_lanes_load(t, neighbour + k, &others);
        kg_motion_lanes_reject(&me, &others, units, radii, &left, &out);
        near |= (uint64_t)kg_motion_lanes_kept_bits(&out, wide) << k;
    }
    return near;
}

#endif
