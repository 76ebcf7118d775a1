/* Properties of points, planes, overlaps and nearest points. */
#include <kugel/geometry.h>
#include <math.h>
#include <string.h>

#include "geometry/support_properties.h"

static long double longest_of(const support_start *s)
{
    return fmax(s->axes[0], fmax(s->axes[1], s->axes[2]));
}

/* A point is in a solid, or not, where its level is above rounding. */
static const char *check_point(support_random *random, support_start_shape shape)
{
    support_start s = support_start_any(random, shape, 290);
    support_solid solid =
        shape == SUPPORT_STARTS_BALL
            ? support_ball(s.center, s.radius)
            : support_ellipsoid(SUPPORT_SCALED_ELLIPSOID, s.center, s.axes, s.rotation, 0);
    support_path path = {s.origin, s.direction};
    long double by = support_tolerance(support_distance(s.origin, s.center) + longest_of(&s));
    kugel_hit hit;
    double zero[3] = {0, 0, 0};
    kugel_status status =
        shape == SUPPORT_STARTS_BALL
            ? kugel_ray_sphere(s.origin, zero, 0, s.center, s.radius, &hit)
            : kugel_ray_ellipsoid(s.origin, zero, 0, s.center, s.axes, s.rotation, &hit);
    support_property_note("point", s.origin, 3);
    support_property_note("center", s.center, 3);
    support_property_note("axes, rotation", s.axes, 7);
    SUPPORT_CHECK(status == KUGEL_OK);
    if (hit.hit) SUPPORT_CHECK(support_is_in(&solid, &path, 0, by));
    else SUPPORT_CHECK(support_is_out(&solid, &path, 0, by));
    return NULL;
}

const char *support_property_point_sphere(support_random *random)
{
    return check_point(random, SUPPORT_STARTS_BALL);
}

const char *support_property_point_ellipsoid(support_random *random)
{
    return check_point(random, SUPPORT_STARTS_ELLIPSOID);
}

/* A point and a direction near a plane. */
typedef struct plane_case {
    double normal[3], offset, origin[3], direction[3];
} plane_case;

static plane_case plane_start(support_random *random, double magnitude)
{
    plane_case c;
    uint32_t kind = support_below(random, 5);
    double scale = support_below(random, 4) ? 1 : support_power(random, -magnitude, magnitude);
    double small = support_power(random, -18, 0);
    support_normal(random, c.normal);
    support_direction(random, support_power(random, -2, 3), c.origin);
    support_direction(random, support_power(random, -2, 2), c.direction);
    double height = 0, slope = 0;
    for (int k = 0; k < 3; ++k)
        height += c.normal[k] * c.origin[k], slope += c.normal[k] * c.direction[k];
    c.offset = kind == 0 ? 0 : kind == 1 ? height : height + support_gauss(random) * small;
    if (kind >= 3) /* nearly along the plane */
        for (int k = 0; k < 3; ++k)
            c.direction[k] += (-slope + (kind == 3 ? 0 : small)) * c.normal[k];
    if (support_below(random, 20) == 0) memset(c.direction, 0, sizeof c.direction);
    for (int k = 0; k < 3; ++k) c.origin[k] *= scale, c.direction[k] *= scale;
    c.offset *= scale;
    support_property_note("normal, offset", c.normal, 4);
    support_property_note("origin, direction", c.origin, 6);
    return c;
}

static support_solid half_space_of(const plane_case *c)
{
    support_solid s = {.kind = SUPPORT_HALF_SPACE, .size = {c->offset}};
    memcpy(s.at[0], c->normal, sizeof c->normal);
    return s;
}

static const char *check_plane_hit(const plane_case *c, const kugel_plane_hit *hit, double end)
{
    support_solid plane = half_space_of(c);
    support_path path = {c->origin, c->direction};
    long double scale = support_length(c->origin) + fabs(c->offset), by = support_tolerance(scale),
                speed = support_length(c->direction), slope = 0, height, x[3], q = 0;
    for (int k = 0; k < 3; ++k) slope += (long double)c->normal[k] * c->direction[k];
    slope /= support_length(c->normal);
    height = support_level_at(&plane, &path, 0);
    support_property_note("hit, relation, side, t",
                          (double[]){hit->hit, hit->relation, hit->side, hit->t}, 4);
    support_property_note("point, normal", hit->point, 6);
    SUPPORT_CHECK(hit->side > 0 ? height > -by : hit->side < 0 ? height < by : fabsl(height) <= by);
    if (hit->relation != KUGEL_PLANE_CROSSING)
        SUPPORT_CHECK(fabsl(slope) <= support_tolerance(speed + scale));
    if (!hit->hit) { /* it recedes, or ends before the plane, or t overflows */
        long double t = height / -slope;
        SUPPORT_CHECK(fabsl(slope) <= support_tolerance(speed) || t > 1e300L ||
                      t < by / fabsl(slope) || t > end - by / fabsl(slope));
        return NULL;
    }
    SUPPORT_CHECK(hit->t >= 0 && hit->t <= end);
    by = support_tolerance(scale + hit->t * speed) + 0x1p-1074L * speed;
    SUPPORT_CHECK(fabsl(support_level_at(&plane, &path, hit->t)) <= by);
    support_path_position(&plane, &path, hit->t, x);
    for (int k = 0; k < 3; ++k) q += (hit->point[k] - x[k]) * (hit->point[k] - x[k]);
    SUPPORT_CHECK(sqrtl(q) <= by);
    for (int k = 0; k < 3; ++k) x[k] = hit->point[k];
    SUPPORT_CHECK(fabsl(support_level(&plane, x)) <= by);
    long double towards = 0;
    for (int k = 0; k < 3; ++k) towards += (long double)hit->normal[k] * c->normal[k];
    SUPPORT_CHECK(fabsl(fabsl(towards) / support_length(c->normal) - 1) <= 4 * SUPPORT_UNIT);
    SUPPORT_CHECK(hit->side ? hit->side * towards > 0
                            : slope <= support_tolerance(speed) || towards < 0);
    return NULL;
}

const char *support_property_ray_plane(support_random *random)
{
    plane_case c = plane_start(random, 150);
    kugel_plane_hit hit;
    SUPPORT_CHECK(!kugel_ray_plane(c.origin, c.direction, INFINITY, c.normal, c.offset, &hit));
    return check_plane_hit(&c, &hit, INFINITY);
}

const char *support_property_segment_plane(support_random *random)
{
    plane_case c = plane_start(random, 150);
    kugel_plane_hit hit;
    double q[3];
    for (int k = 0; k < 3; ++k) q[k] = c.origin[k] + c.direction[k];
    for (int k = 0; k < 3; ++k) c.direction[k] = q[k] - c.origin[k];
    SUPPORT_CHECK(!kugel_ray_plane(c.origin, c.direction, 1, c.normal, c.offset, &hit));
    return check_plane_hit(&c, &hit, 1);
}

/* Heights are lengths, also where the normal's length is 1 only within 1e-5. */
static const char *check_plane_gap(const plane_case *c, double radius, const kugel_plane_gap *gap)
{
    support_solid plane = half_space_of(c);
    support_path path = {c->origin, c->direction};
    long double by = support_tolerance(support_length(c->origin) + fabs(c->offset) + radius), x[3],
                height = support_level_at(&plane, &path, 0);
    support_property_note("radius, height, distance",
                          (double[]){radius, gap->height, gap->distance}, 3);
    support_property_note("point, on_plane", gap->point, 6);
    SUPPORT_CHECK(fabsl(gap->height - height) <= by);
    SUPPORT_CHECK(fabsl(gap->distance - fmaxl(fabsl(height) - radius, 0)) <= by);
    SUPPORT_CHECK(gap->hit == (gap->distance == 0));
    SUPPORT_CHECK(fabsl(support_distance(gap->point, c->origin) - radius) <= by);
    SUPPORT_CHECK(fabsl(support_distance(gap->on_plane, c->origin) - fabsl(height)) <= by);
    for (int k = 0; k < 3; ++k) x[k] = gap->on_plane[k];
    SUPPORT_CHECK(fabsl(support_level(&plane, x)) <= by);
    for (int k = 0; k < 3; ++k) x[k] = gap->point[k];
    SUPPORT_CHECK(fabsl(support_level(&plane, x) - height + (height < 0 ? -radius : radius)) <=
                      by ||
                  fabsl(height) <= by);
    return NULL;
}

static double plane_radius(support_random *random, const plane_case *c)
{
    double height = -c->offset;
    for (int k = 0; k < 3; ++k) height += c->normal[k] * c->origin[k];
    uint32_t kind = support_below(random, 4);
    if (kind == 0) return 0;
    if (kind == 1) return fabs(height);
    return fabs(height) * (1 + support_power(random, -17, 1) * (kind == 2 ? 1 : -0.1));
}

const char *support_property_plane_sphere(support_random *random)
{
    plane_case c = plane_start(random, 290);
    double radius = plane_radius(random, &c);
    kugel_plane_gap gap;
    SUPPORT_CHECK(!kugel_plane_sphere(c.normal, c.offset, c.origin, radius, &gap));
    return check_plane_gap(&c, radius, &gap);
}

const char *support_property_plane_sphere_circle(support_random *random)
{
    plane_case c = plane_start(random, 290);
    double radius = plane_radius(random, &c);
    kugel_circle circle;
    support_solid plane = half_space_of(&c);
    support_path path = {c.origin, c.direction};
    long double by = support_tolerance(support_length(c.origin) + fabs(c.offset) + radius), x[3],
                height = support_level_at(&plane, &path, 0);
    SUPPORT_CHECK(!kugel_plane_sphere_circle(c.normal, c.offset, c.origin, radius, &circle));
    support_property_note("radius, circle", (double[]){radius, circle.hit, circle.radius}, 3);
    support_property_note("center", circle.center, 3);
    support_property_note("u, v", circle.u, 6);
    if (!circle.hit) {
        SUPPORT_CHECK(fabsl(height) > radius - by);
        return NULL;
    }
    SUPPORT_CHECK(fabsl(height) < radius + by);
    for (int step = 0; step < 4; ++step) {
        long double a = step * 1.6L, d = 0;
        for (int k = 0; k < 3; ++k) {
            x[k] =
                circle.center[k] + circle.radius * (circle.u[k] * cosl(a) + circle.v[k] * sinl(a));
            d += (x[k] - c.origin[k]) * (x[k] - c.origin[k]);
        }
        SUPPORT_CHECK(fabsl(support_level(&plane, x)) <= by);
        SUPPORT_CHECK(fabsl(sqrtl(d) - radius) <= by);
    }
    for (int k = 0; k < 3; ++k)
        SUPPORT_CHECK(fabsl(circle.point[k] - (circle.center[k] + circle.radius * circle.u[k])) <=
                      by);
    return NULL;
}

/* Outside, the distance is that of bisection. On both sides the nearest point is on the surface, in
 * the direction of the normal, and no other point of the surface is nearer. */
const char *support_property_ellipsoid_nearest(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_ELLIPSOID, 70);
    support_solid scaled =
        support_ellipsoid(SUPPORT_SCALED_ELLIPSOID, s.center, s.axes, s.rotation, 0);
    support_solid solid = support_ellipsoid(SUPPORT_ELLIPSOID, s.center, s.axes, s.rotation, 0);
    kugel_overlap near;
    SUPPORT_CHECK(!kugel_ellipsoid_nearest(s.origin, s.center, s.axes, s.rotation, &near));
    support_property_note("point", s.origin, 3);
    support_property_note("center", s.center, 3);
    support_property_note("axes, rotation", s.axes, 7);
    support_property_note("gap, normal", &near.gap, 4);
    support_property_note("point_b", near.point_b, 3);
    long double scale = support_distance(s.origin, s.center) + longest_of(&s),
                by = support_tolerance(scale), far = support_distance(s.origin, near.point_b),
                at = support_tolerance(scale + support_length(s.center)), x[3];
    support_path path = {s.origin, s.direction}, foot = {near.point_b, s.direction};
    if (!(longest_of(&s) > 0)) return NULL; /* a point */
    SUPPORT_CHECK(fabsl(fabs(near.gap) - far) <= at);
    SUPPORT_CHECK(near.gap <= 0 ? support_is_in(&scaled, &path, 0, by)
                                : support_is_out(&scaled, &path, 0, by));
    SUPPORT_CHECK(support_is_in(&scaled, &foot, 0, at) && support_is_out(&scaled, &foot, 0, at));
    if (near.gap > 0) SUPPORT_CHECK(fabsl(support_level_at(&solid, &path, 0) - near.gap) <= by);
    for (int tries = 0; tries < 20; ++tries) { /* other points of the surface, most of them close */
        double y[3];
        long double d[3], length = 0, q = 0;
        support_direction(random, 1, y);
        long double spread = tries % 4 ? powl(10, -tries / 2) : 1000;
        for (int k = 0; k < 3; ++k) d[k] = (long double)near.point_b[k] - s.center[k];
        for (int k = 0; k < 3; ++k) {
            x[k] = support_dot(scaled.rows[k], d) / scaled.size[k] + spread * y[k];
            length += x[k] * x[k];
        }
        for (int k = 0; k < 3; ++k) x[k] *= scaled.size[k] / sqrtl(length);
        for (int k = 0; k < 3; ++k) {
            long double place = s.center[k] - (long double)s.origin[k];
            for (int i = 0; i < 3; ++i) place += scaled.rows[i][k] * x[i];
            q += place * place;
        }
        SUPPORT_CHECK(sqrtl(q) >= fabs(near.gap) - by);
    }
    return NULL;
}

static const char *check_overlap(const kugel_overlap *o, const double a[3], long double gap,
                                 long double radius_a, long double by, long double at)
{
    long double q = 0;
    support_property_note("gap, normal", &o->gap, 4);
    SUPPORT_CHECK(fabsl(o->gap - gap) <= by);
    SUPPORT_CHECK(o->hit == (o->gap <= 0));
    SUPPORT_CHECK(fabsl(support_length(o->normal) - 1) <= 4 * SUPPORT_UNIT);
    SUPPORT_CHECK(fabsl(support_distance(o->point_a, a) - radius_a) <= at);
    SUPPORT_CHECK(fabsl(support_distance(o->point_a, o->point_b) - fabs(o->gap)) <= at);
    for (int k = 0; k < 3; ++k) {
        long double middle = ((long double)o->point_a[k] + o->point_b[k]) / 2 - o->point[k];
        q += middle * middle;
    }
    SUPPORT_CHECK(sqrtl(q) <= at);
    return NULL;
}

const char *support_property_overlap_spheres(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_BALL, 70);
    double part = support_uniform(random), a = part * s.radius, b = s.radius - a;
    kugel_overlap o;
    SUPPORT_CHECK(!kugel_overlap_spheres(s.origin, a, s.center, b, &o));
    support_property_note("a", s.origin, 3);
    support_property_note("b", s.center, 3);
    support_property_note("radii", (double[]){a, b}, 2);
    long double far = support_distance(s.origin, s.center), reach = (long double)a + b,
                by = support_tolerance(far + reach),
                at = support_tolerance(far + reach + support_length(s.origin) +
                                       support_length(s.center));
    SUPPORT_CHECK(fabsl(support_distance(o.point_b, s.center) - b) <= at);
    return check_overlap(&o, s.origin, far - reach, a, by, at);
}

const char *support_property_overlap_sphere_box(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_ELLIPSOID, 70);
    double low[3], high[3], radius = support_uniform(random) * s.axes[support_below(random, 3)],
                            middle[3], half[3];
    kugel_overlap o;
    for (int k = 0; k < 3; ++k) {
        low[k] = s.center[k] - s.axes[k], high[k] = s.center[k] + s.axes[k];
        middle[k] = low[k] / 2 + high[k] / 2, half[k] = high[k] / 2 - low[k] / 2;
    }
    SUPPORT_CHECK(!kugel_overlap_sphere_box(s.origin, radius, low, high, &o));
    support_property_note("center, radius",
                          (double[]){s.origin[0], s.origin[1], s.origin[2], radius}, 4);
    support_property_note("low", low, 3);
    support_property_note("high", high, 3);
    support_solid box = support_ellipsoid(SUPPORT_BOX, middle, half, NULL, 0);
    support_path path = {s.origin, s.direction}, foot = {o.point_b, s.direction};
    long double at = support_tolerance(support_length(low) + support_length(high) +
                                       support_length(s.origin) + radius);
    SUPPORT_CHECK(fabsl(support_level_at(&box, &foot, 0)) <= at);
    return check_overlap(&o, s.origin, support_level_at(&box, &path, 0) - radius, radius, at, at);
}
