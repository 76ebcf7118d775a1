/* What rests on boundaries alone slides or rolls along them. The solve says by how much its velocity changes in the substep; moved by
 * the velocity of the end (semi-implicit Euler) it would be a h t / 2 ahead of its way after t: 1 cm after 1 s down a slope of
 * 30 degrees. Along what it rests on that change is an acceleration instead, the same all through the substep, as is that of its
 * spin, and the body moves and meets others as what falls does. Across, it has the velocity of the end at once: that is what holds it.
 * Who touches bodies moves as the solve says, or they would part and press in by turns. Each body by itself. */
#include <string.h>

#include "contact/contact.h"

/* Parts of what the body's own acceleration adds, and of its speed, that are no change: the solve rounds by 6e-8. */
static const double noise = 1e-6;
/* A part of the former that is no parting. */
static const double noise_of_kick = 1e-3;
/* Normals that are nearer to a plane than this lie in it; squared. */
static const double flat = 1e-12;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Less what of it is in the span of the normals of what the body rests on; what it parts from faster than `slow`, m/s, holds nothing. */
static void take_across(const kugel_world *world, uint32_t slot, const double now[3], double slow, double a[3])
{
    double axis[3][3];
    uint32_t axes = 0;
    for (kg_boundary_set on = world->work.resting[slot]; on && axes < 3;) {
        double *n = axis[axes];
        kg_boundary_normal(world, kg_boundary_set_take(&on), n);
        if (dot(now, n) < -slow) continue;
        for (uint32_t k = 0; k < axes; ++k) {
            double along = dot(n, axis[k]);
            for (int x = 0; x < 3; ++x) n[x] -= along * axis[k][x];
        }
        double length2 = dot(n, n);
        if (length2 < flat) continue;
        for (int x = 0; x < 3; ++x) n[x] /= __builtin_sqrt(length2);
        double across = dot(a, n);
        for (int x = 0; x < 3; ++x) a[x] -= across * n[x];
        axes += 1;
    }
    if (axes == 3) memset(a, 0, 3 * sizeof *a);
}

bool kg_contact_find_slide(const kugel_world *world, uint32_t slot, const double now[3], double h, double a[3])
{
    const double *was = world->work.motion[slot].v;
    double own[3];
    (void)kg_own_acceleration(world, slot, own);
    double kick = __builtin_sqrt(dot(own, own)) * h, speed = __builtin_sqrt(dot(now, now)), least = noise * (kick + speed);
    for (int k = 0; k < 3; ++k) a[k] = (now[k] - was[k]) / h;
    take_across(world, slot, now, least + noise_of_kick * kick, a);
    return dot(a, a) * h * h > least * least;
}

void kg_contact_slide(kg_work *work, uint32_t slot, const double a[3], const double spins[3], double h)
{
    for (int k = 0; k < 3; ++k) {
        float turning = (float)(spins[k] / h);
        work->motion[slot].v[k] -= a[k] * h;
        work->acceleration[slot][k] = a[k];
        work->w[k][slot] -= (double)turning * h;
        work->turning[slot][k] = turning;
    }
    work->frame[slot] = KG_FRAME_SLIDES;
}
