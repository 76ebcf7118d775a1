/* Triangle meshes as boundaries. A sphere meets the surface, not its triangles: flat neighbours are
 * one facet, and an edge or vertex answers only where it is the nearest point of the surface.
 * In: vertices and triangles. Out: facets, edges and vertices that answer, a tree of boxes.
 * Features are numbered 8 * triangle + part. A facet has the number of its face of the largest
 * area, an edge or vertex the lowest of its numbers. Functions on a mesh are pure. */
#ifndef KG_SURFACES_MESH_H
#define KG_SURFACES_MESH_H

#include "base/memory.h"

/* Parts of a triangle. Edge k joins corners k and (k + 1) % 3. */
enum { KG_PART_FACE = 0, KG_PART_EDGE = 1, KG_PART_VERTEX = 4, KG_PARTS = 8 };

/* Most triangles of all meshes of a world: features fit into 31 bits. */
#define KG_MESH_TRIANGLE_LIMIT ((uint32_t)1 << 27)

/* A node of the tree, two cache lines: boxes of its children, rounded outwards to a grid. */
enum { KG_MESH_CHILDREN = 8 };
typedef struct kg_mesh_node {
    float low[3], step[3];                /* m; side s along axis k is at low[k] + step[k] * s */
    uint8_t side[3][2][KG_MESH_CHILDREN]; /* [axis][low, high][child] */
    uint32_t child[KG_MESH_CHILDREN];     /* kg_mesh_is_leaf, kg_mesh_leaf_of; KG_NONE: no more */
    uint32_t unused[6];
} kg_mesh_node;

/* Triangles at the end of the tree, a cache line: their numbers, KG_NONE: no more, and corners. The
 * highest bit of a number says that the triangle names its facet: its corners give the normal. */
#define KG_MESH_NAMES_FACET (1u << 31)
typedef struct kg_mesh_leaf {
    uint32_t corner[4][3], triangle[4];
} kg_mesh_leaf;

/* What building found; nothing of it is an error. */
typedef struct kg_mesh_report {
    uint32_t welded;          /* vertices that equal an earlier one within the tolerance */
    uint32_t dropped;         /* triangles without an area: they never answer */
    uint32_t open_edges;      /* of one triangle */
    uint32_t branching_edges; /* of more than two triangles */
    uint32_t facets;
} kg_mesh_report;

typedef struct kg_mesh {
    uint32_t vertex_count, triangle_count, node_count, leaf_count;
    float low[3], high[3]; /* the box of all triangles with an area, rounded outwards, m */
    bool one_sided;        /* faces answer in front only: where their corners turn left */
    double *vertex;        /* [3 * vertex_count], m; as given, but for the sign of -0 */
    uint32_t *corner;      /* [3 * triangle_count]; as given, but for welded vertices */
    uint32_t *facet;       /* [triangle_count]; triangle that names the facet and its plane */
    uint32_t *around;      /* [3 * triangle_count]; next half-edge of the same edge, a cycle */
    /* [triangle_count]; bit `part`: the triangle owns this part, which can be nearest. Bit 0, of
     * the face: set for each triangle with an area. Dropped triangles have 0 */
    uint8_t *answers;
    uint32_t *spoke_start; /* [vertex_count + 1]; edges of vertex v: spoke[spoke_start[v] ...] */
    uint32_t *spoke;       /* vertices at their other ends */
    uint32_t *owner;       /* [vertex_count]; lowest triangle of each vertex, KG_NONE without */
    kg_mesh_node *node;    /* [node_count]; [0] is the root */
    kg_mesh_leaf *leaf;    /* [leaf_count]; without dropped triangles */
    kg_mesh_report report;
    kg_column columns[10];
} kg_mesh;

/* Build a mesh from vertices[3 * vertex_count] (finite, m) and triangles[3 * triangle_count]
 * (below vertex_count). Deterministic; building the arrays `vertex` and `corner` of a mesh again
 * gives the same mesh. False when out of memory, or beyond the limit, with *mesh empty. */
bool kg_mesh_build(kg_memory *memory, kg_mesh *mesh, const double *vertices, uint32_t vertex_count,
                   const uint32_t *triangles, uint32_t triangle_count, bool one_sided);
void kg_mesh_free(kg_memory *memory, kg_mesh *mesh);

/* Call visit(context, triangle) for each triangle whose box is within `reach` (m, >= 0) of a box,
 * in the tree's order, until it returns false; returns false then. Reach 0: the boxes meet. Around
 * a point x: low = high = x. */
typedef bool kg_mesh_visit(void *context, uint32_t triangle);
bool kg_mesh_find_near(const kg_mesh *mesh, const double low[3], const double high[3], double reach,
                       kg_mesh_visit *visit, void *context);

/* Height of x over the plane of a triangle's facet, m, and the unit normal of its front. */
double kg_mesh_height(const kg_mesh *mesh, uint32_t triangle, const double x[3], double normal[3]);
/* True if x lies over or under the triangle: its foot is in it, within the tolerance of regions. By
 * the height and normal of kg_mesh_height. */
bool kg_mesh_is_over(const kg_mesh *mesh, uint32_t triangle, const double x[3], double height,
                     const double normal[3]);
/* Bound of the distance between a facet's plane and its triangles, m. */
double kg_mesh_facet_thickness(const kg_mesh *mesh);
/* True if another facet, or none, is beyond edge k of a triangle. */
bool kg_mesh_is_border(const kg_mesh *mesh, uint32_t triangle, uint32_t k);

/* Distance of x from edge k of a triangle, m. */
double kg_mesh_edge_distance(const kg_mesh *mesh, uint32_t triangle, uint32_t k, const double x[3]);

/* Distance of x from a triangle, m, and the nearest point. */
double kg_mesh_distance(const kg_mesh *mesh, uint32_t triangle, const double x[3], double point[3]);

/* The point of a triangle nearest to x. */
typedef struct kg_mesh_nearest {
    double point[3];
    double distance; /* m */
    uint32_t feature;
    bool answers; /* true when `feature` answers at x: no other triangle around it is nearer */
} kg_mesh_nearest;
void kg_mesh_find_nearest(const kg_mesh *mesh, uint32_t triangle, const double x[3],
                          kg_mesh_nearest *nearest);

/* Distance of x from a feature, m, and the unit normal from x into it. KG_NEVER (sweep_linear.h)
 * where the feature does not answer; the normal is set then, too. A point behind a face of a
 * one-sided mesh has a distance below 0 until it is `depth` (m, >= 0) behind; deeper the face does
 * not answer. A two-sided face answers on the side of x. */
double kg_mesh_feature_distance(const kg_mesh *mesh, uint32_t feature, const double x[3],
                                double depth, double normal[3]);
/* The same normal and distance, whether or not the feature answers; KG_NEVER for one of a dropped
 * triangle. */
double kg_mesh_feature_normal(const kg_mesh *mesh, uint32_t feature, const double x[3],
                              double normal[3]);
/* The triangle of a facet that holds the foot of x: the one that names the facet if it does, else
 * the lowest. Without one (x is beside the facet) that which names it. */
uint32_t kg_mesh_facet_triangle(const kg_mesh *mesh, uint32_t triangle, const double x[3]);

/* Lower bound, m, of the path on which a sphere at x comes to touch a part that answers: the larger
 * of its gap to the part's plane, line or point, and the distance of its centre from the part's
 * region. */
double kg_mesh_part_clearance(const kg_mesh *mesh, uint32_t triangle, uint32_t part,
                              const double x[3], double radius);

/* The path of a centre: x + v t + a t^2 / 2 for t in [0, horizon], s. */
typedef struct kg_mesh_path {
    double x[3], v[3], a[3], radius, horizon;
} kg_mesh_path;

/* When a sphere meets the part of a triangle that this triangle owns (bit in `answers`; the face
 * always counts): the earliest time at which it touches or overlaps the feature, approaches it, and
 * the feature answers. This is 0 if it holds at the start. Else it is the time at which the gap
 * closes, or at which the centre comes over the feature with the gap already closed. KG_NEVER if
 * there is none, and where it is after `last`, s: a time up to then is the same for every `last`.
 * *normal: from the centre into the feature at that time. */
double kg_mesh_sweep_part(const kg_mesh *mesh, uint32_t triangle, uint32_t part,
                          const kg_mesh_path *path, double last, double normal[3]);

/* The facet, edge or vertex that a part of a triangle belongs to: the number of its owner. */
uint32_t kg_mesh_feature_of(const kg_mesh *mesh, uint32_t triangle, uint32_t part);

/* The first contact of a moving sphere with any feature in [0, path->horizon], and its feature. */
double kg_mesh_cast(const kg_mesh *mesh, const kg_mesh_path *path, uint32_t *feature,
                    double normal[3]);

#endif
