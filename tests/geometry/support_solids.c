/* Levels of solids, and their least values along a line. In, out: support_solids.h. */
#include "geometry/support_solids.h"

#include <math.h>
#include <string.h>

long double support_length(const double a[3])
{
    long double b[3] = {a[0], a[1], a[2]};
    return sqrtl(support_dot(b, b));
}

long double support_distance(const double a[3], const double b[3])
{
    long double d[3];
    for (int k = 0; k < 3; ++k) d[k] = (long double)a[k] - b[k];
    return sqrtl(support_dot(d, d));
}

support_solid support_ball(const double center[3], long double radius)
{
    support_solid s = {.kind = SUPPORT_BALL, .radius = radius};
    memcpy(s.at[0], center, sizeof s.at[0]);
    memcpy(s.base, center, sizeof s.base);
    return s;
}

support_solid support_segment(const double p[3], const double q[3], long double radius)
{
    support_solid s = support_ball(p, radius);
    s.kind = SUPPORT_SEGMENT;
    memcpy(s.at[1], q, sizeof s.at[1]);
    return s;
}

static void set_rows(const double *rotation, long double rows[3][3])
{
    static const double none[4] = {0, 0, 0, 1};
    const double *p = rotation ? rotation : none;
    long double q[4] = {p[0], p[1], p[2], p[3]};
    long double s = 2 / (support_dot(q, q) + q[3] * q[3]);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        rows[i][i] = 1 - s * (q[j] * q[j] + q[k] * q[k]);
        rows[i][j] = s * (q[i] * q[j] + q[k] * q[3]);
        rows[i][k] = s * (q[i] * q[k] - q[j] * q[3]);
    }
}

support_solid support_ellipsoid(support_solid_kind kind, const double center[3],
                                const double size[3], const double *rotation, long double radius)
{
    support_solid s = support_ball(center, radius);
    double longest = fmax(size[0], fmax(size[1], size[2]));
    if (!(longest > 0)) return s; /* a point */
    s.kind = kind;
    for (int k = 0; k < 3; ++k)
        s.size[k] = kind == SUPPORT_BOX ? size[k] : fmax(size[k], longest * 0x1p-32);
    set_rows(rotation, s.rows);
    return s;
}

void support_solid_place(const support_solid *solid, const double point[3], long double x[3])
{
    for (int k = 0; k < 3; ++k) x[k] = (long double)point[k] - solid->base[k];
}

/* From the k-th point of the solid to x. */
static void from_point(const support_solid *s, int k, const long double x[3], long double d[3])
{
    support_solid_place(s, s->at[k], d);
    for (int i = 0; i < 3; ++i) d[i] = x[i] - d[i];
}

static long double from_segment(const support_solid *solid, int p, int q, const long double x[3])
{
    long double d[3], e[3];
    from_point(solid, p, x, d);
    for (int k = 0; k < 3; ++k) e[k] = (long double)solid->at[q][k] - solid->at[p][k];
    long double ee = support_dot(e, e), s = ee > 0 ? support_dot(d, e) / ee : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    if (s == 1) from_point(solid, q, x, d);
    else
        for (int k = 0; k < 3; ++k) d[k] -= s * e[k];
    return sqrtl(support_dot(d, d));
}

/* The least distance from the edges, and from the point of the triangle that is nearest by Gram's
 * equations for the longest edge and the height over it. */
static long double from_triangle(const support_solid *solid, const long double x[3])
{
    const double(*at)[3] = solid->at;
    long double best = from_segment(solid, 0, 1, x), along[3], up[3], d[3];
    best = fminl(best, fminl(from_segment(solid, 1, 2, x), from_segment(solid, 2, 0, x)));
    int from = 0;
    for (int k = 1; k < 3; ++k) {
        if (support_distance(at[k], at[(k + 1) % 3]) >
            support_distance(at[from], at[(from + 1) % 3]))
            from = k;
    }
    const double *a = at[from], *b = at[(from + 1) % 3], *c = at[(from + 2) % 3];
    from_point(solid, from, x, d);
    for (int k = 0; k < 3; ++k)
        along[k] = (long double)b[k] - a[k], up[k] = (long double)c[k] - a[k];
    long double length2 = support_dot(along, along), foot = 0;
    if (!(length2 > 0)) return best;
    for (int pass = 0; pass < 2; ++pass) { /* the second pass removes the rounding of the first */
        long double part = support_dot(up, along) / length2;
        foot += part;
        for (int k = 0; k < 3; ++k) up[k] -= part * along[k];
    }
    long double height2 = support_dot(up, up), s = support_dot(d, along) / length2;
    if (!(height2 > 0)) return best;
    for (int k = 0; k < 3; ++k) d[k] -= s * along[k];
    long double t = support_dot(d, up) / height2;
    if (t < 0 || t > 1 || s < t * foot || 1 - s < t * (1 - foot)) return best;
    for (int k = 0; k < 3; ++k) d[k] -= t * up[k];
    return fminl(best, sqrtl(support_dot(d, d)));
}

static long double from_disc(const support_solid *s, const long double x[3])
{
    long double d[3];
    from_point(s, 0, x, d);
    long double height = support_dot(d, s->normal);
    for (int k = 0; k < 3; ++k) d[k] -= height * s->normal[k];
    long double out = fmaxl(sqrtl(support_dot(d, d)) - s->size[0], 0);
    return sqrtl(out * out + height * height);
}

static void to_frame(const support_solid *s, const long double x[3], long double y[3])
{
    long double d[3];
    from_point(s, 0, x, d);
    for (int k = 0; k < 3; ++k) y[k] = support_dot(s->rows[k], d);
}

static long double from_box(const support_solid *s, const long double x[3])
{
    long double y[3], out = 0, in = -INFINITY;
    to_frame(s, x, y);
    for (int k = 0; k < 3; ++k) {
        long double past = fabsl(y[k]) - s->size[k];
        in = fmaxl(in, past);
        if (past > 0) out += past * past;
    }
    return out > 0 ? sqrtl(out) : in;
}

/* |x / a| - 1, in the frame. */
static long double scaled_ellipsoid(const support_solid *s, const long double x[3])
{
    long double y[3];
    to_frame(s, x, y);
    for (int k = 0; k < 3; ++k) y[k] /= s->size[k];
    return sqrtl(support_dot(y, y)) - 1;
}

/* The distance from an ellipsoid; 0 inside. The nearest point is a^2 y / (t + a^2), with the t at
 * which it is on the surface, by bisection. */
static long double from_ellipsoid(const support_solid *s, const long double x[3])
{
    if (scaled_ellipsoid(s, x) <= 0) return 0;
    long double y[3], low = 0, high = 0, away[3], a2[3];
    to_frame(s, x, y);
    for (int k = 0; k < 3; ++k) high += fabsl(y[k]) * s->size[k];
    for (int k = 0; k < 3; ++k) a2[k] = (long double)s->size[k] * s->size[k];
    for (int step = 0; step < 80; ++step) {
        long double t = (low + high) / 2, n = 0;
        for (int k = 0; k < 3; ++k) {
            long double w = s->size[k] * y[k] / (t + a2[k]);
            n += w * w;
        }
        if (n > 1) low = t;
        else high = t;
    }
    for (int k = 0; k < 3; ++k) away[k] = y[k] * high / (high + a2[k]);
    return sqrtl(support_dot(away, away));
}

static long double from_half_space(const support_solid *s, const long double x[3])
{
    long double n[3] = {s->at[0][0], s->at[0][1], s->at[0][2]};
    return (support_dot(n, x) - s->size[0]) / sqrtl(support_dot(n, n));
}

static long double from_core(const support_solid *s, const long double x[3])
{
    long double d[3];
    switch (s->kind) {
    case SUPPORT_BALL:
        from_point(s, 0, x, d);
        return sqrtl(support_dot(d, d));
    case SUPPORT_SEGMENT:
        return from_segment(s, 0, 1, x);
    case SUPPORT_TRIANGLE:
        return from_triangle(s, x);
    case SUPPORT_DISC:
        return from_disc(s, x);
    case SUPPORT_BOX:
        return from_box(s, x);
    case SUPPORT_ELLIPSOID:
        return from_ellipsoid(s, x);
    case SUPPORT_SCALED_ELLIPSOID:
        return scaled_ellipsoid(s, x);
    default:
        return from_half_space(s, x);
    }
}

long double support_level(const support_solid *solid, const long double x[3])
{
    return from_core(solid, x) - solid->radius;
}

long double support_slack(const support_solid *solid, const long double x[3], long double by)
{
    if (solid->kind != SUPPORT_SCALED_ELLIPSOID) return by;
    /* the gradient of |y|, y = x / a, is y / (a |y|); its second derivative is at most 1 / a^2 */
    long double y[3], g[3], shortest = INFINITY;
    to_frame(solid, x, y);
    for (int k = 0; k < 3; ++k) {
        shortest = fminl(shortest, solid->size[k]);
        y[k] /= solid->size[k];
        g[k] = y[k] / solid->size[k];
    }
    long double length = sqrtl(support_dot(y, y)), bend = by / shortest;
    return (length > 0 ? sqrtl(support_dot(g, g)) / length * by : 0) + fminl(bend, bend * bend);
}

void support_path_position(const support_solid *solid, const support_path *path, long double t,
                           long double x[3])
{
    support_solid_place(solid, path->origin, x);
    for (int k = 0; k < 3; ++k) x[k] += t * path->direction[k];
}

long double support_level_at(const support_solid *solid, const support_path *path, long double t)
{
    long double x[3];
    support_path_position(solid, path, t, x);
    return support_level(solid, x);
}

long double support_time_of_least(const support_solid *solid, const support_path *path,
                                  long double from, long double to)
{
    const long double golden = 0.6180339887498948482L;
    long double low = from, high = to, one = high - golden * (high - low),
                two = low + golden * (high - low), at_one = support_level_at(solid, path, one),
                at_two = support_level_at(solid, path, two);
    for (int step = 0; step < 64; ++step) {
        if (at_one < at_two) {
            high = two, two = one, at_two = at_one;
            one = high - golden * (high - low);
            at_one = support_level_at(solid, path, one);
        } else {
            low = one, one = two, at_one = at_two;
            two = low + golden * (high - low);
            at_two = support_level_at(solid, path, two);
        }
    }
    long double best = at_one < at_two ? one : two;
    if (support_level_at(solid, path, from) <= fminl(at_one, at_two)) best = from;
    if (support_level_at(solid, path, to) < support_level_at(solid, path, best)) best = to;
    return best;
}

bool support_is_in(const support_solid *solid, const support_path *path, long double t,
                   long double by)
{
    long double x[3];
    support_path_position(solid, path, t, x);
    return support_level(solid, x) <= support_slack(solid, x, by);
}

bool support_is_out(const support_solid *solid, const support_path *path, long double t,
                    long double by)
{
    long double x[3];
    support_path_position(solid, path, t, x);
    return support_level(solid, x) >= -support_slack(solid, x, by);
}

bool support_stays_out(const support_solid *solid, const support_path *path, long double from,
                       long double to, long double by)
{
    return support_is_out(solid, path, support_time_of_least(solid, path, from, to), by);
}
