/* Distances of solid shapes, and times of impact by conservative advancement (B. Mirtich, PhD
 * thesis, UC Berkeley 1996). Let g be the distance along a path and n the outward normal. Then
 * g'' = n . a + v' H v, where the second derivative H of a convex distance is not negative. While
 * the centre is at least r away, n turns by at most 1 / r per length of path. So g after a time s
 * is at least g + g' s + n . a s^2 / 2 - |a| v s^3 / (6 r), and at least g + g' s - |a| s^2 / 2.
 * A step to the root of a bound does not pass a contact. Without acceleration it is Newton's step.
 * Cost: about 5 distances for a hit, 30 for a graze. */
#include "surfaces/shape.h"

#include "base/vec.h"
#include "geometry/ellipsoid.h"
#include "geometry/sweep_ballistic.h"
#include "geometry/sweep_linear.h"

/* Number of steps after which steps have a minimum length. A graze needs about 30; a path that
 * bends along the surface more, as that of a ball that falls beside a tall cylinder. */
#define STEPS_LIMIT 10000
/* Gap that counts as contact, as a share of the coordinates and sizes: rounding of the distance. */
#define CONTACT_TOLERANCE 0x1p-50
/* Minimum step of an overlapping sphere that recedes, and beyond STEPS_LIMIT: a share of the
 * horizon plus a share of the time so far, which gives about 70 steps in all. With the first share
 * alone a large sphere around a shape would take a thousand. Larger shares: a sphere that turns
 * back within a step at time t gets deeper before its contact is found, now by about
 * pull (t / 16)^2 / 2, where pull = |a|. */
#define RECEDING_STEP 1e-3
#define RECEDING_GROWTH (1.0 / 16)

static double distance_from_ellipsoid(const double axes[3], const double x[3], double outward[3])
{
    kg_ellipsoid e;
    kg_nearest nearest;
    bool finite;
    double y[3];
    (void)kg_ellipsoid_make(&e, axes, NULL, &finite);
    kg_scale3(y, x, e.scale);
    kg_ellipsoid_nearest(&e, y, &nearest);
    kg_copy3(outward, nearest.normal);
    return nearest.distance / e.scale;
}

static double distance_from_capsule(double radius, double half, const double x[3],
                                    double outward[3])
{
    static const double across[3] = {1, 0, 0};
    double z = x[2] > half ? half : x[2] < -half ? -half : x[2];
    const double d[3] = {x[0], x[1], x[2] - z};
    kg_normalize3(outward, d, across);
    return kg_length3(d) - radius;
}

/* Distance from a profile and its normal, in the half-plane through the axis of a cone. Coordinate
 * 0 is the distance from the axis, 1 the position along the axis. */
typedef struct flat {
    double distance, normal[2];
} flat;

/* Keep the larger of two heights over lines. */
static void keep_higher(flat *best, double height, double across, double along)
{
    if (height > best->distance) *best = (flat){height, {across, along}};
}

/* True if p is over the side from a to b, with its foot between them. n: the side's normal. */
static bool is_beside(const double p[2], const double a[2], const double b[2], const double n[2],
                      flat *out)
{
    double side[2] = {b[0] - a[0], b[1] - a[1]}, d[2] = {p[0] - a[0], p[1] - a[1]};
    double along = side[0] * d[0] + side[1] * d[1], height = n[0] * d[0] + n[1] * d[1],
           length2 = side[0] * side[0] + side[1] * side[1]; /* 0 at a tip */
    if (!(height >= 0 && along >= 0 && along <= length2 && length2 > 0)) return false;
    *out = (flat){height, {n[0], n[1]}};
    return true;
}

static void keep_nearer_corner(const double p[2], const double corner[2], flat *best)
{
    double d[2] = {p[0] - corner[0], p[1] - corner[1]}, length = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (length > 0 && length < best->distance)
        *best = (flat){length, {d[0] / length, d[1] / length}};
}

/* The profile is a convex polygon: low end, side, high end. Inside, the nearest line gives the
 * distance; outside, the line that p is beside, or else the nearer rim. */
static flat distance_from_profile(const double size[3], const double p[2])
{
    double half = size[2], slant[2] = {2 * half, size[0] - size[1]},
           length = sqrt(slant[0] * slant[0] + slant[1] * slant[1]);
    const double n[2] = {slant[0] / length, slant[1] / length}, low[2] = {size[0], -half},
                 high[2] = {size[1], half}, low_axis[2] = {0, -half}, high_axis[2] = {0, half},
                 down[2] = {0, -1}, up[2] = {0, 1};
    flat best = {-half - p[1], {0, -1}};
    keep_higher(&best, p[1] - half, 0, 1);
    keep_higher(&best, n[0] * (p[0] - low[0]) + n[1] * (p[1] - low[1]), n[0], n[1]);
    if (best.distance <= 0 || is_beside(p, low, high, n, &best) ||
        is_beside(p, low_axis, low, down, &best) || is_beside(p, high, high_axis, up, &best))
        return best;
    best.distance = KG_NEVER;
    keep_nearer_corner(p, low, &best);
    keep_nearer_corner(p, high, &best);
    return best;
}

static double distance_from_cone(const double size[3], const double x[3], double outward[3])
{
    double across = sqrt(x[0] * x[0] + x[1] * x[1]);
    double u[2] = {across > 0 ? x[0] / across : 1, across > 0 ? x[1] / across : 0};
    flat nearest = distance_from_profile(size, (const double[2]){across, x[2]});
    kg_set3(outward, nearest.normal[0] * u[0], nearest.normal[0] * u[1], nearest.normal[1]);
    return nearest.distance;
}

static double distance_from_box(const double half[3], const double x[3], double outward[3])
{
    double over[3], out[3];
    for (int k = 0; k < 3; ++k) over[k] = kg_abs(x[k]) - half[k];
    int face = over[1] > over[0];
    if (over[2] > over[face]) face = 2;
    kg_set3(outward, 0, 0, 0);
    outward[face] = x[face] < 0 ? -1 : 1;
    if (over[face] <= 0) return over[face];
    for (int k = 0; k < 3; ++k) out[k] = kg_max(over[k], 0) * (x[k] < 0 ? -1 : 1);
    kg_normalize3(outward, out, outward);
    return kg_length3(out);
}

double kg_shape_distance(const kg_shape *shape, const double x[3], double outward[3])
{
    const double *size = shape->size;
    switch (shape->kind) {
    case KUGEL_SURFACE_ELLIPSOID:
        return distance_from_ellipsoid(size, x, outward);
    case KUGEL_SURFACE_CAPSULE:
        return distance_from_capsule(size[0], size[1], x, outward);
    case KUGEL_SURFACE_CONE:
        return distance_from_cone(size, x, outward);
    case KUGEL_SURFACE_BOX:
        return distance_from_box(size, x, outward);
    case KUGEL_SURFACE_PLANE:
        kg_set3(outward, 0, 0, 1);
        return x[2];
    default: /* a mesh has no distance of this kind */
        return 0;
    }
}

/* A sphere on a path, at a time: place, velocity and gap. */
typedef struct approach {
    const kg_shape *shape;
    const kg_mesh_path *path;
    double x[3], v[3], outward[3];
    double gap, speed, change; /* the gap's rate, and the acceleration along the normal */
} approach;

static void move_to(approach *at, double t)
{
    const kg_mesh_path *path = at->path;
    for (int k = 0; k < 3; ++k) {
        at->x[k] = path->x[k] + (path->v[k] + 0.5 * path->a[k] * t) * t;
        at->v[k] = path->v[k] + path->a[k] * t;
    }
    at->gap = kg_shape_distance(at->shape, at->x, at->outward) - path->radius;
    at->speed = kg_dot3(at->outward, at->v);
    at->change = kg_dot3(at->outward, path->a);
}

/* A step of at most `left` (s) that passes no contact. Within a window of time the acceleration
 * against the normal is at most its value at the start plus what the turn of the normal adds, and
 * at most |a|. A window little longer than the step gives the longest step. */
static double safe_step(const approach *at, double left)
{
    double pull = kg_length3(at->path->a), speed = kg_length3(at->v), window = left, best = 0;
    for (int k = 0; k < 4; ++k) {
        double turn = pull > 0 ? pull * (speed + pull * window) / (3 * at->path->radius) : 0;
        double change = at->change - turn * window;
        double s =
            kg_sweep_plane_ballistic(at->gap, at->speed, change > -pull ? change : -pull, window);
        if (s > window) s = window;
        if (s > best) best = s;
        if (best >= window) break;
        window = 2 * best < left ? 2 * best : left;
    }
    return best;
}

static double minimum_step(const approach *at, double t)
{
    return RECEDING_STEP * at->path->horizon + RECEDING_GROWTH * t;
}

/* Step, s, of an overlapping sphere that recedes at time t: a time for which it surely recedes, or
 * the minimum step if that is longer. */
static double receding_step(const approach *at, double t)
{
    double pull = kg_length3(at->path->a);
    double s = pull > 0 ? at->speed / pull : KG_NEVER;
    return kg_max(s, minimum_step(at, t));
}

/* Move to the contact in [from, to], s: the gap is open at `from` and closed at `to`. Halves the
 * interval until no time is between its ends. Returns the time. */
static double bisect(approach *at, double from, double to)
{
    for (double middle; (middle = 0.5 * (from + to)) > from && middle < to;) {
        move_to(at, middle);
        if (at->gap > 0) from = middle;
        else to = middle;
    }
    move_to(at, to);
    return to;
}

static bool is_closing(const approach *at)
{
    return at->speed < 0 || (at->speed == 0 && at->change < 0);
}

/* The rest of a sweep beyond STEPS_LIMIT, from t on, where the gap is open: steps have a minimum
 * length. In one of them the sphere may dip into the shape unseen, by at most |a| s^2 / 8. */
static double sweep_on(approach *at, double t, double normal[3])
{
    double horizon = at->path->horizon;
    while (t < horizon) {
        double to = t + kg_max(safe_step(at, horizon - t), minimum_step(at, t));
        to = kg_min(to, horizon);
        move_to(at, to);
        if (at->gap <= 0) {
            t = bisect(at, t, to);
            kg_scale3(normal, at->outward, -1);
            return t;
        }
        t = to;
    }
    return KG_NEVER;
}

double kg_shape_sweep(const kg_shape *shape, const kg_mesh_path *path, double normal[3])
{
    if (shape->kind == KUGEL_SURFACE_PLANE) return kg_plane_sweep(path, normal);
    approach at = {.shape = shape, .path = path};
    double t = 0, tolerance = 0;
    for (int step = 0; step < STEPS_LIMIT; ++step) {
        move_to(&at, t);
        if (step == 0)
            tolerance =
                CONTACT_TOLERANCE * (kg_max_abs3(at.x) + kg_max_abs3(shape->size) + path->radius);
        kg_scale3(normal, at.outward, -1);
        double left = path->horizon - t, s;
        if (at.gap <= (step ? tolerance : 0)) {
            if (is_closing(&at)) return t;
            s = receding_step(&at, t);
        } else {
            s = safe_step(&at, left);
        }
        if (!(s < left)) return KG_NEVER;
        if (!(t + s > t)) return t; /* the gap is below the rounding of the time */
        t += s;
    }
    move_to(&at, t);
    return sweep_on(&at, t, normal);
}

double kg_shape_ray(const kg_shape *shape, const double origin[3], const double direction[3],
                    double limit, double normal[3])
{
    kg_mesh_path path = {.horizon = limit};
    kg_copy3(path.x, origin);
    kg_copy3(path.v, direction);
    if (shape->kind == KUGEL_SURFACE_ELLIPSOID) { /* in closed form */
        kugel_hit hit;
        (void)kugel_ray_ellipsoid(origin, direction, INFINITY, kg_zero3, shape->size, NULL, &hit);
        if (!hit.hit || hit.t_enter > limit) return KG_NEVER;
        kg_copy3(normal, hit.normal);
        if (!hit.started_inside) return hit.t_enter;
    }
    bool inside = kg_shape_distance(shape, origin, normal) <= 0;
    if (inside || shape->kind == KUGEL_SURFACE_ELLIPSOID) return 0;
    double t = kg_shape_sweep(shape, &path, normal);
    kg_scale3(normal, normal, -1);
    return t;
}
