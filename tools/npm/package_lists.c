/* Lists of rows for the JavaScript package: events, moves, contacts, results of queries. rows.mjs
 * has the layout of the structs; a test compares it with js_row_size. */
#include <string.h>

#include "package.h"

/* In the order of ROWS in rows.mjs. */
uint32_t EXPORT(js_row_size)(uint32_t kind)
{
    static const uint32_t sizes[] = {
        sizeof(kugel_impact),       sizeof(kugel_touch),
        sizeof(kugel_rest),         sizeof(kugel_body),
        sizeof(kugel_move),         sizeof(kugel_surface_move),
        sizeof(kugel_sensor_event), sizeof(kugel_resting_contact),
        sizeof(kugel_ray_hit),      sizeof(kugel_cast_hit),
        sizeof(kugel_found),        sizeof(kugel_impulse_sum),
    };
    return kind < sizeof sizes / sizeof *sizes ? sizes[kind] : 0;
}

/* In the order of EVENTS in world.mjs. Returns the first row; *js_numbers() is their count. */
const void *EXPORT(js_world_events)(const kugel_world *world, uint32_t kind)
{
    size_t count = 0;
    const void *rows = NULL;
    if (kind == 0) rows = kugel_world_impact_events(world, &count);
    if (kind == 1) rows = kugel_world_begin_events(world, &count);
    if (kind == 2) rows = kugel_world_end_events(world, &count);
    if (kind == 3) rows = kugel_world_sleep_events(world, &count);
    if (kind == 4) rows = kugel_world_wake_events(world, &count);
    if (kind == 5) rows = kugel_world_sensor_events(world, &count);
    *js_numbers() = (double)count;
    return rows;
}

int EXPORT(js_world_report_impacts_above)(kugel_world *world, double speed)
{
    return kugel_world_report_impacts_above(world, speed);
}

uint32_t EXPORT(js_world_moves)(const kugel_world *world, uint32_t room, kugel_move *moves)
{
    return kugel_world_moves(world, room, moves);
}

uint32_t EXPORT(js_world_surface_moves)(const kugel_world *world, uint32_t room,
                                        kugel_surface_move *moves)
{
    return kugel_world_surface_moves(world, room, moves);
}

/* Contacts: at most `room` rows are written. */

static int count_of(kugel_status status, size_t count)
{
    return status ? -(int)status : (int)count;
}

int EXPORT(js_body_contacts)(const kugel_world *world, js_body body, uint32_t room,
                             kugel_resting_contact *contacts)
{
    size_t count;
    return count_of(kugel_body_contacts(world, js_handle_of(body), room, contacts, &count), count);
}

int EXPORT(js_world_contacts)(const kugel_world *world, uint32_t room,
                              kugel_resting_contact *contacts)
{
    size_t count;
    return count_of(kugel_world_contacts(world, room, contacts, &count), count);
}

int EXPORT(js_world_sum_impulses)(kugel_world *world, bool on)
{
    return kugel_world_sum_impulses(world, on);
}

int EXPORT(js_world_impulse_sums)(const kugel_world *world, uint32_t room, kugel_impulse_sum *sums)
{
    size_t count;
    return count_of(kugel_world_impulse_sums(world, room, sums, &count), count);
}

int EXPORT(js_sensor_bodies)(const kugel_world *world, js_body sensor, uint32_t room,
                             kugel_body *bodies)
{
    size_t count;
    return count_of(kugel_world_sensor_bodies(world, js_handle_of(sensor), room, bodies, &count),
                    count);
}

int EXPORT(js_surface_bodies)(const kugel_world *world, js_surface surface, uint32_t room,
                              kugel_body *bodies)
{
    size_t count;
    return count_of(kugel_surface_bodies(world, js_handle_of(surface), room, bodies, &count),
                    count);
}

int EXPORT(js_prepare_queries)(const kugel_world *world)
{
    return kugel_world_prepare_queries(world);
}

enum {
    FILTER_AT = 16 /* of the numbers: category, mask, group, sensors, targets, initial */
};

/* accepts: the filter calls the function of the query that runs. */
static kugel_filter filter_of(const double *numbers, bool accepts)
{
    kugel_filter filter = kugel_filter_default();
    filter.category = (uint32_t)numbers[FILTER_AT];
    filter.mask = (uint32_t)numbers[FILTER_AT + 1];
    filter.group = (uint32_t)numbers[FILTER_AT + 2];
    filter.sensors = numbers[FILTER_AT + 3] != 0;
    filter.targets = (uint32_t)numbers[FILTER_AT + 4];
    filter.initial = numbers[FILTER_AT + 5] != 0;
    filter.accept = accepts ? js_filter_accept : NULL;
    return filter;
}

static kugel_ray ray_of(const double *n)
{
    return (kugel_ray){{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, n[6]};
}

/* Rays and casts. Single results are a list of none or one. In: origin[3], direction[3], t_max,
 * radius. */
static kugel_status query_line(const kugel_world *world, uint32_t kind, const double *n,
                               const kugel_filter *filter, uint32_t room, void *rows, size_t *count)
{
    kugel_ray ray = ray_of(n);
    kugel_status status;
    bool any;
    switch (kind) {
    case 0:
        status = kugel_world_ray_closest(world, &ray, filter, rows);
        *count = !status && ((kugel_ray_hit *)rows)->hit.hit;
        return status;
    case 1:
        status = kugel_world_ray_any(world, &ray, filter, &any);
        *count = !status && any;
        return status;
    case 2:
        return kugel_world_ray_all(world, &ray, filter, room, rows, count);
    case 3:
        status = kugel_world_cast_closest(world, &ray, n[7], filter, rows);
        *count = !status && ((kugel_cast_hit *)rows)->contact.hit;
        return status;
    case 4:
        status = kugel_world_cast_any(world, &ray, n[7], filter, &any);
        *count = !status && any;
        return status;
    default:
        return kugel_world_cast_all(world, &ray, n[7], filter, room, rows, count);
    }
}

/* Volumes and planes: 3 numbers, then those of the kind. */
static kugel_status query_volume(const kugel_world *world, uint32_t kind, const double *n,
                                 const kugel_filter *filter, uint32_t room, kugel_found *rows,
                                 size_t *count)
{
    switch (kind) {
    case 6:
        return kugel_world_overlap_sphere(world, n, n[3], filter, room, rows, count);
    case 7:
        return kugel_world_overlap_box(world, n, n + 3, filter, room, rows, count);
    case 8:
        return kugel_world_overlap_ellipsoid(world, n, n + 3, n + 6, filter, room, rows, count);
    case 9:
        return kugel_world_nearest(world, n, n[3], filter, room, rows, count);
    case 10:
        return kugel_world_plane_side(world, n, n[3], (int)n[4], filter, room, rows, count);
    default:
        return KUGEL_ERROR_INVALID_ARGUMENT;
    }
}

/* `kind`: in the order of QUERIES in world.mjs. Single results need room for one row. */
int EXPORT(js_world_query)(const kugel_world *world, uint32_t kind, bool accepts, uint32_t room,
                           void *rows)
{
    kugel_filter filter = filter_of(js_numbers(), accepts);
    double n[FILTER_AT]; /* a copy: the function of the query may make queries */
    memcpy(n, js_numbers(), sizeof n);
    size_t count = 0;
    kugel_status status = kind < 6 ? query_line(world, kind, n, &filter, room, rows, &count)
                                   : query_volume(world, kind, n, &filter, room, rows, &count);
    return count_of(status, count);
}

/* The first hit of each ray, with the filter of js_numbers(). Returns the status. */
int EXPORT(js_world_rays_closest)(const kugel_world *world, bool accepts, size_t count,
                                  const kugel_ray *rays, kugel_ray_hit *hits)
{
    kugel_filter filter = filter_of(js_numbers(), accepts);
    return kugel_world_rays_closest(world, count, rays, &filter, hits);
}
