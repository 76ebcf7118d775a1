/* Solid convex shapes as boundaries: half spaces, ellipsoids, capsules, frusta of cones, boxes. A
 * shape is given by its signed distance, which is convex; times of impact and rays follow from the
 * distance. In: shape, points in its frame, m. Out: distances, times of impact. Functions are
 * pure. */
#ifndef KG_SURFACES_SHAPE_H
#define KG_SURFACES_SHAPE_H

#include "base/vec.h"
#include "geometry/convex_meet.h"
#include "geometry/sweep_ballistic.h"
#include "kugel/surface.h"
#include "surfaces/mesh.h"

typedef struct kg_shape {
    uint32_t kind;  /* kugel_surface_shape; 0: a mesh */
    double size[3]; /* kugel_surface_def.size */
} kg_shape;

/* Number of sizes of a kind of kugel_surface_shape. */
static inline int kg_shape_sizes(uint32_t kind)
{
    return kind == KUGEL_SURFACE_PLANE     ? 1
           : kind == KUGEL_SURFACE_CAPSULE ? 2
           : kind == KUGEL_SURFACE_MESH    ? 0
                                           : 3;
}

/* Distance of x from the shape, m, below 0 inside, and the outward unit normal at the nearest point
 * of its surface. */
double kg_shape_distance(const kg_shape *shape, const double x[3], double outward[3]);

/* The earliest time in [0, path->horizon), s, at which the sphere touches or overlaps the shape and
 * approaches it; KG_NEVER if there is none. With a horizon of 0 the time 0 is tested. *normal: into
 * the shape. */
double kg_shape_sweep(const kg_shape *shape, const kg_mesh_path *path, double normal[3]);

/* The same of a plane. */
static inline double kg_plane_sweep(const kg_mesh_path *path, double normal[3])
{
    kg_set3(normal, 0, 0, -1);
    return kg_sweep_plane_ballistic(path->x[2] - path->radius, path->v[2], path->a[2],
                                    path->horizon);
}

/* A ray: the first t in [0, limit) at which origin + t direction is in the shape, or KG_NEVER. With
 * a limit of 0 the time 0 is tested. *normal: outward. */
double kg_shape_ray(const kg_shape *shape, const double origin[3], const double direction[3],
                    double limit, double normal[3]);

/* True if the shape and another convex solid, in the shape's frame, have a common point, or nearly:
 * a distance of KG_CONVEX_TOLERANCE times their coordinates counts as contact. *point: in, any
 * point of the other solid; out, if true, a common point. */
bool kg_shape_meets(const kg_shape *shape, const kg_convex *other, double point[3]);

/* Fill an empty mesh with vertices and corners that show the shape, but no plane; the rest stays
 * empty. False, and the mesh empty, when out of memory. */
bool kg_shape_outline(kg_memory *memory, const kg_shape *shape, kg_mesh *mesh);
/* The same of a plane: a square of this half length, or nothing. */
bool kg_plane_outline(kg_memory *memory, double half, kg_mesh *mesh);

#endif
