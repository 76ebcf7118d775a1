/* Starts for property tests (support_starts.h). */
#include "geometry/support_starts.h"

#include <kugel/geometry.h>
#include <math.h>
#include <string.h>

#include "support/support_turn.h"

double support_power(support_random *random, double low, double high)
{
    return pow(10, support_between(random, low, high));
}

void support_rotation(support_random *random, double rotation[4])
{
    double length = 0;
    memcpy(rotation, (const double[4]){0, 0, 0, 1}, 4 * sizeof *rotation);
    if (!support_below(random, 4)) return;
    for (int k = 0; k < 4; ++k) rotation[k] = support_gauss(random);
    for (int k = 0; k < 4; ++k) length += rotation[k] * rotation[k];
    for (int k = 0; k < 4; ++k) rotation[k] /= sqrt(length);
}

void support_normal(support_random *random, double normal[3])
{
    uint32_t kind = support_below(random, 4);
    support_direction(random, 1, normal);
    if (kind == 0) memset(normal, 0, 3 * sizeof *normal), normal[support_below(random, 3)] = 1;
    if (kind == 1) {
        double length = 1 + support_between(random, -9e-7, 9e-7);
        for (int k = 0; k < 3; ++k) normal[k] *= length;
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void remove_part(double v[3], const double n[3])
{
    double along = dot(v, n) / dot(n, n);
    for (int k = 0; k < 3; ++k) v[k] -= along * n[k];
}

/* A point y and direction v near the unit ball around 0. */
static void start_near_ball(support_random *random, double y[3], double v[3])
{
    double other[3], small = support_power(random, -18, -3) * (support_below(random, 2) ? 1 : -1);
    support_direction(random, 1, y);
    support_direction(random, 1, v);
    support_direction(random, 1, other);
    double far = support_power(random, -3, 5);
    switch (support_below(random, 10)) {
    case 0: /* towards the ball or past it */
        for (int k = 0; k < 3; ++k) y[k] *= 1 + far, v[k] = 1.2 * v[k] - y[k];
        break;
    case 1: /* past the edge of the ball */
        remove_part(v, y);
        for (int k = 0; k < 3; ++k) y[k] = y[k] * (1 + small) - far * v[k];
        break;
    case 2: /* on the surface, along it */
        remove_part(v, y);
        break;
    case 3: /* on the surface, nearly along it */
        remove_part(v, y);
        for (int k = 0; k < 3; ++k) v[k] += small * y[k];
        break;
    case 4: /* near the surface, nearly along it */
        remove_part(v, y);
        for (int k = 0; k < 3; ++k) v[k] += small * y[k], y[k] *= 1 + small * other[0];
        break;
    case 5: { /* inside */
        double depth = support_uniform(random);
        for (int k = 0; k < 3; ++k) y[k] *= depth;
        break;
    }
    case 6: /* in the centre, on an axis, or without a direction */
        if (support_below(random, 2)) memset(y, 0, 3 * sizeof *y);
        else y[0] = 0, y[1] = 0;
        if (support_below(random, 2)) memset(v, 0, 3 * sizeof *v);
        break;
    case 7: /* receding */
        for (int k = 0; k < 3; ++k) y[k] *= 1 + far, v[k] = y[k] + 0.3 * v[k];
        break;
    case 8: /* on the surface, in any direction */
        break;
    default: /* a chord from one point of the surface to another */
        for (int k = 0; k < 3; ++k) v[k] = other[k] - y[k];
    }
}

/* Points of the surface with few digits: (a, b, 0) with a^2 + b^2 = c^2, and a tangent there. */
static void start_with_few_digits(support_random *random, support_start *s)
{
    static const double triple[][3] = {
        {3, 4, 5}, {5, 12, 13}, {8, 15, 17}, {7, 24, 25}, {20, 21, 29}};
    const double *t = triple[support_below(random, 5)];
    double part = (1 + support_below(random, 60)) / 100.0,
           speed = (1 + support_below(random, 400)) / 100.0;
    uint32_t x = support_below(random, 3), y = (x + 1 + support_below(random, 2)) % 3;
    int sign = support_below(random, 2) ? 1 : -1;
    *s = (support_start){.rotation = {0, 0, 0, 1}, .radius = t[2] * part};
    s->origin[x] = t[0] * part, s->origin[y] = t[1] * part;
    s->direction[x] = -sign * t[1] * speed, s->direction[y] = sign * t[0] * speed;
    for (int k = 0; k < 3; ++k) s->axes[k] = s->radius;
}

static void set_axes(support_random *random, support_start_shape shape, support_start *s)
{
    double size = support_below(random, 2) ? 1 : support_power(random, -1, 1);
    for (int k = 0; k < 3; ++k) s->axes[k] = size;
    memcpy(s->rotation, (const double[4]){0, 0, 0, 1}, sizeof s->rotation);
    if (shape == SUPPORT_STARTS_BALL) return;
    support_rotation(random, s->rotation);
    uint32_t kind = support_below(random, 4);
    for (int k = 0; k < 3; ++k) s->axes[k] = support_between(random, 0.3, 4);
    if (kind == 1) s->axes[support_below(random, 3)] *= support_power(random, -8, 0);
    if (kind == 2) s->axes[support_below(random, 3)] = 0;
    if (kind == 3)
        for (int k = 0; k < 3; ++k) s->axes[k] = support_power(random, -4, 1);
}

static void multiply(double out[3], double by)
{
    for (int k = 0; k < 3; ++k) out[k] *= by;
}

/* Give lengths and directions other magnitudes. */
static void set_magnitudes(support_random *random, double magnitude, support_start *s)
{
    uint32_t kind = support_below(random, 8);
    double lengths = kind == 0 ? support_power(random, -magnitude, magnitude) : 1;
    double speed =
        kind == 1 ? support_power(random, -magnitude, magnitude) : support_power(random, -2, 2);
    if (kind == 0 && support_below(random, 2)) speed = lengths;
    if (kind == 2) s->axes[0] = s->axes[1] = s->axes[2] = 0;
    if (kind == 3 && support_below(random, 8) == 0) speed = 5e-324;
    multiply(s->origin, lengths), multiply(s->center, lengths), multiply(s->axes, lengths);
    multiply(s->direction, speed);
    s->radius = s->axes[0];
}

support_start support_start_any(support_random *random, support_start_shape shape, double magnitude)
{
    support_start s = {0};
    double y[3], v[3];
    if (shape == SUPPORT_STARTS_BALL && support_below(random, 6) == 0) {
        start_with_few_digits(random, &s);
    } else {
        set_axes(random, shape, &s);
        start_near_ball(random, y, v);
        for (int k = 0; k < 3; ++k) y[k] *= s.axes[k], v[k] *= s.axes[k];
        support_turn(s.rotation, y, y), support_turn(s.rotation, v, s.direction);
        if (support_below(random, 2))
            support_direction(random, support_power(random, 0, 8), s.center);
        for (int k = 0; k < 3; ++k) s.origin[k] = s.center[k] + y[k];
    }
    set_magnitudes(random, magnitude, &s);
    return s;
}

support_start support_start_slide(support_random *random, support_start_shape shape)
{
    for (;;) {
        support_start s = {0};
        kugel_hit hit;
        double y[3], u[3];
        set_axes(random, shape, &s);
        s.radius = s.axes[0];
        if (support_below(random, 2))
            support_direction(random, support_power(random, 0, 3), s.center);
        support_direction(
            random, support_between(random, 1.01, 3) * fmax(s.axes[0], fmax(s.axes[1], s.axes[2])),
            y);
        support_direction(random, 1, u);
        for (int k = 0; k < 3; ++k) {
            s.origin[k] = s.center[k] + y[k];
            s.direction[k] = 0.5 * u[k] * s.axes[k] - y[k];
        }
        kugel_ray_ellipsoid(s.origin, s.direction, INFINITY, s.center, s.axes, s.rotation, &hit);
        if (!hit.hit) continue;
        memcpy(s.origin, hit.point, sizeof s.origin);
        support_direction(random, support_power(random, -1, 1), s.direction);
        remove_part(s.direction, hit.normal);
        return s;
    }
}
