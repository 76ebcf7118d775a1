/* Triangle meshes as boundaries. A sphere collides with features: facets (coplanar neighbouring
 * triangles joined), edges and vertices. A feature collides only where it is the nearest point of
 * the surface, so a ball does not hop at inner edges.
 * In: vertices and triangles. Out: facets, collidable edges and vertices, a tree of boxes.
 * A feature has the number 8 * triangle + part of the triangle that owns it: of a facet its largest
 * triangle, of an edge the lowest half-edge, of a vertex the lowest triangle around it.
 * Functions on a mesh are pure. */
#ifndef KG_SURFACES_MESH_H
#define KG_SURFACES_MESH_H

#include "base/memory.h"
#include "base/tasks.h"

/* Parts of a triangle. Edge k joins corners k and (k + 1) % 3. Numbers of parts of two triangles
 * differ by KG_PARTS. */
enum { KG_PART_FACE = 0, KG_PART_EDGE = 1, KG_PART_VERTEX = 4, KG_PART_END = 7, KG_PARTS = 8 };

/* Bit of kg_mesh.collidable beside those of parts: other triangles have the same facet. */
#define KG_SHARES_FACET (1u << KG_PART_END)

/* Maximum number of triangles of all meshes of a world: feature numbers fit into 31 bits. */
#define KG_MESH_TRIANGLE_LIMIT ((uint32_t)1 << 27)

/* A node of the tree, two cache lines: boxes of its children, rounded outwards to a grid. */
enum { KG_MESH_CHILDREN = 8 };
typedef struct kg_mesh_node {
    float low[3], step[3];                /* m; grid line s of axis k is at low[k] + step[k] * s */
    uint8_t side[3][2][KG_MESH_CHILDREN]; /* grid lines of the boxes: [axis][low, high][child] */
    uint32_t child[KG_MESH_CHILDREN];     /* node or leaf (kg_mesh_is_leaf); KG_NONE: no more */
    uint32_t unused[6];
} kg_mesh_node;

/* Bit of kg_mesh_leaf.triangle: the triangle names its facet, so its corners give the normal. */
#define KG_MESH_NAMES_FACET (1u << 31)
/* A leaf of the tree, one cache line: up to four triangles. */
typedef struct kg_mesh_leaf {
    uint32_t corner[4][3]; /* vertices of each triangle */
    uint32_t triangle[4];  /* number, perhaps with KG_MESH_NAMES_FACET; KG_NONE: no more */
} kg_mesh_leaf;

/* Properties of the triangles that building found. None is an error. */
typedef struct kg_mesh_report {
    uint32_t welded;          /* vertices that equal an earlier one within the tolerance */
    uint32_t dropped;         /* triangles without an area, or repeated: they never collide */
    uint32_t open_edges;      /* edges of one triangle */
    uint32_t branching_edges; /* edges of more than two triangles */
    uint32_t facets;
} kg_mesh_report;

typedef struct kg_mesh {
    uint32_t vertex_count, triangle_count, node_count, leaf_count;
    float low[3], high[3];     /* the box of all triangles with an area, rounded outwards, m */
    double largest_coordinate; /* of this box, absolute, m */
    double
        facet_thickness;   /* m, upper bound of the distance of a facet's vertices from its plane */
    bool one_sided;        /* only fronts collide; seen from the front, corners turn left */
    bool closed;           /* each edge has two triangles, with fronts on the same side */
    double *vertex;        /* [3 * vertex_count], m; as given, with -0 as +0 */
    uint32_t *corner;      /* [3 * triangle_count]; as given, with welded vertices */
    uint32_t *facet;       /* [triangle_count]; triangle that names the facet and its plane */
    uint32_t *radial_next; /* [3 * triangle_count]; next half-edge of the same edge, a cycle */
    /* [3 * triangle_count]; the lowest half-edge of the same edge. NULL in a mesh in which no edge
     * has more than two triangles: it is the half-edge or its radial_next then. */
    uint32_t *edge_owner;
    /* [triangle_count]; bit `part`: the triangle owns this part, and the part can be the nearest
     * point of the surface. The bit of the face is set for each triangle that is not dropped. A
     * dropped triangle has no bit. Also KG_SHARES_FACET. */
    uint8_t *collidable;
    /* Adjacency lists: vertex v shares an edge with the vertices
     * adjacent[adjacent_start[v] ... adjacent_start[v + 1] - 1]. */
    uint32_t *adjacent_start; /* [vertex_count + 1] */
    uint32_t *adjacent;       /* [2 * edges] */
    uint32_t *owner;          /* [vertex_count]; lowest triangle of a vertex; KG_NONE: none */
    kg_mesh_node *node;       /* [node_count]; [0] is the root */
    kg_mesh_leaf *leaf;       /* [leaf_count]; without dropped triangles */
    kg_mesh_report report;
    kg_column columns[11];
} kg_mesh;

/* Build a mesh from vertices[3 * vertex_count] (finite, m) and triangles[3 * triangle_count]
 * (below vertex_count). Deterministic: a mesh built from `vertex` and `corner` of a built mesh is
 * equal to it, with any `tasks` (NULL: serial). False when out of memory or above
 * KG_MESH_TRIANGLE_LIMIT, with *mesh empty. */
bool kg_mesh_build(kg_memory *memory, kg_tasks *tasks, kg_mesh *mesh, const double *vertices,
                   uint32_t vertex_count, const uint32_t *triangles, uint32_t triangle_count,
                   bool one_sided);
void kg_mesh_free(kg_memory *memory, kg_mesh *mesh);

/* Call visit(context, triangle) for each triangle whose box is at most `reach` (m, >= 0) from the
 * box from `low` to `high`, in the tree's order. Stops when visit returns false, and returns false
 * then. With low = high = x the box is a point. */
typedef bool kg_mesh_visit(void *context, uint32_t triangle);
bool kg_mesh_find_near(const kg_mesh *mesh, const double low[3], const double high[3], double reach,
                       kg_mesh_visit *visit, void *context);

/* As kg_mesh_find_near, for a straight path; some triangles that are a little farther are visited,
 * too. */
bool kg_mesh_find_near_path(const kg_mesh *mesh, const double from[3], const double to[3],
                            double reach, kg_mesh_visit *visit, void *context);

/* Height of x over the plane of a triangle's facet, m, and the unit normal of its front. */
double kg_mesh_height(const kg_mesh *mesh, uint32_t triangle, const double x[3], double normal[3]);
/* True if x lies over or under the triangle: the foot of x on the plane is in the triangle, within
 * a quarter of kg_mesh_tolerance (mesh_feature.h). `height` and `normal`: from kg_mesh_height. */
bool kg_mesh_is_over(const kg_mesh *mesh, uint32_t triangle, const double x[3], double height,
                     const double normal[3]);
/* True if edge k of a triangle is on the border of its facet. */
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
    /* true when x is in the region of `feature` (mesh_feature.h) and, for a one-sided mesh, in
     * front of it */
    bool is_nearest;
} kg_mesh_nearest;
/* The last edge or vertex that was tested at a point. Many triangles around one edge or vertex are
 * tested for the same x, and each test visits all of them. */
typedef struct kg_mesh_last_sharp {
    const kg_mesh *mesh; /* NULL: none */
    uint32_t feature;
    bool is_nearest;
} kg_mesh_last_sharp;
/* `reach`, m: the feature is found only up to this distance; is_nearest is false beyond. `last`: of
 * earlier calls with the same x in the frame of each mesh. */
void kg_mesh_nearest_on_triangle(const kg_mesh *mesh, uint32_t triangle, const double x[3],
                                 double reach, kg_mesh_last_sharp *last, kg_mesh_nearest *nearest);

/* Distance of x from a feature, m, and the unit normal from x into the feature. KG_NEVER
 * (sweep_linear.h) where the feature is not the nearest part of the surface; the normal is set
 * there, too. Behind a facet of a one-sided mesh the distance is negative down to -depth (m,
 * depth >= 0), and KG_NEVER farther behind. The normal of a two-sided facet depends on the side
 * of x. */
double kg_mesh_feature_distance(const kg_mesh *mesh, uint32_t feature, const double x[3],
                                double depth, double normal[3]);
/* Distance of x from the plane of a facet, the line of an edge (up to its ends) or the point of a
 * vertex, m, and the unit normal into it, also where another part of the surface is nearer.
 * KG_NEVER for a part of a dropped triangle. */
double kg_mesh_feature_normal(const kg_mesh *mesh, uint32_t feature, const double x[3],
                              double normal[3]);
/* The triangle of a facet that contains the foot of x on the plane: the given `triangle` if it
 * contains the foot, else the lowest. Where x is beside the facet: the given triangle. */
uint32_t kg_mesh_facet_triangle(const kg_mesh *mesh, uint32_t triangle, const double x[3]);

/* Lower bound, m, of the path of a sphere at x to a collision with a part: the larger of the gap
 * to the part's plane, line or point, and the distance of the centre from the part's region. The
 * computation ends when it has a bound of at least `enough` (m), which may be below the largest. */
double kg_mesh_part_clearance(const kg_mesh *mesh, uint32_t triangle, uint32_t part,
                              const double x[3], double radius, double enough);

/* True if the mesh is closed and the points are on different sides of it. For a one-sided mesh, the
 * first point must be in front and the second behind. Then the line between them crosses the mesh
 * an odd number of times, so every path between them crosses it. */
bool kg_mesh_separates(const kg_mesh *mesh, const double from[3], const double to[3]);

/* The path of a centre: x + v t + a t^2 / 2 for t in [0, horizon], s. */
typedef struct kg_mesh_path {
    double x[3], v[3], a[3], radius, horizon;
} kg_mesh_path;

/* Time of impact of a sphere with a collidable part of a triangle, s: the earliest time at which
 * the gap is closed, the sphere approaches, and the centre is in the part's region. It is 0 if all
 * three hold at the start. Else it is the time at which the gap closes, or at which the centre
 * enters the region with the gap already closed. KG_NEVER if there is no such time up to `last`, s;
 * `last` does not change the bits of a time. *normal: from the centre into the part at that
 * time. */
double kg_mesh_sweep_part(const kg_mesh *mesh, uint32_t triangle, uint32_t part,
                          const kg_mesh_path *path, double last, double normal[3]);

/* The collidable parts of a triangle whose regions the path can enter between two times, as bits:
 * the path may pass beside the face, or stay over it, where its edges and vertices are not nearest.
 * Conservative. */
uint32_t kg_mesh_parts_on_path(const kg_mesh *mesh, uint32_t triangle, const kg_mesh_path *path,
                               double from, double until);

/* The number of the feature (facet, edge or vertex) to which a part of a triangle belongs. */
uint32_t kg_mesh_feature_of(const kg_mesh *mesh, uint32_t triangle, uint32_t part);

/* Time in [0, path->horizon], s, of the first contact of a moving sphere with any feature; sets
 * *feature and the normal into it. KG_NEVER if there is no contact. rests: true if what is
 * met at a flat angle is met by a smaller sphere (kg_radius_from_rest). */
double kg_mesh_cast(const kg_mesh *mesh, const kg_mesh_path *path, bool rests, uint32_t *feature,
                    double normal[3]);

#endif
