/* The frame of an ellipsoid at rest, and the nearest point of its surface.
 * In: centre, semi-axes (lengths), unit quaternion or NULL. Out: vectors in the frame's axes or the
 * world's, the signed distance. Cost of a nearest point: about 5 Newton steps. */
#ifndef KG_GEOMETRY_ELLIPSOID_H
#define KG_GEOMETRY_ELLIPSOID_H

#include "kugel/geometry.h"

/* Least ratio of a semi-axis to the longest; shorter ones count as this long. The two sides of a
 * flat ellipsoid then differ in doubles. */
#define KG_SEMI_AXIS_RATIO_MIN 0x1p-32

typedef struct kg_ellipsoid {
    double axes[3];              /* semi-axes in frame lengths; one is 0 only when all are */
    double world_to_frame[3][3]; /* rows: the ellipsoid's axes in the world */
    double scale; /* frame length / m, a power of two; the longest axis is in [1, 2) */
} kg_ellipsoid;

/* The surface point nearest to y, all in the frame. */
typedef struct kg_nearest {
    double point[3], normal[3]; /* on the surface; outward unit normal there */
    double distance;            /* negative inside */
} kg_nearest;

/* *is_finite: e is made, as all numbers are finite and the arguments valid.
 * @return KUGEL_ERROR_INVALID_ARGUMENT as documented in kugel/geometry.h. */
kugel_status kg_ellipsoid_make(kg_ellipsoid *e, const double semi_axes[3], const double *rotation,
                               bool *is_finite);

/* out may be a. */
void kg_ellipsoid_to_frame(const kg_ellipsoid *e, const double a[3], double out[3]);
void kg_ellipsoid_to_world(const kg_ellipsoid *e, const double a[3], double out[3]);

void kg_ellipsoid_nearest(const kg_ellipsoid *e, const double y[3], kg_nearest *nearest);

#endif
