/* The text of a scene: from a sample, a file, or standard input. */
#ifndef RUNNER_LOAD_H
#define RUNNER_LOAD_H

#include <stdbool.h>
#include <stddef.h>

/* How processes that run one scene share files. All of them load the same files in the same
 * order. */
typedef struct load_sharing {
    bool reads; /* true: this process reads files; false: it only gets what another one has read */
    /* Called for each file after it was read, with the exit code. */
    int (*share)(const void *context, int code, char **data, size_t *size);
    const void *context;
} load_sharing;
void load_share(const load_sharing *sharing);

/* A sample takes precedence over a file of the same name (./gas is the file). *text is malloc'ed.
 * @return 0, or an exit code after a message. */
int load_text(const char *name, char **text, size_t *size);
/* All bytes of a file, or of standard input for "-", with a 0 behind them; *data is malloc'ed.
 * @param what prefix of messages, as "--restart". @return 0, or an exit code after a message. */
int load_file(const char *what, const char *name, char **data, size_t *size);
/* The path of a file that a scene names: relative to the folder of the scene's file. malloc'ed;
 * NULL: out of memory. */
char *path_beside(const char *scene, const char *file);

#endif
