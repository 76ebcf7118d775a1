/* The surfaces of a world: a mesh or shape in a frame of its own, its place and material.
 * A triangle has a number in the world: the first of its surface plus its own. Numbers are assigned
 * when a surface is added, the lowest that are free, and stay until it is removed. A shape has one
 * number; its mesh only shows it. Planes beyond those of a kg_boundary_set are shapes, too; their
 * numbers follow KG_MESH_TRIANGLE_LIMIT. */
#ifndef KG_WORLD_SURFACES_H
#define KG_WORLD_SURFACES_H

#include "kugel/surface.h"
#include "surfaces/mesh.h"
#include "surfaces/shape.h"
#include "world/bodies.h"

#define KG_SURFACE_DEF_COOKIE 0x6b756773u

/* Most surfaces of a world. */
#define KG_SURFACE_LIMIT 16384u

/* Where a frame is: its origin, and its axes in the world. */
typedef struct kg_pose {
    double origin[3]; /* m */
    double axes[3][3];
} kg_pose;

typedef struct kg_surface {
    bool used;               /* false: the index is free */
    bool moves;              /* it has a velocity or a spin */
    uint32_t first_triangle; /* number of its triangle 0 */
    uint64_t geometry_hash;  /* kg_surface_hash_geometry: mesh, or sizes of a shape */
    double position[3];      /* m; this and the rotation: at the start of a tick */
    double rotation[4];      /* unit quaternion */
    double velocity[3];      /* m/s, of the origin */
    double spin[3];          /* rad/s, about the origin */
    kg_pose pose;            /* in a step: at the start of the substep */
    kg_material material;
    kg_shape shape;
    kg_mesh mesh;
} kg_surface;

typedef struct kg_surface_tree kg_surface_tree;

typedef struct kg_surfaces {
    kg_surface *items;     /* by index */
    uint32_t *order;       /* [count] indices in use, by first_triangle */
    kg_surface *planes;    /* planes as shapes, without a mesh */
    uint32_t end;          /* indices are below */
    uint32_t count;        /* in use */
    uint32_t plane_count;  /* of `planes` */
    bool any_moves;        /* some surface moves */
    kg_surface_tree *tree; /* derived, see surface_tree.h; NULL before the first surface */
    kg_column column, order_column, plane_column;
} kg_surfaces;

/* True if bodies can meet features. */
static inline bool kg_surfaces_any(const kg_surfaces *set)
{
    return set->count || set->plane_count;
}

/* True for a shape: it has an inside. */
static inline bool kg_surface_is_solid(const kg_surface *surface)
{
    return surface->shape.kind != KUGEL_SURFACE_MESH;
}
/* Numbers from first_triangle on that belong to the surface: one for each triangle, one for a solid
 * shape. */
static inline uint32_t kg_surface_numbers(const kg_surface *surface)
{
    return kg_surface_is_solid(surface) ? 1 : surface->mesh.triangle_count;
}
/* True if only the front stops bodies. */
static inline bool kg_surface_is_one_sided(const kg_surface *surface)
{
    return kg_surface_is_solid(surface) || surface->mesh.one_sided;
}

/* Add a checked surface at an index, which is free or new. False when out of memory, with the set
 * as it was. */
bool kg_surfaces_add(kg_memory *memory, kg_surfaces *set, uint32_t index, uint32_t first_triangle,
                     const kugel_surface_def *def);
/* This and the next functions are the parts of kg_surfaces_add. Reserve the indices below `end`;
 * new ones are free. False when out of memory. */
bool kg_surfaces_reserve(kg_memory *memory, kg_surfaces *set, uint32_t end);
/* Complete a def: sizes that are not used become 0. A shape gets arrays by which it is hashed and
 * saved: its sizes as one vertex, and one triangle without an area. They live as long as *def. */
void kg_surface_def_complete(kugel_surface_def *def);
/* The mesh of a complete def. False when out of memory, with *mesh empty. */
bool kg_surface_build_mesh(kg_memory *memory, const kugel_surface_def *def, kg_mesh *mesh);
/* Planes that are shapes: reserve, add, remove the last ones. Reserve first: adding cannot fail. */
bool kg_surfaces_reserve_planes(kg_memory *memory, kg_surfaces *set, uint32_t count);
void kg_surfaces_add_plane(kg_surfaces *set, const kugel_plane *plane);
/* All but the mesh and its hash; call kg_surfaces_note_change when all are set. */
void kg_surface_set(kg_surface *surface, uint32_t first_triangle, const kugel_surface_def *def);
/* Count the surface at a reserved index, which is set. */
void kg_surfaces_insert(kg_surfaces *set, uint32_t index);
/* The shape, and whether a mesh is one-sided, in one word. */
static inline uint32_t kg_surface_kind_word(const kugel_surface_def *def)
{
    return (uint32_t)def->shape << 1 | (def->one_sided ? 1 : 0);
}
/* XXH3 of counts, kind, vertices and corners. They are numbers of this machine, or
 * little-endian bytes of any alignment; equal numbers have equal hashes. */
uint64_t kg_surface_hash_geometry(const kugel_surface_def *def, const void *vertices,
                                  const void *triangles, bool little_endian);
/* The lowest numbers for `triangles`, or KG_MESH_TRIANGLE_LIMIT if there are none. */
uint32_t kg_surfaces_find_numbers(const kg_surfaces *set, uint32_t triangles);
uint32_t kg_surfaces_free_index(const kg_surfaces *set);
void kg_surfaces_remove(kg_memory *memory, kg_surfaces *set, uint32_t index);
void kg_surfaces_free(kg_memory *memory, kg_surfaces *set);

/* The k-th of all: indices first, some of them free, then planes. */
static inline uint32_t kg_surfaces_end(const kg_surfaces *set)
{
    return set->end + set->plane_count;
}
static inline const kg_surface *kg_surfaces_at(const kg_surfaces *set, uint32_t k)
{
    return k < set->end ? &set->items[k] : &set->planes[k - set->end];
}

/* The box of the surface in its frame, m; false if it has no end. */
bool kg_surface_box(const kg_surface *surface, double low[3], double high[3]);
/* m; no point of the surface is farther from its origin. */
double kg_surface_extent(const kg_surface *surface);

/* The surface that has a triangle of the world, or NULL. */
const kg_surface *kg_surfaces_find(const kg_surfaces *set, uint32_t triangle);
uint32_t kg_surfaces_index(const kg_surfaces *set, const kg_surface *surface);

/* The point of a surface nearest to a point of the world. */
typedef struct kg_surface_closest {
    double point[3];
    double outward[3]; /* from a mesh to the point, of any length; out of a shape, unit */
    double distance;   /* m; below 0 in a shape */
    uint32_t triangle;
} kg_surface_closest;
/* False if nothing of the surface is within `limit`, m. Between steps. */
bool kg_surface_find_closest(const kg_surface *surface, const double point[3], double limit,
                             kg_surface_closest *closest);

/* surface_motion.c */
void kg_surface_place(kg_surface *surface, const double position[3], const double rotation[4]);
/* Set the motion of one surface; call kg_surfaces_note_change when all are set. */
void kg_surface_set_motion(kg_surface *surface, const double velocity[3], const double spin[3]);
/* Surfaces, their places or motions have changed. */
void kg_surfaces_note_change(kg_surfaces *set);
/* Both. */
void kg_surfaces_set_motion(kg_surfaces *set, uint32_t index, const double velocity[3],
                            const double spin[3]);
/* In a step: set the poses for a substep that starts at `start`, s in the tick. */
void kg_surfaces_begin_substep(kg_surfaces *set, double start);
/* After a step: move all surfaces by the tick, or back to its start if it failed. */
void kg_surfaces_commit(kg_surfaces *set, double dt);
void kg_surfaces_revert(kg_surfaces *set);
/* The pose at t of the substep, s; between steps t is 0. */
const kg_pose *kg_surface_pose_at(const kg_surface *surface, double t, kg_pose *moved);
/* The pose at the start of the tick. */
kg_pose kg_surface_pose_before(const kg_surface *surface);
/* Velocity of the surface at a point of the world at t of the substep, m/s. */
void kg_surface_velocity_at(const kg_surface *surface, double t, const double point[3],
                            double velocity[3]);
/* m/s; no point of the surface within `reach` of a point of the world is faster in a substep h. */
double kg_surface_speed_bound(const kg_surface *surface, const double point[3], double reach,
                              double h);

/* From the world into a frame and back: directions, and points. */
void kg_pose_to_frame(const kg_pose *pose, const double direction[3], double out[3]);
void kg_pose_to_world(const kg_pose *pose, const double direction[3], double out[3]);
void kg_pose_point_to_frame(const kg_pose *pose, const double point[3], double out[3]);
void kg_pose_point_to_world(const kg_pose *pose, const double point[3], double out[3]);

/* True if bodies of this material collide with the surface. Sensors do, as with walls. Planes of
 * the world have no filter. */
static inline bool kg_surface_admits(const kg_surface *surface, const kg_material *material)
{
    return surface->shape.kind == KG_SHAPE_HALF_SPACE ||
           kg_bodies_filters_match(&surface->material, material);
}

/* Between steps, or at the start of a substep. Convert a direction from the surface's frame to the
 * world. */
static inline void kg_surface_to_world(const kg_surface *surface, const double direction[3],
                                       double out[3])
{
    kg_pose_to_world(&surface->pose, direction, out);
}
/* Likewise, a point from the world to the surface's frame. */
static inline void kg_surface_point_to_frame(const kg_surface *surface, const double point[3],
                                             double out[3])
{
    kg_pose_point_to_frame(&surface->pose, point, out);
}

/* The def of a surface, complete; its arrays belong to the surface. */
kugel_surface_def kg_surface_def(const kg_surface *surface);
/* The same with the triangles that show it. */
kugel_surface_def kg_surface_shown_def(const kg_surface *surface);

#endif
