/* "bodies": "FILE" in a scene: bodies from csv, npy, extended XYZ, LAMMPS and GSD files. */
#ifndef RUNNER_READ_BODIES_H
#define RUNNER_READ_BODIES_H

#include "scene.h"

/* "FILE" or "FILE@TICK". */
typedef struct bodies_file {
    char *path; /* relative to the working directory; malloc'ed */
    bool one_tick;
    uint64_t tick; /* of the frame, if one_tick */
} bodies_file;

/* The file of the scene's bodies, which is relative to the scene's file. @param name of the scene.
 * false: out of memory. */
bool bodies_find(const scene *scene, const char *name, bodies_file *file);
/* Read it and append its bodies to the scene. @return 0, or an exit code after a message. */
int bodies_read(scene *scene, const char *name, const bodies_file *file);
/* The same for a file in memory; the byte behind it can be read and is 0. */
bool bodies_parse(scene *scene, const char *name, const bodies_file *file, const char *data,
                  size_t size, complaint *complaint);

#endif
