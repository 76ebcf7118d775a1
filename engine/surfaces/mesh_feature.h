/* Where the parts of a triangle answer: each part has a region, the points to which it is nearer
 * than the other parts around it. Regions are intersections of half-spaces. Their borders count on
 * both sides, with a tolerance: a path that runs along a border, where rounding decides, is in both
 * regions rather than in none, and cannot slip between them. */
#ifndef KG_SURFACES_MESH_FEATURE_H
#define KG_SURFACES_MESH_FEATURE_H

#include "base/vec.h"
#include "surfaces/mesh.h"

/* The half-edge h = 3 * triangle + k runs from corner k to corner (k + 1) % 3. */
static inline uint32_t kg_mesh_start(const kg_mesh *mesh, uint32_t half)
{
    return mesh->corner[half];
}
static inline uint32_t kg_mesh_end(const kg_mesh *mesh, uint32_t half)
{
    return mesh->corner[half % 3 == 2 ? half - 2 : half + 1];
}
/* False for dropped triangles. */
static inline bool kg_mesh_is_live(const kg_mesh *mesh, uint32_t triangle)
{
    return mesh->answers[triangle] & 1u << KG_PART_FACE;
}
static inline const double *kg_mesh_vertex(const kg_mesh *mesh, uint32_t vertex)
{
    return mesh->vertex + 3 * (size_t)vertex;
}
/* From the start of a half-edge to its end, m. */
static inline void kg_mesh_along(const kg_mesh *mesh, uint32_t half, double along[3])
{
    kg_sub3(along, kg_mesh_vertex(mesh, kg_mesh_end(mesh, half)),
            kg_mesh_vertex(mesh, kg_mesh_start(mesh, half)));
}
/* The largest absolute coordinate of the triangles, m. */
static inline double kg_mesh_largest_coordinate(const kg_mesh *mesh)
{
    double largest = 0;
    for (int k = 0; k < 3; ++k) {
        largest = kg_max(largest, kg_abs((double)mesh->low[k]));
        largest = kg_max(largest, kg_abs((double)mesh->high[k]));
    }
    return largest;
}

/* The unit normal of a triangle's front by its corners. For z = const it is exactly (0, 0, +-1). */
void kg_mesh_corners_normal(const kg_mesh *mesh, const uint32_t corner[3], double normal[3]);

/* The lowest half-edge of an edge. */
uint32_t kg_mesh_edge_owner(const kg_mesh *mesh, uint32_t half);

/* A part of a triangle. Face: a point and the unit normal of the facet's plane. Edge: its end of
 * the lower vertex and the unit direction to the other. Vertex: its point. */
typedef struct kg_mesh_site {
    const kg_mesh *mesh;
    uint32_t triangle, part;
    double point[3], along[3];
    double length; /* of an edge */
} kg_mesh_site;
void kg_mesh_set_site(kg_mesh_site *site, const kg_mesh *mesh, uint32_t triangle, uint32_t part);

/* The points x with inward . (x - point) >= 0; inward may have any length. */
typedef struct kg_mesh_half_space {
    double inward[3], point[3];
} kg_mesh_half_space;
/* The next half-space of the site's region; false after the last. *cursor starts at 0. */
bool kg_mesh_next_half_space(const kg_mesh_site *site, uint32_t *cursor, kg_mesh_half_space *half);

/* Width by which regions overlap at a distance from the surface, m. x: where a path starts. */
double kg_mesh_tolerance(const kg_mesh *mesh, const double x[3], double distance);

/* True if x is in the region, within the tolerance. */
bool kg_mesh_site_contains(const kg_mesh_site *site, const double x[3], double tolerance);

/* True if x is in front of a triangle around the edge or vertex of a one-sided mesh. Always true
 * for other meshes, and for edges without a triangle on one side. */
bool kg_mesh_is_in_front(const kg_mesh_site *site, const double x[3], double tolerance);

#endif
