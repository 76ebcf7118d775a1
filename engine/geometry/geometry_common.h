/* Helpers of the geometric tests: checks of arguments and results, the normal of coinciding points.
 * Pure functions, inlined. Cost: a few dozen flops each. */
#ifndef KG_GEOMETRY_GEOMETRY_COMMON_H
#define KG_GEOMETRY_GEOMETRY_COMMON_H

#include "base/constants.h"
#include "base/vec.h"
#include "kugel/geometry.h"

/* The normal where geometry defines none: for equal centres, and a start in the centre. */
static const double kg_fallback_normal[3] = {1, 0, 0};

static inline bool kg_is_sphere(const double semi_axes[3])
{
    return semi_axes[0] == semi_axes[1] && semi_axes[1] == semi_axes[2];
}

/* Two unit vectors perpendicular to the unit vector n and to each other; u, v, n are right-handed.
 * The magnitude of the divisor is at least 1 (T. Duff et al., "Building an orthonormal basis,
 * revisited", JCGT 6(1), 2017, listing 3). */
static inline void kg_axes_across(const double n[3], double u[3], double v[3])
{
    double sign = n[2] < 0 ? -1 : 1;
    double a = -1 / (sign + n[2]);
    double b = n[0] * n[1] * a;
    kg_set3(u, 1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]);
    kg_set3(v, b, sign + n[1] * n[1] * a, -n[1]);
}

static inline bool kg_is_box(const double min[3], const double max[3])
{
    return !(max[0] < min[0] || max[1] < min[1] || max[2] < min[2]);
}

/* True if a normal or quaternion of this squared length counts as unit. */
static inline bool kg_is_unit_square(double squared)
{
    return kg_abs(squared - 1) <= 2 * KG_UNIT_TOLERANCE;
}

static inline bool kg_is_unit3(const double n[3]) { return kg_is_unit_square(kg_dot3(n, n)); }

/* Clear a result that overflows a double, to "no hit". */
static inline void kg_clear_nonfinite_hit(kugel_hit *hit)
{
    bool fits = kg_finite(hit->t_enter) && kg_finite(hit->t_exit) && kg_finite3(hit->point) &&
                kg_finite3(hit->normal) && kg_finite3(hit->exit_point) &&
                kg_finite3(hit->exit_normal);
    if (!fits) *hit = (kugel_hit){0};
}

/* True if a ray that starts outside has no entry in [0, t_max] but may end on the surface: rounding
 * can move the entry beyond the end. Else the hit is final, or cleared if it lies beyond t_max.
 * In: the hit of the ray without an end. Out: `end`, its point at t_max, m. */
static inline bool kg_may_end_on(kugel_hit *hit, const double origin[3], const double direction[3],
                                 double t_max, double end[3])
{
    if (hit->hit && hit->t_enter <= t_max) return false;
    kg_add_scaled3(end, origin, t_max, direction);
    if (kg_finite3(end) && !kg_is_zero3(direction)) return true;
    *hit = (kugel_hit){0};
    return false;
}

/* Set the hit of a ray for which kg_may_end_on is true. In: *hit, the hit of the ray without an
 * end; at_end, the hit of the point at t_max. */
static inline void kg_end_hit(kugel_hit *hit, const kugel_hit *at_end, double t_max)
{
    kugel_hit ray = *hit;
    *hit = *at_end;
    if (!at_end->hit) return;
    hit->started_inside = false;
    hit->t_enter = hit->t_exit = t_max;
    if (!ray.hit) return;
    hit->t_exit = kg_max(ray.t_exit, t_max);
    kg_copy3(hit->exit_point, ray.exit_point);
    kg_copy3(hit->exit_normal, ray.exit_normal);
}

/* As kg_clear_nonfinite_hit. */
static inline void kg_clear_nonfinite_contact(kugel_contact *contact)
{
    bool fits = kg_finite(contact->time) && kg_finite(contact->gap) && kg_finite3(contact->point) &&
                kg_finite3(contact->normal);
    if (!fits) *contact = (kugel_contact){0};
}

/* As kg_clear_nonfinite_hit. */
static inline void kg_clear_nonfinite_overlap(kugel_overlap *overlap)
{
    bool fits = kg_finite(overlap->gap) && kg_finite3(overlap->normal) &&
                kg_finite3(overlap->point_a) && kg_finite3(overlap->point_b) &&
                kg_finite3(overlap->point);
    if (!fits) *overlap = (kugel_overlap){0};
}

#endif
