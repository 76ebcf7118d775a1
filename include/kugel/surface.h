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
typedef enum kugel_surface_shape {
    KUGEL_SURFACE_MESH = 0, ///< triangles
    /// The half space z <= 0. size[0]: half length of the square that is drawn for it (0: none).
    KUGEL_SURFACE_PLANE = 1,
    /// An ellipsoid around the origin. size[k]: semi-axis along axis k.
    KUGEL_SURFACE_ELLIPSOID = 2,
    /// A capsule around the origin, along z. size[0]: radius; size[1]: half length of the axis (0:
    /// a sphere).
    KUGEL_SURFACE_CAPSULE = 3,
    /// A frustum of a cone around the origin, along z, with flat ends. size[0]: radius at the low
    /// end; size[1]: radius at the high end (equal radii: a cylinder; one may be 0); size[2]: half
    /// length.
    KUGEL_SURFACE_CONE = 4
} kugel_surface_shape;

/// Definition of a surface. Start from kugel_surface_def_default().
typedef struct kugel_surface_def {
    uint32_t cookie;           ///< set by the default function; leave unchanged
    kugel_surface_shape shape; ///< default KUGEL_SURFACE_MESH
    /// Sizes of a solid shape, m, as listed at kugel_surface_shape; each > 0, or 0 where that list
    /// allows it.
    double size[3];
    /// Of a mesh: 3 ... 2^31 - 1. For solid shapes counts and arrays are ignored; a def that
    /// kugel_world_get_surface returns has arrays that show the shape, with 32 sides around.
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
    double rotation[4];         ///< unit quaternion x, y, z, w, within 1e-6. Default 0, 0, 0, 1
    double velocity[3];         ///< m/s, of the frame's origin. Default 0
    double spin[3];             ///< rad/s, about the frame's origin. Default 0
    double tangent_velocity[3]; ///< m/s, see kugel_world_set_surface_tangent_velocity. Default 0
    double restitution;         ///< in [0, 1]. Default 0
    double friction;            ///< in [0, 1e6]. Default 0.5
    double rolling_resistance;  ///< in [0, 1e6]. Default 0
    uint32_t category;          ///< as in kugel_body_def. Default 1
    uint32_t mask;              ///< as in kugel_body_def. Default 0xffffffff
    uint32_t group;             ///< as in kugel_body_def. Default 0
    /// For the host, see kugel_world_set_surface_user_data. Default 0
    uint64_t user_data;
} kugel_surface_def;

/// Properties of a mesh that the world found. None of them is an error.
typedef struct kugel_surface_info {
    uint32_t welded;          ///< number of vertices that equal an earlier one
    uint32_t dropped;         ///< number of triangles without an area, and of repeated ones
    uint32_t open_edges;      ///< number of edges with one triangle; 0 in a closed mesh
    uint32_t branching_edges; ///< number of edges with more than two triangles
    uint32_t facets;          ///< number of flat parts
} kugel_surface_info;

/// Defaults as documented at each field. Set vertices and triangles, or another shape and its
/// sizes.
KUGEL_API kugel_surface_def kugel_surface_def_default(void);

/// Add a surface. The world copies the arrays, and sleeping bodies that touch the surface wake. A
/// body that overlaps it is pushed out: from a mesh to the side of the body's centre, from a solid
/// shape outwards.
/// @param index may be NULL; receives the lowest free index, which the surface gets.
/// @return KUGEL_OK, or with the world unchanged KUGEL_ERROR_INVALID_ARGUMENT,
/// KUGEL_ERROR_UNINITIALIZED_DEF, KUGEL_ERROR_OUT_OF_MEMORY or KUGEL_ERROR_LIMIT: more than 2^27
/// triangles or 16,384 surfaces.
KUGEL_API kugel_status kugel_world_add_surface(kugel_world *world, const kugel_surface_def *def,
                                               uint32_t *index);

/// Remove a surface. Its resting contacts end (kugel_touch), and their bodies wake. Its index is
/// free again.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT: there is no such surface, or
/// KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_remove_surface(kugel_world *world, uint32_t index);

/// Put a surface elsewhere between two steps. Its resting contacts end (kugel_touch), and their
/// bodies wake, as do those that touch its new place. Bodies on its way are not carried along.
/// @param position 3 values, m. @param rotation unit quaternion x, y, z, w, within 1e-6.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_place_surface(kugel_world *world, uint32_t index,
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
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_set_surface_motion(kugel_world *world, uint32_t index,
                                                      const double *velocity, const double *spin);

/// Let the material of a surface run along it while the surface stays where it is, as a conveyor
/// belt: friction drags bodies towards this velocity. At each contact only its part along the
/// surface counts, so it does not press bodies. Bodies that rest on the surface wake, and do not
/// fall asleep until it is 0. The velocity that it has already changes nothing.
/// @param velocity 3 values, m/s, in the surface's frame.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_set_surface_tangent_velocity(kugel_world *world, uint32_t index,
                                                                const double *velocity);

/// Set the material of a surface; bodies that rest on it wake. @param restitution in [0, 1].
/// @param friction, rolling_resistance in [0, 1e6].
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_set_surface_material(kugel_world *world, uint32_t index,
                                                        double restitution, double friction,
                                                        double rolling_resistance);

/// Set the motion of a surface so that it has a pose after one step of dt, or after several steps
/// that take dt together. The surface turns the shorter way, at most half a turn. The motion stays
/// after that. After one step the rotation differs from the target by at most 1e-14 rad, and each
/// coordinate by at most 1e-15 of the larger of its two values, before and after the step. Each
/// further step adds at most the same errors. The present pose as a target gives a motion of 0. The
/// call is recorded as kugel_world_set_surface_motion.
/// @param position 3 values, m, of the frame's origin, within +-1e15. NULL: the velocity stays as
/// it is. Periodic axes do not shorten the way.
/// @param rotation unit quaternion x, y, z, w, within 1e-6. NULL: the spin stays as it is. At least
/// one of position and rotation is not NULL.
/// @param dt s, > 0, at most 1e15.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT: also if the velocity or the spin would leave
/// +-1e15 m/s or rad/s.
KUGEL_API kugel_status kugel_world_set_surface_target(kugel_world *world, uint32_t index,
                                                      const double *position,
                                                      const double *rotation, double dt);

/// Set a surface's user data: 64 bits for the host, as those of a body (kugel_body_set_user_data).
/// Hashes, snapshots and recordings leave them out, kugel_world_clone copies them, and no body
/// wakes. kugel_snapshot_restore keeps them if the surface at the index has the same shape, sizes
/// and mesh before and after; otherwise they become 0.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_world_set_surface_user_data(kugel_world *world, uint32_t index,
                                                         uint64_t user_data);

/// A surface's user data. @param user_data receives the value; initially that of kugel_surface_def.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT: there is no such surface, or NULL.
KUGEL_API kugel_status kugel_world_get_surface_user_data(const kugel_world *world, uint32_t index,
                                                         uint64_t *user_data);

/// All indices of surfaces are below this number; some of them may be free.
KUGEL_API uint32_t kugel_world_surface_end(const kugel_world *world);

/// A surface of the world: its def with the present place, motion and user data. Vertices are
/// welded. The arrays belong to the world and are valid until the surface is removed or a snapshot
/// is restored.
/// @param info may be NULL.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT: there is no such surface.
KUGEL_API kugel_status kugel_world_get_surface(const kugel_world *world, uint32_t index,
                                               kugel_surface_def *def, kugel_surface_info *info);

/// @}

KUGEL_END_DECLS
#endif
