/* Rays and moving spheres against walls and surfaces. In: line, scope. Out: meetings and hits.
 * Those of walls have the bits of the functions of kugel/geometry.h. Those of surfaces come from
 * kg_mesh_rays, kg_mesh_cast and the tests of surfaces/shape.h, in the surface's frame with the
 * scaled direction of kg_line.
 * Order and cost: query_targets.h. */
#include "geometry/sweep_linear.h"
#include "query/query_targets.h"
#include "surfaces/mesh_ray.h"
#include "world/surface_tree.h"

/* True if the sphere rests on a surface: then kg_radius_from_rest applies to all surfaces. */
static bool rests_on_surface(const kg_line_query *q)
{
    kg_query_scope scope = *q->scope;
    scope.filter.accept = NULL;
    scope.find_bodies = false;
    scope.walls = 0;
    return kg_query_overlap_sphere(&scope, q->ray->origin, q->line.radius * (1 + KG_CAST_SLACK), 0,
                                   NULL) > 0;
}

/* The contact of a sphere with a wall. False if they do not meet. */
static bool meet_wall_with(const kugel_ray *ray, const kg_half_space *space, double radius,
                           kugel_contact *contact)
{
    kugel_sweep_sphere_plane(ray->origin, ray->direction, radius, space->normal, space->offset,
                             ray->t_max, contact);
    return contact->hit;
}

/* True if the line meets the wall, at m->time. A ray must start on the free side of the wall or on
 * it; a sphere must approach it, unless the filter wants what it touches. */
static bool meet_wall(const kg_line_query *q, const kg_half_space *space, kg_meeting *m)
{
    const kugel_ray *ray = q->ray;
    kugel_plane_hit hit;
    kugel_contact contact;
    if (q->is_ray) {
        kugel_ray_plane(ray->origin, ray->direction, INFINITY, space->normal, space->offset, &hit);
        m->time = hit.t;
        return hit.hit && hit.side >= 0 && hit.t <= ray->t_max;
    }
    m->radius = q->line.radius;
    bool meets = meet_wall_with(ray, space, m->radius, &contact);
    if (meets && contact.approaching && !(contact.touching && q->scope->filter.initial) &&
        kg_rests_at(m->radius, m->radius + contact.gap) &&
        kg_meets_flat(kg_dot3(space->normal, ray->direction), ray->direction)) {
        m->radius = kg_radius_from_rest(m->radius, m->radius + contact.gap);
        meets = meet_wall_with(ray, space, m->radius, &contact);
    }
    m->time = contact.time;
    return meets && (contact.approaching || q->scope->filter.initial);
}

/* Visit a target that the line meets, unless the host's callback excludes it. */
static void visit_accepted(const kg_line_query *q, const kg_meeting *m, kg_meeting_visit *visit,
                           void *context)
{
    if (kg_query_filter_accepts(q->scope, m->target, m->index)) visit(context, m);
}

static void visit_walls(const kg_line_query *q, kg_meeting_visit *visit, void *context)
{
    for (kg_boundary_set left = q->scope->walls; left;) {
        kg_meeting m = {
            .target = KUGEL_TARGET_FACE, .index = kg_boundary_set_take(&left), .meets = true};
        kg_half_space space = kg_query_wall(q->scope->world, m.index);
        if (meet_wall(q, &space, &m)) visit_accepted(q, &m, visit, context);
    }
}

/* Set the hit of a target that has no exit: the members of the exit equal those of the entry. */
static void set_entry(kugel_hit *hit, double t, const double point[3], const double normal[3])
{
    *hit = (kugel_hit){.hit = true, .t_enter = t, .t_exit = t};
    kg_copy3(hit->point, point);
    kg_copy3(hit->normal, normal);
    kg_copy3(hit->exit_point, point);
    kg_copy3(hit->exit_normal, normal);
}

static void write_wall_hit(const kg_line_query *q, const kg_meeting *m, kugel_hit *hit)
{
    kg_half_space space = kg_query_wall(q->scope->world, m->index);
    kugel_plane_hit met;
    kugel_ray_plane(q->ray->origin, q->ray->direction, INFINITY, space.normal, space.offset, &met);
    set_entry(hit, met.t, met.point, space.normal);
    hit->started_inside = met.side == 0;
}

/* The parameter at which the path of a sphere, in the surface's frame, meets the surface, or
 * KG_NEVER. Sets the normal of *m in that frame, and of a mesh the triangle. rests: true if what is
 * met at a flat angle is met by a smaller sphere. */
static double meet_in_frame(const kg_surface *surface, const kg_mesh_path *path, bool rests,
                            kg_meeting *m)
{
    kg_mesh_path smaller = *path;
    bool solid = kg_surface_is_solid(surface);
    if (solid && rests) {
        double distance = kg_shape_distance(&surface->shape, path->x, m->normal);
        smaller.radius = kg_radius_from_rest(path->radius, distance);
    }
    double s = solid ? kg_shape_sweep(&surface->shape, &smaller, m->normal)
                     : kg_mesh_cast(&surface->mesh, path, rests, &m->triangle, m->normal);
    kg_scale3(m->normal, m->normal, -1);
    return s;
}

/* The s of kg_line at which the line meets the surface, or KG_NEVER. For all but rays against
 * meshes, which visit_mesh tests. */
static double meet_surface(const kg_line_query *q, const kg_surface *surface, kg_meeting *m)
{
    double s;
    kg_mesh_path path = {.radius = q->line.radius, .horizon = q->line.end};
    /* kg_shape_sweep excludes the horizon, a line includes its end; the caller checks the time */
    if (kg_surface_is_solid(surface)) path.horizon *= 1 + 1e-12;
    kg_pose_point_to_frame(&surface->pose, q->line.origin, path.x);
    kg_pose_to_frame(&surface->pose, q->line.unit, path.v);
    if (q->is_ray) {
        s = kg_shape_ray(&surface->shape, path.x, path.v, path.horizon, m->normal);
    } else {
        s = meet_in_frame(surface, &path, false, m);
        if (s < KG_NEVER && kg_meets_flat(kg_dot3(m->normal, path.v), path.v) &&
            rests_on_surface(q))
            s = meet_in_frame(surface, &path, true, m);
    }
    if (s < KG_NEVER) kg_pose_to_world(&surface->pose, m->normal, m->normal);
    return s;
}

/* Set the time of a meeting at s of the line. False if s is KG_NEVER, the time is beyond the end of
 * the ray, or it overflows. */
static bool set_time(const kg_line_query *q, double s, kg_meeting *m)
{
    m->time = s / q->line.s_per_t;
    return s < KG_NEVER && kg_finite(m->time) && m->time <= q->ray->t_max;
}

/* `count` rays against one mesh. */
static void visit_mesh(uint32_t index, uint32_t count, const kg_line_query *const *queries,
                       kg_meeting_visit *visit, void *const *contexts)
{
    const kg_surface *surface = &queries[0]->scope->world->surfaces.items[index];
    kg_mesh_ray_task tasks[KG_QUERY_RAYS];
    for (uint32_t i = 0; i < count; ++i) {
        const kg_line *line = &queries[i]->line;
        tasks[i].limit = line->end;
        kg_pose_point_to_frame(&surface->pose, line->origin, tasks[i].origin);
        kg_pose_to_frame(&surface->pose, line->unit, tasks[i].direction);
    }
    kg_mesh_rays(&surface->mesh, count, tasks);
    for (uint32_t i = 0; i < count; ++i) {
        kg_meeting m = {.target = KUGEL_TARGET_SURFACE,
                        .index = index,
                        .meets = true,
                        .triangle = tasks[i].triangle};
        if (!set_time(queries[i], tasks[i].t, &m)) continue;
        kg_pose_to_world(&surface->pose, tasks[i].normal, m.normal);
        visit_accepted(queries[i], &m, visit, contexts[i]);
    }
}

/* True if the sphere touches the surface at its start: then they meet at time 0. */
static bool touches(const kg_line_query *q, const kg_surface *surface, kg_meeting *m)
{
    static const double up[3] = {0, 0, 1};
    kg_surface_closest closest;
    if (!kg_surface_find_closest(surface, q->line.origin, q->line.radius, &closest)) return false;
    m->time = 0;
    m->triangle = KG_PARTS * closest.triangle;
    kg_normalize3(m->normal, closest.outward, up);
    return true;
}

static void visit_surface(const kg_line_query *q, uint32_t index, kg_meeting_visit *visit,
                          void *context)
{
    const kg_surface *surface = &q->scope->world->surfaces.items[index];
    if (!kg_query_filter_passes_surface(q->scope, index)) return;
    if (q->is_ray && !kg_surface_is_solid(surface)) {
        visit_mesh(index, 1, &q, visit, &context);
        return;
    }
    kg_meeting m = {.target = KUGEL_TARGET_SURFACE, .index = index, .meets = true};
    bool initial = !q->is_ray && q->scope->filter.initial && touches(q, surface, &m);
    if (initial || set_time(q, meet_surface(q, surface, &m), &m))
        visit_accepted(q, &m, visit, context);
}

/* The context of a walk over the tree of surfaces. */
typedef struct surface_visits {
    const kg_line_query *query;
    kg_meeting_visit *visit;
    void *context;
} surface_visits;

static bool visit_found_surface(void *context, uint32_t index)
{
    const surface_visits *v = context;
    visit_surface(v->query, index, v->visit, v->context);
    return v->query->line.end >= 0;
}

static void visit_surfaces(const kg_line_query *q, kg_meeting_visit *visit, void *context)
{
    surface_visits v = {q, visit, context};
    if (!q->scope->find_surfaces) return;
    (void)kg_surface_tree_visit_line(&q->scope->world->surfaces, q->line.origin, q->line.unit,
                                     q->line.radius, &q->line.end, visit_found_surface, &v);
}

static void write_surface_ray_hit(const kg_line_query *q, const kg_meeting *m, kugel_hit *hit)
{
    double point[3];
    kg_add_scaled3(point, q->ray->origin, m->time, q->ray->direction);
    set_entry(hit, m->time, point, m->normal);
    hit->started_inside =
        m->time == 0 && kg_surface_is_solid(&q->scope->world->surfaces.items[m->index]);
}

/* Set gap, touching and approaching, which describe the sphere at its start. To find the nearest
 * point of a mesh far away takes longer than the cast: there the point of contact is measured. */
static void set_start(const kg_line_query *q, const kg_surface *surface, kugel_contact *contact)
{
    kg_surface_closest closest;
    double radius = q->line.radius, limit = kg_surface_is_solid(surface) ? KG_NEVER : radius;
    contact->gap = sqrt(kg_squared_distance3(q->line.origin, contact->point)) - radius;
    contact->approaching = true;
    if (!kg_surface_find_closest(surface, q->line.origin, limit, &closest)) return;
    contact->gap = closest.distance - radius;
    contact->touching = contact->gap <= 0;
    contact->approaching = kg_dot3(closest.outward, q->line.unit) < 0;
}

/* The distance of the sphere's centre from the surface when they meet, m. It is below the radius if
 * they overlapped before: at the start, or while the sphere passed a one-sided mesh from behind. */
static double distance_at(const kg_line_query *q, const kg_surface *surface, const kg_meeting *m)
{
    double at[3], x[3], normal[3], distance, radius = q->line.radius;
    kg_surface_closest closest;
    kg_add_scaled3(at, q->ray->origin, m->time, q->ray->direction);
    kg_pose_point_to_frame(&surface->pose, at, x);
    if (kg_surface_is_solid(surface)) distance = kg_shape_distance(&surface->shape, x, normal);
    else distance = kg_mesh_feature_distance(&surface->mesh, m->triangle, x, radius, normal);
    if (distance >= KG_NEVER && kg_surface_find_closest(surface, at, radius, &closest))
        distance = closest.distance;
    return kg_min(distance, radius);
}

static void write_surface_cast_hit(const kg_line_query *q, const kg_meeting *m, kugel_cast_hit *hit)
{
    const kg_surface *surface = &q->scope->world->surfaces.items[m->index];
    kugel_contact *contact = &hit->contact;
    kg_surface_closest closest;
    *contact = (kugel_contact){.hit = true, .time = m->time};
    kg_copy3(contact->normal, m->normal);
    kg_add_scaled3(contact->point, q->ray->origin, m->time, q->ray->direction);
    kg_add_scaled3(contact->point, contact->point, -distance_at(q, surface, m), m->normal);
    set_start(q, surface, contact);
    hit->triangle = m->triangle / KG_PARTS;
    double rounding = 1e-12 * (kg_max_abs3(contact->point) + kg_max_abs3(surface->pose.origin));
    if (kg_surface_find_closest(surface, contact->point, rounding, &closest) ||
        kg_surface_find_closest(surface, contact->point, KG_NEVER, &closest))
        hit->triangle = closest.triangle;
}

void kg_query_line_targets(const kg_line_query *q, kg_meeting_visit *visit, void *context)
{
    if (!q->scope->find_others) return;
    visit_walls(q, visit, context);
    visit_surfaces(q, visit, context);
}

void kg_query_rays_targets(uint32_t count, const kg_line_query *const *queries,
                           kg_meeting_visit *visit, void *const *contexts)
{
    const kg_query_scope *scope = queries[0]->scope;
    if (!scope->find_others) return;
    for (uint32_t i = 0; i < count; ++i) visit_walls(queries[i], visit, contexts[i]);
    const kg_surfaces *set = &scope->world->surfaces;
    bool together = set->count <= count; /* few surfaces: each is tested by all rays */
    for (uint32_t i = 0; i < count && !together; ++i)
        visit_surfaces(queries[i], visit, contexts[i]);
    for (uint32_t k = 0; k < set->end && together; ++k) {
        if (!kg_query_filter_passes_surface(scope, k)) continue;
        if (!kg_surface_is_solid(&set->items[k])) visit_mesh(k, count, queries, visit, contexts);
        else
            for (uint32_t i = 0; i < count; ++i) visit_surface(queries[i], k, visit, contexts[i]);
    }
}

void kg_query_write_ray_hit(const kg_line_query *q, const kg_meeting *m, kugel_hit *hit)
{
    if (m->target == KUGEL_TARGET_SURFACE) {
        write_surface_ray_hit(q, m, hit);
    } else {
        write_wall_hit(q, m, hit);
    }
}

void kg_query_write_cast_hit(const kg_line_query *q, const kg_meeting *m, kugel_cast_hit *hit)
{
    const kugel_world *world = q->scope->world;
    const kugel_ray *ray = q->ray;
    if (m->target == KUGEL_TARGET_SURFACE) {
        write_surface_cast_hit(q, m, hit);
    } else {
        kg_half_space space = kg_query_wall(world, m->index);
        (void)meet_wall_with(ray, &space, m->radius, &hit->contact);
    }
}
