/* The surfaces of a world: a mesh in a frame of its own, its place and material.
 * A triangle has a number in the world: the first of its surface plus its own. Numbers are assigned
 * when a surface is added, the lowest that are free, and stay until it is removed. */
#ifndef KG_WORLD_SURFACES_H
#define KG_WORLD_SURFACES_H

#include "kugel/surface.h"
#include "surfaces/mesh.h"
#include "world/bodies.h"

#define KG_SURFACE_DEF_COOKIE 0x6b756773u

/* Most surfaces of a world: searches are linear in their number. */
#define KG_SURFACE_LIMIT 16384u

typedef struct kg_surface {
    bool used;               /* false: the index is free */
    uint32_t first_triangle; /* number of its triangle 0 */
    uint64_t geometry_hash;  /* kg_surface_hash_geometry of the mesh */
    double position[3];      /* m */
    double rotation[4];      /* unit quaternion */
    double axes[3][3];       /* the frame's axes in the world */
    kg_material material;
    kg_mesh mesh;
} kg_surface;

typedef struct kg_surfaces {
    kg_surface *items; /* by index */
    uint32_t end;      /* indices are below */
    uint32_t count;    /* in use */
    kg_column column;
} kg_surfaces;

/* Add a checked surface at an index, which is free or new. False when out of memory, with the set
 * as it was. */
bool kg_surfaces_add(kg_memory *memory, kg_surfaces *set, uint32_t index, uint32_t first_triangle,
                     const kugel_surface_def *def);
/* The parts of kg_surfaces_add. Reserve indices below `end`, which become free ones; false when out
 * of memory. */
bool kg_surfaces_reserve(kg_memory *memory, kg_surfaces *set, uint32_t end);
/* All but the mesh and its hash. */
void kg_surface_set(kg_surface *surface, uint32_t first_triangle, const kugel_surface_def *def);
/* XXH3 of counts, sidedness, vertices and corners. They are numbers of this machine, or
 * little-endian bytes of any alignment; equal numbers have equal hashes. */
uint64_t kg_surface_hash_geometry(const kugel_surface_def *def, const void *vertices,
                                  const void *triangles, bool little_endian);
/* The lowest numbers for `triangles`, or KG_MESH_TRIANGLE_LIMIT if there are none. */
uint32_t kg_surfaces_find_numbers(const kg_surfaces *set, uint32_t triangles);
uint32_t kg_surfaces_free_index(const kg_surfaces *set);
void kg_surfaces_remove(kg_memory *memory, kg_surfaces *set, uint32_t index);
void kg_surface_place(kg_surface *surface, const double position[3], const double rotation[4]);
void kg_surfaces_free(kg_memory *memory, kg_surfaces *set);

/* The surface that has a triangle of the world, or NULL. */
const kg_surface *kg_surfaces_find(const kg_surfaces *set, uint32_t triangle);
uint32_t kg_surfaces_index(const kg_surfaces *set, const kg_surface *surface);

/* From the world into the surface's frame and back; directions, and points. */
void kg_surface_to_frame(const kg_surface *surface, const double direction[3], double out[3]);
void kg_surface_to_world(const kg_surface *surface, const double direction[3], double out[3]);
void kg_surface_point_to_frame(const kg_surface *surface, const double point[3], double out[3]);

/* True if bodies of this material collide with the surface. Sensors do, as with walls. */
static inline bool kg_surface_admits(const kg_surface *surface, const kg_material *material)
{
    return kg_bodies_filters_match(&surface->material, material);
}

/* The def of a surface; its arrays belong to the mesh. */
kugel_surface_def kg_surface_def(const kg_surface *surface);

#endif
