/* A moving sphere against an ellipsoid at rest. In: the sphere's motion, the ellipsoid, dt. Out:
 * the first contact in [0, dt], the root of f(t) = distance(t) - radius. Conservative advancement
 * by Newton steps (B. Mirtich, PhD thesis, UC Berkeley 1996): the distance to a convex solid is
 * convex along a line, so a step from the left stays left of the root, and f > 0 with f' = normal .
 * velocity >= 0 proves a miss. Convergence is quadratic for a hit; f falls to a quarter a step for
 * a graze. Cost: about 6 nearest points for a hit, 30 for a graze, none for a motion far from the
 * ellipsoid. */
#include "geometry/sweep_linear.h"

#include "geometry/ellipsoid.h"
#include "geometry/geometry_common.h"

/* Most steps. A graze needs about 30 from 1 to the tolerance. */
#define STEPS_LIMIT 200

/* Gap that counts as contact, in sizes of sphere and ellipsoid: the rounding of the distance. */
#define CONTACT_TOLERANCE 0x1p-50

typedef struct approach {
    kg_ellipsoid e;
    double y[3], v[3]; /* centre and velocity in the ellipsoid's frame */
    double radius, dt;
    kg_nearest nearest; /* at the last time of gap_at */
} approach;

static double gap_at(approach *a, double time)
{
    double y[3];
    kg_add_scaled3(y, a->y, time, a->v);
    kg_ellipsoid_nearest(&a->e, y, &a->nearest);
    return a->nearest.distance - a->radius;
}

/* A time before the contact: the entry into a sphere around the ellipsoid; 0 for a start inside it,
 * as a motion away from the centre can still approach the surface. */
static double enclosing_sphere_entry(const approach *a)
{
    double d[3], w[3], reach = (kg_max_abs3(a->e.axes) + a->radius) * (1 + 0x1p-20);
    if (kg_dot3(a->y, a->y) <= reach * reach) return 0;
    kg_scale3(d, a->y, -1);
    kg_scale3(w, a->v, -1);
    return kg_sweep_spheres(d, w, reach, a->dt);
}

/* For a start outside that approaches. Leaves a->nearest at the time returned. */
static double find_contact_time(approach *a)
{
    double tolerance = CONTACT_TOLERANCE * (kg_max_abs3(a->e.axes) + a->radius);
    double time = enclosing_sphere_entry(a);
    if (!(time <= a->dt)) return KG_NEVER;
    for (int step = 0; step < STEPS_LIMIT; ++step) {
        double gap = gap_at(a, time);
        if (gap <= tolerance || time == a->dt) return gap <= tolerance ? time : KG_NEVER;
        double slope = kg_dot3(a->nearest.normal, a->v);
        if (slope >= 0) return KG_NEVER;
        double next = time - gap / slope;
        if (!(next > time)) return time; /* the gap is below the rounding of the time */
        time = next < a->dt ? next : a->dt;
    }
    return KG_NEVER;
}

static void fill_contact(kugel_contact *contact, const approach *a, double time,
                         const double other_center[3])
{
    double out[3];
    contact->hit = true;
    contact->time = time;
    kg_ellipsoid_to_world(&a->e, a->nearest.normal, contact->normal);
    kg_ellipsoid_to_world(&a->e, a->nearest.point, out);
    kg_add_scaled3(contact->point, other_center, 1 / a->e.scale, out);
}

kugel_status kugel_sweep_sphere_ellipsoid(const double center[3], const double velocity[3],
                                          double radius, const double other_center[3],
                                          const double semi_axes[3], const double rotation[4],
                                          double dt, kugel_contact *contact)
{
    if (!contact) return KUGEL_ERROR_INVALID_ARGUMENT;
    *contact = (kugel_contact){0};
    if (!center || !velocity || !other_center || !semi_axes) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (radius < 0 || dt < 0) return KUGEL_ERROR_INVALID_ARGUMENT;
    approach a = {.dt = dt};
    bool is_finite;
    kugel_status status = kg_ellipsoid_make(&a.e, semi_axes, rotation, &is_finite);
    if (!is_finite) return status;
    if (kg_is_sphere(semi_axes))
        return kugel_sweep_sphere_sphere(center, velocity, radius, other_center, semi_axes[0], dt,
                                         contact);
    a.radius = radius * a.e.scale;
    kg_sub3(a.y, center, other_center);
    kg_scale3(a.y, a.y, a.e.scale);
    kg_scale3(a.v, velocity, a.e.scale);
    if (!kg_finite3(a.y) || !kg_finite3(a.v) || !kg_finite(a.radius) || !kg_finite(dt))
        return KUGEL_OK;
    kg_ellipsoid_to_frame(&a.e, a.y, a.y);
    kg_ellipsoid_to_frame(&a.e, a.v, a.v);
    double gap = gap_at(&a, 0);
    contact->gap = gap / a.e.scale;
    contact->touching = gap <= 0;
    contact->approaching = kg_dot3(a.nearest.normal, a.v) < 0;
    double time = contact->touching ? 0 : contact->approaching ? find_contact_time(&a) : KG_NEVER;
    if (time < KG_NEVER) fill_contact(contact, &a, time, other_center);
    kg_clear_nonfinite_contact(contact);
    return KUGEL_OK;
}
