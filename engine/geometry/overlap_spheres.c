/* Two spheres at rest. In: centres, radii. Out: gap, normal, nearest points.
 * The gap has the sign of |d|^2 - reach^2, as in kg_sweep_spheres: both report the same pairs as
 * touching. Cost: two square roots. */
#include "geometry/geometry_common.h"

kugel_status kugel_overlap_spheres(const double center_a[3], double radius_a,
                                   const double center_b[3], double radius_b,
                                   kugel_overlap *overlap)
{
    if (!overlap) return KUGEL_ERROR_INVALID_ARGUMENT;
    *overlap = (kugel_overlap){0};
    if (!center_a || !center_b || radius_a < 0 || radius_b < 0) return KUGEL_ERROR_INVALID_ARGUMENT;
    double d[3], reach = radius_a + radius_b;
    kg_sub3(d, center_b, center_a);
    if (!kg_finite3(d) || !kg_finite(reach)) return KUGEL_OK;
    double c = kg_dot3(d, d) - reach * reach, far = kg_length3(d) + reach;
    overlap->hit = c <= 0;
    overlap->gap = far > 0 ? c / far : 0; /* |d| - reach = (|d|^2 - reach^2) / (|d| + reach) */
    kg_normalize3(overlap->normal, d, kg_fallback_normal);
    kg_add_scaled3(overlap->point_a, center_a, radius_a, overlap->normal);
    kg_add_scaled3(overlap->point_b, center_b, -radius_b, overlap->normal);
    /* from a's side: the sum of two points far away can overflow although their mean does not */
    kg_add_scaled3(overlap->point, center_a, radius_a + overlap->gap / 2, overlap->normal);
    kg_clear_nonfinite_overlap(overlap);
    return KUGEL_OK;
}
