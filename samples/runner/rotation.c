/* See rotation.h. */
#include "rotation.h"

#include <surface_place.h>

void rotation_multiply(const double a[4], const double b[4], double out[4])
{
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[3] * b[k] + b[3] * a[k] + a[i] * b[j] - a[j] * b[i];
    }
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

void rotation_undo(const double rotation[4], const double x[3], double out[3])
{
    kugel_surface_def back = {.position = {0}};
    for (int k = 0; k < 4; ++k) back.rotation[k] = k < 3 ? -rotation[k] : rotation[k];
    surface_place(&back, x, out);
}
