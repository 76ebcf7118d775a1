/* All of a batch by vectors of one width, for ray_batch.c, which takes the widest, and for tests,
 * which take each. In: arguments that are allowed. Out: t_enter, the same bits for every width. */
#ifndef KG_GEOMETRY_RAY_BATCH_H
#define KG_GEOMETRY_RAY_BATCH_H

#include "geometry/ellipsoid.h"

/* The arguments of all three; there is one of what the function's name has in the singular. */
typedef struct kg_ray_batch {
    const double *origin, *direction, *center, *radius, *semi_axes, *rotation;
    const kg_ellipsoid *ellipsoid; /* NULL: only the single form will do */
    double *t_enter;
} kg_ray_batch;

typedef enum kg_ray_batch_form {
    KG_RAY_BATCH_SPHERES,
    KG_RAY_BATCH_SPHERE,
    KG_RAY_BATCH_ELLIPSOID
} kg_ray_batch_form;

/* Vectors: four doubles with the instructions of the build, four in 256 bits, eight in 512. */
typedef enum kg_ray_batch_width {
    KG_RAY_BATCH_BASE,
    KG_RAY_BATCH_AVX2,
    KG_RAY_BATCH_AVX512
} kg_ray_batch_width;

/* The widest vectors of this machine, which has the smaller widths too. */
kg_ray_batch_width kg_ray_batch_widest(void);

/* True if the form without scaling is right for this ellipsoid. */
bool kg_ray_batch_unscaled(const kg_ellipsoid *e);

void kg_ray_batch_enter(const kg_ray_batch *a, kg_ray_batch_form form, size_t count,
                        kg_ray_batch_width width);

#endif
