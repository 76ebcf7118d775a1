/* What rests on boundaries alone slides or rolls along them. The solve says by how much its
 * velocity changes in the substep; moved by the velocity of the end (semi-implicit Euler) it would
 * be a h t / 2 ahead of its way after t: 1 cm after 1 s down a slope of 30 degrees. Along what it
 * rests on that change is an acceleration instead, the same all through the substep, as is that of
 * its spin, and the body moves and meets others as what falls does. Across, it has the velocity of
 * the end at once: that is what holds it. Who touches bodies moves as the solve says, or they would
 * part and press in by turns. Each body by itself. */
#include <string.h>

#include "contact/contact.h"

/* Parts of what the body's own acceleration adds, and of its speed, that are no change: the solve
 * rounds by 6e-8. */
static const double velocity_tolerance = 1e-6;
/* A part of the former that is no parting. */
static const double parting_tolerance = 1e-3;
/* Normals that are nearer to a plane than this lie in it; squared. */
static const double coplanar_tolerance2 = 1e-12;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Less what of it is in the span of the normals of what the body rests on; what it parts from
 * faster than `slow`, m/s, holds nothing. */
static void remove_normal_part(const kugel_world *world, uint32_t slot,
                               const double solved_velocity[3], double slow, double a[3])
{
    double axis[3][3];
    uint32_t axes = 0;
    for (kg_boundary_set on = world->work.resting_boundaries[slot]; on && axes < 3;) {
        double *n = axis[axes];
        kg_boundary_normal(world, kg_boundary_set_take(&on), n);
        if (dot(solved_velocity, n) < -slow) continue;
        for (uint32_t k = 0; k < axes; ++k) {
            double along = dot(n, axis[k]);
            for (int x = 0; x < 3; ++x) n[x] -= along * axis[k][x];
        }
        double length2 = dot(n, n);
        if (length2 < coplanar_tolerance2) continue;
        for (int x = 0; x < 3; ++x) n[x] /= __builtin_sqrt(length2);
        double across = dot(a, n);
        for (int x = 0; x < 3; ++x) a[x] -= across * n[x];
        axes += 1;
    }
    if (axes == 3) memset(a, 0, 3 * sizeof *a);
}

bool kg_contact_slide_acceleration(const kugel_world *world, uint32_t slot,
                                   const double solved_velocity[3], double h, double a[3])
{
    const double *velocity = world->work.motion[slot].v;
    double body_acceleration[3];
    (void)kg_frame_free_acceleration(world, slot, body_acceleration);
    double increment = __builtin_sqrt(dot(body_acceleration, body_acceleration)) * h,
           speed = __builtin_sqrt(dot(solved_velocity, solved_velocity)),
           least = velocity_tolerance * (increment + speed);
    for (int k = 0; k < 3; ++k) a[k] = (solved_velocity[k] - velocity[k]) / h;
    remove_normal_part(world, slot, solved_velocity, least + parting_tolerance * increment, a);
    return dot(a, a) * h * h > least * least;
}

void kg_contact_set_sliding(kg_work *work, uint32_t slot, const double a[3],
                            const double spin_change[3], double h)
{
    for (int k = 0; k < 3; ++k) {
        float spin_acceleration = (float)(spin_change[k] / h);
        work->motion[slot].v[k] -= a[k] * h;
        work->acceleration[slot][k] = a[k];
        work->w[k][slot] -= (double)spin_acceleration * h;
        work->angular_acceleration[slot][k] = spin_acceleration;
    }
    work->frame[slot] = KG_FRAME_SLIDING;
}
