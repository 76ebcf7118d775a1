/** @file
 * Geometric tests as pure functions: values in, values out, no world, no memory, no state.
 *
 * Lengths are in metres, times in seconds, velocities in m/s. Vectors are arrays of 3; rotations
 * are unit quaternions x, y, z, w. Conventions of every function:
 * - Boundaries are inclusive: a point on a surface is inside, a tangent ray hits.
 * - A ray is origin + t * direction for t in [0, t_max]. The direction may have any length; t_max
 *   may be INFINITY. A segment p -> q is the ray (p, q - p) with t_max 1. A ray hits if its end,
 *   the rounded origin + t_max * direction, is on a surface.
 * - A zero direction or velocity is valid. The test is then that of a point, with t = 0 or
 *   time = 0. So a point is in a solid if a ray from it with a zero direction hits.
 * - NaN or infinity in an argument other than t_max, and a result that overflows a double, give
 *   KUGEL_OK and "no hit". Results are always finite.
 * - KUGEL_ERROR_INVALID_ARGUMENT: a NULL pointer; a negative radius, half length, semi-axis, t_max
 *   or dt; a normal or rotation whose length is not 1 within 1e-5. The result is then cleared ("no
 *   hit"). A plane normal . x = offset has these points also if its normal is unit only within
 *   1e-5; heights are lengths.
 * - A zero radius (a point) and a zero semi-axis (flat) are valid. A semi-axis below 2^-32 of the
 *   longest counts as 2^-32 of it.
 * - In a result of "no hit" every field is zero unless its comment says that it is always set.
 *   After an error, and where an argument or a result is not finite, all fields are zero.
 *
 * Accuracy, which tests/geometry checks against long double, for a sphere of radius 1e-3 m at a
 * distance of 1e4 m: a ray that passes the edge at 1e-8 of the radius is still classified as hit or
 * miss correctly; t has a relative error of at most 1e-11. A point at t is on its surface within 20
 * units in the last place of the sum of distances and sizes, also where a ray starts on the surface
 * along the tangent. Rays accept any magnitudes. Functions for moving spheres, overlaps and nearest
 * points need lengths and velocities that are 0 or within 1e-75 ... 1e75.
 *
 * Sources: E. Haines et al., "Precision improvements for ray/sphere intersection", Ray Tracing Gems
 * (2019), chapter 7; T. Duff et al., "Building an orthonormal basis, revisited", JCGT 6(1), 2017;
 * D. Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid", 2013. */
#ifndef KUGEL_GEOMETRY_H
#define KUGEL_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>

#include "status.h"

KUGEL_BEGIN_DECLS

/// @defgroup geometry Geometry
/// Tests of spheres, planes, ellipsoids and rays without a world.
/// @{

/// Intersection of a ray with a solid.
typedef struct kugel_hit {
    bool hit;            ///< true: they meet
    bool started_inside; ///< true: the start is in the solid or on its surface; t_enter is 0
    double t_enter;      ///< entry, >= 0, in lengths of direction
    /// Exit, >= t_enter; above t_max if the ray ends inside; 0 for a zero direction.
    double t_exit;
    double point[3]; ///< m, at t_enter
    /// Outward unit normal at `point`. For a start inside it is the normal of the solid that is
    /// scaled about its centre until its surface contains the start.
    double normal[3];
    double exit_point[3];  ///< m, at t_exit
    double exit_normal[3]; ///< outward unit normal at exit_point
} kugel_hit;

/// Intersection of an infinite line with a sphere: both roots, with their signs.
typedef struct kugel_line_hit {
    bool hit;       ///< true: the line meets the sphere, on either side of the origin
    double t_enter; ///< smaller root, in lengths of direction; negative behind the origin
    double t_exit;  ///< larger root; equal to t_enter for a tangent
} kugel_line_hit;

/// Relation of a line to a plane.
KUGEL_ENUM(kugel_plane_relation){
    KUGEL_PLANE_CROSSING = 0, ///< the line meets the plane in one point
    KUGEL_PLANE_PARALLEL = 1, ///< the line does not meet the plane
    KUGEL_PLANE_INSIDE = 2    ///< the line lies in the plane
};

/// Intersection of a ray with a plane. relation and side are always set.
typedef struct kugel_plane_hit {
    bool hit;                      ///< true: they meet in one point, or the start is on the plane
    kugel_plane_relation relation; ///< of the whole line to the plane
    int side;         ///< of the start: +1 where normal . x > offset, 0 on the plane, -1 behind it
    double t;         ///< >= 0, in lengths of direction
    double point[3];  ///< m, on the plane, at t
    double normal[3]; ///< unit normal of the plane, on the side of the start
} kugel_plane_hit;

/// Distance of a sphere from a plane.
typedef struct kugel_plane_gap {
    bool hit;        ///< true: the plane touches or cuts the sphere
    double distance; ///< m, between plane and sphere; 0 for a hit; always set
    double height;   ///< m, of the centre over the plane; negative behind it; always set
    /// m, the sphere's point nearest to the plane, or deepest beyond a plane that cuts it; always
    /// set
    double point[3];
    double on_plane[3]; ///< m, the plane's point nearest to the centre; always set
} kugel_plane_gap;

/// The circle in which a plane cuts a sphere.
typedef struct kugel_circle {
    bool hit;         ///< true: the plane touches or cuts the sphere
    double center[3]; ///< m
    double radius;    ///< m; 0 if the plane touches the sphere
    double u[3];      ///< unit; center + radius (u cos a + v sin a) is on the circle
    double v[3];      ///< unit; u, v, normal are right-handed
    double point[3];  ///< m; center + radius u
} kugel_circle;

/// The first contact of a moving sphere with a target at rest or another sphere.
/// touching, approaching and gap describe the start and are always set.
typedef struct kugel_contact {
    bool hit;         ///< true: they touch within [0, dt]
    bool touching;    ///< true: they touch or overlap at the start; time is 0
    bool approaching; ///< true: the gap shrinks at the start; false for sliding and resting
    double time;      ///< s, of the contact, in [0, dt]
    double gap;       ///< m, between the surfaces at the start; negative when they overlap
    double point[3];  ///< m, on the target's surface, at that time
    /// Unit normal at `point`, from the target to the moving sphere. In a kugel_impact whose a is
    /// the moving sphere, the normal is the opposite.
    double normal[3];
} kugel_contact;

/// Gap or overlap of two solids a and b at rest.
typedef struct kugel_overlap {
    bool hit;          ///< true: they touch or overlap, that is, gap <= 0
    double gap;        ///< m, between the surfaces; negative: depth of the overlap; always set
    double normal[3];  ///< unit, from a to b; (1, 0, 0) for equal centres; always set
    double point_a[3]; ///< m, a's surface point nearest to b or deepest in b; always set
    double point_b[3]; ///< m, b's surface point nearest to a or deepest in a; always set
    double point[3];   ///< m, halfway between point_a and point_b: the contact point; always set
} kugel_overlap;

/* spheres */

/// Ray against sphere. The discriminant comes from the distance between the centre and the line, so
/// it keeps its digits for small spheres far away. A start in the centre has the normal (1, 0, 0).
KUGEL_API kugel_status kugel_ray_sphere(const double origin[3], const double direction[3],
                                        double t_max, const double center[3], double radius,
                                        kugel_hit *hit);

/// Whole line against sphere: both roots in ascending order, which may be negative. For a zero
/// direction both roots are 0 if the origin is inside; else there is no hit.
KUGEL_API kugel_status kugel_line_sphere(const double origin[3], const double direction[3],
                                         const double center[3], double radius,
                                         kugel_line_hit *hit);

/* planes: the points with normal . x = offset */

/// Ray against plane. The start counts as on the plane if its height is within the rounding of the
/// terms of the height. The ray counts as parallel if its slope is within the rounding of the terms
/// of the slope, unless its end is on the plane or beyond it.
KUGEL_API kugel_status kugel_ray_plane(const double origin[3], const double direction[3],
                                       double t_max, const double normal[3], double offset,
                                       kugel_plane_hit *hit);

/// Distance between plane and sphere: 0 if the plane touches or cuts the sphere, else
/// |normal . center - offset| / |normal| - radius.
KUGEL_API kugel_status kugel_plane_sphere(const double normal[3], double offset,
                                          const double center[3], double radius,
                                          kugel_plane_gap *gap);

/// Circle in which a plane cuts a sphere.
KUGEL_API kugel_status kugel_plane_sphere_circle(const double normal[3], double offset,
                                                 const double center[3], double radius,
                                                 kugel_circle *circle);

/* ellipsoids: semi_axes in m. rotation turns a vector of the ellipsoid's frame, whose axes are the
 * semi-axes, into the world; NULL: semi-axes along x, y, z. Three equal semi-axes give the results
 * of the functions for spheres. */

/// Ray against ellipsoid. The normal is the gradient (x / a^2, y / b^2, z / c^2), normalised; x, y,
/// z: from the centre, in the ellipsoid's frame; a, b, c: semi-axes.
KUGEL_API kugel_status kugel_ray_ellipsoid(const double origin[3], const double direction[3],
                                           double t_max, const double center[3],
                                           const double semi_axes[3], const double rotation[4],
                                           kugel_hit *hit);

/// Nearest point of an ellipsoid's surface. If several are nearest, the choice is always the same.
/// @param nearest hit: true if the given point is inside or on the surface. gap: distance of the
/// given point, negative inside. point_a: the given point. point_b and point: the nearest point.
/// normal: the outward normal at the nearest point.
KUGEL_API kugel_status kugel_ellipsoid_nearest(const double point[3], const double center[3],
                                               const double semi_axes[3], const double rotation[4],
                                               kugel_overlap *nearest);

/* moving spheres: straight motion center + velocity * t for t in [0, dt] */

/// Two moving spheres: a is the moving sphere of the result, b the target, which may rest. Spheres
/// that separate or keep their distance hit only if they touch at the start. A graze within
/// rounding may be a miss. For equal centres the normal is (-1, 0, 0). The bits are those of the
/// step of a world for bodies with equal accelerations.
KUGEL_API kugel_status kugel_sweep_spheres(const double center_a[3], const double velocity_a[3],
                                           double radius_a, const double center_b[3],
                                           const double velocity_b[3], double radius_b, double dt,
                                           kugel_contact *contact);

/// Moving sphere against the solid half space normal . x <= offset, like the planes of a world. A
/// sphere whose centre is behind the plane touches at the start, with gap < -radius.
KUGEL_API kugel_status kugel_sweep_sphere_plane(const double center[3], const double velocity[3],
                                                double radius, const double normal[3],
                                                double offset, double dt, kugel_contact *contact);

/// Moving sphere inside a box. The hit is the first face that the sphere meets while it approaches
/// that face; of several at one time, the face of the lowest index. If the sphere meets none, the
/// hit is the face that it overlaps most at the start. touching, approaching and gap are those of
/// the hit face; without a hit, those of the nearest face.
/// @param face may be NULL; receives 0 ... 5 (x-min, x-max, y-min, y-max, z-min, z-max), or -1 for
/// a miss.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT when max < min on an axis.
KUGEL_API kugel_status kugel_sweep_sphere_box(const double center[3], const double velocity[3],
                                              double radius, const double min[3],
                                              const double max[3], double dt,
                                              kugel_contact *contact, int *face);

/// Moving sphere against an ellipsoid at rest. The contact is the first root of the distance to the
/// ellipsoid minus the radius; along the motion this distance is convex. The error of time is about
/// 1e-14 of the scale of the motion.
KUGEL_API kugel_status kugel_sweep_sphere_ellipsoid(
    const double center[3], const double velocity[3], double radius, const double other_center[3],
    const double semi_axes[3], const double rotation[4], double dt, kugel_contact *contact);

/* The shapes below are solids at rest. A contact is the first root of the distance minus the
 * radius; along the motion the distance is convex. A sphere that does not come nearer hits only if
 * it touches at the start. A gap of at most 1e-15 of the sizes of sphere and shape plus 5e-16 of
 * the distance at the start counts as contact. So a sphere of radius 0 also meets flat and thin
 * shapes; the normal is then that at the last tested point before the contact. */

/// Moving sphere against a capsule: all points within other_radius, >= 0, of the segment p -> q. A
/// centre on the segment at the start has the normal (1, 0, 0). For p = q the bits are those of
/// kugel_sweep_spheres with a zero velocity_b.
KUGEL_API kugel_status kugel_sweep_sphere_capsule(const double center[3], const double velocity[3],
                                                  double radius, const double p[3],
                                                  const double q[3], double other_radius, double dt,
                                                  kugel_contact *contact);

/// Moving sphere against the triangle a, b, c, from both sides. A triangle without an area is a
/// segment or a point. A centre in the triangle at the start has the normal of the front, from
/// which a, b, c are counterclockwise.
KUGEL_API kugel_status kugel_sweep_sphere_triangle(const double center[3], const double velocity[3],
                                                   double radius, const double a[3],
                                                   const double b[3], const double c[3], double dt,
                                                   kugel_contact *contact);

/// Moving sphere against a flat round disc, from both sides. normal is the direction of the disc's
/// axis. A centre in the disc at the start has this normal.
KUGEL_API kugel_status kugel_sweep_sphere_disc(const double center[3], const double velocity[3],
                                               double radius, const double other_center[3],
                                               const double normal[3], double other_radius,
                                               double dt, kugel_contact *contact);

/// Moving sphere against a solid box, from outside; for the inside of a box see
/// kugel_sweep_sphere_box. A centre in the box has the gap to the nearest face.
/// @param half 3 half lengths, m, along the axes of the box. @param rotation turns the world's axes
/// into those of the box; NULL: the world's axes.
KUGEL_API kugel_status kugel_sweep_sphere_oriented_box(
    const double center[3], const double velocity[3], double radius, const double other_center[3],
    const double half[3], const double rotation[4], double dt, kugel_contact *contact);

/* two spheres */

/// Gap, normal and nearest points of two spheres, both solid.
KUGEL_API kugel_status kugel_overlap_spheres(const double center_a[3], double radius_a,
                                             const double center_b[3], double radius_b,
                                             kugel_overlap *overlap);

/// A sphere and an axis-aligned box, both solid. If a centre in the box is equally near to several
/// faces, the first of x-min, x-max, y-min, y-max, z-min, z-max counts.
/// @param overlap gap: distance of the centre from the box minus the radius; the distance of a
/// centre in the box is minus its depth below the nearest face. normal: from the box to the centre.
/// point_a: the sphere's point nearest to the box or deepest in it. point_b: the point of the box's
/// surface nearest to the centre.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT when max < min on an axis.
KUGEL_API kugel_status kugel_overlap_sphere_box(const double center[3], double radius,
                                                const double min[3], const double max[3],
                                                kugel_overlap *overlap);

/// @}

KUGEL_END_DECLS
#endif
