/* All of a batch by vectors of one width, for batch.c, which takes the widest, and for tests, which take each.
 * In: arguments that are allowed. Out: t_enter, the same bits for every width. */
#ifndef KG_GEOMETRY_BATCH_H
#define KG_GEOMETRY_BATCH_H

#include "geometry/ellipsoid.h"

/* The arguments of all three; there is one of what the function's name has in the singular. */
typedef struct kg_batch {
    const double *origin, *direction, *center, *radius, *semi_axes, *rotation;
    const kg_ellipsoid *ellipsoid; /* NULL: only the single form will do */
    double *t_enter;
} kg_batch;

typedef enum kg_batch_form { KG_RAY_SPHERES, KG_RAYS_SPHERE, KG_RAYS_ELLIPSOID } kg_batch_form;

/* Four doubles in what the build may use, four in 256 bits, eight in 512. */
typedef enum kg_batch_width { KG_BATCH_BASE, KG_BATCH_AVX2, KG_BATCH_AVX512 } kg_batch_width;

/* What this machine has; the smaller ones, too. */
kg_batch_width kg_batch_widest(void);

/* Does the form without scaling do for this ellipsoid? */
bool kg_batch_plain(const kg_ellipsoid *e);

void kg_batch_enter(const kg_batch *a, kg_batch_form form, size_t count, kg_batch_width width);

#endif
