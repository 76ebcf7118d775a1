/* A gas: spheres of one radius that fill the bounds to a packing fraction without overlaps. */
#ifndef RUNNER_GAS_H
#define RUNNER_GAS_H

#include "scene.h"

/* Append the gas to the scene's bodies. It keeps off walls, open faces, planes and the bodies that
 * are there already, and looks through periodic faces. The radius follows from count, fraction and
 * the volume of the bounds; the default radius is taken when it is that within 1e-6. Gaussian
 * velocities, whose mean is then taken off: the gas has no momentum of its own. Up to a fraction of
 * 0.25 places are random (sequential insertion); above, they are sites of the widest face-centred
 * tetragonal lattice that fits, chosen at random and jittered. Where one way jams the other is
 * tried. Cost O(count); 100,000 spheres take 1 - 3 s. false with a complaint when the fraction
 * cannot be reached. `path` names the generator. */
bool make_gas(scene *scene, const gas *gas, uint64_t seed, const char *name, const char *path,
              complaint *complaint);

#endif
