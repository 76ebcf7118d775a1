/* The point of a mesh nearest to a point: a walk of the tree, the nearer child first, that skips
 * boxes farther away than the best so far. Cost: O(log n) near an ordinary mesh. */
#include "surfaces/mesh_closest.h"

#include "base/constants.h"
#include "geometry/sweep_linear.h"
#include "geometry/triangle.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"

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

/* The time of entry is the squared distance. */
static void visit_tree(search *a)
{
    const kg_mesh_node *nodes = a->mesh->node;
    kg_mesh_walk walk;
    walk.count = 0;
    if (a->mesh->node_count) kg_mesh_push(&walk, 0, kg_mesh_squared_from_box(&nodes[0], a->x));
    while (walk.count) {
        const kg_mesh_node *node = &nodes[walk.node[--walk.count]];
        if (walk.enter[walk.count] > a->best.squared) continue;
        for (uint32_t i = 0; i < node->count; ++i)
            test_triangle(a, a->mesh->order[node->first + i]);
        if (node->count == 0)
            kg_mesh_push_children(&walk, node->first,
                                  kg_mesh_squared_from_box(&nodes[node->first], a->x),
                                  kg_mesh_squared_from_box(&nodes[node->first + 1], a->x));
    }
}

bool kg_mesh_find_closest(const kg_mesh *mesh, const double x[3], double limit,
                          kg_mesh_closest *closest)
{
    if (!(limit >= 0)) return false;
    search a = {.mesh = mesh, .x = x, .triangle = KG_NONE};
    a.best.squared = limit < 1e150 ? limit * limit * (1 + KG_MESH_SQUARE_ROUNDING) : KG_NEVER;
    visit_tree(&a);
    if (a.triangle == KG_NONE) return false;
    closest->distance = sqrt(a.best.squared);
    closest->triangle = a.triangle;
    kg_copy3(closest->point, a.best.point);
    return closest->distance <= limit;
}
