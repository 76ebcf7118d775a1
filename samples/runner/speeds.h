/* Velocities of a gas: Gaussian, with the centre of mass at rest. */
#ifndef RUNNER_SPEEDS_H
#define RUNNER_SPEEDS_H

#include "scene.h"

typedef struct speeds {
    double sigma;   /* m/s, along each axis */
    double mean[3]; /* m/s, velocity of the centre of mass, which is subtracted */
    random_state random;
} speeds;

/* Begin the velocities of the `count` bodies of a gas. Velocities are not stored: all are drawn
 * here for their mean, and again one after the other by speeds_next. */
speeds speeds_begin(const generator *g, const generated *generated, size_t count);
/* The velocity of the next body. */
void speeds_next(speeds *speeds, double velocity[3]);

#endif
