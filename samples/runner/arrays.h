/* Growable arrays (stb_ds) for the runner. If memory runs out, the program ends with a message of
 * one line and exit code 4. Arrays grow before any output is opened. */
#ifndef RUNNER_ARRAYS_H
#define RUNNER_ARRAYS_H

#include <stddef.h>
#include <stdlib.h>

void *array_resize(void *block, size_t size);

#define STBDS_REALLOC(context, block, size) array_resize(block, size)
#define STBDS_FREE(context, block) free(block)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wundef"
#include <stb/stb_ds.h>
#pragma GCC diagnostic pop

#endif
