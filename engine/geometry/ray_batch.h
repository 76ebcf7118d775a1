/* A batch of rays by vectors of a given width. ray_batch.c takes the widest; tests take each width.
 * In: valid arguments. Out: t_enter, with the same bits for every width. Cost: see ray_batch.c. */
#ifndef KG_GEOMETRY_RAY_BATCH_H
#define KG_GEOMETRY_RAY_BATCH_H

#include "geometry/ellipsoid.h"

/* The arguments of a batch. Each form uses the members that it names. */
typedef struct kg_ray_batch {
    const double *origin, *direction; /* of each ray; for KG_RAY_BATCH_SPHERES of the only ray */
    const double *center;             /* m, of the solids */
    const double *radius;             /* m, of the spheres */
    const double *semi_axes;          /* m, of the ellipsoid */
    const double *rotation;           /* of the ellipsoid; may be NULL */
    const kg_ellipsoid *ellipsoid;    /* its frame; NULL: computed ray by ray */
    double *t_enter;                  /* [count] */
} kg_ray_batch;

typedef enum kg_ray_batch_form {
    KG_RAY_BATCH_SPHERES,  /* one ray against many spheres */
    KG_RAY_BATCH_SPHERE,   /* many rays against one sphere */
    KG_RAY_BATCH_ELLIPSOID /* many rays against one ellipsoid */
} kg_ray_batch_form;

/* Widths of vectors, with the instructions that compute them. */
typedef enum kg_ray_batch_width {
    KG_RAY_BATCH_BASE,  /* four doubles, with the instructions of the build */
    KG_RAY_BATCH_AVX2,  /* four doubles in a register of 256 bits */
    KG_RAY_BATCH_AVX512 /* eight doubles in a register of 512 bits */
} kg_ray_batch_width;

/* The widest vectors of this machine. It has all smaller widths, too. */
kg_ray_batch_width kg_ray_batch_widest(void);

/* True if the size of the ellipsoid is in the range in which scaling changes no bit. */
bool kg_ray_batch_unscaled(const kg_ellipsoid *e);

/* Compute the entries of `count` rays, or of one ray into `count` spheres. The machine must have
 * vectors of this width. */
void kg_ray_batch_enter(const kg_ray_batch *a, kg_ray_batch_form form, size_t count,
                        kg_ray_batch_width width);

#endif
