/* The point of a mesh nearest to a point x. The walk of the tree visits the nearest child first and
 * skips boxes farther from x than the nearest point so far. Cost: O(log n), unless many triangles
 * are at nearly the same distance. */
#include "surfaces/mesh_closest.h"

#include "geometry/sweep_linear.h"
#include "geometry/triangle.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"

/* Margins, more than rounding: a share of distances, and a share of the largest coordinate. */
#define DISTANCE_MARGIN 1e-9
#define PLACE_ROUNDING 1e-14

typedef struct search {
    const kg_mesh *mesh;
    const double *x;
    kg_tree_item place; /* x as a box */
    kg_triangle_nearest best;
    uint32_t triangle;
    double places;      /* m, margin for the rounding of coordinates */
    double max_squared; /* m^2; best.squared plus a margin: farther triangles need no exact test */
} search;

static void set_best(search *a, const kg_triangle_nearest *best, uint32_t triangle)
{
    double max_squared = sqrt(best->squared) * (1 + DISTANCE_MARGIN) + a->places;
    a->best = *best;
    a->triangle = triangle;
    a->max_squared = max_squared * max_squared;
}

/* True if a plane farther from x than the best point separates x from the triangle. The plane is
 * perpendicular to the line from x to the triangle's centre, through the corner with the least
 * projection on that line. */
static bool is_beyond(const search *a, const double *const corner[3])
{
    double d[3][3], along[3], least = KG_NEVER;
    for (int k = 0; k < 3; ++k) kg_sub3(d[k], corner[k], a->x);
    for (int k = 0; k < 3; ++k) along[k] = d[0][k] + d[1][k] + d[2][k];
    for (int k = 0; k < 3; ++k) {
        double height = kg_dot3(d[k], along);
        least = height < least ? height : least;
    }
    return least > 0 && least * least > a->max_squared * kg_dot3(along, along);
}

static void test_triangle(search *a, const uint32_t vertex[3], uint32_t triangle)
{
    const double *corner[3];
    kg_triangle_nearest nearest;
    for (uint32_t k = 0; k < 3; ++k) corner[k] = kg_mesh_vertex(a->mesh, vertex[k]);
    if (is_beyond(a, corner)) return;
    kg_triangle_find_nearest(corner, a->x, &nearest);
    double squared = nearest.squared;
    if (squared > a->best.squared || (squared == a->best.squared && triangle > a->triangle)) return;
    set_best(a, &nearest, triangle);
}

static void visit_tree(search *a)
{
    kg_mesh_walk walk;
    walk.count = 0;
    if (a->mesh->node_count) kg_mesh_push(&walk, 0, 0, 0);
    while (walk.count) {
        uint32_t child = walk.next[--walk.count].child;
        if ((double)walk.next[walk.count].enter > a->best.squared) continue;
        if (!kg_mesh_is_leaf(child)) {
            kg_tree_push_near(&a->mesh->node[child], &a->place, kg_tree_round_up(a->best.squared),
                              &walk);
            continue;
        }
        const kg_mesh_leaf *leaf = kg_mesh_leaf_of(a->mesh, child);
        for (uint32_t next = 0, triangle; kg_mesh_next_in_leaf(leaf, &next, &triangle);)
            test_triangle(a, leaf->corner[next - 1], triangle);
    }
}

bool kg_mesh_find_closest(const kg_mesh *mesh, const double x[3], double limit,
                          kg_mesh_closest *closest)
{
    if (!(limit >= 0)) return false;
    search a = {.mesh = mesh, .x = x};
    kg_triangle_nearest none = {.squared = KG_NEVER};
    if (limit < 1e150) none.squared = limit * limit * (1 + KG_MESH_SQUARE_ROUNDING);
    a.places = PLACE_ROUNDING * kg_max(kg_max_abs3(x), mesh->largest_coordinate);
    kg_tree_set_item(&a.place, x, x, 0);
    set_best(&a, &none, KG_NONE);
    visit_tree(&a);
    if (a.triangle == KG_NONE) return false;
    closest->distance = sqrt(a.best.squared);
    closest->triangle = a.triangle;
    kg_copy3(closest->point, a.best.point);
    return closest->distance <= limit;
}
