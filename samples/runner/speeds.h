/* Velocities of a gas: Gaussian, with the centre of mass at rest, by speed_sigma or at a
 * temperature. All gases of a scene with a temperature together have exactly this one. */
#ifndef RUNNER_SPEEDS_H
#define RUNNER_SPEEDS_H

#include "scene.h"

typedef struct speeds {
    const gas *gas;
    double mean[3]; /* m/s, velocity of the centre of mass, which is subtracted */
    double factor;  /* on velocities, for the temperature; else 1 */
    random_state random;
} speeds;

/* Begin the velocities of the bodies of a gas that has run. Velocities are not stored: all are
 * drawn here for their mean and temperature, and again one after the other by speeds_next. */
speeds speeds_begin(const scene *scene, size_t generator);
/* The velocity of the next body. */
void speeds_next(speeds *speeds, double mass, double velocity[3]);

#endif
