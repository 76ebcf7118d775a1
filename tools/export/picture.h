/* Pictures of spheres, lines and translucent triangles: a perspective view with depth buffer, drawn
 * at twice the size and averaged. In: positions in m, a camera fitted to a box. Out: rgb[3 * width
 * * height], top row first. */
#ifndef EXPORT_PICTURE_H
#define EXPORT_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "picture_look.h"

typedef struct picture {
    int width, height; /* of rgb; the canvas has twice as many pixels each way */
    uint8_t *rgb, *canvas;
    float *depth;      /* m from the eye, of the canvas' pixels */
    double eye[3];     /* m */
    double axes[3][3]; /* unit: right, up, away */
    double focal;      /* canvas pixels */
} picture;

/* false when out of memory. */
bool picture_make(picture *p, int width, int height);
void picture_free(picture *p);
/* Place the camera: where `look` says, else fitted to the box, viewed obliquely from above. z is
 * up, or y if the view is along z. */
void picture_look_at(picture *p, const double low[3], const double high[3],
                     const picture_look *look);
void picture_clear(picture *p);
void picture_sphere(picture *p, const double center[3], double radius, const double colour[3]);
void picture_line(picture *p, const double a[3], const double b[3], const double colour[3]);
/* Blend a triangle over what lies behind it; draw all triangles after spheres and lines. Its light
 * does not depend on the order of its corners. @param opacity in [0, 1]. */
void picture_triangle(picture *p, const double corners[3][3], const double colour[3],
                      double opacity);
/* Average the canvas into rgb. */
void picture_finish(picture *p);

#endif
