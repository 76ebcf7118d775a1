/* Triangles of surfaces near each body: those that it can meet within its skin. A solid shape is in
 * the list like a triangle.
 * In: list origins, surfaces. Out: numbers by distance. Cost: for each body a walk of the tree of
 * surfaces, and of the tree of each surface in reach. A body without a list has all triangles. */
#include <string.h>

#include "base/sort.h"
#include "base/vec.h"
#include "grid/grid.h"
#include "surfaces/mesh_feature.h"
#include "world/pair_filter.h"
#include "world/surface_tree.h"

/* Smallest distance, as a share of the coordinates, at which slopes are exact enough. Nearer
 * triangles have slope 0. */
static const double least_distance = 1e-8;

typedef struct search {
    kugel_world *world;
    uint32_t slot;     /* of the body */
    double body_reach; /* m */
    const kg_surface *surface;
    double x[3];           /* m, the list origin in the frame of the surface */
    double reach;          /* m, largest distance of a near triangle from the list origin */
    double path;           /* m, largest path of the surface while the span holds */
    double thickness;      /* of the surface's facets, m */
    uint32_t first, count; /* items of the span in grid->near_triangles */
    bool joins;            /* true when triangles may be joined to whole facets */
} search;

/* `slope`: unit, in the surface's frame. */
static kg_near_triangle make_item(const search *s, uint32_t number, double distance,
                                  const double slope[3])
{
    kg_near_triangle item = {.number = s->surface->first_triangle + number};
    const kg_pose *pose = &s->surface->pose;
    double along[3], scale = kg_max_abs3(s->x) + kg_max_abs3(pose->origin) + s->reach;
    bool has_slope = !s->surface->moves && kg_abs(distance) > least_distance * scale;
    kg_pose_to_world(pose, slope, along);
    for (int k = 0; k < 3 && has_slope; ++k) item.slope[k] = (float)along[k];
    distance -= KG_NEAR_SLACK * kg_abs(distance) + s->path + s->thickness;
    item.distance = (float)distance;
    item.slack = has_slope ? KG_NEAR_SLACK : 1;
    return item;
}

static bool append(search *s, const kg_near_triangle *item)
{
    kg_grid *grid = s->world->grid;
    size_t at = (size_t)s->first + s->count;
    if (!KG_RESERVE(&s->world->memory, &grid->columns[KG_GRID_COLUMN_NEAR_TRIANGLES],
                    grid->near_triangles, at + 1, at))
        return false;
    grid->near_triangles[at] = *item;
    s->count += 1;
    return true;
}

static bool add(search *s, uint32_t number, double distance, const double slope[3])
{
    kg_near_triangle item = make_item(s, number, distance, slope);
    return append(s, &item);
}

/* Append a candidate: an item whose distance and slope are not measured yet. */
static bool add_candidate(void *context, uint32_t triangle)
{
    search *s = context;
    kg_near_triangle item = {.number = s->surface->first_triangle + triangle};
    return append(s, &item);
}

/* The number of an item's triangle in its mesh; KG_NONE for a whole facet. */
static uint32_t triangle_of(const search *s, const kg_near_triangle *item)
{
    return item->number & KG_WHOLE_FACET ? KG_NONE : item->number - s->surface->first_triangle;
}

/* Measure the candidates from item `from` on, and drop those out of reach. */
static void measure_candidates(search *s, uint32_t from)
{
    kg_near_triangle *items = s->world->grid->near_triangles + s->first;
    uint32_t kept = from;
    for (uint32_t k = from; k < s->count; ++k) {
        uint32_t triangle = triangle_of(s, &items[k]);
        if (triangle == KG_NONE) {
            items[kept++] = items[k];
            continue;
        }
        double slope[3],
            distance = s->surface->code->distance(&s->surface->mesh, triangle, s->x, slope);
        if (distance > s->reach) continue;
        kg_sub3(slope, s->x, slope);
        kg_normalize3(slope, slope, kg_zero3);
        items[kept++] = make_item(s, triangle, distance, slope);
    }
    s->count = kept;
}

static bool has_near_border(const search *s, uint32_t triangle)
{
    for (uint32_t k = 0; k < 3; ++k) {
        if (kg_mesh_is_border(&s->surface->mesh, triangle, k) &&
            s->surface->code->edge_distance(&s->surface->mesh, triangle, k, s->x) <= s->reach)
            return true;
    }
    return false;
}

/* True if the foot of the centre (its projection on the facet's plane) is inside the facet wherever
 * the body is in its skin. Then a test of the plane is enough. This holds when no border of the
 * facet is in reach, and the centre stays in front of a one-sided facet. */
static bool contains_all_feet(const search *s, uint32_t from, uint32_t facet, double height)
{
    const kg_mesh *mesh = &s->surface->mesh;
    const kg_near_triangle *items = s->world->grid->near_triangles + s->first;
    if (mesh->one_sided && !(height > kg_grid_list_displacement(s->world->grid) + 2 * s->path))
        return false;
    for (uint32_t k = from; k < s->count; ++k) {
        uint32_t triangle = triangle_of(s, &items[k]);
        if (triangle != KG_NONE && mesh->facet[triangle] == facet && has_near_border(s, triangle))
            return false;
    }
    return true;
}

/* True if a candidate of a facet is in reach. */
static bool reaches(const search *s, uint32_t from, uint32_t facet)
{
    const kg_mesh *mesh = &s->surface->mesh;
    const kg_near_triangle *items = s->world->grid->near_triangles + s->first;
    double point[3];
    for (uint32_t k = from; k < s->count; ++k) {
        uint32_t triangle = triangle_of(s, &items[k]);
        if (triangle != KG_NONE && mesh->facet[triangle] == facet &&
            s->surface->code->distance(mesh, triangle, s->x, point) <= s->reach)
            return true;
    }
    return false;
}

/* Replace the candidates of a facet from item `from` on by one item. */
static void join(search *s, uint32_t from, uint32_t facet, double height, const double normal[3])
{
    kg_near_triangle *items = s->world->grid->near_triangles + s->first;
    double slope[3];
    kg_scale3(slope, normal, height < 0 ? -1 : 1);
    items[from] = make_item(s, facet, kg_abs(height), slope);
    items[from].number |= KG_WHOLE_FACET;
    uint32_t kept = from + 1;
    for (uint32_t k = from + 1; k < s->count; ++k) {
        uint32_t triangle = triangle_of(s, &items[k]);
        if (triangle == KG_NONE || s->surface->mesh.facet[triangle] != facet)
            items[kept++] = items[k];
    }
    s->count = kept;
}

/* Join the candidates of each facet that contains all feet. This comes before candidates are
 * measured, because most of them are in such facets. */
static void join_whole_facets(search *s, uint32_t from)
{
    const kg_mesh *mesh = &s->surface->mesh;
    uint32_t tested = KG_NONE;
    for (uint32_t k = from; k < s->count; ++k) {
        uint32_t triangle = triangle_of(s, &s->world->grid->near_triangles[s->first + k]);
        uint32_t facet = mesh->facet[triangle];
        if (facet == tested || !kg_mesh_shares_facet(mesh, triangle)) continue;
        tested = facet;
        double normal[3], height = kg_mesh_height(mesh, facet, s->x, normal);
        if (contains_all_feet(s, from, facet, height) && reaches(s, k, facet))
            join(s, k, facet, height, normal);
    }
}

/* By distance, then number. */
static uint64_t sort_key(const void *item, int part)
{
    const kg_near_triangle *near = item;
    float distance = near->distance + 0.0f; /* -0 becomes +0 */
    uint32_t bits;
    (void)part;
    memcpy(&bits, &distance, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 1u << 31; /* ascending with the distance */
    return (uint64_t)bits << 32 | near->number;
}

/* Find the candidates of a mesh, in reach of the path of the list origin. */
static bool find_candidates(search *s)
{
    const kg_grid *grid = s->world->grid;
    const kg_mesh *mesh = &s->surface->mesh;
    if (!(grid->drift_path > 0))
        return s->surface->code->find_near(mesh, s->x, s->x, s->reach, add_candidate, s);
    double end[3];
    kg_pose_to_frame(&s->surface->pose, grid->drift, end);
    kg_add_scaled3(end, s->x, grid->drift_path / kg_length3(grid->drift), end);
    return s->surface->code->find_near_path(mesh, s->x, end, s->reach - grid->drift_path,
                                            add_candidate, s);
}

static bool search_surface(search *s, const double centre[3])
{
    kg_surface_point_to_frame(s->surface, centre, s->x);
    if (kg_surface_is_solid(s->surface)) {
        double outward[3], distance = kg_surface_distance(s->surface, s->x, outward);
        return distance > s->reach || add(s, 0, distance, outward);
    }
    uint32_t from = s->count;
    if (!find_candidates(s)) return false;
    if (s->count == from) return true; /* the array may be NULL */
    /* in a spinning frame paths are parabolas, and their feet may leave the facet */
    if (s->joins && kg_is_zero3(s->surface->spin)) join_whole_facets(s, from);
    measure_candidates(s, from);
    return true;
}

/* Upper bound, m, of the paths in `time` (s) of the surface's points within `reach` (m) of a
 * point. */
static double path_of(const kg_surface *surface, const double point[3], double reach, double time)
{
    if (!surface->moves) return 0;
    double path = kg_surface_speed_bound(surface, point, reach, time) * time;
    return kg_surface_speed_bound(surface, point, reach + path, time) * time;
}

/* Upper bound, m, of the distance between the path of a body in the frame of a surface that spins
 * and the parabola that a sweep takes for it (world/boundary_features.c): the third term of a
 * Taylor series. With the turn q in the time t, the speed s of the surface's points, and a body's
 * path p by its speed and by its acceleration, it is at most q^2 s t / 6 + q^2 (p + s t) / 2 + q p.
 * No path of a listed body is longer than grid->longest_path. */
static double bend_of(const kg_grid *grid, const kg_surface *surface, const double point[3],
                      double reach)
{
    if (kg_is_zero3(surface->spin)) return 0;
    double time = grid->near_lasts, turn = kg_length3(surface->spin) * time,
           surface_path = kg_surface_speed_bound(surface, point, reach, time) * time,
           path = grid->longest_path;
    return turn * (turn * surface_path + (1 + turn) * path);
}

double kg_near_surface_path(const kg_grid *grid, const kg_surface *surface, const double point[3],
                            double reach)
{
    return path_of(surface, point, reach, grid->near_lasts) + bend_of(grid, surface, point, reach);
}

/* Append all collidable triangles and shapes of the surfaces that collide with the body. Their
 * distance is 0, so that all are tested. */
static bool add_all(search *s)
{
    const kugel_world *world = s->world;
    const kg_surfaces *set = &world->surfaces;
    for (uint32_t k = 0; k < set->end; ++k) {
        const kg_surface *surface = &set->items[k];
        if (!surface->used || !kg_pair_filter_meets_surface(world, s->slot, surface)) continue;
        for (uint32_t t = 0; t < kg_surface_number_count(surface); ++t) {
            bool dropped = !kg_surface_is_solid(surface) && !surface->mesh.collidable[t];
            kg_near_triangle item = {.number = surface->first_triangle + t, .slack = 1};
            if (!dropped && !append(s, &item)) return false;
        }
    }
    return true;
}

static bool visit_surface(void *context, uint32_t k)
{
    search *s = context;
    const kg_grid *grid = s->world->grid;
    s->surface = &s->world->surfaces.items[k];
    if (!kg_pair_filter_meets_surface(s->world, s->slot, s->surface)) return true;
    const double *x = grid->origin[s->slot].x;
    s->path = kg_near_surface_path(grid, s->surface, x, s->body_reach);
    bool solid = kg_surface_is_solid(s->surface);
    s->thickness = solid ? 0 : s->surface->mesh.facet_thickness;
    s->reach = s->body_reach + s->path + s->thickness;
    return search_surface(s, x);
}

/* Append the near triangles of the body to the pool. */
static bool search_all(search *s)
{
    const kg_grid *grid = s->world->grid;
    const kg_list_origin *origin = &grid->origin[s->slot];
    s->body_reach = origin->radius + kg_grid_widened_list_displacement(grid);
    return kg_surface_tree_visit(&s->world->surfaces, origin->x, origin->x, &s->body_reach,
                                 visit_surface, s);
}

/* True if the body is inside its skin at its clock, with a margin for the bend of its path.
 * Predictions begin at the clock; a path that begins outside the skin may pass beside a whole
 * facet. */
static bool path_is_in_skin(const kugel_world *world, uint32_t slot)
{
    const kg_motion *m = &world->work.motion[slot];
    const kg_grid *grid = world->grid;
    double a[3], x[3], h = world->work.substep_length;
    kg_work_acceleration(&world->work, slot, a);
    kg_add_scaled3(x, m->x, 0.5 * m->clock * m->clock, a);
    if (grid->drift_path > 0) kg_add_scaled3(x, x, grid->drift_from - m->clock, grid->drift);
    kg_sub3(x, x, grid->origin[slot].x);
    return kg_length3(x) + kg_length3(a) * h * h < grid->skin * (1 - 1e-6);
}

static bool all_surfaces_admit(const kugel_world *world, uint32_t slot)
{
    const kg_surfaces *set = &world->surfaces;
    for (uint32_t k = 0; k < set->end; ++k) {
        const kg_surface *surface = &set->items[k];
        if (surface->used && !kg_pair_filter_meets_surface(world, slot, surface)) return false;
    }
    return true;
}

/* Give a body the shared span of all triangles. The place of its own span is free again only after
 * the next rebuild. */
static bool share_all(search *s)
{
    kg_grid *grid = s->world->grid;
    if (!grid->all_triangles.count) {
        if (!add_all(s)) return false;
        grid->all_triangles = (kg_triangle_span){.first = s->first, .count = s->count};
        grid->near_triangle_count += s->count;
    }
    grid->near_span[s->slot] = grid->all_triangles;
    return true;
}

bool kg_near_triangles_find(kugel_world *world, uint32_t slot)
{
    kg_grid *grid = world->grid;
    if (!world->surfaces.count) return true;
    kg_triangle_span *span = &grid->near_span[slot];
    search s = {.world = world,
                .slot = slot,
                .first = grid->near_triangle_count,
                .joins = path_is_in_skin(world, slot)};
    span->count = 0;
    if (world->bodies.mass[slot] == 0) return true; /* surfaces collide with dynamic bodies only */
    bool all = kg_grid_is_unlisted(grid, slot);
    if (all && all_surfaces_admit(world, slot)) return share_all(&s);
    if (!(all ? add_all(&s) : search_all(&s))) return false;
    if (s.count > 1 && !all &&
        !kg_sort_items(&world->memory, &world->scratch, grid->near_triangles + s.first,
                       sizeof *grid->near_triangles, s.count, 1, sort_key))
        return false;
    span->count = s.count;
    if (s.count <= span->capacity) { /* reuse the old span */
        for (uint32_t k = 0; k < s.count; ++k)
            grid->near_triangles[span->first + k] = grid->near_triangles[s.first + k];
    } else {
        span->first = s.first;
        span->capacity = s.count;
        grid->near_triangle_count += s.count;
    }
    return true;
}

typedef struct path_visit {
    const kugel_world *world;
    uint32_t slot;  /* of the body */
    double h;       /* s, length of the substep */
    uint32_t first; /* number of the surface's first triangle */
    kg_near_triangle_visit *visit;
    void *context;
} path_visit;

static bool visit_number(void *context, uint32_t triangle)
{
    const path_visit *v = context;
    v->visit(v->context, v->first + triangle);
    return true;
}

/* Visit the triangles of one surface. The tolerance of kg_mesh_is_over is within the reach. */
static bool visit_surface_on_path(void *context, uint32_t k)
{
    path_visit *v = context;
    const kugel_world *world = v->world;
    const kg_surface *surface = &world->surfaces.items[k];
    const kg_mesh *mesh = &surface->mesh;
    if (!kg_pair_filter_meets_surface(world, v->slot, surface)) return true;
    v->first = surface->first_triangle;
    if (kg_surface_is_solid(surface)) return visit_number(v, 0);
    kg_pose moved;
    const double *start = world->work.start[v->slot];
    double from[3], to[3];
    kg_pose_point_to_frame(kg_surface_pose_at(surface, start[3], &moved), start, from);
    kg_pose_point_to_frame(kg_surface_pose_at(surface, v->h, &moved), world->work.motion[v->slot].x,
                           to);
    double margin = 0.01 * world->work.motion[v->slot].radius + mesh->facet_thickness +
                    kg_mesh_tolerance(mesh, from, sqrt(kg_squared_distance3(from, to)));
    return surface->code->find_near_path(mesh, from, to, margin, visit_number, v);
}

void kg_near_triangles_visit_path(const kugel_world *world, uint32_t slot, double h,
                                  kg_near_triangle_visit *visit, void *context)
{
    const double *start = world->work.start[slot];
    /* margin: a path that ends on a surface reaches it up to rounding */
    double reach = sqrt(kg_squared_distance3(world->work.motion[slot].x, start)) +
                   0.01 * world->work.motion[slot].radius;
    path_visit v = {world, slot, h, 0, visit, context};
    (void)kg_surface_tree_visit(&world->surfaces, start, start, &reach, visit_surface_on_path, &v);
}

bool kg_near_triangles_find_all(kugel_world *world)
{
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    grid->near_triangle_count = 0;
    if (!world->surfaces.count) return true;
    if (!KG_RESERVE(&world->memory, &grid->columns[KG_GRID_COLUMN_NEAR_SPAN], grid->near_span, n,
                    0))
        return false;
    grid->all_triangles = (kg_triangle_span){0};
    kg_near_time_choose(world);
    grid->near_substep = world->work.substep_length;
    kg_surface_tree_prepare(&world->surfaces, grid->near_lasts);
    kg_surfaces_note_motions_seen(&world->surfaces);
    for (uint32_t i = 0; i < n; ++i) {
        grid->near_span[i] = (kg_triangle_span){0};
        if (!kg_near_triangles_find(world, i)) return false;
    }
    return true;
}
