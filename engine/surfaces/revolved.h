/* Surfaces of revolution: a segment, the profile, turned about an axis. Discs, open cylinders and
 * cones, and with a thickness capsules and rings. Both sides answer: a ball may be outside of a
 * drum or in it. The nearest point is in the half-plane of x and the axis, so that the distance is
 * that from a segment in two dimensions. Pure functions. */
#ifndef KG_SURFACES_REVOLVED_H
#define KG_SURFACES_REVOLVED_H

#include "surfaces/mesh.h"

/* Where the nearest point is: between the ends of the profile, or on the circle of an end. */
typedef enum kg_revolved_region {
    KG_REVOLVED_SIDE,
    KG_REVOLVED_RIM_0,
    KG_REVOLVED_RIM_1
} kg_revolved_region;

typedef struct kg_revolved {
    double origin[3], axis[3]; /* m; unit vector */
    double radius[2];          /* of the circles at the ends, m, >= 0 */
    double height[2];          /* of the ends over the origin, along the axis, m */
    double thickness;          /* m, >= 0; the surface is all points so near to the thin one */
} kg_revolved;

/* All are centred at the origin; lengths are along the axis, m. */
kg_revolved kg_revolved_disc(const double origin[3], const double axis[3], double radius);
/* Open at both ends. radius_0 is at the end against the axis. */
kg_revolved kg_revolved_cone(const double origin[3], const double axis[3], double radius_0,
                             double radius_1, double length);
kg_revolved kg_revolved_cylinder(const double origin[3], const double axis[3], double radius,
                                 double length);
/* length: between the centres of its two half-spheres. */
kg_revolved kg_revolved_capsule(const double origin[3], const double axis[3], double radius,
                                double length);

/* Distance of x from the surface, m, below 0 inside its thickness; the unit normal from x into it,
 * and the region of the nearest point. On the axis all directions across it are alike: one is
 * chosen. */
double kg_revolved_distance(const kg_revolved *surface, const double x[3], double normal[3],
                            kg_revolved_region *region);

/* The earliest time in [0, path->horizon] at which a sphere touches or overlaps the surface while
 * it approaches: 0 for one that does at the start. The gap then is 0 within 1e-13 of the radius and
 * the rounding of the path. KG_NEVER (sweep_linear.h) if there is none. */
double kg_revolved_sweep(const kg_revolved *surface, const kg_mesh_path *path, double normal[3],
                         kg_revolved_region *region);

#endif
