/* See support_sheets.h. */
#include "query/support_sheets.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

typedef long double vec[3];

static long double dot(const long double *a, const long double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const long double *a, const long double *b, long double *out)
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static const long double *corner_of(const support_sheet *sheet, uint32_t triangle, int corner)
{
    return &sheet->corner[9 * triangle + 3 * corner];
}

/* q v q* */
static void rotate(const double q[4], const double v[3], long double out[3])
{
    const long double u[3] = {q[0], q[1], q[2]}, x[3] = {v[0], v[1], v[2]};
    vec once, twice;
    cross(u, x, once);
    cross(u, once, twice);
    for (int k = 0; k < 3; ++k) out[k] = x[k] + 2 * (q[3] * once[k] + twice[k]);
}

support_sheet support_sheet_read(const kugel_world *world, uint32_t index)
{
    kugel_surface_def def;
    cr_assert_eq(kugel_surface_get(world, kugel_world_surface(world, index), &def, NULL), KUGEL_OK);
    support_sheet sheet = {.corner = calloc(9 * (size_t)def.triangle_count, sizeof(long double)),
                           .count = def.triangle_count,
                           .index = index,
                           .one_sided = def.one_sided,
                           .category = def.category,
                           .mask = def.mask,
                           .group = def.group};
    for (uint32_t i = 0; i < 3 * def.triangle_count; ++i) {
        long double *x = &sheet.corner[3 * i];
        rotate(def.rotation, &def.vertices[3 * def.triangles[i]], x);
        for (int k = 0; k < 3; ++k) {
            x[k] += def.position[k];
            sheet.size = fmaxl(sheet.size, fabsl(x[k]));
        }
    }
    return sheet;
}

bool support_sheet_passes(const support_sheet *s, const kugel_filter *f)
{
    return (f->targets & KUGEL_TARGETS_SURFACES) && (f->category & s->mask) &&
           (s->category & f->mask) && (!f->group || f->group != s->group) &&
           (!f->accept || f->accept(f->user, KUGEL_TARGET_SURFACE, s->index));
}

static long double segment_distance(const long double *a, const long double *b,
                                    const long double *x)
{
    vec e, d;
    for (int k = 0; k < 3; ++k) e[k] = b[k] - a[k], d[k] = x[k] - a[k];
    long double s = dot(e, e) > 0 ? dot(d, e) / dot(e, e) : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    for (int k = 0; k < 3; ++k) d[k] -= s * e[k];
    return sqrtl(dot(d, d));
}

void support_triangle_normal(const support_sheet *sheet, uint32_t t, long double normal[3])
{
    vec e, f;
    const long double *p = corner_of(sheet, t, 0), *q = corner_of(sheet, t, 1),
                      *r = corner_of(sheet, t, 2);
    for (int k = 0; k < 3; ++k) e[k] = q[k] - p[k], f[k] = r[k] - p[k];
    cross(e, f, normal);
    long double length = sqrtl(dot(normal, normal));
    for (int k = 0; k < 3; ++k) normal[k] /= length;
}

long double support_triangle_distance(const support_sheet *sheet, uint32_t t,
                                      const long double x[3])
{
    vec n, d, e, across;
    long double best = INFINITY;
    bool inside = true;
    support_triangle_normal(sheet, t, n);
    for (int c = 0; c < 3; ++c) {
        const long double *p = corner_of(sheet, t, c), *q = corner_of(sheet, t, (c + 1) % 3);
        for (int k = 0; k < 3; ++k) e[k] = q[k] - p[k], d[k] = x[k] - p[k];
        cross(n, e, across);
        inside = inside && dot(across, d) >= 0;
        best = fminl(best, segment_distance(p, q, x));
    }
    return inside ? fminl(best, fabsl(dot(n, d))) : best;
}

long double support_sheet_distance(const support_sheet *sheet, const long double x[3])
{
    long double best = INFINITY;
    for (uint32_t t = 0; t < sheet->count; ++t)
        best = fminl(best, support_triangle_distance(sheet, t, x));
    return best;
}

/* Where the ray crosses the plane, and how far inside of the triangle, in shares of its edges. */
static long double triangle_ray(const support_sheet *sheet, uint32_t t, const kugel_ray *ray,
                                long double margin)
{
    vec n, x, e, d, across;
    support_triangle_normal(sheet, t, n);
    const long double *p = corner_of(sheet, t, 0);
    long double height = 0, slope = 0;
    for (int k = 0; k < 3; ++k) {
        height += n[k] * (ray->origin[k] - p[k]);
        slope += n[k] * ray->direction[k];
    }
    if (slope == 0 || (sheet->one_sided && slope > 0)) return INFINITY;
    long double time = -height / slope;
    for (int k = 0; k < 3; ++k) x[k] = ray->origin[k] + time * ray->direction[k];
    for (int c = 0; c < 3; ++c) {
        const long double *a = corner_of(sheet, t, c), *b = corner_of(sheet, t, (c + 1) % 3),
                          *o = corner_of(sheet, t, (c + 2) % 3);
        for (int k = 0; k < 3; ++k) e[k] = b[k] - a[k], d[k] = x[k] - a[k];
        cross(n, e, across);
        long double inside = dot(across, d);
        for (int k = 0; k < 3; ++k) d[k] = o[k] - a[k];
        if (inside < -margin * dot(across, d)) return INFINITY;
    }
    return time >= 0 ? time : INFINITY;
}

long double support_sheet_ray(const support_sheet *sheet, const kugel_ray *ray, long double margin)
{
    long double best = INFINITY;
    for (uint32_t t = 0; t < sheet->count; ++t)
        best = fminl(best, triangle_ray(sheet, t, ray, margin));
    return best;
}

static long double distance_at(const support_sheet *sheet, uint32_t t, const kugel_ray *ray,
                               long double time)
{
    vec x;
    for (int k = 0; k < 3; ++k) x[k] = ray->origin[k] + time * ray->direction[k];
    return support_triangle_distance(sheet, t, x);
}

/* The distance along the path is convex: its least value, then the first time at the radius. */
static long double triangle_cast(const support_sheet *sheet, uint32_t t, const kugel_ray *ray,
                                 long double radius)
{
    long double low = 0, high = ray->t_max;
    if (distance_at(sheet, t, ray, 0) <= radius) return 0;
    for (int i = 0; i < 120; ++i) {
        long double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (distance_at(sheet, t, ray, a) < distance_at(sheet, t, ray, b)) high = b;
        else low = a;
    }
    if (distance_at(sheet, t, ray, high) > radius) return INFINITY;
    for (low = 0;;) {
        long double middle = 0.5L * (low + high);
        if (middle <= low || middle >= high) return high;
        if (distance_at(sheet, t, ray, middle) > radius) low = middle;
        else high = middle;
    }
}

long double support_sheet_cast(const support_sheet *sheet, const kugel_ray *ray, long double radius)
{
    long double best = INFINITY;
    for (uint32_t t = 0; t < sheet->count; ++t)
        best = fminl(best, triangle_cast(sheet, t, ray, radius));
    return best;
}

typedef struct patch {
    const support_sheet *sheet;
    uint32_t triangle;
    const support_solid *solid;
} patch;

static long double value_at(const patch *p, long double u, long double v)
{
    const long double *a = corner_of(p->sheet, p->triangle, 0),
                      *b = corner_of(p->sheet, p->triangle, 1),
                      *c = corner_of(p->sheet, p->triangle, 2);
    vec x;
    for (int k = 0; k < 3; ++k) x[k] = a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]);
    return p->solid->inside(p->solid->volume, x);
}

enum { SECTIONS = 60 };

/* The function is convex in u and v together, so its least value over v is convex in u. */
static long double least_along(const patch *p, long double u)
{
    long double low = 0, high = 1 - u;
    for (int i = 0; i < SECTIONS; ++i) {
        long double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (value_at(p, u, a) < value_at(p, u, b)) high = b;
        else low = a;
    }
    return fminl(value_at(p, u, low), value_at(p, u, high));
}

static long double least_of(const patch *p)
{
    long double low = 0, high = 1;
    for (int i = 0; i < SECTIONS; ++i) {
        long double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (least_along(p, a) < least_along(p, b)) high = b;
        else low = a;
    }
    return fminl(least_along(p, low), least_along(p, high));
}

long double support_sheet_least(const support_sheet *sheet, const support_solid *solid)
{
    long double best = INFINITY;
    for (uint32_t t = 0; t < sheet->count; ++t) {
        patch p = {sheet, t, solid};
        if (support_triangle_distance(sheet, t, solid->center) > 1.001L * solid->reach) continue;
        best = fminl(best, least_of(&p));
    }
    return best;
}
