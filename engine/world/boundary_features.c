/* Triangles of surfaces as boundaries, by their numbers in the world: distances, gaps, sweeps. A
 * solid shape is one facet without borders.
 * In: number of a triangle, point or path in the world. Out: features, gaps, times of impact. Cost:
 * constant; the sweep of a triangle sweeps each of its parts. The order of operations determines
 * results. */
#include "base/compiler.h"
#include "base/vec.h"
#include "geometry/sweep_ballistic.h"
#include "geometry/sweep_linear.h"
#include "surfaces/mesh_feature.h"
#include "world/boundary.h"
#include "world/growth.h"

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

/* The surface to which a triangle belongs; *local: the triangle's number in the surface. */
static const kg_surface *surface_with(const kugel_world *world, uint32_t triangle, uint32_t *local)
{
    const kg_surface *surface = kg_surfaces_find(&world->surfaces, triangle & ~KG_WHOLE_FACET);
    *local = (triangle & ~KG_WHOLE_FACET) - surface->first_triangle;
    return surface;
}

bool kg_boundary_is_curved(const kugel_world *world, kg_boundary k)
{
    uint32_t local;
    if (!kg_boundary_is_feature(k) || !kg_boundary_is_facet(k)) return kg_boundary_is_feature(k);
    const kg_surface *surface = surface_with(world, (k - KG_BOUNDARY_FEATURES) / KG_PARTS, &local);
    return kg_surface_is_solid(surface) && surface->shape.kind != KUGEL_SURFACE_PLANE;
}

/* True if the facet has no borders in reach, or is a shape, which has none. */
static bool is_unbounded(const kg_surface *surface, uint32_t triangle)
{
    return triangle & KG_WHOLE_FACET || kg_surface_is_solid(surface);
}

/* True if the box of the swept sphere misses the box around some corners: a conservative test. */
static bool stays_away(const kg_triangle_sweep *sweep, const double *const *corner, int corners)
{
    for (int k = 0; k < 3; ++k) {
        double low = corner[0][k], high = low;
        for (int c = 1; c < corners; ++c) {
            low = corner[c][k] < low ? corner[c][k] : low;
            high = corner[c][k] > high ? corner[c][k] : high;
        }
        if (sweep->high[k] < low || sweep->low[k] > high) return true;
    }
    return false;
}

/* Set the corners of a part; returns their number. */
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
                            const kg_triangle_sweep *sweep)
{
    const double *corner[3];
    int count = corners_of(mesh, triangle, part, corner);
    return stays_away(sweep, corner, count);
}

double kg_boundary_distance(const kugel_world *world, uint32_t triangle, const double point[3])
{
    uint32_t local;
    double x[3], unused[3];
    const kg_surface *surface = surface_with(world, triangle, &local);
    if (kg_surface_is_solid(surface))
        return kg_surface_height(surface, &surface->pose, point, unused);
    kg_surface_point_to_frame(surface, point, x);
    return triangle & KG_WHOLE_FACET ? kg_abs(kg_mesh_height(&surface->mesh, local, x, unused))
                                     : surface->code->distance(&surface->mesh, local, x, unused);
}

double kg_boundary_clearance(const kugel_world *world, uint32_t triangle, uint32_t slot,
                             double most, bool *rests)
{
    uint32_t local;
    const kg_motion *m = &world->work.motion[slot];
    const kg_surface *surface = surface_with(world, triangle, &local);
    *rests = false;
    if (is_unbounded(surface, triangle)) {
        *rests = kg_work_rests_on(&world->work, slot, facet_of(surface, local));
        return *rests ? KG_NEVER : kg_boundary_distance(world, triangle, m->x) - m->radius;
    }
    double x[3], least = most;
    kg_surface_point_to_frame(surface, m->x, x);
    for (uint32_t parts = kg_mesh_collidable_parts(&surface->mesh, local); parts;
         parts &= parts - 1) {
        uint32_t part = (uint32_t)kg_lowest_bit(parts),
                 feature = kg_mesh_feature_of(&surface->mesh, local, part);
        if (kg_work_rests_on(&world->work, slot, boundary_of(surface, feature))) {
            *rests = true;
            continue;
        }
        double way =
            surface->code->part_clearance(&surface->mesh, local, part, x, m->radius, least);
        least = way < least ? way : least;
    }
    return least;
}

bool kg_boundary_nearest(const kugel_world *world, uint32_t triangle, const double point[3],
                         double reach, kg_mesh_last_sharp *last, kg_boundary *k)
{
    uint32_t local;
    double x[3];
    kg_mesh_nearest nearest;
    const kg_surface *surface = surface_with(world, triangle, &local);
    if (is_unbounded(surface, triangle)) {
        *k = facet_of(surface, local);
        return kg_boundary_distance(world, triangle, point) <= reach;
    }
    kg_surface_point_to_frame(surface, point, x);
    surface->code->nearest_on_triangle(&surface->mesh, local, x, reach, last, &nearest);
    if (nearest.is_nearest) *k = boundary_of(surface, nearest.feature);
    return nearest.is_nearest;
}

kg_facet_side kg_boundary_side(const kugel_world *world, uint32_t triangle, const kg_pose *pose,
                               const double point[3])
{
    uint32_t local;
    kg_facet_side side;
    const kg_surface *surface = surface_with(world, triangle, &local);
    kg_pose_point_to_frame(pose, point, side.in_frame);
    if (kg_surface_is_solid(surface)) {
        side.height = kg_surface_height(surface, pose, point, side.normal);
        return side;
    }
    side.height = kg_mesh_height(&surface->mesh, local, side.in_frame, side.normal);
    kg_pose_to_world(pose, side.normal, side.normal);
    return side;
}

bool kg_boundary_is_whole_facet(const kugel_world *world, uint32_t triangle)
{
    uint32_t local;
    const kg_surface *surface = surface_with(world, triangle, &local);
    return is_unbounded(surface, triangle) || !kg_mesh_shares_facet(&surface->mesh, local);
}

bool kg_boundary_is_over(const kugel_world *world, uint32_t triangle, const kg_facet_side *side)
{
    uint32_t local;
    double normal[3];
    const kg_surface *surface = surface_with(world, triangle, &local);
    if (is_unbounded(surface, triangle)) return true;
    double height = kg_mesh_height(&surface->mesh, local, side->in_frame, normal);
    return surface->code->is_over(&surface->mesh, local, side->in_frame, height, normal);
}

const kg_surface *kg_boundary_surface(const kugel_world *world, uint32_t triangle)
{
    uint32_t local;
    return surface_with(world, triangle, &local);
}

double kg_boundary_facet_gap(const kugel_world *world, kg_boundary facet, uint32_t triangle,
                             const double centre[3], double radius, double normal[3])
{
    uint32_t local;
    double x[3], front[3];
    const kg_surface *surface = surface_with(world, triangle, &local);
    if (facet_of(surface, local) != facet) return KG_NEVER;
    if (kg_surface_is_solid(surface)) {
        double gap = kg_surface_height(surface, &surface->pose, centre, normal) - radius;
        kg_scale3(normal, normal, -1);
        return gap;
    }
    kg_surface_point_to_frame(surface, centre, x);
    double height = kg_mesh_height(&surface->mesh, local, x, front);
    bool back = height < 0 && !kg_surface_is_one_sided(surface), whole = triangle & KG_WHOLE_FACET;
    kg_scale3(normal, front, back ? 1 : -1);
    kg_surface_to_world(surface, normal, normal);
    if (height < 0 && !back && !whole) return KG_NEVER;
    bool over = whole || surface->code->is_over(&surface->mesh, local, x, height, front);
    return over ? (back ? -height : height) - radius : KG_NEVER;
}

kg_boundary kg_boundary_facet(const kugel_world *world, uint32_t triangle)
{
    uint32_t local;
    const kg_surface *surface = surface_with(world, triangle, &local);
    return facet_of(surface, local);
}

/* The path of a body from its clock on, as a parabola in the surface's frame. For a surface with
 * spin w and arm r, v' = v - velocity - w x r, and the acceleration is a - 2 w x v' - w x (w x r).
 * The relative error of the parabola is (|w| h)^2. */
static kg_mesh_path path_in_frame(const kg_surface *surface, const kg_motion *m, const double a[3])
{
    kg_mesh_path path = {.radius = m->radius}; /* the caller sets the horizon */
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
        /* the Coriolis term uses v before w x r is subtracted: so w x (w x r) has the sign + */
        kg_add_scaled3(relative, relative, -2, coriolis);
        kg_add_scaled3(relative, relative, 1, centripetal);
    }
    kg_pose_point_to_frame(pose, x, path.x);
    kg_pose_to_frame(pose, v, path.v);
    kg_pose_to_frame(pose, relative, path.a);
    return path;
}

/* The impact at time t of a path, with the normal into the boundary. `own`: the acceleration of the
 * body in the frame without the terms of the frame's spin. The impact's acceleration is this part
 * alone, since it decides whether the pair rests: a resting contact follows the surface in the next
 * substep. */
static kg_boundary_impact impact_at(const kg_mesh_path *path, double t, const double own[3],
                                    const double normal[3])
{
    double added[3], along = kg_dot3(own, normal);
    kg_sub3(added, path->a, own);
    if (!(along * along > 1e-18 * kg_dot3(own, own))) along = 0;
    double change = along + kg_dot3(added, normal);
    return (kg_boundary_impact){t, kg_dot3(path->v, normal) + change * t, -along};
}

/* Sweep against the plane of a facet, on the side of the centre; on the front of a one-sided
 * mesh. */
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

/* The path from a plane of a body whose radius grows and which does not rest on it. */
static void grow_path(const kugel_world *world, const kg_surface *surface, const kg_motion *m,
                      kg_mesh_path *path)
{
    uint32_t slot = (uint32_t)(m - world->work.motion);
    if (kg_work_rests_on(&world->work, slot, facet_of(surface, 0))) return;
    path->radius = kg_growth_radius(world, slot, m->clock);
    path->v[2] -= kg_growth_speed(world, slot);
}

static void sweep_shape(const kugel_world *world, const kg_surface *surface,
                        const kg_triangle_sweep *sweep, kg_triangle_impacts *all)
{
    kg_mesh_path path = sweep->path;
    bool is_plane = surface->shape.kind == KUGEL_SURFACE_PLANE;
    if (is_plane && world->work.growth.rate > 0) grow_path(world, surface, sweep->motion, &path);
    double normal[3], t = is_plane ? kg_plane_sweep(&path, normal)
                                   : surface->code->shape_sweep(&surface->shape, &path, normal);
    if (t == KG_NEVER) return;
    all->boundary[0] = facet_of(surface, 0);
    all->impact[0] = impact_at(&path, t, sweep->own, normal);
    all->count = 1;
}

/* Set the box of the sphere, with a margin for rounding. In a time t the centre stays within
 * |a| t^2 / 8 of its chord. */
static void set_box(kg_triangle_sweep *sweep)
{
    const kg_mesh_path *path = &sweep->path;
    double s = sweep->from, e = sweep->until, bow = 0.125 * (e - s) * (e - s);
    for (int k = 0; k < 3; ++k) {
        double x = path->x[k], v = path->v[k], a = path->a[k], from = x + (v + 0.5 * a * s) * s,
               to = x + (v + 0.5 * a * e) * e,
               margin = kg_abs(a) * bow + path->radius * (1 + 1e-6) +
                        1e-12 * (kg_abs(x) + (kg_abs(v) + kg_abs(a) * e) * e);
        sweep->low[k] = (from < to ? from : to) - margin;
        sweep->high[k] = (from < to ? to : from) + margin;
    }
}

static void enter_frame(kg_triangle_sweep *sweep, const kg_surface *surface)
{
    kg_pose moved;
    const kg_motion *m = sweep->motion;
    sweep->surface = surface;
    sweep->path = path_in_frame(surface, m, sweep->a);
    kg_pose_to_frame(kg_surface_pose_at(surface, m->clock, &moved), sweep->a, sweep->own);
    set_box(sweep);
}

void kg_boundary_sweep_triangle(const kugel_world *world, uint32_t triangle,
                                kg_triangle_sweep *sweep, kg_triangle_impacts *all)
{
    uint32_t local;
    const kg_surface *surface = surface_with(world, triangle, &local);
    const kg_mesh *mesh = &surface->mesh;
    bool whole = triangle & KG_WHOLE_FACET;
    if (sweep->surface != surface) enter_frame(sweep, surface);
    kg_mesh_path *path = &sweep->path;
    path->horizon = whole ? sweep->until : sweep->horizon;
    all->count = 0;
    if (kg_surface_is_solid(surface)) {
        sweep_shape(world, surface, sweep, all);
        return;
    }
    if (whole) {
        sweep_whole_facet(surface, local, path, sweep->own, all);
        return;
    }
    if (part_stays_away(mesh, local, KG_PART_FACE, sweep)) return;
    uint32_t parts = surface->code->parts_on_path(mesh, local, path, sweep->from, sweep->until);
    if (sweep->without_facet) parts &= ~(1u << KG_PART_FACE);
    for (; parts; parts &= parts - 1) {
        uint32_t part = (uint32_t)kg_lowest_bit(parts);
        if (part != KG_PART_FACE && part_stays_away(mesh, local, part, sweep)) continue;
        double normal[3],
            t = surface->code->sweep_part(mesh, local, part, path, sweep->until, normal);
        if (t == KG_NEVER) continue;
        all->boundary[all->count] = boundary_of(surface, kg_mesh_feature_of(mesh, local, part));
        all->impact[all->count++] = impact_at(path, t, sweep->own, normal);
    }
}
