/* The surfaces of a world. A surface is a mesh or a solid shape in a frame of its own, with a pose,
 * a motion and a contact material.
 * A triangle has a number in the world: first_triangle of its surface plus its number in the mesh.
 * A surface gets the lowest free numbers when it is added, and keeps them. A shape has one number;
 * its mesh is for drawing only. */
#ifndef KG_WORLD_SURFACES_H
#define KG_WORLD_SURFACES_H

#include "base/sized.h"
#include "base/vec.h"
#include "kugel/surface.h"
#include "surfaces/mesh.h"
#include "surfaces/shape.h"
#include "surfaces/surface_code.h"
#include "world/bodies.h"
#include "world/indices.h"

#define KG_SURFACE_DEF_COOKIE KG_COOKIE(3, kugel_surface_def)

/* Maximum number of surfaces of a world. */
#define KG_SURFACE_LIMIT 16384u

/* A frame in the world: its origin, and its unit axes. */
typedef struct kg_pose {
    double origin[3]; /* m */
    double axes[3][3];
} kg_pose;

typedef struct kg_surface {
    bool used;               /* true: the index has a surface */
    bool moves;              /* it has a velocity or a spin */
    bool runs;               /* it has a tangent velocity */
    bool motion_changed;     /* since near triangles were found the last time */
    bool placed;             /* of a sensor: as kg_bodies.placed */
    uint32_t first_triangle; /* number in the world of its triangle 0 */
    uint64_t geometry_hash;  /* kg_surface_hash_geometry: mesh, or sizes of a shape */
    uint32_t moved_at;       /* see world/moves.h */
    uint32_t placed_at;
    double position[3];         /* m, at the start of the tick */
    double rotation[4];         /* unit quaternion, at the start of the tick */
    double velocity[3];         /* m/s, of the origin */
    double spin[3];             /* rad/s, about the origin */
    double tangent_velocity[3]; /* m/s, of the material along the surface, in its frame */
    kg_pose pose;               /* at the start of the substep; between steps, of the tick */
    kg_material material;
    kg_shape shape;
    kg_mesh mesh;
    const kg_surface_code *code; /* of a plane it may be NULL */
    uint64_t user_data;          /* the host's */
    bool rests;                  /* it is in the tree's part of surfaces at rest */
} kg_surface;

typedef struct kg_surface_tree kg_surface_tree;

/* A surface in the order of its triangle numbers. Compact, because kg_surfaces_find is called for
 * each triangle that a step tests. */
typedef struct kg_surface_in_order {
    uint32_t first_triangle, index;
} kg_surface_in_order;

typedef struct kg_surfaces {
    kg_surface *items;          /* by index */
    kg_surface_in_order *order; /* [count] surfaces in use, by first_triangle */
    kg_indices indices;         /* of `items`, with their generations */
    uint32_t end;               /* indices in use are in [0, end); some are free */
    uint32_t count;             /* indices in use */
    uint32_t *moving, *sensors; /* indices of those that move, and of the sensors, ascending */
    uint32_t moving_count, sensor_count;
    uint32_t number_total;   /* of triangles and shapes: kg_surface_number_count of all */
    bool any_runs;           /* some surface has a tangent velocity */
    bool any_rolls;          /* some surface has rolling resistance */
    bool any_motion_changed; /* of some surface */
    bool any_started;      /* some surface began to move or run, or stopped, since the last tick */
    kg_surface_tree *tree; /* derived, see surface_tree.h; NULL before the first surface */
    kg_column column, order_column, moving_column, sensor_column;
} kg_surfaces;

/* True if some surface moves or has a tangent velocity. */
static inline bool kg_surfaces_any_drags(const kg_surfaces *set)
{
    return set->moving_count || set->any_runs;
}

/* True for a shape, which has an inside; false for a mesh. */
static inline bool kg_surface_is_solid(const kg_surface *surface)
{
    return surface->shape.kind != KUGEL_SURFACE_MESH;
}
/* Count of the numbers that belong to the surface, from first_triangle on: one for each triangle of
 * a mesh, one for a shape. */
static inline uint32_t kg_surface_number_count(const kg_surface *surface)
{
    return kg_surface_is_solid(surface) ? 1 : surface->mesh.triangle_count;
}
/* The same of a def. */
static inline uint32_t kg_surface_def_number_count(const kugel_surface_def *def)
{
    return def->shape == KUGEL_SURFACE_MESH ? def->triangle_count : 1;
}
/* True if bodies collide with the front of the surface only. */
static inline bool kg_surface_is_one_sided(const kg_surface *surface)
{
    return kg_surface_is_solid(surface) || surface->mesh.one_sided;
}

/* Replace values that are ignored by those that are saved: sizes that the shape lacks become 0, of
 * a solid shape also the counts and arrays. -0 becomes +0. */
void kg_surface_def_complete(kugel_surface_def *def);
/* Add a surface of a checked and complete def at an index from kg_indices_next_free. False when
 * out of memory, with the set as it was. */
bool kg_surfaces_add(kg_memory *memory, kg_tasks *tasks, kg_surfaces *set, uint32_t index,
                     uint32_t first_triangle, const kugel_surface_def *def);

/* The parts of kg_surfaces_add, in their order. A snapshot calls them one by one. */
/* Reserve the indices below `end`; new ones are free. False when out of memory. */
bool kg_surfaces_reserve(kg_memory *memory, kg_surfaces *set, uint32_t end);
/* Build the mesh of a complete def. False when out of memory, with *mesh empty. */
bool kg_surface_build_mesh(kg_memory *memory, kg_tasks *tasks, const kugel_surface_def *def,
                           kg_mesh *mesh);
/* Set the members of a surface other than the mesh, its hash and the user data. Call
 * kg_surfaces_note_change when all surfaces are set. */
void kg_surface_set(kg_surface *surface, uint32_t first_triangle, const kugel_surface_def *def);
/* Insert the index of a surface that is set into `order`. */
void kg_surfaces_insert(kg_surfaces *set, uint32_t index);

/* XXH3 of the geometry of a complete def: of a mesh counts, one_sided and the arrays, of a solid
 * shape its kind and sizes. The arrays are numbers in the machine's byte order, or little-endian
 * bytes of any alignment; equal numbers have equal hashes in both. */
uint64_t kg_surface_hash_geometry(const kugel_surface_def *def, const void *vertices,
                                  const void *triangles, bool little_endian);
/* The first of the lowest `triangles` consecutive numbers that are free, or KG_MESH_TRIANGLE_LIMIT
 * if there are none. */
uint32_t kg_surfaces_find_numbers(const kg_surfaces *set, uint32_t triangles);
void kg_surfaces_remove(kg_memory *memory, kg_surfaces *set, uint32_t index);
void kg_surfaces_free(kg_memory *memory, kg_surfaces *set);

/* The box of the surface in its frame, m; false if the surface is unbounded. */
bool kg_surface_box(const kg_surface *surface, double low[3], double high[3]);
/* Upper bound of the distance of the surface's points from its origin, m; KG_VALUE_LIMIT if the
 * surface is unbounded. */
double kg_surface_extent(const kg_surface *surface);

/* The surface to which a triangle of the world belongs, or NULL. */
static inline const kg_surface *kg_surfaces_find(const kg_surfaces *set, uint32_t triangle)
{
    /* bisection: the last surface whose numbers begin at or below the triangle */
    const kg_surface_in_order *found = set->order;
    for (uint32_t count = set->count; count > 1; count -= count / 2) {
        const kg_surface_in_order *middle = found + count / 2;
        found = middle->first_triangle <= triangle ? middle : found; /* no branch */
    }
    if (!set->count || found->first_triangle > triangle) return NULL;
    const kg_surface *s = &set->items[found->index];
    return triangle - s->first_triangle < kg_surface_number_count(s) ? s : NULL;
}
uint32_t kg_surfaces_index(const kg_surfaces *set, const kg_surface *surface);

/* The point of a surface nearest to a point of the world. */
typedef struct kg_surface_closest {
    double point[3];   /* m, in the world, on the surface */
    double outward[3]; /* mesh: from `point` to the given point; shape: outward unit normal */
    double distance;   /* m; below 0 inside a shape */
    uint32_t triangle; /* of the mesh; 0 for a shape */
} kg_surface_closest;
/* Between steps: the nearest point. False if no point of the surface is within `limit`, m. */
bool kg_surface_find_closest(const kg_surface *surface, const double point[3], double limit,
                             kg_surface_closest *closest);

/* surface_motion.c: set position and rotation, and the pose at the start of a tick. */
void kg_surface_place(kg_surface *surface, const double position[3], const double rotation[4]);
/* Set the motion of one surface; call kg_surfaces_note_change when all are set. */
void kg_surface_set_motion(kg_surface *surface, const double velocity[3], const double spin[3]);
void kg_surface_set_tangent_velocity(kg_surface *surface, const double velocity[3]);
/* Update lists, counts and flags of the set, after a surface began to move or to run, stopped, or
 * got another material. */
void kg_surfaces_list_kinds(kg_surfaces *set);
/* Update all that is derived from the surfaces, after their number changed, or several were set. */
void kg_surfaces_note_change(kg_surfaces *set);
/* After near triangles were found: no motion has changed since then. */
void kg_surfaces_note_motions_seen(kg_surfaces *set);
/* kg_surface_set_motion, with what follows from it in the set. */
void kg_surfaces_set_motion(kg_surfaces *set, uint32_t index, const double velocity[3],
                            const double spin[3]);
void kg_surfaces_set_tangent_velocity(kg_surfaces *set, uint32_t index, const double velocity[3]);
/* In a step: set the poses for a substep that starts at `start`, s in the tick. */
void kg_surfaces_begin_substep(kg_surfaces *set, double start);
/* After a step: move all surfaces to the end of the tick of length dt, s. */
void kg_surfaces_commit(kg_surfaces *set, double dt);
/* In a step: return all poses to the start of the tick. The tree of boxes stays valid. */
void kg_surfaces_rewind(kg_surfaces *set);
/* After a step that failed: the same. The boxes are dropped. */
void kg_surfaces_revert(kg_surfaces *set);
/* The pose at time t in the substep, s; between steps t is 0. *moved is memory for the result where
 * the surface moves. */
const kg_pose *kg_surface_pose_at(const kg_surface *surface, double t, kg_pose *moved);
/* The pose at the start of the tick, and after the commit of a step of length dt, s. */
kg_pose kg_surface_pose_at_tick_start(const kg_surface *surface);
kg_pose kg_surface_pose_at_tick_end(const kg_surface *surface, double dt);
/* Velocity of the surface at a point of the world, m/s, at time t in the substep, s. */
void kg_surface_velocity_at(const kg_surface *surface, double t, const double point[3],
                            double velocity[3]);
/* Upper bound, m/s, of the speed in a substep of length h (s) of the surface's points within
 * `reach` (m) of a point of the world. */
double kg_surface_speed_bound(const kg_surface *surface, const double point[3], double reach,
                              double h);

/* Convert directions and points from the world to a frame, and from a frame to the world. */
static inline void kg_pose_to_frame(const kg_pose *pose, const double direction[3], double out[3])
{
    const double v[3] = {direction[0], direction[1], direction[2]};
    for (int k = 0; k < 3; ++k) out[k] = kg_dot3(pose->axes[k], v);
}
static inline void kg_pose_to_world(const kg_pose *pose, const double direction[3], double out[3])
{
    const double v[3] = {direction[0], direction[1], direction[2]};
    for (int k = 0; k < 3; ++k)
        out[k] = v[0] * pose->axes[0][k] + v[1] * pose->axes[1][k] + v[2] * pose->axes[2][k];
}
static inline void kg_pose_point_to_frame(const kg_pose *pose, const double point[3], double out[3])
{
    double d[3];
    kg_sub3(d, point, pose->origin);
    kg_pose_to_frame(pose, d, out);
}
static inline void kg_pose_point_to_world(const kg_pose *pose, const double point[3], double out[3])
{
    kg_pose_to_world(pose, point, out);
    kg_add_scaled3(out, out, 1, pose->origin);
}

/* True if bodies of this material, sensors too, collide with the surface. */
static inline bool kg_surface_admits(const kg_surface *surface, const kg_material *material)
{
    return !surface->material.sensor && kg_bodies_filters_match(&surface->material, material);
}

/* Convert a direction from the surface's frame, with the pose at the start of the substep, to the
 * world. */
static inline void kg_surface_to_world(const kg_surface *surface, const double direction[3],
                                       double out[3])
{
    kg_pose_to_world(&surface->pose, direction, out);
}
/* Convert a point from the world to the surface's frame, with the pose at the start of the
 * substep. */
static inline void kg_surface_point_to_frame(const kg_surface *surface, const double point[3],
                                             double out[3])
{
    kg_pose_point_to_frame(&surface->pose, point, out);
}

/* kg_shape_distance of a surface. */
static inline double kg_surface_distance(const kg_surface *surface, const double x[3],
                                         double outward[3])
{
    if (surface->shape.kind != KUGEL_SURFACE_PLANE)
        return surface->code->shape_distance(&surface->shape, x, outward);
    kg_set3(outward, 0, 0, 1);
    return x[2];
}

/* Distance of a point of the world from a solid shape in a pose, m, < 0 inside, and the outward
 * unit normal in the world. */
static inline double kg_surface_height(const kg_surface *surface, const kg_pose *pose,
                                       const double point[3], double outward[3])
{
    double x[3];
    if (surface->shape.kind == KUGEL_SURFACE_PLANE) { /* as below, but short: floors are many */
        kg_sub3(x, point, pose->origin);
        kg_copy3(outward, pose->axes[2]);
        return kg_dot3(outward, x);
    }
    kg_pose_point_to_frame(pose, point, x);
    double height = surface->code->shape_distance(&surface->shape, x, outward);
    kg_pose_to_world(pose, outward, outward);
    return height;
}

/* The complete def of a surface, as saved. The arrays of a mesh belong to the surface. */
kugel_surface_def kg_surface_def(const kg_surface *surface);
/* The def of a surface with the triangles for drawing it. Its arrays belong to the surface. */
kugel_surface_def kg_surface_shown_def(const kg_surface *surface);

#endif
