/* Output files that appear only when complete: written beside their name and renamed at the end. A
 * link stays a link; its target is replaced. An existing file keeps its permissions; a read-only
 * file is an error. "-" and "/dev/stdout" are standard output. Pipes, devices and all paths in /dev
 * and /proc are written directly. */
#ifndef EXPORT_ATOMIC_FILE_H
#define EXPORT_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct atomic_file {
    FILE *file; /* NULL: not open */
    const char *name;
    char *temporary; /* NULL: none */
    char *target;    /* final path, links resolved */
    bool published;  /* true: the target is this file, complete or not */
} atomic_file;

/* Would writing one name change what is behind the other? By device and inode, through links;
 * names that lead nowhere yet are compared by folder and last part. Pipes and devices are never
 * the same. */
bool atomic_file_same(const char *a, const char *b);
bool atomic_file_is_stdout(const char *name);

/* false: errno is set. */
bool atomic_file_open(atomic_file *out, const char *name);
/* A file without a name for scratch data, in the folder of the target, or among the temporary files
 * of the system where there is none. NULL: errno is set. */
FILE *atomic_file_scratch(const atomic_file *out);
/* Flush; true if no write has failed. */
bool atomic_file_good(atomic_file *out);
/* Give a file its name before it is complete, for a format that may end anywhere: a killed program
 * leaves it there. No effect where the name is taken: what is there stays until the end. */
void atomic_file_publish(atomic_file *out);
/* Close and rename; on failure the temporary file is removed and errno is set. */
bool atomic_file_finish(atomic_file *out);
/* Close and remove. */
void atomic_file_abandon(atomic_file *out);

#endif
