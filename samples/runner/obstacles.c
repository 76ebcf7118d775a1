/* Uses the queries of a world that holds only the surfaces. */
#include "obstacles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "make_world.h"

typedef struct side {
    bool closed;         /* true: a closed and oriented mesh, with an inside */
    bool container;      /* true: bodies are inside */
    double front;        /* signed volume; > 0: the fronts of the triangles are outside */
    double direction[3]; /* of the test rays, in the frame of the surface */
} side;

struct obstacles {
    kugel_world *world;
    kugel_filter filter;
    side *sides;         /* of each surface; stb_ds array */
    kugel_ray_hit *hits; /* [surface], buffer for the hits of a ray; stb_ds array */
};

/* Direction of the rays that decide inside or outside; parallel to no usual edge or face. */
static const double ray_direction[3] = {0.8301, 0.4273, 0.3583};

static void corners_of(const kugel_surface_def *def, uint32_t triangle, const double *corner[3])
{
    for (int k = 0; k < 3; ++k)
        corner[k] = def->vertices + 3 * (size_t)def->triangles[3 * triangle + k];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Normal of a triangle; its length is twice the area. */
static void normal_of(const kugel_surface_def *def, uint32_t triangle, double normal[3])
{
    const double *corner[3];
    double edge[2][3];
    corners_of(def, triangle, corner);
    for (int k = 0; k < 3; ++k) {
        edge[0][k] = corner[1][k] - corner[0][k];
        edge[1][k] = corner[2][k] - corner[0][k];
    }
    cross(edge[0], edge[1], normal);
}

/* out = v rotated by the inverse of the quaternion q = (u, w): v + 2 w (v x u) + 2 (v x u) x u. */
static void into_frame(const double q[4], const double v[3], double out[3])
{
    double once[3], twice[3];
    cross(v, q, once);
    cross(once, q, twice);
    for (int k = 0; k < 3; ++k) out[k] = v[k] + 2 * (q[3] * once[k] + twice[k]);
}

static int compare_edges(const void *a, const void *b)
{
    const uint64_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

/* True if the fronts of all triangles are on one side: no two triangles run along an edge in the
 * same direction. */
static bool is_oriented(const kugel_surface_def *def)
{
    uint64_t *edges = NULL;
    for (uint32_t t = 0; t < def->triangle_count; ++t) {
        const uint32_t *corner = def->triangles + 3 * (size_t)t;
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
        for (uint32_t k = 0; k < 3; ++k)
            arrput(edges, (uint64_t)corner[k] << 32 | corner[(k + 1) % 3]);
    }
    size_t count = arrlenu(edges), same = 0;
    if (count) qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 1; i < count; ++i) same += edges[i - 1] == edges[i];
    arrfree(edges);
    return same == 0;
}

/* Six times the signed volume of a mesh; positive if the fronts of its triangles are outside. */
static double volume_of(const kugel_surface_def *def)
{
    double volume = 0;
    for (uint32_t t = 0; t < def->triangle_count; ++t) {
        const double *corner[3];
        double normal[3], from[3];
        corners_of(def, t, corner);
        normal_of(def, t, normal);
        for (int k = 0; k < 3; ++k) from[k] = corner[0][k] - def->vertices[k];
        volume += dot(normal, from);
    }
    return volume;
}

/* True if the bounding box of a mesh holds the scene's bounds, up to rounding. */
static bool holds_bounds(const kugel_surface_def *def, const kugel_bounds *bounds)
{
    double inverse[4] = {-def->rotation[0], -def->rotation[1], -def->rotation[2], def->rotation[3]};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < def->vertex_count; ++v) {
        double x[3];
        into_frame(inverse, def->vertices + 3 * (size_t)v, x);
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], x[k] + def->position[k]);
            high[k] = fmax(high[k], x[k] + def->position[k]);
        }
    }
    bool holds = true;
    for (int k = 0; k < 3; ++k) {
        double rounding = 1e-9 * (high[k] - low[k]);
        holds =
            holds && low[k] <= bounds->min[k] + rounding && high[k] >= bounds->max[k] - rounding;
    }
    return holds;
}

static side side_of(const kugel_world *world, uint32_t index, const kugel_bounds *bounds)
{
    side side = {.closed = false};
    kugel_surface_def def;
    kugel_surface_info info;
    kugel_surface_get(world, kugel_world_surface(world, index), &def, &info);
    if (def.shape != KUGEL_SURFACE_MESH || info.open_edges || info.branching_edges) return side;
    side.front = volume_of(&def);
    side.closed = side.front != 0 && is_oriented(&def);
    side.container = side.closed && holds_bounds(&def, bounds);
    into_frame(def.rotation, ray_direction, side.direction);
    return side;
}

static bool fill(obstacles *o, const scene *scene, const char *name, complaint *complaint)
{
    kugel_world_def world_def = kugel_world_def_default();
    kugel_status status = kugel_world_create(&world_def, &o->world);
    for (size_t i = 0; i < arrlenu(scene->surfaces) && !status; ++i) {
        kugel_surface_def def = surface_def(&scene->surfaces[i]);
        def.one_sided = false; /* so that rays hit both sides */
        status = kugel_surface_create(o->world, &def, NULL);
        const kugel_error *error = kugel_world_last_error(o->world);
        const char *dot = strchr(error->argument, '.');
        if (status && status != KUGEL_ERROR_OUT_OF_MEMORY)
            return refuse(complaint, EXIT_USAGE, "%s: surfaces[%zu]%s: %s", name, i, dot ? dot : "",
                          error->message);
        if (!status) arrput(o->sides, side_of(o->world, (uint32_t)i, &scene->world.bounds));
    }
    arrsetlen(o->hits, arrlenu(scene->surfaces));
    if (!status) status = kugel_world_prepare_queries(o->world);
    return !status || refuse(complaint, EXIT_RESOURCES, "%s: surfaces: out of memory", name);
}

bool obstacles_make(const scene *scene, const char *name, obstacles **made, complaint *complaint)
{
    *made = NULL;
    if (!arrlenu(scene->surfaces)) return true;
    obstacles *o = calloc(1, sizeof *o);
    if (!o) return refuse(complaint, EXIT_RESOURCES, "%s: out of memory", name);
    o->filter = kugel_filter_default();
    o->filter.category = scene->defaults.category;
    o->filter.mask = scene->defaults.mask;
    if (fill(o, scene, name, complaint)) return *made = o, true;
    obstacles_free(o);
    return false;
}

void obstacles_free(obstacles *o)
{
    if (!o) return;
    kugel_world_destroy(o->world);
    arrfree(o->sides);
    arrfree(o->hits);
    free(o);
}

/* True if a ray from the place leaves the surface at its first hit, so that the place is inside.
 * @param hits[count] hits of the ray, at most one for each surface. */
static bool is_inside(const obstacles *o, uint32_t surface, const kugel_ray_hit *hits, size_t count)
{
    const side *side = &o->sides[surface];
    for (size_t i = 0; i < count; ++i) {
        kugel_surface_def def;
        double normal[3];
        if (hits[i].index != surface) continue;
        kugel_surface_get(o->world, kugel_world_surface(o->world, surface), &def, NULL);
        normal_of(&def, hits[i].triangle, normal);
        return (dot(normal, side->direction) > 0) == (side->front > 0);
    }
    return false;
}

/* Cast a ray from a place; o->hits receives the nearest hit with each surface. @return their
 * number. */
static size_t cast_ray(const obstacles *o, const double place[3])
{
    kugel_ray ray = {.t_max = LARGEST};
    size_t count = 0;
    memcpy(ray.origin, place, sizeof ray.origin);
    memcpy(ray.direction, ray_direction, sizeof ray.direction);
    kugel_world_ray_all(o->world, &ray, &o->filter, arrlenu(o->hits), o->hits, &count);
    return count;
}

static bool is_wrong_side(const obstacles *o, uint32_t surface, size_t hits)
{
    const side *side = &o->sides[surface];
    return side->closed && is_inside(o, surface, o->hits, hits) != side->container;
}

bool obstacles_clear(const obstacles *o, const double place[3], double radius)
{
    size_t count = 0;
    kugel_world_overlap_sphere(o->world, place, radius, &o->filter, 0, NULL, &count);
    if (count) return false;
    size_t hits = cast_ray(o, place);
    for (uint32_t i = 0; i < arrlenu(o->sides); ++i)
        if (is_wrong_side(o, i, hits)) return false;
    return true;
}

void obstacles_push(const obstacles *o, double place[3], double radius)
{
    enum { MAX_FOUND = 8 };
    kugel_found found[MAX_FOUND];
    size_t count = 0;
    kugel_world_nearest(o->world, place, radius, &o->filter, MAX_FOUND, found, &count);
    if (!count) return;
    size_t hits = cast_ray(o, place);
    for (size_t i = 0; i < count; ++i) {
        /* the normal points to the side of the place */
        bool wrong = is_wrong_side(o, found[i].index, hits);
        double way = wrong ? -(radius + found[i].gap) : radius - found[i].gap;
        for (int k = 0; k < 3; ++k) place[k] += way * found[i].normal[k];
    }
}
