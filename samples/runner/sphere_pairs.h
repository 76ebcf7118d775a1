/* Finds all overlapping pairs of spheres in cell lists of its own. In: constant radii, and places.
 * Out: pairs, in no particular order. Cost O(spheres) for spheres that hardly overlap and are
 * within 10^10 diameters of the first one. */
#ifndef RUNNER_SPHERE_PAIRS_H
#define RUNNER_SPHERE_PAIRS_H

#include "cell_levels.h"

/* Places on an axis are whole units modulo 2^32. A cell is 2^16 units wide: on an open axis twice
 * the largest diameter of the level (an edge), on a periodic axis at least that. */
typedef struct pair_axis {
    double low;         /* m, start of a periodic axis; else the place of the first sphere */
    double per_metre;   /* units per metre */
    double least, most; /* units, limits of places */
    uint32_t cells;     /* of a periodic axis; else 0 */
    float scale;        /* width of a cell in edges, >= 1; cells of an open axis are 1 edge wide */
} pair_axis;

/* Spheres of one level of cell_level_of, or of two if the smaller spheres do not far outnumber the
 * larger ones. */
typedef struct pair_level {
    pair_axis axis[3];
    double per_metre;     /* 2^-16 edges per metre, rounded up */
    float margin;         /* 2^-16 edges, added to each radius: above errors of rounding */
    float widest;         /* 2^-16 edges, the largest radius with its margin */
    uint32_t first, last; /* its points are first to last - 1 */
    uint32_t mask;        /* number of buckets - 1 */
    uint32_t *start;      /* [bucket + 1], first point of each bucket */
} pair_level;

/* A sphere before it is sorted into buckets. */
typedef struct pair_sphere {
    uint32_t index, bucket, units[3];
} pair_sphere;

typedef struct sphere_pairs {
    const double *radius; /* [index], m; belongs to the caller */
    double length[3];     /* m, of a periodic axis; else infinite */
    pair_level level[CELL_LEVELS];
    uint32_t *starts;     /* memory of level[].start */
    pair_sphere *spheres; /* by level */
    uint32_t *index;      /* [point], of the sphere; points are by level and bucket */
    uint32_t *units[3];   /* [point], place */
    float *extent;        /* [point], 2^-16 edges, radius with its margin */
} sphere_pairs;

/* Prepare for `count` spheres. `radius` must live as long as the pairs. false: out of memory. */
bool sphere_pairs_open(sphere_pairs *pairs, const kugel_bounds *bounds, const double *radius,
                       uint32_t count);
void sphere_pairs_close(sphere_pairs *pairs);
/* Call visit(context, a, b, squared distance) for each pair within the sum of its radii, by the
 * nearest periodic images; some pairs come several times. Periodic axes must be longer than four
 * radii.
 * @param place [3 * count], m, finite, within the periodic axes. */
typedef void sphere_pairs_visit(void *context, uint32_t a, uint32_t b, double d2);
void sphere_pairs_find(sphere_pairs *pairs, const double *place, sphere_pairs_visit *visit,
                       void *context);

#endif
