/** @file
 * Triangles of simple shapes, for kugel_surface_def. Pure functions: they write vertices and
 * triangles into the caller's arrays, whose sizes are the constants beside each function.
 *
 * Lengths are in metres. The corners of a triangle are counterclockwise seen from its front: the
 * outside, or the side that the comment names. A round shape has `segments` flat sides around. Its
 * vertices lie on the round shape; the middle of a side lies inside the round shape by
 * r (1 - cos(pi / segments)), about 4.93 r / segments^2. This is 0.48 % of the radius r for 32
 * segments, 0.12 % for 64. Bits are the same on all machines.
 *
 * Each function returns KUGEL_OK, or KUGEL_ERROR_INVALID_ARGUMENT with the arrays unchanged: an
 * argument is NULL, not finite, or outside the range that the comment gives. */
#ifndef KUGEL_MESH_SHAPES_H
#define KUGEL_MESH_SHAPES_H

#include <stdint.h>

#include "status.h"

KUGEL_BEGIN_DECLS

/// @defgroup shapes Shapes of surfaces
/// Triangles of boxes, height fields, discs, cones, cylinders, capsules.
/// @{

/// Minimum number of segments of a round shape.
#define KUGEL_MESH_SEGMENTS_MIN 3
/// Maximum number of segments of a round shape.
#define KUGEL_MESH_SEGMENTS_MAX 1024

/// Number of vertices of a rectangle.
#define KUGEL_MESH_RECTANGLE_VERTICES 4
/// Number of triangles of a rectangle.
#define KUGEL_MESH_RECTANGLE_TRIANGLES 2
/// A parallelogram: corner, corner + a, corner + a + b, corner + b. Its front is the side to which
/// a x b points.
/// @param corner, a, b 3 values each, m.
/// @param vertices [3 * KUGEL_MESH_RECTANGLE_VERTICES]
/// @param triangles [3 * KUGEL_MESH_RECTANGLE_TRIANGLES]
KUGEL_API kugel_status kugel_mesh_rectangle(const double *corner, const double *a, const double *b,
                                            double *vertices, uint32_t *triangles);

/// Number of vertices of a box.
#define KUGEL_MESH_BOX_VERTICES 8
/// Number of triangles of a box.
#define KUGEL_MESH_BOX_TRIANGLES 12
/// A closed box around the origin. Its front is the outside.
/// @param half 3 half lengths, m, > 0.
/// @param vertices [3 * KUGEL_MESH_BOX_VERTICES]
/// @param triangles [3 * KUGEL_MESH_BOX_TRIANGLES]
KUGEL_API kugel_status kugel_mesh_box(const double *half, double *vertices, uint32_t *triangles);

/// Number of vertices of a height field.
#define KUGEL_MESH_HEIGHT_FIELD_VERTICES(nx, ny) ((nx) * (ny))
/// Number of triangles of a height field.
#define KUGEL_MESH_HEIGHT_FIELD_TRIANGLES(nx, ny) (2 * ((nx)-1) * ((ny)-1))
/// A height field: vertex i + nx j is at origin + (i dx, j dy, heights[i + nx j]). A cell has two
/// triangles, divided by the diagonal from its corner of the lowest i, j. The front is up, +z.
/// kugel_surface_def.rotation turns it: {-sqrt(0.5), 0, 0, sqrt(0.5)} makes +y up, with j along -z.
/// @param origin 3 values, m. @param dx, dy m, > 0.
/// @param nx, ny >= 2, nx ny at most 2^26.
/// @param heights [nx * ny], m
/// @param vertices [3 * KUGEL_MESH_HEIGHT_FIELD_VERTICES(nx, ny)]
/// @param triangles [3 * KUGEL_MESH_HEIGHT_FIELD_TRIANGLES(nx, ny)]
KUGEL_API kugel_status kugel_mesh_height_field(const double *origin, double dx, double dy,
                                               uint32_t nx, uint32_t ny, const double *heights,
                                               double *vertices, uint32_t *triangles);

/// Number of vertices of a disc.
#define KUGEL_MESH_DISC_VERTICES(segments) ((segments) + 1)
/// Number of triangles of a disc.
#define KUGEL_MESH_DISC_TRIANGLES(segments) (segments)
/// A disc. Its front is the side to which the normal points.
/// @param center 3 values, m. @param normal 3 values, any length > 0. @param radius m, > 0.
/// @param segments KUGEL_MESH_SEGMENTS_MIN ... KUGEL_MESH_SEGMENTS_MAX.
/// @param vertices [3 * KUGEL_MESH_DISC_VERTICES(segments)]
/// @param triangles [3 * KUGEL_MESH_DISC_TRIANGLES(segments)]
KUGEL_API kugel_status kugel_mesh_disc(const double *center, const double *normal, double radius,
                                       uint32_t segments, double *vertices, uint32_t *triangles);

/// The ends of a cone that a disc closes.
KUGEL_ENUM(kugel_mesh_caps){
    KUGEL_MESH_CAPS_NONE = 0, ///< both ends are open
    KUGEL_MESH_CAPS_FROM = 1, ///< the end at `from` is closed
    KUGEL_MESH_CAPS_TO = 2,   ///< the end at `to` is closed
    KUGEL_MESH_CAPS_BOTH = 3  ///< both ends are closed
};

/// Number of vertices of a cone.
#define KUGEL_MESH_CONE_VERTICES(segments) (2 * (segments) + 2)
/// Number of triangles of a cone.
#define KUGEL_MESH_CONE_TRIANGLES(segments) (4 * (segments))
/// A cone, a frustum of a cone or, with equal radii, a cylinder. Its front is the outside. A radius
/// of 0 makes a tip. Without caps the shape is a tube or a hopper for bodies inside: leave such a
/// surface two-sided.
/// @param from, to 3 values each, m, the centres of the ends; two different points.
/// @param radius_from, radius_to m, >= 0, at least one > 0.
/// @param segments KUGEL_MESH_SEGMENTS_MIN ... KUGEL_MESH_SEGMENTS_MAX.
/// @param vertices [3 * KUGEL_MESH_CONE_VERTICES(segments)], all written.
/// @param triangles [3 * KUGEL_MESH_CONE_TRIANGLES(segments)]
/// @param triangle_count may be NULL; receives the number of triangles written, which is lower
/// without a cap and for a tip.
KUGEL_API kugel_status kugel_mesh_cone(const double *from, const double *to, double radius_from,
                                       double radius_to, uint32_t segments, kugel_mesh_caps caps,
                                       double *vertices, uint32_t *triangles,
                                       uint32_t *triangle_count);

/// Number of vertices of a capsule.
#define KUGEL_MESH_CAPSULE_VERTICES(segments) ((segments) * (segments) / 2 + 2)
/// Number of triangles of a capsule.
#define KUGEL_MESH_CAPSULE_TRIANGLES(segments) ((segments) * (segments))
/// A capsule, or a sphere if from and to are the same point. Its front is the outside. It is flat
/// in two directions: the middle of a triangle lies inside the true capsule by up to twice the
/// depth that the top of this file gives.
/// @param from, to 3 values each, m, the ends of the axis. @param radius m, > 0.
/// @param segments a multiple of 4, at most KUGEL_MESH_SEGMENTS_MAX; a half sphere has segments / 4
/// rings.
/// @param vertices [3 * KUGEL_MESH_CAPSULE_VERTICES(segments)]
/// @param triangles [3 * KUGEL_MESH_CAPSULE_TRIANGLES(segments)]
KUGEL_API kugel_status kugel_mesh_capsule(const double *from, const double *to, double radius,
                                          uint32_t segments, double *vertices, uint32_t *triangles);

/// @}

KUGEL_END_DECLS
#endif
