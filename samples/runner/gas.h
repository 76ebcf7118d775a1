/* A gas: spheres of one radius that fill the bounds to a packing fraction without overlaps. */
#ifndef RUNNER_GAS_H
#define RUNNER_GAS_H

#include "scene.h"

/* Append the gas to the scene's bodies, clear of walls, open faces, planes and existing bodies,
 * also across periodic faces. The radius follows from count, fraction and the volume of the bounds;
 * the default radius is used if it agrees within 1e-6. Velocities are Gaussian with zero mean. Up
 * to a fraction of 0.25 positions are random (sequential insertion); above, they are random sites
 * of the widest face-centred tetragonal lattice that fits, with jitter. If one method fails the
 * other is tried. Cost O(count). `path` names the generator in messages. @return false with a
 * complaint when the fraction cannot be reached. */
bool make_gas(scene *scene, const gas *gas, uint64_t seed, const char *name, const char *path,
              complaint *complaint);

#endif
