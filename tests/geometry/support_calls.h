/* A table of the public functions of kugel/geometry.h that take a shape or a ray. Each is wrapped
 * to take its arguments from one array and to write its result to another. */
#ifndef SUPPORT_CALLS_H
#define SUPPORT_CALLS_H

#include <kugel/geometry.h>

enum { SUPPORT_NUMBERS = 17, SUPPORT_CALLS = 19 };

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
    const char *negative;         /* '-' marks the arguments that must be >= 0 */
} support_call;

extern const support_call support_calls[SUPPORT_CALLS];

#endif
