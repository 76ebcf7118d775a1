/* Rays and spheres against a plane n.x = d. In: unit normal n, offset d (m). Out: hits,
 * distances, the circle in which a plane cuts a sphere.
 * Cost: a few dot products; one square root for the circle. */
#include "geometry/geometry_common.h"
#include "geometry/plane_geometry.h"

/* Bounds of the rounding errors of a slope n.a and a height n.a - d, relative to the sum of the
 * magnitudes of the terms. A slope has 3 and a height 5 roundings of 2^-53 each (N. Higham,
 * Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). A value within its bound
 * counts as 0. */
#define SLOPE_ROUNDING 0x1p-51
#define HEIGHT_ROUNDING 0x1p-50

static double sum_abs_products(const double a[3], const double b[3])
{
    return kg_abs(a[0] * b[0]) + kg_abs(a[1] * b[1]) + kg_abs(a[2] * b[2]);
}

double kg_plane_slope(const double normal[3], const double along[3])
{
    double slope = kg_dot3(normal, along);
    return kg_abs(slope) <= SLOPE_ROUNDING * sum_abs_products(normal, along) ? 0 : slope;
}

/* The height of a point over the plane, m; 0 if rounding hides its sign. */
static double height_above(const double normal[3], double offset, const double point[3])
{
    double height = kg_dot3(normal, point) - offset;
    double terms = sum_abs_products(normal, point) + kg_abs(offset);
    return kg_abs(height) <= HEIGHT_ROUNDING * terms ? 0 : height;
}

void kg_plane_project(const double normal[3], double offset, const double point[3],
                      double on_plane[3])
{
    kg_add_scaled3(on_plane, point, -(kg_dot3(normal, point) - offset), normal);
}

static void clear_nonfinite_plane_hit(kugel_plane_hit *hit)
{
    if (!kg_finite(hit->t) || !kg_finite3(hit->point) || !kg_finite3(hit->normal))
        *hit = (kugel_plane_hit){0};
}

/* True if a ray without an end, or one that ends on the plane or beyond it, meets the plane.
 * height: of the origin. slope: the height's change along the direction. */
static bool meets_plane(const double normal[3], double offset, const double origin[3],
                        const double direction[3], double t_max, double height, double slope)
{
    if (height == 0) return true;
    if (isinf(t_max)) return height < 0 ? slope > 0 : slope < 0;
    double at_end = kg_dot3(normal, origin) - offset + t_max * kg_dot3(normal, direction);
    double terms = sum_abs_products(normal, origin) + kg_abs(offset) +
                   t_max * sum_abs_products(normal, direction);
    if (!kg_finite(terms)) return false;
    return kg_abs(at_end) <= HEIGHT_ROUNDING * terms || (at_end < 0) != (height < 0);
}

/* The end of a ray decides by the sign of its height, so the rounding of t decides nothing. */
kugel_status kugel_ray_plane(const double origin[3], const double direction[3], double t_max,
                             const double normal[3], double offset, kugel_plane_hit *hit)
{
    if (!hit) return KUGEL_ERROR_INVALID_ARGUMENT;
    *hit = (kugel_plane_hit){0};
    if (!origin || !direction || !normal || t_max < 0) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!kg_finite3(origin) || !kg_finite3(direction) || !kg_finite3(normal) ||
        !kg_finite(offset) || isnan(t_max))
        return KUGEL_OK;
    if (!kg_is_unit3(normal)) return KUGEL_ERROR_INVALID_ARGUMENT;
    double unit[3];
    normal = kg_plane_normalize(normal, &offset, unit);
    double height = height_above(normal, offset, origin), slope = kg_plane_slope(normal, direction);
    if (!kg_finite(height) || !kg_finite(slope)) return KUGEL_OK;
    hit->side = (height > 0) - (height < 0);
    hit->hit = meets_plane(normal, offset, origin, direction, t_max, height, slope);
    hit->relation = slope != 0 || (hit->hit && height != 0) ? KUGEL_PLANE_CROSSING
                    : height == 0                           ? KUGEL_PLANE_INSIDE
                                                            : KUGEL_PLANE_PARALLEL;
    if (!hit->hit) return KUGEL_OK;
    kg_copy3(hit->point, origin);
    if (height != 0) {
        double t = slope != 0 ? -height / slope : t_max;
        hit->t = t >= 0 && t <= t_max ? t : t_max;
        kg_add_scaled3(hit->point, origin, hit->t, direction);
        kg_plane_project(normal, offset, hit->point, hit->point);
    }
    bool back = height != 0 ? height < 0 : slope > 0;
    kg_scale3(hit->normal, normal, back ? -1 : 1);
    clear_nonfinite_plane_hit(hit);
    return KUGEL_OK;
}

kugel_status kugel_plane_sphere(const double normal[3], double offset, const double center[3],
                                double radius, kugel_plane_gap *gap)
{
    if (!gap) return KUGEL_ERROR_INVALID_ARGUMENT;
    *gap = (kugel_plane_gap){0};
    if (!normal || !center || radius < 0) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!kg_finite3(normal) || !kg_finite3(center) || !kg_finite(offset) || !kg_finite(radius))
        return KUGEL_OK;
    if (!kg_is_unit3(normal)) return KUGEL_ERROR_INVALID_ARGUMENT;
    double unit[3];
    normal = kg_plane_normalize(normal, &offset, unit);
    double height = kg_dot3(normal, center) - offset;
    double width = kg_abs(height) - radius;
    gap->hit = width <= 0;
    gap->distance = gap->hit ? 0 : width;
    gap->height = height;
    kg_add_scaled3(gap->point, center, height < 0 ? radius : -radius, normal);
    kg_add_scaled3(gap->on_plane, center, -height, normal);
    if (!kg_finite(height) || !kg_finite3(gap->point) || !kg_finite3(gap->on_plane))
        *gap = (kugel_plane_gap){0};
    return KUGEL_OK;
}

kugel_status kugel_plane_sphere_circle(const double normal[3], double offset,
                                       const double center[3], double radius, kugel_circle *circle)
{
    if (!circle) return KUGEL_ERROR_INVALID_ARGUMENT;
    *circle = (kugel_circle){0};
    kugel_plane_gap gap;
    kugel_status status = kugel_plane_sphere(normal, offset, center, radius, &gap);
    if (status != KUGEL_OK || !gap.hit) return status;
    double height = kg_abs(gap.height);
    circle->hit = true;
    kg_copy3(circle->center, gap.on_plane);
    double scale = kg_unit_scale(radius); /* keeps the product in range */
    circle->radius = sqrt((radius - height) * scale * ((radius + height) * scale)) / scale;
    double unit[3];
    normal = kg_plane_normalize(normal, &offset, unit);
    kg_axes_across(normal, circle->u, circle->v);
    kg_add_scaled3(circle->point, circle->center, circle->radius, circle->u);
    if (!kg_finite(circle->radius) || !kg_finite3(circle->point)) *circle = (kugel_circle){0};
    return KUGEL_OK;
}
