/* Every query equals brute force in random worlds of mixed scales: clusters of 1 m, bodies 1e7 to
 * 1e12 m away, radii from 1e-9 to 1e9 m, gases, piles, walls, periodic axes, moved and removed
 * bodies, before and after steps. Solid ellipsoids that bodies pass are compared with margins
 * (support_shields.h). KUGEL_WORLDS: number of worlds; KUGEL_SEED: seed of the first
 * one. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/support_check.h"
#include "query/support_shields.h"
#include "support/support_random.h"

enum { WORLDS = 300, CLUSTERS = 4 };

typedef struct mixed {
    support_random random;
    kugel_world *world;
    kugel_bounds bounds;
    support_brute brute;
    double cluster[CLUSTERS][3], spread; /* m */
    double radius, radius_span;          /* m, least; powers of ten from it */
    double far;                          /* share of bodies far away */
    double speed, dt;                    /* m/s, s */
    kugel_body_type type;
    support_shield shields[3];
    uint32_t shield_count;
    size_t met; /* results of queries */
} mixed;

static double log_uniform(support_random *random, double from, double to)
{
    return pow(10, support_between(random, from, to));
}

static bool one_in(support_random *random, uint32_t n) { return support_below(random, n) == 0; }

static bool is_open(const mixed *m, int axis)
{
    return m->bounds.faces[2 * axis] == KUGEL_FACE_OPEN &&
           m->bounds.faces[2 * axis + 1] == KUGEL_FACE_OPEN;
}

static double far_coordinate(support_random *random)
{
    return (one_in(random, 2) ? 1 : -1) * log_uniform(random, 7, 12);
}

static void random_place(mixed *m, double x[3])
{
    support_random *random = &m->random;
    const double *cluster = m->cluster[support_below(random, CLUSTERS)];
    bool far = support_uniform(random) < m->far;
    for (int k = 0; k < 3; ++k) {
        double low = m->bounds.min[k], high = m->bounds.max[k];
        x[k] = cluster[k] + support_between(random, -0.5, 0.5) * m->spread;
        if (far && one_in(random, 2)) x[k] = far_coordinate(random);
        if (is_open(m, k) || (x[k] >= low && x[k] < high)) continue;
        x[k] = one_in(random, 20) ? low : support_between(random, low, high);
    }
}

static double random_radius(mixed *m)
{
    if (one_in(&m->random, 30)) return log_uniform(&m->random, -9, 9);
    return m->radius * pow(10, m->radius_span * support_uniform(&m->random));
}

/* A world refuses a body that is larger than half of a periodic axis or outside of walls. */
static void add_body(mixed *m)
{
    support_random *random = &m->random;
    kugel_body_def def = kugel_body_def_default();
    random_place(m, def.position);
    def.radius = random_radius(m);
    def.type = one_in(random, 10) ? KUGEL_STATIC : m->type;
    if (def.radius > 1e3) def.type = KUGEL_STATIC;
    if (def.type != KUGEL_STATIC)
        support_direction(random, m->speed * support_uniform(random), def.velocity);
    def.restitution = one_in(random, 2);
    def.category = 1u << support_below(random, 3);
    def.mask = one_in(random, 3) ? 1 + support_below(random, 7) : 0xffffffffu;
    def.group = one_in(random, 5);
    def.sensor = one_in(random, 10);
    kugel_status status = kugel_body_create(m->world, &def, NULL);
    cr_assert(status == KUGEL_OK || status == KUGEL_ERROR_INVALID_ARGUMENT, "%s", m->brute.name);
}

static void make_bounds(mixed *m)
{
    for (int k = 0; k < 3; ++k) {
        uint32_t kind = support_below(&m->random, 5);
        m->bounds.faces[2 * k] = m->bounds.faces[2 * k + 1] = kind == 0   ? KUGEL_FACE_PERIODIC
                                                              : kind == 1 ? KUGEL_FACE_WALL
                                                                          : KUGEL_FACE_OPEN;
        double length = log_uniform(&m->random, 0.5, one_in(&m->random, 4) ? 9 : 3);
        m->bounds.min[k] = -length * support_uniform(&m->random);
        m->bounds.max[k] = m->bounds.min[k] + length;
        m->brute.length[k] = kind == 0 ? m->bounds.max[k] - m->bounds.min[k] : 0;
    }
}

static void make_world(mixed *m)
{
    support_random *random = &m->random;
    kugel_world_def def = kugel_world_def_default();
    def.bounds = m->bounds;
    def.substeps = 1;
    if (one_in(random, 3)) def.gravity[2] = -9.81;
    if (one_in(random, 2)) def.bounce_threshold = def.slop = 0;
    def.tasks.threads = one_in(random, 16) ? 2 : 1;
    cr_assert_eq(kugel_world_create(&def, &m->world), KUGEL_OK);
    m->brute.world = m->world;
    m->shield_count = support_below(random, 4);
    for (uint32_t i = 0; i < m->shield_count; ++i) { /* bodies pass through */
        support_shield *s = &m->shields[i];
        *s = (support_shield){.rotation = {0, 0, 0, 1}, .category = 8, .mask = 8};
        random_place(m, s->center);
        for (int k = 0; k < 3; ++k) s->axes[k] = log_uniform(random, -1, 2) * m->spread;
        support_shield_add(m->world, s);
    }
}

static void make(mixed *m)
{
    support_random *random = &m->random;
    make_bounds(m);
    m->spread = one_in(random, 2) ? 1 : log_uniform(random, -3, 4);
    m->far = one_in(random, 3) ? 0 : support_uniform(random) * support_uniform(random);
    m->radius =
        one_in(random, 2) ? m->spread * log_uniform(random, -2, -0.5) : log_uniform(random, -9, 3);
    m->radius_span = one_in(random, 2) ? 0 : support_between(random, 0, 4);
    m->type = one_in(random, 3) ? KUGEL_STATIC : KUGEL_DYNAMIC;
    m->dt = log_uniform(random, -3, -1);
    m->speed = m->spread * log_uniform(random, -2, 0.5) / m->dt;
    for (int c = 0; c < CLUSTERS; ++c) {
        for (int k = 0; k < 3; ++k)
            m->cluster[c][k] = c % 2 && one_in(random, 2) ? far_coordinate(random)
                                                          : support_between(random, -2, 2);
    }
    make_world(m);
    uint32_t count = support_below(random, one_in(random, 4) ? 300 : 24);
    for (uint32_t i = 0; i < count; ++i) add_body(m);
}

static kugel_body any_body(mixed *m)
{
    uint32_t end = kugel_world_id_end(m->world);
    return end ? kugel_world_body(m->world, support_below(&m->random, end)) : KUGEL_NULL_BODY;
}

static void change(mixed *m)
{
    support_random *random = &m->random;
    uint32_t changes = one_in(random, 8) ? 100 : support_below(random, 5);
    double x[3];
    for (uint32_t i = 0; i < changes; ++i) {
        kugel_body body = any_body(m);
        uint32_t what = support_below(random, 5);
        random_place(m, x);
        if (what < 2) add_body(m);
        else if (what == 2) kugel_body_destroy(m->world, body);
        else kugel_body_set_position(m->world, body, x);
    }
}

/* A point near a body, at its centre, or anywhere. Along periodic axes up to two boxes away. */
static void random_point(mixed *m, double x[3])
{
    support_random *random = &m->random;
    kugel_body_state b;
    random_place(m, x);
    if (!one_in(random, 3) && !kugel_body_get(m->world, any_body(m), &b)) {
        double by[3];
        support_direction(random, b.radius * (one_in(random, 2) ? 1 : log_uniform(random, -3, 3)),
                          by);
        for (int k = 0; k < 3; ++k) x[k] = b.position[k] + by[k] * !one_in(random, 4);
    }
    for (int k = 0; k < 3; ++k) {
        double length = m->brute.length[k];
        if (!(length > 0)) continue;
        if (!(x[k] >= m->bounds.min[k] && x[k] < m->bounds.max[k]))
            x[k] = support_between(random, m->bounds.min[k], m->bounds.max[k]);
        if (one_in(random, 8)) x[k] += ((int)support_below(random, 5) - 2) * length;
        if (one_in(random, 20)) x[k] = m->bounds.min[k] + 0.5 * length;
    }
}

/* A length below `most` periodic boxes, so that brute force has few images. */
static double random_length(mixed *m, double most)
{
    double length = one_in(&m->random, 2) ? m->spread * log_uniform(&m->random, -2, 1)
                                          : log_uniform(&m->random, -9, 12);
    for (int k = 0; k < 3; ++k) {
        double limit = m->brute.length[k] * most;
        if (limit > 0 && length > limit) length = limit * support_uniform(&m->random);
    }
    return length;
}

static bool is_periodic(const mixed *m)
{
    return m->brute.length[0] > 0 || m->brute.length[1] > 0 || m->brute.length[2] > 0;
}

/* Images with bodies within `reach` of [low, high]. The largest radius is a quarter of the shortest
 * periodic axis. */
static void set_images(mixed *m, const double low[3], const double high[3], double reach)
{
    double shortest = INFINITY;
    for (int k = 0; k < 3; ++k)
        if (m->brute.length[k] > 0) shortest = fmin(shortest, m->brute.length[k]);
    if (shortest < INFINITY) reach += 0.25 * shortest;
    for (int k = 0; k < 3; ++k) {
        double length = m->brute.length[k], from = low[k] - reach - m->bounds.max[k],
               to = high[k] + reach - m->bounds.min[k];
        m->brute.first[k] = length > 0 ? (int32_t)floor(from / length) - 1 : 0;
        m->brute.last[k] = length > 0 ? (int32_t)ceil(to / length) + 1 : 0;
    }
}

static kugel_ray random_ray(mixed *m, double radius)
{
    support_random *random = &m->random;
    kugel_ray ray = {.t_max = 1};
    double aim[3], low[3], high[3];
    random_point(m, ray.origin);
    random_point(m, aim);
    uint32_t kind = support_below(random, 8);
    if (kind < 3) support_direction(random, random_length(m, 1.5), ray.direction);
    else
        for (int k = 0; k < 3; ++k) ray.direction[k] = aim[k] - ray.origin[k];
    if (kind == 3)
        for (uint32_t k = 0, keep = support_below(random, 3); k < 3; ++k)
            ray.direction[k] *= k == keep;
    if (kind == 4 && one_in(random, 4)) memset(ray.direction, 0, sizeof ray.direction);
    if (kind == 5) ray.t_max = support_uniform(random) * one_in(random, 2);
    if (kind >= 6 && !is_periodic(m)) ray.t_max = kind == 6 ? 3 : INFINITY;
    for (int k = 0; k < 3; ++k) {
        double end = ray.t_max < INFINITY ? ray.origin[k] + ray.direction[k] * ray.t_max : 0;
        low[k] = fmin(ray.origin[k], end), high[k] = fmax(ray.origin[k], end);
    }
    if (one_in(random, 3)) { /* other lengths of the direction, exactly */
        double scale = ldexp(1, (int)support_below(random, 40) - 30);
        for (int k = 0; k < 3; ++k) ray.direction[k] *= scale;
        ray.t_max /= scale;
    }
    set_images(m, low, high, radius);
    return ray;
}

static bool accept_even(void *user, kugel_target target, uint64_t handle)
{
    (void)user;
    return target != KUGEL_TARGET_BODY || kugel_body_id(handle) % 2 == 0;
}

static kugel_filter random_filter(support_random *random)
{
    kugel_filter filter = kugel_filter_default();
    filter.sensors = one_in(random, 2);
    if (one_in(random, 4)) filter.mask = 1 + support_below(random, 15);
    if (one_in(random, 4)) filter.category = 1 + support_below(random, 15);
    if (one_in(random, 4)) filter.group = 1;
    if (one_in(random, 8)) filter.accept = accept_even;
    if (one_in(random, 2)) filter.targets = KUGEL_TARGETS_BODIES;
    if (one_in(random, 4)) filter.targets = support_below(random, KUGEL_TARGETS_ALL + 1);
    return filter;
}

static kugel_filter without_surfaces(kugel_filter filter)
{
    filter.targets &= ~(uint32_t)KUGEL_TARGETS_SURFACES;
    return filter;
}

static void check_rays(mixed *m)
{
    enum { RAYS = 24, MANY = 600 };
    kugel_ray rays[MANY];
    kugel_filter filter = random_filter(&m->random);
    for (int i = 0; i < RAYS / 4; ++i) {
        kugel_ray ray = random_ray(m, 0);
        m->met += support_shields_check_ray(&m->brute, m->shield_count, m->shields, &ray, &filter);
    }
    for (int i = 0; i < RAYS / 4; ++i) {
        double radius = one_in(&m->random, 4) ? 0 : random_length(m, 1);
        kugel_ray ray = random_ray(m, radius);
        if (ray.t_max < INFINITY)
            m->met += support_shields_check_cast(&m->brute, m->shield_count, m->shields, &ray,
                                                 radius, &filter);
    }
    size_t count = one_in(&m->random, 16) ? MANY : RAYS;
    for (size_t i = 0; i < count; ++i) rays[i] = random_ray(m, 0);
    support_check_batch(&m->brute, count, rays, &filter);
}

static void check_volume(mixed *m)
{
    support_random *random = &m->random;
    kugel_filter filter = random_filter(random);
    support_volume v;
    double low[3], high[3], q[4], length = 0;
    random_point(m, v.center);
    v.radius = random_length(m, 1);
    double most = v.radius;
    for (int k = 0; k < 3; ++k) {
        v.max[k] = v.center[k] + random_length(m, 1);
        v.axes[k] = random_length(m, 1);
        most = fmax(most, fmax(v.max[k] - v.center[k], v.axes[k]));
        low[k] = high[k] = v.center[k];
    }
    for (int k = 0; k < 4; ++k) q[k] = support_gauss(random), length += q[k] * q[k];
    for (int k = 0; k < 4; ++k) v.rotation[k] = q[k] / sqrt(length);
    set_images(m, low, high, most);
    m->met += support_shields_check_near(&m->brute, m->shield_count, m->shields, v.center, v.radius,
                                         &filter);
    filter = without_surfaces(filter);
    m->met += support_check_volumes(&m->brute, &v, &filter);
}

static void check_nearest(mixed *m)
{
    support_random *random = &m->random;
    kugel_filter filter = without_surfaces(random_filter(random));
    double point[3], most = one_in(random, 3) ? log_uniform(random, -9, 12) : INFINITY;
    random_point(m, point);
    if (one_in(random, 8)) most = -log_uniform(random, -9, 9);
    size_t capacity = one_in(random, 3) ? support_below(random, 400) : 1 + support_below(random, 4);
    if (one_in(random, 2)) filter = without_surfaces(kugel_filter_default());
    support_check_nearest(&m->brute, point, most, capacity, &filter);
}

static void check_plane(mixed *m)
{
    kugel_filter filter = random_filter(&m->random);
    double normal[3], point[3], offset = 0;
    support_direction(&m->random, 1, normal);
    random_point(m, point);
    for (int k = 0; k < 3; ++k) offset += normal[k] * point[k];
    m->met += support_check_side(&m->brute, normal, offset, &filter);
}

static void check_world(uint64_t seed, size_t *met)
{
    char name[64];
    snprintf(name, sizeof name, "KUGEL_SEED=%llu KUGEL_WORLDS=1", (unsigned long long)seed);
    mixed m = {.random = {seed * 0x9e3779b97f4a7c15u + 1}, .brute.name = name};
    make(&m);
    uint32_t rounds = 1 + support_below(&m.random, 4);
    for (uint32_t round = 0; round < rounds; ++round) {
        if (round) change(&m);
        if (round && one_in(&m.random, 2)) {
            kugel_status status = kugel_world_step(m.world, m.dt);
            cr_assert(status == KUGEL_OK || status == KUGEL_ERROR_LIMIT, "%s: %s", name,
                      kugel_status_text(status));
        }
        check_rays(&m);
        check_plane(&m);
        for (int i = 0; i < 3; ++i) check_volume(&m);
        for (int i = 0; i < 8; ++i) check_nearest(&m);
    }
    *met += m.met;
    kugel_world_destroy(m.world);
}

Test(queries, all_queries_equal_brute_force_over_mixed_scales, .timeout = 0)
{
    const char *worlds = getenv("KUGEL_WORLDS");
    uint64_t count = worlds ? strtoull(worlds, NULL, 0) : WORLDS;
    uint64_t seed = support_random_start("queries/scales", 1).state;
    size_t met = 0;
    for (uint64_t k = 0; k < count; ++k) check_world(seed + k, &met);
    fprintf(stderr, "queries/scales: %zu results in %llu worlds\n", met, (unsigned long long)count);
    cr_assert(met > 20 * count || count < 20, "%zu results: too few for a test", met);
}
