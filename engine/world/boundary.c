/* Faces and planes. */
#include "world/boundary.h"

#include "base/vec.h"
#include "geometry/sweep_ballistic.h"
#include "geometry/sweep_linear.h"
#include "world/world.h"

static bool is_face(kg_boundary k) { return k < KG_BOUNDARY_FACES; }
static bool is_high(kg_boundary face) { return face & 1; }
static uint32_t axis_of(kg_boundary face) { return face / 2; }
static const kugel_plane *plane_of(const kugel_world *world, kg_boundary k)
{
    return &world->planes[k - KG_BOUNDARY_FACES];
}

kg_boundary_set kg_boundary_besides_faces(const kugel_world *world)
{
    return (((kg_boundary_set)1 << world->plane_count) - 1) << KG_BOUNDARY_FACES;
}

static kg_boundary_set faces_of(const kugel_world *world, bool periodic)
{
    kg_boundary_set set = 0;
    for (kg_boundary f = 0; f < KG_BOUNDARY_FACES; ++f) {
        kugel_face face = world->def.bounds.faces[f];
        if (face == KUGEL_FACE_WALL || (periodic && face == KUGEL_FACE_PERIODIC))
            set |= kg_boundary_set_of(f);
    }
    return set;
}

kg_boundary_set kg_boundary_all(const kugel_world *world)
{
    return faces_of(world, true) | kg_boundary_besides_faces(world);
}

kg_boundary_set kg_boundary_solid(const kugel_world *world)
{
    return faces_of(world, false) | kg_boundary_besides_faces(world);
}

bool kg_boundary_is_periodic(const kugel_world *world, kg_boundary k)
{
    return is_face(k) && world->def.bounds.faces[k] == KUGEL_FACE_PERIODIC;
}

kugel_target kg_boundary_target(kg_boundary k, uint32_t *index)
{
    *index = is_face(k) ? k : k - KG_BOUNDARY_FACES;
    return is_face(k) ? KUGEL_TARGET_FACE : KUGEL_TARGET_PLANE;
}

kg_surface kg_boundary_surface(const kugel_world *world, kg_boundary k)
{
    const kugel_bounds *bounds = &world->def.bounds;
    if (is_face(k)) return (kg_surface){bounds->restitution, bounds->friction, 0};
    return (kg_surface){plane_of(world, k)->restitution, plane_of(world, k)->friction, 0};
}

double kg_boundary_gap(const kugel_world *world, kg_boundary k, const double centre[3],
                       double radius)
{
    if (is_face(k)) {
        const kugel_bounds *bounds = &world->def.bounds;
        double x = centre[axis_of(k)];
        return (is_high(k) ? bounds->max[axis_of(k)] - x : x - bounds->min[axis_of(k)]) - radius;
    }
    const kugel_plane *plane = plane_of(world, k);
    double gap = -plane->offset - radius;
    for (int axis = 0; axis < 3; ++axis) gap += plane->normal[axis] * centre[axis];
    return gap;
}

void kg_boundary_normal(const kugel_world *world, kg_boundary k, const double centre[3],
                        double normal[3])
{
    (void)centre; /* both kinds are flat */
    if (is_face(k)) {
        kg_set3(normal, 0, 0, 0);
        normal[axis_of(k)] = is_high(k) ? 1 : -1;
    } else {
        kg_scale3(normal, plane_of(world, k)->normal, -1);
    }
}

bool kg_boundary_interior(const kugel_world *world, double margin, double low[3], double high[3])
{
    const double unlimited = 4 * KG_VALUE_LIMIT;
    const kugel_bounds *bounds = &world->def.bounds;
    for (int k = 0; k < 3; ++k) {
        bool open[2] = {bounds->faces[2 * k] == KUGEL_FACE_OPEN,
                        bounds->faces[2 * k + 1] == KUGEL_FACE_OPEN};
        low[k] = open[0] ? -unlimited : bounds->min[k] + margin;
        high[k] = open[1] ? unlimited : bounds->max[k] - margin;
    }
    return world->plane_count == 0;
}

/* Of a centre along the inward normal, at its clock: distance from a boundary, speed and
 * acceleration away from it. */
typedef struct rise {
    double distance, speed, acceleration;
} rise;

static rise from_face(const kugel_bounds *bounds, kg_boundary face, const kg_motion *m,
                      const double a[3])
{
    uint32_t k = axis_of(face);
    double t = m->clock, place = m->x[k] + 0.5 * a[k] * t * t, speed = m->v[k] + a[k] * t;
    if (is_high(face)) return (rise){bounds->max[k] - place, -speed, -a[k]};
    return (rise){place - bounds->min[k], speed, a[k]};
}

static rise from_plane(const kugel_plane *plane, const kg_motion *m, const double a[3])
{
    double t = m->clock;
    rise out = {.distance = -plane->offset};
    for (int k = 0; k < 3; ++k) {
        out.distance += plane->normal[k] * (m->x[k] + 0.5 * a[k] * t * t);
        out.speed += plane->normal[k] * (m->v[k] + a[k] * t);
        out.acceleration += plane->normal[k] * a[k];
    }
    if (!(out.acceleration * out.acceleration > 1e-18 * kg_dot3(a, a))) out.acceleration = 0;
    return out;
}

kg_boundary_impact kg_boundary_sweep(const kugel_world *world, kg_boundary k, const kg_motion *m,
                                     const double a[3], double radius, double horizon)
{
    rise r =
        is_face(k) ? from_face(&world->def.bounds, k, m, a) : from_plane(plane_of(world, k), m, a);
    double t = kg_sweep_plane_ballistic(r.distance - radius, r.speed, r.acceleration, horizon);
    return (kg_boundary_impact){t, -(r.speed + r.acceleration * t), r.acceleration};
}
