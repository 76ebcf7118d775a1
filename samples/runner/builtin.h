/* The scenes that come with the runner, made from samples/scenes at build time; ends with a NULL name. */
#ifndef RUNNER_BUILTIN_H
#define RUNNER_BUILTIN_H

typedef struct builtin {
    const char *name, *description, *json;
} builtin;

extern const builtin builtins[];

#endif
