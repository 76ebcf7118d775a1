/* Faces and planes. A face is 2 axis + side; side 1 is the high one. */
#include "world/boundary.h"

#include "base/vec.h"
#include "world/world.h"

static bool is_face(kg_boundary k) { return k < KG_BOUNDARY_FACES; }
static bool is_high(kg_boundary face) { return face & 1; }
static uint32_t axis_of(kg_boundary face) { return face / 2; }
static const kugel_plane *plane_of(const kugel_world *world, kg_boundary k)
{
    return &world->planes[k - KG_BOUNDARY_FACES];
}

_Static_assert(KG_BOUNDARY_FACES + KG_PLANE_LIMIT <= KG_BOUNDARY_LIMIT,
               "a set has a bit for each boundary");

kg_boundary_set kg_boundary_planes(const kugel_world *world)
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
    return faces_of(world, true) | kg_boundary_planes(world);
}
kg_boundary_set kg_boundary_solid(const kugel_world *world)
{
    return faces_of(world, false) | kg_boundary_planes(world);
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

void kg_boundary_normal(const kugel_world *world, kg_boundary k, double normal[3])
{
    for (uint32_t axis = 0; axis < 3; ++axis) {
        if (is_face(k)) normal[axis] = axis != axis_of(k) ? 0 : is_high(k) ? 1 : -1;
        else normal[axis] = -plane_of(world, k)->normal[axis];
    }
}

static void face_motion(const kugel_world *world, kg_boundary face, const double x[3],
                        const double v[3], const double a[3], double t, double out[3])
{
    uint32_t k = axis_of(face);
    double place = x[k] + 0.5 * a[k] * t * t, speed = v[k] + a[k] * t;
    const kugel_bounds *bounds = &world->def.bounds;
    out[0] = is_high(face) ? bounds->max[k] - place : place - bounds->min[k];
    out[1] = is_high(face) ? -speed : speed;
    out[2] = is_high(face) ? -a[k] : a[k];
}

static void plane_motion(const kugel_plane *plane, const double x[3], const double v[3],
                         const double a[3], double t, double out[3])
{
    double size = 0;
    out[0] = -plane->offset;
    out[1] = out[2] = 0;
    for (int k = 0; k < 3; ++k) {
        out[0] += plane->normal[k] * (x[k] + 0.5 * a[k] * t * t);
        out[1] += plane->normal[k] * (v[k] + a[k] * t);
        out[2] += plane->normal[k] * a[k];
        size += a[k] * a[k];
    }
    if (!(out[2] * out[2] > 1e-18 * size)) out[2] = 0;
}

void kg_boundary_motion(const kugel_world *world, kg_boundary k, const double x[3],
                        const double v[3], const double a[3], double t, double *distance,
                        double *speed, double *acceleration)
{
    double out[3];
    if (is_face(k)) face_motion(world, k, x, v, a, t, out);
    else plane_motion(plane_of(world, k), x, v, a, t, out);
    *distance = out[0];
    *speed = out[1];
    *acceleration = out[2];
}
