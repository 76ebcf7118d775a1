/* The time of impact of two spheres in straight motion, shared by the public functions, the step
 * and the queries. In: separation d = b - a (m), relative velocity w (m/s), reach = r_a + r_b (m),
 * horizon (s). Out: the earliest time in [0, horizon] at which |d + w t| falls to reach, 0 if the
 * spheres touch and approach at the start, else KG_NEVER. The discriminant of |d + w t|^2 = reach^2
 * is |w|^2 (reach^2 - |p|^2), where p is the part of d perpendicular to w; it keeps its digits for
 * a small sphere far away (E. Haines et al., Ray Tracing Gems, 2019, chapter 7). A root beyond the
 * closest approach is rounding (roots.h): the spheres graze without an approach, which is no
 * contact. Cost: one square root. */
#ifndef KG_GEOMETRY_SWEEP_LINEAR_H
#define KG_GEOMETRY_SWEEP_LINEAR_H

#include "base/constants.h"
#include "base/vec.h"

/* Later than any time in a tick, s. Finite, so that comparisons and sums stay ordinary. */
#define KG_NEVER 1e300

/* A sphere that moves along what it rests on meets it by rounding or by the depth of the contact,
 * and so the seams of tiles. So a target that the sphere touches at its start, or would if it were
 * larger by the slack, is met at a flat angle (kg_meets_flat) only where the sphere has entered it
 * by the slack, or else by more than at the start: a sphere of kg_radius_from_rest meets it then.
 * So a host that moves a sphere by casts, one after another, does not sink in. A sphere that rests
 * on one surface meets all surfaces in this way.
 * radius: of the sphere; distance: of its centre from the target at the start, m. */
static inline bool kg_rests_at(double radius, double distance)
{
    return distance <= radius * (1 + KG_CAST_SLACK);
}
static inline double kg_radius_from_rest(double radius, double distance)
{
    const double rounding = 1e-9; /* of positions, in radii */
    double smaller = kg_min(distance - rounding * radius, radius - KG_CAST_SLACK * radius);
    return smaller > 0 ? smaller : radius;
}

/* True if the velocity v meets a target at a flat angle: a chord of a sphere at this angle is
 * KG_CAST_SLACK radii deep. approach: velocity towards the target, m/s. */
static inline bool kg_meets_flat(double approach, const double v[3])
{
    return approach * approach < 2 * KG_CAST_SLACK * kg_dot3(v, v);
}

static inline double kg_sweep_spheres(const double d[3], const double w[3], double reach,
                                      double horizon)
{
    double b = kg_dot3(d, w);
    if (!(b < 0)) return KG_NEVER; /* they separate or keep their distance, or a NaN */
    double c = kg_dot3(d, d) - reach * reach;
    if (c <= 0) return 0;
    double ww = kg_dot3(w, w), closest = -(b / ww), p[3];
    kg_add_scaled3(p, d, closest, w);
    double s = reach * reach - kg_dot3(p, p);
    if (!(s >= 0)) return KG_NEVER;
    double t = c / (-b + sqrt(ww * s));
    return t <= horizon && t <= closest ? t : KG_NEVER;
}

#endif
