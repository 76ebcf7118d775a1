/* Scenes of unlike spheres, all of one density, placed at random without overlap. */
#ifndef MIXTURES_H
#define MIXTURES_H

#include "bench.h"

typedef enum radius_law {
    LAW_ONE,   /* all radii are equal */
    LAW_TWO,   /* two radii, each with half of the volume; at least one sphere is large */
    LAW_POWER, /* number density of radii ~ r^-3.5 */
    LAW_LOG    /* uniform in log r */
} radius_law;

typedef struct mixture {
    const char *name;
    radius_law law;
    double ratio; /* largest over smallest radius */
} mixture;

/* A pile as wide as high once it has settled, friction 0.5; it falls as a loose packing of 0.3. The
 * largest radius is 0.5 m. Kugel has its defaults. */
scene scene_mixed_pile(uint32_t count, const mixture *mixture);
/* An elastic gas with equal temperatures. The smallest radius is 0.5 m, with sigma 5 m/s along each
 * axis. The packing fraction is `eta`, or less if the box would be narrower than two of the largest
 * spheres. */
scene scene_mixed_gas(uint32_t count, const mixture *mixture, double eta, bool periodic);

double scene_volume(const scene *scene);   /* m^3, of the spheres */
double scene_smallest(const scene *scene); /* m, radius */
double scene_largest(const scene *scene);

#endif
