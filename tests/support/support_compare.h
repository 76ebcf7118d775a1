/* The engine against the oracle, impact by impact. */
#ifndef SUPPORT_COMPARE_H
#define SUPPORT_COMPARE_H

#include "support/support_oracle.h"

/* Step the scene by dt and ask the oracle for the same: the number of impacts, at most `most`, that
 * are the same body with the same target in the same order, at the same time within `time_error`
 * (s) and with the same speed and impulse. Prints the first difference on stderr. Ends after
 * 100,000 ticks. */
typedef struct support_tolerance {
    double time;     /* s */
    double relative; /* of the fastest approach so far, and of impulses alike */
} support_tolerance;
uint32_t support_compare(const support_scene *scene, double dt, uint32_t most,
                         support_tolerance tolerance);

#endif
