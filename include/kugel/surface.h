/** @file
 * Surfaces that bodies collide with, roll on and rest on: meshes of triangles, and solid shapes. A
 * surface has infinite mass. Bodies touch the surface of a mesh as a whole: neighbouring triangles
 * in one plane act as one face, and an edge or vertex acts only where it is the nearest point of
 * the surface. Flat and concave edges never act, so a ball rolls over them as over a plane. Edges
 * between surfaces in one plane do not act either, if the surfaces have equal velocities and no
 * spin: floors may consist of tiles, and solid shapes may end flush in them. A step lifts a ball by
 * its angle: a low one hardly at all. */
#ifndef KUGEL_SURFACE_H
#define KUGEL_SURFACE_H

#include "world.h"

KUGEL_BEGIN_DECLS

/// @defgroup surfaces Surfaces
/// Meshes of triangles and solid shapes that bodies collide with.
/// @{

/// What a surface is. Shapes other than meshes are solid and exact: bodies meet the true round
/// surface, and a centre inside is pushed out at the nearest point. Places and axes are in the
/// surface's frame; sizes are kugel_surface_def.size.
KUGEL_ENUM(kugel_surface_shape){
    KUGEL_SURFACE_MESH = 0, ///< triangles
    /// The half space z <= 0, see kugel_surface_def_plane. A plane has no end: each body tests all
    /// planes. size[0]: half length of the square that is drawn for it (0: none).
    KUGEL_SURFACE_PLANE = 1,
    /// An ellipsoid around the origin. size[k]: semi-axis along axis k.
    KUGEL_SURFACE_ELLIPSOID = 2,
    /// A capsule around the origin, along z. size[0]: radius; size[1]: half length of the axis (0:
    /// a sphere).
    KUGEL_SURFACE_CAPSULE = 3,
    /// A frustum of a cone around the origin, along z, with flat ends. size[0]: radius at the low
    /// end; size[1]: radius at the high end (equal radii: a cylinder; one may be 0); size[2]: half
    /// length.
    KUGEL_SURFACE_CONE = 4,
    /// A box around the origin. size[k]: half length along axis k.
    KUGEL_SURFACE_BOX = 5,
};

/// Definition of a surface. Start from kugel_surface_def_default().
typedef struct kugel_surface_def {
    uint32_t cookie;           ///< set by the default function; leave unchanged
    kugel_surface_shape shape; ///< default KUGEL_SURFACE_MESH
    /// Sizes of a solid shape, m, as listed at kugel_surface_shape; each > 0, or 0 where that list
    /// allows it.
    double size[3];
    /// Of a mesh: 3 ... 2^31 - 1. For solid shapes counts and arrays are ignored; a def that
    /// kugel_surface_get returns has arrays that show the shape, with 32 sides around.
    uint32_t vertex_count;
    /// Of a mesh: 1 ... 2^27. The surfaces of a world together may have 2^27.
    uint32_t triangle_count;
    /// true: bodies from behind pass through a mesh, except at its open edges (edges with one
    /// triangle), which act from all sides. Default false.
    bool one_sided;
    const double *vertices; ///< [3 * vertex_count], m, in the surface's frame, within +-1e15
    /// [3 * triangle_count], indices of vertices. Seen from the front of a triangle its corners are
    /// counterclockwise. Vertices within 1e-12 of the mesh's size are welded. Triangles without an
    /// area never act. Of triangles with the same three vertices the first acts for all; in a
    /// one-sided mesh, where a front and a back differ, the first of each side
    /// (kugel_surface_info counts all these).
    const uint32_t *triangles;
    double position[3];         ///< m, of the frame's origin. Default 0
    double rotation[4];         ///< unit quaternion x, y, z, w. Default 0, 0, 0, 1
    double velocity[3];         ///< m/s, of the frame's origin. Default 0
    double spin[3];             ///< rad/s, about the frame's origin. Default 0
    double tangent_velocity[3]; ///< m/s, see kugel_surface_set_tangent_velocity. Default 0
    double restitution;         ///< in [0, 1]. Default 0
    double friction;            ///< in [0, 1e6]. Default 0.5
    double rolling_resistance;  ///< in [0, 1e6]. Default 0
    uint32_t category;          ///< as in kugel_body_def. Default 1
    uint32_t mask;              ///< as in kugel_body_def. Default 0xffffffff
    uint32_t group;             ///< as in kugel_body_def. Default 0
    /// For the host, see kugel_surface_set_user_data. Default 0
    uint64_t user_data;
    uint32_t kind; ///< of material, as in kugel_body_def. Default 0
    /// true: a solid shape is a sensor: nothing collides with it, and it reports the dynamic and
    /// kinematic bodies that enter and leave it (kugel_sensor_event). Default false
    bool sensor;
    double tangential_restitution; ///< in [-1, 1], as in kugel_body_def. Default 0
    /// Set by the default function; leave unchanged. NULL in the def of kugel_surface_def_plane(),
    /// which must stay a plane: so a program that has planes only does not link the code for meshes
    /// and other shapes.
    const void *code;
} kugel_surface_def;

/// Properties of a mesh that the world found. None of them is an error.
typedef struct kugel_surface_info {
    uint32_t welded;          ///< number of vertices that equal an earlier one
    uint32_t dropped;         ///< number of triangles without an area, and of repeated ones
    uint32_t open_edges;      ///< number of edges with one triangle; 0 in a closed mesh
    uint32_t branching_edges; ///< number of edges with more than two triangles
    uint32_t facets;          ///< number of flat parts
} kugel_surface_info;

/// kugel_surface_def_default() for other languages. @param size that of the struct, bytes.
KUGEL_API void kugel_surface_def_init(kugel_surface_def *def, size_t size);

/// Defaults as documented at each field. Set vertices and triangles, or another shape and its
/// sizes.
static inline kugel_surface_def kugel_surface_def_default(void)
{
    kugel_surface_def def;
    kugel_surface_def_init(&def, sizeof def);
    return def;
}

/// kugel_surface_def_plane() for other languages. @param size that of the struct, bytes.
KUGEL_API void kugel_surface_def_init_plane(kugel_surface_def *def, size_t size,
                                            const double *normal, double offset);

/// The default def with the shape, position and rotation of a plane: the points with
/// normal . x >= offset are free. So a floor is kugel_surface_def_plane((double[]){0, 0, 1}, 0).
/// @param normal unit within 1e-5; a world refuses the def of another normal. For a normal along an
/// axis the rotation is exact. @param offset m.
static inline kugel_surface_def kugel_surface_def_plane(const double *normal, double offset)
{
    kugel_surface_def def;
    kugel_surface_def_init_plane(&def, sizeof def, normal, offset);
    return def;
}

/// The plane of a def of that shape: the points with normal . x >= offset are free. False for
/// another shape. @param normal receives 3 values.
static inline bool kugel_surface_def_get_plane(const kugel_surface_def *def, double *normal,
                                               double *offset)
{
    const double *q = def->rotation, *at = def->position;
    if (def->shape != KUGEL_SURFACE_PLANE) return false;
    normal[0] = 2 * (q[0] * q[2] + q[1] * q[3]);
    normal[1] = 2 * (q[1] * q[2] - q[0] * q[3]);
    normal[2] = 1 - 2 * (q[0] * q[0] + q[1] * q[1]);
    *offset = normal[0] * at[0] + normal[1] * at[1] + normal[2] * at[2];
    return true;
}

/// Add a surface. The world copies the arrays, and sleeping bodies that touch the surface wake. A
/// body that overlaps it is pushed out: from a mesh to the side of the body's centre, from a solid
/// shape outwards.
/// @param surface may be NULL; receives the handle, or KUGEL_NULL_SURFACE on error. The surface
/// gets the lowest free index that no end names which the next step will report (kugel_touch).
/// @return KUGEL_OK, or with the world unchanged KUGEL_ERROR_INVALID_ARGUMENT,
/// KUGEL_ERROR_UNINITIALIZED_DEF, KUGEL_ERROR_OUT_OF_MEMORY or KUGEL_ERROR_LIMIT: more than 2^27
/// triangles or 16,384 surfaces; KUGEL_ERROR_STATE: radii grow, and the surface is no plane.
KUGEL_API kugel_status kugel_surface_create(kugel_world *world, const kugel_surface_def *def,
                                            kugel_surface *surface);

/// Remove a surface. Its resting contacts end (kugel_touch), and their bodies wake. Its handle
/// becomes stale and stays stale when the index is used again.
/// @return KUGEL_OK, KUGEL_ERROR_STALE_HANDLE or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_surface_destroy(kugel_world *world, kugel_surface surface);

/// Put a surface elsewhere between two steps. Its resting contacts end (kugel_touch), and their
/// bodies wake, as do those that touch its new place. Bodies on its way are not carried along.
/// @param position 3 values, m. @param rotation unit quaternion x, y, z, w.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _STALE_HANDLE or _OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_surface_set_pose(kugel_world *world, kugel_surface surface,
                                              const double *position, const double *rotation);

/// Let a surface move from the next step on, as a lift, a paddle or a drum. The surface pushes
/// bodies; bodies do not push it. Straight motion is exact. With a spin the rotation of the surface
/// is exact, but paths of bodies in its frame are approximated by a parabola in each substep. The
/// relative error is the square of the turn in a substep; that turn is at most 0.02 rad with the
/// default substeps, and 0.05 rad if the def gives their number. Sleeping bodies that rest on it
/// wake, and in the step those that it touches. Resting contacts end with an impact if the surface
/// runs into their bodies, as for kugel_body_set_velocity. A motion that it has already changes
/// nothing.
/// @param velocity 3 values, m/s, of the frame's origin. @param spin 3 values, rad/s, about it.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _STALE_HANDLE or _OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_surface_set_motion(kugel_world *world, kugel_surface surface,
                                                const double *velocity, const double *spin);

/// Let the material of a surface run along it while the surface stays where it is, as a conveyor
/// belt: friction drags bodies towards this velocity. At each contact only its part along the
/// surface counts, so it does not press bodies. Bodies that rest on the surface wake, and do not
/// fall asleep until it is 0. The velocity that it has already changes nothing.
/// @param velocity 3 values, m/s, in the surface's frame.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _STALE_HANDLE or _OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_surface_set_tangent_velocity(kugel_world *world, kugel_surface surface,
                                                          const double *velocity);

/// Set the material of a surface; bodies that rest on it wake. @param restitution in [0, 1].
/// @param friction, rolling_resistance in [0, 1e6]. @param tangential_restitution in [-1, 1].
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _STALE_HANDLE or _OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_surface_set_material(kugel_world *world, kugel_surface surface,
                                                  double restitution, double friction,
                                                  double rolling_resistance,
                                                  double tangential_restitution);

/// Set which bodies meet a surface, as kugel_body_set_filter. Resting contacts that the filter
/// excludes end (kugel_touch). All bodies that rest on the surface wake, as do those that touch it
/// and are admitted: it pushes out what overlaps it, as a new surface. The filter that it has
/// already changes nothing.
/// @return KUGEL_OK, KUGEL_ERROR_STALE_HANDLE or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_surface_set_filter(kugel_world *world, kugel_surface surface,
                                                uint32_t category, uint32_t mask, uint32_t group);

/// Set the kind of material of a surface (kugel_world_set_pair_material); bodies that rest on it
/// wake. @param kind below KUGEL_KIND_COUNT.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _STALE_HANDLE or _OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_surface_set_kind(kugel_world *world, kugel_surface surface,
                                              uint32_t kind);

/// Set the motion of a surface so that it has a pose after one step of dt, or after several steps
/// that take dt together. The surface turns the shorter way, at most half a turn. The motion stays
/// after that. After one step the rotation differs from the target by at most 1e-14 rad, and each
/// coordinate by at most 1e-15 of the larger of its two values, before and after the step. Each
/// further step adds at most the same errors. The present pose as a target gives a motion of 0. The
/// call is recorded as kugel_surface_set_motion.
/// @param position 3 values, m, of the frame's origin, within +-1e15. NULL: the velocity stays as
/// it is. Periodic axes do not shorten the way.
/// @param rotation unit quaternion x, y, z, w. NULL: the spin stays as it is. At least one of
/// position and rotation is not NULL.
/// @param dt s, > 0, at most 1e15.
/// @return KUGEL_OK, KUGEL_ERROR_STALE_HANDLE, or KUGEL_ERROR_INVALID_ARGUMENT: also if the
/// velocity or the spin would leave +-1e15 m/s or rad/s.
KUGEL_API kugel_status kugel_surface_set_target(kugel_world *world, kugel_surface surface,
                                                const double *position, const double *rotation,
                                                double dt);

/// Set a surface's user data: 64 bits for the host, as those of a body (kugel_body_set_user_data).
/// Hashes, snapshots and recordings leave them out, kugel_world_clone copies them, and no body
/// wakes. kugel_snapshot_restore keeps them if the surface with the handle has the same shape,
/// sizes and mesh before and after; otherwise they become 0.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT or KUGEL_ERROR_STALE_HANDLE.
KUGEL_API kugel_status kugel_surface_set_user_data(kugel_world *world, kugel_surface surface,
                                                   uint64_t user_data);

/// A surface's user data. @param user_data receives the value; initially that of kugel_surface_def.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (NULL) or KUGEL_ERROR_STALE_HANDLE.
KUGEL_API kugel_status kugel_surface_get_user_data(const kugel_world *world, kugel_surface surface,
                                                   uint64_t *user_data);

/// The bodies that are in a surface that is a sensor now, as kugel_world_sensor_bodies. Cost:
/// O(bodies).
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT if the surface is not a sensor, or
/// KUGEL_ERROR_STALE_HANDLE.
KUGEL_API kugel_status kugel_surface_bodies(const kugel_world *world, kugel_surface surface,
                                            size_t capacity, kugel_body *bodies, size_t *count);

/// True if the surface exists in this world.
KUGEL_API bool kugel_surface_is_valid(const kugel_world *world, kugel_surface surface);

/// The index in a handle, by which events, contacts and queries name the surface.
static inline uint32_t kugel_surface_index(kugel_surface surface) { return (uint32_t)surface; }

/// The handle of the surface with this index, or KUGEL_NULL_SURFACE if the index is free. So an
/// event of the last step leads to its surface, until calls remove the surface and add another.
KUGEL_API kugel_surface kugel_world_surface(const kugel_world *world, uint32_t index);

/// All indices of surfaces are below this number; some of them may be free.
KUGEL_API uint32_t kugel_world_surface_end(const kugel_world *world);

/// A surface of the world: its def with the present place, motion and user data. Vertices are
/// welded. The arrays belong to the world and are valid until the surface is removed or a snapshot
/// is restored.
/// @param info may be NULL.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (NULL) or KUGEL_ERROR_STALE_HANDLE.
KUGEL_API kugel_status kugel_surface_get(const kugel_world *world, kugel_surface surface,
                                         kugel_surface_def *def, kugel_surface_info *info,
                                         size_t def_size, size_t info_size);

/// @cond
#ifndef KUGEL_PASS_SIZES /* version.h */
#define kugel_surface_get(...)                                                                     \
    kugel_surface_get(__VA_ARGS__, sizeof(kugel_surface_def), sizeof(kugel_surface_info))
#endif
/// @endcond

/// @}

KUGEL_END_DECLS
#endif
