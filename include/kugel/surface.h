/** @file
 * Surfaces that bodies collide with, roll on and rest on: meshes of triangles and solid shapes. A
 * surface has infinite mass. Contact is with the surface, not with its triangles: triangles that
 * lie in one plane act as one face, and an edge or vertex acts only where it is the nearest point
 * of the surface. Flat and concave edges never act, so a ball rolls over them as over a plane. */
#ifndef KUGEL_SURFACE_H
#define KUGEL_SURFACE_H

#include "world.h"

KUGEL_BEGIN_DECLS

/// @defgroup surfaces Surfaces
/// Meshes of triangles and solid shapes that bodies collide with.
/// @{

/// What a surface is. Shapes other than meshes are solid and exact: bodies meet the true round
/// surface, and a centre inside is pushed out at the nearest point. In the surface's frame:
typedef enum kugel_surface_shape {
    KUGEL_SURFACE_MESH = 0,      ///< triangles
    KUGEL_SURFACE_PLANE = 1,     ///< the half-space z <= 0; size: half length of the square that
                                 ///< shows it, 0: none
    KUGEL_SURFACE_ELLIPSOID = 2, ///< around the origin; size: semi-axes x, y, z
    KUGEL_SURFACE_CAPSULE = 3,   ///< size: radius, half length of its axis along z (0: a sphere)
    KUGEL_SURFACE_CONE = 4       ///< frustum along z, with flat ends; size: radius at the low end,
                                 ///< at the high end (equal: a cylinder; one may be 0), half length
} kugel_surface_shape;

/// What kugel_world_add_surface makes a surface from. Begin with kugel_surface_def_default.
typedef struct kugel_surface_def {
    uint32_t cookie;           ///< set by kugel_surface_def_default
    kugel_surface_shape shape; ///< default KUGEL_SURFACE_MESH
    /// sizes of a solid shape, listed at kugel_surface_shape, m; each > 0 except where 0 is allowed
    /// there
    double size[3];
    /// of a mesh: 3 ... 2^31. Of other shapes counts and arrays are not used; in a def that is read
    /// they show the shape, with 32 sides around.
    uint32_t vertex_count;
    uint32_t triangle_count; ///< 1 ... 2^27, of all surfaces of a world together
    bool one_sided;          ///< true: bodies pass from behind; see `triangles`. Default false
    const double *vertices;  ///< [3 * vertex_count], m, in the surface's frame, within 1e15
    /// [3 * triangle_count], each below vertex_count. In front of a triangle its corners turn left
    /// (counterclockwise). Vertices within 1e-12 of the mesh's size are one; triangles without an
    /// area never act (kugel_surface_info counts both).
    const uint32_t *triangles;
    double position[3];        ///< m, of the frame's origin. Default 0
    double rotation[4];        ///< unit quaternion x, y, z, w, of the frame. Default 0, 0, 0, 1
    double velocity[3];        ///< m/s, of the frame's origin (kugel_world_set_surface_motion)
    double spin[3];            ///< rad/s, about the frame's origin. Default 0
    double restitution;        ///< in [0, 1]. Default 0
    double friction;           ///< in [0, 1e6]. Default 0.5
    double rolling_resistance; ///< in [0, 1e6]. Default 0
    uint32_t category;         ///< as kugel_body_def. Default 1
    uint32_t mask;             ///< as kugel_body_def. Default 0xffffffff
    uint32_t group;            ///< as kugel_body_def. Default 0
} kugel_surface_def;

/// What the world found in a mesh. Nothing of it is an error.
typedef struct kugel_surface_info {
    uint32_t welded;          ///< vertices that equal an earlier one
    uint32_t dropped;         ///< triangles without an area
    uint32_t open_edges;      ///< edges of one triangle; 0 in a closed mesh
    uint32_t branching_edges; ///< edges of more than two triangles
    uint32_t facets;          ///< flat parts
} kugel_surface_info;

/// The default def; it still lacks vertices and triangles, or another shape.
KUGEL_API kugel_surface_def kugel_surface_def_default(void);

/// Add a surface; the world copies the arrays, and sleeping bodies wake. A body that overlaps the
/// surface is pushed out: of a mesh on the side of its centre, of other shapes outwards.
/// @param index may be NULL; receives the lowest free index.
/// @return KUGEL_OK, or with the world unchanged KUGEL_ERROR_INVALID_ARGUMENT,
/// KUGEL_ERROR_UNINITIALIZED_DEF, KUGEL_ERROR_OUT_OF_MEMORY or KUGEL_ERROR_LIMIT: more than 2^27
/// triangles or 16,384 surfaces.
KUGEL_API kugel_status kugel_world_add_surface(kugel_world *world, const kugel_surface_def *def,
                                               uint32_t *index);

/// Remove a surface with its resting contacts; sleeping bodies wake. Its index is free again.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT: there is no such surface, or
/// KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_remove_surface(kugel_world *world, uint32_t index);

/// Put a surface elsewhere between two steps; its resting contacts end and sleeping bodies wake.
/// Bodies between the old and the new place are not carried along.
/// @param position 3 values, m. @param rotation unit quaternion x, y, z, w.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_place_surface(kugel_world *world, uint32_t index,
                                                 const double *position, const double *rotation);

/// Let a surface move from the next step on: a lift, a paddle, a drum. It pushes bodies and is not
/// pushed. Straight motion is exact. A spin is exact in rotation; paths of bodies in its frame are
/// parabolas in each substep, off by the square of the turn in it. With the default substeps a turn
/// is at most 0.02 rad. Sleeping bodies wake, and resting ones that the surface runs into bounce
/// (kugel_body_set_velocity).
/// @param velocity 3 values, m/s, of the frame's origin. @param spin 3 values, rad/s, about it.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_world_set_surface_motion(kugel_world *world, uint32_t index,
                                                      const double *velocity, const double *spin);

/// Indices of surfaces are below this number.
KUGEL_API uint32_t kugel_world_surface_end(const kugel_world *world);

/// A surface as the world has it: the def with its present place. Its arrays belong to the world
/// until the surface is removed or a snapshot is restored; vertices are welded.
/// @param info may be NULL.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT: there is no such surface.
KUGEL_API kugel_status kugel_world_get_surface(const kugel_world *world, uint32_t index,
                                               kugel_surface_def *def, kugel_surface_info *info);

/// @}

KUGEL_END_DECLS
#endif
