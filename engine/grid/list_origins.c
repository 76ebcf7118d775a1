/* List origins, the boundaries near them, and bodies without a list.
 * In: motions, skin, boundaries. Out: origin and near boundaries of each body; the unlisted bodies.
 * Cost: one gap for each body and boundary. Origins are set on threads, each by itself. */
#include <math.h>

#include "base/tasks.h"
#include "base/vec.h"
#include "grid/neighbour_lists.h"
#include "world/periodic.h"

/* Boundaries that the body can meet within `displacement` (m) of the list origin, and periodic
 * faces that its centre can cross. */
static kg_boundary_set find_near_boundaries(const kugel_world *world,
                                            const kg_list_origin *list_origin, double displacement)
{
    kg_boundary_set all = kg_boundary_all(world), near = 0;
    while (all) {
        kg_boundary k = kg_boundary_set_take(&all);
        double radius = kg_boundary_is_periodic(world, k) ? 0 : (double)list_origin->radius;
        if (kg_boundary_gap(world, k, 0, list_origin->x, radius) <= displacement)
            near |= kg_boundary_set_of(k);
    }
    return near;
}

bool kg_grid_set_unlisted(kugel_world *world, uint32_t slot)
{
    kg_grid *grid = world->grid;
    size_t need = (size_t)grid->unlisted_count + 1;
    if (!KG_RESERVE(&world->memory, &grid->columns[KG_GRID_COLUMN_UNLISTED], grid->unlisted, need,
                    grid->unlisted_count))
        return false;
    grid->near_boundaries[slot] = kg_boundary_all(world) | KG_NEAR_UNLISTED;
    grid->unlisted[grid->unlisted_count++] = slot;
    return true;
}

void kg_grid_clear_unlisted(kg_grid *grid, uint32_t slot)
{
    uint32_t k = 0;
    while (grid->unlisted[k] != slot) ++k;
    grid->unlisted[k] = grid->unlisted[--grid->unlisted_count];
}

/* Velocity of a body in the middle of the remaining substep, m/s. At `now` = 0 frames may not be
 * set yet, so accelerations are left out. */
static void find_mean_velocity(const kugel_world *world, uint32_t slot, double now, double h,
                               double v[3])
{
    kg_copy3(v, world->work.motion[slot].v);
    if (now > 0) kg_work_velocity_at(&world->work, slot, 0.5 * (now + h), v);
}

/* True if a drift at least halves the number of bodies that leave their skins in the substep. */
static bool drift_keeps_bodies(const kugel_world *world, const double drift[3], double now,
                               double h)
{
    uint32_t fixed = 0, drifting = 0;
    double max_speed = world->grid->skin / (h - now), v[3];
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        find_mean_velocity(world, i, now, h, v);
        fixed += kg_dot3(v, v) > max_speed * max_speed;
        drifting += kg_squared_distance3(v, drift) > max_speed * max_speed;
    }
    return 2 * (uint64_t)drifting <= fixed;
}

/* The bodies of a falling cluster all leave skins around fixed origins at about the same time,
 * although they stay together. So all origins move with the mean velocity until the substep ends;
 * the distances between origins stay. Boundaries and triangles within reach of that path count as
 * near. There is no drift with immovable or sleeping bodies, which would leave their skins; with
 * surfaces that move, because the time for which near triangles hold is chosen for fixed places; or
 * with periodic faces, because periodic images have no common frame. */
void kg_list_drift_choose(kugel_world *world, double now, double h)
{
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    double sum[3] = {0, 0, 0}, v[3], min_path = (1 + KG_LIST_ORIGIN_OFFSET) * grid->skin;
    kg_set3(grid->drift, 0, 0, 0);
    grid->drift_from = now;
    grid->drift_path = 0;
    if (world->work.any_inert || world->surfaces.moving_count || kg_periodic_any(world)) return;
    /* among so few bodies and triangles tests of all cost less than one refresh */
    if (grid->longest_path < 2 * grid->skin) return;
    for (uint32_t i = 0; i < n; ++i) {
        find_mean_velocity(world, i, now, h, v);
        kg_add_scaled3(sum, sum, 1, v);
    }
    double path = kg_length3(sum) / n * (h - now);
    if (!(path > min_path)) return;
    kg_scale3(sum, sum, 1.0 / n);
    if (!drift_keeps_bodies(world, sum, now, h)) return;
    kg_copy3(grid->drift, sum);
    grid->drift_path = path * (1 + 1e-9);
}

void kg_list_origin_choose(const kugel_world *world, uint32_t slot, double now, double h,
                           double position[3])
{
    const kugel_bounds *bounds = &world->def.bounds;
    const kg_motion *m = &world->work.motion[slot];
    const kg_grid *grid = world->grid;
    const double skin = grid->skin, remaining = h - now,
                 max_offset = 1.0625 * KG_LIST_ORIGIN_OFFSET * skin;
    double v[3], ahead[3];
    if (grid->drift_path > 0) find_mean_velocity(world, slot, now, h, v);
    else kg_copy3(v, m->v);
    kg_sub3(v, v, grid->drift);
    double speed2 = kg_dot3(v, v);
    double lookahead = speed2 * remaining * remaining > skin * skin
                           ? KG_LIST_ORIGIN_OFFSET * skin / sqrt(speed2)
                           : 0;
    kg_copy3(position, m->x); /* at now = 0 frames may not be set yet */
    if (now > 0) kg_work_position_at(&world->work, slot, now, position);
    kg_add_scaled3(position, position, grid->drift_from - now, grid->drift);
    kg_add_scaled3(ahead, position, lookahead, v);
    /* false where positions are so coarse that the body would start outside of its skin */
    if (kg_squared_distance3(ahead, position) < max_offset * max_offset) kg_copy3(position, ahead);
    for (int k = 0; k < 3; ++k) {
        if (bounds->faces[2 * k] != KUGEL_FACE_PERIODIC) continue;
        position[k] = position[k] < bounds->min[k] ? bounds->min[k] : position[k];
        position[k] = position[k] > bounds->max[k] ? bounds->max[k] : position[k];
    }
}

void kg_list_origin_set(kugel_world *world, uint32_t slot, const double position[3])
{
    kg_grid *grid = world->grid;
    kg_list_origin *list_origin = &grid->origin[slot];
    kg_copy3(list_origin->x, position);
    list_origin->radius = kg_list_radius(world, world->bodies.radius[slot]);
    grid->near_boundaries[slot] =
        find_near_boundaries(world, list_origin, kg_grid_widened_list_displacement(grid));
    if (world->aside.count) kg_grid_want_near_origin(world, slot);
}

typedef struct origins_job {
    kugel_world *world;
    double now, h;
} origins_job;

enum { RANGE = 2048 }; /* bodies of a task range */

static void set_range(void *context, uint32_t index)
{
    const origins_job *j = context;
    kugel_world *world = j->world;
    uint32_t end = kg_range_end(index, RANGE, world->bodies.count);
    for (uint32_t i = index * RANGE; i < end; ++i) {
        double position[3];
        kg_list_origin_choose(world, i, j->now, j->h, position);
        kg_list_origin_set(world, i, position);
        kg_grid_reset_clearance(world->grid, i);
    }
}

void kg_list_origins_set_all(kugel_world *world, double now, double h)
{
    origins_job j = {world, now, h};
    kg_for_ranges(world, (world->bodies.count + RANGE - 1) / RANGE, set_range, &j);
}
