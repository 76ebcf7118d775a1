/* Times of impact of accelerated spheres: the first descending root of the quartic
 * f(t) = |d + w t + a t^2 / 2|^2 - (reach + growth t)^2 in [0, horizon].
 * In, out, cost: sweep_ballistic.h.
 * How: the roots of f'' separate the extrema of f, and the extrema bound intervals in which f is
 * monotone. The first interval in which f falls to 0 has the root. A bracketed Newton search (W. H.
 * Press et al., Numerical Recipes, 3rd ed. 2007, section 9.4) finds extrema and root. */
#include "geometry/sweep_ballistic.h"

#include "base/constants.h"
#include "geometry/sweep_linear.h"

/* f(t) = c[0] + c[1] t + ... + c[4] t^4 */
static double value(const double c[5], double t)
{
    return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * c[4])));
}

static double slope(const double c[5], double t)
{
    return c[1] + t * (2 * c[2] + t * (3 * c[3] + t * 4 * c[4]));
}

static double second_derivative(const double c[5], double t)
{
    return 2 * c[2] + t * (6 * c[3] + t * 12 * c[4]);
}

/* The root of f in [low, high], where f(low) and f(high) have opposite signs. df: f's
 * derivative. */
static double bracketed_root(const double c[5], double (*f)(const double *, double),
                             double (*df)(const double *, double), double low, double high)
{
    bool rising = f(c, low) < 0;
    double t = 0.5 * (low + high);
    for (int step = 0; step < 100; ++step) {
        double y = f(c, t);
        if (y == 0) return t;
        if ((y < 0) == rising) low = t;
        else high = t;
        double next = t - y / df(c, t);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next == t || next == low || next == high) return next;
        t = next;
    }
    return t;
}

/* Set `at` to the roots of f'' in (0, horizon), ascending; return their number. */
static int inflections(const double c[5], double horizon, double at[2])
{
    double a = 12 * c[4], b = 6 * c[3], e = 2 * c[2];
    double root[2];
    int n = 0, count = 0;
    if (a == 0) {
        if (b != 0) root[n++] = -e / b;
    } else {
        double disc = b * b - 4 * a * e;
        if (disc < 0) return 0;
        double q = -0.5 * (b + (b < 0 ? -sqrt(disc) : sqrt(disc)));
        root[n++] = q / a;
        if (q != 0) root[n++] = e / q;
    }
    for (int k = 0; k < n; ++k) {
        if (root[k] > 0 && root[k] < horizon) at[count++] = root[k];
    }
    if (count == 2 && at[0] > at[1]) {
        double swap = at[0];
        at[0] = at[1], at[1] = swap;
    }
    return count;
}

/* Set `at` to 0, then the extrema of f in (0, horizon) ascending, then horizon; between two of
 * these times f is monotone. Returns their number. */
static int monotone_intervals(const double c[5], double horizon, double at[5])
{
    double edge[4] = {0};
    int n = inflections(c, horizon, edge + 1);
    edge[n + 1] = horizon;
    int count = 0;
    at[count++] = 0;
    for (int k = 0; k <= n; ++k) {
        double s0 = slope(c, edge[k]), s1 = slope(c, edge[k + 1]);
        if ((s0 < 0 && s1 > 0) || (s0 > 0 && s1 < 0))
            at[count++] = bracketed_root(c, slope, second_derivative, edge[k], edge[k + 1]);
        else if (s1 == 0 && k < n) at[count++] = edge[k + 1];
    }
    at[count++] = horizon;
    return count;
}

/* Test the chord of the path: the path stays within |a| horizon^2 / 8 of it. */
bool kg_sweep_comes_within(const double d[3], const double w[3], const double a[3], double reach,
                           double horizon)
{
    double chord[3], nearest[3];
    for (int k = 0; k < 3; ++k) chord[k] = (w[k] + 0.5 * a[k] * horizon) * horizon;
    double cc = kg_dot3(chord, chord), s = cc > 0 ? -kg_dot3(d, chord) / cc : 0;
    s = s < 0 ? 0 : s;
    s = s > 1 ? 1 : s;
    kg_add_scaled3(nearest, d, s, chord);
    double wide = reach * (1 + 1e-9) + kg_length3(a) * horizon * horizon * 0.1251;
    return kg_dot3(nearest, nearest) <= wide * wide;
}

/* Refines a root t by Newton steps on the gap |x| - reach, for paths much longer than reach. The
 * error of the position at contact falls from 1e-16 path^2 / reach to 1e-16 path. */
static double refine_contact_time(const double d[3], const double w[3], const double a[3],
                                  double reach, double growth, double t, double horizon)
{
    for (int step = 0; step < 8; ++step) {
        double x[3], v[3];
        for (int k = 0; k < 3; ++k) x[k] = d[k] + (w[k] + 0.5 * a[k] * t) * t;
        kg_add_scaled3(v, w, t, a);
        double distance = kg_length3(x), dv = kg_dot3(x, v) - growth * distance, vv = kg_dot3(v, v);
        double change = -(distance - reach - growth * t) * distance / dv, next = t + change;
        if (!(dv < 0) || change * change * vv > 16 * reach * reach || next < 0 || next > horizon)
            return t; /* a grazing contact: the step is not reliable */
        if (next == t) break;
        t = next;
    }
    return t;
}

/* True if the path to t is so long that the quartic's root needs the refinement. */
static bool is_long_path(const double d[3], const double w[3], double reach, double t)
{
    return kg_dot3(d, d) + kg_dot3(w, w) * t * t >
           KG_LONG_PATH_REACHES * KG_LONG_PATH_REACHES * reach * reach;
}

double kg_sweep_spheres_ballistic(const double d[3], const double w[3], const double a[3],
                                  double reach, double horizon)
{
    return kg_sweep_growing_spheres(d, w, a, reach, 0, horizon);
}

double kg_sweep_growing_spheres(const double d[3], const double w[3], const double a[3],
                                double reach, double growth, double horizon)
{
    if (!kg_sweep_comes_within(d, w, a, reach + growth * horizon, horizon)) return KG_NEVER;
    double c[5] = {-reach * reach, -2 * reach * growth, -growth * growth, 0, 0};
    for (int k = 0; k < 3; ++k) {
        c[0] += d[k] * d[k];
        c[1] += 2 * d[k] * w[k];
        c[2] += w[k] * w[k] + d[k] * a[k];
        c[3] += w[k] * a[k];
        c[4] += 0.25 * a[k] * a[k];
    }
    if (c[0] <= 0 && c[1] < 0) return 0;
    double at[5];
    int n = monotone_intervals(c, horizon, at);
    for (int k = 0; k + 1 < n; ++k) {
        double here = value(c, at[k]), there = value(c, at[k + 1]);
        if (here > 0 && there <= 0) {
            double t = bracketed_root(c, value, slope, at[k], at[k + 1]);
            return is_long_path(d, w, reach, t)
                       ? refine_contact_time(d, w, a, reach, growth, t, horizon)
                       : t;
        }
        if (here <= 0 && there < here) return at[k]; /* the pair turns back while it touches */
    }
    return KG_NEVER;
}

double kg_sweep_plane_ballistic(double gap, double u, double a, double horizon)
{
    if (gap <= 0 && u < 0) return 0;
    double disc = u * u - 2 * a * gap;
    double t = KG_NEVER;
    if (gap > 0) {
        if (u < 0 && disc >= 0) t = 2 * gap / (-u + sqrt(disc));
        else if (a < 0) t = (u + sqrt(disc)) / -a;
    } else if (a < 0) { /* the sphere turns back: after the gap has opened, or while it touches */
        t = disc > 0 && u > 0 ? (u + sqrt(disc)) / -a : u / -a;
    }
    return t <= horizon ? t : KG_NEVER;
}
