/* Containment of centres by walls, planes and surfaces. Each body by itself, in any order. Cost:
 * one gap for each body and boundary, two nearest points for each near triangle. */
#include "motion/containment.h"

#include "base/vec.h"
#include "geometry/sweep_linear.h"
#include "grid/neighbours.h"

/* Moves between boundaries before a body counts as wedged. */
enum { CONTAINMENT_SWEEPS = 8 };

/* True when the centre is beyond boundary k, and was not at the start of the tick. */
static bool has_left(const kugel_world *world, uint32_t i, kg_boundary k)
{
    const kg_bodies *bodies = &world->bodies;
    if (!(kg_boundary_gap(world, k, 0, world->work.motion[i].x, 0) < 0)) return false;
    const double start[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
    return kg_boundary_gap(world, k, 0, start, 0) >= 0;
}

/* Move the centre to half a radius inside of boundary k. */
static void move_inside(kugel_world *world, uint32_t i, kg_boundary k)
{
    kg_motion *m = &world->work.motion[i];
    double out[3];
    kg_boundary_normal(world, k, 0, m->x, out);
    double depth = 0.5 * m->radius - kg_boundary_gap(world, k, 0, m->x, 0),
           speed = kg_dot3(m->v, out);
    kg_add_scaled3(m->x, m->x, -depth, out);
    if (speed > 0) kg_add_scaled3(m->v, m->v, -speed, out);
}

/* A centre deep in a surface, in radii from its plane. Only a squeeze brings it there. */
static const double deep = 0.9;

/* Move a centre that was pressed through a triangle back to the side where it was. */
static bool move_back(kugel_world *world, uint32_t i, uint32_t triangle, double h)
{
    const kg_bodies *bodies = &world->bodies;
    kg_motion *m = &world->work.motion[i];
    const kg_surface *surface = kg_boundary_surface(world, triangle);
    kg_pose moved, start = kg_surface_pose_before(surface);
    const kg_pose *pose = kg_surface_pose_at(surface, h, &moved);
    kg_triangle_side now = kg_boundary_side(world, triangle, pose, m->x, deep * m->radius);
    if (now.lateral > 0) return false;
    const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
    kg_triangle_side before = kg_boundary_side(world, triangle, &start, x, KG_NEVER);
    if (before.lateral > m->radius || !(before.height * now.height < 0) ||
        (before.height < 0 && surface->mesh.one_sided))
        return false;
    double side = before.height > 0 ? 1 : -1, velocity[3];
    kg_surface_velocity_at(surface, h, m->x, velocity);
    double speed = side * (kg_dot3(m->v, now.normal) - kg_dot3(velocity, now.normal));
    kg_add_scaled3(m->x, m->x, side * 0.5 * m->radius - now.height, now.normal);
    if (speed < 0) kg_add_scaled3(m->v, m->v, -side * speed, now.normal);
    return true;
}

static bool move_inside_all(kugel_world *world, uint32_t i, kg_boundary_set solid, double h)
{
    bool moved = false;
    const kg_motion *m = &world->work.motion[i];
    kg_near_triangles near = kg_neighbours_triangles_within(world, i, m->x, deep * m->radius);
    for (uint32_t t = 0; t < near.count; ++t) moved |= move_back(world, i, near.items[t].number, h);
    for (kg_boundary_set left = solid; left;) {
        kg_boundary k = kg_boundary_set_take(&left);
        if (!has_left(world, i, k)) continue;
        move_inside(world, i, k);
        moved = true;
    }
    return moved;
}

/* True when the body had left. */
static bool contain(kugel_world *world, uint32_t i, kg_boundary_set solid, double h)
{
    if (!move_inside_all(world, i, solid, h)) return false;
    int sweep = 1;
    while (sweep < CONTAINMENT_SWEEPS && move_inside_all(world, i, solid, h)) ++sweep;
    kg_motion *m = &world->work.motion[i];
    for (int k = 0; k < 3 && sweep == CONTAINMENT_SWEEPS; ++k) {
        m->x[k] = world->bodies.x[k][i];
        m->v[k] = 0;
    }
    return true;
}

static void contain_range(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    kg_boundary_set solid = kg_boundary_solid(world);
    bool any = false;
    for (uint32_t i = from; i < to; ++i)
        any |= world->bodies.mass[i] != 0 && contain(world, i, solid, h);
    if (any) kg_neighbours_invalidate(world);
}

void kg_motion_contain(kugel_world *world, double h) { kg_for_bodies(world, contain_range, h); }
