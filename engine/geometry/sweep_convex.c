/* Conservative advancement of a sphere towards a convex solid (sweep_convex.h). */
#include "geometry/sweep_convex.h"

#include "geometry/geometry_common.h"
#include "geometry/sweep_linear.h"

/* Maximum number of steps. A grazing contact takes about 30 for a gap that falls from 1 to the
 * tolerance. */
#define STEPS_LIMIT 200

/* The gap at a time, in the frame's lengths. Sets s->nearest. Sets s->normal while the sphere's
 * centre is outside the core and not yet on the other side of the solid. */
static double gap_at(kg_convex_sweep *s, double time)
{
    double y[3];
    kg_add_scaled3(y, s->y, time, s->v);
    s->find_nearest(s->solid, y, &s->nearest);
    bool is_ahead = time == 0 || kg_dot3(s->nearest.normal, s->v) < 0 ||
                    kg_dot3(s->nearest.normal, s->normal) > 0;
    if (is_ahead && s->nearest.distance + s->core > s->tolerance)
        kg_copy3(s->normal, s->nearest.normal);
    return s->nearest.distance - s->radius;
}

/* A lower bound of the contact time: the entry into a sphere around the solid. It is 0 for a
 * start inside this sphere, since a motion away from its centre can still approach the solid's
 * surface. */
static double enclosing_sphere_entry(const kg_convex_sweep *s)
{
    double d[3], w[3], reach = (s->extent + s->radius) * (1 + 0x1p-20);
    if (kg_dot3(s->y, s->y) <= reach * reach) return 0;
    kg_scale3(d, s->y, -1);
    kg_scale3(w, s->v, -1);
    return kg_sweep_spheres(d, w, reach, s->dt);
}

/* The contact time, or KG_NEVER, for a sphere that starts apart and approaches. At a contact,
 * s->nearest is the nearest point at that time. */
static double find_contact_time(kg_convex_sweep *s)
{
    double time = enclosing_sphere_entry(s);
    if (!(time <= s->dt)) return KG_NEVER;
    for (int step = 0; step < STEPS_LIMIT; ++step) {
        double gap = gap_at(s, time);
        /* a step ends in front of the plane on which it aims. Behind it, the normal has turned: by
         * rounding a point is through a thin solid */
        bool passed = step > 0 && kg_dot3(s->nearest.normal, s->normal) < -0.5;
        if (gap <= s->tolerance || passed) return time;
        if (time == s->dt) return KG_NEVER;
        double slope = kg_dot3(s->nearest.normal, s->v);
        if (slope >= 0) return KG_NEVER;
        double next = time - gap / slope;
        if (!(next > time)) return time; /* the gap is below the rounding of the time */
        time = next < s->dt ? next : s->dt;
    }
    return KG_NEVER;
}

/* True if the gap of a sphere that touches shrinks by more than the rounding of the normal. */
static bool presses(const kg_convex_sweep *s)
{
    double slope = kg_dot3(s->nearest.normal, s->v);
    double rounding = s->tolerance / (s->nearest.distance + s->core);
    return slope < 0 && slope < -kg_max_abs3(s->v) * rounding;
}

void kg_convex_sweep_run(kg_convex_sweep *s, kugel_contact *contact)
{
    s->tolerance = KG_CONTACT_TOLERANCE * (s->extent + s->radius);
    /* otherwise the sphere could pass through a thin solid: its two sides differ by rounding
     * only */
    if (kg_finite(s->core)) s->tolerance += 0.5 * KG_CONTACT_TOLERANCE * kg_max_abs3(s->y);
    contact->gap = gap_at(s, 0);
    contact->touching = contact->gap <= (kg_finite(s->core) ? s->tolerance : 0);
    contact->approaching = contact->touching ? presses(s) : kg_dot3(s->nearest.normal, s->v) < 0;
    double time = 0;
    if (!contact->touching) time = contact->approaching ? find_contact_time(s) : KG_NEVER;
    if (time >= KG_NEVER) return;
    contact->hit = true;
    contact->time = time;
    kg_copy3(contact->normal, s->normal);
    kg_copy3(contact->point, s->nearest.point);
}

void kg_convex_sweep_in_frame(kg_convex_sweep *s, const kg_ellipsoid *frame, const double origin[3],
                              const double center[3], const double velocity[3],
                              kugel_contact *contact)
{
    kg_sub3(s->y, center, origin);
    kg_scale3(s->y, s->y, frame->scale);
    kg_scale3(s->v, velocity, frame->scale);
    if (!kg_finite3(s->y) || !kg_finite3(s->v) || !kg_finite(s->radius) || !kg_finite(s->dt))
        return;
    kg_ellipsoid_to_frame(frame, s->y, s->y);
    kg_ellipsoid_to_frame(frame, s->v, s->v);
    kg_convex_sweep_run(s, contact);
    contact->gap /= frame->scale;
    if (contact->hit) {
        double out[3];
        kg_ellipsoid_to_world(frame, contact->normal, contact->normal);
        kg_ellipsoid_to_world(frame, contact->point, out);
        kg_add_scaled3(contact->point, origin, 1 / frame->scale, out);
    }
    kg_clear_nonfinite_contact(contact);
}
