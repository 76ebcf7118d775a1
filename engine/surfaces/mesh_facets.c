/* Facets, and which edges and vertices are collidable.
 * A facet is a set of coplanar triangles, joined across edges of two triangles and T-junctions. It
 * grows by flood fill from the largest triangle that has no facet yet. All its triangles must lie
 * in the plane of this first one, so a gentle curve does not become one facet.
 * In: linked edges, the tree. Out: facet, collidable. Cost: a sort by area, O(n), and bounded
 * searches. */
#include "base/sort.h"
#include "surfaces/mesh_build.h"
#include "surfaces/mesh_feature.h"

/* Maximum sine of the angle between the normals of a facet's triangles and its first triangle.
 * Larger: tiny steps become part of a plane. */
#define ANGLE_LIMIT 1e-4
/* Rounding turns the normal of a sliver by at most this many weld tolerances, divided by the
 * sliver's height. */
#define SLIVER_WELDS 16
/* Triangles that all searches for T-junctions may test, as a multiple of the mesh's triangles.
 * Smaller: long triangles beside many short ones are not joined; larger: a mesh of triangles that
 * intersect each other takes more time than the rest of building. */
enum { TESTS_PER_TRIANGLE = 64 };

/* Value of kg_mesh.facet while facets grow: the triangle has no facet yet, and no facet can grow
 * from it. It may join a facet that grows from a larger triangle. */
#define ALONE (KG_NONE - 1)

/* A facet that grows from a first triangle. */
typedef struct flood {
    kg_mesh_builder *builder;
    uint32_t first; /* triangle */
    /* triangles to visit: 2 * triangle, + 1 where the triangle is turned: its own normal is
     * opposite to the facet's */
    uint32_t *stack, count;
    const double *normal, *origin; /* of the first triangle */
} flood;

static const double *vertex_of(const kg_mesh *mesh, uint32_t corner)
{
    return mesh->vertex + 3 * (size_t)mesh->corner[corner];
}

static uint32_t opposite_corner(uint32_t half) { return half / 3 * 3 + (half + 2) % 3; }

/* Side of a half-edge, seen from the tip of `normal`, on which a point lies: > 0 on the left. */
static double side_of(const kg_mesh *mesh, const double normal[3], uint32_t half,
                      const double point[3])
{
    double along[3], left[3], d[3];
    const double *start = mesh->vertex + 3 * (size_t)kg_mesh_start(mesh, half);
    kg_mesh_along(mesh, half, along);
    kg_cross3(left, normal, along);
    kg_sub3(d, point, start);
    return kg_dot3(left, d);
}

/* True if the triangles of the two half-edges lie on opposite sides of their edge, in the plane
 * with this normal. False if they are folded onto each other. */
static bool is_unfolded(const kg_mesh *mesh, const double normal[3], uint32_t half, uint32_t other)
{
    double one = side_of(mesh, normal, half, vertex_of(mesh, opposite_corner(half)));
    double two = side_of(mesh, normal, half, vertex_of(mesh, opposite_corner(other)));
    return (one < 0 && two > 0) || (one > 0 && two < 0);
}

static bool is_coplanar(const flood *f, uint32_t t, bool turned)
{
    const kg_mesh_builder *b = f->builder;
    double cross[3], d[3];
    for (uint32_t k = 0; k < 3; ++k) {
        kg_sub3(d, vertex_of(b->mesh, 3 * t + k), f->origin);
        if (kg_abs(kg_dot3(d, f->normal)) > b->flat) return false;
    }
    const double *normal = b->normal + 3 * (size_t)t;
    kg_cross3(cross, f->normal, normal);
    double limit = ANGLE_LIMIT + SLIVER_WELDS * b->weld / b->height[t];
    double cosine = kg_dot3(f->normal, normal);
    return (turned ? -cosine : cosine) >= 0 && kg_dot3(cross, cross) <= limit * limit;
}

/* True if the triangle of half-edge `other` continues the facet beyond `half`. turned: its normal
 * is opposite to the facet's. */
static bool continues(const flood *f, uint32_t half, uint32_t other, bool turned)
{
    const kg_mesh *mesh = f->builder->mesh;
    return !(turned && mesh->one_sided) && is_unfolded(mesh, f->normal, half, other) &&
           is_coplanar(f, other / 3, turned);
}

static flood start_flood(kg_mesh_builder *b, uint32_t first, uint32_t *stack)
{
    return (flood){
        b, first, stack, 0, b->normal + 3 * (size_t)first, vertex_of(b->mesh, 3 * first)};
}

/* The other half-edge of an edge of two triangles; KG_NONE for other edges. *turned is negated if
 * the fronts of the two triangles are on different sides. */
static uint32_t cross_edge(const kg_mesh *mesh, uint32_t half, bool *turned)
{
    uint32_t other = mesh->radial_next[half];
    if (other == half || mesh->radial_next[other] != half) return KG_NONE;
    if (kg_mesh_start(mesh, half) == kg_mesh_start(mesh, other)) *turned = !*turned;
    return other;
}

/* Sort key of a triangle: larger areas come first. Areas are rounded to float, so that nearly equal
 * ones have equal keys; of these the lower number comes first. */
static uint64_t area_key(const kg_mesh *mesh, uint32_t t)
{
    double e[3], f[3], cross[3];
    kg_sub3(e, vertex_of(mesh, 3 * t + 1), vertex_of(mesh, 3 * t));
    kg_sub3(f, vertex_of(mesh, 3 * t + 2), vertex_of(mesh, 3 * t));
    kg_cross3(cross, e, f);
    float area = (float)kg_length3(cross);
    uint32_t bits;
    memcpy(&bits, &area, sizeof bits);
    return UINT32_MAX - bits;
}

static bool is_larger(const kg_mesh *mesh, uint32_t t, uint32_t than)
{
    uint64_t one = area_key(mesh, t), two = area_key(mesh, than);
    return one != two ? one < two : t < than;
}

/* Join the triangle of half-edge `other`, if it continues the facet beyond `half`. Returns true if
 * it joins. */
static bool join_neighbour(flood *f, uint32_t half, uint32_t other, bool turned)
{
    kg_mesh *mesh = f->builder->mesh;
    uint32_t t = other / 3, facet = mesh->facet[t];
    if ((facet != KG_NONE && facet != ALONE) || !continues(f, half, other, turned)) return false;
    if (facet == ALONE && is_larger(mesh, t, f->first)) return false;
    mesh->facet[t] = f->first;
    f->stack[f->count++] = 2 * t + turned;
    return true;
}

static void visit_neighbour(flood *f, uint32_t half, bool turned)
{
    uint32_t other = cross_edge(f->builder->mesh, half, &turned);
    if (other != KG_NONE) (void)join_neighbour(f, half, other, turned);
}

/* True if a facet that grows from the triangle may join others. */
static bool may_grow(kg_mesh_builder *b, uint32_t t)
{
    const flood f = start_flood(b, t, NULL);
    const kg_mesh *mesh = b->mesh;
    uint32_t open = 0;
    for (uint32_t half = 3 * t; half < 3 * t + 3; ++half) {
        bool turned = false;
        uint32_t other = cross_edge(mesh, half, &turned);
        if (other != KG_NONE && continues(&f, half, other, turned)) return true;
        open += mesh->radial_next[half] == half;
    }
    return open == 1 || open == 2; /* else kg_mesh_find_t_junctions starts no search */
}

/* Task: mark the triangles of a range from which no facet can grow. An uneven mesh consists mostly
 * of them. The order in which such triangles begin facets does not matter, because no other
 * triangle joins these facets; so they are not sorted by area. */
static void mark_alone(void *context, uint32_t index)
{
    kg_mesh_builder *b = context;
    kg_mesh *mesh = b->mesh;
    uint32_t end = kg_range_end(index, KG_MESH_RANGE, mesh->triangle_count);
    for (uint32_t t = index * KG_MESH_RANGE; t < end; ++t)
        mesh->facet[t] = !kg_mesh_has_area(mesh, t) ? t : may_grow(b, t) ? KG_NONE : ALONE;
}

/* The triangle whose T-junctions are searched. */
typedef struct junction {
    flood *f;
    bool turned; /* as in the stack */
} junction;

static void join_across_t_junction(void *context, uint32_t half, uint32_t other, double low,
                                   double high)
{
    const junction *j = context;
    const kg_mesh *mesh = j->f->builder->mesh;
    double one[3], two[3];
    (void)low, (void)high;
    kg_mesh_along(mesh, half, one);
    kg_mesh_along(mesh, other, two);
    if (join_neighbour(j->f, half, other, (kg_dot3(one, two) > 0) != j->turned))
        j->f->builder->joined[j->f->first] = 1;
}

static void grow_facet(flood *f)
{
    kg_mesh_builder *b = f->builder;
    b->mesh->facet[f->first] = f->first;
    f->stack[f->count++] = 2 * f->first;
    while (f->count) {
        uint32_t item = f->stack[--f->count];
        junction j = {f, item & 1};
        for (uint32_t k = 0; k < 3; ++k) visit_neighbour(f, item / 2 * 3 + k, item & 1);
        kg_mesh_find_t_junctions(b, item / 2, join_across_t_junction, &j);
    }
}

bool kg_mesh_find_facets(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    kg_scratch_mark mark = kg_scratch_top(&b->scratch);
    kg_sort_arrays arrays;
    uint32_t *stack = kg_mesh_take(b, sizeof *stack, mesh->triangle_count), firsts = 0;
    if (!stack || !kg_sort_take(b->memory, &b->scratch, mesh->triangle_count, &arrays))
        return false;
    kg_mesh_run(b, mark_alone, b);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (mesh->facet[t] != KG_NONE) continue;
        arrays.keys[firsts] = area_key(mesh, t);
        arrays.values[firsts++] = t;
    }
    kg_sort(&arrays, firsts);
    memset(b->joined, 0, mesh->triangle_count);
    b->t_junction_tests_left = (uint64_t)TESTS_PER_TRIANGLE * mesh->triangle_count;
    for (uint32_t i = 0; i < firsts; ++i) {
        if (mesh->facet[arrays.values[i]] != KG_NONE) continue;
        flood f = start_flood(b, arrays.values[i], stack);
        grow_facet(&f);
        mesh->report.facets += 1;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (mesh->facet[t] != ALONE) continue;
        mesh->facet[t] = t;
        mesh->report.facets += 1;
    }
    for (uint32_t i = 0; i < mesh->leaf_count; ++i) {
        for (uint32_t k = 0, *t = mesh->leaf[i].triangle; k < 4 && t[k] != KG_NONE; ++k) {
            if (mesh->facet[t[k]] == t[k]) t[k] |= KG_MESH_NAMES_FACET;
        }
    }
    kg_scratch_release(b->memory, &b->scratch, mark);
    return true;
}

/* Height over the facet of half-edge `half`, m, of the corner opposite to half-edge `other`. */
static double height_over_facet(const kg_mesh_builder *b, uint32_t half, uint32_t other)
{
    uint32_t facet = b->mesh->facet[half / 3];
    double d[3];
    kg_sub3(d, vertex_of(b->mesh, opposite_corner(other)),
            b->mesh->vertex + 3 * (size_t)kg_mesh_start(b->mesh, half));
    return kg_dot3(d, b->normal + 3 * (size_t)facet);
}

/* The part of an open edge along which its facet continues on the other side across T-junctions. */
typedef struct cover {
    const kg_mesh_builder *builder;
    uint32_t half;
    double reached; /* m, end of this part; the part begins at the start of the half-edge */
} cover;

static void extend_cover(void *context, uint32_t half, uint32_t other, double low, double high)
{
    cover *c = context;
    const kg_mesh *mesh = c->builder->mesh;
    uint32_t facet = mesh->facet[half / 3];
    if (half == c->half && facet == mesh->facet[other / 3] && low <= c->reached &&
        high > c->reached && is_unfolded(mesh, c->builder->normal + 3 * (size_t)facet, half, other))
        c->reached = high;
}

/* True if T-junctions continue the facet along the whole of an open edge. */
static bool is_covered(kg_mesh_builder *b, uint32_t half)
{
    const kg_mesh *mesh = b->mesh;
    cover c = {b, half, 0};
    double along[3], length, before;
    if (!b->joined[mesh->facet[half / 3]]) return false;
    kg_mesh_along(mesh, half, along);
    length = kg_length3(along);
    do {
        before = c.reached;
        kg_mesh_find_t_junctions(b, half / 3, extend_cover, &c);
    } while (c.reached > before && c.reached < length);
    return c.reached >= length;
}

/* True if a point of the edge can be the nearest point of the surface. This does not hold inside a
 * facet. It holds for branching edges, for open edges that T-junctions do not cover wholly, and for
 * all other edges of a two-sided mesh, which are convex from the front or from the back. In a
 * one-sided mesh it holds for convex edges and for edges between fronts on different sides. A
 * nearly flat edge counts as convex; its region is nearly empty. */
static bool edge_can_be_nearest(kg_mesh_builder *b, uint32_t half)
{
    const kg_mesh *mesh = b->mesh;
    uint32_t other = mesh->radial_next[half], facet = mesh->facet[half / 3];
    if (other == half) return !is_covered(b, half);
    if (mesh->radial_next[other] != half) return true;
    if (facet == mesh->facet[other / 3] &&
        is_unfolded(mesh, b->normal + 3 * (size_t)facet, half, other))
        return false;
    if (!mesh->one_sided || kg_mesh_start(mesh, half) == kg_mesh_start(mesh, other)) return true;
    return height_over_facet(b, half, other) <= b->weld ||
           height_over_facet(b, other, half) <= b->weld;
}

/* Flag the triangles whose facet has several. */
static void flag_shared_facets(kg_mesh *mesh)
{
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        uint32_t facet = mesh->facet[t];
        if (facet == t || !kg_mesh_has_area(mesh, t)) continue;
        mesh->collidable[t] |= KG_SHARES_FACET;
        mesh->collidable[facet] |= KG_SHARES_FACET;
    }
}

bool kg_mesh_find_collidable_parts(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    flag_shared_facets(mesh);
    kg_scratch_mark mark = kg_scratch_top(&b->scratch);
    /* 1: an edge of the vertex is collidable, therefore the vertex, too */
    uint8_t *vertex_is_collidable = kg_mesh_take(b, 1, mesh->vertex_count);
    if (!vertex_is_collidable) return false;
    memset(vertex_is_collidable, 0, mesh->vertex_count);
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; ++h) {
        if (!kg_mesh_has_area(mesh, h / 3) || mesh->radial_next[h] < h) continue;
        if (kg_mesh_edge_owner(mesh, h) != h) continue;
        if (!edge_can_be_nearest(b, h)) continue;
        mesh->collidable[h / 3] |= (uint8_t)(1u << (KG_PART_EDGE + h % 3));
        vertex_is_collidable[kg_mesh_start(mesh, h)] = 1;
        vertex_is_collidable[kg_mesh_end(mesh, h)] = 1;
    }
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; ++h) {
        uint32_t vertex = mesh->corner[h];
        if (mesh->owner[vertex] == h / 3 && vertex_is_collidable[vertex])
            mesh->collidable[h / 3] |= (uint8_t)(1u << (KG_PART_VERTEX + h % 3));
    }
    kg_scratch_release(b->memory, &b->scratch, mark);
    return true;
}
