/* The door to stb_ds in the runner. */
#ifndef RUNNER_ARRAYS_H
#define RUNNER_ARRAYS_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wundef"
#include <stb/stb_ds.h>
#pragma GCC diagnostic pop

#endif
