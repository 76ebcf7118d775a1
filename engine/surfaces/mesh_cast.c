/* The first contact of a moving sphere with a mesh: all parts of the triangles near the path. A
 * node is visited if the centre comes within the radius of its box, the one that is reached first
 * before the other. Cost: O(log n) and the triangles near the path. */
#include "surfaces/mesh_times.h"
#include "surfaces/mesh_tree.h"

/* Widens boxes beyond the rounding of the path and the overlap of the regions, shares of the radius
 * and of the largest coordinate. */
#define RADIUS_MARGIN 1e-6
#define PATH_MARGIN 1e-12

typedef struct cast {
    const kg_mesh *mesh;
    kg_mesh_path path;      /* horizon: the earliest time so far */
    double low[3], high[3]; /* the box around the path up to then, of the centre, m */
    double reach;
    double time, normal[3];
    uint32_t feature;
} cast;

static double reach_of(const kg_mesh_path *path)
{
    double t = path->horizon;
    double length = kg_max_abs3(path->v) * t + 0.5 * kg_max_abs3(path->a) * t * t;
    return path->radius * (1 + RADIUS_MARGIN) + PATH_MARGIN * (kg_max_abs3(path->x) + length);
}

static void set_horizon(cast *c, double t)
{
    kg_mesh_path *path = &c->path;
    path->horizon = t;
    for (int k = 0; k < 3; ++k) {
        double by[2] = {path->v[k] * t, 0.5 * path->a[k] * t * t};
        c->low[k] = c->high[k] = path->x[k];
        for (int i = 0; i < 2; ++i) *(by[i] < 0 ? &c->low[k] : &c->high[k]) += by[i];
    }
}

/* The first time at which the centre is within reach of a box; KG_NEVER without. */
static double enter_box(const cast *c, const double box[2][3])
{
    const kg_mesh_path *path = &c->path;
    double t = 0, before;
    do {
        before = t;
        for (int side = 0; side < 6; ++side) {
            int k = side >> 1, sign = side & 1 ? -1 : 1;
            double inside[3] = {sign * (path->x[k] - box[side & 1][k]) + c->reach,
                                sign * path->v[k], sign * 0.5 * path->a[k]};
            kg_times times = kg_times_of(inside);
            t = kg_times_begin(&times, t);
            if (t > path->horizon) return KG_NEVER;
        }
    } while (t > before);
    return t;
}

static void push_children(const cast *c, const kg_mesh_node *node, kg_mesh_walk *walk)
{
    uint32_t from = walk->count;
    double squares[4], most = c->reach * c->reach;
    kg_double4 sides[3][2];
    kg_mesh_squares(node, c->low, c->high, squares);
    for (int k = 0; k < 6; ++k) kg_mesh_sides(node, k >> 1, k & 1, &sides[k >> 1][k & 1]);
    for (int i = 0; i < 4 && node->child[i] != KG_NONE; ++i) {
        double box[2][3];
        if (squares[i] * (1 - KG_MESH_SQUARE_ROUNDING) > most) continue;
        for (int k = 0; k < 6; ++k) box[k & 1][k >> 1] = sides[k >> 1][k & 1][i];
        double enter = enter_box(c, box);
        if (enter <= c->path.horizon) kg_mesh_push(walk, from, node->child[i], enter);
    }
}

/* Of equal times the lowest feature counts: the order of the tree does not matter. */
static void test_part(cast *c, uint32_t triangle, uint32_t part)
{
    double normal[3],
        t = kg_mesh_sweep_part(c->mesh, triangle, part, &c->path, c->path.horizon, normal);
    if (t >= KG_NEVER) return;
    uint32_t feature = kg_mesh_feature_of(c->mesh, triangle, part);
    if (t > c->time || (t == c->time && feature >= c->feature)) return;
    c->time = t;
    c->feature = feature;
    kg_copy3(c->normal, normal);
    if (t < c->path.horizon) set_horizon(c, t);
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
    cast c = {.mesh = mesh, .path = *path, .reach = reach_of(path), .time = KG_NEVER};
    kg_mesh_walk walk;
    set_horizon(&c, path->horizon);
    walk.count = 0;
    if (mesh->node_count) kg_mesh_push(&walk, 0, 0, 0);
    while (walk.count) {
        uint32_t child = walk.next[--walk.count].child;
        if (walk.next[walk.count].enter > c.path.horizon) continue;
        if (!kg_mesh_is_leaf(child)) {
            push_children(&c, &mesh->node[child], &walk);
            continue;
        }
        const kg_mesh_leaf *leaf = kg_mesh_leaf_of(mesh, child);
        for (uint32_t next = 0, triangle; kg_mesh_next_in_leaf(leaf, &next, &triangle);)
            test_triangle(&c, triangle);
    }
    if (c.time >= KG_NEVER) return KG_NEVER;
    *feature = c.feature;
    kg_copy3(normal, c.normal);
    return c.time;
}
