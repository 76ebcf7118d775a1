/* Moving spheres against spheres, planes and the inside of a box. In: centres, velocities, radii,
 * dt. Out: the first contact in [0, dt]. Two spheres: kg_sweep_spheres, as in the step, for their
 * relative motion. Planes: the distance is linear in time. Box: the first of six planes.
 * Cost: one or two square roots. */
#include "geometry/sweep_linear.h"

#include "geometry/geometry_common.h"
#include "geometry/plane_geometry.h"

kugel_status kugel_sweep_spheres(const double center_a[3], const double velocity_a[3],
                                 double radius_a, const double center_b[3],
                                 const double velocity_b[3], double radius_b, double dt,
                                 kugel_contact *contact)
{
    if (!contact) return KUGEL_ERROR_INVALID_ARGUMENT;
    *contact = (kugel_contact){0};
    if (!center_a || !velocity_a || !center_b || !velocity_b) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (radius_a < 0 || radius_b < 0 || dt < 0) return KUGEL_ERROR_INVALID_ARGUMENT;
    double d[3], w[3], reach = radius_a + radius_b;
    kg_sub3(d, center_b, center_a);
    kg_sub3(w, velocity_b, velocity_a);
    if (!kg_finite3(d) || !kg_finite3(w) || !kg_finite(reach) || !kg_finite(dt)) return KUGEL_OK;
    /* as in kg_sweep_spheres; its sign decides `touching` */
    double c = kg_dot3(d, d) - reach * reach;
    double far = kg_length3(d) + reach;
    contact->touching = c <= 0;
    contact->approaching = kg_dot3(d, w) < 0;
    contact->gap = far > 0 ? c / far : 0;
    double time = contact->touching ? 0 : kg_sweep_spheres(d, w, reach, dt);
    contact->hit = time < KG_NEVER;
    if (contact->hit) {
        const double coinciding[3] = {-1, 0, 0};
        double apart[3], at[3];
        contact->time = time;
        kg_add_scaled3(apart, d, time, w);
        kg_scale3(apart, apart, -1);
        kg_normalize3(contact->normal, apart, coinciding);
        kg_add_scaled3(at, center_b, time, velocity_b);
        kg_add_scaled3(contact->point, at, radius_b, contact->normal);
    }
    kg_clear_nonfinite_contact(contact);
    return KUGEL_OK;
}

kugel_status kugel_sweep_sphere_plane(const double center[3], const double velocity[3],
                                      double radius, const double normal[3], double offset,
                                      double dt, kugel_contact *contact)
{
    if (!contact) return KUGEL_ERROR_INVALID_ARGUMENT;
    *contact = (kugel_contact){0};
    if (!center || !velocity || !normal) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (radius < 0 || dt < 0) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!kg_finite3(center) || !kg_finite3(velocity) || !kg_finite3(normal) || !kg_finite(radius) ||
        !kg_finite(offset) || !kg_finite(dt))
        return KUGEL_OK;
    if (!kg_is_unit3(normal)) return KUGEL_ERROR_INVALID_ARGUMENT;
    double unit[3];
    normal = kg_plane_normalize(normal, &offset, unit);
    double slope = kg_plane_slope(normal, velocity);
    contact->gap = kg_dot3(normal, center) - offset - radius;
    contact->touching = contact->gap <= 0;
    contact->approaching = slope < 0;
    double time = contact->touching || slope == 0 ? 0 : contact->gap / -slope;
    contact->hit = contact->touching || (contact->approaching && time <= dt);
    if (contact->hit) {
        contact->time = time;
        kg_copy3(contact->normal, normal);
        kg_add_scaled3(contact->point, center, time, velocity);
        kg_plane_project(normal, offset, contact->point, contact->point);
    }
    kg_clear_nonfinite_contact(contact);
    return KUGEL_OK;
}

/* True if one face's contact takes precedence over another's. A face that is met while approached
 * comes before others, the earliest first. Then come faces that are overlapped, the deepest first,
 * then the nearest face. */
static bool takes_precedence(const kugel_contact *one, const kugel_contact *other)
{
    bool one_meets = one->hit && one->approaching, other_meets = other->hit && other->approaching;
    if (one_meets != other_meets) return one_meets;
    if (one_meets) return one->time < other->time;
    if (one->hit != other->hit) return one->hit;
    return one->gap < other->gap;
}

kugel_status kugel_sweep_sphere_box(const double center[3], const double velocity[3], double radius,
                                    const double min[3], const double max[3], double dt,
                                    kugel_contact *contact, int *face)
{
    if (face) *face = -1;
    if (!contact) return KUGEL_ERROR_INVALID_ARGUMENT;
    *contact = (kugel_contact){0};
    if (!center || !velocity || !min || !max) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (radius < 0 || dt < 0) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!kg_is_box(min, max)) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!kg_finite3(min) || !kg_finite3(max) || !kg_finite3(center) || !kg_finite3(velocity) ||
        !kg_finite(radius) || !kg_finite(dt))
        return KUGEL_OK;
    kugel_contact best = {0};
    int best_face = 0;
    for (int i = 0; i < 6; ++i) {
        bool upper = i % 2 != 0;
        double normal[3] = {0, 0, 0};
        normal[i / 2] = upper ? -1 : 1;
        double offset = upper ? -max[i / 2] : min[i / 2];
        kugel_contact at;
        kugel_sweep_sphere_plane(center, velocity, radius, normal, offset, dt, &at);
        if (i == 0 || takes_precedence(&at, &best)) best = at, best_face = i;
    }
    *contact = best;
    if (face && best.hit) *face = best_face;
    return KUGEL_OK;
}
