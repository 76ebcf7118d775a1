/* A sphere and an axis-aligned box at rest. In: centre, radius, corners. Out: kugel_overlap.
 * How: the box's surface point nearest to the centre (C. Ericson, Real-Time Collision Detection,
 * 2005, section 5.1.3). For a centre inside, that point is on the nearest face.
 * Cost: at most two square roots. */
#include "geometry/geometry_common.h"

/* Returns the depth of a point in the box below the nearest face, m; normal: outward, of this
 * face. */
static double nearest_face(const double center[3], const double min[3], const double max[3],
                           double normal[3])
{
    double depth = center[0] - min[0];
    int face = 0;
    for (int f = 1; f < 6; ++f) {
        double here = f & 1 ? max[f / 2] - center[f / 2] : center[f / 2] - min[f / 2];
        if (here < depth) depth = here, face = f;
    }
    kg_set3(normal, 0, 0, 0);
    normal[face / 2] = face & 1 ? 1 : -1;
    return depth;
}

kugel_status kugel_overlap_sphere_box(const double center[3], double radius, const double min[3],
                                      const double max[3], kugel_overlap *overlap)
{
    if (!overlap) return KUGEL_ERROR_INVALID_ARGUMENT;
    *overlap = (kugel_overlap){0};
    if (!center || !min || !max || radius < 0) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!kg_is_box(min, max)) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!kg_finite3(center) || !kg_finite3(min) || !kg_finite3(max) || !kg_finite(radius))
        return KUGEL_OK;
    double nearest[3], away[3];
    for (int k = 0; k < 3; ++k)
        nearest[k] = center[k] < min[k] ? min[k] : center[k] > max[k] ? max[k] : center[k];
    kg_sub3(away, center, nearest);
    double distance = kg_length3(away);
    if (distance > 0) {
        kg_normalize3(overlap->normal, away, kg_fallback_normal);
    } else {
        distance = -nearest_face(center, min, max, overlap->normal);
        kg_add_scaled3(nearest, center, -distance, overlap->normal);
    }
    overlap->gap = distance - radius;
    overlap->hit = overlap->gap <= 0;
    kg_add_scaled3(overlap->point_a, center, -radius, overlap->normal);
    kg_copy3(overlap->point_b, nearest);
    kg_add_scaled3(overlap->point, nearest, overlap->gap / 2, overlap->normal);
    kg_clear_nonfinite_overlap(overlap);
    return KUGEL_OK;
}
