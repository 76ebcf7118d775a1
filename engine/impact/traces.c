/* The filter of dense cells (grid/dense.h): as filter.c's, eight at a time, in floats, from records of half the size.
 *
 * A record is a place and a velocity at the window's beginning. Places are whole numbers of a unit that divides
 * the world, so they lose nothing far from its origin, differences come out right across periodic faces,
 * and no image has to be looked up: they are added and subtracted modulo 2^32. Lengths are in largest
 * radii, times in windows.
 *
 * What it leaves out never meets: spheres are taken for larger by `wider`, some 1 % of their reach. Rounding and
 * quantising move a body by less than a thousandth of that on any way of up to `way_most` radii, and turn
 * a velocity by less than it would take to; who goes further, or a good part of the world's length, is
 * marked by velocities that are no numbers, and so never left out. */
#include <math.h>
#include <string.h>

#include "impact/impact.h"

#ifndef __clang__
#pragma GCC diagnostic ignored "-Wpsabi" /* wide vectors go between functions of this file alone */
#endif
#define KG_WIDTH 8
#include "base/lanes.h"
#include "base/wide.h"

static const float wider = 1 / 64.f, way_most = 1000, parting = 1e-6f, rounding = 1 + 1 / 256.f;

static void trace_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    (void)unused;
    for (uint32_t i = from; i < to; ++i) kg_trace(world, i);
}

bool kg_traces_begin(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    const kg_dense *dense = &world->grid->dense;
    kg_traces *t = &stage->traces;
    size_t rows = (size_t)world->bodies.count + world->work.copies;
    if (!kg_column_reserve(&world->memory, &stage->columns[KG_COLUMN_TRACES], sizeof *t->of, rows, 0)) return false;
    t->of = stage->columns[KG_COLUMN_TRACES].data;
    t->from = stage->from;
    t->window = stage->until - stage->from;
    t->per_window = 1 / t->window;
    t->per_speed = t->window / dense->largest;
    t->per_radius = 1 / dense->largest;
    for (int axis = 0; axis < 3; ++axis) {
        bool periodic = dense->periodic >> 2 * axis & 1;
        double room = dense->edge[axis] * (dense->count[axis] - 2);
        t->low[axis] = dense->low[axis];
        t->per_unit[axis] = (periodic ? 0x1p32 : 0x1p29) / room;
        t->units[axis] = (float)(dense->largest * t->per_unit[axis]);
        t->radii[axis] = (float)(1 / (dense->largest * t->per_unit[axis]));
        t->speed_most[axis] = (0.25 * room < way_most * dense->largest ? 0.25 * room : way_most * dense->largest) / t->window;
        t->place_most[axis] = 2 * room;
    }
    kg_for_bodies(world, trace_range, 0);
    return true;
}

/* Whole numbers modulo 2^32 out of doubles below 2^51: the low bits of a sum with what has no lower ones. */
void kg_trace(kugel_world *world, uint32_t i)
{
    const kg_traces *t = &world->impact->traces;
    const kg_motion *m = &world->work.motion[i];
    kg_trace_of *out = &t->of[i];
    bool plain = true;
    for (int k = 0; k < 3; ++k) {
        double v = m->v[k], x = m->x[k] + v * (t->from - m->clock) - t->low[k], sum = x * t->per_unit[k] + 0x1.8p52;
        uint64_t bits;
        memcpy(&bits, &sum, sizeof bits);
        plain &= (fabs(v) <= t->speed_most[k]) & (fabs(x) <= t->place_most[k]);
        out->x[k] = (uint32_t)bits;
        out->v[k] = (float)(v * t->per_speed);
    }
    out->radius = (float)(m->radius * t->per_radius);
    if (!plain) out->v[0] = out->v[1] = out->v[2] = NAN;
}

/* Whole numbers modulo 2^32. */
typedef uint32_t kg_units __attribute__((vector_size(32)));

/* Eight bodies at `time` of the window: places in units, velocities and radii. */
typedef struct eight {
    kg_units x[3];
    kg_lanes v[3], radius;
} eight;

KG_INLINE void load(const kg_traces *t, const uint32_t *entry, float time, eight *out)
{
    uint32_t slot[8];
    kg_lanes a[4], b[4];
    for (int k = 0; k < 8; ++k) slot[k] = entry[k] & KG_ENTRY_SLOT;
    const float *rows = (const float *)(const void *)t->of;
    kg_lanes_load_rows(rows, sizeof *t->of / sizeof *rows, slot, a);
    kg_lanes_load_rows(rows + 4, sizeof *t->of / sizeof *rows, slot, b);
    for (int k = 0; k < 3; ++k) {
        kg_units start;
        memcpy(&start, &a[k], sizeof start);
        out->v[k] = b[k];
        out->x[k] = start + (kg_units)__builtin_convertvector(b[k] * (time * t->units[k]), kg_lane_mask);
    }
    out->radius = a[3];
}

/* One body eight times. */
KG_INLINE void repeat(const kg_traces *t, uint32_t i, float time, eight *out)
{
    const kg_trace_of *of = &t->of[i];
    for (int k = 0; k < 3; ++k) {
        out->v[k] = of->v[k] - (kg_lanes){0};
        out->x[k] = of->x[k] + (kg_units)__builtin_convertvector(out->v[k] * (time * t->units[k]), kg_lane_mask);
    }
    out->radius = of->radius - (kg_lanes){0};
}

/* No functions: what they would hand over is wider than what some callers have. */
#define DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])

/* -b where b is below 0, else 0; what is no number stays so. */
KG_INLINE void below_zero(const kg_lanes *b, kg_lanes *out)
{
    kg_lanes minus = -*b;
    kg_lane_mask bits, at_least = *b >= 0;
    memcpy(&bits, &minus, sizeof bits);
    bits &= ~at_least;
    memcpy(out, &bits, sizeof bits);
}

KG_INLINE uint32_t bits_of(const eight *i, const eight *j, const float radii[3], float left)
{
    kg_lanes d[3], w[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = __builtin_convertvector((kg_lane_mask)(j->x[k] - i->x[k]), kg_lanes) * radii[k];
        w[k] = j->v[k] - i->v[k];
    }
    kg_lanes b = DOT(d, w), dd = DOT(d, d), ww = DOT(w, w), towards, reach = i->radius + j->radius;
    kg_lanes c = dd - reach * reach * (1 + wider), bb = b * b;
    kg_lane_mask parts = (b >= 0) & (bb > dd * parting), misses = bb * rounding < ww * c;
    below_zero(&b, &towards); /* what is no number is not late */
    kg_lane_mask late = c > towards * (2 * left * rounding), out = parts | misses | late;
    kg_mask8 mask;
    memcpy(&mask, &out, sizeof mask);
    return ~kg_bits8(&mask) & 0xff;
}
#undef DOT

KG_INLINE uint32_t filter(const kg_traces *t, uint32_t i, uint32_t *entry, uint32_t count, double now)
{
    float time = (float)((now - t->from) * t->per_window), left = 1 - time;
    const kg_lane_mask fill = (int32_t)i - (kg_lane_mask){0};
    uint32_t kept = 0;
    eight me, others;
    memcpy(entry + count, &fill, 7 * sizeof *entry);
    repeat(t, i, time, &me);
    for (uint32_t k = 0; k < count; k += 8) {
        load(t, entry + k, time, &others);
        uint32_t bits = bits_of(&me, &others, t->radii, left + 1e-5f);
        if (count - k < 8) bits &= (1u << (count - k)) - 1;
        for (; bits; bits &= bits - 1) {
            uint32_t e = entry[k + (uint32_t)__builtin_ctz(bits)];
            entry[kept] = e;
            kept += (e & KG_ENTRY_SLOT) != i;
        }
    }
    return kept;
}

#ifdef KG_AVX2
KG_AVX2 static uint32_t filter_avx2(const kg_traces *t, uint32_t i, uint32_t *entry, uint32_t count, double now)
{
    return filter(t, i, entry, count, now);
}
#endif

uint32_t kg_filter_traces(const kugel_world *world, uint32_t i, uint32_t *entry, uint32_t count, double now)
{
    const kg_traces *t = &world->impact->traces;
#ifdef KG_AVX2
    if (KG_HAS_AVX2) return filter_avx2(t, i, entry, count, now);
#endif
    return filter(t, i, entry, count, now);
}
