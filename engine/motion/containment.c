/* Containment of centres by walls and surfaces. Order: none; bodies are independent. Cost:
 * one gap for each body and boundary, two nearest points for each near triangle. */
#include "motion/containment.h"

#include <math.h>

#include "base/vec.h"
#include "grid/neighbours.h"
#include "world/locks.h"

/* Number of sweeps over the boundaries after which a body that still moves counts as wedged. */
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

/* In radii. A centre whose straight path in a substep crosses a facet was pressed through it if the
 * path before the crossing is at most this long, or the body may be pressed far, or the ends of the
 * path are on different sides of a closed surface. On other long paths it may have gone around the
 * facet. The facet of a surface that spins may also have turned through a body that slides on it:
 * there a height at the start of at most this many radii is enough. */
static const double max_pressed_path = 1.1;

/* A facet through which a centre was pressed. */
typedef struct pressed {
    kg_boundary facet;
    const kg_surface *surface;
    double share;      /* of the path, before the facet */
    double outward[3]; /* unit, to the side where the centre was */
    double x[3];       /* m, where it goes: half a radius from the facet */
} pressed;

/* True when crowding has raised the rest speed of the body: its contacts may press it far. */
static bool may_be_pressed_far(const kugel_world *world, uint32_t i)
{
    return world->work.impact_load[i].crowding > KG_CROWDED_REST;
}

/* True when the body was near the facet (max_pressed_path). `path`: its path before the crossing,
 * m. `height`: its height over the facet at the start of the substep, m. */
static bool is_near_facet(const kugel_world *world, uint32_t i, const kg_surface *surface,
                          double path, double height)
{
    double most = max_pressed_path * world->work.motion[i].radius;
    return path <= most || may_be_pressed_far(world, i) ||
           (fabs(height) <= most && !kg_is_zero3(surface->spin));
}

/* True when points in front of a facet and behind it are on different sides of the surface. */
static bool separates(const kg_surface *surface, const double front[3], const double behind[3])
{
    return kg_surface_is_solid(surface) || surface->code->separates(&surface->mesh, front, behind);
}

/* True when the centre was pressed through the facet of this triangle in the substep. */
static bool is_pressed_through(const kugel_world *world, uint32_t i, uint32_t triangle, double h,
                               pressed *out)
{
    const kg_motion *m = &world->work.motion[i];
    const double *start = world->work.start[i];
    const kg_surface *surface = kg_boundary_surface(world, triangle);
    kg_pose moved[2];
    const kg_pose *end = kg_surface_pose_at(surface, h, &moved[0]),
                  *at_start = kg_surface_pose_at(surface, start[3], &moved[1]);
    kg_facet_side before = kg_boundary_side(world, triangle, at_start, start),
                  now = kg_boundary_side(world, triangle, end, m->x), crossing = now;
    bool solid = kg_surface_is_solid(surface), front = before.height > 0;
    /* a centre that ends on the facet counts: it would have no side in the next substep */
    bool crosses = before.height != 0 && before.height * now.height <= 0;
    if (!crosses || (!front && (solid || kg_surface_is_one_sided(surface)))) return false;
    double past[3], share = before.height / (before.height - now.height);
    kg_sub3(past, now.in_frame, before.in_frame);
    bool is_near = is_near_facet(world, i, surface, share * kg_length3(past), before.height);
    kg_scale3(past, past, 1 - share);
    kg_sub3(crossing.in_frame, now.in_frame, past);
    if (!solid && !kg_boundary_is_over(world, triangle, &crossing)) return false;
    if (!is_near && !separates(surface, before.in_frame, now.in_frame)) return false;
    if (solid) kg_scale3(past, now.normal, now.height); /* to the nearest point */
    else kg_pose_to_world(end, past, past);
    *out = (pressed){kg_boundary_facet(world, triangle), surface, share, {0}, {0}};
    kg_scale3(out->outward, now.normal, front ? 1 : -1);
    kg_sub3(out->x, m->x, past);
    kg_add_scaled3(out->x, out->x, 0.5 * m->radius, out->outward);
    return true;
}

/* The search for the facet that the path crosses first; of facets crossed at once, that with the
 * lowest number. */
typedef struct press_search {
    const kugel_world *world;
    uint32_t slot;
    double h;
    bool at_rest_only; /* true: facets of surfaces that move are left out */
    bool any;
    pressed first;
} press_search;

static void test_triangle(void *context, uint32_t triangle)
{
    press_search *s = context;
    pressed found;
    if (s->at_rest_only && kg_boundary_surface(s->world, triangle)->moves) return;
    if (!is_pressed_through(s->world, s->slot, triangle, s->h, &found)) return;
    bool is_first = found.share < s->first.share ||
                    (found.share == s->first.share && found.facet < s->first.facet);
    if (!s->any || is_first) s->first = found;
    s->any = true;
}

/* Test the triangles that the path can cross. An end of the path may be outside of the range of the
 * near triangles, as after a sweep that moved the body; then those along the path are searched. */
static press_search find_pressed(const kugel_world *world, uint32_t i, double h, bool at_rest_only)
{
    press_search s = {.world = world, .slot = i, .h = h, .at_rest_only = at_rest_only};
    const kg_motion *m = &world->work.motion[i];
    const double *start = world->work.start[i];
    if (!kg_neighbours_triangles_hold(world, i, start, m->x)) {
        kg_near_triangles_visit_path(world, i, h, test_triangle, &s);
        return s;
    }
    /* 0.01: margin for the triangles that hold the crossing */
    kg_near_triangles near = kg_neighbours_triangles_on(world, i, start, m->x, 0.01 * m->radius);
    for (uint32_t triangle; kg_near_triangles_next(&near, &triangle);) test_triangle(&s, triangle);
    return s;
}

/* A quick test: true when the path of the body crosses no triangle. */
static bool is_clear(const kugel_world *world, uint32_t i)
{
    const kg_motion *m = &world->work.motion[i];
    return !world->surfaces.count ||
           kg_neighbours_path_is_clear(world, i, world->work.start[i], m->x, 0.01 * m->radius);
}

/* Move a centre that was pressed through a facet back to the side where it was. Returns the
 * surface, or NULL if the centre was not moved. */
static const kg_surface *move_back(kugel_world *world, uint32_t i, double h)
{
    kg_motion *m = &world->work.motion[i];
    double velocity[3];
    if (is_clear(world, i)) return NULL;
    press_search s = find_pressed(world, i, h, false);
    if (!s.any) return NULL;
    const pressed *p = &s.first;
    kg_surface_velocity_at(p->surface, h, m->x, velocity);
    double speed = kg_dot3(m->v, p->outward) - kg_dot3(velocity, p->outward);
    kg_copy3(m->x, p->x);
    if (speed < 0) kg_add_scaled3(m->v, m->v, -speed, p->outward);
    return p->surface;
}

/* One sweep over surfaces and walls. True when the body was moved; *surface: the last one
 * that moved it. */
static bool move_inside_all(kugel_world *world, uint32_t i, kg_boundary_set solid, double h,
                            const kg_surface **surface)
{
    const kg_surface *pressing = move_back(world, i, h);
    bool moved = pressing != NULL;
    if (moved) *surface = pressing;
    for (kg_boundary_set left = solid; left;) {
        kg_boundary k = kg_boundary_set_take(&left);
        if (!has_left(world, i, k)) continue;
        move_inside(world, i, k);
        moved = true;
    }
    return moved;
}

/* True when the centre is beyond a wall or a surface at rest. */
static bool is_beyond_static(const kugel_world *world, uint32_t i, kg_boundary_set solid, double h)
{
    while (solid) {
        if (has_left(world, i, kg_boundary_set_take(&solid))) return true;
    }
    return find_pressed(world, i, h, true).any;
}

/* Move a wedged body with a surface that moves, from the start of its path. False
 * if there is no such surface, or if something at rest is in the way. */
static bool carry(kugel_world *world, uint32_t i, kg_boundary_set solid, const kg_surface *surface,
                  double h)
{
    kg_motion *m = &world->work.motion[i];
    kg_pose moved;
    if (!surface || !surface->moves) return false;
    const double *start = world->work.start[i];
    kg_pose_point_to_frame(kg_surface_pose_at(surface, start[3], &moved), start, m->x);
    kg_pose_point_to_world(kg_surface_pose_at(surface, h, &moved), m->x, m->x);
    kg_surface_velocity_at(surface, h, m->x, m->v);
    return !is_beyond_static(world, i, solid, h);
}

/* Put a wedged body back to where it was, or to its place in the frame of a surface that moves. */
static void put_back(kugel_world *world, uint32_t i, kg_boundary_set solid,
                     const kg_surface *surface, double h)
{
    const kg_bodies *bodies = &world->bodies;
    kg_motion *m = &world->work.motion[i];
    if (carry(world, i, solid, surface, h)) return;
    kg_set3(m->v, 0, 0, 0);
    if (world->surfaces.count) kg_copy3(m->x, world->work.start[i]);
    else kg_set3(m->x, bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]);
}

/* Contain one body. True when its centre had left. */
static bool contain(kugel_world *world, uint32_t i, kg_boundary_set solid, double h)
{
    const kg_surface *surface = NULL;
    if (!move_inside_all(world, i, solid, h, &surface)) return false;
    int sweep = 1;
    while (sweep < CONTAINMENT_SWEEPS && move_inside_all(world, i, solid, h, &surface)) ++sweep;
    if (sweep == CONTAINMENT_SWEEPS) put_back(world, i, solid, surface, h);
    for (int k = 0; k < 3; ++k) { /* nothing moves a body along a locked axis */
        if (!(kg_locks_of(&world->bodies, i) >> k & 1)) continue;
        world->work.motion[i].x[k] = world->bodies.x[k][i];
        world->work.motion[i].v[k] = 0;
    }
    return true;
}

static void contain_range(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    kg_boundary_set solid = kg_boundary_solid(world);
    bool any = false;
    for (uint32_t i = from; i < to; ++i) {
        if (world->bodies.mass[i] == 0 || (!solid && is_clear(world, i))) continue;
        any |= contain(world, i, solid, h);
    }
    if (any) kg_neighbours_invalidate(world);
}

void kg_motion_contain(kugel_world *world, double h) { kg_for_bodies(world, contain_range, h); }
