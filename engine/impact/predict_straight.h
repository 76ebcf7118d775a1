/* Predictions for bodies on straight paths, without resting contacts, on vectors of x, y, z.
 * Inline: compiled with the gather and the filter, once per vector width. Times equal those of
 * predict.c bit for bit. */
#ifndef KG_IMPACT_PREDICT_STRAIGHT_H
#define KG_IMPACT_PREDICT_STRAIGHT_H

#include "base/compiler.h"
#include "geometry/sweep_linear.h"
#include "impact/quantised_motions.h"

/* out[0]: sum of the first three lanes of a, from x to z; out[1]: that of b. */
KG_INLINE void kg_sum3(const kg_double4 *a, const kg_double4 *b, double out[2])
{
#ifdef KUGEL_PORTABLE
    out[0] = a->at[0] + a->at[1] + a->at[2];
    out[1] = b->at[0] + b->at[1] + b->at[2];
#else
    kg_double4 even = __builtin_shufflevector(*a, *b, 0, 4, 2, 6),
               odd = __builtin_shufflevector(*a, *b, 1, 5, 3, 7), first = even + odd;
    out[0] = first[0] + even[2];
    out[1] = first[1] + even[3];
#endif
}

/* kg_predict_pair for straight paths, with the operations of kg_sweep_spheres in their order. */
KG_INLINE double kg_predict_straight(const kugel_world *world, uint32_t i, uint32_t neighbour,
                                     double h)
{
    const kg_motion *mi = &world->work.motion[i],
                    *mj = &world->work.motion[neighbour & KG_NEIGHBOUR_SLOT];
    double T = mi->clock > mj->clock ? mi->clock : mj->clock, dots[2], more[2],
           reach = mi->radius + mj->radius;
    kg_double4 xi, xj, vi, vj, shift, d, w, dw, dd, ww, pp;
    memcpy(&xi, mi->x, sizeof xi);
    memcpy(&xj, mj->x, sizeof xj);
    memcpy(&vi, mi->v, sizeof vi);
    memcpy(&vj, mj->v, sizeof vj);
    memcpy(&shift, world->grid->lattice->shift[neighbour >> KG_NEIGHBOUR_IMAGE_SHIFT],
           sizeof shift);
    KG_EACH (4) {
        KG_L(d) = (KG_L(xj) + KG_L(vj) * (T - mj->clock)) -
                  (KG_L(xi) + KG_L(vi) * (T - mi->clock)) + KG_L(shift);
        KG_L(w) = KG_L(vj) - KG_L(vi);
        KG_L(dw) = KG_L(d) * KG_L(w);
        KG_L(dd) = KG_L(d) * KG_L(d);
        KG_L(ww) = KG_L(w) * KG_L(w);
    }
    kg_sum3(&dw, &dd, dots);
    double b = dots[0], c = dots[1] - reach * reach;
    if (!(b < 0)) return KG_NEVER;
    if (c <= 0) return kg_predict_pair(world, i, neighbour, h); /* they touch */
    kg_sum3(&ww, &ww, more);
    double closest = -(b / more[0]);
    KG_EACH (4) {
        kg_double4_lane p = KG_L(d) + KG_L(w) * closest;
        KG_L(pp) = p * p;
    }
    kg_sum3(&pp, &pp, dots);
    double s = reach * reach - dots[0];
    if (!(s >= 0)) return KG_NEVER;
    double t = c / (-b + sqrt(more[0] * s));
    if (!(t <= h - T && t <= closest)) return KG_NEVER;
    return t > 0 ? T + t : kg_predict_pair(world, i, neighbour, h);
}

/* The faces in `along` that the body may meet in the window. The margin is far above rounding. */
KG_INLINE uint32_t kg_predict_faces_in_reach(const kugel_world *world, uint32_t i, uint32_t along)
{
    const double margin = 1 + 1e-9;
    const kg_motion *m = &world->work.motion[i];
    const kugel_bounds *bounds = &world->def.bounds;
    double left = (world->impact->until - m->clock) * margin;
    for (uint32_t faces = along; faces; faces &= faces - 1) {
        uint32_t face = (uint32_t)kg_lowest_bit(faces), axis = face / 2;
        double gap = face & 1 ? bounds->max[axis] - m->x[axis] : m->x[axis] - bounds->min[axis],
               u = face & 1 ? -m->v[axis] : m->v[axis];
        if (u >= 0 || gap - m->radius * margin > -u * left) along &= ~(1u << face);
    }
    return along;
}

#endif
