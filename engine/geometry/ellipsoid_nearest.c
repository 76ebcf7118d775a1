/* Nearest point of an ellipsoid's surface. In: a point y in the ellipsoid's frame, semi-axes a.
 * Out: surface point x, outward normal, signed distance. y - x is normal to the surface, so x_i =
 * a_i^2 y_i / (t + a_i^2) where N(t) = 1 and N(t)^2 = sum (a_i y_i / (t + a_i^2))^2 (D. Eberly,
 * "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid", 2013). Newton's method
 * solves 1 / N = 1. Right of the largest pole, t = -a_min^2, 1 / N rises and is concave, so steps
 * from a lower bound do not overshoot. The unknown is tau = t + a_min^2, the distance from that
 * pole, which keeps its digits near it. Cost: about 5 steps of a square root each. */
#include "geometry/ellipsoid.h"

#include "geometry/geometry_common.h"

/* Maximum number of steps. Convergence is quadratic; the limit ends a search that rounding
 * stalls. */
#define STEPS_LIMIT 100

/* The terms of N. */
typedef struct secular {
    double y[3];       /* |y| */
    double ay[3];      /* a_i |y_i| */
    double pole[3];    /* a_i^2 - a_min^2: term i of N has its pole at tau = -pole_i */
    double shortest;   /* a_min */
    int shortest_axis; /* the first axis whose semi-axis is a_min */
} secular;

static void make_secular(secular *s, const double axes[3], const double y[3])
{
    s->shortest_axis = 0;
    for (int i = 1; i < 3; ++i) {
        if (axes[i] < axes[s->shortest_axis]) s->shortest_axis = i;
    }
    s->shortest = axes[s->shortest_axis];
    for (int i = 0; i < 3; ++i) {
        s->y[i] = kg_abs(y[i]);
        s->ay[i] = axes[i] * s->y[i];
        s->pole[i] = (axes[i] - s->shortest) * (axes[i] + s->shortest);
    }
}

/* Returns N^2. *slope receives -1/2 of its derivative: sum w_i^2 / (tau + pole_i), where w_i are
 * the terms of N. */
static double norm2(const secular *s, double tau, double *slope)
{
    double sum = 0;
    *slope = 0;
    for (int i = 0; i < 3; ++i) {
        if (s->ay[i] == 0) continue;
        double w = s->ay[i] / (tau + s->pole[i]);
        sum += w * w;
        *slope += w * w / (tau + s->pole[i]);
    }
    return sum;
}

/* A lower bound of tau, where N >= 1: the largest of the bounds from each term alone, and from all
 * terms with the divisor of the longest axis. */
static double lower_bound(const secular *s)
{
    double longest_pole = kg_max_abs3(s->pole);
    double tau = kg_max(kg_length3(s->ay) - longest_pole, 0);
    for (int i = 0; i < 3; ++i) tau = kg_max(tau, s->ay[i] - s->pole[i]);
    return tau;
}

/* The root tau of N = 1, or the lower bound if N is already at most 1 there. */
static double solve(const secular *s)
{
    double tau = lower_bound(s);
    for (int step = 0; step < STEPS_LIMIT; ++step) {
        double slope, nn = norm2(s, tau, &slope);
        if (!(nn > 1)) break;
        double next = tau + (sqrt(nn) - 1) * nn / slope;
        if (!(next > tau)) break;
        tau = next;
    }
    return tau;
}

/* Three zero semi-axes: the ellipsoid is its centre. */
static void nearest_to_center(const double y[3], kg_nearest *nearest)
{
    kg_set3(nearest->point, 0, 0, 0);
    kg_normalize3(nearest->normal, y, kg_fallback_normal);
    nearest->distance = kg_length3(y);
}

void kg_ellipsoid_nearest(const kg_ellipsoid *e, const double y[3], kg_nearest *nearest)
{
    if (e->axes[0] == 0) {
        nearest_to_center(y, nearest);
        return;
    }
    secular s;
    make_secular(&s, e->axes, y);
    double tau = solve(&s), gradient[3], rest = 1;
    for (int i = 0; i < 3; ++i) {
        double g = s.ay[i] == 0 ? 0 : s.y[i] / (tau + s.pole[i]);
        rest -= e->axes[i] * g * (e->axes[i] * g);
        gradient[i] = y[i] < 0 ? -g : g;
    }
    /* tau = 0: y is inside, in the plane perpendicular to the shortest axis. The component along
     * the shortest axis follows from the other two by the ellipsoid's equation. Of the two nearest
     * points this gives the one on the positive side. */
    if (tau == 0 && rest > 0) gradient[s.shortest_axis] = sqrt(rest) / s.shortest;
    for (int i = 0; i < 3; ++i) nearest->point[i] = e->axes[i] * e->axes[i] * gradient[i];
    double t = tau - s.shortest * s.shortest; /* y - x = t * gradient */
    nearest->distance = t * kg_length3(gradient);
    kg_normalize3(nearest->normal, gradient, kg_fallback_normal);
}

kugel_status kugel_ellipsoid_nearest(const double point[3], const double center[3],
                                     const double semi_axes[3], const double rotation[4],
                                     kugel_overlap *nearest)
{
    if (!nearest) return KUGEL_ERROR_INVALID_ARGUMENT;
    *nearest = (kugel_overlap){0};
    if (!point || !center || !semi_axes) return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_ellipsoid e;
    bool is_finite;
    kugel_status status = kg_ellipsoid_make(&e, semi_axes, rotation, &is_finite);
    if (!is_finite) return status;
    double y[3];
    kg_sub3(y, point, center);
    kg_scale3(y, y, e.scale);
    if (!kg_finite3(y)) return KUGEL_OK;
    kg_ellipsoid_to_frame(&e, y, y);
    kg_nearest found;
    kg_ellipsoid_nearest(&e, y, &found);
    nearest->gap = found.distance / e.scale;
    nearest->hit = nearest->gap <= 0;
    kg_ellipsoid_to_world(&e, found.normal, nearest->normal);
    kg_ellipsoid_to_world(&e, found.point, found.point);
    kg_copy3(nearest->point_a, point);
    kg_add_scaled3(nearest->point_b, center, 1 / e.scale, found.point);
    kg_copy3(nearest->point, nearest->point_b);
    kg_clear_nonfinite_overlap(nearest);
    return KUGEL_OK;
}
