/* For engine/surfaces/mesh_ray.c and the walk of the tree: against long double and brute force. */
#include <criterion/criterion.h>

#include <math.h>

#include "geometry/sweep_linear.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"
#include "surfaces/support_mesh.h"

/* Moeller-Trumbore in long double; `margin` moves the borders of the triangle inwards. */
static long double meet(const kg_mesh *mesh, uint32_t triangle, const double *origin,
                        const double *direction, long double margin)
{
    long double e[2][3], p[3], q[3], s[3], det = 0, u = 0, v = 0, t = 0;
    const double *corner[3];
    for (int k = 0; k < 3; ++k) corner[k] = mesh->vertex + 3 * mesh->corner[3 * triangle + k];
    for (int k = 0; k < 3; ++k) {
        e[0][k] = (long double)corner[1][k] - corner[0][k];
        e[1][k] = (long double)corner[2][k] - corner[0][k];
        s[k] = (long double)origin[k] - corner[0][k];
    }
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        p[k] = direction[a] * e[1][b] - direction[b] * e[1][a];
        q[k] = s[a] * e[0][b] - s[b] * e[0][a];
    }
    for (int k = 0; k < 3; ++k) {
        det += e[0][k] * p[k], u += s[k] * p[k], v += direction[k] * q[k], t += e[1][k] * q[k];
    }
    if (det == 0 || (mesh->one_sided && det < 0)) return INFINITY;
    u /= det, v /= det, t /= det;
    return u >= margin && v >= margin && u + v <= 1 - margin && t >= 0 ? t : INFINITY;
}

/* Rays that pass an edge by less than 1e-9 may have either result. Every third mesh has another
 * scale, with the ray: boxes are tested in floats. */
Test(mesh_ray, first_hits_agree_with_long_double)
{
    support_random random = support_random_start("first_hits", 1);
    int hits = 0;
    for (int trial = 0; trial < 400; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        support_add_soup(shape, &random, 100, trial & 2);
        double scale = trial % 3 ? 1 : pow(10, support_between(&random, -12, 14));
        for (uint32_t k = 0; k < 3 * shape->vertices; ++k) shape->vertex[k] *= scale;
        kg_mesh mesh = support_build(&memory, shape, trial & 1);
        for (int i = 0; i < 100; ++i) {
            double origin[3], direction[3], normal[3], limit = support_between(&random, 0, 4);
            uint32_t triangle;
            support_direction(&random, scale * support_between(&random, 0, 3), origin);
            support_direction(&random, scale * support_between(&random, 0.5, 2), direction);
            if (i % 10 == 0) direction[i / 10 % 3] = 0;
            double t = support_ray(&mesh, origin, direction, limit, &triangle, normal);
            long double surely = INFINITY, maybe = INFINITY;
            for (uint32_t k = 0; k < mesh.triangle_count; ++k) {
                surely = fminl(surely, meet(&mesh, k, origin, direction, 1e-9L));
                maybe = fminl(maybe, meet(&mesh, k, origin, direction, -1e-9L));
            }
            if (t < KG_NEVER) {
                hits += 1;
                cr_assert(t <= limit && t <= surely + 1e-12L && t >= maybe - 1e-12L, "%.17g", t);
                double facing = 0;
                for (int k = 0; k < 3; ++k) facing += normal[k] * direction[k];
                cr_assert(facing <= 0, "the normal is on the other side");
            } else {
                cr_assert(surely > limit - 1e-12, "misses a triangle at %Lg", surely);
            }
        }
        kg_mesh_free(&memory, &mesh);
    }
    cr_assert(hits > 5000);
}

/* Boxes are tested in floats, where a mesh of 1 m at 1e8 m is a point. Rays start next to it or as
 * far away, and go through points inside of triangles. */
Test(mesh_ray, meshes_far_from_the_origin_are_hit)
{
    support_random random = support_random_start("far_meshes", 5);
    for (int trial = 0; trial < 200; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        double offset[3], far = pow(10, support_between(&random, 0, 8));
        support_add_soup(shape, &random, 100, false);
        support_direction(&random, far, offset);
        for (uint32_t k = 0; k < 3 * shape->vertices; ++k) shape->vertex[k] += offset[k % 3];
        kg_mesh mesh = support_build(&memory, shape, false);
        for (int i = 0; i < 200; ++i) {
            uint32_t target = support_below(&random, mesh.triangle_count), triangle;
            double origin[3], direction[3], normal[3], away = i % 2 ? 2 : far;
            if (!mesh.collidable[target]) continue; /* without an area */
            support_direction(&random, away, origin);
            for (int k = 0; k < 3; ++k) {
                double middle = 0;
                for (int c = 0; c < 3; ++c)
                    middle += mesh.vertex[3 * mesh.corner[3 * target + c] + k] / 3;
                if (i % 10 == k) origin[k] = 0;
                origin[k] += middle;
                direction[k] = middle - origin[k];
            }
            double t = support_ray(&mesh, origin, direction, 2, &triangle, normal);
            long double surely = meet(&mesh, target, origin, direction, 1e-3L);
            cr_assert(isinf(surely) || t <= (double)surely * (1 + 1e-9), "%.17g: misses %Lg at %g",
                      t, surely, far);
        }
        kg_mesh_free(&memory, &mesh);
    }
}

/* Through vertices and edges of a closed mesh, from the inside: no ray gets out. */
Test(mesh_ray, shared_edges_are_watertight)
{
    support_random random = support_random_start("watertight_rays", 2);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_icosphere(shape, 1, 4);
    kg_mesh mesh = support_build(&memory, shape, false);
    for (int i = 0; i < 200000; ++i) {
        uint32_t half = support_below(&random, 3 * mesh.triangle_count), triangle;
        const double *a = mesh.vertex + 3 * mesh.corner[half];
        const double *b = mesh.vertex + 3 * mesh.corner[half % 3 == 2 ? half - 2 : half + 1];
        double s = i % 4 ? support_uniform(&random) : 0, origin[3], direction[3], normal[3];
        support_direction(&random, support_between(&random, 0, 0.9), origin);
        for (int k = 0; k < 3; ++k) direction[k] = a[k] + s * (b[k] - a[k]) - origin[k];
        double t = support_ray(&mesh, origin, direction, 2, &triangle, normal);
        cr_assert(fabs(t - 1) < 1e-6, "gets out, or hits at %g", t);
    }
    kg_mesh_free(&memory, &mesh);
}

typedef struct visits {
    uint8_t seen[SUPPORT_MESH_TRIANGLES];
    uint32_t count, limit;
} visits;

static bool visit(void *context, uint32_t triangle)
{
    visits *v = context;
    cr_assert_eq(v->seen[triangle], 0, "visited twice");
    v->seen[triangle] = 1;
    return ++v->count < v->limit;
}

/* Triangles whose boxes are within reach of a box; at 1e-12 of the reach rounding decides. */
static void check_reach(const kg_mesh *mesh, const double low[3], const double high[3],
                        double reach)
{
    static visits found;
    memset(&found, 0, sizeof found);
    found.limit = UINT32_MAX;
    cr_assert(kg_mesh_find_near(mesh, low, high, reach, visit, &found));
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        double squared = 0;
        for (int k = 0; k < 3; ++k) {
            const uint32_t *c = mesh->corner + 3 * t;
            double x = mesh->vertex[3 * c[0] + k], y = mesh->vertex[3 * c[1] + k],
                   z = mesh->vertex[3 * c[2] + k];
            double apart =
                fmax(0, fmax(fmin(x, fmin(y, z)) - high[k], low[k] - fmax(x, fmax(y, z))));
            squared += apart * apart;
        }
        if (!mesh->collidable[t]) cr_assert(!found.seen[t], "dropped"); /* a repeated triangle */
        else if (sqrt(squared) < reach * (1 - 1e-12)) cr_assert(found.seen[t], "missed");
        if (sqrt(squared) > reach * (1 + 1e-12)) cr_assert(!found.seen[t], "too far");
    }
}

Test(mesh_tree, boxes_find_the_triangles_whose_box_meets_them)
{
    support_random random = support_random_start("boxes", 3);
    static visits found;
    for (int trial = 0; trial < 100; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        support_add_soup(shape, &random, 300, trial & 1);
        kg_mesh mesh = support_build(&memory, shape, false);
        double low[3], high[3];
        support_direction(&random, 1, low);
        for (int k = 0; k < 3; ++k) high[k] = low[k] + support_between(&random, 0, 0.4);
        memset(&found, 0, sizeof found);
        found.limit = UINT32_MAX;
        cr_assert(kg_mesh_find_near(&mesh, low, high, 0, visit, &found));
        for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
            bool meets = mesh.collidable[t]; /* not a repeated triangle */
            for (int k = 0; k < 3; ++k) {
                const uint32_t *c = mesh.corner + 3 * t;
                double x = mesh.vertex[3 * c[0] + k], y = mesh.vertex[3 * c[1] + k],
                       z = mesh.vertex[3 * c[2] + k];
                meets = meets && fmin(x, fmin(y, z)) <= high[k] && low[k] <= fmax(x, fmax(y, z));
            }
            cr_assert_eq(found.seen[t], meets);
        }
        check_reach(&mesh, low, high, support_between(&random, 0, 0.4));
        if (found.count) {
            uint32_t limit = found.count;
            memset(&found, 0, sizeof found);
            found.limit = limit;
            cr_assert(!kg_mesh_find_near(&mesh, low, high, 0, visit, &found), "goes on");
        }
        kg_mesh_free(&memory, &mesh);
    }
}

/* All boxes are on the ray, so that many children wait for a visit. */
Test(mesh_ray, a_ray_through_all_boxes_ends)
{
    enum { TRIANGLES = 5000 };
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_vertex(shape, 0, 0, 0);
    support_add_vertex(shape, 1, 0, 0);
    support_add_vertex(shape, 0, 1, 1);
    for (int i = 0; i < TRIANGLES; ++i) support_add_triangle(shape, 0, 1, 2);
    kg_mesh mesh = support_build(&memory, shape, false);
    const double beside[3] = {0.9, 0.9, -1}, over[3] = {0.2, 0.2, -1}, up[3] = {0, 0, 1};
    uint32_t triangle;
    double normal[3];
    cr_assert_eq(support_ray(&mesh, beside, up, 2, &triangle, normal), KG_NEVER);
    cr_assert_lt(support_ray(&mesh, over, up, 2, &triangle, normal), 2);
    cr_assert_eq(triangle, 0);
    kg_mesh_free(&memory, &mesh);
}

/* What a walk of the whole tree finds. */
typedef struct tree_walk {
    const kg_mesh *mesh;
    uint32_t triangles, nodes;
} tree_walk;

static void grow(double low[3], double high[3], const double *x)
{
    for (int k = 0; k < 3; ++k) low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
}

static void walk_node(tree_walk *walk, uint32_t n, double low[3], double high[3]);

/* The box of the triangles of a child. */
static void walk_child(tree_walk *walk, uint32_t child, double low[3], double high[3])
{
    const kg_mesh *mesh = walk->mesh;
    for (int k = 0; k < 3; ++k) low[k] = INFINITY, high[k] = -INFINITY;
    if (!kg_mesh_is_leaf(child)) {
        walk_node(walk, child, low, high);
        return;
    }
    const kg_mesh_leaf *leaf = kg_mesh_leaf_of(mesh, child);
    for (uint32_t next = 0, triangle; kg_mesh_next_in_leaf(leaf, &next, &triangle);) {
        bool names_facet = leaf->triangle[next - 1] & KG_MESH_NAMES_FACET;
        cr_assert_eq(names_facet, mesh->facet[triangle] == triangle);
        walk->triangles += 1;
        for (uint32_t k = 0; k < 3; ++k) {
            cr_assert_eq(leaf->corner[next - 1][k], mesh->corner[3 * triangle + k]);
            grow(low, high, mesh->vertex + 3 * mesh->corner[3 * triangle + k]);
        }
    }
}

/* A child's box holds the triangles below it, and is wider by less than two steps of the grid. */
static void walk_node(tree_walk *walk, uint32_t n, double low[3], double high[3])
{
    const kg_mesh_node *node = &walk->mesh->node[n];
    cr_assert_eq(n, walk->nodes++, "nodes are in the order of the walk");
    for (uint32_t c = 0; c < KG_MESH_CHILDREN && node->child[c] != KG_NONE; ++c) {
        double least[3], most[3];
        walk_child(walk, node->child[c], least, most);
        for (int k = 0; k < 3; ++k) {
            float side[2]; /* as the tree computes them, in float */
            for (int s = 0; s < 2; ++s)
                side[s] = node->low[k] + node->step[k] * (float)node->side[k][s][c];
            double wide = 2 * (double)node->step[k] + 1e-6;
            cr_assert((double)side[0] <= least[k] && least[k] - (double)side[0] < wide);
            cr_assert(most[k] <= (double)side[1] && (double)side[1] - most[k] < wide);
        }
        grow(low, high, least);
        grow(low, high, most);
    }
}

Test(mesh_tree, boxes_hold_their_triangles)
{
    support_random random = support_random_start("tree", 4);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_soup(shape, &random, 2000, false);
    for (int i = 1; i <= 3000; ++i) { /* boxes with equal centres */
        double r = i * (1.0 / 3000);
        uint32_t a = support_add_vertex(shape, -r, -r, 0), b = support_add_vertex(shape, r, -r, 0);
        support_add_triangle(shape, a, b, support_add_vertex(shape, 0, r, 0));
    }
    kg_mesh mesh = support_build(&memory, shape, false);
    tree_walk walk = {.mesh = &mesh};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    walk_node(&walk, 0, low, high);
    cr_assert_eq(walk.triangles, mesh.triangle_count - mesh.report.dropped);
    cr_assert_eq(walk.nodes, mesh.node_count);
    for (int k = 0; k < 3; ++k)
        cr_assert((double)mesh.low[k] <= low[k] && high[k] <= (double)mesh.high[k]);
    kg_mesh_free(&memory, &mesh);
}

/* Triangles that 33 points of a path show to be within reach must be visited; along an axis,
 * without a length, and on meshes far from the origin, too. A path beside a sphere visits a small
 * part. */
Test(mesh_tree, a_path_finds_the_triangles_near_it)
{
    support_random random = support_random_start("paths", 13);
    static visits found;
    for (uint32_t trial = 0; trial < 120; ++trial) {
        kg_memory memory;
        double away, from[3], to[3], x[3], nearest[3];
        kg_mesh mesh = support_build_any(&memory, &random, trial, 200, false, &away);
        double reach = trial % 4 ? pow(10, support_between(&random, -4, -0.5)) : 1e-9 * (1 + away);
        support_direction(&random, support_between(&random, 0, 2), from);
        support_direction(&random, support_between(&random, 0, 2), to);
        for (int k = 0; k < 3; ++k) {
            from[k] += away, to[k] += away;
            if (trial % 5 == 1 || (trial % 5 == 2 && k != 1)) to[k] = from[k];
        }
        memset(&found, 0, sizeof found);
        found.limit = UINT32_MAX;
        cr_assert(kg_mesh_find_near_path(&mesh, from, to, reach, visit, &found));
        for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
            if (!kg_mesh_has_area(&mesh, t)) continue;
            for (int i = 0; i <= 32; ++i) {
                for (int k = 0; k < 3; ++k) x[k] = from[k] + i / 32. * (to[k] - from[k]);
                double distance = kg_mesh_distance(&mesh, t, x, nearest);
                cr_assert(found.seen[t] || distance > reach, "trial %u: %g", trial, distance);
            }
        }
        kg_mesh_free(&memory, &mesh);
    }
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_icosphere(shape, 1, 4);
    kg_mesh mesh = support_build(&memory, shape, false);
    memset(&found, 0, sizeof found);
    found.limit = UINT32_MAX;
    const double before[3] = {-3, 0, 1}, after[3] = {3, 0, 1};
    cr_assert(kg_mesh_find_near_path(&mesh, before, after, 0.01, visit, &found));
    cr_assert(found.count > 2 && found.count < mesh.triangle_count / 20, "%u", found.count);
    memset(&found, 0, sizeof found);
    found.limit = 2;
    cr_assert(!kg_mesh_find_near_path(&mesh, before, after, 0.01, visit, &found), "goes on");
    cr_assert_eq(found.count, 2);
    kg_mesh_free(&memory, &mesh);
}
