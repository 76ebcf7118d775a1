/* The first contact of a moving sphere with a mesh: all parts of the triangles near the path. Boxes
 * are tested against the chord of the path, widened by the radius and by the parabola's greatest
 * distance from its chord, |a| T^2 / 8. Cost: O(log n) and the triangles near the path. */
#include "base/vec.h"
#include "geometry/sweep_linear.h"
#include "surfaces/mesh_tree.h"

/* Widens boxes beyond the rounding of the path and the overlap of the regions. */
#define PATH_MARGIN 1e-6

typedef struct cast {
    const kg_mesh *mesh;
    kg_mesh_path path; /* horizon: the earliest time so far */
    double chord[3], reach;
    double time, normal[3];
    uint32_t feature;
} cast;

static void set_chord(cast *c)
{
    const kg_mesh_path *path = &c->path;
    double t = path->horizon;
    for (int k = 0; k < 3; ++k) c->chord[k] = (path->v[k] + 0.5 * path->a[k] * t) * t;
    c->reach = (path->radius + kg_length3(path->a) * t * t * 0.125) * (1 + PATH_MARGIN) +
               PATH_MARGIN * 1e-6 * (kg_max_abs3(path->x) + kg_max_abs3(c->chord));
}

/* The share of the chord at which it comes within reach of a box; KG_NEVER if it does not. */
static double enter_box(const cast *c, const kg_mesh_node *node)
{
    double from = 0, to = 1;
    for (int k = 0; k < 3; ++k) {
        double low = (double)node->low[k] - c->reach - c->path.x[k];
        double high = (double)node->high[k] + c->reach - c->path.x[k], along = c->chord[k];
        if (along == 0) {
            if (low > 0 || high < 0) return KG_NEVER;
            continue;
        }
        double one = low / along, two = high / along;
        double near = one < two ? one : two, far = one < two ? two : one;
        if (near > from) from = near;
        if (far < to) to = far;
    }
    return from <= to ? from : KG_NEVER;
}

/* Of equal times the lowest feature counts: the order of the tree does not matter. */
static void test_part(cast *c, uint32_t triangle, uint32_t part)
{
    double normal[3], t = kg_mesh_sweep_part(c->mesh, triangle, part, &c->path, normal);
    if (t >= KG_NEVER) return;
    uint32_t feature = kg_mesh_feature_of(c->mesh, triangle, part);
    if (t > c->time || (t == c->time && feature >= c->feature)) return;
    c->time = t;
    c->feature = feature;
    kg_copy3(c->normal, normal);
    if (t >= c->path.horizon) return;
    c->path.horizon = t;
    set_chord(c);
}

static void test_triangle(cast *c, uint32_t triangle)
{
    for (uint32_t part = KG_PART_FACE; part < KG_PARTS; ++part) {
        if (c->mesh->answers[triangle] & 1u << part) test_part(c, triangle, part);
    }
}

double kg_mesh_cast(const kg_mesh *mesh, const kg_mesh_path *path, uint32_t *feature,
                    double normal[3])
{
    uint32_t stack[KG_MESH_TREE_DEPTH], top = 0;
    cast c = {.mesh = mesh, .path = *path, .time = KG_NEVER};
    set_chord(&c);
    if (mesh->node_count) stack[top++] = 0;
    while (top) {
        const kg_mesh_node *node = &mesh->node[stack[--top]];
        if (enter_box(&c, node) >= KG_NEVER) continue;
        if (node->count == 0) {
            uint32_t left = node->first;
            bool left_first =
                enter_box(&c, &mesh->node[left]) <= enter_box(&c, &mesh->node[left + 1]);
            stack[top++] = left + left_first;
            stack[top++] = left + !left_first;
        }
        for (uint32_t i = 0; i < node->count; ++i) test_triangle(&c, mesh->order[node->first + i]);
    }
    if (c.time >= KG_NEVER) return KG_NEVER;
    *feature = c.feature;
    kg_copy3(normal, c.normal);
    return c.time;
}
