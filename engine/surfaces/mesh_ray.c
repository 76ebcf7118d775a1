/* The first triangle on a ray, watertight at shared edges (S. Woop, C. Benthin, I. Wald,
 * "Watertight ray/triangle intersection", JCGT 2(1), 2013): corners are sheared into the ray's
 * frame, where an edge has the same bits for both its triangles.
 * Cost: O(log n) for ordinary meshes; nodes in order of their distance. */
#include "geometry/sweep_linear.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"

/* Rounding of three operations on each side of a slab (T. Ize, "Robust BVH ray traversal",
 * JCGT 2(2), 2013). */
#define SLAB_ROUNDING 0x1p-50

typedef struct ray {
    double origin[3], direction[3], shear[3];
    int x, y, z; /* axes; z: the largest of the direction */
} ray;

static ray make_ray(const double origin[3], const double direction[3])
{
    ray r;
    kg_copy3(r.origin, origin);
    kg_copy3(r.direction, direction);
    r.z = 0;
    for (int k = 1; k < 3; ++k) {
        if (kg_abs(direction[k]) > kg_abs(direction[r.z])) r.z = k;
    }
    r.x = (r.z + 1) % 3, r.y = (r.z + 2) % 3;
    kg_set3(r.shear, direction[r.x] / direction[r.z], direction[r.y] / direction[r.z],
            1 / direction[r.z]);
    return r;
}

/* The parameter at which the ray meets a triangle; KG_NEVER if it does not, or below 0. */
static double meet_triangle(const kg_mesh *mesh, uint32_t triangle, const ray *r)
{
    double u[3], x[3], y[3], z[3];
    for (uint32_t k = 0; k < 3; ++k) {
        double d[3];
        kg_sub3(d, kg_mesh_vertex(mesh, mesh->corner[3 * triangle + k]), r->origin);
        x[k] = d[r->x] - r->shear[0] * d[r->z];
        y[k] = d[r->y] - r->shear[1] * d[r->z];
        z[k] = r->shear[2] * d[r->z];
    }
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        u[k] = x[a] * y[b] - y[a] * x[b];
    }
    bool some_below = u[0] < 0 || u[1] < 0 || u[2]<0, some_above = u[0]> 0 || u[1] > 0 || u[2] > 0;
    double sum = u[0] + u[1] + u[2];
    if ((some_below && some_above) || sum == 0) return KG_NEVER;
    double t = (u[0] * z[0] + u[1] * z[1] + u[2] * z[2]) / sum;
    return t >= 0 ? t : KG_NEVER;
}

/* Where the ray enters a node's box; KG_NEVER if it misses it in [0, limit]. */
static double enter_box(const kg_mesh_node *node, const ray *r, double limit)
{
    double from = 0, to = limit;
    for (int k = 0; k < 3; ++k) {
        double low = (double)node->low[k] - r->origin[k],
               high = (double)node->high[k] - r->origin[k];
        if (r->direction[k] == 0) {
            if (low > 0 || high < 0) return KG_NEVER;
            continue;
        }
        double one = low / r->direction[k], two = high / r->direction[k];
        double near = one < two ? one : two, far = one < two ? two : one;
        near -= kg_abs(near) * SLAB_ROUNDING, far += kg_abs(far) * SLAB_ROUNDING;
        if (near > from) from = near;
        if (far < to) to = far;
    }
    return from <= to ? from : KG_NEVER;
}

static void set_normal(const kg_mesh *mesh, uint32_t triangle, const double direction[3],
                       double normal[3], bool *back)
{
    kg_mesh_site face;
    kg_mesh_set_site(&face, mesh, triangle, KG_PART_FACE);
    *back = kg_dot3(face.along, direction) > 0;
    kg_scale3(normal, face.along, *back ? -1 : 1);
}

typedef struct ray_hit {
    double t, normal[3];
    uint32_t triangle;
} ray_hit;

/* Of equal times the lowest triangle counts: the order of the tree does not matter. */
static void test_triangle(const kg_mesh *mesh, uint32_t triangle, const ray *r, double limit,
                          ray_hit *hit)
{
    double t = meet_triangle(mesh, triangle, r), normal[3];
    bool back;
    if (t > limit || t > hit->t || (t == hit->t && triangle > hit->triangle)) return;
    set_normal(mesh, triangle, r->direction, normal, &back);
    if (back && mesh->one_sided) return;
    hit->t = t;
    hit->triangle = triangle;
    kg_copy3(hit->normal, normal);
}

double kg_mesh_ray(const kg_mesh *mesh, const double origin[3], const double direction[3],
                   double limit, uint32_t *triangle, double normal[3])
{
    uint32_t stack[KG_MESH_TREE_DEPTH], top = 0;
    if (kg_is_zero3(direction)) return KG_NEVER;
    ray r = make_ray(origin, direction);
    ray_hit hit = {.t = KG_NEVER};
    if (mesh->node_count) stack[top++] = 0;
    while (top) {
        const kg_mesh_node *node = &mesh->node[stack[--top]];
        if (enter_box(node, &r, hit.t < limit ? hit.t : limit) >= KG_NEVER) continue;
        if (node->count == 0) {
            uint32_t left = node->first;
            bool left_first = enter_box(&mesh->node[left], &r, limit) <=
                              enter_box(&mesh->node[left + 1], &r, limit);
            stack[top++] = left + left_first;
            stack[top++] = left + !left_first;
        }
        for (uint32_t i = 0; i < node->count; ++i)
            test_triangle(mesh, mesh->order[node->first + i], &r, limit, &hit);
    }
    if (hit.t >= KG_NEVER) return KG_NEVER;
    *triangle = hit.triangle;
    kg_copy3(normal, hit.normal);
    return hit.t;
}
