/* Containment of centres by walls, planes and surfaces. Each body by itself, in any order. Cost:
 * one gap for each body and boundary, two nearest points for each near triangle. */
#include "motion/containment.h"

#include "base/vec.h"
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

/* A centre deep in a mesh, in radii from its plane: only a squeeze brings it there. It came from
 * near in this tick, in radii; one from farther away may have gone around the surface. */
static const double deep = 0.9, near_before = 4;

/* A facet through which a centre was pressed. */
typedef struct pressed {
    kg_boundary facet;
    const kg_surface *surface;
    kg_facet_side now;
    double side; /* 1 or -1: where the centre was */
} pressed;

static bool is_pressed_through(const kugel_world *world, uint32_t i, uint32_t triangle, double h,
                               pressed *out)
{
    const kg_bodies *bodies = &world->bodies;
    const kg_motion *m = &world->work.motion[i];
    const kg_surface *surface = kg_boundary_surface(world, triangle);
    kg_pose moved, start = kg_surface_pose_before(surface);
    const kg_pose *pose = kg_surface_pose_at(surface, h, &moved);
    kg_facet_side now = kg_boundary_side(world, triangle, pose, m->x);
    if (kg_surface_is_solid(surface) ? now.height >= 0 : fabs(now.height) >= deep * m->radius)
        return false;
    const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
    kg_facet_side before = kg_boundary_side(world, triangle, &start, x);
    double way[3], side = before.height > 0 ? 1 : -1;
    kg_sub3(way, now.in_frame, before.in_frame);
    bool was_near = kg_length3(way) <= near_before * m->radius || kg_surface_is_solid(surface);
    if (!(before.height * now.height < 0) || (side < 0 && kg_surface_is_one_sided(surface)) ||
        !was_near || !kg_boundary_is_over(world, triangle, &now))
        return false;
    *out = (pressed){kg_boundary_facet(world, triangle), surface, now, side};
    return true;
}

/* The facet of the lowest number through which the centre was pressed. */
typedef struct press_search {
    const kugel_world *world;
    uint32_t slot;
    double h;
    bool any;
    pressed lowest;
} press_search;

static void test_triangle(void *context, uint32_t triangle)
{
    press_search *s = context;
    pressed found;
    if (!is_pressed_through(s->world, s->slot, triangle, s->h, &found)) return;
    if (!s->any || found.facet < s->lowest.facet) s->lowest = found;
    s->any = true;
}

/* A centre that was moved may have left its list. */
static void find_pressed(press_search *s)
{
    const kg_motion *m = &s->world->work.motion[s->slot];
    double reach = deep * m->radius;
    kg_near_triangles near = kg_neighbours_triangles(s->world, s->slot);
    kg_near_triangles_restrict(&near, s->world, s->slot, m->x, reach);
    if (kg_near_triangles_hold(&near, s->world)) {
        for (uint32_t triangle; kg_near_triangles_next(&near, &triangle);)
            test_triangle(s, triangle);
    } else {
        kg_near_triangles_visit(s->world, s->slot, s->h, m->x, reach, test_triangle, s);
    }
}

/* Move a centre that was pressed through a facet back to the side where it was. */
static bool move_back(kugel_world *world, uint32_t i, double h)
{
    kg_motion *m = &world->work.motion[i];
    double velocity[3];
    press_search s;
    if (!kg_surfaces_any(&world->surfaces)) return false;
    s.world = world, s.slot = i, s.h = h, s.any = false;
    find_pressed(&s);
    if (!s.any) return false;
    const pressed *p = &s.lowest;
    kg_surface_velocity_at(p->surface, h, m->x, velocity);
    double speed = p->side * (kg_dot3(m->v, p->now.normal) - kg_dot3(velocity, p->now.normal));
    kg_add_scaled3(m->x, m->x, p->side * 0.5 * m->radius - p->now.height, p->now.normal);
    if (speed < 0) kg_add_scaled3(m->v, m->v, -p->side * speed, p->now.normal);
    return true;
}

static bool move_inside_all(kugel_world *world, uint32_t i, kg_boundary_set solid, double h)
{
    bool moved = move_back(world, i, h);
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
