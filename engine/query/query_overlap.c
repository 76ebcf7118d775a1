/* Targets that touch a sphere, box, ellipsoid or point. In: scope, volume. Out: targets. The gap of
 * a body has the bits of the functions of kugel/geometry.h; other targets come from
 * query_volume_targets.c. Order: kind, index, image. */
#include "query/query_targets.h"
#include "query/query_walk_box.h"

typedef struct search search;

/* True if a body's sphere touches the volume; *gap is then the gap, m, and else undefined. */
typedef bool touches(const search *a, const double center[3], double radius, double *gap);

struct search {
    const kg_query_scope *scope;
    touches *touches;
    kg_volume volume;
    kg_best_results results;
};

/* The operations of kugel_overlap_spheres in the same order, for the same bits. */
static bool touches_sphere(const search *a, const double center[3], double radius, double *gap)
{
    double d[3], reach = a->volume.radius + radius;
    kg_sub3(d, center, a->volume.center);
    *gap = kg_dot3(d, d) - reach * reach; /* has the sign of the gap */
    if (*gap > 0) return false;
    double far = kg_length3(d) + reach;
    *gap = far > 0 ? *gap / far : 0;
    return true;
}

static bool touches_box(const search *a, const double center[3], double radius, double *gap)
{
    kugel_overlap overlap;
    kugel_overlap_sphere_box(center, radius, a->volume.min, a->volume.max, &overlap);
    *gap = overlap.gap;
    return overlap.hit;
}

static bool touches_ellipsoid(const search *a, const double center[3], double radius, double *gap)
{
    const kg_query_ellipsoid *e = a->volume.ellipsoid;
    kugel_overlap nearest;
    kugel_ellipsoid_nearest(center, e->center, e->semi_axes, e->rotation, &nearest);
    *gap = nearest.gap - radius;
    return *gap <= 0;
}

static inline void visit(void *context, const kg_exact_sphere *exact, const int32_t image[3])
{
    search *a = context;
    double center[3], gap;
    kg_query_center(a->scope->world->query, exact->x, image, center);
    if (!a->touches(a, center, exact->radius, &gap) || !kg_query_accepts(a->scope, exact->body))
        return;
    kugel_found found = {.body = exact->body,
                         .image = {image[0], image[1], image[2]},
                         .index = kugel_body_id(exact->body),
                         .gap = gap};
    kg_best_results_offer(&a->results, &found);
}

/* Set point and normal of *found: the body's point that is nearest to the volume or deepest in it,
 * and the normal there. */
static void describe(const kg_volume *v, const double center[3], double radius, kugel_found *found)
{
    kugel_overlap overlap;
    if (v->center) {
        kugel_overlap_spheres(v->center, v->radius, center, radius, &overlap);
        kg_copy3(found->point, overlap.point_b);
        kg_scale3(found->normal, overlap.normal, -1);
    } else if (v->ellipsoid) {
        const kg_query_ellipsoid *e = v->ellipsoid;
        kugel_ellipsoid_nearest(center, e->center, e->semi_axes, e->rotation, &overlap);
        kg_add_scaled3(found->point, center, -radius, overlap.normal);
        kg_scale3(found->normal, overlap.normal, -1);
    } else {
        kugel_overlap_sphere_box(center, radius, v->min, v->max, &overlap);
        kg_copy3(found->point, overlap.point_a);
        kg_scale3(found->normal, overlap.normal, -1);
    }
}

void kg_query_describe_bodies(const kugel_world *world, const kg_volume *volume, size_t count,
                              kugel_found *found)
{
    for (size_t k = 0; k < count; ++k) {
        if (!found[k].body) continue;
        kg_exact_sphere exact = kg_query_sphere(&world->bodies, world->bodies.slot[found[k].index]);
        double center[3];
        kg_query_center(world->query, exact.x, found[k].image, center);
        describe(volume, center, exact.radius, &found[k]);
    }
}

/* `region` encloses the volume. */
static size_t find(search *a, const kg_region *region, size_t capacity, kugel_found *found)
{
    const kugel_world *world = a->scope->world;
    kg_best_results_open(&a->results, found, sizeof *found, capacity, kg_query_found_precedes);
    kg_query_volume_targets(a->scope, &a->volume, 0, false, &a->results);
    if (a->scope->find_bodies) kg_walk_box(world, region, visit, a);
    kg_best_results_sort(&a->results);
    kg_query_describe_bodies(world, &a->volume, a->results.count, found);
    return a->results.offered_count;
}

size_t kg_query_overlap_sphere(const kg_query_scope *scope, const double center[3], double radius,
                               size_t capacity, kugel_found *found)
{
    search a = {
        .scope = scope, .touches = touches_sphere, .volume = {.center = center, .radius = radius}};
    kg_region region = kg_region_around(center, radius);
    return find(&a, &region, capacity, found);
}

size_t kg_query_overlap_box(const kg_query_scope *scope, const double min[3], const double max[3],
                            size_t capacity, kugel_found *found)
{
    search a = {.scope = scope, .touches = touches_box, .volume = {.min = min, .max = max}};
    kg_region region;
    double half[3];
    kg_copy3(region.low, min);
    kg_copy3(region.high, max);
    for (int k = 0; k < 3; ++k) {
        region.center[k] = 0.5 * min[k] + 0.5 * max[k];
        half[k] = 0.5 * max[k] - 0.5 * min[k];
    }
    region.radius = kg_length3(half);
    return find(&a, &region, capacity, found);
}

size_t kg_query_overlap_ellipsoid(const kg_query_scope *scope, const kg_query_ellipsoid *ellipsoid,
                                  size_t capacity, kugel_found *found)
{
    search a = {.scope = scope, .touches = touches_ellipsoid, .volume = {.ellipsoid = ellipsoid}};
    kg_region region = kg_region_around(ellipsoid->center, kg_max_abs3(ellipsoid->semi_axes));
    return find(&a, &region, capacity, found);
}
