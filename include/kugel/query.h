/** @file
 * Queries of a world between two steps: the targets that a ray, a moving sphere or a volume meets.
 * Targets are bodies, walls and surfaces; kugel_filter selects them.
 *
 * Conventions of every query:
 * - The result for a body has the bits of the function of kugel/geometry.h that the query's comment
 *   names, as if it were called for each body. The conventions of that header apply.
 * - Walls (faces of kind KUGEL_FACE_WALL) are solid half spaces without an end. A ray
 *   meets them from the free side only. A sphere or volume that reaches behind them touches them.
 * - A mesh is a sheet without an inside. It counts once, with its nearest or first triangle. Rays
 *   and moving spheres pass a one-sided mesh from behind; its open edges, which have one triangle,
 *   stop moving spheres from all sides. Other shapes of surfaces are solid; a ray that starts
 *   inside meets them at the start.
 * - Results reflect every change of the world at once. The first query after a step builds an index
 *   of all bodies in O(bodies); kugel_world_prepare_queries builds it earlier.
 * - The world is const: any number of threads may query it while no thread changes it. Queries do
 *   not set kugel_world_last_error. The first query after a change may allocate, under a lock.
 * - A world with periodic faces repeats: a ray continues along its straight line, and a body is in
 *   every image, at position + image * length along each axis. Other targets do not repeat.
 * - A list has the total order that the query's comment gives. The first `capacity` results go to
 *   the caller's array, which may be NULL for 0. `count` receives the number of all results,
 *   but of kugel_world_nearest the number written.
 * - KUGEL_ERROR_INVALID_ARGUMENT: NULL where it is not allowed; a number that is not finite or
 *   beyond +-1e15; a negative radius, semi-axis or t_max; a box with max < min; a normal or
 *   rotation of a length that is not 1 within 1e-5. KUGEL_ERROR_STATE: the call comes from a pair
 *   filter (pairs.h). KUGEL_ERROR_LIMIT: the query would pass, cover or reach more than a million
 *   periodic boxes. KUGEL_ERROR_OUT_OF_MEMORY: no memory for the index, or
 *   for `capacity` rows of another size than the library's (version.h). On an error `count` is 0,
 *   and single results are cleared ("no hit"). */
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
KUGEL_ENUM(kugel_targets){
    KUGEL_TARGETS_BODIES = 1,   ///< spheres of the world
    KUGEL_TARGETS_FACES = 2,    ///< walls: faces of kind KUGEL_FACE_WALL
    KUGEL_TARGETS_SURFACES = 4, ///< surfaces: meshes and solid shapes
    KUGEL_TARGETS_ALL = 7       ///< all of them
};

/// Selects the targets that a query finds. Start from kugel_filter_default(); a NULL filter is that
/// default.
typedef struct kugel_filter {
    uint32_t cookie; ///< set by the default function; leave unchanged
    /// A body or surface passes if (category & its mask) && (its category & mask). Walls
    /// have no category and no mask; they pass. Default: all bits.
    uint32_t category;
    uint32_t mask;    ///< see category; default: all bits
    uint32_t group;   ///< bodies and surfaces of this group are excluded; 0: none; default 0
    uint32_t targets; ///< bits of kugel_targets; default KUGEL_TARGETS_ALL
    bool sensors;     ///< true: sensors pass as well; default false
    /// true: of casts, what the sphere touches or overlaps at its start is a hit at time 0, also if
    /// the sphere moves along it or away; default false
    bool initial;
    /// Called last for a target that passes all other tests: return false to exclude it. `handle`
    /// is the handle of a body or surface, or the index of a face. NULL: all pass. The
    /// calls are made on the thread of the query, in any order, and may repeat for a target. Calls
    /// by which it would change the world give KUGEL_ERROR_STATE. Default NULL.
    bool (*accept)(void *user, kugel_target target, uint64_t handle);
    void *user; ///< passed to accept
} kugel_filter;

/// kugel_filter_default() for other languages. @param size that of the struct, bytes.
KUGEL_API void kugel_filter_init(kugel_filter *filter, size_t size);

/// A filter that all targets but sensors pass.
static inline kugel_filter kugel_filter_default(void)
{
    kugel_filter filter;
    kugel_filter_init(&filter, sizeof filter);
    return filter;
}

/// A ray: the points origin + t * direction for t in [0, t_max]. A segment p -> q is {p, q - p, 1}.
typedef struct kugel_ray {
    double origin[3];    ///< m
    double direction[3]; ///< any length; zero makes the ray a point
    /// >= 0, end of the ray in lengths of direction; may exceed 1e15. Infinity is valid for rays in
    /// worlds without periodic faces.
    double t_max;
} kugel_ray;

/// A target on a ray. For a body `hit` is the result of kugel_ray_sphere with the centre in
/// `image` and an infinite t_max. Other targets have no exit: t_exit, exit_point and exit_normal
/// are those of the entry.
typedef struct kugel_ray_hit {
    kugel_body body;     ///< null for other targets, and for no hit
    int32_t image[3];    ///< the periodic image of the body; else 0
    kugel_target target; ///< the kind of the target
    uint32_t index;      ///< of the target, see kugel_target
    uint32_t triangle;   ///< of a surface: the triangle that the ray hits; else 0
    /// hit.hit is true for a hit; then t_enter <= t_max. The normal of a wall points to its
    /// free side, that of a surface to the side of the ray's start.
    kugel_hit hit;
} kugel_ray_hit;

/// A target on the path of a moving sphere. `contact` is the result of kugel_sweep_spheres with a
/// zero velocity_b for a body, of kugel_sweep_sphere_plane for a wall. A sphere meets a
/// target when it touches the target and approaches it. Moving along or away from what it touches
/// at the start is a hit with kugel_filter.initial only.
/// Moving along is also to go down at a flat angle (sine below 0.045): what the sphere touches at
/// its start, or would if its radius were a thousandth larger, is then met where it has entered it
/// by a thousandth of its radius, or if it starts deeper, where it goes deeper. If it touches a
/// surface so, this holds for all surfaces, as a floor may consist of tiles. For bodies and walls
/// `contact` is then that of a sphere which is smaller by as much.
/// Of a surface of triangles that it does not touch at the start, contact.gap is the distance to
/// contact.point less the radius, and contact.approaching is true: other triangles may be nearer
/// (kugel_world_nearest finds them).
typedef struct kugel_cast_hit {
    kugel_body body;       ///< null for other targets, and for no hit
    int32_t image[3];      ///< the periodic image of the body; else 0
    kugel_target target;   ///< the kind of the target
    uint32_t index;        ///< of the target, see kugel_target
    uint32_t triangle;     ///< of a surface: a triangle at the contact point; else 0
    kugel_contact contact; ///< contact.hit: true for a hit; contact.time is at most t_max
} kugel_cast_hit;

/// A target near a point or plane, or in a volume.
typedef struct kugel_found {
    kugel_body body;     ///< null for other targets
    int32_t image[3];    ///< the periodic image of the body; else 0
    kugel_target target; ///< the kind of the target
    uint32_t index;      ///< of the target, see kugel_target
    uint32_t triangle;   ///< of a surface: the triangle of `point`; else 0
    /// m, between the query's point, plane or volume and the target; negative: depth of the
    /// overlap. 0 for a surface that meets a box or ellipsoid.
    double gap;
    /// m, on the target: nearest to the point or plane, or deepest in the volume. Of a surface that
    /// meets a box or ellipsoid: a point of both.
    double point[3];
    /// Unit, outward at `point`; of a mesh: on the side of the point or volume. Of a solid shape
    /// that meets a box or ellipsoid: outward where the surface is nearest to the volume's centre.
    double normal[3];
} kugel_found;

/// Build the index that the first query would build. @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT
/// (NULL) or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_prepare_queries(const kugel_world *world);

/* rays */

/// The first target on the ray, in the order of (t_enter, target, index, image).
/// @param hit receives the target; hit->hit.hit is false if there is none.
KUGEL_API kugel_status kugel_world_ray_closest(const kugel_world *world, const kugel_ray *ray,
                                               const kugel_filter *filter, kugel_ray_hit *hit,
                                               size_t size);

/// True if any target is on the ray. The search stops at the first one that is found.
/// @param hit receives the result.
KUGEL_API kugel_status kugel_world_ray_any(const kugel_world *world, const kugel_ray *ray,
                                           const kugel_filter *filter, bool *hit);

/// All targets on the ray, sorted by (t_enter, target, index, image).
KUGEL_API kugel_status kugel_world_ray_all(const kugel_world *world, const kugel_ray *ray,
                                           const kugel_filter *filter, size_t capacity,
                                           kugel_ray_hit *hits, size_t *count, size_t size);

/// kugel_world_ray_closest for rays[count]: hits[i] belongs to rays[i]. One invalid ray is an error
/// of the whole batch: all hits are then cleared. The world's threads share the rays unless the
/// filter has an accept callback.
KUGEL_API kugel_status kugel_world_rays_closest(const kugel_world *world, size_t count,
                                                const kugel_ray *rays, const kugel_filter *filter,
                                                kugel_ray_hit *hits, size_t size);

/* moving spheres: centre ray->origin (m), velocity ray->direction, time up to ray->t_max, which
 * must be finite; radius in m */

/// The first target on the path, in the order of (time, target, index, image).
/// @param hit receives the target; hit->contact.hit is false if there is none.
KUGEL_API kugel_status kugel_world_cast_closest(const kugel_world *world, const kugel_ray *ray,
                                                double radius, const kugel_filter *filter,
                                                kugel_cast_hit *hit, size_t size);

/// True if any target is on the path. The search stops at the first one that is found.
/// @param hit receives the result.
KUGEL_API kugel_status kugel_world_cast_any(const kugel_world *world, const kugel_ray *ray,
                                            double radius, const kugel_filter *filter, bool *hit);

/// All targets on the whole path, sorted by (time, target, index, image).
KUGEL_API kugel_status kugel_world_cast_all(const kugel_world *world, const kugel_ray *ray,
                                            double radius, const kugel_filter *filter,
                                            size_t capacity, kugel_cast_hit *hits, size_t *count,
                                            size_t size);

/* volumes: all targets that touch or overlap the volume, sorted by (target, index, image) */

/// Targets that touch or overlap a sphere. A body's gap is that of kugel_overlap_spheres. The gap
/// of other targets is a distance of the centre minus the radius: for walls the height of
/// the centre, for meshes the distance of the nearest triangle, for solid shapes the distance
/// of the surface, negative inside.
/// @param center 3 values, m. @param radius m, >= 0; 0: the targets that contain a point.
KUGEL_API kugel_status kugel_world_overlap_sphere(const kugel_world *world, const double center[3],
                                                  double radius, const kugel_filter *filter,
                                                  size_t capacity, kugel_found *found,
                                                  size_t *count, size_t size);

/// Targets that touch or overlap a box. A body's gap is that of kugel_overlap_sphere_box. The gap
/// of a wall is the height of the box's deepest corner.
/// @param min, max 3 values each, m.
KUGEL_API kugel_status kugel_world_overlap_box(const kugel_world *world, const double min[3],
                                               const double max[3], const kugel_filter *filter,
                                               size_t capacity, kugel_found *found, size_t *count,
                                               size_t size);

/// Targets that touch or overlap an ellipsoid. A body's gap is that of kugel_ellipsoid_nearest for
/// the body's centre, minus the body's radius. The gap of a wall is the height of the
/// ellipsoid's deepest point.
/// @param center 3 values, m. @param semi_axes 3 values, m, >= 0, the longest > 0.
/// @param rotation unit quaternion x, y, z, w, or NULL.
KUGEL_API kugel_status kugel_world_overlap_ellipsoid(
    const kugel_world *world, const double center[3], const double semi_axes[3],
    const double rotation[4], const kugel_filter *filter, size_t capacity, kugel_found *found,
    size_t *count, size_t size);

/// The targets nearest to a point (3 values, m), sorted by (gap, target, index): at most `capacity`
/// targets, with gaps up to `max_gap`. gap is that of kugel_world_overlap_sphere with radius 0.
/// Each body counts once, in the image whose centre is nearest along each periodic axis; of two
/// images at equal distance, in the lower one.
/// @param max_gap m; may be infinity, or negative for targets that contain the point at a depth.
/// @param count receives the number of targets written.
KUGEL_API kugel_status kugel_world_nearest(const kugel_world *world, const double point[3],
                                           double max_gap, const kugel_filter *filter,
                                           size_t capacity, kugel_found *found, size_t *count,
                                           size_t size);

/* planes */

/// The bodies on one side of the plane normal . x = offset, sorted by id. kugel_plane_sphere
/// decides the side, and gap is its distance. Bodies count in image 0 only; other targets do not
/// count. O(bodies).
/// @param normal unit within 1e-5. @param offset m.
/// @param side +1: bodies wholly in front (normal . x > offset); -1: wholly behind; 0: touched or
/// cut.
KUGEL_API kugel_status kugel_world_plane_side(const kugel_world *world, const double normal[3],
                                              double offset, int side, const kugel_filter *filter,
                                              size_t capacity, kugel_found *found, size_t *count,
                                              size_t size);

/// @cond
#ifndef KUGEL_PASS_SIZES /* version.h */
#define kugel_world_ray_closest(...) kugel_world_ray_closest(__VA_ARGS__, sizeof(kugel_ray_hit))
#define kugel_world_ray_all(...) kugel_world_ray_all(__VA_ARGS__, sizeof(kugel_ray_hit))
#define kugel_world_rays_closest(...) kugel_world_rays_closest(__VA_ARGS__, sizeof(kugel_ray_hit))
#define kugel_world_cast_closest(...) kugel_world_cast_closest(__VA_ARGS__, sizeof(kugel_cast_hit))
#define kugel_world_cast_all(...) kugel_world_cast_all(__VA_ARGS__, sizeof(kugel_cast_hit))
#define kugel_world_overlap_sphere(...) kugel_world_overlap_sphere(__VA_ARGS__, sizeof(kugel_found))
#define kugel_world_overlap_box(...) kugel_world_overlap_box(__VA_ARGS__, sizeof(kugel_found))
#define kugel_world_overlap_ellipsoid(...)                                                         \
    kugel_world_overlap_ellipsoid(__VA_ARGS__, sizeof(kugel_found))
#define kugel_world_nearest(...) kugel_world_nearest(__VA_ARGS__, sizeof(kugel_found))
#define kugel_world_plane_side(...) kugel_world_plane_side(__VA_ARGS__, sizeof(kugel_found))
#endif
/// @endcond

/// @}

KUGEL_END_DECLS
#endif
