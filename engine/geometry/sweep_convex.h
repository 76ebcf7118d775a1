/* A moving sphere against a convex solid at rest, given by its nearest points. In: the sphere's
 * motion in the solid's frame, a function that finds nearest points. Out: the first contact in
 * [0, dt], the root of f(t) = distance(t) - radius. Conservative advancement by Newton steps
 * (B. Mirtich, PhD thesis, UC Berkeley 1996): the distance to a convex solid is convex along a
 * line, so a step from the left stays left of the root, and f > 0 with f' = normal . velocity >= 0
 * proves a miss. Convergence is quadratic for a hit; f falls to a quarter a step for a graze.
 * Cost: about 6 nearest points for a hit, 30 for a graze, 1 for a motion far from the solid. */
#ifndef KG_GEOMETRY_SWEEP_CONVEX_H
#define KG_GEOMETRY_SWEEP_CONVEX_H

#include "geometry/ellipsoid.h"

/* Gap that counts as contact, in sizes of sphere and solid: the rounding of the distance. */
#define KG_CONTACT_TOLERANCE 0x1p-50

/* The solid's surface point nearest to y, and the direction from it to y; zero where there is none:
 * y in the core of the solid (the axis of a capsule, a flat solid itself). */
typedef void kg_find_nearest(const void *solid, const double y[3], kg_nearest *nearest);

typedef struct kg_convex_sweep {
    kg_find_nearest *find_nearest;
    const void *solid;
    double extent;     /* the solid is within this distance of the frame's origin */
    double core;       /* depth of the core below the surface; INFINITY without a core */
    double y[3], v[3]; /* centre and velocity at the start */
    double radius, dt;
    double tolerance; /* gap that counts as contact */
    /* in: for a start in the core; out: the last one on the way, outside of the core */
    double normal[3];
    kg_nearest nearest;
} kg_convex_sweep;

/* In: all but tolerance and nearest, finite numbers, *contact cleared. Out: the contact in the
 * frame. */
void kg_convex_sweep_run(kg_convex_sweep *sweep, kugel_contact *contact);
/* The same for a centre and velocity in the world, which may be any numbers; the contact is in the
 * world, too. The sweep runs in the frame of an ellipsoid at `origin`, in units of its scale. */
void kg_convex_sweep_in_frame(kg_convex_sweep *sweep, const kg_ellipsoid *frame,
                              const double origin[3], const double center[3],
                              const double velocity[3], kugel_contact *contact);

#endif
