/* Every public function of kugel/geometry.h that takes a shape or a ray, wrapped to take its
 * numbers from one array and to give those of its result in another. */
#ifndef SUPPORT_CALLS_H
#define SUPPORT_CALLS_H

#include <kugel/geometry.h>

enum { SUPPORT_NUMBERS = 16, SUPPORT_CALLS = 19 };

typedef struct support_values {
    kugel_status status;
    bool hit;
    double values[24];
    int count;
} support_values;

typedef struct support_call {
    const char *name;
    support_values (*call)(const double *x);
    int numbers;
    double good[SUPPORT_NUMBERS]; /* a call that hits */
    const char *negative;         /* what may not be negative: '-' marks it */
} support_call;

extern const support_call support_calls[SUPPORT_CALLS];

#endif
