/* The point of a mesh nearest to a point: a walk of the tree, the nearer child first, that skips
 * boxes farther away than the best so far. Cost: O(log n) near an ordinary mesh. */
#include "surfaces/mesh_closest.h"

#include "base/constants.h"
#include "geometry/sweep_linear.h"
#include "geometry/triangle.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"

/* Rounding of squared distances of boxes and triangles, with a margin: a box whose triangle would
 * win is not skipped. */
#define SQUARE_ROUNDING 1e-14

static double squared_from_box(const kg_mesh_node *node, const double x[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double below = (double)node->low[k] - x[k], above = x[k] - (double)node->high[k];
        double d = kg_max(kg_max(below, above), 0);
        sum += d * d;
    }
    return sum * (1 - SQUARE_ROUNDING);
}

typedef struct search {
    const kg_mesh *mesh;
    const double *x;
    kg_triangle_nearest best;
    uint32_t triangle;
} search;

static void test_triangle(search *a, uint32_t triangle)
{
    const double *corner[3];
    kg_triangle_nearest nearest;
    for (uint32_t k = 0; k < 3; ++k)
        corner[k] = kg_mesh_vertex(a->mesh, a->mesh->corner[3 * triangle + k]);
    kg_triangle_find_nearest(corner, a->x, &nearest);
    double squared = nearest.squared;
    if (squared > a->best.squared || (squared == a->best.squared && triangle > a->triangle)) return;
    a->best = nearest;
    a->triangle = triangle;
}

/* A node to visit, and its squared distance. */
typedef struct entry {
    uint32_t node;
    double squared;
} entry;

static void walk(search *a)
{
    const kg_mesh_node *nodes = a->mesh->node;
    entry stack[KG_MESH_TREE_DEPTH];
    uint32_t top = 0;
    if (a->mesh->node_count) stack[top++] = (entry){0, squared_from_box(&nodes[0], a->x)};
    while (top) {
        entry next = stack[--top];
        const kg_mesh_node *node = &nodes[next.node];
        if (next.squared > a->best.squared) continue;
        for (uint32_t i = 0; i < node->count; ++i)
            test_triangle(a, a->mesh->order[node->first + i]);
        if (node->count) continue;
        entry left = {node->first, squared_from_box(&nodes[node->first], a->x)};
        entry right = {node->first + 1, squared_from_box(&nodes[node->first + 1], a->x)};
        bool left_first = left.squared <= right.squared;
        stack[top++] = left_first ? right : left;
        stack[top++] = left_first ? left : right;
    }
}

bool kg_mesh_find_closest(const kg_mesh *mesh, const double x[3], double limit,
                          kg_mesh_closest *closest)
{
    if (!(limit >= 0)) return false;
    search a = {.mesh = mesh, .x = x, .triangle = KG_NONE};
    a.best.squared = limit < 1e150 ? limit * limit * (1 + SQUARE_ROUNDING) : KG_NEVER;
    walk(&a);
    if (a.triangle == KG_NONE) return false;
    closest->distance = sqrt(a.best.squared);
    closest->triangle = a.triangle;
    kg_copy3(closest->point, a.best.point);
    return closest->distance <= limit;
}
