/* The scenes that come with the runner, made from samples/scenes at build time. */
#ifndef RUNNER_BUILTIN_H
#define RUNNER_BUILTIN_H

typedef struct builtin {
    const char *name, *description, *json;
} builtin;

extern const builtin builtins[]; /* ends with a NULL name */

/* By its name, or NULL. */
const builtin *builtin_find(const char *name);
/* The one whose name is nearest (nearest.h), or NULL. */
const builtin *builtin_nearest(const char *name);

#endif
