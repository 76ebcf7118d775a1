/** @file
 * Questions to a world between two steps: what does a ray, a moving sphere, a volume or a plane
 * meet.
 *
 * What holds for every query:
 * - An answer is that of the pure function of kugel/geometry.h named at it, asked for every body,
 * bit for bit; the conventions of that header hold (inclusive surfaces, rays in lengths of their
 * direction).
 * - Answers are right at once after any change of the world. The first query after a step looks at
 *   every body once (some 40 ns a body); kugel_world_prepare_queries does that work earlier.
 * - The world is const: any number of threads may ask at once while nobody changes it. So queries
 * leave kugel_world_last_error alone. The first query after a change may allocate, one thread at a
 * time.
 * - Across periodic faces the world repeats: a ray goes on along its straight line, and a body
 * stands in every image, at position + image * length along each axis. What would pass or cover
 * more than a million boxes, or leads that far away, is KUGEL_ERROR_LIMIT.
 * - Lists have a total order that is said at each function. They go into the caller's array: the
 * first `capacity` of them; `count` always receives how many there are.
 * - KUGEL_ERROR_INVALID_ARGUMENT: NULL where not allowed, a number that is not finite or beyond
 * +-1e15, a negative radius or t_max. KUGEL_ERROR_OUT_OF_MEMORY: no room for the index. The results
 * are then cleared. */
#ifndef KUGEL_QUERY_H
#define KUGEL_QUERY_H

#include "geometry.h"
#include "world.h"

KUGEL_BEGIN_DECLS

/// Which bodies a query sees. Make it with kugel_filter_default(). A NULL filter is the default
/// one.
typedef struct kugel_filter {
    uint32_t category; ///< bits of the query; default all
    uint32_t
        mask; ///< a body is seen if (category & body.mask) && (body.category & mask); default all
    uint32_t group; ///< bodies of this group are not seen; 0: of no group; default 0
    bool sensors;   ///< sensors are seen as well; default false
    /// Asked for bodies that the query would report; false: not seen. May be called more than once
    /// for a body, in no fixed order, from the thread of the query; must not change the world.
    /// NULL: all.
    bool (*accept)(void *user, kugel_body body);
    void *user; ///< handed to accept
} kugel_filter;

/// All bodies but sensors, as said at each field.
KUGEL_API kugel_filter kugel_filter_default(void);

/// A ray from origin along direction up to t_max lengths of direction. A segment p -> q is
/// {p, q - p, 1}. t_max is >= 0; infinity is legal for rays in worlds without periodic faces.
typedef struct kugel_ray {
    double origin[3];    ///< m
    double direction[3]; ///< need not be unit; zero makes it a point
    double t_max;        ///< how far, in lengths of direction
} kugel_ray;

/// A body on a ray: exactly kugel_ray_sphere with its centre in that image.
typedef struct kugel_ray_hit {
    kugel_body body;  ///< null: no hit
    int32_t image[3]; ///< the periodic image that was met
    kugel_hit hit;    ///< t_enter <= t_max
} kugel_ray_hit;

/// A body in the way of a moving sphere: exactly kugel_sweep_sphere_sphere.
typedef struct kugel_cast_hit {
    kugel_body body;       ///< null: no hit
    int32_t image[3];      ///< the periodic image that was met
    kugel_contact contact; ///< time is in lengths of direction
} kugel_cast_hit;

/// A body near or in something.
typedef struct kugel_found {
    kugel_body body;  ///< which
    int32_t image[3]; ///< in which periodic image
    double gap;       ///< m, from its surface; negative: depth
} kugel_found;

/// Do now what the first query would do. @return KUGEL_OK or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_prepare_queries(const kugel_world *world);

/* --- rays
 * ----------------------------------------------------------------------------------------- */

/// The first body on the ray: the least (t_enter, id, image). hit->body is null when there is none.
KUGEL_API kugel_status kugel_world_ray_closest(const kugel_world *world, const kugel_ray *ray,
                                               const kugel_filter *filter, kugel_ray_hit *hit);

/// Is there any body on the ray? Ends at the first that is found.
KUGEL_API kugel_status kugel_world_ray_any(const kugel_world *world, const kugel_ray *ray,
                                           const kugel_filter *filter, bool *hit);

/// All bodies on the ray by (t_enter, id, image).
KUGEL_API kugel_status kugel_world_ray_all(const kugel_world *world, const kugel_ray *ray,
                                           const kugel_filter *filter, size_t capacity,
                                           kugel_ray_hit *hits, size_t *count);

/// kugel_world_ray_closest for many rays: hits[i] belongs to rays[i]. One bad ray refuses them all.
/// The world's threads share them, but where the filter asks the caller (accept) or they are busy.
KUGEL_API kugel_status kugel_world_rays_closest(const kugel_world *world, size_t count,
                                                const kugel_ray *rays, const kugel_filter *filter,
                                                kugel_ray_hit *hits);

/* --- moving spheres: centre ray->origin, velocity ray->direction, time up to ray->t_max (finite)
 * ------ */

/// The first body in the way: the least (time, id, image).
KUGEL_API kugel_status kugel_world_cast_closest(const kugel_world *world, const kugel_ray *ray,
                                                double radius, const kugel_filter *filter,
                                                kugel_cast_hit *hit);

/// Is there any body in the way? Ends at the first that is found.
KUGEL_API kugel_status kugel_world_cast_any(const kugel_world *world, const kugel_ray *ray,
                                            double radius, const kugel_filter *filter, bool *hit);

/// All bodies in the way, as if none stopped it, by (time, id, image).
KUGEL_API kugel_status kugel_world_cast_all(const kugel_world *world, const kugel_ray *ray,
                                            double radius, const kugel_filter *filter,
                                            size_t capacity, kugel_cast_hit *hits, size_t *count);

/* --- volumes: all bodies that touch or overlap, by (id, image)
 * ---------------------------------------- */

/// hit and gap of kugel_overlap_spheres(center, radius, body).
KUGEL_API kugel_status kugel_world_overlap_sphere(const kugel_world *world, const double center[3],
                                                  double radius, const kugel_filter *filter,
                                                  size_t capacity, kugel_found *found,
                                                  size_t *count);

/// hit and gap of kugel_overlap_sphere_box(body, min, max).
KUGEL_API kugel_status kugel_world_overlap_box(const kugel_world *world, const double min[3],
                                               const double max[3], const kugel_filter *filter,
                                               size_t capacity, kugel_found *found, size_t *count);

/// gap is that of kugel_ellipsoid_nearest(body's centre, ellipsoid) less the body's radius; gap <=
/// 0 is an overlap. rotation may be NULL.
KUGEL_API kugel_status kugel_world_overlap_ellipsoid(const kugel_world *world,
                                                     const double center[3],
                                                     const double semi_axes[3],
                                                     const double rotation[4],
                                                     const kugel_filter *filter, size_t capacity,
                                                     kugel_found *found, size_t *count);

/// Bodies that hold the point: kugel_point_sphere; gap as in kugel_overlap_spheres with radius 0.
KUGEL_API kugel_status kugel_world_point(const kugel_world *world, const double point[3],
                                         const kugel_filter *filter, size_t capacity,
                                         kugel_found *found, size_t *count);

/// The bodies nearest to a point by (gap, id): at most `capacity` with gap <= most, which may be
/// infinity. gap is that of kugel_overlap_spheres(point, 0, body). Each body counts once, in the
/// image whose centre is nearest along every periodic axis (the lower one of two). @param count
/// receives how many were written.
KUGEL_API kugel_status kugel_world_nearest(const kugel_world *world, const double point[3],
                                           double most, const kugel_filter *filter, size_t capacity,
                                           kugel_found *found, size_t *count);

/* --- planes and ellipsoids
 * ------------------------------------------------------------------------ */

/// Bodies wholly in front of a plane (side +1: normal . x > offset), behind it (-1), or touched or
/// cut by it (0), by id, where they are (image 0): kugel_plane_sphere. gap is its distance.
KUGEL_API kugel_status kugel_world_plane_side(const kugel_world *world, const double normal[3],
                                              double offset, int side, const kugel_filter *filter,
                                              size_t capacity, kugel_found *found, size_t *count);

/// An ellipsoid that rays can meet and bodies do not feel. It is no part of the state: hashes and
/// recordings do not know it.
typedef struct kugel_ellipsoid {
    double center[3];    ///< m
    double semi_axes[3]; ///< m, >= 0, the longest > 0
    double rotation[4];  ///< unit quaternion x, y, z, w
} kugel_ellipsoid;

/// A registered ellipsoid on a ray: exactly kugel_ray_ellipsoid, where it is (no periodic images).
typedef struct kugel_ellipsoid_hit {
    uint32_t index; ///< of the ellipsoid, as kugel_world_add_ellipsoid gave it
    kugel_hit hit;  ///< t_enter <= t_max
} kugel_ellipsoid_hit;

/// Register an ellipsoid. @param index may be NULL; receives 0, 1, 2 ...
KUGEL_API kugel_status kugel_world_add_ellipsoid(kugel_world *world,
                                                 const kugel_ellipsoid *ellipsoid, uint32_t *index);

/// Move or change the ellipsoid with this index.
KUGEL_API kugel_status kugel_world_set_ellipsoid(kugel_world *world, uint32_t index,
                                                 const kugel_ellipsoid *ellipsoid);

/// How many are registered.
KUGEL_API uint32_t kugel_world_ellipsoid_count(const kugel_world *world);

/// Registered ellipsoids on the ray by (t_enter, index).
KUGEL_API kugel_status kugel_world_ray_ellipsoids(const kugel_world *world, const kugel_ray *ray,
                                                  size_t capacity, kugel_ellipsoid_hit *hits,
                                                  size_t *count);

KUGEL_END_DECLS
#endif
