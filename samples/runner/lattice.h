/* A lattice: spheres at equal distances along each axis, with random displacements. */
#ifndef RUNNER_LATTICE_H
#define RUNNER_LATTICE_H

#include "scene.h"

size_t lattice_count(const lattice *lattice);
/* Visit the spheres of a lattice in the order of ids. Nothing is stored; each walk yields the same
 * spheres. @return false if a visit ended the walk. */
bool lattice_each(const scene *scene, const generator *g, uint64_t seed, sphere_visit *visit,
                  void *context);

#endif
