/** @file
 * Queries of a world between two steps: the targets that a ray, a moving sphere or a volume meets.
 * Targets are bodies, walls, planes, surfaces and registered ellipsoids; kugel_filter selects them.
 *
 * Conventions of every query:
 * - A result for a body has the bits of the pure function of kugel/geometry.h that its comment
 *   names, as if called for every body. That header's conventions apply.
 * - Walls (closed faces of the bounds) and planes are solid half spaces without an end. A ray meets
 *   them from the free side only; a sphere or volume that reaches behind them touches them.
 * - A surface is a sheet without an inside. It counts once, with its nearest or first triangle.
 *   Rays and moving spheres pass a one-sided surface from behind.
 * - Results reflect every change of the world at once. The first query after a step builds an index
 *   over all bodies; kugel_world_prepare_queries builds it earlier.
 * - The world is const: any number of threads may query it while no thread changes it. Queries do
 *   not set kugel_world_last_error. The first query after a change may allocate, under a lock.
 * - A world with periodic faces repeats: a ray continues along its straight line, and a body is in
 *   every image, at position + image * length along each axis. Other targets do not repeat.
 *   KUGEL_ERROR_LIMIT: the query would pass, cover or reach more than a million boxes.
 * - Lists have the total order that their comment gives. The first `capacity` results go to the
 *   caller's array; `count` receives the number of all results.
 * - KUGEL_ERROR_INVALID_ARGUMENT: NULL where not allowed, a number that is not finite or beyond
 *   +-1e15, a negative radius or t_max. KUGEL_ERROR_OUT_OF_MEMORY: no memory for the index. On an
 *   error the results are cleared. */
#ifndef KUGEL_QUERY_H
#define KUGEL_QUERY_H

#include "events.h"
#include "geometry.h"
#include "world.h"

KUGEL_BEGIN_DECLS

/// @defgroup queries Queries
/// Rays, moving spheres, overlaps and nearest bodies in a world.
/// @{

/// Kinds of targets, a bit for each kugel_target.
typedef enum kugel_targets {
    KUGEL_TARGETS_BODIES = 1,      ///< spheres of the world
    KUGEL_TARGETS_FACES = 2,       ///< walls: closed faces of the bounds
    KUGEL_TARGETS_PLANES = 4,      ///< planes
    KUGEL_TARGETS_SURFACES = 8,    ///< surfaces: meshes and solid shapes
    KUGEL_TARGETS_ELLIPSOIDS = 16, ///< registered ellipsoids
    KUGEL_TARGETS_ALL = 31         ///< all of them
} kugel_targets;

/// The targets that a query reports. Initialise it with kugel_filter_default(); NULL means that
/// default.
typedef struct kugel_filter {
    /// A body or surface passes if (category & its mask) && (its category & mask). Default: all
    /// bits. Walls, planes and ellipsoids have neither and pass.
    uint32_t category;
    uint32_t mask;    ///< see category; default: all bits
    uint32_t group;   ///< bodies and surfaces of this group do not pass; 0, the default: all pass
    uint32_t targets; ///< bits of kugel_targets; default KUGEL_TARGETS_ALL
    bool sensors;     ///< sensors pass as well; default false
    /// Last test of a body that passes: false excludes it. NULL accepts all. May be called more
    /// than once for a body, in any order, on the thread of the query; must not change the world.
    bool (*accept)(void *user, kugel_body body);
    void *user; ///< argument of accept
} kugel_filter;

/// A filter that all targets pass except sensors.
KUGEL_API kugel_filter kugel_filter_default(void);

/// A ray from origin along direction up to t_max lengths of direction. A segment p -> q is
/// {p, q - p, 1}. t_max is >= 0 and may exceed 1e15; infinity is valid for rays in worlds without
/// periodic faces.
typedef struct kugel_ray {
    double origin[3];    ///< m
    double direction[3]; ///< any length; zero makes the ray a point
    double t_max;        ///< length of the ray, in lengths of direction
} kugel_ray;

/// A target on a ray. For a body or an ellipsoid `hit` is the result of kugel_ray_sphere, with the
/// centre in that image, or of kugel_ray_ellipsoid. Other targets have no exit: t_exit and the exit
/// point and normal are those of the entry.
typedef struct kugel_ray_hit {
    kugel_body body;     ///< null for other targets, and for no hit
    int32_t image[3];    ///< the periodic image of the body; else 0
    kugel_target target; ///< its kind
    uint32_t index;      ///< see kugel_target
    uint32_t triangle;   ///< of a surface; else 0
    /// hit.hit is false for no hit; else t_enter <= t_max. The normal of a wall or plane is on its
    /// free side, that of a surface on the side of the ray's start.
    kugel_hit hit;
} kugel_ray_hit;

/// A target on the path of a moving sphere: the result of kugel_sweep_sphere_sphere, of
/// kugel_sweep_sphere_plane for walls and planes, or of kugel_sweep_sphere_ellipsoid. A surface is
/// met when the sphere touches it and approaches: sliding along it is no hit.
typedef struct kugel_cast_hit {
    kugel_body body;       ///< null for other targets, and for no hit
    int32_t image[3];      ///< the periodic image of the body; else 0
    kugel_target target;   ///< its kind
    uint32_t index;        ///< see kugel_target
    uint32_t triangle;     ///< of a surface: one at the contact point; else 0
    kugel_contact contact; ///< hit is false for no hit; time is in lengths of direction
} kugel_cast_hit;

/// A target near a point or plane, or in a volume.
typedef struct kugel_found {
    kugel_body body;     ///< null for other targets
    int32_t image[3];    ///< the periodic image of the body; else 0
    kugel_target target; ///< its kind
    uint32_t index;      ///< see kugel_target
    uint32_t triangle;   ///< of a surface; else 0
    /// m, between point, plane or volume and the target; negative: depth of the overlap. A surface
    /// or ellipsoid that meets a box or an ellipsoid has 0.
    double gap;
    double point[3];  ///< m, on the target: nearest to the point or plane, or deepest in the volume
    double normal[3]; ///< unit, outward there; of a surface: on the side of the point or volume
} kugel_found;

/// Builds the index that the first query would build. @return KUGEL_OK or
/// KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_prepare_queries(const kugel_world *world);

/* rays */

/// The first target on the ray: the least (t_enter, target, index, image). hit->hit.hit is false
/// when there is none.
KUGEL_API kugel_status kugel_world_ray_closest(const kugel_world *world, const kugel_ray *ray,
                                               const kugel_filter *filter, kugel_ray_hit *hit);

/// hit: any target is on the ray. Stops at the first one found.
KUGEL_API kugel_status kugel_world_ray_any(const kugel_world *world, const kugel_ray *ray,
                                           const kugel_filter *filter, bool *hit);

/// All targets on the ray by (t_enter, target, index, image).
KUGEL_API kugel_status kugel_world_ray_all(const kugel_world *world, const kugel_ray *ray,
                                           const kugel_filter *filter, size_t capacity,
                                           kugel_ray_hit *hits, size_t *count);

/// kugel_world_ray_closest for many rays: hits[i] belongs to rays[i]. One invalid ray is an error
/// for the whole batch. The world's threads share the rays unless the filter has an accept
/// callback.
KUGEL_API kugel_status kugel_world_rays_closest(const kugel_world *world, size_t count,
                                                const kugel_ray *rays, const kugel_filter *filter,
                                                kugel_ray_hit *hits);

/* moving spheres: centre ray->origin, velocity ray->direction, time up to ray->t_max (finite) */

/// The first target on the path: the least (time, target, index, image).
KUGEL_API kugel_status kugel_world_cast_closest(const kugel_world *world, const kugel_ray *ray,
                                                double radius, const kugel_filter *filter,
                                                kugel_cast_hit *hit);

/// hit: any target is on the path. Stops at the first one found.
KUGEL_API kugel_status kugel_world_cast_any(const kugel_world *world, const kugel_ray *ray,
                                            double radius, const kugel_filter *filter, bool *hit);

/// All targets on the whole path by (time, target, index, image).
KUGEL_API kugel_status kugel_world_cast_all(const kugel_world *world, const kugel_ray *ray,
                                            double radius, const kugel_filter *filter,
                                            size_t capacity, kugel_cast_hit *hits, size_t *count);

/* volumes: all targets that touch or overlap, by (target, index, image) */

/// hit and gap of kugel_overlap_spheres(center, radius, body). Walls, planes: height of the centre
/// less radius. Ellipsoids: gap of kugel_ellipsoid_nearest less radius. Surfaces: distance of the
/// nearest triangle less radius.
KUGEL_API kugel_status kugel_world_overlap_sphere(const kugel_world *world, const double center[3],
                                                  double radius, const kugel_filter *filter,
                                                  size_t capacity, kugel_found *found,
                                                  size_t *count);

/// hit and gap of kugel_overlap_sphere_box(body, min, max). Walls, planes: height of the deepest
/// corner.
KUGEL_API kugel_status kugel_world_overlap_box(const kugel_world *world, const double min[3],
                                               const double max[3], const kugel_filter *filter,
                                               size_t capacity, kugel_found *found, size_t *count);

/// gap is that of kugel_ellipsoid_nearest(body's centre, ellipsoid) less the body's radius; gap <=
/// 0 is an overlap. Walls, planes: height of the deepest point. rotation may be NULL.
KUGEL_API kugel_status kugel_world_overlap_ellipsoid(const kugel_world *world,
                                                     const double center[3],
                                                     const double semi_axes[3],
                                                     const double rotation[4],
                                                     const kugel_filter *filter, size_t capacity,
                                                     kugel_found *found, size_t *count);

/// Targets that contain the point: kugel_point_sphere for bodies; gap as in
/// kugel_world_overlap_sphere with radius 0.
KUGEL_API kugel_status kugel_world_point(const kugel_world *world, const double point[3],
                                         const kugel_filter *filter, size_t capacity,
                                         kugel_found *found, size_t *count);

/// The targets nearest to a point by (gap, target, index): at most `capacity` with gap <= most,
/// which may be infinity. gap is that of kugel_world_overlap_sphere with radius 0. Each body counts
/// once, in the image whose centre is nearest along every periodic axis (the lower one of two).
/// @param count receives the number written.
KUGEL_API kugel_status kugel_world_nearest(const kugel_world *world, const double point[3],
                                           double most, const kugel_filter *filter, size_t capacity,
                                           kugel_found *found, size_t *count);

/* planes and ellipsoids */

/// Bodies wholly in front of a plane (side +1: normal . x > offset), behind it (-1), or touched or
/// cut by it (0), by id, where they are (image 0): kugel_plane_sphere. gap is its distance. Only
/// bodies count.
KUGEL_API kugel_status kugel_world_plane_side(const kugel_world *world, const double normal[3],
                                              double offset, int side, const kugel_filter *filter,
                                              size_t capacity, kugel_found *found, size_t *count);

/// An ellipsoid for queries only: bodies pass through it. It is not part of the canonical state, so
/// hashes, snapshots and recordings leave it out.
typedef struct kugel_ellipsoid {
    double center[3];    ///< m
    double semi_axes[3]; ///< m, >= 0, the longest > 0
    double rotation[4];  ///< unit quaternion x, y, z, w
} kugel_ellipsoid;

/// Registers a copy of an ellipsoid. @param index may be NULL; receives 0, 1, 2 ...
KUGEL_API kugel_status kugel_world_add_ellipsoid(kugel_world *world,
                                                 const kugel_ellipsoid *ellipsoid, uint32_t *index);

/// Replaces the ellipsoid with this index.
KUGEL_API kugel_status kugel_world_set_ellipsoid(kugel_world *world, uint32_t index,
                                                 const kugel_ellipsoid *ellipsoid);

/// The number of registered ellipsoids.
KUGEL_API uint32_t kugel_world_ellipsoid_count(const kugel_world *world);

/// @}

KUGEL_END_DECLS
#endif
