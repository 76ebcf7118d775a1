/* Where a surface's vertices are in the world. */
#ifndef EXPORT_SURFACE_PLACE_H
#define EXPORT_SURFACE_PLACE_H

#include <kugel/kugel.h>

/* A point of the surface's frame in the world: x + w t + u x t with t = 2 u x x, for the unit
 * quaternion (u, w). */
static inline void surface_place(const kugel_surface_def *def, const double x[3], double out[3])
{
    const double *u = def->rotation, w = def->rotation[3];
    double t[3];
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        t[k] = 2 * (u[l] * x[m] - u[m] * x[l]);
    }
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = def->position[k] + x[k] + w * t[k] + (u[l] * t[m] - u[m] * t[l]);
    }
}

#endif
