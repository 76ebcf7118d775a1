/* Distances and times of impact of surfaces of revolution. The gap f(t) between a sphere and the
 * surface has f'' >= -|a| - v^2 / rho, v the speed across the axis, rho the distance from it: the
 * distance from a segment is convex, and only the turn about the axis bends it down. So a parabola
 * below f is known at each time, and its root is a step that never passes a contact. Steps
 * converge like Newton's; a graze takes a number of them that grows with its logarithm. */
#include "surfaces/revolved.h"

#include "base/vec.h"
#include "geometry/sweep_linear.h"

/* Gap that counts as closed: shares of the radius, and of the coordinates for rounding. */
#define GAP_SHARE 1e-13
#define GAP_ROUNDING 0x1p-50
/* Least step of a search while the sphere overlaps, in horizons: it may be at a kink of the gap. */
#define LEAST_STEP 1e-9
/* Share of the distance from the origin, below which a point counts as on the axis. */
#define NEAR_AXIS 0x1p-45
/* More steps than any search needs; each at least doubles what is known, or reaches a kink. */
#define STEPS_MAX 100000

static kg_revolved revolved(const double origin[3], const double axis[3])
{
    kg_revolved surface = {0};
    kg_copy3(surface.origin, origin);
    kg_copy3(surface.axis, axis);
    return surface;
}

kg_revolved kg_revolved_disc(const double origin[3], const double axis[3], double radius)
{
    kg_revolved surface = revolved(origin, axis);
    surface.radius[1] = radius;
    return surface;
}

kg_revolved kg_revolved_cone(const double origin[3], const double axis[3], double radius_0,
                             double radius_1, double length)
{
    kg_revolved surface = revolved(origin, axis);
    surface.radius[0] = radius_0, surface.radius[1] = radius_1;
    surface.height[0] = -length / 2, surface.height[1] = length / 2;
    return surface;
}

kg_revolved kg_revolved_cylinder(const double origin[3], const double axis[3], double radius,
                                 double length)
{
    return kg_revolved_cone(origin, axis, radius, radius, length);
}

kg_revolved kg_revolved_capsule(const double origin[3], const double axis[3], double radius,
                                double length)
{
    kg_revolved surface = kg_revolved_cone(origin, axis, 0, 0, length);
    surface.thickness = radius;
    return surface;
}

/* A unit vector across the axis. */
static void across_axis(const double axis[3], double out[3])
{
    int least = kg_abs(axis[1]) < kg_abs(axis[0]) ? 1 : 0;
    if (kg_abs(axis[2]) < kg_abs(axis[least])) least = 2;
    double unit[3] = {0, 0, 0}, cross[3];
    unit[least] = 1;
    kg_cross3(cross, axis, unit);
    kg_normalize3(out, cross, kg_zero3);
}

/* out, the part of d across the axis, becomes a unit vector. Near the axis the part is mostly
 * rounding: made perpendicular once more, or given up. */
static void set_outward(const double axis[3], const double d[3], double out[3])
{
    if (kg_max_abs3(out) <= NEAR_AXIS * kg_max_abs3(d)) {
        across_axis(axis, out);
        return;
    }
    kg_normalize3(out, out, kg_zero3);
    kg_add_scaled3(out, out, -kg_dot3(out, axis), axis);
    kg_normalize3(out, out, kg_zero3);
}

/* The share of the profile at which it is nearest to (rho, z). */
static double nearest_share(const kg_revolved *s, double rho, double z, kg_revolved_region *region)
{
    double e[2] = {s->radius[1] - s->radius[0], s->height[1] - s->height[0]};
    double along = (rho - s->radius[0]) * e[0] + (z - s->height[0]) * e[1];
    double squared = e[0] * e[0] + e[1] * e[1];
    *region = along <= 0        ? KG_REVOLVED_RIM_0
              : along < squared ? KG_REVOLVED_SIDE
                                : KG_REVOLVED_RIM_1;
    return along <= 0 ? 0 : along < squared ? along / squared : 1;
}

/* rho: the distance of x from the axis. */
static double distance_from(const kg_revolved *s, const double x[3], double normal[3],
                            kg_revolved_region *region, double *rho)
{
    double d[3], out[3];
    kg_sub3(d, x, s->origin);
    double z = kg_dot3(d, s->axis);
    kg_add_scaled3(out, d, -z, s->axis);
    *rho = kg_length3(out);
    set_outward(s->axis, d, out);
    double share = nearest_share(s, *rho, z, region);
    double e[2] = {s->radius[1] - s->radius[0], s->height[1] - s->height[0]};
    double to[2] = {s->radius[0] + share * e[0] - *rho, s->height[0] + share * e[1] - z};
    double distance = sqrt(to[0] * to[0] + to[1] * to[1]);
    if (distance == 0) to[0] = -e[1], to[1] = e[0]; /* on the profile: across it */
    if (to[0] == 0 && to[1] == 0) to[0] = -1;
    for (int k = 0; k < 3; ++k) normal[k] = to[0] * out[k] + to[1] * s->axis[k];
    kg_normalize3(normal, normal, out);
    return distance - s->thickness;
}

double kg_revolved_distance(const kg_revolved *surface, const double x[3], double normal[3],
                            kg_revolved_region *region)
{
    double rho;
    return distance_from(surface, x, normal, region, &rho);
}

/* Bounds of a path, and the state of its sphere at a time. */
typedef struct search {
    const kg_revolved *surface;
    const kg_mesh_path *path;
    double speed, across, acceleration, closed; /* largest; m/s, m/s, m/s^2, m */
    double gap, change, rho, normal[3];         /* m, m/s, m */
    kg_revolved_region region;
} search;

/* Speeds are convex in time: the largest is that of an end. */
static double largest_speed(const kg_mesh_path *path, const double axis[3], bool across)
{
    double largest = 0;
    for (int end = 0; end < 2; ++end) {
        double v[3];
        kg_add_scaled3(v, path->v, end ? path->horizon : 0, path->a);
        if (across) kg_add_scaled3(v, v, -kg_dot3(v, axis), axis);
        largest = kg_max(largest, kg_length3(v));
    }
    return largest;
}

static search start_search(const kg_revolved *surface, const kg_mesh_path *path)
{
    search s = {.surface = surface, .path = path};
    s.speed = largest_speed(path, surface->axis, false);
    s.across = largest_speed(path, surface->axis, true);
    s.acceleration = kg_length3(path->a);
    double far = kg_max(kg_max_abs3(path->x), kg_max_abs3(surface->origin));
    for (int k = 0; k < 2; ++k)
        far = kg_max(far, kg_max(surface->radius[k], kg_abs(surface->height[k])));
    s.closed = GAP_SHARE * path->radius + GAP_ROUNDING * (far + s.speed * path->horizon);
    return s;
}

static void set_time(search *s, double t)
{
    const kg_mesh_path *path = s->path;
    double x[3], v[3];
    for (int k = 0; k < 3; ++k) x[k] = path->x[k] + (path->v[k] + 0.5 * path->a[k] * t) * t;
    kg_add_scaled3(v, path->v, t, path->a);
    s->gap = distance_from(s->surface, x, s->normal, &s->region, &s->rho) - path->radius;
    s->change = -kg_dot3(s->normal, v);
}

/* A step within which the gap stays open, or, if it is closed, goes on opening. The bound of f''
 * holds while rho is at least half of what it is now. */
static double safe_step(const search *s)
{
    double near = s->across > 0 ? 0.5 * s->rho / s->across : KG_NEVER;
    double bend = s->acceleration + (s->across > 0 ? 2 * s->across * s->across / s->rho : 0);
    double step;
    if (s->gap > s->closed) {
        double root = sqrt(s->change * s->change + 2 * bend * s->gap);
        if (s->change < 0) step = 2 * s->gap / (root - s->change);
        else step = bend > 0 ? (s->change + root) / bend : KG_NEVER;
        step = step < near ? step : near;
        return kg_max(step, s->gap / s->speed);
    }
    step = bend > 0 ? s->change / bend : KG_NEVER;
    step = step < near ? step : near;
    return kg_max(step, LEAST_STEP * s->path->horizon);
}

double kg_revolved_sweep(const kg_revolved *surface, const kg_mesh_path *path, double normal[3],
                         kg_revolved_region *region)
{
    search s = start_search(surface, path);
    double t = 0;
    if (!(s.speed > 0)) return KG_NEVER;
    for (int step = 0; step < STEPS_MAX; ++step) {
        set_time(&s, t);
        if (s.gap <= s.closed && s.change < 0) {
            kg_copy3(normal, s.normal);
            *region = s.region;
            return t;
        }
        double next = t + safe_step(&s);
        if (next == t) next = t + LEAST_STEP * path->horizon;
        if (t == path->horizon || !(next > t)) return KG_NEVER;
        t = next < path->horizon ? next : path->horizon;
    }
    return KG_NEVER;
}
