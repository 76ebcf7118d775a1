/* Walls and surfaces near a sphere, or in a box or an ellipsoid. In: volume,
 * maximum gap. Out: kugel_found, offered to the results. Order and cost: query_targets.h. */
#include "geometry/overlap_shapes.h"
#include "geometry/sweep_linear.h"
#include "query/query_targets.h"
#include "surfaces/mesh_feature.h"
#include "world/surface_tree.h"

typedef struct search {
    const kg_query_scope *scope;
    const kg_volume *volume;
    double max_gap; /* m */
    double reach;   /* m, radius of a sphere plus max_gap */
    bool nearest;   /* true: results are in the order of gaps */
    kg_best_results *results;
    kg_placed_ellipsoid placed; /* the volume, if it is an ellipsoid */
} search;

/* Offer a target. In a search for the nearest targets, once one has been dropped, the maximum gap
 * becomes the largest gap of those kept. */
static void offer(search *a, const kugel_found *found)
{
    if (!(found->gap <= a->max_gap) ||
        !kg_query_filter_accepts(a->scope, found->target, found->index))
        return;
    kg_best_results_offer(a->results, found);
    if (a->nearest && a->results->is_heap) {
        memcpy(&a->max_gap, a->results->items + offsetof(kugel_found, gap), sizeof a->max_gap);
        a->reach = a->max_gap + a->volume->radius;
    }
}

/* The volume's point that is deepest in a wall of this normal; for a sphere its centre. */
static void deepest_point(const search *a, const double normal[3], double point[3])
{
    const kg_volume *v = a->volume;
    double into[3];
    if (v->center) {
        kg_copy3(point, v->center);
    } else if (v->ellipsoid) {
        kg_scale3(into, normal, -1);
        kg_ellipsoid_support(&a->placed, into, point);
    } else {
        for (int k = 0; k < 3; ++k)
            point[k] = normal[k] > 0   ? v->min[k]
                       : normal[k] < 0 ? v->max[k]
                                       : 0.5 * v->min[k] + 0.5 * v->max[k];
    }
}

static void offer_walls(search *a)
{
    for (kg_boundary_set left = a->scope->walls; left;) {
        kugel_found found = {.target = KUGEL_TARGET_FACE, .index = kg_boundary_set_take(&left)};
        kg_half_space space = kg_query_wall(a->scope->world, found.index);
        double point[3];
        kugel_plane_gap height;
        deepest_point(a, space.normal, point);
        kugel_plane_sphere(space.normal, space.offset, point, 0, &height);
        found.gap = height.height - a->volume->radius;
        kg_copy3(found.point, height.on_plane);
        kg_copy3(found.normal, space.normal);
        offer(a, &found);
    }
}

/* The corners of a mesh's triangle in the world, m. */
static void corners_of(const kg_surface *surface, uint32_t triangle, double at[3][3])
{
    const kg_mesh *mesh = &surface->mesh;
    for (uint32_t k = 0; k < 3; ++k)
        kg_pose_point_to_world(&surface->pose,
                               &mesh->vertex[3 * (size_t)mesh->corner[3 * triangle + k]], at[k]);
}

/* Set the normal of the triangle on the side of the point x. It is computed in the surface's frame,
 * because corners far from the world's origin may round to one point of the world. */
static void set_normal_towards(const kg_surface *surface, uint32_t triangle, const double x[3],
                               kugel_found *found)
{
    const kg_mesh *mesh = &surface->mesh;
    double d[3];
    kg_mesh_corners_normal(mesh, &mesh->corner[3 * (size_t)triangle], found->normal);
    kg_surface_to_world(surface, found->normal, found->normal);
    kg_sub3(d, x, found->point);
    if (kg_dot3(d, found->normal) < 0) kg_scale3(found->normal, found->normal, -1);
}

static bool find_near_sphere(const search *a, const kg_surface *surface, kugel_found *found)
{
    kg_surface_closest closest;
    if (!kg_surface_find_closest(surface, a->volume->center, a->reach, &closest)) return false;
    found->triangle = closest.triangle;
    found->gap = closest.distance - a->volume->radius;
    kg_copy3(found->point, closest.point);
    if (!kg_surface_is_solid(surface))
        set_normal_towards(surface, closest.triangle, a->volume->center, found);
    kg_normalize3(found->normal, closest.outward, found->normal);
    return true;
}

/* A box or ellipsoid in the frame of a surface. Its points are computed relative to its centre, so
 * that their rounding does not grow with the distance from the world's origin. */
typedef struct framed_volume {
    const kg_volume *volume;
    const kg_pose *pose;          /* of the surface */
    kg_placed_ellipsoid centered; /* an ellipsoid at the origin */
    double center[3];             /* m, in the frame */
} framed_volume;

/* A kg_convex_farthest of a framed_volume. */
static void farthest_of_volume(const void *solid, const double direction[3], double point[3])
{
    const framed_volume *f = solid;
    const kg_volume *v = f->volume;
    double along[3], from_center[3];
    kg_pose_to_world(f->pose, direction, along);
    if (v->ellipsoid) kg_ellipsoid_support(&f->centered, along, from_center);
    for (int k = 0; k < 3 && !v->ellipsoid; ++k) {
        double half = 0.5 * v->max[k] - 0.5 * v->min[k];
        from_center[k] = along[k] < 0 ? -half : half;
    }
    kg_pose_to_frame(f->pose, from_center, point);
    kg_add_scaled3(point, f->center, 1, point);
}

static bool find_shape_in_volume(const search *a, const kg_surface *surface, const double center[3],
                                 kugel_found *found)
{
    framed_volume framed = {.volume = a->volume, .pose = &surface->pose, .centered = a->placed};
    const kg_convex volume = {farthest_of_volume, &framed};
    double x[3];
    kg_surface_closest closest;
    kg_set3(framed.centered.center, 0, 0, 0);
    kg_pose_point_to_frame(&surface->pose, center, framed.center);
    kg_copy3(x, framed.center);
    if (!kg_shape_meets(&surface->shape, &volume, x)) return false;
    kg_pose_point_to_world(&surface->pose, x, found->point);
    kg_surface_find_closest(surface, center, KG_NEVER, &closest);
    kg_copy3(found->normal, closest.outward);
    return true;
}

/* A search for the triangle with the point in the volume that is nearest to the volume's centre. Of
 * triangles at equal distance the lowest is found. */
typedef struct triangle_search {
    const search *a;
    const kg_surface *surface;
    const double *center; /* m */
    double squared;       /* m^2, squared distance of the best point so far */
    kugel_found *found;   /* receives triangle and point */
} triangle_search;

static bool visit_triangle(void *context, uint32_t triangle)
{
    triangle_search *t = context;
    const kg_volume *v = t->a->volume;
    double at[3][3], point[3];
    corners_of(t->surface, triangle, at);
    const double *const corner[3] = {at[0], at[1], at[2]};
    if (v->ellipsoid ? !kg_ellipsoid_meets_triangle(&t->a->placed, corner, point)
                     : !kg_box_meets_triangle(v->min, v->max, corner, point))
        return true;
    double squared = kg_squared_distance3(point, t->center);
    if (squared > t->squared || (squared == t->squared && triangle > t->found->triangle))
        return true;
    t->squared = squared;
    t->found->triangle = triangle;
    kg_copy3(t->found->point, point);
    return true;
}

/* The box around the volume in the surface's frame, wider by more than the rounding of the
 * frame. */
static void bound_volume(const search *a, const kg_surface *surface, const double center[3],
                         double low[3], double high[3])
{
    const kg_volume *v = a->volume;
    double middle[3];
    kg_pose_point_to_frame(&surface->pose, center, middle);
    for (int k = 0; k < 3; ++k) {
        const double *axis = surface->pose.axes[k];
        double end[3], half = 0;
        if (v->ellipsoid) {
            kg_ellipsoid_support(&a->placed, axis, end);
            kg_sub3(end, end, center);
            half = kg_dot3(end, axis);
        } else {
            for (int i = 0; i < 3; ++i) half += kg_abs(axis[i]) * 0.5 * (v->max[i] - v->min[i]);
        }
        double margin = 1e-14 * (half + kg_max_abs3(middle) + kg_max_abs3(center) +
                                 kg_max_abs3(surface->pose.origin));
        low[k] = middle[k] - half - margin;
        high[k] = middle[k] + half + margin;
    }
}

static bool find_in_volume(const search *a, const kg_surface *surface, kugel_found *found)
{
    const kg_volume *v = a->volume;
    double center[3], low[3], high[3];
    for (int k = 0; k < 3; ++k)
        center[k] = v->ellipsoid ? v->ellipsoid->center[k] : 0.5 * v->min[k] + 0.5 * v->max[k];
    if (kg_surface_is_solid(surface)) return find_shape_in_volume(a, surface, center, found);
    triangle_search t = {a, surface, center, KG_NEVER, found};
    bound_volume(a, surface, center, low, high);
    kg_mesh_find_near(&surface->mesh, low, high, 0, visit_triangle, &t);
    if (t.squared >= KG_NEVER) return false;
    set_normal_towards(surface, found->triangle, center, found);
    return true;
}

static bool offer_surface(void *context, uint32_t index)
{
    search *a = context;
    const kg_surface *surface = &a->scope->world->surfaces.items[index];
    kugel_found found = {.target = KUGEL_TARGET_SURFACE, .index = index};
    if (!kg_query_filter_passes_surface(a->scope, index)) return true;
    bool near = a->volume->center ? find_near_sphere(a, surface, &found)
                                  : find_in_volume(a, surface, &found);
    if (near) offer(a, &found);
    return true;
}

static void offer_surfaces(search *a)
{
    const kg_volume *v = a->volume;
    const double *low = v->center ? v->center : v->min, *high = v->center ? v->center : v->max;
    double box[2][3];
    for (int k = 0; k < 3 && v->ellipsoid; ++k) {
        double longest = kg_max_abs3(v->ellipsoid->semi_axes);
        box[0][k] = v->ellipsoid->center[k] - longest;
        box[1][k] = v->ellipsoid->center[k] + longest;
    }
    if (v->ellipsoid) low = box[0], high = box[1];
    if (!a->scope->find_surfaces) return;
    (void)kg_surface_tree_visit(&a->scope->world->surfaces, low, high, &a->reach, offer_surface, a);
}

void kg_query_volume_targets(const kg_query_scope *scope, const kg_volume *volume, double max_gap,
                             bool nearest, kg_best_results *results)
{
    search a = {.scope = scope,
                .volume = volume,
                .max_gap = max_gap,
                .reach = max_gap + volume->radius,
                .nearest = nearest,
                .results = results};
    if (!scope->find_others) return;
    if (volume->ellipsoid) {
        const kg_query_ellipsoid *e = volume->ellipsoid;
        kg_ellipsoid_place(&a.placed, e->center, e->semi_axes, e->rotation);
    }
    offer_walls(&a);
    offer_surfaces(&a);
}
