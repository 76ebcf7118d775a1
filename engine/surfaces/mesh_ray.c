/* The first triangle on a ray, watertight at shared edges (S. Woop, C. Benthin, I. Wald,
 * "Watertight ray/triangle intersection", JCGT 2(1), 2013): corners are sheared into the ray's
 * frame, where an edge has the same bits for both its triangles. Boxes are tested in floats,
 * widened by more than their rounding. Cost: O(log n) for ordinary meshes; nodes in order of
 * distance. Memory latency is most of it: rays take turns, a node or a part of a leaf each. */
#include "surfaces/mesh_ray.h"

#include "geometry/sweep_linear.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"

/* Share of a place by which boxes are wider: its rounding to a float, and that of a difference. */
#define PLACE_ROUNDING 0x1p-22
/* Rounding of a difference, an inverse and a product, on each side of a slab (T. Ize, "Robust BVH
 * ray traversal", JCGT 2(2), 2013). */
#define SLAB_ROUNDING 0x1p-20f
/* Components of the unit direction are at least so large in tests of boxes: no division by 0. */
#define LEAST_SLOPE 1e-30

typedef struct ray {
    double origin[3], direction[3], shear[3];
    int x, y, z;           /* axes; z: the largest of the direction */
    float low[3], high[3]; /* origin, moved by the widening of low and high sides */
    float inverse[3];
    double scale; /* of the boxes' parameter over the ray's */
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

static void set_slabs(ray *r, const kg_mesh *mesh)
{
    double unit[3], magnitude = kg_max_abs3(r->origin);
    r->scale = 1 / kg_unit_scale(kg_max_abs3(r->direction));
    kg_scale3(unit, r->direction, 1 / r->scale);
    for (int k = 0; k < 3; ++k) {
        magnitude = kg_max(magnitude, kg_abs((double)mesh->node[0].low[k]));
        magnitude = kg_max(magnitude, kg_abs((double)mesh->node[0].high[k]));
    }
    for (int k = 0; k < 3; ++k) {
        bool flat = kg_abs(unit[k]) < LEAST_SLOPE;
        r->low[k] = (float)(r->origin[k] + PLACE_ROUNDING * magnitude);
        r->high[k] = (float)(r->origin[k] - PLACE_ROUNDING * magnitude);
        r->inverse[k] = (float)(1 / (flat ? LEAST_SLOPE : unit[k]));
    }
}

/* Where the ray enters a node's box; above `limit` if it misses it in [0, limit]. Both are in
 * lengths of the unit direction. */
static inline float enter_box(const kg_mesh_node *node, const ray *r, float limit)
{
    float near[3], far[3], from = 0, to = limit;
    for (int k = 0; k < 3; ++k) {
        float one = (node->low[k] - r->low[k]) * r->inverse[k],
              two = (node->high[k] - r->high[k]) * r->inverse[k];
        near[k] = one < two ? one : two;
        far[k] = one < two ? two : one;
    }
    for (int k = 0; k < 3; ++k) {
        from = near[k] > from ? near[k] : from;
        to = far[k] < to ? far[k] : to;
    }
    return from * (1 - SLAB_ROUNDING) <= to * (1 + SLAB_ROUNDING) ? from * (1 - SLAB_ROUNDING)
                                                                  : INFINITY;
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

/* Children or triangles to visit, and where the ray enters their box. A leaf is visited in stages,
 * each of which loads what the next needs. */
typedef struct entry {
    uint32_t first, count;
    float enter;
    enum { LOAD_CORNERS, LOAD_VERTICES, TEST } stage;
} entry;

/* A ray on its way through the tree. */
typedef struct flight {
    ray r;
    double limit;
    ray_hit hit;
    float most; /* boxes beyond it do not count */
    uint32_t top;
    entry stack[KG_MESH_TREE_DEPTH];
} flight;

/* The parameter of the boxes for one of the ray, rounded up. */
static float limit_of(const ray *r, double t)
{
    double limit = t * r->scale * (1 + 0x1p-20);
    return limit < 3e38 ? (float)limit : 3e38f;
}

static void push(flight *f, const kg_mesh *mesh, const kg_mesh_node *node, float enter)
{
    if (!(enter <= f->most)) return;
    f->stack[f->top++] = (entry){node->first, node->count, enter, LOAD_CORNERS};
    if (node->count) __builtin_prefetch(&mesh->order[node->first]);
    else __builtin_prefetch(&mesh->node[node->first]);
}

static void visit_children(flight *f, const kg_mesh *mesh, uint32_t first)
{
    const kg_mesh_node *left = &mesh->node[first], *right = left + 1;
    float enter_left = enter_box(left, &f->r, f->most),
          enter_right = enter_box(right, &f->r, f->most);
    bool left_first = enter_left <= enter_right; /* the last pushed is visited first */
    push(f, mesh, left_first ? right : left, left_first ? enter_right : enter_left);
    push(f, mesh, left_first ? left : right, left_first ? enter_left : enter_right);
}

static void load_corners(const kg_mesh *mesh, const entry *leaf)
{
    for (uint32_t i = 0; i < leaf->count; ++i)
        __builtin_prefetch(&mesh->corner[3 * mesh->order[leaf->first + i]]);
}

static void load_vertices(const kg_mesh *mesh, const entry *leaf)
{
    for (uint32_t i = 0; i < leaf->count; ++i) {
        const uint32_t *corner = &mesh->corner[3 * mesh->order[leaf->first + i]];
        for (int k = 0; k < 3; ++k) __builtin_prefetch(kg_mesh_vertex(mesh, corner[k]));
    }
}

static void test_leaf(flight *f, const kg_mesh *mesh, const entry *leaf)
{
    for (uint32_t i = 0; i < leaf->count; ++i)
        test_triangle(mesh, mesh->order[leaf->first + i], &f->r, f->limit, &f->hit);
    if (f->hit.t < f->limit) f->most = limit_of(&f->r, f->hit.t);
}

/* One step; false when the ray has met all. */
static bool advance(flight *f, const kg_mesh *mesh)
{
    while (f->top && f->stack[f->top - 1].enter > f->most) --f->top;
    if (!f->top) return false;
    entry *next = &f->stack[f->top - 1];
    if (!next->count) {
        --f->top;
        visit_children(f, mesh, next->first);
    } else if (next->stage == LOAD_CORNERS) {
        load_corners(mesh, next);
        next->stage = LOAD_VERTICES;
    } else if (next->stage == LOAD_VERTICES) {
        load_vertices(mesh, next);
        next->stage = TEST;
    } else {
        --f->top;
        test_leaf(f, mesh, next);
    }
    return true;
}

/* False for a ray that meets nothing. */
static bool start(flight *f, const kg_mesh *mesh, const kg_mesh_ray_task *task)
{
    f->top = 0;
    f->hit.t = KG_NEVER;
    if (kg_is_zero3(task->direction) || !mesh->node_count) return false;
    f->r = make_ray(task->origin, task->direction);
    set_slabs(&f->r, mesh);
    f->limit = task->limit;
    f->most = limit_of(&f->r, f->limit);
    push(f, mesh, &mesh->node[0], enter_box(&mesh->node[0], &f->r, f->most));
    return f->top > 0;
}

void kg_mesh_rays(const kg_mesh *mesh, uint32_t count, kg_mesh_ray_task *rays)
{
    flight flights[KG_MESH_RAYS], *flying[KG_MESH_RAYS];
    uint32_t active = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (start(&flights[i], mesh, &rays[i])) flying[active++] = &flights[i];
    }
    while (active) {
        for (uint32_t i = 0; i < active;) {
            if (advance(flying[i], mesh)) ++i;
            else flying[i] = flying[--active];
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        rays[i].t = flights[i].hit.t;
        rays[i].triangle = flights[i].hit.triangle;
        kg_copy3(rays[i].normal, flights[i].hit.normal);
    }
}

double kg_mesh_ray(const kg_mesh *mesh, const double origin[3], const double direction[3],
                   double limit, uint32_t *triangle, double normal[3])
{
    kg_mesh_ray_task task = {.limit = limit};
    kg_copy3(task.origin, origin);
    kg_copy3(task.direction, direction);
    kg_mesh_rays(mesh, 1, &task);
    if (task.t >= KG_NEVER) return KG_NEVER;
    *triangle = task.triangle;
    kg_copy3(normal, task.normal);
    return task.t;
}
