/* For engine/query: queries of random worlds with bodies, walls, solid ellipsoids and
 * placed meshes. Targets but surfaces have the bits of the pure functions (support_check.h). Meshes
 * are compared with brute force over all triangles in long double: what is certain by a margin of
 * 1e-9 of the world's size must be reported, what is impossible by it must not. Doubles in frames
 * that are turned twice have errors of 1e-15 of the size, at edges and grazing paths the square
 * root of it in time: the margin is in lengths. KUGEL_WORLDS: number of worlds. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/support_check.h"
#include "query/support_shields.h"
#include "query/support_sheets.h"
#include "support/support_plane.h"
#include "support/support_random.h"
#include "support/support_sanitized.h"
#include "surfaces/support_mesh.h"

enum { WORLDS = SUPPORT_ROUNDS(60), SHEETS = 4, SHIELDS = 2, MOST = 256 };

typedef struct mixture {
    support_random random;
    kugel_world *world;
    support_brute brute;
    support_sheet sheets[SHEETS];
    uint32_t sheet_count;
    support_shield shields[SHIELDS]; /* their surfaces follow the sheets */
    uint32_t shield_count;
    double size, margin; /* m */
    char name[40];
    size_t met; /* surfaces that queries reported */
} mixture;

static bool one_in(support_random *random, uint32_t n) { return support_below(random, n) == 0; }

static void random_point(mixture *m, double x[3])
{
    for (int k = 0; k < 3; ++k) x[k] = support_between(&m->random, -1, 1) * m->size;
}

static void random_rotation(support_random *random, double q[4])
{
    double length = 0;
    for (int k = 0; k < 4; ++k) q[k] = support_gauss(random), length += q[k] * q[k];
    for (int k = 0; k < 4; ++k) q[k] /= sqrt(length);
}

static void add_surface(mixture *m)
{
    support_random *random = &m->random;
    support_shape *shape = support_shape_start();
    uint32_t kind = support_below(random, 4);
    if (kind == 0) support_add_floor(shape, random, 4, 0);
    else if (kind == 1) support_add_cube(shape, 1);
    else if (kind == 2) support_add_icosphere(shape, 1, 2);
    else support_add_soup(shape, random, 30, one_in(random, 2));
    for (uint32_t i = 0; i < 3 * shape->vertices; ++i) shape->vertex[i] *= 0.5 * m->size;
    kugel_surface_def def = kugel_surface_def_default();
    def.vertex_count = shape->vertices, def.vertices = shape->vertex;
    def.triangle_count = shape->triangles, def.triangles = shape->corner;
    def.one_sided = one_in(random, 3);
    def.category = 1u << support_below(random, 3);
    def.group = support_below(random, 2);
    random_point(m, def.position);
    if (!one_in(random, 4)) random_rotation(random, def.rotation);
    cr_assert_eq(kugel_surface_create(m->world, &def, NULL), KUGEL_OK, "%s", m->name);
}

static void add_bodies(mixture *m)
{
    uint32_t count = support_below(&m->random, 40);
    for (uint32_t i = 0; i < count; ++i) {
        kugel_body_def def = kugel_body_def_default();
        random_point(m, def.position);
        def.radius = 0.1 * m->size * support_between(&m->random, 0.1, 1);
        def.category = 1u << support_below(&m->random, 3);
        def.type = KUGEL_STATIC;
        cr_assert_eq(kugel_body_create(m->world, &def, NULL), KUGEL_OK, "%s", m->name);
    }
}

static void make_world(mixture *m)
{
    support_random *random = &m->random;
    kugel_world_def def = kugel_world_def_default();
    for (int f = 0; f < 6; ++f) {
        if (one_in(random, 3)) def.bounds.faces[f] = KUGEL_FACE_WALL;
        double *at = f % 2 ? def.bounds.max : def.bounds.min;
        at[f / 2] = (f % 2 ? 1.2 : -1.2) * m->size;
    }
    cr_assert_eq(kugel_world_create(&def, &m->world), KUGEL_OK, "%s", m->name);
    m->brute = (support_brute){.world = m->world, .name = m->name};
}

static void add_shields(mixture *m)
{
    support_random *random = &m->random;
    m->shield_count = support_below(random, SHIELDS + 1);
    for (uint32_t i = 0; i < m->shield_count; ++i) {
        support_shield *s = &m->shields[i];
        *s = (support_shield){.category = 1u << support_below(random, 3), .mask = 0xffffffffu};
        s->group = support_below(random, 2);
        random_point(m, s->center);
        random_rotation(random, s->rotation);
        for (int k = 0; k < 3; ++k) s->axes[k] = m->size * support_between(random, 0.05, 0.5);
        support_shield_add(m->world, s);
    }
}

static void make(mixture *m, uint64_t seed)
{
    *m = (mixture){.random = {seed * 0x9e3779b97f4a7c15u + 1}};
    snprintf(m->name, sizeof m->name, "KUGEL_SEED=%llu KUGEL_WORLDS=1", (unsigned long long)seed);
    m->size = pow(10, support_between(&m->random, -3, 4));
    m->margin = 1e-9 * m->size;
    make_world(m);
    add_bodies(m);
    m->sheet_count = 1 + support_below(&m->random, SHEETS);
    for (uint32_t i = 0; i < m->sheet_count; ++i) add_surface(m);
    for (uint32_t i = 0; i < m->sheet_count; ++i) m->sheets[i] = support_sheet_read(m->world, i);
    add_shields(m);
}

static void unmake(mixture *m)
{
    for (uint32_t i = 0; i < m->sheet_count; ++i) free(m->sheets[i].corner);
    kugel_world_destroy(m->world);
}

static bool accept_half(void *user, kugel_target target, uint64_t handle)
{
    (void)user;
    return ((uint32_t)handle + (uint32_t)target) % 2 == 0;
}

static kugel_filter random_filter(support_random *random)
{
    kugel_filter filter = kugel_filter_default();
    if (one_in(random, 4)) filter.mask = 1 + support_below(random, 7);
    if (one_in(random, 4)) filter.group = 1;
    if (one_in(random, 4)) filter.targets = support_below(random, KUGEL_TARGETS_ALL + 1);
    if (one_in(random, 4)) filter.accept = accept_half;
    return filter;
}

static kugel_filter without_surfaces(kugel_filter filter)
{
    filter.targets &= ~(uint32_t)KUGEL_TARGETS_SURFACES;
    return filter;
}

static kugel_ray random_ray(mixture *m)
{
    support_random *random = &m->random;
    kugel_ray ray = {.t_max = 1};
    random_point(m, ray.origin);
    support_direction(random, m->size * support_between(random, 0.1, 3), ray.direction);
    if (one_in(random, 8)) {
        uint32_t keep = support_below(random, 3);
        for (uint32_t k = 0; k < 3; ++k) ray.direction[k] *= k == keep;
    }
    if (one_in(random, 3)) { /* other lengths of the direction, exactly */
        double by = ldexp(1, (int)support_below(random, 60) - 30);
        for (int k = 0; k < 3; ++k) ray.direction[k] *= by;
        ray.t_max /= by;
    }
    return ray;
}

static void set_exact(const double x[3], long double out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = x[k];
}

/* A point of a surface lies in the triangle that it names; the normal is a unit vector. */
static void check_place(const mixture *m, const char *what, uint32_t index, uint32_t triangle,
                        const double point[3], const double normal[3])
{
    const support_sheet *sheet = &m->sheets[index];
    long double x[3];
    set_exact(point, x);
    cr_assert(triangle < sheet->count, "%s: %s: triangle %u", m->name, what, triangle);
    long double off = support_triangle_distance(sheet, triangle, x);
    cr_assert(off <= m->margin, "%s: %s: point is %Lg m off its triangle", m->name, what, off);
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    cr_assert(fabs(length - 1) < 1e-12, "%s: %s: normal of length %.17g", m->name, what, length);
}

/* The result of one surface among the hits, or NULL. Asserts that it is the only one. */
#define FIND_SURFACE(result, hits, count, surface)                                                 \
    do {                                                                                           \
        (result) = NULL;                                                                           \
        for (size_t h = 0; h < (count); ++h) {                                                     \
            if ((hits)[h].target != KUGEL_TARGET_SURFACE || (hits)[h].index != (surface))          \
                continue;                                                                          \
            cr_assert_null(result, "a surface is reported twice");                                 \
            (result) = &(hits)[h];                                                                 \
        }                                                                                          \
    } while (0)

/* Results that are no surfaces equal those of the query without surfaces, in order. */
#define CHECK_OTHERS(m, hits, count, others, other_count)                                          \
    do {                                                                                           \
        size_t n = 0;                                                                              \
        for (size_t h = 0; h < (count); ++h) {                                                     \
            if ((hits)[h].target == KUGEL_TARGET_SURFACE) continue;                                \
            cr_assert(n < (other_count) && (hits)[h].target == (others)[n].target &&               \
                          (hits)[h].index == (others)[n].index,                                    \
                      "%s: other targets differ", (m)->name);                                      \
            n += 1;                                                                                \
        }                                                                                          \
        cr_assert_eq(n, other_count, "%s: %zu other targets, not %zu", (m)->name, n,               \
                     (size_t)(other_count));                                                       \
    } while (0)

static void check_batch(mixture *m)
{
    enum { RAYS = 100 };
    kugel_ray rays[RAYS];
    kugel_filter filter = random_filter(&m->random);
    for (int i = 0; i < RAYS; ++i) rays[i] = random_ray(m);
    support_check_batch(&m->brute, RAYS, rays, &filter);
    support_check_batch(&m->brute, 1 + support_below(&m->random, 12), rays, &filter);
}

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void check_ray_surface(mixture *m, const kugel_ray *ray, const kugel_filter *filter,
                              uint32_t index, const kugel_ray_hit *hit)
{
    const support_sheet *sheet = &m->sheets[index];
    bool passes = support_sheet_passes(sheet, filter);
    long double certain = support_sheet_ray(sheet, ray, -1e-7L),
                possible = support_sheet_ray(sheet, ray, 1e-7L);
    double speed = length_of(ray->direction), near = m->margin / speed;
    if (!hit) {
        cr_assert(!passes || certain >= ray->t_max - near, "%s: surface %u missed at %Lg", m->name,
                  index, certain);
        return;
    }
    double t = hit->hit.t_enter, slope = 0;
    cr_assert(passes && hit->hit.hit && t <= ray->t_max, "%s: surface %u", m->name, index);
    cr_assert(t >= possible - near && t <= certain + near, "%s: surface %u at %.17g, not %.17Lg",
              m->name, index, t, certain);
    check_place(m, "ray", index, hit->triangle, hit->hit.point, hit->hit.normal);
    for (int k = 0; k < 3; ++k) slope += hit->hit.normal[k] * ray->direction[k];
    cr_assert(slope <= 1e-12 * speed, "%s: normal away from the start", m->name);
    m->met += 1;
}

static void check_ray(mixture *m)
{
    static kugel_ray_hit hits[MOST], others[MOST];
    kugel_ray ray = random_ray(m);
    kugel_filter filter = random_filter(&m->random), rest = without_surfaces(filter);
    kugel_ray_hit first;
    const kugel_ray_hit *found;
    size_t count, other_count;
    bool any;
    support_check_ray(&m->brute, &ray, &rest);
    cr_assert_eq(kugel_world_ray_all(m->world, &ray, &filter, MOST, hits, &count), KUGEL_OK);
    kugel_world_ray_all(m->world, &ray, &rest, MOST, others, &other_count);
    CHECK_OTHERS(m, hits, count, others, other_count);
    for (uint32_t i = 0; i < m->sheet_count; ++i) {
        FIND_SURFACE(found, hits, count, i);
        check_ray_surface(m, &ray, &filter, i, found);
    }
    for (uint32_t i = 0; i < m->shield_count; ++i) {
        FIND_SURFACE(found, hits, count, m->shields[i].index);
        support_shield_check_ray(m->name, &m->shields[i], &ray, &filter, found);
        m->met += found != NULL;
    }
    for (size_t h = 1; h < count; ++h)
        cr_assert(hits[h - 1].hit.t_enter <= hits[h].hit.t_enter, "%s: order", m->name);
    kugel_world_ray_any(m->world, &ray, &filter, &any);
    kugel_world_ray_closest(m->world, &ray, &filter, &first);
    cr_assert(any == (count > 0) && first.hit.hit == any, "%s: any", m->name);
    cr_assert(!count ||
                  (first.target == hits[0].target && first.index == hits[0].index &&
                   first.triangle == hits[0].triangle && first.hit.t_enter == hits[0].hit.t_enter),
              "%s: the first of all is not the closest", m->name);
}

static bool starts_clear(const mixture *m, const kugel_ray *ray, double radius)
{
    long double x[3];
    set_exact(ray->origin, x);
    for (uint32_t i = 0; i < m->sheet_count; ++i) {
        if (support_sheet_distance(&m->sheets[i], x) < radius + m->margin) return false;
    }
    return true;
}

static void check_cast_surface(mixture *m, const kugel_ray *ray, double radius, double slack,
                               const kugel_filter *filter, uint32_t index,
                               const kugel_cast_hit *hit)
{
    const support_sheet *sheet = &m->sheets[index];
    bool passes = support_sheet_passes(sheet, filter);
    double near = m->margin / length_of(ray->direction);
    long double certain = support_sheet_cast(sheet, ray, radius - m->margin - slack),
                possible = support_sheet_cast(sheet, ray, radius + m->margin), centre[3];
    if (!hit) {
        cr_assert(!passes || sheet->one_sided || certain >= ray->t_max - near,
                  "%s: surface %u missed at %Lg", m->name, index, certain);
        return;
    }
    double t = hit->contact.time;
    cr_assert(passes && hit->contact.hit && t <= ray->t_max, "%s: surface %u", m->name, index);
    cr_assert(t >= possible - near, "%s: surface %u at %.17g, not %.17Lg", m->name, index, t,
              possible);
    if (sheet->one_sided) return;
    cr_assert(t <= certain + near, "%s: surface %u at %.17g, not %.17Lg", m->name, index, t,
              certain);
    for (int k = 0; k < 3; ++k) centre[k] = ray->origin[k] + (long double)t * ray->direction[k];
    long double gap = support_sheet_distance(sheet, centre) - radius;
    cr_assert(fabsl(gap) <= 2 * m->margin + slack, "%s: a contact with a gap of %Lg m", m->name,
              gap);
    double to[3];
    for (int k = 0; k < 3; ++k) to[k] = hit->contact.point[k] - ray->origin[k];
    gap = length_of(to) - radius;
    cr_assert(fabsl(gap - hit->contact.gap) <= m->margin && !hit->contact.touching &&
                  hit->contact.approaching,
              "%s: gap at the start", m->name);
    check_place(m, "cast", index, hit->triangle, hit->contact.point, hit->contact.normal);
    m->met += 1;
}

static void check_cast(mixture *m)
{
    static kugel_cast_hit hits[MOST], others[MOST];
    kugel_ray ray = random_ray(m);
    double radius = m->size * support_between(&m->random, 0.01, 0.2);
    kugel_filter filter = random_filter(&m->random), rest = without_surfaces(filter);
    kugel_cast_hit first;
    const kugel_cast_hit *found;
    size_t count, other_count;
    bool any;
    support_check_cast(&m->brute, &ray, radius, &rest);
    cr_assert_eq(kugel_world_cast_all(m->world, &ray, radius, &filter, MOST, hits, &count),
                 KUGEL_OK);
    kugel_world_cast_all(m->world, &ray, radius, &rest, MOST, others, &other_count);
    CHECK_OTHERS(m, hits, count, others, other_count);
    double slack = support_surface_slack(m->world, &ray, radius, &filter);
    for (uint32_t i = 0; i < m->sheet_count && starts_clear(m, &ray, radius); ++i) {
        FIND_SURFACE(found, hits, count, i);
        check_cast_surface(m, &ray, radius, slack, &filter, i, found);
    }
    for (uint32_t i = 0; i < m->shield_count; ++i) {
        FIND_SURFACE(found, hits, count, m->shields[i].index);
        support_shield_check_cast(m->name, &m->shields[i], &ray, radius, slack, &filter, found);
        m->met += found != NULL;
    }
    kugel_world_cast_any(m->world, &ray, radius, &filter, &any);
    kugel_world_cast_closest(m->world, &ray, radius, &filter, &first);
    cr_assert(any == (count > 0) && first.contact.hit == any, "%s: any of a sphere", m->name);
    cr_assert(!count || (first.target == hits[0].target && first.index == hits[0].index &&
                         first.contact.time == hits[0].contact.time),
              "%s: the first of all is not the closest of a sphere", m->name);
}

/* Of a body the point is on it, nearest to the centre or deepest. */
static void check_body_place(const mixture *m, const kugel_found *found)
{
    kugel_body_state b;
    cr_assert_eq(kugel_body_get(m->world, found->body, &b), KUGEL_OK);
    for (int k = 0; k < 3; ++k) {
        double off = found->point[k] - b.position[k] - b.radius * found->normal[k];
        cr_assert(fabs(off) < m->margin, "%s: a point off its body by %g", m->name, off);
    }
}

static void check_found(mixture *m, const double center[3], double radius, double most,
                        const kugel_filter *filter, bool all, size_t count,
                        const kugel_found *found)
{
    long double x[3];
    set_exact(center, x);
    for (size_t k = 0; k < count; ++k) {
        if (found[k].body) check_body_place(m, &found[k]);
    }
    for (uint32_t i = 0; i < m->sheet_count; ++i) {
        const support_sheet *sheet = &m->sheets[i];
        const kugel_found *f;
        long double gap = support_sheet_distance(sheet, x) - radius;
        bool passes = support_sheet_passes(sheet, filter);
        FIND_SURFACE(f, found, count, i);
        if (!f) {
            bool beyond = !all && count && gap >= found[count - 1].gap - m->margin;
            cr_assert(!passes || beyond || gap >= most - m->margin,
                      "%s: surface %u at %Lg m missed", m->name, i, gap);
            continue;
        }
        cr_assert(passes && fabsl(gap - f->gap) <= m->margin, "%s: surface %u: gap %g, not %Lg",
                  m->name, i, f->gap, gap);
        check_place(m, "overlap", i, f->triangle, f->point, f->normal);
        m->met += 1;
    }
    for (uint32_t i = 0; i < m->shield_count; ++i) {
        const kugel_found *f;
        double last = !all && count ? fmin(most, found[count - 1].gap) : most;
        FIND_SURFACE(f, found, count, m->shields[i].index);
        support_shield_check_found(m->name, &m->shields[i], center, radius, last, filter, f);
        m->met += f != NULL;
    }
}

static void check_near(mixture *m)
{
    static kugel_found found[MOST], others[MOST];
    double center[3], radius = m->size * support_between(&m->random, 0, 0.7);
    kugel_filter filter = random_filter(&m->random), rest = without_surfaces(filter);
    size_t count, other_count, room = 1 + support_below(&m->random, 12);
    random_point(m, center);
    cr_assert_eq(kugel_world_overlap_sphere(m->world, center, radius, &filter, MOST, found, &count),
                 KUGEL_OK);
    kugel_world_overlap_sphere(m->world, center, radius, &rest, MOST, others, &other_count);
    CHECK_OTHERS(m, found, count, others, other_count);
    check_found(m, center, radius, 0, &filter, true, count, found);
    double most = one_in(&m->random, 2) ? INFINITY : radius;
    support_check_nearest(&m->brute, center, most, room, &rest);
    cr_assert_eq(kugel_world_nearest(m->world, center, most, &filter, room, found, &count),
                 KUGEL_OK);
    check_found(m, center, 0, most, &filter, count < room, count, found);
    for (size_t k = 1; k < count; ++k)
        cr_assert(found[k - 1].gap <= found[k].gap, "%s: order of the nearest", m->name);
    kugel_world_nearest(m->world, center, most, &filter, MOST, found, &count);
    kugel_world_nearest(m->world, center, most, &rest, MOST, others, &other_count);
    CHECK_OTHERS(m, found, count, others, other_count);
}

/* How far outside of a box, along one axis. */
static long double out_of_box(const void *volume, const long double x[3])
{
    const support_volume *v = volume;
    long double most = -INFINITY;
    for (int k = 0; k < 3; ++k) most = fmaxl(most, fmaxl(v->center[k] - x[k], x[k] - v->max[k]));
    return most;
}

/* Into the axes of an ellipsoid: q* v q. */
static void to_axes(const double q[4], const long double v[3], long double out[3])
{
    long double u[3] = {-q[0], -q[1], -q[2]}, once[3];
    for (int k = 0; k < 3; ++k)
        once[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3] + q[3] * v[k];
    for (int k = 0; k < 3; ++k)
        out[k] =
            v[k] + 2 * (u[(k + 1) % 3] * once[(k + 2) % 3] - u[(k + 2) % 3] * once[(k + 1) % 3]);
}

/* The distance from the centre, the ellipsoid's surface being at 1, less 1. */
static long double out_of_ellipsoid(const void *volume, const long double x[3])
{
    const support_volume *v = volume;
    long double sum = 0, d[3];
    for (int k = 0; k < 3; ++k) d[k] = x[k] - v->center[k];
    to_axes(v->rotation, d, d);
    for (int k = 0; k < 3; ++k) sum += d[k] / v->axes[k] * (d[k] / v->axes[k]);
    return sqrtl(sum) - 1;
}

/* `scale`: m, per unit of the solid's function. */
static void check_volume_surfaces(mixture *m, const support_solid *solid, double scale,
                                  const kugel_filter *filter, size_t count,
                                  const kugel_found *found)
{
    for (uint32_t i = 0; i < m->sheet_count; ++i) {
        const support_sheet *sheet = &m->sheets[i];
        const kugel_found *f;
        bool passes = support_sheet_passes(sheet, filter);
        long double least = support_sheet_least(sheet, solid) * scale, x[3];
        FIND_SURFACE(f, found, count, i);
        cr_assert(f || !passes || least > -m->margin, "%s: surface %u missed, %Lg m deep", m->name,
                  i, least);
        if (!f) continue;
        cr_assert(passes && least < m->margin && f->gap == 0, "%s: surface %u is %Lg m away",
                  m->name, i, least);
        check_place(m, "volume", i, f->triangle, f->point, f->normal);
        set_exact(f->point, x);
        cr_assert(solid->inside(solid->volume, x) * scale < m->margin, "%s: a point outside",
                  m->name);
        m->met += 1;
    }
}

/* The nearest point of a solid. */
typedef void project(const void *volume, const double x[3], double out[3]);

static void to_box(const void *volume, const double x[3], double out[3])
{
    const support_volume *v = volume;
    for (int k = 0; k < 3; ++k) out[k] = fmin(fmax(x[k], v->center[k]), v->max[k]);
}

static void to_ellipsoid(const void *volume, const double x[3], double out[3])
{
    const support_volume *v = volume;
    kugel_overlap o;
    kugel_ellipsoid_nearest(x, v->center, v->axes, v->rotation, &o);
    memcpy(out, o.hit ? x : o.point_b, 3 * sizeof *x);
}

/* Alternating projections converge to the distance of two convex solids, from above. */
static double solids_distance(project *a, const void *one, const double from[3],
                              const support_volume *two)
{
    double x[3], y[3], d = 0;
    memcpy(x, from, sizeof x);
    for (int i = 0; i < 3000; ++i) {
        to_ellipsoid(two, x, y);
        a(one, y, x);
        d = 0;
        for (int k = 0; k < 3; ++k) d += (x[k] - y[k]) * (x[k] - y[k]);
        if (d == 0) return 0;
    }
    return sqrt(d);
}

/* Slow convergence of solids that nearly touch: a hundredth of the size is certain. */
static void check_volume_shields(const mixture *m, project *to, const void *volume,
                                 const double from[3], const kugel_filter *filter, size_t count,
                                 const kugel_found *found)
{
    for (uint32_t i = 0; i < m->shield_count; ++i) {
        const support_shield *s = &m->shields[i];
        const kugel_found *f;
        support_volume shield = {0};
        memcpy(shield.center, s->center, sizeof shield.center);
        memcpy(shield.axes, s->axes, sizeof shield.axes);
        memcpy(shield.rotation, s->rotation, sizeof shield.rotation);
        FIND_SURFACE(f, found, count, s->index);
        double distance = solids_distance(to, volume, from, &shield);
        if (!support_shield_passes(s, filter)) cr_assert_null(f);
        else if (distance == 0) cr_assert(f, "%s: ellipsoid %u missed", m->name, i);
        else
            cr_assert(!f || distance < 0.01 * m->size, "%s: ellipsoid %u is %g m away", m->name, i,
                      distance);
    }
}

/* Heights of an ellipsoid over walls and planes: that of the centre less the support. */
static void check_ellipsoid_heights(const mixture *m, const support_volume *e,
                                    const kugel_filter *filter, size_t count,
                                    const kugel_found *found)
{
    support_half_space spaces[BRUTE_HALF_SPACES];
    int n = support_half_spaces(&m->brute, filter, spaces);
    for (int i = 0; i < n; ++i) {
        const kugel_found *f = NULL;
        for (size_t k = 0; k < count; ++k) {
            if (found[k].target == spaces[i].target && found[k].index == spaces[i].index)
                f = &found[k];
        }
        long double height = -spaces[i].offset, along[3], support = 0;
        set_exact(spaces[i].normal, along);
        for (int k = 0; k < 3; ++k) height += along[k] * e->center[k];
        to_axes(e->rotation, along, along);
        for (int k = 0; k < 3; ++k) support += along[k] * e->axes[k] * (along[k] * e->axes[k]);
        height -= sqrtl(support);
        cr_assert(f ? fabsl(f->gap - height) < m->margin : height > -m->margin,
                  "%s: an ellipsoid %Lg m over a half space", m->name, height);
    }
}

static void check_volumes(mixture *m)
{
    static kugel_found found[MOST], others[MOST];
    support_random *random = &m->random;
    kugel_filter filter = random_filter(random), rest = without_surfaces(filter);
    support_volume v;
    size_t count, other_count;
    random_point(m, v.center);
    random_rotation(random, v.rotation);
    v.radius = m->size * support_uniform(random);
    for (int k = 0; k < 3; ++k) {
        v.max[k] = v.center[k] + m->size * support_between(random, 0, 0.7);
        v.axes[k] = m->size * support_between(random, 0.05, 0.5);
    }
    support_solid box = {out_of_box, &v, {0}, 0.61L * m->size},
                  ball = {out_of_ellipsoid, &v, {0}, 0};
    for (int k = 0; k < 3; ++k) {
        box.center[k] = 0.5L * v.center[k] + 0.5L * v.max[k];
        ball.center[k] = v.center[k];
        ball.reach = fmaxl(ball.reach, v.axes[k]);
    }
    support_check_volumes(&m->brute, &v, &rest);
    cr_assert_eq(kugel_world_overlap_box(m->world, v.center, v.max, &filter, MOST, found, &count),
                 KUGEL_OK);
    kugel_world_overlap_box(m->world, v.center, v.max, &rest, MOST, others, &other_count);
    CHECK_OTHERS(m, found, count, others, other_count);
    check_volume_surfaces(m, &box, 1, &filter, count, found);
    check_volume_shields(m, to_box, &v, v.center, &filter, count, found);
    cr_assert_eq(kugel_world_overlap_ellipsoid(m->world, v.center, v.axes, v.rotation, &filter,
                                               MOST, found, &count),
                 KUGEL_OK);
    check_volume_surfaces(m, &ball, 0.05 * m->size, &filter, count, found);
    check_volume_shields(m, to_ellipsoid, &v, v.center, &filter, count, found);
    check_ellipsoid_heights(m, &v, &filter, count, found);
}

typedef struct floor_row {
    char name[16];
    kugel_target target;
    bool is_plane;
} floor_row;

/* A floor at z = 0 of the row's kind, with a ball of radius 1 that rests on it. */
static kugel_world *make_floor(const floor_row *row)
{
    static const double vertices[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    if (row->target == KUGEL_TARGET_FACE) def.bounds.faces[4] = KUGEL_FACE_WALL;
    for (int k = 0; k < 3; ++k) def.bounds.min[k] = k == 2 ? 0 : -9, def.bounds.max[k] = 9;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    support_plane plane = {.normal = {0, 0, 1}};
    kugel_surface_def surface = kugel_surface_def_default();
    surface.vertex_count = 4, surface.vertices = vertices, surface.one_sided = true;
    surface.triangle_count = 2, surface.triangles = triangles;
    if (row->is_plane) support_add_plane(world, &plane, NULL);
    else if (row->target == KUGEL_TARGET_SURFACE) kugel_surface_create(world, &surface, NULL);
    kugel_body_def ball = kugel_body_def_default();
    ball.position[2] = 1, ball.radius = 1;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    return world;
}

/* Lengths are exact in doubles. */
static void check_floor(const floor_row *row)
{
    kugel_world *world = make_floor(row);
    kugel_ray beside = {{3, 2, 5}, {0, 0, -1}, 10}, onto = {{0, 0, 5}, {0, 0, -1}, 10};
    kugel_filter bodies = kugel_filter_default();
    bodies.targets = KUGEL_TARGETS_BODIES;
    kugel_ray_hit hit;
    kugel_cast_hit cast;
    kugel_found found;
    size_t count;
    uint32_t index = row->target == KUGEL_TARGET_FACE ? 4 : 0;
    cr_assert_eq(kugel_world_ray_closest(world, &beside, NULL, &hit), KUGEL_OK);
    cr_assert(hit.hit.hit && !hit.body && hit.target == row->target && hit.index == index,
              "%s: the ray meets kind %d, index %u", row->name, (int)hit.target, hit.index);
    cr_assert(fabs(hit.hit.t_enter - 5) < 1e-12 && hit.hit.normal[2] == 1 && hit.triangle == 0,
              "%s: at %.17g", row->name, hit.hit.t_enter);
    kugel_world_ray_closest(world, &onto, NULL, &hit);
    cr_assert(hit.body && hit.target == KUGEL_TARGET_BODY && hit.hit.t_enter == 3, "%s", row->name);
    kugel_world_ray_closest(world, &beside, &bodies, &hit);
    cr_assert(!hit.hit.hit, "%s: bodies only", row->name);
    kugel_world_cast_closest(world, &beside, 0.5, NULL, &cast);
    cr_assert(cast.contact.hit && cast.target == row->target && cast.index == index &&
                  fabs(cast.contact.time - 4.5) < 1e-12 && fabs(cast.contact.gap - 4.5) < 1e-8 &&
                  fabs(cast.contact.point[2]) < 1e-12 && cast.contact.normal[2] > 0.999,
              "%s: a sphere at %.17g", row->name, cast.contact.time);
    kugel_world_nearest(world, beside.origin, INFINITY, NULL, 1, &found, &count);
    cr_assert(count == 1 && found.body, "%s: the ball is nearer", row->name);
    beside.origin[2] = 0.25;
    kugel_world_nearest(world, beside.origin, INFINITY, NULL, 1, &found, &count);
    cr_assert(count == 1 && found.target == row->target && found.index == index &&
                  fabs(found.gap - 0.25) < 1e-12 && fabs(found.point[2]) < 1e-8 &&
                  found.normal[2] > 0.999,
              "%s: nearest", row->name);
    beside.origin[2] = -5, beside.direction[2] = 1;
    kugel_world_ray_closest(world, &beside, NULL, &hit);
    cr_assert(row->is_plane ? hit.hit.started_inside && hit.hit.t_enter == 0 : !hit.hit.hit,
              "%s: from behind", row->name);
    kugel_world_destroy(world);
}

/* A mover of radius 0.5 m lies on a plane, a wall, a large ball and a mesh. Along them it meets
 * only the ball ahead; away from them, nothing. */
Test(targets, a_cast_passes_what_it_touches_and_does_not_approach)
{
    for (int kind = 0; kind < 4; ++kind) {
        kugel_world_def def = kugel_world_def_default();
        for (int k = 0; k < 3; ++k) def.bounds.min[k] = -100, def.bounds.max[k] = 100;
        for (int k = 0; k < 6; ++k) def.bounds.faces[k] = KUGEL_FACE_OPEN;
        if (kind == 1) def.bounds.faces[4] = KUGEL_FACE_WALL, def.bounds.min[2] = 0;
        kugel_world *world;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        kugel_body_def ball = kugel_body_def_default();
        ball.type = KUGEL_STATIC, ball.radius = 0.5;
        ball.position[0] = 3, ball.position[2] = 0.5;
        kugel_body ahead;
        cr_assert_eq(kugel_body_create(world, &ball, &ahead), KUGEL_OK);
        const support_plane floor = {.normal = {0, 0, 1}};
        const double square[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
        const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
        kugel_surface_def mesh = kugel_surface_def_default();
        mesh.vertices = square, mesh.vertex_count = 4;
        mesh.triangles = corners, mesh.triangle_count = 2;
        ball.radius = 16, ball.position[0] = 0, ball.position[2] = -16;
        if (kind == 0) cr_assert_eq(support_add_plane(world, &floor, NULL), KUGEL_OK);
        if (kind == 2) cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        if (kind == 3) cr_assert_eq(kugel_surface_create(world, &mesh, NULL), KUGEL_OK);
        kugel_ray along = {{0, 0, 0.5}, {1, 0, 0}, 10}, away = {{0, 0, 0.5}, {0, 0, 1}, 10},
                  into = {{0, 0, 0.5}, {0, 0, -1}, 10}, back = {{0, 0, 0.5}, {-1, 0, 0}, 5};
        kugel_cast_hit hit;
        bool any;
        cr_assert_eq(kugel_world_cast_closest(world, &along, 0.5, NULL, &hit), KUGEL_OK);
        cr_expect(hit.contact.hit && hit.body == ahead, "%d: target %d", kind, (int)hit.target);
        cr_expect_eq(hit.contact.time, 2, "%d", kind);
        cr_assert_eq(kugel_world_cast_any(world, &away, 0.5, NULL, &any), KUGEL_OK);
        cr_expect(!any, "%d: away", kind);
        cr_assert_eq(kugel_world_cast_any(world, &back, 0.5, NULL, &any), KUGEL_OK);
        cr_expect(!any, "%d: back", kind);
        cr_assert_eq(kugel_world_cast_closest(world, &into, 0.5, NULL, &hit), KUGEL_OK);
        cr_expect(hit.contact.hit && hit.contact.time == 0, "%d: into", kind);
        kugel_world_destroy(world);
    }
}

Test(targets, a_ray_through_the_floor_reports_the_floor)
{
    static const floor_row rows[] = {{"wall", KUGEL_TARGET_FACE, false},
                                     {"plane", KUGEL_TARGET_SURFACE, true},
                                     {"surface", KUGEL_TARGET_SURFACE, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) check_floor(&rows[i]);
}

/* Surfaces do not repeat across periodic faces; rays without end are valid without bodies. */
Test(targets, other_targets_do_not_repeat)
{
    static const double vertices[9] = {4, 0, 0, 4, 9, 0, 4, 0, 9};
    static const uint32_t triangles[3] = {0, 1, 2};
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    for (int f = 0; f < 6; ++f) def.bounds.faces[f] = KUGEL_FACE_PERIODIC;
    for (int k = 0; k < 3; ++k) def.bounds.max[k] = 9;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    kugel_surface_def surface = kugel_surface_def_default();
    surface.vertex_count = 3, surface.vertices = vertices;
    surface.triangle_count = 1, surface.triangles = triangles;
    cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    kugel_ray ray = {{5, 1, 1}, {1, 0, 0}, INFINITY};
    kugel_filter others = kugel_filter_default();
    kugel_ray_hit hit;
    cr_assert_eq(kugel_world_ray_closest(world, &ray, &others, &hit), KUGEL_ERROR_LIMIT);
    others.targets = KUGEL_TARGETS_ALL & ~KUGEL_TARGETS_BODIES;
    cr_assert_eq(kugel_world_ray_closest(world, &ray, &others, &hit), KUGEL_OK);
    cr_assert(!hit.hit.hit, "the surface repeats");
    ray.direction[0] = -1;
    kugel_world_ray_closest(world, &ray, &others, &hit);
    cr_assert(hit.hit.hit && hit.hit.t_enter == 1 && hit.target == KUGEL_TARGET_SURFACE);
    kugel_world_destroy(world);
}

Test(targets, all_queries_equal_brute_force_over_all_targets, .timeout = 0)
{
    const char *worlds = getenv("KUGEL_WORLDS");
    uint64_t count = worlds ? strtoull(worlds, NULL, 0) : WORLDS;
    uint64_t seed = support_random_start("queries/targets", 70).state;
    size_t met = 0;
    for (uint64_t k = 0; k < count; ++k) {
        mixture m;
        make(&m, seed + k);
        for (int i = 0; i < 40; ++i) check_ray(&m);
        check_batch(&m);
        for (int i = 0; i < 10; ++i) check_cast(&m);
        for (int i = 0; i < 20; ++i) check_near(&m);
        for (int i = 0; i < 1; ++i) check_volumes(&m);
        met += m.met;
        unmake(&m);
    }
    fprintf(stderr, "queries/targets: %zu surfaces met in %llu worlds\n", met,
            (unsigned long long)count);
    cr_assert(met > 15 * count, "%zu surfaces: too few for a test", met);
}
