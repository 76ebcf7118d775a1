/* A moving sphere against a capsule, triangle, disc or box at rest. In: the sphere's
 * motion, the shape, dt. Out: the first contact in [0, dt], found by sweep_convex.h from nearest
 * points, as each shape is convex. The frame's origin is a point of the shape, so that a small
 * shape far from the world's origin keeps its digits. Cost: see sweep_convex.h; a nearest point
 * takes a few dozen flops. */
#include "geometry/geometry_common.h"
#include "geometry/sweep_convex.h"
#include "geometry/triangle.h"

/* A capsule in its frame: the axis runs from 0 to `end`. */
typedef struct capsule {
    double end[3], radius;
} capsule;

/* A triangle in its frame: the first corner is 0. */
typedef struct triangle {
    double second[3], third[3], normal[3];
    double
        doubt; /* the rounding of `normal` as a multiple of that of 1; infinite without an area */
} triangle;

/* A disc in its frame: the centre is 0. */
typedef struct disc {
    double normal[3], radius;
} disc;

/* Set the nearest point, and the distance and direction from this point to y. */
static void set_nearest(kg_nearest *nearest, const double y[3], const double point[3])
{
    double away[3];
    kg_copy3(nearest->point, point);
    kg_sub3(away, y, point);
    kg_normalize3(nearest->normal, away, kg_zero3);
    nearest->distance = kg_length3(away);
}

/* Replace the direction to y by the normal of the flat part below y, on y's side. At a small
 * distance the direction is mostly rounding; a step computed from it could pass through the
 * shape. */
static void set_flat_normal(kg_nearest *nearest, const double normal[3])
{
    double side = kg_dot3(nearest->normal, normal);
    kg_scale3(nearest->normal, normal, side > 0 ? 1 : side < 0 ? -1 : 0);
}

static void find_nearest_on_capsule(const void *solid, const double y[3], kg_nearest *nearest)
{
    const capsule *c = solid;
    const double *const corner[3] = {kg_zero3, c->end, NULL};
    kg_triangle_nearest on_axis;
    kg_triangle_find_on_edge(corner, 0, y, &on_axis);
    set_nearest(nearest, y, on_axis.point);
    kg_add_scaled3(nearest->point, nearest->point, c->radius, nearest->normal);
    nearest->distance -= c->radius;
}

/* Of the direction to y and the triangle's normal the one with less rounding counts. Places round
 * by |y|, so the direction does by |y| / distance; the normal, of a product of edges, by |edge|
 * |edge| / |product|. So a needle turns by its normal only where y is as near as the needle is
 * thin, and a triangle without an area is its edges. */
static void find_nearest_on_triangle(const void *solid, const double y[3], kg_nearest *nearest)
{
    const triangle *t = solid;
    const double *const corner[3] = {kg_zero3, t->second, t->third};
    kg_triangle_nearest on_triangle;
    kg_triangle_find_nearest(corner, y, &on_triangle);
    set_nearest(nearest, y, on_triangle.point);
    if (on_triangle.part == KG_TRIANGLE_FACE && nearest->distance * t->doubt < kg_length3(y))
        set_flat_normal(nearest, t->normal);
}

static void find_nearest_on_disc(const void *solid, const double y[3], kg_nearest *nearest)
{
    const disc *d = solid;
    double across[3];
    kg_add_scaled3(across, y, -kg_dot3(d->normal, y), d->normal);
    double distance = kg_length3(across);
    if (distance > d->radius) kg_scale3(across, across, d->radius / distance);
    set_nearest(nearest, y, across);
    if (distance <= d->radius) set_flat_normal(nearest, d->normal);
}

static void find_nearest_on_box(const void *solid, const double y[3], kg_nearest *nearest)
{
    const double *half = solid;
    double low[3];
    kg_scale3(low, half, -1);
    kugel_overlap overlap;
    (void)kugel_overlap_sphere_box(y, 0, low, half, &overlap); /* checked by the caller */
    kg_copy3(nearest->point, overlap.point_b);
    kg_copy3(nearest->normal, overlap.normal);
    nearest->distance = overlap.gap;
}

/* Clear the contact; true if the arguments are valid. */
static bool is_sweep_valid(const double center[3], const double velocity[3], double radius,
                           double dt, kugel_contact *contact)
{
    if (!contact) return false;
    *contact = (kugel_contact){0};
    return center && velocity && !(radius < 0) && !(dt < 0);
}

/* Run a sweep in a frame at `origin` with the world's axes. */
static kugel_status sweep_from(kg_convex_sweep *s, const double center[3], const double velocity[3],
                               const double origin[3], kugel_contact *contact)
{
    kg_sub3(s->y, center, origin);
    kg_copy3(s->v, velocity);
    if (!kg_finite3(s->y) || !kg_finite3(s->v) || !kg_finite(s->radius) || !kg_finite(s->dt) ||
        !kg_finite(s->extent))
        return KUGEL_OK;
    kg_convex_sweep_run(s, contact);
    if (contact->hit) kg_add_scaled3(contact->point, origin, 1, contact->point);
    kg_clear_nonfinite_contact(contact);
    return KUGEL_OK;
}

kugel_status kugel_sweep_sphere_capsule(const double center[3], const double velocity[3],
                                        double radius, const double p[3], const double q[3],
                                        double other_radius, double dt, kugel_contact *contact)
{
    if (!is_sweep_valid(center, velocity, radius, dt, contact) || !p || !q || other_radius < 0)
        return KUGEL_ERROR_INVALID_ARGUMENT;
    capsule c = {.radius = other_radius};
    kg_sub3(c.end, q, p);
    if (kg_is_zero3(c.end))
        return kugel_sweep_spheres(center, velocity, radius, p, kg_zero3, other_radius, dt,
                                   contact);
    kg_convex_sweep s = {.find_nearest = find_nearest_on_capsule,
                         .solid = &c,
                         .extent = kg_length3(c.end) + other_radius,
                         .core = other_radius,
                         .radius = radius,
                         .dt = dt};
    kg_copy3(s.normal, kg_fallback_normal);
    return sweep_from(&s, center, velocity, p, contact);
}

kugel_status kugel_sweep_sphere_triangle(const double center[3], const double velocity[3],
                                         double radius, const double a[3], const double b[3],
                                         const double c[3], double dt, kugel_contact *contact)
{
    if (!is_sweep_valid(center, velocity, radius, dt, contact) || !a || !b || !c)
        return KUGEL_ERROR_INVALID_ARGUMENT;
    triangle t;
    kg_sub3(t.second, b, a);
    kg_sub3(t.third, c, a);
    kg_cross3(t.normal, t.second, t.third);
    t.doubt = kg_length3(t.second) * kg_length3(t.third) / kg_length3(t.normal);
    kg_normalize3(t.normal, t.normal, kg_fallback_normal);
    kg_convex_sweep s = {.find_nearest = find_nearest_on_triangle,
                         .solid = &t,
                         .extent = kg_length3(t.second) + kg_length3(t.third),
                         .radius = radius,
                         .dt = dt};
    kg_copy3(s.normal, t.normal);
    return sweep_from(&s, center, velocity, a, contact);
}

kugel_status kugel_sweep_sphere_disc(const double center[3], const double velocity[3],
                                     double radius, const double other_center[3],
                                     const double normal[3], double other_radius, double dt,
                                     kugel_contact *contact)
{
    if (!is_sweep_valid(center, velocity, radius, dt, contact) || !other_center || !normal ||
        other_radius < 0)
        return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!kg_finite3(normal)) return KUGEL_OK;
    if (!kg_is_unit3(normal)) return KUGEL_ERROR_INVALID_ARGUMENT;
    disc d = {.radius = other_radius};
    kg_normalize3(d.normal, normal, kg_fallback_normal);
    kg_convex_sweep s = {.find_nearest = find_nearest_on_disc,
                         .solid = &d,
                         .extent = other_radius,
                         .radius = radius,
                         .dt = dt};
    kg_copy3(s.normal, d.normal);
    return sweep_from(&s, center, velocity, other_center, contact);
}

kugel_status kugel_sweep_sphere_oriented_box(const double center[3], const double velocity[3],
                                             double radius, const double other_center[3],
                                             const double half[3], const double rotation[4],
                                             double dt, kugel_contact *contact)
{
    if (!is_sweep_valid(center, velocity, radius, dt, contact) || !other_center || !half)
        return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_ellipsoid frame; /* of an ellipsoid with the box's half lengths as semi-axes */
    bool is_finite;
    kugel_status status = kg_ellipsoid_make(&frame, half, rotation, &is_finite);
    if (!is_finite) return status;
    double scaled[3];
    kg_scale3(scaled, half, frame.scale);
    int flattest = scaled[0] <= scaled[1] && scaled[0] <= scaled[2] ? 0
                   : scaled[1] <= scaled[2]                         ? 1
                                                                    : 2;
    kg_convex_sweep s = {.find_nearest = find_nearest_on_box,
                         .solid = scaled,
                         .extent = kg_length3(scaled),
                         .core = scaled[flattest],
                         .radius = radius * frame.scale,
                         .dt = dt};
    s.normal[flattest] = 1;
    kg_convex_sweep_in_frame(&s, &frame, other_center, center, velocity, contact);
    return KUGEL_OK;
}
