/* Voronoi regions of the parts of a triangle. The region of a face, edge or vertex has the points
 * to which this part is nearer than those around it. A region is an intersection of half-spaces.
 * Adjacent regions overlap by a tolerance above rounding, so a path along a border is in both
 * regions and cannot slip between them. */
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
/* True for a triangle that collides; false for a dropped one. */
static inline bool kg_mesh_has_area(const kg_mesh *mesh, uint32_t triangle)
{
    return mesh->collidable[triangle] & 1u << KG_PART_FACE;
}
/* The collidable parts that a triangle owns, as bits. */
static inline uint32_t kg_mesh_collidable_parts(const kg_mesh *mesh, uint32_t triangle)
{
    return mesh->collidable[triangle] & ~KG_SHARES_FACET;
}
static inline bool kg_mesh_shares_facet(const kg_mesh *mesh, uint32_t triangle)
{
    return mesh->collidable[triangle] & KG_SHARES_FACET;
}
/* The triangle that names the facet. Most triangles of uneven ground are facets: they save a load
 * of scattered memory. */
static inline uint32_t kg_mesh_facet_of(const kg_mesh *mesh, uint32_t triangle)
{
    return kg_mesh_shares_facet(mesh, triangle) ? mesh->facet[triangle] : triangle;
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
/* The unit normal of a triangle's front, from its corners. If all corners have the same z, the
 * normal is exactly (0, 0, +-1). */
void kg_mesh_corners_normal(const kg_mesh *mesh, const uint32_t corner[3], double normal[3]);

/* The lowest half-edge of the edge to which a half-edge belongs. */
uint32_t kg_mesh_edge_owner(const kg_mesh *mesh, uint32_t half);

/* A part of a triangle, with its geometry (the site of a Voronoi region). */
typedef struct kg_mesh_site {
    const kg_mesh *mesh;
    uint32_t triangle, part;
    /* m; face: a point of the facet's plane; edge: its lower vertex; vertex: its point */
    double point[3];
    /* face: unit normal of the facet's front; edge: unit direction from `point`; vertex: 0 */
    double along[3];
    double length; /* m, of an edge; else 0 */
} kg_mesh_site;
void kg_mesh_set_site(kg_mesh_site *site, const kg_mesh *mesh, uint32_t triangle, uint32_t part);

/* The points x with inward . (x - point) >= 0; inward may have any length. */
typedef struct kg_mesh_half_space {
    double inward[3], point[3];
} kg_mesh_half_space;
/* The next half-space of the site's region; false after the last. *cursor starts at 0. */
bool kg_mesh_next_half_space(const kg_mesh_site *site, uint32_t *cursor, kg_mesh_half_space *space);

/* Tolerance by which regions overlap at a distance (m) from the surface, m. x: the point, or the
 * start of a path. */
double kg_mesh_tolerance(const kg_mesh *mesh, const double x[3], double distance);

/* True if x is in the region, within the tolerance. */
bool kg_mesh_site_contains(const kg_mesh_site *site, const double x[3], double tolerance);

/* True if x is in front of some triangle around the edge or vertex. Always true for a face, for a
 * two-sided mesh, for an open edge, and for a vertex with an open or branching edge. */
bool kg_mesh_is_in_front(const kg_mesh_site *site, const double x[3], double tolerance);

/* True if an edge or vertex at `distance` (m) from x is the nearest part of the surface there. */
bool kg_mesh_sharp_site_is_nearest(const kg_mesh_site *site, const double x[3], double distance);

#endif
