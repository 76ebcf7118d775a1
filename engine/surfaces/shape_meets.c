/* Whether a solid shape meets another convex solid. In: shape, solid, in the shape's frame, m. Out:
 * true, and a common point. */
#include "base/vec.h"
#include "geometry/overlap_shapes.h"
#include "surfaces/shape.h"

/* The point of a cone that is farthest along a direction; it is on one of the rims. */
static void farthest_of_cone(const double size[3], const double direction[3], double point[3])
{
    double across = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    double low = size[0] * across - size[2] * direction[2],
           high = size[1] * across + size[2] * direction[2],
           radius = high > low ? size[1] : size[0], share = across > 0 ? radius / across : 0;
    kg_set3(point, share * direction[0], share * direction[1], high > low ? size[2] : -size[2]);
}

/* A kg_convex_farthest of a kg_shape other than a plane. */
static void farthest_of_shape(const void *solid, const double direction[3], double point[3])
{
    const kg_shape *shape = solid;
    double unit[3];
    kg_normalize3(unit, direction, kg_zero3);
    if (shape->kind == KUGEL_SURFACE_ELLIPSOID) {
        kg_ellipsoid_support_in_frame(shape->size, unit, point);
    } else if (shape->kind == KUGEL_SURFACE_BOX) {
        for (int k = 0; k < 3; ++k) point[k] = unit[k] > 0 ? shape->size[k] : -shape->size[k];
    } else if (shape->kind == KUGEL_SURFACE_CONE) {
        farthest_of_cone(shape->size, unit, point);
    } else {
        kg_scale3(point, unit, shape->size[0]);
        point[2] += unit[2] > 0 ? shape->size[1] : -shape->size[1];
    }
}

bool kg_shape_meets(const kg_shape *shape, const kg_convex *other, double point[3])
{
    static const double down[3] = {0, 0, -1};
    double outward[3], start[3];
    if (kg_shape_distance(shape, point, outward) <= 0) return true;
    if (shape->kind == KUGEL_SURFACE_PLANE) {
        other->farthest(other->solid, down, point);
        return point[2] <= KG_CONVEX_TOLERANCE * kg_max_abs3(point);
    }
    const kg_convex self = {farthest_of_shape, shape};
    kg_scale3(start, point, -1);
    return kg_convex_meet(&self, other, start, point);
}
