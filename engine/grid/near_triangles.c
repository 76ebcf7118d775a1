/* Triangles of surfaces near each body: those that it can meet within its skin. In: list origins,
 * surfaces. Out: numbers of triangles, in an order that follows from the surfaces alone. Cost: one
 * walk of a surface's tree for each body. A world with surfaces has no body without a list. */
#include "base/vec.h"
#include "grid/grid.h"

typedef struct search {
    kugel_world *world;
    const kg_surface *surface;
    double x[3], reach; /* in the surface's frame, m */
    uint32_t first, count;
    bool fits; /* false: out of memory */
} search;

static bool add_triangle(void *context, uint32_t triangle)
{
    search *s = context;
    kg_grid *grid = s->world->grid;
    if (kg_mesh_distance(&s->surface->mesh, triangle, s->x) > s->reach) return true;
    size_t at = (size_t)s->first + s->count;
    s->fits = KG_RESERVE(&s->world->memory, &grid->columns[KG_GRID_COLUMN_NEAR_TRIANGLES],
                         grid->near_triangles, at + 1, at);
    if (s->fits) grid->near_triangles[at] = s->surface->first_triangle + triangle;
    s->count += s->fits;
    return s->fits;
}

static bool search_surface(search *s, const double centre[3])
{
    double low[3], high[3];
    kg_surface_point_to_frame(s->surface, centre, s->x);
    for (int k = 0; k < 3; ++k) {
        low[k] = s->x[k] - s->reach;
        high[k] = s->x[k] + s->reach;
    }
    (void)kg_mesh_find_in_box(&s->surface->mesh, low, high, add_triangle, s);
    return s->fits;
}

/* Longest way of a point of the surface near a point in a substep, m. */
static double way_of(const kg_surface *surface, const double point[3], double reach, double h)
{
    if (!surface->moves) return 0;
    double way = kg_surface_speed_bound(surface, point, reach, h) * h;
    return kg_surface_speed_bound(surface, point, reach + way, h) * h;
}

/* Append the triangles at the end of the pool. */
static bool search_all(search *s, uint32_t slot)
{
    const kugel_world *world = s->world;
    const kg_grid *grid = world->grid;
    const kg_list_origin *origin = &grid->origin[slot];
    double reach = origin->radius + grid->skin * 1.0625; /* as the boundaries in list_origins.c */
    for (uint32_t k = 0; k < world->surfaces.end; ++k) {
        s->surface = &world->surfaces.items[k];
        s->reach = reach + way_of(s->surface, origin->x, reach, world->work.substep_length);
        if (s->surface->used &&
            kg_surface_admits(s->surface, kg_bodies_material(&world->bodies, slot)) &&
            !search_surface(s, origin->x))
            return false;
    }
    return true;
}

bool kg_near_triangles_find(kugel_world *world, uint32_t slot)
{
    kg_grid *grid = world->grid;
    if (!world->surfaces.count) return true;
    kg_triangle_span *span = &grid->near_span[slot];
    search s = {.world = world, .first = grid->near_triangle_count, .fits = true};
    span->count = 0;
    if (world->bodies.mass[slot] == 0) return true; /* surfaces stop dynamic bodies only */
    if (!search_all(&s, slot)) return false;
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

bool kg_near_triangles_find_all(kugel_world *world)
{
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    if (!world->surfaces.count) return true;
    if (!KG_RESERVE(&world->memory, &grid->columns[KG_GRID_COLUMN_NEAR_SPAN], grid->near_span, n,
                    0))
        return false;
    grid->near_triangle_count = 0;
    for (uint32_t i = 0; i < n; ++i) {
        grid->near_span[i] = (kg_triangle_span){0};
        if (!kg_near_triangles_find(world, i)) return false;
    }
    return true;
}
