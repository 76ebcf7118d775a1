/* Compares the engine with the oracle, impact by impact. */
#ifndef SUPPORT_COMPARE_H
#define SUPPORT_COMPARE_H

#include "support/support_oracle.h"

typedef struct support_tolerance {
    double time;     /* s */
    double relative; /* of speeds and impulses: share of the largest so far */
} support_tolerance;
/* Step the scene by dt and compare its impacts with the oracle. Impacts are equal if they have the
 * same bodies, in the same order, and time, speed and impulse within the tolerance. @return the
 * number of equal impacts before the first difference, at most `limit`. Prints the difference on
 * stderr. Ends after 100,000 ticks. */
uint32_t support_compare(const support_scene *scene, double dt, uint32_t limit,
                         support_tolerance tolerance);

#endif
