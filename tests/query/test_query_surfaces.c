/* Queries and steps of worlds with many surfaces: the same bits with the tree of surfaces as when
 * all surfaces are tested one by one, while surfaces are added, removed, placed and moved. */
#include <criterion/criterion.h>
#include <math.h>

#include <kugel/mesh_shapes.h>

#include "query/support_check.h"
#include "query/support_many.h"
#include "support/support_plane.h"

enum { WORLDS = 40, ROUNDS = 8, MOST = 256, RAYS = 20 };

static const double half_width = 12;

/* A world with the tree, and one without. */
typedef struct pair {
    kugel_world *world[2];
    support_random random;
    size_t found; /* results of queries */
} pair;

static void add_ball(pair *p)
{
    kugel_body_def def = kugel_body_def_default();
    for (int k = 0; k < 3; ++k) def.position[k] = support_between(&p->random, -12, 12);
    support_direction(&p->random, 3, def.velocity);
    def.radius = support_between(&p->random, 0.1, 0.5);
    for (int i = 0; i < 2; ++i) cr_assert_eq(kugel_body_create(p->world[i], &def, NULL), KUGEL_OK);
}

/* The same change of both worlds. */
static void change(pair *p, bool add)
{
    support_random same = p->random;
    for (int i = 0; i < 2; ++i) {
        p->random = same;
        if (add) support_many_add(&p->random, p->world[i], half_width);
        else support_many_change(&p->random, p->world[i], half_width);
    }
    support_many_forget_tree(p->world[1]);
}

static kugel_ray random_ray(support_random *random)
{
    kugel_ray ray = {.t_max = support_below(random, 8) ? support_between(random, 0.1, 2) : 1e6};
    for (int k = 0; k < 3; ++k) ray.origin[k] = support_between(random, -15, 15);
    support_direction(random, 10, ray.direction);
    uint32_t along = support_below(random, 8); /* parallel to an axis, or to none: a point */
    for (uint32_t k = 0; k < 3 && along < 4; ++k) ray.direction[k] *= k == along;
    return ray;
}

static void compare_rays(pair *p, const kugel_filter *filter)
{
    static kugel_ray_hit hits[2][MOST];
    kugel_ray rays[RAYS];
    kugel_ray_hit closest[2], batch[2][RAYS];
    size_t count[2];
    bool any[2];
    for (int k = 0; k < RAYS; ++k) rays[k] = random_ray(&p->random);
    for (int i = 0; i < 2; ++i) {
        const kugel_world *world = p->world[i];
        kugel_world_ray_all(world, rays, filter, MOST, hits[i], &count[i]);
        kugel_world_ray_closest(world, rays, filter, &closest[i]);
        kugel_world_ray_any(world, rays, filter, &any[i]);
        kugel_world_rays_closest(world, RAYS, rays, filter, batch[i]);
    }
    cr_assert(count[0] == count[1] && support_same_rays(hits[0], hits[1], count[0]), "all rays");
    cr_assert(any[0] == any[1] && support_same_rays(&closest[0], &closest[1], 1), "closest ray");
    cr_assert(support_same_rays(batch[0], batch[1], RAYS), "batch");
    p->found += count[0];
}

static void compare_casts(pair *p, const kugel_filter *filter)
{
    static kugel_cast_hit hits[2][MOST];
    kugel_ray ray = random_ray(&p->random);
    kugel_cast_hit closest[2];
    double radius = support_between(&p->random, 0, 1);
    size_t count[2];
    bool any[2];
    for (int i = 0; i < 2; ++i) {
        const kugel_world *world = p->world[i];
        kugel_world_cast_all(world, &ray, radius, filter, MOST, hits[i], &count[i]);
        kugel_world_cast_closest(world, &ray, radius, filter, &closest[i]);
        kugel_world_cast_any(world, &ray, radius, filter, &any[i]);
    }
    cr_assert(count[0] == count[1] && support_same_casts(hits[0], hits[1], count[0]), "all casts");
    cr_assert(any[0] == any[1] && support_same_casts(&closest[0], &closest[1], 1), "closest cast");
    p->found += count[0];
}

enum { SPHERE, POINT, BOX, ELLIPSOID, NEAREST, VOLUMES };

static void compare_volumes(pair *p, const kugel_filter *filter)
{
    static kugel_found found[2][MOST];
    double x[3], high[3], size = support_between(&p->random, 0, 4), axes[3] = {size, 1, 0.5 * size};
    double most = support_below(&p->random, 3) ? INFINITY : size - 1;
    size_t count[2], room = 1 + support_below(&p->random, 9);
    for (int k = 0; k < 3; ++k) x[k] = support_between(&p->random, -15, 15), high[k] = x[k] + size;
    for (int kind = 0; kind < VOLUMES; ++kind) {
        for (int i = 0; i < 2; ++i) {
            const kugel_world *w = p->world[i];
            kugel_found *out = found[i];
            size_t *n = &count[i];
            if (kind == SPHERE) kugel_world_overlap_sphere(w, x, size, filter, MOST, out, n);
            if (kind == POINT) kugel_world_overlap_sphere(w, x, 0, filter, MOST, out, n);
            if (kind == BOX) kugel_world_overlap_box(w, x, high, filter, MOST, out, n);
            if (kind == ELLIPSOID)
                kugel_world_overlap_ellipsoid(w, x, axes, NULL, filter, MOST, out, n);
            if (kind == NEAREST) kugel_world_nearest(w, x, most, filter, room, out, n);
        }
        cr_assert(count[0] == count[1] && support_same_found(found[0], found[1], count[0]),
                  "volume %d", kind);
        p->found += count[0];
    }
}

static void compare(pair *p)
{
    kugel_filter filter = kugel_filter_default();
    if (support_below(&p->random, 3) == 0) filter.mask = 1 + support_below(&p->random, 7);
    if (support_below(&p->random, 4) == 0)
        filter.targets = support_below(&p->random, KUGEL_TARGETS_ALL + 1);
    for (int k = 0; k < 4; ++k) {
        compare_rays(p, &filter);
        compare_casts(p, &filter);
        compare_volumes(p, &filter);
    }
}

Test(query_surfaces, a_tree_of_surfaces_changes_no_result)
{
    support_random random = support_random_start("query_surfaces", 1);
    size_t found = 0;
    for (uint32_t k = 0; k < WORLDS; ++k) {
        kugel_world_def def = kugel_world_def_default();
        pair p = {.random = random};
        for (int i = 0; i < 2; ++i) cr_assert_eq(kugel_world_create(&def, &p.world[i]), KUGEL_OK);
        for (uint32_t n = k % 4 ? support_below(&p.random, 150) : k / 4; n > 0; --n)
            change(&p, true);
        for (uint32_t n = support_below(&p.random, 20); n > 0; --n) add_ball(&p);
        for (int round = 0; round < ROUNDS; ++round) {
            compare(&p);
            double dt = support_between(&p.random, 0.001, 0.1);
            for (uint32_t n = support_below(&p.random, 4); n > 0; --n) {
                for (int i = 0; i < 2; ++i)
                    cr_assert_eq(kugel_world_step(p.world[i], dt), KUGEL_OK);
                cr_assert_eq(kugel_world_hash(p.world[0]), kugel_world_hash(p.world[1]), "step");
                if (n == 1) compare(&p);
            }
            for (uint32_t n = support_below(&p.random, 6); n > 0; --n) change(&p, false);
        }
        for (int i = 0; i < 2; ++i) kugel_world_destroy(p.world[i]);
        random = p.random;
        found += p.found;
    }
    cr_assert_gt(found, 10000, "%zu found", found);
}

/* A world with one one-sided mesh. */
static kugel_world *one_sided_world(kugel_surface_def *def)
{
    kugel_world_def settings = kugel_world_def_default();
    kugel_world *world;
    def->one_sided = true;
    cr_assert_eq(kugel_world_create(&settings, &world), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, def, NULL), KUGEL_OK);
    return world;
}

/* A sphere passes a one-sided floor from behind and then approaches a wall that it overlaps. The
 * contact point is on the wall, half a radius from the centre. */
Test(query_surfaces, a_cast_from_behind_touches_the_surface)
{
    static const double vertices[] = {0, 0, 0, 9, 0, 0, 9, 9, 0, 0, 9, 0, 0, 0, 9, 0, 9, 9};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 3, 5, 0, 5, 4};
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices, def.vertex_count = 6;
    def.triangles = triangles, def.triangle_count = 4;
    kugel_world *world = one_sided_world(&def);
    kugel_ray ray = {.origin = {1.5, 5, -3}, .direction = {-1, 0, 3}, .t_max = 9};
    kugel_cast_hit hit;
    cr_assert_eq(kugel_world_cast_closest(world, &ray, 1, NULL, &hit), KUGEL_OK);
    cr_assert(hit.contact.hit && hit.contact.normal[0] == 1);
    cr_assert_float_eq(hit.contact.time, 1, 1e-9);
    const double expected[3] = {0, 5, 0};
    for (int k = 0; k < 3; ++k)
        cr_assert_float_eq(hit.contact.point[k], expected[k], 1e-9, "%g", hit.contact.point[k]);
    kugel_world_destroy(world);
}

/* A mesh so far from the origin that its corners round to one point of the world has a normal. */
Test(query_surfaces, a_small_mesh_far_away_has_a_normal)
{
    static const double vertices[] = {0, 0, 0, 1e-10, 0, 0, 0, 1e-10, 0};
    static const uint32_t triangles[] = {0, 1, 2};
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices, def.vertex_count = 3;
    def.triangles = triangles, def.triangle_count = 1;
    for (int k = 0; k < 3; ++k) def.position[k] = 1e7;
    kugel_world *world = one_sided_world(&def);
    const double low[3] = {9999999, 9999999, 9999999}, high[3] = {10000001, 10000001, 10000001};
    kugel_found found;
    size_t count;
    cr_assert_eq(kugel_world_overlap_box(world, low, high, NULL, 1, &found, &count), KUGEL_OK);
    cr_assert(count == 1 && fabs(found.normal[2]) == 1, "%zu, %g", count, found.normal[2]);
    kugel_world_destroy(world);
}

/* A ray whose time overflows a double meets neither a mesh nor a solid shape. */
Test(query_surfaces, a_time_that_overflows_is_no_hit)
{
    static const double vertices[] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
    static const uint32_t triangles[] = {0, 1, 2};
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices, def.vertex_count = 3;
    def.triangles = triangles, def.triangle_count = 1;
    kugel_world *world = one_sided_world(&def);
    def.shape = KUGEL_SURFACE_PLANE;
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    kugel_ray ray = {.origin = {0, 0, 3}, .direction = {0, 0, -1e-310}, .t_max = INFINITY};
    kugel_ray_hit hit;
    cr_assert_eq(kugel_world_ray_closest(world, &ray, NULL, &hit), KUGEL_OK);
    cr_assert(!hit.hit.hit, "%g", hit.hit.t_enter);
    ray.direction[2] = -1e-300;
    cr_assert_eq(kugel_world_ray_closest(world, &ray, NULL, &hit), KUGEL_OK);
    cr_assert(hit.hit.hit && isfinite(hit.hit.t_enter), "%g", hit.hit.t_enter);
    kugel_world_destroy(world);
}

/* A sphere leaves a closed one-sided mesh exactly through its corners and edges. */
Test(query_surfaces, a_cast_leaves_a_one_sided_box_through_corners_and_edges)
{
    static const double half[3] = {1, 1, 1};
    double vertices[3 * KUGEL_MESH_BOX_VERTICES];
    uint32_t triangles[3 * KUGEL_MESH_BOX_TRIANGLES];
    kugel_surface_def def = kugel_surface_def_default();
    cr_assert_eq(kugel_mesh_box(half, vertices, triangles), KUGEL_OK);
    def.vertices = vertices, def.vertex_count = KUGEL_MESH_BOX_VERTICES;
    def.triangles = triangles, def.triangle_count = KUGEL_MESH_BOX_TRIANGLES;
    kugel_world *world = one_sided_world(&def);
    for (int to = 0; to < 27; ++to) {
        kugel_ray ray = {.direction = {to % 3 - 1, to / 3 % 3 - 1, to / 9 - 1}, .t_max = 9};
        kugel_cast_hit hit;
        for (int k = 0; k <= 2; ++k) {
            cr_assert_eq(kugel_world_cast_closest(world, &ray, 0.5 * k, NULL, &hit), KUGEL_OK);
            cr_assert(!hit.contact.hit, "direction %d, radius %g", to, 0.5 * k);
        }
    }
    kugel_world_destroy(world);
}

/* A target of each kind whose surface passes through the origin, with its outside at z > 0. */
static kugel_world *world_with(int kind)
{
    static const double vertices[] = {-9, -9, 0, 9, -9, 0, 0, 9, 0};
    static const uint32_t triangles[] = {0, 1, 2};
    kugel_world_def def = kugel_world_def_default();
    kugel_surface_def surface = kugel_surface_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    def.bounds.max[2] = 99;
    if (kind == 0) def.bounds.faces[4] = KUGEL_FACE_WALL;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    ball.radius = 4, ball.position[2] = -4, ball.type = KUGEL_STATIC;
    surface.shape = kind == 3 ? KUGEL_SURFACE_MESH : KUGEL_SURFACE_ELLIPSOID;
    surface.vertices = vertices, surface.vertex_count = 3;
    surface.triangles = triangles, surface.triangle_count = 1;
    for (int k = 0; k < 3; ++k) surface.size[k] = 4;
    surface.position[2] = kind == 3 ? 0 : -4;
    if (kind == 1)
        cr_assert_eq(support_add_plane(world, &(support_plane){.normal = {0, 0, 1}}, NULL),
                     KUGEL_OK);
    if (kind == 2) cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    if (kind > 2) cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    return world;
}

/* What a sphere touches or overlaps at its start is a hit if it approaches or the filter wants it,
 * at time 0, alike for all kinds of targets; what it does not touch is none. */
Test(query_surfaces, the_filter_tells_whether_initial_overlaps_are_hits)
{
    static const double along[3] = {1, 0, 0}, away[3] = {0, 0, 1}, into[3] = {0, 0, -1};
    const double *const directions[] = {along, away, into};
    for (int kind = 0; kind < 5; ++kind) {
        kugel_world *world = world_with(kind);
        for (int k = 0; k < 18; ++k) {
            bool overlaps = k % 2, initial = k / 2 % 3 == 1, apart = k / 2 % 3 == 2;
            kugel_filter filter = kugel_filter_default();
            kugel_ray ray = {.origin = {0, 0, 0.5 - 0.125 * overlaps + 0.25 * apart}, .t_max = 0.1};
            kugel_cast_hit hit, all[4];
            size_t count;
            bool any;
            memcpy(ray.direction, directions[k / 6], sizeof ray.direction);
            filter.initial = initial || apart;
            cr_assert_eq(kugel_world_cast_closest(world, &ray, 0.5, &filter, &hit), KUGEL_OK);
            cr_assert_eq(kugel_world_cast_any(world, &ray, 0.5, &filter, &any), KUGEL_OK);
            cr_assert_eq(kugel_world_cast_all(world, &ray, 0.5, &filter, 4, all, &count), KUGEL_OK);
            bool expected = !apart && (initial || directions[k / 6] == into);
            cr_assert(hit.contact.hit == expected && any == expected && count == expected,
                      "kind %d, case %d: %d %d %zu", kind, k, hit.contact.hit, any, count);
            if (!expected) continue;
            cr_assert(hit.contact.time == 0 && fabs(hit.contact.normal[2] - 1) < 1e-12 &&
                          fabs(hit.contact.gap + 0.125 * overlaps) < 1e-12,
                      "kind %d, case %d: time %g, normal %g, gap %g", kind, k, hit.contact.time,
                      hit.contact.normal[2], hit.contact.gap);
        }
        kugel_world_destroy(world);
    }
}

/* The targets that a filter's function was called for. */
typedef struct called {
    uint64_t handle[KUGEL_TARGET_SURFACE + 1]; /* by kind, the last one */
    int count[KUGEL_TARGET_SURFACE + 1];
} called;

static bool refuse_and_note(void *user, kugel_target target, uint64_t handle)
{
    called *c = user;
    c->handle[target] = handle;
    c->count[target] += 1;
    return false;
}

/* Bodies and surfaces are named by handles, with their generations, faces by numbers. */
Test(query_surfaces, accept_is_called_for_each_kind_of_target)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_surface_def ball = kugel_surface_def_default();
    kugel_body_def body = kugel_body_def_default();
    kugel_filter filter = kugel_filter_default();
    called calls = {{0}, {0}};
    kugel_surface surface;
    kugel_body made;
    size_t count;
    kugel_world *world;
    def.bounds.min[1] = -1, def.bounds.max[1] = 9, def.bounds.faces[2] = KUGEL_FACE_WALL;
    def.bounds.faces[3] = KUGEL_FACE_WALL;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    ball.shape = KUGEL_SURFACE_ELLIPSOID, ball.size[0] = ball.size[1] = ball.size[2] = 1;
    for (int k = 0; k < 3; ++k) {
        if (k) cr_assert_eq(kugel_surface_destroy(world, surface), KUGEL_OK);
        cr_assert_eq(kugel_surface_create(world, &ball, &surface), KUGEL_OK);
    }
    cr_assert_eq(kugel_body_create(world, &body, NULL), KUGEL_OK);
    kugel_body_destroy(world, kugel_world_body(world, 0));
    cr_assert_eq(kugel_body_create(world, &body, &made), KUGEL_OK);
    filter.accept = refuse_and_note, filter.user = &calls;
    const double center[3] = {0, 0, 0};
    cr_assert_eq(kugel_world_overlap_sphere(world, center, 2, &filter, 0, NULL, &count), KUGEL_OK);
    cr_assert_eq(count, 0);
    const uint64_t expected[] = {made, 2, surface};
    for (int k = 0; k <= KUGEL_TARGET_SURFACE; ++k)
        cr_expect(calls.count[k] == 1 && calls.handle[k] == expected[k], "kind %d", k);
    kugel_world_destroy(world);
}
