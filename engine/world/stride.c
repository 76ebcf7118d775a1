/* Bounds of paths in a tick (stride.h).
 * In: bodies and surfaces at the start of the tick. Out: lengths in m. Cost: a few operations; of
 * kg_stride_all_apart a walk of the surfaces' trees for each body that moves, and a test of each
 * with all bodies. Lists are not asked: what they hold depends on earlier ticks. */
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
    (void)m;
    return s->material.sensor && (s->moves || s->placed);
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

/* True if the ball can meet a body at rest. */
static bool meets_resting(const ball *b)
{
    const kg_bodies *bodies = &b->world->bodies;
    for (uint32_t j = 0; j < bodies->count; ++j) {
        const double x[3] = {bodies->x[0][j], bodies->x[1][j], bodies->x[2][j]},
                     reach = b->stride + bodies->radius[j];
        if (kg_squared_distance3(b->x, x) <= reach * reach && !moves(bodies, j) &&
            !kg_bodies_is_sensor(bodies, j) && !kg_bodies_is_disabled(bodies, j))
            return true;
    }
    return false;
}

/* True if two balls can meet. */
static bool meet(const ball *a, const ball *b)
{
    double reach = a->stride + b->stride;
    return kg_abs(a->x[0] - b->x[0]) <= reach && kg_squared_distance3(a->x, b->x) <= reach * reach;
}

/* True if two balls can meet, or one meets something else. */
static bool meets(ball *balls, uint32_t n, bool any_rests)
{
    for (uint32_t a = 0; a < n; ++a) {
        for (uint32_t b = 0; b < a; ++b) {
            if (meet(&balls[a], &balls[b])) return true;
        }
    }
    for (uint32_t a = 0; a < n; ++a) {
        if (meets_outside(&balls[a]) || (any_rests && meets_resting(&balls[a]))) return true;
    }
    return false;
}

bool kg_stride_all_apart(kugel_world *world, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    ball balls[KG_APART_BODIES_MAX];
    uint32_t n = 0;
    bool any_rests = false;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (kg_bodies_is_sensor(bodies, i) || kg_bodies_is_disabled(bodies, i)) continue;
        if (!moves(bodies, i)) {
            if (bodies->mass[i] > 0 && kg_stride_meets_moving(world, i, dt)) return false;
            any_rests = true;
            continue;
        }
        if (n == KG_APART_BODIES_MAX || is_turned(bodies, i)) return false;
        balls[n++] = make_ball(world, i, dt);
    }
    kg_surface_tree_prepare(&world->surfaces, dt);
    return !meets(balls, n, any_rests);
}
