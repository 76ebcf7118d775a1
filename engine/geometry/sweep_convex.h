/* A moving sphere against a convex solid at rest, given by a function that finds nearest points.
 * In: the sphere's motion in the solid's frame. Out: the first contact in [0, dt], the root of f(t)
 * = distance(t) - radius. How: conservative advancement by Newton steps (B. Mirtich, PhD thesis, UC
 * Berkeley 1996). The distance to a convex solid is convex along a line. So a step from the left
 * stays left of the root, and f > 0 with f' = normal . velocity >= 0 proves a miss. Steps converge
 * quadratically for a hit; for a grazing contact each step divides f by four.
 * Cost: about 6 nearest points for a hit, 30 for a graze, 1 for a motion far from the solid. */
#ifndef KG_GEOMETRY_SWEEP_CONVEX_H
#define KG_GEOMETRY_SWEEP_CONVEX_H

#include "geometry/ellipsoid.h"

/* The gap that counts as contact, as a share of the sizes of sphere and solid: the rounding of the
 * distance. */
#define KG_CONTACT_TOLERANCE 0x1p-50

/* Find the solid's surface point nearest to y and the outward normal there. In the core of a solid
 * the normal is not defined and may be 0. The core is the axis of a capsule, or all of a flat
 * solid; outside the core the normal of a flat solid is on y's side. */
typedef void kg_find_nearest(const void *solid, const double y[3], kg_nearest *nearest);

typedef struct kg_convex_sweep {
    kg_find_nearest *find_nearest;
    const void *solid;
    double extent;     /* the solid is within this distance of the frame's origin */
    double core;       /* depth of the core below the surface; INFINITY: no core */
    double y[3];       /* centre of the sphere at the start */
    double v[3];       /* velocity of the sphere */
    double radius, dt; /* radius of the sphere; length of the sweep, s */
    double tolerance;  /* gap that counts as contact; set by the sweep */
    /* in: the normal for a start in the core; out: the normal at the last place outside the core */
    double normal[3];
    kg_nearest nearest; /* for the centre at the last time that was tested; set by the sweep */
} kg_convex_sweep;

/* Run the sweep in the frame. In: all members but tolerance and nearest, finite except core;
 * *contact, cleared. Out: the contact in the frame. */
void kg_convex_sweep_run(kg_convex_sweep *sweep, kugel_contact *contact);
/* Run the sweep for a centre and velocity in the world, in the frame of an ellipsoid at `origin`.
 * radius and the solid are in the frame's lengths. Numbers that are not finite give no contact.
 * Out: the contact in the world. */
void kg_convex_sweep_in_frame(kg_convex_sweep *sweep, const kg_ellipsoid *frame,
                              const double origin[3], const double center[3],
                              const double velocity[3], kugel_contact *contact);

#endif
