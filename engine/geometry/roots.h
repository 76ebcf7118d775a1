/* Roots of uu t^2 - 2 b t + c = 0, the times at which a line enters and leaves a sphere. u is the
 * direction, m the vector from the origin to the centre, r the radius: uu = u.u, b = m.u,
 * c = m.m - r r.
 * The roots are q / uu and c / q with q = b + sign(b) sqrt(disc), so neither loses digits by a
 * difference (W. H. Press et al., Numerical Recipes, 3rd ed. 2007, section 5.6).
 * Cost: one square root. */
#ifndef KG_GEOMETRY_ROOTS_H
#define KG_GEOMETRY_ROOTS_H

#include "base/vec.h"

/* At a tangent all of b, c and disc = b^2 - uu c are rounding, and c / q alone is any number. Two
 * facts of exact arithmetic keep the roots on the sphere.
 * - c <= 0, the origin is inside: b^2 and -uu c are not negative. Their sum has no cancellation and
 *   agrees with c, so disc is that sum.
 * - c > 0: the nearer root is between 0 and the closest approach, b / uu. If rounding puts it
 *   beyond, half the chord is below the rounding of the distance, and b / uu is a root as well.
 * Derivation: tools/docs/manual/geometry.md, "Roots at the tangent". */

/* The entry of a line that starts outside and approaches: c > 0, b > 0. disc: in a form without
 * cancellation; below 0, for a miss, the result has no meaning. closest: b / uu. */
static inline double kg_entry_root(double b, double c, double disc, double closest)
{
    double t = c / (b + sqrt(disc));
    return kg_min(t, closest);
}

/* Set *near <= closest <= *far. uu > 0. closest and disc as above, but disc counts as 0 if it is
 * below, and is not used for an origin inside. */
static inline void kg_quadratic_roots(double b, double uu, double c, double disc, double closest,
                                      double *near, double *far)
{
    double root = sqrt(c > 0 ? kg_max(disc, 0) : b * b - uu * c);
    if (b < 0) { /* + 0.0: -0 becomes +0 */
        double q = b - root, over_q = c / q;
        *near = q / uu + 0.0;
        *far = kg_max(over_q, closest) + 0.0;
    } else {
        double q = b + root, over_q = q > 0 ? c / q : 0;
        *near = kg_min(over_q, closest) + 0.0;
        *far = q / uu + 0.0;
    }
}

#endif
