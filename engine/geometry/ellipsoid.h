/* The frame of an ellipsoid at rest, and the nearest point of its surface. The frame has the
 * ellipsoid's axes, its centre as the origin, and a scaled unit of length.
 * In: semi-axes (m), unit quaternion or NULL; points. Out: vectors in the frame's axes or in the
 * world's; nearest point and signed distance. Cost of a nearest point: about 5 Newton steps. */
#ifndef KG_GEOMETRY_ELLIPSOID_H
#define KG_GEOMETRY_ELLIPSOID_H

#include "kugel/geometry.h"

/* Minimum ratio of a semi-axis to the longest one; a shorter semi-axis is replaced by this share.
 * So the points of the two sides of a flat ellipsoid differ in doubles. */
#define KG_SEMI_AXIS_RATIO_MIN 0x1p-32

typedef struct kg_ellipsoid {
    double axes[3];              /* semi-axes in the frame; all are > 0, or all are 0 */
    double world_to_frame[3][3]; /* rows: the ellipsoid's axes in the world */
    double scale; /* frame length / m, a power of two; the longest semi-axis is in [1, 2) */
} kg_ellipsoid;

/* The surface point of a solid nearest to a point y, in the frame of the solid. */
typedef struct kg_nearest {
    double point[3];  /* on the surface */
    double normal[3]; /* outward unit normal at `point` */
    double distance;  /* from `point` to y; negative if y is inside */
} kg_nearest;

/* Make a frame. *is_finite: true if all numbers are finite and the arguments valid; else *e is
 * undefined. @return KUGEL_OK, or KUGEL_ERROR_INVALID_ARGUMENT as in kugel/geometry.h. */
kugel_status kg_ellipsoid_make(kg_ellipsoid *e, const double semi_axes[3], const double *rotation,
                               bool *is_finite);

/* Convert directions, or points relative to the centre in lengths of the frame, between the axes of
 * the world and of the frame. out may be a. */
void kg_ellipsoid_to_frame(const kg_ellipsoid *e, const double a[3], double out[3]);
void kg_ellipsoid_to_world(const kg_ellipsoid *e, const double a[3], double out[3]);

/* y and the result in the frame. */
void kg_ellipsoid_nearest(const kg_ellipsoid *e, const double y[3], kg_nearest *nearest);

#endif
