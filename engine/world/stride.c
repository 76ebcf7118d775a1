/* Bounds of paths in a tick (stride.h).
 * In: bodies and surfaces at the start of the tick. Out: lengths in m. Cost: a few operations; of
 * kg_stride_all_apart a walk of the surfaces' trees for each body that moves, a pass over all
 * bodies, and tests of those near each other along x. Lists are not asked: what they hold depends
 * on earlier ticks. */
#include "world/stride.h"

#include "base/vec.h"
#include "surfaces/mesh.h"
#include "world/aside.h"
#include "world/boundary.h"
#include "world/sleep_state.h"
#include "world/surface_tree.h"

double kg_stride_acceleration(const kugel_world *world, uint32_t slot)
{
    const kg_bodies *bodies = &world->bodies;
    double a = kg_length3(world->def.gravity) *
               kg_abs(kg_bodies_material(bodies, slot)->gravity_scale),
           force[3];
    if (!bodies->has_forces || !(bodies->mass[slot] > 0)) return a;
    for (int k = 0; k < 3; ++k) force[k] = bodies->force[k][slot];
    return a + kg_length3(force) / bodies->mass[slot];
}

double kg_stride_of_body(const kugel_world *world, uint32_t slot, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    const double v[3] = {bodies->v[0][slot], bodies->v[1][slot], bodies->v[2][slot]};
    if (bodies->sleep_state[slot] == KG_ASLEEP) return bodies->radius[slot];
    return kg_length3(v) * dt + kg_stride_acceleration(world, slot) * dt * dt +
           bodies->radius[slot];
}

double kg_stride_of_surface(const kg_surface *surface, double dt)
{
    return kg_surface_extent(surface) + kg_length3(surface->velocity) * dt;
}

bool kg_stride_meets(const kugel_world *world, const kg_surface *surface, uint32_t slot, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    double d[3], stride = kg_stride_of_surface(surface, dt) + bodies->radius[slot] +
                          kg_stride_of_body(world, slot, dt);
    for (int k = 0; k < 3; ++k) d[k] = bodies->x[k][slot] - surface->position[k];
    return kg_dot3(d, d) <= stride * stride;
}

typedef bool surface_test(const kg_surface *surface, const kg_material *material);

/* True if some surface that passes the test and the body may touch in dt, s. */
static bool meets_one(const kugel_world *world, uint32_t slot, double dt, surface_test test)
{
    const kg_surfaces *set = &world->surfaces;
    const kg_material *material = kg_bodies_material(&world->bodies, slot);
    for (uint32_t k = 0; k < set->end; ++k) {
        const kg_surface *surface = &set->items[k];
        if (surface->used && test(surface, material) && kg_stride_meets(world, surface, slot, dt))
            return true;
    }
    return false;
}

static bool pushes(const kg_surface *s, const kg_material *m)
{
    return s->moves && kg_surface_admits(s, m);
}

static bool may_enter(const kg_surface *s, const kg_material *m)
{
    return s->material.sensor && (s->moves || s->placed) &&
           kg_bodies_filters_match(&s->material, m);
}

bool kg_stride_meets_moving(const kugel_world *world, uint32_t slot, double dt)
{
    return world->surfaces.any_moves && meets_one(world, slot, dt, pushes);
}

bool kg_stride_meets_sensor(const kugel_world *world, uint32_t slot, double dt)
{
    return world->surfaces.any_sensor && meets_one(world, slot, dt, may_enter);
}

/* A body that moves, and what it can reach. */
typedef struct ball {
    kugel_world *world;
    uint32_t slot;
    double dt, x[3], stride; /* s, m, m */
} ball;

static ball make_ball(kugel_world *world, uint32_t i, double dt)
{
    ball b = {.world = world, .slot = i, .dt = dt, .stride = kg_stride_of_body(world, i, dt)};
    for (int k = 0; k < 3; ++k) b.x[k] = world->bodies.x[k][i];
    return b;
}

static bool moves(const kg_bodies *bodies, uint32_t i)
{
    if (bodies->mass[i] == 0) return !kg_bodies_is_motionless(bodies, i);
    return bodies->sleep_state[i] != KG_ASLEEP;
}

/* True for a body that a torque turns: how far depends on the length of substeps. */
static bool is_turned(const kg_bodies *bodies, uint32_t i)
{
    return bodies->has_forces &&
           (bodies->torque[0][i] != 0 || bodies->torque[1][i] != 0 || bodies->torque[2][i] != 0);
}

static bool meets_face(const ball *b)
{
    const kugel_bounds *bounds = &b->world->def.bounds;
    kg_boundary_set faces = kg_boundary_all(b->world);
    bool meets = false;
    while (faces && !meets) {
        kg_boundary k = kg_boundary_set_take(&faces);
        double x = b->x[k / 2], gap = k % 2 ? bounds->max[k / 2] - x : x - bounds->min[k / 2];
        meets = gap <= b->stride;
    }
    return meets;
}

/* A mesh, and a ball in its frame. */
typedef struct ball_at_mesh {
    const kg_mesh *mesh;
    double x[3], stride; /* m */
} ball_at_mesh;

static bool visit_triangle(void *context, uint32_t triangle)
{
    const ball_at_mesh *b = context;
    double nearest[3];
    return kg_mesh_distance(b->mesh, triangle, b->x, nearest) > b->stride;
}

/* False if the ball can meet the surface, which is at rest. By its distance: so boxes of the tree,
 * which may be larger, change no result. */
static bool visit_surface(void *context, uint32_t k)
{
    const ball *b = context;
    const kg_surface *surface = &b->world->surfaces.items[k];
    double outward[3];
    if (surface->moves ||
        !kg_surface_admits(surface, kg_bodies_material(&b->world->bodies, b->slot)))
        return true;
    if (kg_surface_is_solid(surface))
        return kg_surface_height(surface, &surface->pose, b->x, outward) > b->stride;
    ball_at_mesh at = {.mesh = &surface->mesh, .stride = b->stride};
    kg_surface_point_to_frame(surface, b->x, at.x);
    return kg_mesh_find_near(at.mesh, at.x, at.x, at.stride, visit_triangle, &at);
}

/* True if the ball can meet a face, a surface, or a body aside, which it wants. */
static bool meets_outside(ball *b)
{
    kg_aside_box box = {.wider = 1e-6};
    for (int k = 0; k < 3; ++k) {
        box.low[k] = b->x[k] - b->stride;
        box.high[k] = b->x[k] + b->stride;
    }
    if (kg_aside_want(b->world, &box)) return true;
    if (b->world->bodies.mass[b->slot] == 0) return false;
    return meets_face(b) || kg_stride_meets_moving(b->world, b->slot, b->dt) ||
           !kg_surface_tree_visit(&b->world->surfaces, b->x, b->x, &b->stride, visit_surface, b);
}

/* The balls of a world, by the low ends of what they reach along x. */
typedef struct ball_set {
    ball items[KG_APART_BODIES_MAX];
    double low[KG_APART_BODIES_MAX]; /* m, rounded down */
    double widest;                   /* m, of a reach along x, with the rounding of ends */
    uint32_t count;
} ball_set;

static void add(ball_set *set, const ball *b)
{
    double slack = 1e-9 * b->stride + 1e-15 * kg_abs(b->x[0]), low = b->x[0] - b->stride - slack;
    uint32_t at = set->count++;
    for (; at > 0 && set->low[at - 1] > low; --at) {
        set->items[at] = set->items[at - 1];
        set->low[at] = set->low[at - 1];
    }
    set->items[at] = *b;
    set->low[at] = low;
    set->widest = kg_max(set->widest, 2 * (b->stride + 2 * slack));
}

/* True if one of the first `end` balls can meet a sphere. */
static bool meet(const ball_set *set, uint32_t end, const double x[3], double radius)
{
    double low = x[0] - radius - set->widest;
    for (uint32_t k = end; k > 0 && set->low[k - 1] >= low; --k) {
        double reach = set->items[k - 1].stride + radius;
        if (kg_squared_distance3(set->items[k - 1].x, x) <= reach * reach) return true;
    }
    return false;
}

/* True if two balls can meet, or one meets a face, a surface or a body aside. */
static bool meet_moving(ball_set *set)
{
    for (uint32_t k = 1; k < set->count; ++k) {
        if (meet(set, k, set->items[k].x, set->items[k].stride)) return true;
    }
    for (uint32_t k = 0; k < set->count; ++k) {
        if (meets_outside(&set->items[k])) return true;
    }
    return false;
}

/* Number of balls whose low end is at most `high`. */
static uint32_t count_below(const ball_set *set, double high)
{
    uint32_t from = 0, to = set->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (set->low[middle] <= high) from = middle + 1;
        else to = middle;
    }
    return from;
}

static bool is_out(const kg_bodies *bodies, uint32_t i)
{
    return kg_bodies_is_sensor(bodies, i) || kg_bodies_is_disabled(bodies, i);
}

/* True if a ball, or a surface that moves, can meet a body at rest. */
static bool meet_resting(const kugel_world *world, const ball_set *set, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (moves(bodies, i) || is_out(bodies, i)) continue;
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]},
                     radius = bodies->radius[i];
        if (meet(set, count_below(set, x[0] + radius), x, radius)) return true;
        if (bodies->mass[i] > 0 && kg_stride_meets_moving(world, i, dt)) return true;
    }
    return false;
}

bool kg_stride_all_apart(kugel_world *world, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    ball_set set;
    set.count = 0, set.widest = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (!moves(bodies, i) || is_out(bodies, i)) continue;
        if (set.count == KG_APART_BODIES_MAX || is_turned(bodies, i)) return false;
        ball b = make_ball(world, i, dt);
        add(&set, &b);
    }
    kg_surface_tree_prepare(&world->surfaces, dt);
    return !meet_moving(&set) && (set.count == bodies->count || !meet_resting(world, &set, dt));
}
