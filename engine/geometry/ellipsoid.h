/* An ellipsoid at rest in its own frame, and the nearest point of its surface.
 * In: centre, semi-axes (lengths), unit quaternion or NULL. Out: vectors between the world's axes
 * and the ellipsoid's, the true signed distance. Cost of a nearest point: about 5 Newton steps. */
#ifndef KG_GEOMETRY_ELLIPSOID_H
#define KG_GEOMETRY_ELLIPSOID_H

#include "kugel/geometry.h"

/* A semi-axis below this share of the longest counts as this share: a flat ellipsoid keeps a
 * surface whose two sides can be told apart by doubles. */
#define KG_SEMI_AXIS_RATIO_MIN 0x1p-32

/* Lengths in the frame are the world's times scale, a power of two that brings the longest
 * semi-axis into [1, 2). */
typedef struct kg_ellipsoid {
    double axes[3];              /* in the frame's lengths; 0 only when all are */
    double world_to_frame[3][3]; /* rows: the ellipsoid's axes in the world */
    double scale;
} kg_ellipsoid;

/* The surface point nearest to y, all in the frame. */
typedef struct kg_nearest {
    double point[3], normal[3]; /* on the surface; outward unit */
    double distance;            /* signed: negative inside */
} kg_nearest;

/* *is_finite is false when a number is NaN or infinite. @return KUGEL_ERROR_INVALID_ARGUMENT as
 * documented in kugel/geometry.h. */
kugel_status kg_ellipsoid_make(kg_ellipsoid *e, const double semi_axes[3], const double *rotation,
                               bool *is_finite);

/* out may be a. */
void kg_ellipsoid_to_frame(const kg_ellipsoid *e, const double a[3], double out[3]);
void kg_ellipsoid_to_world(const kg_ellipsoid *e, const double a[3], double out[3]);

void kg_ellipsoid_nearest(const kg_ellipsoid *e, const double y[3], kg_nearest *nearest);

#endif
