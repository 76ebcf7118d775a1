/* For engine/query: every query equals brute force over the pure functions, hit for hit and bit for
 * bit, in many kinds of worlds and after any change. There are no tolerances. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/support_check.h"
#include "support/support_random.h"
#include "support/support_sanitized.h"

typedef struct place_row {
    char name[24];
    uint32_t count;
    double size;       /* m, edge of the cube of centres */
    double radius[2];  /* m, log-uniform between */
    double at;         /* m, the cube's corner on each axis */
    int periodic;      /* bit k: axis k is periodic */
    uint32_t clusters; /* 0: uniform */
    int images;        /* largest image that a ray of this row reaches */
} place_row;

static const place_row rows[] = {
    {"dense", 600, 10, {0.5, 0.5}, 0, 0, 0, 0},
    {"sparse", 300, 200, {0.5, 0.5}, -100, 0, 0, 0},
    {"mixed 1:1000", 500, 40, {0.005, 5}, -20, 0, 0, 0},
    {"mixed 1:3", 500, 20, {0.3, 0.9}, 3, 0, 0, 0},
    {"far away", 300, 15, {0.5, 0.5}, 1e6, 0, 0, 0},
    {"very far away", 200, 1000, {1, 40}, -1e12, 0, 0, 0},
    {"clusters", 400, 1e5, {0.2, 0.5}, 0, 0, 6, 0},
    {"periodic x", 300, 12, {0.2, 0.7}, -3, 1, 0, 3},
    {"periodic all", 200, 12, {0.2, 0.7}, 5, 7, 0, 3},
    {"periodic small", 30, 5, {0.3, 1.2}, 0, 7, 0, 5},
    {"periodic y far", 200, 10, {0.2, 0.7}, 1e5, 2, 0, 3},
    {"one body", 1, 4, {1, 1}, 0, 0, 0, 0},
    {"no body", 0, 4, {1, 1}, 0, 0, 0, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void random_place(const place_row *row, support_random *random, double x[3])
{
    for (int k = 0; k < 3; ++k) x[k] = row->at + support_uniform(random) * row->size;
    if (!row->clusters) return;
    uint32_t c = support_below(random, row->clusters);
    for (int k = 0; k < 3; ++k)
        x[k] = row->at + fmod((c + 1) * (k + 2) * 0.37, 1) * row->size + support_gauss(random) * 3;
}

static void add_body(kugel_world *world, const place_row *row, support_random *random)
{
    kugel_body_def def = kugel_body_def_default();
    random_place(row, random, def.position);
    def.radius = row->radius[0] * pow(row->radius[1] / row->radius[0], support_uniform(random));
    def.category = 1u << support_below(random, 3);
    def.type = KUGEL_STATIC;
    cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
}

static kugel_world *make_world(const place_row *row, support_random *random, support_brute *brute)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    *brute = (support_brute){.name = row->name};
    for (int k = 0; k < 3; ++k) {
        if (!(row->periodic >> k & 1)) continue;
        def.bounds.faces[2 * k] = def.bounds.faces[2 * k + 1] = KUGEL_FACE_PERIODIC;
        def.bounds.min[k] = row->at, def.bounds.max[k] = row->at + row->size;
        brute->length[k] = def.bounds.max[k] - def.bounds.min[k];
    }
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    brute->world = world;
    support_brute_set_images(brute, row->images);
    for (uint32_t i = 0; i < row->count; ++i) add_body(world, row, random);
    return world;
}

/* Starts among the bodies or outside; random, aimed, axis-aligned and zero directions; long rays.
 */
static kugel_ray random_ray(const place_row *row, support_random *random)
{
    kugel_ray ray = {.t_max = 1};
    double scale = row->clusters ? 20 : row->size, aim[3];
    random_place(row, random, ray.origin);
    random_place(row, random, aim);
    uint32_t kind = support_below(random, 8);
    if (kind < 4) support_direction(random, scale * support_uniform(random), ray.direction);
    else
        for (int k = 0; k < 3; ++k) ray.direction[k] = aim[k] - ray.origin[k];
    if (kind == 5 && !row->periodic) { /* from far outside, infinite */
        for (int k = 0; k < 3; ++k) ray.origin[k] -= 30 * ray.direction[k];
        ray.t_max = INFINITY;
    }
    if (kind == 6)
        for (uint32_t k = 0, keep = support_below(random, 3); k < 3; ++k)
            ray.direction[k] *= k == keep;
    if (kind == 7 && support_below(random, 4) == 0) memset(ray.direction, 0, sizeof ray.direction);
    if (row->periodic && support_below(random, 2)) { /* through several boxes */
        double length =
            sqrt(ray.direction[0] * ray.direction[0] + ray.direction[1] * ray.direction[1] +
                 ray.direction[2] * ray.direction[2]);
        if (length > 0)
            ray.t_max = (row->images - 1.8) * row->size / length * support_uniform(random);
    }
    if (ray.t_max < INFINITY &&
        support_below(random, 3) == 0) { /* other lengths of the direction, exactly */
        double by = ldexp(1, (int)support_below(random, 60) - 30);
        for (int k = 0; k < 3; ++k) ray.direction[k] *= by;
        ray.t_max /= by;
    }
    return ray;
}

static kugel_filter random_filter(support_random *random)
{
    kugel_filter filter = kugel_filter_default();
    if (support_below(random, 3) == 0) filter.mask = 1 + support_below(random, 7);
    return filter;
}

static support_volume random_volume(const place_row *row, support_random *random)
{
    support_volume v;
    double size = (row->clusters ? 20 : row->size) * 0.3;
    random_place(row, random, v.center);
    v.radius = size * support_uniform(random);
    double q[4], length = 0;
    for (int k = 0; k < 3; ++k) {
        v.max[k] = v.center[k] + size * support_uniform(random);
        v.axes[k] = size * support_between(random, 0.1, 1);
    }
    for (int k = 0; k < 4; ++k) q[k] = support_gauss(random), length += q[k] * q[k];
    for (int k = 0; k < 4; ++k) v.rotation[k] = q[k] / sqrt(length);
    return v;
}

/* Places in a world of periodic axes [-3, 9) and open ones of up to 1e12 m; some on the periodic
 * faces or half a length from them. */
static void far_place(int periodic, support_random *random, double x[3])
{
    static const double seams[] = {-3, 0, 3, 6, 8.999999999999998};
    for (int k = 0; k < 3; ++k) {
        double sign = support_below(random, 2) ? 1 : -1;
        bool seam = support_below(random, 3) == 0;
        if (periodic >> k & 1)
            x[k] = seam ? seams[support_below(random, 5)] : support_between(random, -3, 9);
        else x[k] = seam ? 0 : sign * pow(10, support_between(random, -1, 12));
    }
}

static kugel_world *make_far_world(int periodic, uint32_t count, support_random *random,
                                   support_brute *brute)
{
    const place_row row = {.name = "far", .size = 12, .at = -3, .periodic = periodic, .images = 4};
    kugel_world *world = make_world(&row, random, brute);
    double largest =
        support_below(random, 2) ? 2 : 1e-9; /* m; small radii add nothing to the search region */
    for (uint32_t i = 0; i < count; ++i) {
        kugel_body_def def = kugel_body_def_default();
        far_place(periodic, random, def.position);
        def.radius = support_between(random, 0.01, 1) * largest;
        def.type = KUGEL_STATIC;
        cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    }
    return world;
}

Test(queries, nearest_equals_brute_force_along_long_open_axes, .timeout = 20)
{
    support_random random = support_random_start("queries/far", 54);
    for (int round = 0; round < 420; ++round) {
        support_brute brute;
        int periodic = 1 + round % 7;
        kugel_world *world = make_far_world(
            periodic, 1 + support_below(&random, round % 5 ? 8 : 300), &random, &brute);
        for (int i = 0; i < 10; ++i) {
            double point[3];
            far_place(periodic, &random, point);
            if (i == 9)
                for (int k = 0; k < 3; ++k)
                    point[k] += periodic >> k & 1 ? 24 : 0; /* two boxes away */
            support_check_nearest(&brute, point,
                                  i % 3 ? INFINITY : pow(10, support_between(&random, -1, 12)),
                                  1 + support_below(&random, 9), NULL);
        }
        kugel_world_destroy(world);
    }
}

static void check_some(const support_brute *brute, const place_row *row, support_random *random,
                       int times, size_t *met)
{
    for (int i = 0; i < times; ++i) {
        kugel_ray ray = random_ray(row, random);
        kugel_filter filter = random_filter(random);
        support_volume v = random_volume(row, random);
        *met += support_check_ray(brute, &ray, &filter);
        if (!(ray.t_max < INFINITY)) ray.t_max = 40;
        double size = (row->clusters ? 20 : row->size) * 0.1;
        *met += support_check_cast(brute, &ray, size * support_uniform(random) * (i % 2), &filter);
        *met += support_check_volumes(brute, &v, &filter);
        support_check_nearest(brute, v.center, i % 3 ? INFINITY : v.radius,
                              1 + support_below(random, 20), NULL);
    }
}

Test(queries, all_queries_equal_brute_force)
{
    support_random random = support_random_start("queries", 50);
    for (int r = 0; r < ROWS; ++r) {
        support_brute brute;
        size_t met = 0;
        for (int worlds = 0; worlds < SUPPORT_ROUNDS(3); ++worlds) {
            kugel_world *world = make_world(&rows[r], &random, &brute);
            check_some(&brute, &rows[r], &random, 60, &met);
            kugel_world_destroy(world);
        }
        cr_assert(met > 100 * SUPPORT_ROUNDS(3) || rows[r].count < 2,
                  "%s: only %zu hits: too few for a test", rows[r].name, met);
    }
}

/* Random creations, moves and destructions. After few of them the index tests the changed bodies
 * one by one; after many it is rebuilt. */
Test(queries, all_queries_equal_brute_force_after_changes)
{
    support_random random = support_random_start("queries/changes", 51);
    for (int r = 0; r < ROWS; ++r) {
        support_brute brute;
        size_t met = 0;
        kugel_world *world = make_world(&rows[r], &random, &brute);
        for (int round = 0; round < SUPPORT_ROUNDS(40); ++round) {
            uint32_t changes = round % 8 == 7 ? 400 : 1 + support_below(&random, 3);
            for (uint32_t c = 0; c < changes; ++c) {
                uint32_t end = kugel_world_id_end(world);
                kugel_body body =
                    end ? kugel_world_body(world, support_below(&random, end)) : KUGEL_NULL_BODY;
                double x[3];
                random_place(&rows[r], &random, x);
                uint32_t what = support_below(&random, 3);
                if (what == 0) add_body(world, &rows[r], &random);
                else if (what == 1 && body) cr_assert_eq(kugel_body_destroy(world, body), KUGEL_OK);
                else if (body) cr_assert_eq(kugel_body_set_position(world, body, x), KUGEL_OK);
            }
            check_some(&brute, &rows[r], &random, 2, &met);
        }
        kugel_world_destroy(world);
    }
}

/* Moving bodies, queried after every step. */
Test(queries, all_queries_equal_brute_force_after_steps)
{
    support_random random = support_random_start("queries/steps", 52);
    for (int r = 0; r < ROWS; ++r) {
        if (rows[r].radius[1] / rows[r].radius[0] > 10 || rows[r].at < -1e9)
            continue; /* covered by the static worlds */
        support_brute brute;
        size_t met = 0;
        kugel_world *world = make_world(&rows[r], &random, &brute);
        for (int i = 0; i < 30; ++i) {
            kugel_body_def def = kugel_body_def_default();
            random_place(&rows[r], &random, def.position);
            support_direction(&random, 20, def.velocity);
            def.radius = rows[r].radius[0];
            cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
        }
        for (int tick = 0; tick < 6; ++tick) {
            cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
            check_some(&brute, &rows[r], &random, 3, &met);
        }
        kugel_world_destroy(world);
    }
}

/* A ray through 30,000 boxes of a world whose bodies are all changed since the index was built: it
 * ends soon, with the result of a new index. Small radii let most rays pass thousands of boxes. */
Test(queries, long_rays_meet_changed_bodies)
{
    support_random random = support_random_start("queries/long rays", 55);
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world, *clone;
    size_t hits = 0;
    for (int k = 0; k < 3; ++k) def.bounds.max[k] = 4;
    for (int f = 0; f < 6; ++f) def.bounds.faces[f] = KUGEL_FACE_PERIODIC;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_prepare_queries(world), KUGEL_OK);
    for (int i = 0; i < 20; ++i) {
        kugel_body_def body = kugel_body_def_default();
        for (int k = 0; k < 3; ++k) body.position[k] = support_between(&random, 0, 4);
        body.radius = 0.01;
        cr_assert_eq(kugel_body_create(world, &body, NULL), KUGEL_OK);
    }
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    for (int i = 0; i < 20; ++i) {
        kugel_ray ray = {.t_max = 4e4};
        kugel_ray_hit changed = {0}, indexed = {0};
        for (int k = 0; k < 3; ++k) ray.direction[k] = support_between(&random, 0.9, 1.1);
        kugel_status status = kugel_world_ray_closest(world, &ray, NULL, &changed);
        cr_assert_eq(kugel_world_ray_closest(clone, &ray, NULL, &indexed), status);
        cr_assert(changed.body == indexed.body && changed.hit.t_enter == indexed.hit.t_enter,
                  "ray %d", i);
        hits += changed.body != KUGEL_NULL_BODY;
    }
    cr_assert_gt(hits, 10, "too few hits for a test: %zu", hits);
    kugel_world_destroy(clone);
    kugel_world_destroy(world);
}

Test(queries, batches_equal_single_rays)
{
    support_random random = support_random_start("queries/batches", 53);
    enum { RAYS = 500 };
    static kugel_ray rays[RAYS];
    for (int r = 0; r < ROWS; ++r) {
        support_brute brute;
        kugel_world *world = make_world(&rows[r], &random, &brute);
        for (int i = 0; i < RAYS; ++i) rays[i] = random_ray(&rows[r], &random);
        support_check_batch(&brute, RAYS, rays, NULL);
        kugel_world_destroy(world);
    }
}
