/* The kinds of boundaries behind one interface: faces and features of surfaces.
 * In: number of a boundary, a point or path. Out: gap, normal, velocity, time of impact with a face
 * (boundary_features.c has those with features). Cost: constant for a face, one distance for a
 * feature. Functions are pure. */
#include "world/boundary.h"

#include "base/vec.h"
#include "geometry/sweep_ballistic.h"
#include "geometry/sweep_linear.h"
#include "world/world.h"

static bool is_face(kg_boundary k) { return k < KG_FACE_COUNT; }
static bool is_high(kg_boundary face) { return face & 1; }
static uint32_t axis_of(kg_boundary face) { return face / 2; }

/* A feature as its surface and its number in the surface's mesh. */
typedef struct feature_ref {
    const kg_surface *surface;
    uint32_t feature;
} feature_ref;

static feature_ref feature_ref_of(const kugel_world *world, kg_boundary k)
{
    uint32_t feature = k - KG_BOUNDARY_FEATURES;
    const kg_surface *surface = kg_surfaces_find(&world->surfaces, feature / KG_PARTS);
    return (feature_ref){surface, feature - KG_PARTS * surface->first_triangle};
}

static kg_boundary_set faces_of(const kugel_world *world, bool periodic)
{
    kg_boundary_set set = 0;
    for (kg_boundary f = 0; f < KG_FACE_COUNT; ++f) {
        kugel_face face = world->def.bounds.faces[f];
        if (face == KUGEL_FACE_WALL || (periodic && face == KUGEL_FACE_PERIODIC))
            set |= kg_boundary_set_of(f);
    }
    return set;
}

kg_boundary_set kg_boundary_all(const kugel_world *world) { return faces_of(world, true); }
kg_boundary_set kg_boundary_solid(const kugel_world *world) { return faces_of(world, false); }

bool kg_boundary_is_periodic(const kugel_world *world, kg_boundary k)
{
    return is_face(k) && world->def.bounds.faces[k] == KUGEL_FACE_PERIODIC;
}

kg_boundary_name kg_boundary_name_of(const kugel_world *world, kg_boundary k)
{
    if (is_face(k)) return (kg_boundary_name){KUGEL_TARGET_FACE, k, 0};
    feature_ref at = feature_ref_of(world, k);
    return (kg_boundary_name){KUGEL_TARGET_SURFACE, kg_surfaces_index(&world->surfaces, at.surface),
                              at.feature / KG_PARTS};
}

const kg_surface *kg_boundary_surface_of(const kugel_world *world, kg_boundary k)
{
    return feature_ref_of(world, k).surface;
}

kg_contact_material kg_boundary_material(const kugel_world *world, kg_boundary k)
{
    const kugel_bounds *bounds = &world->def.bounds;
    if (is_face(k))
        return (kg_contact_material){bounds->restitution, bounds->friction, 0, 0,
                                     world->def.face_kinds[k]};
    return kg_contact_material_of(&feature_ref_of(world, k).surface->material);
}

/* A point in the frame of a feature's surface. */
typedef struct feature_point {
    feature_ref at;
    const kg_pose *pose; /* of the surface */
    kg_pose moved;       /* memory for *pose */
    double x[3];         /* m, in the frame */
} feature_point;

static void set_feature_point(const kugel_world *world, kg_boundary k, double t,
                              const double point[3], feature_point *p)
{
    p->at = feature_ref_of(world, k);
    p->pose = kg_surface_pose_at(p->at.surface, t, &p->moved);
    kg_pose_point_to_frame(p->pose, point, p->x);
}

/* Distance of a point from a feature, m, and the unit normal into the feature, in the world. Where
 * the feature is not the nearest part of its surface: KG_NEVER, or with `extended` the distance
 * from the feature's plane, line or point. */
static double feature_distance(const kugel_world *world, kg_boundary k, double t,
                               const double point[3], bool extended, double normal[3])
{
    feature_point p;
    kg_pose moved;
    const kg_surface *surface = feature_ref_of(world, k).surface;
    if (kg_surface_is_solid(surface)) {
        const kg_pose *pose = kg_surface_pose_at(surface, t, &moved);
        double height = kg_surface_height(surface, pose, point, normal);
        kg_scale3(normal, normal, -1);
        return height;
    }
    set_feature_point(world, k, t, point, &p);
    const kg_mesh *mesh = &surface->mesh;
    double distance = extended
                          ? surface->code->feature_normal(mesh, p.at.feature, p.x, normal)
                          : surface->code->feature_distance(mesh, p.at.feature, p.x, 0, normal);
    kg_pose_to_world(p.pose, normal, normal);
    return distance;
}

uint32_t kg_boundary_triangle_at(const kugel_world *world, kg_boundary k, double t,
                                 const double point[3])
{
    feature_point p;
    set_feature_point(world, k, t, point, &p);
    uint32_t triangle = p.at.feature / KG_PARTS;
    if (kg_surface_is_solid(p.at.surface) || p.at.feature % KG_PARTS != KG_PART_FACE)
        return triangle;
    return p.at.surface->code->facet_triangle(&p.at.surface->mesh, triangle, p.x);
}

static double feature_gap(const kugel_world *world, kg_boundary k, double t, const double centre[3],
                          double radius, double normal[3])
{
    double distance = feature_distance(world, k, t, centre, false, normal);
    return distance < KG_NEVER ? distance - radius : KG_NEVER;
}

double kg_boundary_gap(const kugel_world *world, kg_boundary k, double t, const double centre[3],
                       double radius)
{
    double normal[3];
    if (!is_face(k)) return feature_gap(world, k, t, centre, radius, normal);
    const kugel_bounds *bounds = &world->def.bounds;
    double x = centre[axis_of(k)];
    return (is_high(k) ? bounds->max[axis_of(k)] - x : x - bounds->min[axis_of(k)]) - radius;
}

double kg_boundary_measure(const kugel_world *world, kg_boundary k, double t,
                           const double centre[3], double radius, double normal[3])
{
    if (kg_boundary_is_feature(k)) return feature_gap(world, k, t, centre, radius, normal);
    kg_boundary_normal(world, k, t, centre, normal);
    return kg_boundary_gap(world, k, t, centre, radius);
}

double kg_boundary_contact_gap(const kugel_world *world, kg_boundary k, double t,
                               const double centre[3], double radius, double normal[3])
{
    return kg_boundary_is_feature(k) ? feature_distance(world, k, t, centre, true, normal) - radius
                                     : kg_boundary_measure(world, k, t, centre, radius, normal);
}

void kg_boundary_velocity(const kugel_world *world, kg_boundary k, double t, const double point[3],
                          double velocity[3])
{
    kg_set3(velocity, 0, 0, 0);
    if (kg_boundary_is_feature(k))
        kg_surface_velocity_at(feature_ref_of(world, k).surface, t, point, velocity);
}

void kg_boundary_material_velocity(const kugel_world *world, kg_boundary k, double t,
                                   const double point[3], const double normal[3],
                                   double velocity[3])
{
    kg_pose moved;
    double along[3];
    kg_boundary_velocity(world, k, t, point, velocity);
    if (!kg_boundary_is_feature(k)) return;
    const kg_surface *surface = feature_ref_of(world, k).surface;
    if (!surface->runs) return;
    kg_pose_to_world(kg_surface_pose_at(surface, t, &moved), surface->tangent_velocity, along);
    kg_add_scaled3(along, along, -kg_dot3(along, normal), normal);
    kg_add_scaled3(velocity, velocity, 1, along);
}

bool kg_boundary_moves(const kugel_world *world, kg_boundary k)
{
    if (!kg_boundary_is_feature(k)) return false;
    const kg_surface *surface = feature_ref_of(world, k).surface;
    return surface->moves || surface->runs;
}

bool kg_boundary_turns(const kugel_world *world, kg_boundary k)
{
    return kg_boundary_is_feature(k) && !kg_is_zero3(feature_ref_of(world, k).surface->spin);
}

double kg_boundary_turn_speed_bound(const kugel_world *world, kg_boundary k, const double point[3])
{
    if (!kg_boundary_turns(world, k)) return 0;
    const kg_surface *surface = feature_ref_of(world, k).surface;
    return kg_length3(surface->spin) * (kg_length3(point) + kg_length3(surface->pose.origin));
}

bool kg_boundary_admits(const kugel_world *world, kg_boundary k, const kg_material *material)
{
    return !kg_boundary_is_feature(k) ||
           kg_surface_admits(feature_ref_of(world, k).surface, material);
}

void kg_boundary_normal(const kugel_world *world, kg_boundary k, double t, const double centre[3],
                        double normal[3])
{
    if (kg_boundary_is_feature(k)) {
        (void)feature_distance(world, k, t, centre, true, normal);
    } else {
        kg_set3(normal, 0, 0, 0);
        normal[axis_of(k)] = is_high(k) ? 1 : -1;
    }
}

/* Motion of a centre away from a boundary, at the body's clock: distance (m), speed (m/s) and
 * acceleration (m/s^2) along the normal out of the boundary. */
typedef struct rise {
    double distance, speed, acceleration;
} rise;

static rise rise_over_face(const kugel_bounds *bounds, kg_boundary face, const kg_motion *m,
                           const double a[3])
{
    uint32_t k = axis_of(face);
    double t = m->clock, place = m->x[k] + 0.5 * a[k] * t * t, speed = m->v[k] + a[k] * t;
    if (is_high(face)) return (rise){bounds->max[k] - place, -speed, -a[k]};
    return (rise){place - bounds->min[k], speed, a[k]};
}

kg_boundary_impact kg_boundary_sweep(const kugel_world *world, kg_boundary k, const kg_motion *m,
                                     const double a[3], double radius, double growth,
                                     double horizon)
{
    rise r = rise_over_face(&world->def.bounds, k, m, a);
    r.speed -= growth;
    /* an acceleration along the boundary leaves rounding in its normal part */
    if (!(r.acceleration * r.acceleration > 1e-18 * kg_dot3(a, a))) r.acceleration = 0;
    double t = kg_sweep_plane_ballistic(r.distance - radius, r.speed, r.acceleration, horizon);
    return (kg_boundary_impact){t, -(r.speed + r.acceleration * t), r.acceleration};
}
