/* See support_shapes.h: ellipsoids by bisection, cones by the sides of their profile. */
#include "support/support_shapes.h"

#include <math.h>

/* x = point in the frame of the shape, by the inverse rotation of its unit quaternion. */
static void to_frame(const kugel_surface_def *def, const double point[3], long double x[3])
{
    const double *q = def->rotation;
    long double u[3] = {-q[0], -q[1], -q[2]}, w = q[3], d[3], c[3];
    for (int k = 0; k < 3; ++k) d[k] = (long double)point[k] - def->position[k];
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        c[k] = u[i] * d[j] - u[j] * d[i] + w * d[k];
    }
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        x[k] = d[k] + 2 * (u[i] * c[j] - u[j] * c[i]);
    }
}

/* Outside, bisection finds t >= 0 with sum (a x / (t + a^2))^2 = 1; the nearest point then is
 * a^2 x / (t + a^2). Inside, a lower bound of the depth is enough. */
static long double from_ellipsoid(const double a[3], const long double x[3])
{
    long double low = 0, high = 0, inside = 0, squared = 0;
    for (int k = 0; k < 3; ++k) {
        inside += x[k] * x[k] / ((long double)a[k] * a[k]);
        high += fabsl(a[k] * x[k]);
    }
    if (inside <= 1) return -(1 - sqrtl(inside)) * fminl(a[0], fminl(a[1], a[2]));
    for (int step = 0; step < 200; ++step) {
        long double t = 0.5L * (low + high), sum = 0;
        for (int k = 0; k < 3; ++k) {
            long double part = a[k] * x[k] / (t + (long double)a[k] * a[k]);
            sum += part * part;
        }
        if (sum > 1) low = t;
        else high = t;
    }
    for (int k = 0; k < 3; ++k) {
        long double d = x[k] * low / (low + (long double)a[k] * a[k]);
        squared += d * d;
    }
    return sqrtl(squared);
}

static long double from_segment(const long double p[2], const long double a[2],
                                const long double b[2])
{
    long double e[2] = {b[0] - a[0], b[1] - a[1]}, d[2] = {p[0] - a[0], p[1] - a[1]};
    long double length2 = e[0] * e[0] + e[1] * e[1],
                t = length2 > 0 ? (d[0] * e[0] + d[1] * e[1]) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypotl(d[0] - t * e[0], d[1] - t * e[1]);
}

static long double from_cone(const double size[3], const long double x[3])
{
    long double h = size[2], p[2] = {hypotl(x[0], x[1]), x[2]};
    const long double corner[4][2] = {{0, -h}, {size[0], -h}, {size[1], h}, {0, h}};
    long double distance = INFINITY;
    for (int k = 0; k < 3; ++k)
        distance = fminl(distance, from_segment(p, corner[k], corner[k + 1]));
    long double radius = size[0] + (size[1] - size[0]) * (p[1] + h) / (2 * h);
    bool inside = fabsl(p[1]) < h && p[0] < radius;
    return inside ? -distance : distance;
}

static long double from_box(const double half[3], const long double x[3])
{
    long double squared = 0, depth = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        long double over = fabsl(x[k]) - half[k];
        depth = fmaxl(depth, over);
        squared += over > 0 ? over * over : 0;
    }
    return depth > 0 ? sqrtl(squared) : depth;
}

double support_shape_distance(const kugel_surface_def *def, const double point[3])
{
    long double x[3];
    to_frame(def, point, x);
    if (def->shape == KUGEL_SURFACE_ELLIPSOID) return (double)from_ellipsoid(def->size, x);
    if (def->shape == KUGEL_SURFACE_CONE) return (double)from_cone(def->size, x);
    if (def->shape == KUGEL_SURFACE_BOX) return (double)from_box(def->size, x);
    if (def->shape == KUGEL_SURFACE_PLANE) return (double)x[2];
    long double h = def->size[1], z = x[2] > h ? h : x[2] < -h ? -h : x[2];
    return (double)(sqrtl(x[0] * x[0] + x[1] * x[1] + (x[2] - z) * (x[2] - z)) - def->size[0]);
}
