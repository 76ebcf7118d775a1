/* The frames of surfaces and their motion.
 * In: position, rotation, velocity and spin at the start of a tick. Out: poses in the tick;
 * velocities of points; points and directions converted between frame and world. Functions are
 * pure, except those that place or move surfaces. */
#include "base/rotation.h"
#include "world/surface_tree.h"

/* Origin and rotation at time t after the start of the tick, s. */
static void pose_in_tick(const kg_surface *surface, double t, double origin[3], double rotation[4])
{
    double turn[4];
    kg_add_scaled3(origin, surface->position, t, surface->velocity);
    kg_rotation_turn(surface->spin, t, turn);
    kg_rotation_product(rotation, turn, surface->rotation);
    kg_rotation_normalise(rotation);
}

kg_pose kg_surface_pose_at_tick_start(const kg_surface *surface)
{
    kg_pose pose;
    kg_copy3(pose.origin, surface->position);
    kg_rotation_rows(surface->rotation, 2, pose.axes);
    return pose;
}

void kg_surface_place(kg_surface *surface, const double position[3], const double rotation[4])
{
    for (int k = 0; k < 3; ++k) surface->position[k] = position[k] + 0.0;
    memcpy(surface->rotation, rotation, sizeof surface->rotation);
    kg_rotation_normalise(surface->rotation);
    surface->pose = kg_surface_pose_at_tick_start(surface);
}

kg_pose kg_surface_pose_at_tick_end(const kg_surface *surface, double dt)
{
    kg_surface at_end = *surface;
    double position[3], rotation[4];
    if (!surface->moves) return surface->pose;
    pose_in_tick(surface, dt, position, rotation);
    kg_surface_place(&at_end, position, rotation);
    return at_end.pose;
}

void kg_surface_set_motion(kg_surface *surface, const double velocity[3], const double spin[3])
{
    for (int k = 0; k < 3; ++k) {
        surface->velocity[k] = velocity[k] + 0.0;
        surface->spin[k] = spin[k] + 0.0;
    }
    surface->moves = !kg_is_zero3(velocity) || !kg_is_zero3(spin);
}

void kg_surface_set_tangent_velocity(kg_surface *surface, const double velocity[3])
{
    for (int k = 0; k < 3; ++k) surface->tangent_velocity[k] = velocity[k] + 0.0;
    surface->runs = !kg_is_zero3(velocity);
}

void kg_surfaces_list_kinds(kg_surfaces *set)
{
    set->moving_count = set->sensor_count = set->number_total = 0;
    set->any_runs = set->any_rolls = false;
    for (uint32_t k = 0; k < set->end; ++k) {
        const kg_surface *surface = &set->items[k];
        if (surface->moves) set->moving[set->moving_count++] = k;
        if (surface->material.sensor) set->sensors[set->sensor_count++] = k;
        set->any_runs |= surface->runs;
        set->any_rolls |= surface->material.rolling_resistance > 0;
        if (surface->used) set->number_total += kg_surface_number_count(surface);
    }
}

void kg_surfaces_set_tangent_velocity(kg_surfaces *set, uint32_t index, const double velocity[3])
{
    kg_surface *surface = &set->items[index];
    bool ran = surface->runs;
    kg_surface_set_tangent_velocity(surface, velocity);
    set->any_started = set->any_started || ran != surface->runs;
    kg_surfaces_list_kinds(set); /* the tree of boxes stays valid */
}

void kg_surfaces_note_change(kg_surfaces *set)
{
    kg_surface_tree_note_change(set->tree);
    kg_surfaces_list_kinds(set);
}

void kg_surfaces_set_motion(kg_surfaces *set, uint32_t index, const double velocity[3],
                            const double spin[3])
{
    kg_surface *surface = &set->items[index];
    bool moved = surface->moves;
    kg_surface_set_motion(surface, velocity, spin);
    surface->motion_changed = set->any_motion_changed = true;
    kg_surface_tree_note_moved(set, index);
    if (moved == surface->moves) return;
    set->any_started = true;
    kg_surfaces_list_kinds(set);
}

void kg_surfaces_note_motions_seen(kg_surfaces *set)
{
    for (uint32_t k = 0; k < set->end && set->any_motion_changed; ++k)
        set->items[k].motion_changed = false;
    set->any_motion_changed = false;
}

void kg_surfaces_begin_substep(kg_surfaces *set, double start)
{
    if (set->moving_count) set->tree->now = start;
    for (uint32_t k = 0; k < set->moving_count; ++k) {
        kg_surface *surface = &set->items[set->moving[k]];
        double rotation[4];
        pose_in_tick(surface, start, surface->pose.origin, rotation);
        kg_rotation_rows(rotation, 2, surface->pose.axes);
    }
}

void kg_surfaces_commit(kg_surfaces *set, double dt)
{
    if (set->moving_count) kg_surface_tree_end_tick(set->tree, dt);
    for (uint32_t k = 0; k < set->moving_count; ++k) {
        kg_surface *surface = &set->items[set->moving[k]];
        double position[3], rotation[4];
        pose_in_tick(surface, dt, position, rotation);
        kg_surface_place(surface, position, rotation);
    }
}

void kg_surfaces_rewind(kg_surfaces *set)
{
    if (set->moving_count) set->tree->now = 0;
    for (uint32_t k = 0; k < set->moving_count; ++k) {
        kg_surface *surface = &set->items[set->moving[k]];
        surface->pose = kg_surface_pose_at_tick_start(surface);
    }
}

void kg_surfaces_revert(kg_surfaces *set)
{
    if (set->moving_count) kg_surface_tree_note_revert(set->tree);
    kg_surfaces_rewind(set);
}

const kg_pose *kg_surface_pose_at(const kg_surface *surface, double t, kg_pose *moved)
{
    if (!surface->moves || t == 0) return &surface->pose;
    double turn[4], axes[3][3];
    *moved = surface->pose;
    kg_add_scaled3(moved->origin, surface->pose.origin, t, surface->velocity);
    if (kg_is_zero3(surface->spin)) return moved;
    kg_rotation_turn(surface->spin, t, turn);
    kg_rotation_rows(turn, 2, axes);
    for (int k = 0; k < 3; ++k) {
        const double *v = surface->pose.axes[k];
        for (int j = 0; j < 3; ++j)
            moved->axes[k][j] = v[0] * axes[0][j] + v[1] * axes[1][j] + v[2] * axes[2][j];
    }
    return moved;
}

void kg_surface_velocity_at(const kg_surface *surface, double t, const double point[3],
                            double velocity[3])
{
    double arm[3], turning[3];
    kg_set3(velocity, 0, 0, 0);
    if (!surface->moves) return;
    kg_sub3(arm, point, surface->pose.origin);
    kg_add_scaled3(arm, arm, -t, surface->velocity);
    kg_cross3(turning, surface->spin, arm);
    kg_add_scaled3(velocity, surface->velocity, 1, turning);
}

double kg_surface_speed_bound(const kg_surface *surface, const double point[3], double reach,
                              double h)
{
    double arm[3], speed = kg_length3(surface->velocity), spin = kg_length3(surface->spin);
    if (spin == 0) return speed;
    kg_sub3(arm, point, surface->pose.origin);
    return speed + spin * (kg_length3(arm) + reach + speed * h);
}
