/** @file
 * Geometric tests as pure functions: values in, values out, no world, no memory, no state.
 *
 * Lengths in metres, times in seconds, velocities in m/s. Vectors are arrays of 3, rotations unit
 * quaternions x, y, z, w. Conventions of every function:
 * - Boundaries are inclusive: a point on a surface is inside, a tangent ray hits.
 * - A ray is origin + t * direction for t >= 0, where direction may have any length. A segment p ->
 * q is the ray (p, q - p) with t in [0, 1].
 * - A zero direction or velocity and a segment of one point are valid: the test is that of a point,
 *   with t = 0 or time = 0.
 * - NaN or infinity in an argument, and a result that overflows a double, give KUGEL_OK and "no
 * hit". Results are always finite.
 * - KUGEL_ERROR_INVALID_ARGUMENT: a NULL pointer, a negative radius, half length, semi-axis or dt,
 * a normal or rotation whose length is not 1 within 1e-6. The result is then cleared ("no hit").
 * - A zero radius (a point) and a zero semi-axis (flat) are valid. A semi-axis below 2^-32 of the
 *   longest counts as 2^-32 of it.
 * - In a result of "no hit" every field is zero unless its comment says that it is always set.
 *
 * Accuracy, as tests/geometry checks it against long double: for a sphere of radius 1e-3 at 1e4 m
 * hits and misses are right down to 1e-8 of the radius from the edge, t within 1e-11 relative. Rays
 * accept any magnitudes. The motion, overlap and nearest-point functions need lengths and
 * velocities that are 0 or within 1e-75 ... 1e75.
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

/// Intersection of a ray or segment with a solid.
typedef struct kugel_hit {
    bool hit;            ///< they meet
    bool started_inside; ///< the start is in the solid or on its surface; then t_enter is 0
    double t_enter;      ///< >= 0, in lengths of direction
    double t_exit;       ///< >= t_enter; above 1 when a segment ends inside; 0 for a zero direction
    double point[3];     ///< m, at t_enter
    /// Outward unit normal at `point`. For a start inside: of the scaled solid through the start.
    double normal[3];
    double exit_point[3];  ///< m, at t_exit
    double exit_normal[3]; ///< outward unit normal there
} kugel_hit;

/// Intersection of an infinite line with a sphere: both roots, with their signs.
typedef struct kugel_line_hit {
    bool hit;       ///< the line meets the sphere, on either side of the origin
    double t_enter; ///< smaller root, in lengths of direction; negative behind the origin
    double t_exit;  ///< larger root; equal to t_enter for a tangent
} kugel_line_hit;

/// Relation of a line to a plane.
typedef enum kugel_plane_relation {
    KUGEL_PLANE_CROSSING = 0, ///< the line meets the plane in one point
    KUGEL_PLANE_PARALLEL = 1, ///< the line does not meet the plane
    KUGEL_PLANE_INSIDE = 2    ///< the line lies in the plane
} kugel_plane_relation;

/// Intersection of a ray or segment with a plane. relation and side are always set.
typedef struct kugel_plane_hit {
    bool hit;                      ///< they meet in one point, or the start is on the plane
    kugel_plane_relation relation; ///< of the whole line
    int side;         ///< of the start: +1 where normal . x > offset, 0 on the plane, -1 behind it
    double t;         ///< >= 0, in lengths of direction
    double point[3];  ///< m
    double normal[3]; ///< unit normal of the plane on the side of the start
} kugel_plane_hit;

/// Distance of a sphere and a plane.
typedef struct kugel_plane_gap {
    bool hit;        ///< they touch or cut
    double distance; ///< m, between the surfaces; 0 when they touch or cut
    double height;   ///< m, of the centre over the plane, negative behind it; always set
    double
        point[3]; ///< m, the sphere's point nearest to the plane, or deepest beyond it; always set
    double on_plane[3]; ///< m, the plane's point nearest to the centre; always set
} kugel_plane_gap;

/// The circle in which a plane cuts a sphere.
typedef struct kugel_circle {
    bool hit;         ///< they touch or cut
    double center[3]; ///< m
    double radius;    ///< m; 0 when the plane touches
    double u[3];      ///< unit; center + radius (u cos a + v sin a) is on the circle
    double v[3];      ///< unit; u, v, normal are right-handed
    double point[3];  ///< m; center + radius u
} kugel_circle;

/// The first contact of a moving sphere with a target at rest or another sphere.
/// touching, approaching and gap describe the start and are always set.
typedef struct kugel_contact {
    bool hit;      ///< they touch within [0, dt]; time is 0 when they touch or overlap at the start
    bool touching; ///< they touch or overlap at the start
    bool approaching; ///< the gap shrinks at the start; false for sliding and resting
    double time;      ///< s, in [0, dt]
    double gap;       ///< m, between the surfaces at the start; negative when they overlap
    double point[3];  ///< m, on the target's surface at that time
    /// Unit normal at `point`, from the target to the moving sphere. kugel_impact's normal is the
    /// opposite, with the moving sphere as a.
    double normal[3];
} kugel_contact;

/// Gap or overlap of two solids a and b at rest.
typedef struct kugel_overlap {
    bool hit;          ///< they touch or overlap; exactly gap <= 0
    double gap;        ///< m, between the surfaces; negative: depth of the overlap; always set
    double normal[3];  ///< unit, from a to b; (1, 0, 0) for equal centres; always set
    double point_a[3]; ///< m, a's surface point nearest to b (deepest in b); always set
    double point_b[3]; ///< m, b's surface point nearest to a; always set
    double point[3];   ///< m, halfway between the two: the contact point; always set
} kugel_overlap;

/* spheres */

/// inside: the point is in the sphere or on it.
KUGEL_API kugel_status kugel_point_sphere(const double point[3], const double center[3],
                                          double radius, bool *inside);

/// Ray against sphere, closest-approach form: the discriminant comes from the distance between the
/// centre and the line. A start in the centre reports the normal (1, 0, 0).
KUGEL_API kugel_status kugel_ray_sphere(const double origin[3], const double direction[3],
                                        const double center[3], double radius, kugel_hit *hit);

/// Segment p -> q against sphere.
KUGEL_API kugel_status kugel_segment_sphere(const double p[3], const double q[3],
                                            const double center[3], double radius, kugel_hit *hit);

/// Whole line against sphere, quadratic form: both roots in ascending order, negative ones
/// included. For a zero direction: both are 0 when the origin is inside.
KUGEL_API kugel_status kugel_line_sphere(const double origin[3], const double direction[3],
                                         const double center[3], double radius,
                                         kugel_line_hit *hit);

/// Ray against sphere by the plane through the centre that faces the ray: the ray meets that plane
/// at distance d from the centre; entry and exit are the half-chord sqrt(r^2 - d^2) before and
/// behind it. Agrees with kugel_ray_sphere up to rounding; t is a difference here, so its error is
/// absolute (about 1e-16 of the distance to the centre).
KUGEL_API kugel_status kugel_ray_sphere_facing(const double origin[3], const double direction[3],
                                               const double center[3], double radius,
                                               kugel_hit *hit);

/* planes: the points with normal . x = offset */

/// Ray against plane. Heights and slopes within the rounding of their terms count as 0: "on the
/// plane", "parallel".
KUGEL_API kugel_status kugel_ray_plane(const double origin[3], const double direction[3],
                                       const double normal[3], double offset, kugel_plane_hit *hit);

/// Segment p -> q against plane.
KUGEL_API kugel_status kugel_segment_plane(const double p[3], const double q[3],
                                           const double normal[3], double offset,
                                           kugel_plane_hit *hit);

/// Distance between plane and sphere: 0 when they cut, else |normal . center - offset| - radius.
KUGEL_API kugel_status kugel_plane_sphere(const double normal[3], double offset,
                                          const double center[3], double radius,
                                          kugel_plane_gap *gap);

/// Circle in which a plane cuts a sphere.
KUGEL_API kugel_status kugel_plane_sphere_circle(const double normal[3], double offset,
                                                 const double center[3], double radius,
                                                 kugel_circle *circle);

/* ellipsoids: semi_axes in m; rotation turns the ellipsoid's axes into the world's, NULL means axes
 * along x, y, z. Three equal semi-axes give the results of the sphere's functions. */

/// inside: the point is in the ellipsoid or on it.
KUGEL_API kugel_status kugel_point_ellipsoid(const double point[3], const double center[3],
                                             const double semi_axes[3], const double rotation[4],
                                             bool *inside);

/// Ray against ellipsoid. The normal is the normalised gradient (x / a^2, y / b^2, z / c^2).
KUGEL_API kugel_status kugel_ray_ellipsoid(const double origin[3], const double direction[3],
                                           const double center[3], const double semi_axes[3],
                                           const double rotation[4], kugel_hit *hit);

/// Segment p -> q against ellipsoid.
KUGEL_API kugel_status kugel_segment_ellipsoid(const double p[3], const double q[3],
                                               const double center[3], const double semi_axes[3],
                                               const double rotation[4], kugel_hit *hit);

/// Nearest point of an ellipsoid's surface. hit: the point is inside or on it; gap is the distance,
/// negative inside; point_a is the given point, point_b and point the surface's; normal is the
/// surface's outward normal there. Of several nearest points
/// it is one, always the same.
KUGEL_API kugel_status kugel_ellipsoid_nearest(const double point[3], const double center[3],
                                               const double semi_axes[3], const double rotation[4],
                                               kugel_overlap *nearest);

/* batches of rays: entries only, several at a time, with the bits of the single form */

/// One ray against many spheres: t_enter[i] is that of kugel_ray_sphere for sphere i, bit for bit,
/// or -1 for a miss, and -1 everywhere when an argument is invalid.
/// Shapes: centers[3 * count], radii[count], t_enter[count]; t_enter must not overlap the others.
KUGEL_API kugel_status kugel_ray_spheres(const double origin[3], const double direction[3],
                                         size_t count, const double *centers, const double *radii,
                                         double *t_enter);

/// Many rays against one sphere, in the same way. Shapes: origins[3 * count], directions[3 *
/// count].
KUGEL_API kugel_status kugel_rays_sphere(size_t count, const double *origins,
                                         const double *directions, const double center[3],
                                         double radius, double *t_enter);

/// Many rays against one ellipsoid: t_enter[i] is that of kugel_ray_ellipsoid. rotation may be
/// NULL.
KUGEL_API kugel_status kugel_rays_ellipsoid(size_t count, const double *origins,
                                            const double *directions, const double center[3],
                                            const double semi_axes[3], const double rotation[4],
                                            double *t_enter);

/* moving spheres: straight motion center + velocity * t for t in [0, dt] */

/// Moving sphere against a sphere at rest: the earliest contact. Same bits as kugel_sweep_spheres
/// with velocity_b zero, and as the step of a world for bodies with equal accelerations.
KUGEL_API kugel_status kugel_sweep_sphere_sphere(const double center[3], const double velocity[3],
                                                 double radius, const double other_center[3],
                                                 double other_radius, double dt,
                                                 kugel_contact *contact);

/// Two moving spheres; a is the moving sphere of the result, b its target. Spheres that separate or
/// keep their distance hit only when they touch at the start. Equal centres: the normal is (-1, 0,
/// 0).
KUGEL_API kugel_status kugel_sweep_spheres(const double center_a[3], const double velocity_a[3],
                                           double radius_a, const double center_b[3],
                                           const double velocity_b[3], double radius_b, double dt,
                                           kugel_contact *contact);

/// Moving sphere against the solid half space normal . x <= offset, as the planes of a world are. A
/// centre behind the plane touches at the start, with gap < -radius.
KUGEL_API kugel_status kugel_sweep_sphere_plane(const double center[3], const double velocity[3],
                                                double radius, const double normal[3],
                                                double offset, double dt, kugel_contact *contact);

/// Moving sphere inside a box: the first face that it meets while approaching it, the lowest index
/// at equal times; when there is none, the face that it overlaps most at the start. touching,
/// approaching and gap are that face's; without a hit, those of the nearest face.
/// @param face may be NULL; receives 0 ... 5 (x-min, x-max, y-min, y-max, z-min, z-max), or -1 for
/// a miss.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT when max < min on an axis.
KUGEL_API kugel_status kugel_sweep_sphere_box(const double center[3], const double velocity[3],
                                              double radius, const double min[3],
                                              const double max[3], double dt,
                                              kugel_contact *contact, int *face);

/// Moving sphere against an ellipsoid at rest: the first root of the true distance to the ellipsoid
/// (which is convex along the motion) minus radius. time within about 1e-14 of the motion's scale.
KUGEL_API kugel_status kugel_sweep_sphere_ellipsoid(
    const double center[3], const double velocity[3], double radius, const double other_center[3],
    const double semi_axes[3], const double rotation[4], double dt, kugel_contact *contact);

/* The shapes below are solids at rest. A contact is the first root of the distance, which is convex
 * along the motion. A sphere that does not come nearer hits only if it touches at the start. A gap
 * within 1e-15 of the sizes of sphere and shape, plus 5e-16 of the distance at the start, counts as
 * contact and as touching. So a sphere of radius 0 also meets flat and thin shapes; its normal is
 * that of the last point before the contact. */

/// Moving sphere against the segment p -> q. A centre on the segment at the start has the normal
/// (1, 0, 0).
KUGEL_API kugel_status kugel_sweep_sphere_segment(const double center[3], const double velocity[3],
                                                  double radius, const double p[3],
                                                  const double q[3], double dt,
                                                  kugel_contact *contact);

/// Moving sphere against the capsule of all points within other_radius of the segment p -> q. With
/// p = q it has the bits of kugel_sweep_sphere_sphere.
KUGEL_API kugel_status kugel_sweep_sphere_capsule(const double center[3], const double velocity[3],
                                                  double radius, const double p[3],
                                                  const double q[3], double other_radius, double dt,
                                                  kugel_contact *contact);

/// Moving sphere against the triangle a, b, c, from both sides. A triangle without an area is a
/// segment or a point. A centre in the triangle at the start has the normal of its front: a, b, c
/// turn left there.
KUGEL_API kugel_status kugel_sweep_sphere_triangle(const double center[3], const double velocity[3],
                                                   double radius, const double a[3],
                                                   const double b[3], const double c[3], double dt,
                                                   kugel_contact *contact);

/// Moving sphere against a flat round disc, from both sides. normal is the disc's axis; a centre in
/// the disc at the start has this normal.
KUGEL_API kugel_status kugel_sweep_sphere_disc(const double center[3], const double velocity[3],
                                               double radius, const double other_center[3],
                                               const double normal[3], double other_radius,
                                               double dt, kugel_contact *contact);

/// Moving sphere against a solid box, from outside: half are its half lengths along the axes that
/// rotation turns from the world's; NULL leaves them. Inside, gap counts to the nearest face.
/// kugel_sweep_sphere_box is for the inside of a box.
KUGEL_API kugel_status kugel_sweep_sphere_oriented_box(
    const double center[3], const double velocity[3], double radius, const double other_center[3],
    const double half[3], const double rotation[4], double dt, kugel_contact *contact);

/* two spheres */

/// Gap, normal and nearest points of two spheres.
KUGEL_API kugel_status kugel_overlap_spheres(const double center_a[3], double radius_a,
                                             const double center_b[3], double radius_b,
                                             kugel_overlap *overlap);

/// A sphere and an axis-aligned box, both solid. hit: they touch or overlap; gap is the distance of
/// the surfaces: distance from the box less the radius; a centre inside the box counts its depth
/// below the nearest face. normal: from the box to the centre; point_a: on the sphere, deepest in
/// the box; point_b: on the box. Several nearest faces: the lowest of x-min, x-max, y-min, y-max,
/// z-min, z-max.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT when max < min on an axis.
KUGEL_API kugel_status kugel_overlap_sphere_box(const double center[3], double radius,
                                                const double min[3], const double max[3],
                                                kugel_overlap *overlap);

/// @}

KUGEL_END_DECLS
#endif
