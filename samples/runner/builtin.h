/* The samples: scenes that are compiled into the runner from samples/scenes. */
#ifndef RUNNER_BUILTIN_H
#define RUNNER_BUILTIN_H

typedef struct builtin {
    const char *name, *description, *json;
} builtin;

extern const builtin builtins[]; /* ends with a NULL name */

/* The sample of this name, or NULL. */
const builtin *builtin_find(const char *name);
/* The sample with the most similar name (nearest.h), or NULL. */
const builtin *builtin_nearest(const char *name);

#endif
