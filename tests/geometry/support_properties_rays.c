/* Properties of rays and lines against spheres and ellipsoids. A hit is right if the
 * point at t_enter is on the surface, nothing before it is in the solid, the point at t_exit is on
 * the surface, and nothing after it is in the solid; each up to the tolerance. */
#include <kugel/geometry.h>
#include <math.h>
#include <string.h>

#include "geometry/support_properties.h"

typedef struct ray_case {
    support_start start;
    support_solid solid;
    long double scale; /* m */
    long double reach; /* lengths of the direction: beyond it the ray is past the solid */
} ray_case;

static ray_case make_case(const support_start *s, support_start_shape shape)
{
    ray_case c = {.start = *s};
    c.solid = shape == SUPPORT_STARTS_BALL
                  ? support_ball(s->center, s->radius)
                  : support_ellipsoid(SUPPORT_SCALED_ELLIPSOID, s->center, s->axes, s->rotation, 0);
    c.scale =
        support_distance(s->origin, s->center) + fmax(s->axes[0], fmax(s->axes[1], s->axes[2]));
    c.reach = support_length(s->direction) > 0 ? 4 * c.scale / support_length(s->direction) : 1;
    support_property_note("origin", s->origin, 3);
    support_property_note("direction", s->direction, 3);
    support_property_note("center", s->center, 3);
    support_property_note("axes", s->axes, 3);
    support_property_note("rotation", s->rotation, 4);
    return c;
}

static support_path path_of(const ray_case *c)
{
    return (support_path){c->start.origin, c->start.direction};
}

/* The error of a position at t, m: that of the scale, and of a t that is denormal. */
static long double tolerance_at(const ray_case *c, long double t)
{
    long double speed = support_length(c->start.direction);
    return support_tolerance(c->scale + fabsl(t) * speed) + 0x1p-1074L * speed;
}

static bool is_on(const ray_case *c, long double t)
{
    support_path path = path_of(c);
    long double by = tolerance_at(c, t);
    return support_is_in(&c->solid, &path, t, by) && support_is_out(&c->solid, &path, t, by);
}

static bool stays_out(const ray_case *c, long double from, long double to)
{
    support_path path = path_of(c);
    return support_stays_out(&c->solid, &path, from, to, tolerance_at(c, 0));
}

/* True if the point is that of the ray at t. */
static bool is_point_at(const ray_case *c, const double point[3], double t)
{
    long double x[3], p[3], q = 0;
    support_path path = path_of(c);
    support_path_position(&c->solid, &path, t, x);
    support_solid_place(&c->solid, point, p);
    for (int k = 0; k < 3; ++k) q += (x[k] - p[k]) * (x[k] - p[k]);
    return sqrtl(q) <= tolerance_at(c, t) + support_tolerance(support_length(c->start.center) +
                                                              support_length(c->start.origin));
}

/* True if the normal is the direction of the gradient of (x / a)^2 at the point. */
static bool is_normal_at(const ray_case *c, const double point[3], const double normal[3])
{
    long double d[3], g[3] = {0}, steepest = 0, error = 0;
    const support_start *s = &c->start;
    double longest = fmax(s->axes[0], fmax(s->axes[1], s->axes[2]));
    if (fabsl(support_length(normal) - 1) > 4 * SUPPORT_UNIT) return false;
    if (!(longest > 0)) return true; /* a point has any normal */
    support_solid e =
        support_ellipsoid(SUPPORT_SCALED_ELLIPSOID, s->center, s->axes, s->rotation, 0);
    for (int k = 0; k < 3; ++k) d[k] = (long double)point[k] - s->center[k];
    for (int k = 0; k < 3; ++k) {
        long double a = e.size[k], part = support_dot(e.rows[k], d) / (a * a);
        for (int i = 0; i < 3; ++i) g[i] += part * e.rows[k][i];
        steepest = fmaxl(steepest, 1 / (a * a));
    }
    long double length = sqrtl(support_dot(g, g));
    /* the point is off by its rounding, which turns the gradient */
    long double by = support_tolerance(c->scale + support_length(s->center)) * steepest / length;
    for (int k = 0; k < 3; ++k) error += (normal[k] - g[k] / length) * (normal[k] - g[k] / length);
    return !(sqrtl(error) > by + 8 * SUPPORT_UNIT);
}

/* end: the last t of the ray. */
static const char *check_hit(const ray_case *c, const kugel_hit *hit, long double end)
{
    support_path path = path_of(c);
    double t[2] = {hit->t_enter, hit->t_exit};
    bool moves = support_length(c->start.direction) > 0;
    support_property_note("hit, inside", (double[]){hit->hit, hit->started_inside}, 2);
    support_property_note("t", t, 2);
    support_property_note("point, normal", hit->point, 6);
    support_property_note("exit", hit->exit_point, 6);
    if (!hit->hit) {
        kugel_hit none = {0};
        SUPPORT_CHECK(!memcmp(hit, &none, sizeof none));
        if (c->reach > 1e307L) return NULL; /* t overflows */
        SUPPORT_CHECK(stays_out(c, 0, fminl(c->reach, end)));
        return NULL;
    }
    SUPPORT_CHECK(t[0] >= 0 && t[0] <= end && t[1] >= t[0] && isfinite(t[1]));
    if (hit->started_inside) {
        SUPPORT_CHECK(t[0] == 0 && support_is_in(&c->solid, &path, 0, tolerance_at(c, 0)));
        SUPPORT_CHECK(!memcmp(hit->point, c->start.origin, sizeof hit->point));
    } else {
        SUPPORT_CHECK(support_is_out(&c->solid, &path, 0, tolerance_at(c, 0)));
        SUPPORT_CHECK(is_on(c, t[0]));
        SUPPORT_CHECK(stays_out(c, 0, t[0]));
        SUPPORT_CHECK(is_point_at(c, hit->point, t[0]));
    }
    SUPPORT_CHECK(is_normal_at(c, hit->point, hit->normal));
    if (!moves) {
        SUPPORT_CHECK(t[1] == 0);
        return NULL;
    }
    SUPPORT_CHECK(is_on(c, t[1]));
    SUPPORT_CHECK(stays_out(c, t[1], t[1] + c->reach));
    SUPPORT_CHECK(is_point_at(c, hit->exit_point, t[1]));
    SUPPORT_CHECK(is_normal_at(c, hit->exit_point, hit->exit_normal));
    return NULL;
}

static const char *check_ray(const support_start *s, support_start_shape shape)
{
    kugel_hit hit;
    ray_case c = make_case(s, shape);
    kugel_status status =
        shape == SUPPORT_STARTS_BALL
            ? kugel_ray_sphere(s->origin, s->direction, INFINITY, s->center, s->radius, &hit)
            : kugel_ray_ellipsoid(s->origin, s->direction, INFINITY, s->center, s->axes,
                                  s->rotation, &hit);
    SUPPORT_CHECK(status == KUGEL_OK);
    return check_hit(&c, &hit, INFINITY);
}

const char *support_property_ray_sphere(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_BALL, 290);
    return check_ray(&s, SUPPORT_STARTS_BALL);
}

const char *support_property_ray_ellipsoid(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_ELLIPSOID, 290);
    return check_ray(&s, SUPPORT_STARTS_ELLIPSOID);
}

const char *support_property_ray_sphere_slide(support_random *random)
{
    support_start s = support_start_slide(random, SUPPORT_STARTS_BALL);
    return check_ray(&s, SUPPORT_STARTS_BALL);
}

const char *support_property_ray_ellipsoid_slide(support_random *random)
{
    support_start s = support_start_slide(random, SUPPORT_STARTS_ELLIPSOID);
    return check_ray(&s, SUPPORT_STARTS_ELLIPSOID);
}

/* The segment of a start: its ray to t = 1. */
static const char *check_segment(support_random *random, support_start_shape shape)
{
    support_start s = support_start_any(random, shape, 290);
    double q[3];
    kugel_hit hit;
    for (int k = 0; k < 3; ++k) q[k] = s.origin[k] + s.direction[k];
    for (int k = 0; k < 3; ++k) s.direction[k] = q[k] - s.origin[k];
    ray_case c = make_case(&s, shape);
    c.scale += support_length(s.origin) + support_length(q); /* q - origin is rounded */
    kugel_status status =
        shape == SUPPORT_STARTS_BALL
            ? kugel_ray_sphere(s.origin, s.direction, 1, s.center, s.radius, &hit)
            : kugel_ray_ellipsoid(s.origin, s.direction, 1, s.center, s.axes, s.rotation, &hit);
    SUPPORT_CHECK(status == KUGEL_OK);
    return check_hit(&c, &hit, 1);
}

const char *support_property_segment_sphere(support_random *random)
{
    return check_segment(random, SUPPORT_STARTS_BALL);
}

const char *support_property_segment_ellipsoid(support_random *random)
{
    return check_segment(random, SUPPORT_STARTS_ELLIPSOID);
}

const char *support_property_line_sphere(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_BALL, 290);
    ray_case c = make_case(&s, SUPPORT_STARTS_BALL);
    support_path path = path_of(&c);
    kugel_line_hit hit;
    SUPPORT_CHECK(!kugel_line_sphere(s.origin, s.direction, s.center, s.radius, &hit));
    support_property_note("hit, t", (double[]){hit.hit, hit.t_enter, hit.t_exit}, 3);
    if (!(support_length(s.direction) > 0)) {
        SUPPORT_CHECK(hit.t_enter == 0 && hit.t_exit == 0);
        SUPPORT_CHECK(hit.hit ? support_is_in(&c.solid, &path, 0, tolerance_at(&c, 0))
                              : support_is_out(&c.solid, &path, 0, tolerance_at(&c, 0)));
        return NULL;
    }
    if (!hit.hit) {
        SUPPORT_CHECK(hit.t_enter == 0 && hit.t_exit == 0);
        SUPPORT_CHECK(c.reach > 1e307L || stays_out(&c, -c.reach, c.reach));
        return NULL;
    }
    SUPPORT_CHECK(hit.t_enter <= hit.t_exit);
    SUPPORT_CHECK(is_on(&c, hit.t_enter));
    SUPPORT_CHECK(is_on(&c, hit.t_exit));
    SUPPORT_CHECK(stays_out(&c, hit.t_enter - c.reach, hit.t_enter));
    SUPPORT_CHECK(stays_out(&c, hit.t_exit, hit.t_exit + c.reach));
    return NULL;
}
