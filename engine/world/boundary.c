/* The kinds of boundaries behind one interface: faces, planes and features of surfaces.
 * In: number of a boundary or triangle, pose of its surface, a point or path. Out: gap, normal,
 * velocity, time of impact. Cost: constant for faces and planes; a few distances for a shape.
 * Functions are pure, except those that add planes. */
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

/* Of a feature: its surface, and its number in the surface's mesh. */
typedef struct part {
    const kg_surface *surface;
    uint32_t feature;
} part;

static part part_of(const kugel_world *world, kg_boundary k)
{
    uint32_t feature = k - KG_BOUNDARY_FEATURES;
    const kg_surface *surface = kg_surfaces_find(&world->surfaces, feature / KG_PARTS);
    return (part){surface, feature - KG_PARTS * surface->first_triangle};
}

static kg_boundary boundary_of(const kg_surface *surface, uint32_t feature)
{
    return KG_BOUNDARY_FEATURES + KG_PARTS * surface->first_triangle + feature;
}

/* The facet of a triangle; a shape is one facet. */
static kg_boundary facet_of(const kg_surface *surface, uint32_t triangle)
{
    return boundary_of(surface, kg_surface_is_solid(surface)
                                    ? KG_PART_FACE
                                    : kg_mesh_feature_of(&surface->mesh, triangle, KG_PART_FACE));
}

bool kg_boundary_reserve_planes(kugel_world *world, uint32_t count)
{
    uint32_t shapes = count > KG_SET_PLANES ? count - KG_SET_PLANES : 0;
    return KG_RESERVE(&world->memory, &world->plane_column, world->planes, count,
                      world->plane_count) &&
           (!shapes || kg_surfaces_reserve_planes(&world->memory, &world->surfaces, shapes));
}

void kg_boundary_add_plane(kugel_world *world, const kugel_plane *plane)
{
    world->planes[world->plane_count] = *plane;
    if (world->plane_count >= KG_SET_PLANES) kg_surfaces_add_plane(&world->surfaces, plane);
    world->plane_count += 1;
}

void kg_boundary_remove_planes(kugel_world *world)
{
    world->plane_count = world->surfaces.plane_count = 0;
}

kg_boundary_set kg_boundary_besides_faces(const kugel_world *world)
{
    uint32_t planes = world->plane_count < KG_SET_PLANES ? world->plane_count : KG_SET_PLANES;
    return (((kg_boundary_set)1 << planes) - 1) << KG_BOUNDARY_FACES;
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

kg_boundary_name kg_boundary_name_of(const kugel_world *world, kg_boundary k)
{
    if (is_face(k)) return (kg_boundary_name){KUGEL_TARGET_FACE, k, 0};
    if (!kg_boundary_is_feature(k))
        return (kg_boundary_name){KUGEL_TARGET_PLANE, k - KG_BOUNDARY_FACES, 0};
    part at = part_of(world, k);
    if (at.surface->shape.kind == KG_SHAPE_HALF_SPACE)
        return (kg_boundary_name){
            KUGEL_TARGET_PLANE, KG_SET_PLANES + (uint32_t)(at.surface - world->surfaces.planes), 0};
    return (kg_boundary_name){KUGEL_TARGET_SURFACE, kg_surfaces_index(&world->surfaces, at.surface),
                              at.feature / KG_PARTS};
}

kg_contact_material kg_boundary_material(const kugel_world *world, kg_boundary k)
{
    const kugel_bounds *bounds = &world->def.bounds;
    if (is_face(k)) return (kg_contact_material){bounds->restitution, bounds->friction, 0};
    if (kg_boundary_is_feature(k))
        return kg_contact_material_of(&part_of(world, k).surface->material);
    return (kg_contact_material){plane_of(world, k)->restitution, plane_of(world, k)->friction, 0};
}

/* Distance of a point from a feature, and the unit normal into it. */
static double feature_distance(const kugel_world *world, kg_boundary k, double t,
                               const double point[3], double normal[3])
{
    double x[3];
    kg_pose moved;
    part at = part_of(world, k);
    const kg_pose *pose = kg_surface_pose_at(at.surface, t, &moved);
    kg_pose_point_to_frame(pose, point, x);
    double distance;
    if (kg_surface_is_solid(at.surface)) {
        distance = kg_shape_distance(&at.surface->shape, x, normal);
        kg_scale3(normal, normal, -1);
    } else {
        distance = kg_mesh_feature_distance(&at.surface->mesh, at.feature, x, 0, normal);
    }
    kg_pose_to_world(pose, normal, normal);
    return distance;
}

double kg_boundary_gap(const kugel_world *world, kg_boundary k, double t, const double centre[3],
                       double radius)
{
    if (is_face(k)) {
        const kugel_bounds *bounds = &world->def.bounds;
        double x = centre[axis_of(k)];
        return (is_high(k) ? bounds->max[axis_of(k)] - x : x - bounds->min[axis_of(k)]) - radius;
    }
    if (kg_boundary_is_feature(k)) {
        double normal[3], distance = feature_distance(world, k, t, centre, normal);
        return distance < KG_NEVER ? distance - radius : KG_NEVER;
    }
    const kugel_plane *plane = plane_of(world, k);
    double gap = -plane->offset - radius;
    for (int axis = 0; axis < 3; ++axis) gap += plane->normal[axis] * centre[axis];
    return gap;
}

void kg_boundary_velocity(const kugel_world *world, kg_boundary k, double t, const double point[3],
                          double velocity[3])
{
    kg_set3(velocity, 0, 0, 0);
    if (kg_boundary_is_feature(k))
        kg_surface_velocity_at(part_of(world, k).surface, t, point, velocity);
}

bool kg_boundary_moves(const kugel_world *world, kg_boundary k)
{
    return kg_boundary_is_feature(k) && part_of(world, k).surface->moves;
}

void kg_boundary_normal(const kugel_world *world, kg_boundary k, double t, const double centre[3],
                        double normal[3])
{
    if (kg_boundary_is_feature(k)) {
        (void)feature_distance(world, k, t, centre, normal);
    } else if (is_face(k)) {
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

/* ---- triangles of surfaces ---- */

static const kg_surface *surface_with(const kugel_world *world, uint32_t triangle, uint32_t *local)
{
    const kg_surface *surface = kg_surfaces_find(&world->surfaces, triangle & ~KG_WHOLE_FACET);
    *local = (triangle & ~KG_WHOLE_FACET) - surface->first_triangle;
    return surface;
}

static double shape_distance(const kg_surface *surface, const double x[3])
{
    double outward[3];
    return kg_shape_distance(&surface->shape, x, outward);
}

/* Height over a facet's plane, or distance from a shape, and the normal of its front. */
static double height_over(const kg_surface *surface, uint32_t local, const double x[3],
                          double normal[3])
{
    return kg_surface_is_solid(surface) ? kg_shape_distance(&surface->shape, x, normal)
                                        : kg_mesh_height(&surface->mesh, local, x, normal);
}

/* True if the facet has no borders in reach. */
static bool covers_all(const kg_surface *surface, uint32_t triangle)
{
    return triangle & KG_WHOLE_FACET || kg_surface_is_solid(surface);
}

/* A conservative test: true if the sphere stays away from a box around some corners. */
static bool stays_away(const kg_mesh_path *path, const double *const *corner, int corners)
{
    double t = path->horizon, more = path->radius * (1 + 1e-6);
    for (int k = 0; k < 3; ++k) {
        double low = corner[0][k], high = low;
        for (int c = 1; c < corners; ++c) {
            low = corner[c][k] < low ? corner[c][k] : low;
            high = corner[c][k] > high ? corner[c][k] : high;
        }
        double from = path->x[k], to = from + path->v[k] * t,
               margin = 0.5 * kg_abs(path->a[k]) * t * t + more + 1e-12 * kg_abs(from);
        if ((from < low - margin && to < low - margin) ||
            (from > high + margin && to > high + margin))
            return true;
    }
    return false;
}

/* The corners of a part; returns how many. */
static int corners_of(const kg_mesh *mesh, uint32_t triangle, uint32_t part,
                      const double *corner[3])
{
    uint32_t first = part < KG_PART_EDGE     ? 0
                     : part < KG_PART_VERTEX ? part - KG_PART_EDGE
                                             : part - KG_PART_VERTEX;
    int count = part < KG_PART_EDGE ? 3 : part < KG_PART_VERTEX ? 2 : 1;
    for (int c = 0; c < count; ++c) {
        uint32_t at = 3 * triangle + (first + (uint32_t)c) % 3;
        corner[c] = &mesh->vertex[3 * (size_t)mesh->corner[at]];
    }
    return count;
}

static bool part_stays_away(const kg_mesh *mesh, uint32_t triangle, uint32_t part,
                            const kg_mesh_path *path)
{
    const double *corner[3];
    int count = corners_of(mesh, triangle, part, corner);
    return stays_away(path, corner, count);
}

bool kg_boundary_may_reach(const kugel_world *world, uint32_t triangle, const double point[3],
                           double reach)
{
    uint32_t local;
    kg_mesh_path path = {.radius = reach};
    const kg_surface *surface = surface_with(world, triangle, &local);
    if (triangle & KG_WHOLE_FACET) return true;
    kg_surface_point_to_frame(surface, point, path.x);
    if (kg_surface_is_solid(surface)) return shape_distance(surface, path.x) <= reach;
    return !part_stays_away(&surface->mesh, local, KG_PART_FACE, &path);
}

double kg_boundary_distance(const kugel_world *world, uint32_t triangle, const double point[3])
{
    uint32_t local;
    double x[3];
    const kg_surface *surface = surface_with(world, triangle, &local);
    kg_surface_point_to_frame(surface, point, x);
    if (kg_surface_is_solid(surface)) return shape_distance(surface, x);
    if (!(triangle & KG_WHOLE_FACET)) return kg_mesh_distance(&surface->mesh, local, x);
    double normal[3];
    return kg_abs(kg_mesh_height(&surface->mesh, local, x, normal));
}

bool kg_boundary_nearest(const kugel_world *world, uint32_t triangle, const double point[3],
                         kg_boundary *k)
{
    uint32_t local;
    double x[3];
    kg_mesh_nearest nearest;
    const kg_surface *surface = surface_with(world, triangle, &local);
    if (triangle & KG_WHOLE_FACET || kg_surface_is_solid(surface)) {
        *k = facet_of(surface, local);
        return true;
    }
    kg_surface_point_to_frame(surface, point, x);
    kg_mesh_find_nearest(&surface->mesh, local, x, &nearest);
    *k = boundary_of(surface, nearest.feature);
    return nearest.answers;
}

kg_facet_side kg_boundary_side(const kugel_world *world, uint32_t triangle, const kg_pose *pose,
                               const double point[3])
{
    uint32_t local;
    kg_facet_side side;
    const kg_surface *surface = surface_with(world, triangle, &local);
    kg_pose_point_to_frame(pose, point, side.in_frame);
    side.height = height_over(surface, local, side.in_frame, side.normal);
    kg_pose_to_world(pose, side.normal, side.normal);
    return side;
}

bool kg_boundary_is_over(const kugel_world *world, uint32_t triangle, const kg_facet_side *side)
{
    uint32_t local;
    const kg_surface *surface = surface_with(world, triangle, &local);
    return covers_all(surface, triangle) || kg_mesh_is_over(&surface->mesh, local, side->in_frame);
}

const kg_surface *kg_boundary_surface(const kugel_world *world, uint32_t triangle)
{
    uint32_t local;
    return surface_with(world, triangle, &local);
}

double kg_boundary_facet_gap(const kugel_world *world, uint32_t triangle, const double centre[3],
                             double radius, double normal[3])
{
    uint32_t local;
    double x[3];
    const kg_surface *surface = surface_with(world, triangle, &local);
    kg_surface_point_to_frame(surface, centre, x);
    double height = height_over(surface, local, x, normal);
    bool back = height < 0 && !kg_surface_is_one_sided(surface),
         whole = covers_all(surface, triangle);
    kg_scale3(normal, normal, back ? 1 : -1);
    kg_surface_to_world(surface, normal, normal);
    if (height < 0 && !back && !whole) return KG_NEVER;
    bool over = whole || kg_mesh_is_over(&surface->mesh, local, x);
    return over ? (back ? -height : height) - radius : KG_NEVER;
}

kg_boundary kg_boundary_facet(const kugel_world *world, uint32_t triangle)
{
    uint32_t local;
    const kg_surface *surface = surface_with(world, triangle, &local);
    return facet_of(surface, local);
}

/* The path of a body from its clock on, in the surface's frame. In the frame of a surface that
 * spins with w it is a parabola up to (|w| h)^2 of its length: the velocity v' lacks w x r, and the
 * acceleration is a - 2 w x v' - w x (w x r). */
static kg_mesh_path path_in_frame(const kg_surface *surface, const kg_motion *m, const double a[3])
{
    kg_mesh_path path;
    kg_pose moved;
    double x[3], v[3], relative[3], t = m->clock;
    const kg_pose *pose = kg_surface_pose_at(surface, t, &moved);
    kg_add_scaled3(x, m->x, 0.5 * t * t, a);
    kg_add_scaled3(v, m->v, t, a);
    kg_copy3(relative, a);
    if (surface->moves) {
        double arm[3], turning[3], coriolis[3], centripetal[3];
        const double *w = surface->spin;
        kg_sub3(arm, x, pose->origin);
        kg_cross3(turning, w, arm);
        kg_sub3(v, v, surface->velocity);
        kg_cross3(coriolis, w, v);
        kg_cross3(centripetal, w, turning);
        kg_sub3(v, v, turning);
        /* v' = v - w x r turns the sign of the last term */
        kg_add_scaled3(relative, relative, -2, coriolis);
        kg_add_scaled3(relative, relative, 1, centripetal);
    }
    kg_pose_point_to_frame(pose, x, path.x);
    kg_pose_to_frame(pose, v, path.v);
    kg_pose_to_frame(pose, relative, path.a);
    return path;
}

/* `own`: the acceleration of the body in the frame, without what the frame's spin adds. Only this
 * part decides about rest: a resting contact follows the surface in the next substep. */
static kg_boundary_impact impact_at(const kg_mesh_path *path, double t, const double own[3],
                                    const double normal[3])
{
    double added[3], along = kg_dot3(own, normal);
    kg_sub3(added, path->a, own);
    if (!(along * along > 1e-18 * kg_dot3(own, own))) along = 0;
    double change = along + kg_dot3(added, normal);
    return (kg_boundary_impact){t, kg_dot3(path->v, normal) + change * t, -along};
}

/* The plane of a facet, on the side of the centre. */
static void sweep_whole_facet(const kg_surface *surface, uint32_t local, const kg_mesh_path *path,
                              const double own[3], kg_triangle_impacts *all)
{
    double normal[3], height = kg_mesh_height(&surface->mesh, local, path->x, normal);
    double side = height < 0 && !surface->mesh.one_sided ? -1 : 1;
    kg_scale3(normal, normal, -side);
    double t = kg_sweep_plane_ballistic(side * height - path->radius, -kg_dot3(normal, path->v),
                                        -kg_dot3(normal, path->a), path->horizon);
    if (t == KG_NEVER) return;
    all->boundary[0] = facet_of(surface, local);
    all->impact[0] = impact_at(path, t, own, normal);
    all->count = 1;
}

static void sweep_shape(const kg_surface *surface, const kg_mesh_path *path, const double own[3],
                        kg_triangle_impacts *all)
{
    double normal[3], t = kg_shape_sweep(&surface->shape, path, normal);
    if (t == KG_NEVER) return;
    all->boundary[0] = facet_of(surface, 0);
    all->impact[0] = impact_at(path, t, own, normal);
    all->count = 1;
}

void kg_boundary_sweep_triangle(const kugel_world *world, uint32_t triangle, const kg_motion *m,
                                const double a[3], double radius, double horizon,
                                kg_triangle_impacts *all)
{
    uint32_t local;
    const kg_surface *surface = surface_with(world, triangle, &local);
    const kg_mesh *mesh = &surface->mesh;
    kg_mesh_path path = path_in_frame(surface, m, a);
    double own[3];
    kg_pose moved;
    kg_pose_to_frame(kg_surface_pose_at(surface, m->clock, &moved), a, own);
    path.radius = radius;
    path.horizon = horizon;
    all->count = 0;
    if (kg_surface_is_solid(surface)) {
        sweep_shape(surface, &path, own, all);
        return;
    }
    if (triangle & KG_WHOLE_FACET) {
        sweep_whole_facet(surface, local, &path, own, all);
        return;
    }
    if (part_stays_away(mesh, local, KG_PART_FACE, &path)) return;
    for (uint32_t parts = mesh->answers[local]; parts; parts &= parts - 1) {
        uint32_t part = (uint32_t)__builtin_ctz(parts);
        if (part != KG_PART_FACE && part_stays_away(mesh, local, part, &path)) continue;
        double normal[3], t = kg_mesh_sweep_part(mesh, local, part, &path, normal);
        if (t == KG_NEVER) continue;
        all->boundary[all->count] = boundary_of(surface, kg_mesh_feature_of(mesh, local, part));
        all->impact[all->count++] = impact_at(&path, t, own, normal);
    }
}
