/* Helpers of the geometric tests: checks of arguments and results, the normal of coinciding points.
 * Pure functions, inlined. Cost: a few dozen flops each. */
#ifndef KG_GEOMETRY_GEOMETRY_COMMON_H
#define KG_GEOMETRY_GEOMETRY_COMMON_H

#include "base/vec.h"
#include "kugel/geometry.h"

/* The normal where geometry defines none: for equal centres, and a start in the centre. */
static const double kg_fallback_normal[3] = {1, 0, 0};

/* Tolerance of |n|^2 - 1 for normals and rotations: |n| is 1 within about 1e-6. */
#define KG_UNIT_TOLERANCE 2.1e-6

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

static inline bool kg_is_unit3(const double n[3])
{
    return kg_abs(kg_dot3(n, n) - 1) <= KG_UNIT_TOLERANCE;
}

/* Clear a result that overflows a double, to "no hit". */
static inline void kg_clear_nonfinite_hit(kugel_hit *hit)
{
    bool fits = kg_finite(hit->t_enter) && kg_finite(hit->t_exit) && kg_finite3(hit->point) &&
                kg_finite3(hit->normal) && kg_finite3(hit->exit_point) &&
                kg_finite3(hit->exit_normal);
    if (!fits) *hit = (kugel_hit){0};
}

/* Set the hit of a segment p -> q whose ray has no entry in [0, 1]. If q is on the surface,
 * rounding can move the entry beyond q; the segment then hits at t = 1. In: *hit, the hit of the
 * ray; end, the hit of the point q; starts_inside, true if p is inside: then the ray's t_exit
 * overflows a double, and there is no hit. */
static inline void kg_set_segment_end_hit(kugel_hit *hit, const kugel_hit *end, bool starts_inside)
{
    kugel_hit ray = *hit;
    *hit = (kugel_hit){0};
    if (!end->hit || starts_inside) return;
    *hit = *end;
    hit->started_inside = false;
    hit->t_enter = hit->t_exit = 1;
    if (!ray.hit) return;
    hit->t_exit = kg_max(ray.t_exit, 1);
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
