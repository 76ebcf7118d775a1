/* Which neighbours could a body meet at all? Of ten, five part, and most of the others pass by or come too
 * late: four at a time, without divisions or roots, with margins far above rounding. What is left is
 * predicted exactly (predict.c), so neither the margins nor the width of vectors show in any result.
 * With d the separation, w the relative velocity and c = d.d - reach^2, two bodies meet only if
 *     d.w < 0,   (d.w)^2 - c w.w >= 0,   and c <= 2 |d.w| s  for the time s that is left,
 * because the time of the contact is c / (|d.w| + root) with a root of at most |d.w|. */
#include "base/wide.h"
#include "impact/impact.h"

/* Margin relative to the largest terms: sums of a few products are off by a few 1e-16. */
static const double rounding = 1e-12;

/* Four bodies' records as columns: x, y, z and clock; vx, vy, vz and radius. */
typedef struct columns {
    kg_double4 x[4], v[4];
} columns;

KG_INLINE void load(const kg_motion *motion, const uint32_t entry[4], columns *out)
{
    const kg_double4 *x[4], *v[4];
    for (int k = 0; k < 4; ++k) {
        const kg_motion *m = &motion[entry[k] & KG_ENTRY_SLOT];
        x[k] = (const kg_double4 *)(const void *)m->x;
        v[k] = (const kg_double4 *)(const void *)m->v;
    }
    kg_transpose4(x, out->x);
    kg_transpose4(v, out->v);
}

/* Lanes of -1 where the neighbour may be met. */
KG_INLINE void may_meet(const kg_lattice *lattice, const columns *i, const columns *j, const uint32_t entry[4], uint32_t images,
                     double h, kg_mask4 *out)
{
    kg_mask4 mine = i->x[3] > j->x[3];
    kg_double4 later = (kg_double4)((mine & (kg_mask4)i->x[3]) | (~mine & (kg_mask4)j->x[3]));
    kg_double4 di = later - i->x[3], dj = later - j->x[3], d[3], w[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = (j->x[k] + j->v[k] * dj) - (i->x[k] + i->v[k] * di);
        w[k] = j->v[k] - i->v[k];
    }
    for (int k = 0; k < 4 && images; ++k) {
        double offset[3];
        kg_image_offset(lattice, entry[k] >> KG_ENTRY_IMAGE_SHIFT, offset);
        for (int x = 0; x < 3; ++x) d[x][k] += offset[x];
    }
    kg_double4 b = d[0] * w[0] + d[1] * w[1] + d[2] * w[2], dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    kg_double4 ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], reach = i->v[3] + j->v[3];
    kg_double4 c = dd - reach * reach - rounding * dd;
    kg_double4 left = (h - later) * (1 + rounding) + rounding * h;
    *out = (b < 0) & (b * b * (1 + rounding) >= ww * c) & (c <= -2 * b * left);
}

KG_INLINE void repeat(const kg_motion *m, columns *out)
{
    for (int k = 0; k < 3; ++k) out->x[k] = (kg_double4){m->x[k], m->x[k], m->x[k], m->x[k]};
    for (int k = 0; k < 3; ++k) out->v[k] = (kg_double4){m->v[k], m->v[k], m->v[k], m->v[k]};
    out->x[3] = (kg_double4){m->clock, m->clock, m->clock, m->clock};
    out->v[3] = (kg_double4){m->radius, m->radius, m->radius, m->radius};
}

KG_INLINE uint32_t filter(const kugel_world *world, uint32_t i, const kg_chunk *chunk, double h)
{
    uint32_t bits = 0;
    columns self, other;
    repeat(&world->work.motion[i], &self);
    for (uint32_t k = 0; k < chunk->count; k += 4) {
        if (k > KG_CHUNK_ENTRIES - 4) k = KG_CHUNK_ENTRIES - 4; /* some twice: the chunk is no multiple of 4 */
        kg_mask4 near;
        load(world->work.motion, chunk->entry + k, &other);
        may_meet(&world->grid->lattice, &self, &other, chunk->entry + k, chunk->flags & KG_CHUNK_IMAGES, h, &near);
        bits |= kg_bits4(&near) << k;
    }
    return bits & ((1u << chunk->count) - 1);
}

#ifdef KG_AVX2
KG_AVX2 static uint32_t filter_avx2(const kugel_world *world, uint32_t i, const kg_chunk *chunk, double h)
{
    return filter(world, i, chunk, h);
}
#endif

static uint32_t filter_any(const kugel_world *world, uint32_t i, const kg_chunk *chunk, double h)
{
#ifdef KG_AVX2
    if (KG_HAS_AVX2) return filter_avx2(world, i, chunk, h);
#endif
    return filter(world, i, chunk, h);
}

/* Entries that the straight and elastic rule above does not hold for: resting, or another acceleration. */
static __attribute__((noinline)) uint32_t special_entries(const kugel_world *world, uint32_t i, const kg_chunk *chunk)
{
    const uint8_t *frame = world->work.frame;
    uint32_t bits = 0;
    for (uint32_t k = 0; k < chunk->count; ++k) {
        uint32_t j = chunk->entry[k] & KG_ENTRY_SLOT;
        bool special = (frame[i] | frame[j]) > KG_FRAME_GRAVITY || frame[i] != frame[j];
        bits |= (uint32_t)(special || (chunk->entry[k] & KG_ENTRY_RESTING)) << k;
    }
    return bits;
}

uint32_t kg_filter(const kugel_world *world, uint32_t i, const kg_chunk *chunk, double until)
{
    uint32_t bits = filter_any(world, i, chunk, until);
    if (!world->work.one_frame || (chunk->flags & KG_CHUNK_RESTING)) bits |= special_entries(world, i, chunk);
    return bits;
}
