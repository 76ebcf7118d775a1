/* "bodies": "FILE" in a scene: bodies from csv, npy, extended XYZ, LAMMPS and GSD files. */
#ifndef RUNNER_READ_BODIES_H
#define RUNNER_READ_BODIES_H

#include "scene.h"

/* "FILE" or "FILE@TICK". */
typedef struct bodies_file {
    char *path;    /* relative to the working directory; malloc'ed */
    bool one_tick; /* true: the frame of `tick` is read; false: the last frame */
    uint64_t tick;
} bodies_file;

/* Find the file of the scene's bodies, whose name is relative to the scene's file. @param name of
 * the scene. false: out of memory. */
bool bodies_find(const scene *scene, const char *name, bodies_file *file);
/* Read the file and append its bodies to the scene. @return 0, or an exit code after a message. */
int bodies_read(scene *scene, const char *name, const bodies_file *file);
/* As bodies_read, for a file in memory. data[size] must be 0. false: a complaint. */
bool bodies_parse(scene *scene, const char *name, const bodies_file *file, const char *data,
                  size_t size, complaint *complaint);

#endif
