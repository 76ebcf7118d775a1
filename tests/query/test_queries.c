/* For engine/query: every query equals brute force over the pure functions, hit for hit and bit for
 * bit, in many kinds of worlds and after any change. There are no tolerances. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/support_brute.h"
#include "support/support_random.h"

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
    *brute = (support_brute){.images = row->images};
    for (int k = 0; k < 3; ++k) {
        if (!(row->periodic >> k & 1)) continue;
        def.bounds.faces[2 * k] = def.bounds.faces[2 * k + 1] = KUGEL_FACE_PERIODIC;
        def.bounds.min[k] = row->at, def.bounds.max[k] = row->at + row->size;
        brute->length[k] = def.bounds.max[k] - def.bounds.min[k];
    }
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    brute->world = world;
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

/* Compares fields, as padding has no defined bytes. */
static bool same_where(kugel_body a, kugel_body b, const int32_t *i, const int32_t *j)
{
    return a == b && memcmp(i, j, 3 * sizeof *i) == 0;
}

static bool same_rays(const kugel_ray_hit *a, const kugel_ray_hit *b, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n; ++i) {
        const kugel_hit *p = &a[i].hit, *q = &b[i].hit;
        same = same && same_where(a[i].body, b[i].body, a[i].image, b[i].image) &&
               p->hit == q->hit && p->started_inside == q->started_inside &&
               memcmp(&p->t_enter, &q->t_enter, 14 * sizeof(double)) == 0;
    }
    return same;
}

static bool same_casts(const kugel_cast_hit *a, const kugel_cast_hit *b, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n; ++i) {
        const kugel_contact *p = &a[i].contact, *q = &b[i].contact;
        same = same && same_where(a[i].body, b[i].body, a[i].image, b[i].image) &&
               p->hit == q->hit && p->touching == q->touching && p->approaching == q->approaching &&
               memcmp(&p->time, &q->time, 8 * sizeof(double)) == 0;
    }
    return same;
}

static bool same_found(const kugel_found *a, const kugel_found *b, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n; ++i) {
        same = same && same_where(a[i].body, b[i].body, a[i].image, b[i].image) &&
               memcmp(&a[i].gap, &b[i].gap, 8) == 0;
    }
    return same;
}

static size_t check_ray(const support_brute *brute, const kugel_ray *ray,
                        const kugel_filter *filter, const char *name)
{
    static kugel_ray_hit hits[BRUTE_MOST];
    size_t expected, count;
    bool any;
    kugel_ray_hit *brute_hits = support_brute_ray(brute, ray, filter, &expected), first;
    const kugel_ray_hit none = {0};
    cr_assert_eq(kugel_world_ray_all(brute->world, ray, filter, BRUTE_MOST, hits, &count),
                 KUGEL_OK);
    cr_assert_eq(count, expected, "%s: %zu hits, not %zu", name, count, expected);
    cr_assert(same_rays(hits, brute_hits, count), "%s: all hits", name);
    cr_assert_eq(kugel_world_ray_closest(brute->world, ray, filter, &first), KUGEL_OK);
    cr_assert(same_rays(&first, expected ? brute_hits : &none, 1), "%s: closest", name);
    cr_assert_eq(kugel_world_ray_any(brute->world, ray, filter, &any), KUGEL_OK);
    cr_assert_eq(any, expected > 0, "%s: any", name);
    /* with a smaller array: the first few */
    size_t room = expected / 2;
    memset(hits, 0, (room + 1) * sizeof *hits);
    cr_assert_eq(kugel_world_ray_all(brute->world, ray, filter, room, hits, &count), KUGEL_OK);
    cr_assert(count == expected && same_rays(hits, brute_hits, room), "%s: the first %zu", name,
              room);
    cr_assert_eq(hits[room].body, KUGEL_NULL_BODY, "%s: wrote beyond the array", name);
    free(brute_hits);
    return expected;
}

static size_t check_cast(const support_brute *brute, const kugel_ray *ray, double radius,
                         const kugel_filter *filter, const char *name)
{
    static kugel_cast_hit hits[BRUTE_MOST];
    size_t expected, count;
    bool any;
    kugel_cast_hit *brute_hits = support_brute_cast(brute, ray, radius, filter, &expected), first;
    const kugel_cast_hit none = {0};
    cr_assert_eq(kugel_world_cast_all(brute->world, ray, radius, filter, BRUTE_MOST, hits, &count),
                 KUGEL_OK);
    cr_assert_eq(count, expected, "%s: %zu hits of a sphere, not %zu", name, count, expected);
    cr_assert(same_casts(hits, brute_hits, count), "%s: all hits of a sphere", name);
    cr_assert_eq(kugel_world_cast_closest(brute->world, ray, radius, filter, &first), KUGEL_OK);
    cr_assert(same_casts(&first, expected ? brute_hits : &none, 1), "%s: closest of a sphere",
              name);
    cr_assert_eq(kugel_world_cast_any(brute->world, ray, radius, filter, &any), KUGEL_OK);
    cr_assert_eq(any, expected > 0, "%s: any of a sphere", name);
    free(brute_hits);
    return expected;
}

typedef struct volume {
    double center[3], radius, max[3], axes[3], rotation[4];
} volume;

static double sphere_gap(const void *data, const double center[3], double radius)
{
    const volume *v = data;
    kugel_overlap o;
    kugel_overlap_spheres(v->center, v->radius, center, radius, &o);
    return o.hit ? o.gap : 1;
}

static double point_gap(const void *data, const double center[3], double radius)
{
    const volume *v = data;
    bool inside;
    kugel_overlap o;
    kugel_point_sphere(v->center, center, radius, &inside);
    kugel_overlap_spheres(v->center, 0, center, radius, &o);
    return inside ? o.gap : 1;
}

static double box_gap(const void *data, const double center[3], double radius)
{
    const volume *v = data;
    kugel_overlap o;
    kugel_overlap_sphere_box(center, radius, v->center, v->max, &o);
    return o.hit ? o.gap : 1;
}

static double ellipsoid_gap(const void *data, const double center[3], double radius)
{
    const volume *v = data;
    kugel_overlap o;
    kugel_ellipsoid_nearest(center, v->center, v->axes, v->rotation, &o);
    return o.gap - radius;
}

static size_t check_volumes(const support_brute *brute, const volume *v, const kugel_filter *filter,
                            const char *name)
{
    static kugel_found found[BRUTE_MOST];
    static support_gap *const gaps[4] = {sphere_gap, point_gap, box_gap, ellipsoid_gap};
    size_t all = 0;
    for (int kind = 0; kind < 4; ++kind) {
        size_t expected, count;
        kugel_found *brute_found = support_brute_found(brute, gaps[kind], v, filter, &expected);
        kugel_status status =
            kind == 0 ? kugel_world_overlap_sphere(brute->world, v->center, v->radius, filter,
                                                   BRUTE_MOST, found, &count)
            : kind == 1
                ? kugel_world_point(brute->world, v->center, filter, BRUTE_MOST, found, &count)
            : kind == 2
                ? kugel_world_overlap_box(brute->world, v->center, v->max, filter, BRUTE_MOST,
                                          found, &count)
                : kugel_world_overlap_ellipsoid(brute->world, v->center, v->axes, v->rotation,
                                                filter, BRUTE_MOST, found, &count);
        cr_assert_eq(status, KUGEL_OK);
        cr_assert_eq(count, expected, "%s: volume %d has %zu, not %zu", name, kind, count,
                     expected);
        cr_assert(same_found(found, brute_found, count), "%s: volume %d", name, kind);
        free(brute_found);
        all += expected;
    }
    return all;
}

static volume random_volume(const place_row *row, support_random *random)
{
    volume v;
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

static int by_gap(const void *a, const void *b)
{
    const kugel_found *p = a, *q = b;
    if (p->gap != q->gap) return p->gap < q->gap ? -1 : 1;
    return p->body < q->body ? -1 : p->body > q->body;
}

static void check_nearest(const support_brute *brute, const double point[3], double most, size_t k,
                          const char *name)
{
    uint32_t n = kugel_world_id_end(brute->world);
    kugel_found *all = calloc(n + 1, sizeof *all), *found = calloc(k + 1, sizeof *found);
    size_t count = 0, got;
    for (uint32_t id = 0; id < n; ++id) {
        kugel_body_state b;
        if (kugel_body_get(brute->world, kugel_world_body(brute->world, id), &b)) continue;
        double center[3];
        kugel_overlap o;
        all[count] = (kugel_found){.body = b.body};
        for (int axis = 0; axis < 3; ++axis) {
            double length = brute->length[axis], best = INFINITY;
            int images = length > 0 ? brute->images : 0;
            for (int i = -images; i <= images; ++i) {
                double x = b.position[axis] + i * length;
                if (fabs(x - point[axis]) < best)
                    best = fabs(x - point[axis]), center[axis] = x, all[count].image[axis] = i;
            }
        }
        kugel_overlap_spheres(point, 0, center, b.radius, &o);
        all[count].gap = o.gap;
        count += o.gap <= most;
    }
    qsort(all, count, sizeof *all, by_gap);
    if (count > k) count = k;
    cr_assert_eq(kugel_world_nearest(brute->world, point, most, NULL, k, found, &got), KUGEL_OK);
    cr_assert_eq(got, count, "%s: nearest %zu, not %zu", name, got, count);
    cr_assert(same_found(found, all, count), "%s: nearest", name);
    free(all);
    free(found);
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
    const place_row row = {.size = 12, .at = -3, .periodic = periodic, .images = 4};
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
            check_nearest(&brute, point,
                          i % 3 ? INFINITY : pow(10, support_between(&random, -1, 12)),
                          1 + support_below(&random, 9), "far");
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
        volume v = random_volume(row, random);
        *met += check_ray(brute, &ray, &filter, row->name);
        if (!(ray.t_max < INFINITY)) ray.t_max = 40;
        double size = (row->clusters ? 20 : row->size) * 0.1;
        *met +=
            check_cast(brute, &ray, size * support_uniform(random) * (i % 2), &filter, row->name);
        *met += check_volumes(brute, &v, &filter, row->name);
        check_nearest(brute, v.center, i % 3 ? INFINITY : v.radius, 1 + support_below(random, 20),
                      row->name);
    }
}

Test(queries, all_queries_equal_brute_force)
{
    support_random random = support_random_start("queries", 50);
    for (int r = 0; r < ROWS; ++r) {
        support_brute brute;
        size_t met = 0;
        for (int worlds = 0; worlds < 3; ++worlds) {
            kugel_world *world = make_world(&rows[r], &random, &brute);
            check_some(&brute, &rows[r], &random, 60, &met);
            kugel_world_destroy(world);
        }
        cr_assert(met > 300 || rows[r].count < 2, "%s: only %zu hits: too few for a test",
                  rows[r].name, met);
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
        for (int round = 0; round < 40; ++round) {
            uint32_t changes = round % 8 == 7 ? 150 : 1 + support_below(&random, 3);
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

Test(queries, batches_equal_single_rays)
{
    support_random random = support_random_start("queries/batches", 53);
    enum { RAYS = 500 };
    static kugel_ray rays[RAYS];
    static kugel_ray_hit hits[RAYS];
    for (int r = 0; r < ROWS; ++r) {
        support_brute brute;
        kugel_world *world = make_world(&rows[r], &random, &brute);
        for (int i = 0; i < RAYS; ++i) rays[i] = random_ray(&rows[r], &random);
        cr_assert_eq(kugel_world_rays_closest(world, RAYS, rays, NULL, hits), KUGEL_OK);
        for (int i = 0; i < RAYS; ++i) {
            kugel_ray_hit one;
            cr_assert_eq(kugel_world_ray_closest(world, &rays[i], NULL, &one), KUGEL_OK);
            cr_assert(same_rays(&one, &hits[i], 1), "%s: ray %d", rows[r].name, i);
        }
        kugel_world_destroy(world);
    }
}
