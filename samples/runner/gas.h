/* A gas: spheres of one radius that fill the bounds to a packing fraction without overlaps. */
#ifndef RUNNER_GAS_H
#define RUNNER_GAS_H

#include "obstacles.h"

/* Place the bodies of a gas, clear of walls, open faces, planes, obstacles (NULL: none) and
 * existing bodies, also across periodic faces. The radius follows from count, fraction and the
 * volume of the bounds; the default radius is used if it agrees within 1e-6. Up to a fraction of
 * 0.25 places are random (sequential insertion); above, they are random sites of the widest
 * face-centred tetragonal lattice that fits, with jitter. If one method fails, the other is tried,
 * but random places only up to a fraction of 0.38. Cost O(count). In: the seed of `generated`. Out:
 * its places, radius and state before the first velocity. `path` names the generator in messages.
 * @return false with a complaint when the fraction cannot be reached. */
bool make_gas(const scene *scene, const obstacles *obstacles, const gas *gas, generated *generated,
              const char *name, const char *path, complaint *complaint);
/* The radius of equal spheres by count and fraction, m. */
double gas_radius(const scene *scene, const gas *gas);
/* m^3 */
double bounds_volume(const kugel_bounds *bounds);

#endif
