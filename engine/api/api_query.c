/* Public functions that query a world. The world is const, so that threads can query in parallel:
 * errors are returned as statuses only, and calls are not recorded. */
#include "api/api_refuse.h"
#include "api/api_rows.h"
#include "base/tasks.h"
#include "base/vec.h"
#include "query/query_index.h"
#include "query/query.h"

/* Maximum number of periodic boxes that one query may cover or pass. */
static const double boxes_max = 1e6;

static bool is_valid_vector(const double v[3])
{
    return v && kg_max_abs3(v) <= KG_VALUE_LIMIT && kg_finite3(v);
}

static bool is_valid_radius(double r) { return r >= 0 && r <= KG_VALUE_LIMIT; }

/* Check that a region [low, high], m, covers and passes at most boxes_max periodic boxes while it
 * moves by `displacement`, m. Only bodies have periodic images: if bodies are no targets, there
 * is no limit. */
static kugel_status check_boxes(const kugel_world *world, const kugel_filter *filter,
                                const double low[3], const double high[3],
                                const double displacement[3])
{
    if (!kg_query_filter_has(filter, KUGEL_TARGET_BODY)) return KUGEL_OK;
    const kugel_bounds *b = &world->def.bounds;
    double covered = 1, passed = 1;
    for (int k = 0; k < 3; ++k) {
        if (b->faces[2 * k] != KUGEL_FACE_PERIODIC) continue;
        double length = b->max[k] - b->min[k], farthest = boxes_max * length, from = low[k],
               to = high[k];
        if (displacement[k] < 0) from += displacement[k];
        else to += displacement[k];
        if (!(kg_abs(from - b->min[k]) <= farthest && kg_abs(to - b->min[k]) <= farthest))
            return KUGEL_ERROR_LIMIT;
        covered *= 1 + (high[k] - low[k]) / length;
        passed += kg_abs(displacement[k]) / length;
    }
    return covered * passed - 1 <= boxes_max ? KUGEL_OK : KUGEL_ERROR_LIMIT;
}

/* As check_boxes, for a sphere of radius `reach`, m. */
static kugel_status check_sphere(const kugel_world *world, const kugel_filter *filter,
                                 const double center[3], double reach, const double displacement[3])
{
    const double low[3] = {center[0] - reach, center[1] - reach, center[2] - reach};
    const double high[3] = {center[0] + reach, center[1] + reach, center[2] + reach};
    return check_boxes(world, filter, low, high, displacement);
}

static kugel_status check_ray(const kugel_world *world, const kugel_ray *ray, double radius,
                              const kugel_filter *filter)
{
    if (!world || !ray || !is_valid_vector(ray->origin) || !is_valid_vector(ray->direction) ||
        !is_valid_radius(radius) || !(ray->t_max >= 0))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    double displacement[3];
    for (int k = 0; k < 3; ++k)
        displacement[k] = ray->direction[k] == 0 ? 0 : ray->direction[k] * ray->t_max;
    return check_sphere(world, filter, ray->origin, radius, displacement);
}

static kugel_status check_cast(const kugel_world *world, const kugel_ray *ray, double radius,
                               const kugel_filter *filter)
{
    kugel_status status = check_ray(world, ray, radius, filter);
    return !status && !kg_finite(ray->t_max) ? KUGEL_ERROR_INVALID_ARGUMENT : status;
}

/* Make the indices ready that the filter's targets need. */
static kugel_status ensure_index(const kugel_world *world, const kugel_filter *filter)
{
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    if (!kg_query_filter_is_valid(filter)) return KUGEL_ERROR_UNINITIALIZED_DEF;
    if (kg_query_filter_has(filter, KUGEL_TARGET_SURFACE)) kg_query_ensure_surfaces(world);
    return kg_query_filter_has(filter, KUGEL_TARGET_BODY) ? kg_query_ensure_index(world) : KUGEL_OK;
}

/* If `checked`, the status of the arguments, is KUGEL_OK: make the indices ready and open the
 * scope. Returns the first error. */
static kugel_status open_scope(kugel_status checked, const kugel_world *world,
                               const kugel_filter *filter, kg_query_scope *scope)
{
    kugel_status status = checked ? checked : ensure_index(world, filter);
    if (!status) kg_query_filter_open(scope, world, filter);
    return status;
}

/* open_scope for a query with a list, whose rows it opens as well. */
static kugel_status open_list(kugel_status checked, const kugel_world *world,
                              const kugel_filter *filter, kg_query_scope *scope, kg_rows *rows)
{
    kugel_status status = open_scope(checked, world, filter, scope);
    return !status && !kg_rows_open(rows, world) ? KUGEL_ERROR_OUT_OF_MEMORY : status;
}

kugel_status kugel_world_prepare_queries(const kugel_world *world)
{
    return ensure_index(world, NULL);
}

/* A batch of rays. It runs as tasks, unless the filter has the callback `accept`, which may be
 * called on the caller's thread only. */
enum { RAYS_PER_TASK = 128 };
typedef struct ray_batch {
    const kg_query_scope *scope;
    size_t count;
    const kugel_ray *rays;
    kugel_ray_hit *hits;
} ray_batch;

static void trace_task(void *context, uint32_t index)
{
    const ray_batch *b = context;
    size_t from = (size_t)index * RAYS_PER_TASK,
           count = b->count - from < RAYS_PER_TASK ? b->count - from : RAYS_PER_TASK;
    kg_query_rays_closest(b->scope, count, b->rays + from, b->hits + from);
}

static void trace_all(const kugel_world *world, const kg_query_scope *scope, size_t count,
                      const kugel_ray *rays, kugel_ray_hit *hits)
{
    ray_batch b = {scope, count, rays, hits};
    size_t tasks = (count + RAYS_PER_TASK - 1) / RAYS_PER_TASK;
    bool on_caller = scope->filter.accept || kg_tasks_concurrency(world->tasks) < 2;
    if (on_caller || tasks < 4 || tasks > UINT32_MAX)
        kg_query_rays_closest(scope, count, rays, hits);
    else kg_tasks_run(world->tasks, (uint32_t)tasks, trace_task, &b);
}

kugel_status kugel_world_rays_closest(const kugel_world *world, size_t count, const kugel_ray *rays,
                                      const kugel_filter *filter, kugel_ray_hit *hits, size_t size)
{
    kg_query_scope scope;
    kg_rows rows = {.out = hits, .capacity = count, .size = size, .own = sizeof *hits};
    if (count && !hits) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = world && (rays || !count) ? KUGEL_OK : KUGEL_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < count && !status; ++i) status = check_ray(world, &rays[i], 0, filter);
    status = open_list(status, world, filter, &scope, &rows);
    if (status) {
        if (count) memset(hits, 0, count * size);
        return status;
    }
    kg_begin_reading(world); /* for the tasks */
    trace_all(world, &scope, count, rays, rows.items);
    kg_end_reading(world);
    kg_rows_close(&rows, world, count);
    return KUGEL_OK;
}

kugel_status kugel_world_ray_closest(const kugel_world *world, const kugel_ray *ray,
                                     const kugel_filter *filter, kugel_ray_hit *hit, size_t size)
{
    return kugel_world_rays_closest(world, 1, ray, filter, hit, size);
}

kugel_status kugel_world_ray_any(const kugel_world *world, const kugel_ray *ray,
                                 const kugel_filter *filter, bool *hit)
{
    if (!hit) return KUGEL_ERROR_INVALID_ARGUMENT;
    *hit = false;
    kg_query_scope scope;
    kugel_status status = open_scope(check_ray(world, ray, 0, filter), world, filter, &scope);
    if (!status) *hit = kg_query_line_any(&scope, ray, NULL);
    return status;
}

kugel_status kugel_world_ray_all(const kugel_world *world, const kugel_ray *ray,
                                 const kugel_filter *filter, size_t capacity, kugel_ray_hit *hits,
                                 size_t *count, size_t size)
{
    if (!kg_clear_results(capacity, hits, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_query_scope scope;
    kg_rows rows = {.out = hits, .capacity = capacity, .size = size, .own = sizeof *hits};
    kugel_status status = open_list(check_ray(world, ray, 0, filter), world, filter, &scope, &rows);
    if (status) return status;
    *count = kg_query_line_all(&scope, ray, NULL, capacity, rows.items);
    kg_rows_close(&rows, world, *count);
    return KUGEL_OK;
}

kugel_status kugel_world_cast_closest(const kugel_world *world, const kugel_ray *ray, double radius,
                                      const kugel_filter *filter, kugel_cast_hit *hit, size_t size)
{
    if (!hit) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_cast_hit first = {0};
    kg_query_scope scope;
    kugel_status status = open_scope(check_cast(world, ray, radius, filter), world, filter, &scope);
    if (!status) kg_query_line_closest(&scope, ray, &radius, &first);
    kg_copy_sized(hit, size, &first, sizeof first);
    return status;
}

kugel_status kugel_world_cast_any(const kugel_world *world, const kugel_ray *ray, double radius,
                                  const kugel_filter *filter, bool *hit)
{
    if (!hit) return KUGEL_ERROR_INVALID_ARGUMENT;
    *hit = false;
    kg_query_scope scope;
    kugel_status status = open_scope(check_cast(world, ray, radius, filter), world, filter, &scope);
    if (!status) *hit = kg_query_line_any(&scope, ray, &radius);
    return status;
}

kugel_status kugel_world_cast_all(const kugel_world *world, const kugel_ray *ray, double radius,
                                  const kugel_filter *filter, size_t capacity, kugel_cast_hit *hits,
                                  size_t *count, size_t size)
{
    if (!kg_clear_results(capacity, hits, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_query_scope scope;
    kg_rows rows = {.out = hits, .capacity = capacity, .size = size, .own = sizeof *hits};
    kugel_status status =
        open_list(check_cast(world, ray, radius, filter), world, filter, &scope, &rows);
    if (status) return status;
    *count = kg_query_line_all(&scope, ray, &radius, capacity, rows.items);
    kg_rows_close(&rows, world, *count);
    return KUGEL_OK;
}

kugel_status kugel_world_overlap_sphere(const kugel_world *world, const double center[3],
                                        double radius, const kugel_filter *filter, size_t capacity,
                                        kugel_found *found, size_t *count, size_t size)
{
    if (!kg_clear_results(capacity, found, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!world || !is_valid_vector(center) || !is_valid_radius(radius))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_query_scope scope;
    kg_rows rows = {.out = found, .capacity = capacity, .size = size, .own = sizeof *found};
    kugel_status status = open_list(check_sphere(world, filter, center, radius, kg_zero3), world,
                                    filter, &scope, &rows);
    if (status) return status;
    *count = kg_query_overlap_sphere(&scope, center, radius, capacity, rows.items);
    kg_rows_close(&rows, world, *count);
    return KUGEL_OK;
}

kugel_status kugel_world_overlap_box(const kugel_world *world, const double min[3],
                                     const double max[3], const kugel_filter *filter,
                                     size_t capacity, kugel_found *found, size_t *count,
                                     size_t size)
{
    if (!kg_clear_results(capacity, found, count)) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!world || !is_valid_vector(min) || !is_valid_vector(max))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    if (max[0] < min[0] || max[1] < min[1] || max[2] < min[2]) return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_query_scope scope;
    kg_rows rows = {.out = found, .capacity = capacity, .size = size, .own = sizeof *found};
    kugel_status status =
        open_list(check_boxes(world, filter, min, max, kg_zero3), world, filter, &scope, &rows);
    if (status) return status;
    *count = kg_query_overlap_box(&scope, min, max, capacity, rows.items);
    kg_rows_close(&rows, world, *count);
    return KUGEL_OK;
}

static kugel_status check_ellipsoid(const double center[3], const double semi_axes[3],
                                    const double rotation[4], kg_query_ellipsoid *out)
{
    if (!is_valid_vector(center) || !is_valid_vector(semi_axes))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    *out = (kg_query_ellipsoid){.rotation = {0, 0, 0, 1}};
    for (int k = 0; k < 4 && rotation; ++k) out->rotation[k] = rotation[k];
    kg_copy3(out->center, center);
    kg_copy3(out->semi_axes, semi_axes);
    if (kg_max_abs3(semi_axes) == 0 || !kg_finite3(out->rotation) || !kg_finite(out->rotation[3]))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_hit hit; /* the pure function refuses negative axes and rotations that are not unit */
    return kugel_ray_ellipsoid(center, kg_zero3, 0, center, semi_axes, out->rotation, &hit);
}

kugel_status kugel_world_overlap_ellipsoid(const kugel_world *world, const double center[3],
                                           const double semi_axes[3], const double rotation[4],
                                           const kugel_filter *filter, size_t capacity,
                                           kugel_found *found, size_t *count, size_t size)
{
    kg_query_ellipsoid e;
    if (!kg_clear_results(capacity, found, count) || !world) return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_query_scope scope;
    kg_rows rows = {.out = found, .capacity = capacity, .size = size, .own = sizeof *found};
    kugel_status status = check_ellipsoid(center, semi_axes, rotation, &e);
    if (!status) status = check_sphere(world, filter, center, kg_max_abs3(semi_axes), kg_zero3);
    status = open_list(status, world, filter, &scope, &rows);
    if (status) return status;
    *count = kg_query_overlap_ellipsoid(&scope, &e, capacity, rows.items);
    kg_rows_close(&rows, world, *count);
    return KUGEL_OK;
}

kugel_status kugel_world_nearest(const kugel_world *world, const double point[3], double max_gap,
                                 const kugel_filter *filter, size_t capacity, kugel_found *found,
                                 size_t *count, size_t size)
{
    if (!kg_clear_results(capacity, found, count) || !world || !is_valid_vector(point) ||
        max_gap != max_gap)
        return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_query_scope scope;
    kg_rows rows = {.out = found, .capacity = capacity, .size = size, .own = sizeof *found};
    kugel_status status =
        open_list(check_sphere(world, filter, point, 0, kg_zero3), world, filter, &scope, &rows);
    if (status) return status;
    if (capacity) *count = kg_query_nearest(&scope, point, max_gap, capacity, rows.items);
    kg_rows_close(&rows, world, *count);
    return KUGEL_OK;
}

kugel_status kugel_world_plane_side(const kugel_world *world, const double normal[3], double offset,
                                    int side, const kugel_filter *filter, size_t capacity,
                                    kugel_found *found, size_t *count, size_t size)
{
    if (!kg_clear_results(capacity, found, count) || !world || !is_valid_vector(normal))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    if (side < -1 || side > 1 || !(kg_abs(offset) <= KG_VALUE_LIMIT))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_plane_gap gap; /* the pure function refuses a normal that is not unit */
    kugel_status status = kugel_plane_sphere(normal, offset, kg_zero3, 0, &gap);
    kg_query_scope scope;
    kg_rows rows = {.out = found, .capacity = capacity, .size = size, .own = sizeof *found};
    status = open_list(status, world, filter, &scope, &rows);
    if (status) return status;
    *count = kg_query_plane_side(&scope, normal, offset, side, capacity, rows.items);
    kg_rows_close(&rows, world, *count);
    return KUGEL_OK;
}
