/* Public functions of queries: check, delegate. The world is const: only statuses tell of errors. */
#include "base/tasks.h"
#include "base/vec.h"
#include "query/index.h"
#include "query/query.h"

/* Boxes of a periodic world that one query may pass. */
static const double most_boxes = 1e6;

static bool good(const double v[3])
{
    return v && kg_max_abs3(v) <= KG_VALUE_LIMIT && kg_finite3(v);
}

static bool good_radius(double r) { return r >= 0 && r <= KG_VALUE_LIMIT; }

/* A region from low to high along every periodic axis, which goes a way: those that it covers, along all of it. */
static kugel_status check_boxes(const kugel_world *world, const double low[3], const double high[3], const double way[3])
{
    const kugel_bounds *b = &world->def.bounds;
    double covered = 1, passed = 1;
    for (int k = 0; k < 3; ++k) {
        if (b->faces[2 * k] != KUGEL_FACE_PERIODIC) continue;
        double length = b->max[k] - b->min[k], most = most_boxes * length, from = low[k], to = high[k];
        if (way[k] < 0) from += way[k];
        else to += way[k];
        if (!(kg_abs(from - b->min[k]) <= most && kg_abs(to - b->min[k]) <= most)) return KUGEL_ERROR_LIMIT;
        covered *= 1 + (high[k] - low[k]) / length;
        passed += kg_abs(way[k]) / length;
    }
    return covered * passed - 1 <= most_boxes ? KUGEL_OK : KUGEL_ERROR_LIMIT;
}

static kugel_status check_around(const kugel_world *world, const double center[3], double reach)
{
    const double way[3] = {0, 0, 0};
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) low[k] = center[k] - reach, high[k] = center[k] + reach;
    return check_boxes(world, low, high, way);
}

static kugel_status check_ray(const kugel_world *world, const kugel_ray *ray, double radius)
{
    if (!world || !ray || !good(ray->origin) || !good(ray->direction) || !good_radius(radius)) {
        return KUGEL_ERROR_INVALID_ARGUMENT;
    }
    if (!(ray->t_max >= 0)) return KUGEL_ERROR_INVALID_ARGUMENT;
    double low[3], high[3], way[3];
    for (int k = 0; k < 3; ++k) {
        way[k] = ray->direction[k] == 0 ? 0 : ray->direction[k] * ray->t_max;
        low[k] = ray->origin[k] - radius;
        high[k] = ray->origin[k] + radius;
    }
    return check_boxes(world, low, high, way);
}

static kugel_status check_cast(const kugel_world *world, const kugel_ray *ray, double radius)
{
    kugel_status status = check_ray(world, ray, radius);
    return !status && !kg_finite(ray->t_max) ? KUGEL_ERROR_INVALID_ARGUMENT : status;
}

/* What every list is given: where its items and their number go. */
static bool clear(size_t capacity, const void *items, size_t *count)
{
    if (count) *count = 0;
    return count && (items || !capacity);
}

kugel_status kugel_world_prepare_queries(const kugel_world *world)
{
    return world ? kg_query_open(world) : KUGEL_ERROR_INVALID_ARGUMENT;
}

/* ---- rays ---- */

/* A batch in pieces; what a caller's filter does is done on the caller's thread. */
enum { RAYS = 128 };
typedef struct ray_batch {
    const kg_seen *seen;
    size_t count;
    const kugel_ray *rays;
    kugel_ray_hit *hits;
} ray_batch;

static void trace_some(void *context, uint32_t index)
{
    const ray_batch *b = context;
    size_t from = (size_t)index * RAYS, count = b->count - from < RAYS ? b->count - from : RAYS;
    kg_rays_closest(b->seen, count, b->rays + from, b->hits + from);
}

static void trace_all(const kugel_world *world, const kg_seen *seen, size_t count, const kugel_ray *rays, kugel_ray_hit *hits)
{
    ray_batch b = {seen, count, rays, hits};
    size_t pieces = (count + RAYS - 1) / RAYS;
    bool own = seen->filter.accept || kg_tasks_width(world->tasks) < 2;
    if (own || pieces < 4 || pieces > UINT32_MAX) kg_rays_closest(seen, count, rays, hits);
    else kg_tasks_run(world->tasks, (uint32_t)pieces, trace_some, &b);
}

kugel_status kugel_world_rays_closest(const kugel_world *world, size_t count, const kugel_ray *rays,
                                      const kugel_filter *filter, kugel_ray_hit *hits)
{
    if (count && !hits) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = world && (rays || !count) ? KUGEL_OK : KUGEL_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < count && !status; ++i) status = check_ray(world, &rays[i], 0);
    if (!status) status = kg_query_open(world);
    for (size_t i = 0; i < count && status; ++i) hits[i] = (kugel_ray_hit){0};
    if (status) return status;
    kg_seen seen = kg_filter_open(world, filter);
    trace_all(world, &seen, count, rays, hits);
    return KUGEL_OK;
}

kugel_status kugel_world_ray_closest(const kugel_world *world, const kugel_ray *ray, const kugel_filter *filter,
                                     kugel_ray_hit *hit)
{
    return kugel_world_rays_closest(world, 1, ray, filter, hit);
}

kugel_status kugel_world_ray_any(const kugel_world *world, const kugel_ray *ray, const kugel_filter *filter, bool *hit)
{
    if (!hit) return KUGEL_ERROR_INVALID_ARGUMENT;
    *hit = false;
    kugel_status status = check_ray(world, ray, 0);
    if (!status) status = kg_query_open(world);
    if (status) return status;
    kg_seen seen = kg_filter_open(world, filter);
    *hit = kg_ray_any(&seen, ray);
    return KUGEL_OK;
}

kugel_status kugel_world_ray_all(const kugel_world *world, const kugel_ray *ray, const kugel_filter *filter,
                                 size_t capacity, kugel_ray_hit *hits, size_t *count)
{
    if (!clear(capacity, hits, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = check_ray(world, ray, 0);
    if (!status) status = kg_query_open(world);
    if (status) return status;
    kg_seen seen = kg_filter_open(world, filter);
    *count = kg_ray_all(&seen, ray, capacity, hits);
    return KUGEL_OK;
}

/* ---- moving spheres ---- */

kugel_status kugel_world_cast_closest(const kugel_world *world, const kugel_ray *ray, double radius,
                                      const kugel_filter *filter, kugel_cast_hit *hit)
{
    if (!hit) return KUGEL_ERROR_INVALID_ARGUMENT;
    *hit = (kugel_cast_hit){0};
    kugel_status status = check_cast(world, ray, radius);
    if (!status) status = kg_query_open(world);
    if (status) return status;
    kg_seen seen = kg_filter_open(world, filter);
    kg_cast_closest(&seen, ray, radius, hit);
    return KUGEL_OK;
}

kugel_status kugel_world_cast_any(const kugel_world *world, const kugel_ray *ray, double radius,
                                  const kugel_filter *filter, bool *hit)
{
    if (!hit) return KUGEL_ERROR_INVALID_ARGUMENT;
    *hit = false;
    kugel_status status = check_cast(world, ray, radius);
    if (!status) status = kg_query_open(world);
    if (status) return status;
    kg_seen seen = kg_filter_open(world, filter);
    *hit = kg_cast_any(&seen, ray, radius);
    return KUGEL_OK;
}

kugel_status kugel_world_cast_all(const kugel_world *world, const kugel_ray *ray, double radius,
                                  const kugel_filter *filter, size_t capacity, kugel_cast_hit *hits, size_t *count)
{
    if (!clear(capacity, hits, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = check_cast(world, ray, radius);
    if (!status) status = kg_query_open(world);
    if (status) return status;
    kg_seen seen = kg_filter_open(world, filter);
    *count = kg_cast_all(&seen, ray, radius, capacity, hits);
    return KUGEL_OK;
}

/* ---- volumes ---- */

kugel_status kugel_world_overlap_sphere(const kugel_world *world, const double center[3], double radius,
                                        const kugel_filter *filter, size_t capacity, kugel_found *found, size_t *count)
{
    if (!clear(capacity, found, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!world || !good(center) || !good_radius(radius)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = check_around(world, center, radius);
    if (!status) status = kg_query_open(world);
    if (status) return status;
    kg_seen seen = kg_filter_open(world, filter);
    *count = kg_overlap_sphere(&seen, center, radius, capacity, found);
    return KUGEL_OK;
}

kugel_status kugel_world_overlap_box(const kugel_world *world, const double min[3], const double max[3],
                                     const kugel_filter *filter, size_t capacity, kugel_found *found, size_t *count)
{
    if (!clear(capacity, found, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!world || !good(min) || !good(max)) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (max[0] < min[0] || max[1] < min[1] || max[2] < min[2]) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = check_boxes(world, min, max, (const double[3]){0, 0, 0});
    if (!status) status = kg_query_open(world);
    if (status) return status;
    kg_seen seen = kg_filter_open(world, filter);
    *count = kg_overlap_box(&seen, min, max, capacity, found);
    return KUGEL_OK;
}

static kugel_status check_ellipsoid(const double center[3], const double semi_axes[3], const double rotation[4],
                                    kugel_ellipsoid *out)
{
    if (!good(center) || !good(semi_axes)) return KUGEL_ERROR_INVALID_ARGUMENT;
    *out = (kugel_ellipsoid){.rotation = {0, 0, 0, 1}};
    for (int k = 0; k < 4 && rotation; ++k) out->rotation[k] = rotation[k];
    kg_copy3(out->center, center);
    kg_copy3(out->semi_axes, semi_axes);
    if (kg_max_abs3(semi_axes) == 0 || !kg_finite3(out->rotation) || !kg_finite(out->rotation[3])) {
        return KUGEL_ERROR_INVALID_ARGUMENT;
    }
    bool inside; /* negative axes and rotations that are not unit are refused by the pure function */
    return kugel_point_ellipsoid(center, center, semi_axes, out->rotation, &inside);
}

kugel_status kugel_world_overlap_ellipsoid(const kugel_world *world, const double center[3], const double semi_axes[3],
                                           const double rotation[4], const kugel_filter *filter, size_t capacity,
                                           kugel_found *found, size_t *count)
{
    kugel_ellipsoid e;
    if (!clear(capacity, found, count) || !world) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = check_ellipsoid(center, semi_axes, rotation, &e);
    if (!status) status = check_around(world, center, kg_max_abs3(semi_axes));
    if (!status) status = kg_query_open(world);
    if (status) return status;
    kg_seen seen = kg_filter_open(world, filter);
    *count = kg_overlap_ellipsoid(&seen, &e, capacity, found);
    return KUGEL_OK;
}

kugel_status kugel_world_point(const kugel_world *world, const double point[3], const kugel_filter *filter,
                               size_t capacity, kugel_found *found, size_t *count)
{
    if (!clear(capacity, found, count) || !world || !good(point)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = check_around(world, point, 0);
    if (!status) status = kg_query_open(world);
    if (status) return status;
    kg_seen seen = kg_filter_open(world, filter);
    *count = kg_find_point(&seen, point, capacity, found);
    return KUGEL_OK;
}

kugel_status kugel_world_nearest(const kugel_world *world, const double point[3], double most,
                                 const kugel_filter *filter, size_t capacity, kugel_found *found, size_t *count)
{
    if (!clear(capacity, found, count) || !world || !good(point) || most != most) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = check_around(world, point, 0);
    if (!status) status = kg_query_open(world);
    if (status || !capacity) return status;
    kg_seen seen = kg_filter_open(world, filter);
    *count = kg_nearest_bodies(&seen, point, most, capacity, found);
    return KUGEL_OK;
}

/* ---- planes and ellipsoids ---- */

kugel_status kugel_world_plane_side(const kugel_world *world, const double normal[3], double offset, int side,
                                    const kugel_filter *filter, size_t capacity, kugel_found *found, size_t *count)
{
    if (!clear(capacity, found, count) || !world || !good(normal)) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (side < -1 || side > 1 || !(kg_abs(offset) <= KG_VALUE_LIMIT)) return KUGEL_ERROR_INVALID_ARGUMENT;
    const double none[3] = {0, 0, 0};
    kugel_plane_gap gap; /* a normal that is not unit is refused by the pure function */
    kugel_status status = kugel_plane_sphere(normal, offset, none, 0, &gap);
    if (status) return status;
    kg_seen seen = kg_filter_open(world, filter);
    *count = kg_plane_side(&seen, normal, offset, side, capacity, found);
    return KUGEL_OK;
}

static kugel_status check_registered(kugel_world *world, const kugel_ellipsoid *ellipsoid, kugel_ellipsoid *checked)
{
    if (!ellipsoid) return kg_fail(world, KUGEL_ERROR_INVALID_ARGUMENT, "ellipsoid", "is NULL");
    kugel_status status = check_ellipsoid(ellipsoid->center, ellipsoid->semi_axes, ellipsoid->rotation, checked);
    if (!status) return KUGEL_OK;
    return kg_fail(world, status, "ellipsoid", "wants finite numbers, semi-axes >= 0 (one > 0), a unit rotation");
}

kugel_status kugel_world_set_ellipsoid(kugel_world *world, uint32_t index, const kugel_ellipsoid *ellipsoid)
{
    kugel_ellipsoid checked;
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (index >= world->ellipsoid_count) {
        return kg_fail(world, KUGEL_ERROR_INVALID_ARGUMENT, "index", "there is no ellipsoid %u", index);
    }
    kugel_status status = check_registered(world, ellipsoid, &checked);
    if (!status) world->ellipsoids[index] = checked;
    return status;
}

kugel_status kugel_world_add_ellipsoid(kugel_world *world, const kugel_ellipsoid *ellipsoid, uint32_t *index)
{
    kugel_ellipsoid checked;
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = check_registered(world, ellipsoid, &checked);
    if (status) return status;
    uint32_t n = world->ellipsoid_count;
    if (!kg_column_reserve(&world->memory, &world->ellipsoid_column, sizeof *ellipsoid, (size_t)n + 1, n)) {
        return kg_fail(world, KUGEL_ERROR_OUT_OF_MEMORY, "ellipsoid", "no memory for one more");
    }
    world->ellipsoids = world->ellipsoid_column.data;
    world->ellipsoids[n] = checked;
    world->ellipsoid_count = n + 1;
    if (index) *index = n;
    return KUGEL_OK;
}

uint32_t kugel_world_ellipsoid_count(const kugel_world *world) { return world ? world->ellipsoid_count : 0; }

kugel_status kugel_world_ray_ellipsoids(const kugel_world *world, const kugel_ray *ray, size_t capacity,
                                        kugel_ellipsoid_hit *hits, size_t *count)
{
    if (!clear(capacity, hits, count) || !world || !ray) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!good(ray->origin) || !good(ray->direction) || !(ray->t_max >= 0)) return KUGEL_ERROR_INVALID_ARGUMENT;
    *count = kg_ray_ellipsoids(world, ray, capacity, hits);
    return KUGEL_OK;
}
