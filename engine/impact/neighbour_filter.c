/* Finds the candidates that a body may meet, four at a time, without divisions or roots, with
 * margins far above rounding. The exact prediction (predict.c) follows.
 * With separation d, relative velocity w, c = d.d - reach^2 and time s left, two bodies meet only
 * if d.w < 0, (d.w)^2 >= c w.w and c <= 2 |d.w| s, since the time of impact is c / (|d.w| + root)
 * with root <= |d.w|. If one of the two accelerates by g, this holds for a reach longer by g t^2 /
 * 2; touching bodies meet only if d.w <= `parting_allowance`, as d.w falls by at most g |d| a
 * second. Resting pairs with equal acceleration meet only above the rest speed. */
#include <string.h>

#include "base/wide.h"
#include "impact/predict.h"
#include "world/thresholds.h"

/* Margin as a share of the largest terms; sums of a few products are rounded by a few 1e-16. */
static const double rounding = 1e-12;

/* Motions of four bodies as columns: x, y, z and clock; vx, vy, vz and radius. */
typedef struct columns {
    kg_double4 x[4], v[4];
} columns;

KG_INLINE void load(const kg_motion *motion, const uint32_t neighbour[4], columns *out)
{
    const kg_double4 *x[4], *v[4];
    for (int k = 0; k < 4; ++k) {
        const kg_motion *m = &motion[neighbour[k] & KG_NEIGHBOUR_SLOT];
        x[k] = (const kg_double4 *)(const void *)m->x;
        v[k] = (const kg_double4 *)(const void *)m->v;
    }
    kg_transpose4(x, out->x);
    kg_transpose4(v, out->v);
}

/* Allowances for acceleration and rest in a substep of length h. */
typedef struct allowance {
    double bow;             /* m, bow of the path when one of the two accelerates */
    double speed;           /* m/s, change of speed when one of the two accelerates */
    double length_unit;     /* m, a typical length */
    double per_length_unit; /* 1/m, its inverse */
    double rest2;           /* m^2/s^2, square of the rest speed */
    double until;           /* s, end of the window: frames differ by a until^2 / 2 */
    double growth;          /* 1/s, the largest relative rate */
} allowance;

/* Properties of four pairs, as lanes of -1 where they hold. */
typedef struct marks {
    kg_mask4 one_accelerates; /* one of the two accelerates by gravity */
    kg_mask4 unknown;         /* any acceleration is possible */
    kg_mask4 rests;           /* the pair rests */
} marks;

KG_INLINE void mark(const kugel_world *world, uint32_t i, const uint32_t neighbour[4], marks *out)
{
    const uint8_t *frame = world->work.frame;
    kg_mask4f resting, frames, mine = {frame[i], frame[i], frame[i], frame[i]};
    memcpy(&resting, neighbour, sizeof resting);
    for (int k = 0; k < 4; ++k) KG_AT(frames, k) = frame[neighbour[k] & KG_NEIGHBOUR_SLOT];
    KG_EACH (4) {
        kg_mask4f_lane differs = KG_MASK(KG_L(frames) != KG_L(mine)),
                       unknown = KG_MASK((KG_L(frames) | KG_L(mine)) > KG_FRAME_GRAVITY),
                       rests = KG_MASK((KG_L(resting) & (int32_t)KG_NEIGHBOUR_RESTING) != 0);
        KG_L(out->one_accelerates) = KG_CONVERT(kg_mask4, differs);
        KG_L(out->unknown) = KG_CONVERT(kg_mask4, unknown);
        KG_L(out->rests) = KG_CONVERT(kg_mask4, rests);
    }
}

/* By lane: `yes` where `which` holds, else `no`. */
#define CHOOSE(which, yes, no) KG_CHOOSE(kg_double4, kg_mask4, which, yes, no)

#define DOT(a, b)                                                                                  \
    (KG_L((a)[0]) * KG_L((b)[0]) + KG_L((a)[1]) * KG_L((b)[1]) + KG_L((a)[2]) * KG_L((b)[2]))

/* A body and four neighbours at the later of their clocks. */
typedef struct relative {
    kg_double4 b;      /* d.w */
    kg_double4 dd, ww; /* d.d, w.w */
    kg_double4 reach;  /* m */
    kg_double4 left;   /* s, to the end of the window */
} relative;

KG_INLINE void relate(const columns *i, const columns *j, const kg_lattice *lattice,
                      const uint32_t *images_of, double h, relative *out)
{
    kg_double4 d[3], w[3];
    KG_EACH (4) {
        kg_double4_lane ti = KG_L(i->x[3]), tj = KG_L(j->x[3]), later = CHOOSE(ti > tj, ti, tj),
                        di = later - ti, dj = later - tj;
        for (int k = 0; k < 3; ++k) {
            KG_L(d[k]) =
                (KG_L(j->x[k]) + KG_L(j->v[k]) * dj) - (KG_L(i->x[k]) + KG_L(i->v[k]) * di);
            KG_L(w[k]) = KG_L(j->v[k]) - KG_L(i->v[k]);
        }
        KG_L(out->left) = (h - later) * (1 + rounding) + rounding * h;
        KG_L(out->reach) = KG_L(i->v[3]) + KG_L(j->v[3]);
    }
    for (int k = 0; k < 4 && images_of; ++k) {
        double offset[3];
        kg_image_offset(lattice, images_of[k] >> KG_NEIGHBOUR_IMAGE_SHIFT, offset);
        for (int x = 0; x < 3; ++x) KG_AT(d[x], k) += offset[x];
    }
    KG_EACH (4) {
        KG_L(out->b) = DOT(d, w);
        KG_L(out->dd) = DOT(d, d);
        KG_L(out->ww) = DOT(w, w);
    }
}

/* Lanes of -1 where the body may meet the neighbour. */
KG_INLINE void may_meet(const relative *r, kg_mask4 *out)
{
    KG_EACH (4) {
        kg_double4_lane b = KG_L(r->b), dd = KG_L(r->dd), reach = KG_L(r->reach),
                        c = dd - reach * reach - rounding * dd;
        KG_L(*out) = KG_MASK((b < 0) & (b * b * (1 + rounding) >= KG_L(r->ww) * c) &
                             (c <= -2 * b * KG_L(r->left)));
    }
}

/* may_meet with acceleration, rest and growth. Where radii grow at the relative rate g, reach is
 * that of the tick's end, and bodies that part at less than g |d| may meet: d.w - g d.d replaces
 * d.w. */
KG_INLINE void may_meet_mixed(const relative *r, const marks *marked, const allowance *a,
                              bool grows, kg_mask4 *out)
{
    const kg_double4 none = {0}, bows = {a->bow, a->bow, a->bow, a->bow};
    KG_EACH (4) {
        kg_double4_lane b = KG_L(r->b), dd = KG_L(r->dd), ww = KG_L(r->ww), reach = KG_L(r->reach),
                        length_unit = 0.5 * (a->length_unit +
                                             ww * (a->until * a->until * a->per_length_unit)),
                        parting_allowance = 3 * a->speed * (reach + a->bow + length_unit);
        if (grows) b -= a->growth * dd;
        kg_mask4_lane differs = KG_L(marked->one_accelerates), touch, meet, slow;
        kg_double4_lane bow = CHOOSE(differs, KG_L(bows), KG_L(none));
        parting_allowance = CHOOSE(differs, parting_allowance, KG_L(none));
        kg_double4_lane wide = reach + bow, c = dd - wide * wide - rounding * dd,
                        towards = parting_allowance - b, reach2 = reach * reach;
        touch = (c <= 0) & (b <= parting_allowance);
        meet = (b < 0) & (b * b * (1 + rounding) >= ww * c) & (c <= -2 * b * KG_L(r->left));
        reach2 = CHOOSE(dd < reach2, dd, reach2);
        slow = (towards * towards < a->rest2 * (reach2 - 2 * bow * reach)) | (towards <= 0);
        KG_L(*out) = KG_MASK(((touch | meet) & ~(KG_L(marked->rests) & ~differs & slow)) |
                             KG_L(marked->unknown));
    }
}

KG_INLINE void broadcast(const kg_motion *m, columns *out)
{
    for (int k = 0; k < 3; ++k) out->x[k] = (kg_double4){m->x[k], m->x[k], m->x[k], m->x[k]};
    for (int k = 0; k < 3; ++k) out->v[k] = (kg_double4){m->v[k], m->v[k], m->v[k], m->v[k]};
    out->x[3] = (kg_double4){m->clock, m->clock, m->clock, m->clock};
    out->v[3] = (kg_double4){m->radius, m->radius, m->radius, m->radius};
}

KG_INLINE void allow(const kugel_world *world, double h, allowance *a)
{
    const kg_impact_stage *stage = world->impact;
    double speed = world->work.gravity_magnitude * h,
           rest = kg_rest_speed(world, world->grid->smallest_radius);
    *a = (allowance){0.5 * speed * h * (1 + rounding),
                     speed,
                     stage->length_unit,
                     stage->per_length_unit,
                     rest * rest * (1 - 1e-9),
                     h,
                     world->def.growth * (1 + 1e-9)};
}

KG_INLINE uint32_t filter(const kugel_world *world, uint32_t i, const kg_list_node *node, double h,
                          bool mixed, bool grows)
{
    uint32_t bits = 0;
    columns self, other;
    allowance allowed = {0};
    marks marked;
    broadcast(&world->work.motion[i], &self);
    if (mixed) allow(world, h, &allowed);
    for (uint32_t k = 0; k < node->count; k += 4) {
        /* the last four overlap the four before, since the size of a node is no multiple of 4 */
        if (k > KG_NODE_NEIGHBOURS - 4) k = KG_NODE_NEIGHBOURS - 4;
        const uint32_t *neighbour = node->neighbour + k;
        relative r;
        kg_mask4 near;
        load(world->work.motion, neighbour, &other);
        relate(&self, &other, world->grid->lattice,
               node->flags & KG_NODE_HAS_IMAGES ? neighbour : NULL, h, &r);
        if (mixed) {
            mark(world, i, neighbour, &marked);
            may_meet_mixed(&r, &marked, &allowed, grows, &near);
        } else {
            may_meet(&r, &near);
        }
        bits |= kg_movemask4(&near) << k;
    }
    return bits & ((1u << node->count) - 1);
}

/* The filter with or without acceleration, rest and growth, as the node needs. */
KG_INLINE uint32_t filter_either(const kugel_world *world, uint32_t i, const kg_list_node *node,
                                 double h, bool wide)
{
    bool mixed = !world->work.frame_is_shared || (node->flags & KG_NODE_HAS_RESTING),
         grows = world->work.growth.rate > 0;
    if (!mixed) return filter(world, i, node, h, false, false);
    return wide && !grows ? filter(world, i, node, h, true, false)
                          : filter(world, i, node, h, true, grows);
}

KG_VARIANTS(uint32_t, filter_either,
            (const kugel_world *world, uint32_t i, const kg_list_node *node, double h),
            (world, i, node, h, wide))

uint32_t kg_filter_neighbours(const kugel_world *world, uint32_t i, const kg_list_node *node,
                              double until)
{
    return KG_WIDEST(filter_either)(world, i, node, until);
}
