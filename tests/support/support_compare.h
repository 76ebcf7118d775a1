/* Compares the engine with the oracle, impact by impact. */
#ifndef SUPPORT_COMPARE_H
#define SUPPORT_COMPARE_H

#include "support/support_oracle.h"

/* Step the scene by dt and compare with the oracle. @return the number of equal impacts, at most
 * `most`: the same bodies in the same order, with time, speed and impulse within the tolerance.
 * Prints the first difference on stderr. Ends after 100,000 ticks. */
typedef struct support_tolerance {
    double time;     /* s */
    double relative; /* of the largest speed so far; for impulses alike */
} support_tolerance;
uint32_t support_compare(const support_scene *scene, double dt, uint32_t most,
                         support_tolerance tolerance);

#endif
