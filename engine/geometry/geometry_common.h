/* What all the tests of a folder share: checks of arguments and results, the roots of a line with a
 * quadric, and the fixed normal of coinciding points.
 * In: plain values. Out: plain values. Cost: a few operations, inlined. */
#ifndef KG_GEOMETRY_GEOMETRY_COMMON_H
#define KG_GEOMETRY_GEOMETRY_COMMON_H

#include "base/vec.h"
#include "kugel/geometry.h"

/* The normal where geometry gives none: equal centres, a start in the centre. */
static const double kg_fallback_normal[3] = {1, 0, 0};

/* Relative tolerance on the squared length of normals and rotations (1e-6 on the length). */
#define KG_UNIT_TOLERANCE 2.1e-6

static inline bool kg_is_unit3(const double n[3])
{
    return kg_abs(kg_dot3(n, n) - 1) <= KG_UNIT_TOLERANCE;
}

/* Roots of uu t^2 - 2 b t + c = 0 with disc = b^2 - uu c given by the caller, who has a form of it
 * that does not cancel. Near <= far. The root that would cancel comes from c / q. */
static inline void kg_quadratic_roots(double b, double uu, double c, double disc, double *near,
                                      double *far)
{
    double root = sqrt(disc > 0 ? disc : 0);
    double q = b < 0 ? b - root : b + root;
    double over_uu = q / uu;
    double over_q = q != 0 ? c / q : 0;
    double low = b < 0 ? over_uu : over_q, high = b < 0 ? over_q : over_uu;
    if (high < low) high = low; /* tangent: both are the same up to rounding */
    *near = low + 0.0;          /* -0 becomes +0 */
    *far = high + 0.0;
}

/* Results that did not fit a double are "no hit". */
static inline void kg_clear_nonfinite_hit(kugel_hit *hit)
{
    bool fits = kg_finite(hit->t_enter) && kg_finite(hit->t_exit) && kg_finite3(hit->point) &&
                kg_finite3(hit->normal) && kg_finite3(hit->exit_point) &&
                kg_finite3(hit->exit_normal);
    if (!fits) *hit = (kugel_hit){0};
}

/* A segment whose ray has no entry in [0, 1]: rounding may have put it just beyond an end q that is
 * on the surface. `end` is the point test of q. */
static inline void kg_set_segment_end_hit(kugel_hit *hit, const kugel_hit *end)
{
    kugel_hit ray = *hit;
    *hit = *end;
    if (!end->hit) return;
    hit->started_inside = false;
    hit->t_enter = hit->t_exit = 1;
    if (!ray.hit) return;
    hit->t_exit = kg_max(ray.t_exit, 1);
    kg_copy3(hit->exit_point, ray.exit_point);
    kg_copy3(hit->exit_normal, ray.exit_normal);
}

static inline void kg_clear_nonfinite_contact(kugel_contact *contact)
{
    bool fits = kg_finite(contact->time) && kg_finite(contact->gap) && kg_finite3(contact->point) &&
                kg_finite3(contact->normal);
    if (!fits) *contact = (kugel_contact){0};
}

static inline void kg_clear_nonfinite_overlap(kugel_overlap *overlap)
{
    bool fits = kg_finite(overlap->gap) && kg_finite3(overlap->normal) &&
                kg_finite3(overlap->point_a) && kg_finite3(overlap->point_b) &&
                kg_finite3(overlap->point);
    if (!fits) *overlap = (kugel_overlap){0};
}

#endif
