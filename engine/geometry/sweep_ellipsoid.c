/* A moving sphere against an ellipsoid at rest. In: the sphere's motion, the ellipsoid, dt. Out:
 * the first contact in [0, dt]. Method and cost: sweep_convex.h; each nearest point takes about 5
 * Newton steps. */
#include "geometry/ellipsoid.h"
#include "geometry/geometry_common.h"
#include "geometry/sweep_convex.h"

static void find_nearest(const void *solid, const double y[3], kg_nearest *nearest)
{
    kg_ellipsoid_nearest(solid, y, nearest);
}

kugel_status kugel_sweep_sphere_ellipsoid(const double center[3], const double velocity[3],
                                          double radius, const double other_center[3],
                                          const double semi_axes[3], const double rotation[4],
                                          double dt, kugel_contact *contact)
{
    if (!contact) return KUGEL_ERROR_INVALID_ARGUMENT;
    *contact = (kugel_contact){0};
    if (!center || !velocity || !other_center || !semi_axes) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (radius < 0 || dt < 0) return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_ellipsoid e;
    bool is_finite;
    kugel_status status = kg_ellipsoid_make(&e, semi_axes, rotation, &is_finite);
    if (!is_finite) return status;
    if (kg_is_sphere(semi_axes))
        return kugel_sweep_spheres(center, velocity, radius, other_center, kg_zero3, semi_axes[0],
                                   dt, contact);
    kg_convex_sweep s = {.find_nearest = find_nearest,
                         .solid = &e,
                         .extent = kg_max_abs3(e.axes),
                         .core = INFINITY,
                         .radius = radius * e.scale,
                         .dt = dt};
    kg_convex_sweep_in_frame(&s, &e, other_center, center, velocity, contact);
    return KUGEL_OK;
}
