/* Trajectories in formats of other programs, for kugel-run and kugel-replay.
 * In: a world after each exported tick. Out: a file that is complete or absent. Cost: one pass over
 * the bodies a frame, memory for one frame (GSD: 32 bytes more for each array in the file). Bodies
 * are in id order; their number may change between frames. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "atomic_file.h"
#include "picture_look.h"
#include "row_set.h"

typedef struct export_format export_format;

/* All zero: not open; then all functions but the opening one do nothing. */
typedef struct exporter {
    const export_format *format; /* NULL: not open */
    atomic_file file;
    FILE *to; /* the file's stream, or a temporary one for formats that seek */
    row_set rows;
    picture_look look; /* of pictures and videos */
    uint64_t frames;
    bool written;        /* true: the file is complete */
    void *state;         /* of the format */
    const char *problem; /* what failed; NULL: see errno */
} exporter;

/* "csv, xyz, npy ..." */
extern const char export_names[];

/* The format of this name; if `name` is NULL, that of the file's ending. NULL if there is none. */
const export_format *export_find(const char *name, const char *file);
/* The endings that a file of this format must have, if it has another one; else NULL. */
const char *export_wrong_ending(const export_format *format, const char *file);
/* True if the format can be written to standard output. */
bool export_streams(const export_format *format);
/* True if the format has images of bodies across periodic faces. */
bool export_has_images(const export_format *format);
/* True if the format has the contacts of bodies, which recorded states lack. */
bool export_has_contacts(const export_format *format);

/* Each returns false when it failed, and export_problem says why. An exporter that was opened is to
 * be finished or abandoned. */
/* @param look of pictures and videos; NULL: the default. */
bool export_open(exporter *e, const export_format *format, const char *file,
                 const picture_look *look);
/* @param pieces 0: the frame is whole. Else each of so many ranks has a piece of it, the bodies of
 * its world: this is piece 0, and export_write_piece writes the others into export_folder. */
bool export_add(exporter *e, const kugel_world *world, uint64_t tick, double time, uint32_t pieces);
/* A whole frame with positions, velocities and spins of a recorded state instead of the world's. */
bool export_add_recorded(exporter *e, const kugel_world *world, const kugel_recorded *recorded,
                         uint64_t tick, double time);
/* The folder of pieces; NULL: the format has none, or the exporter is not open. */
const char *export_folder(const exporter *e);
/* Write piece `piece`, > 0, of a frame. false: errno says why. */
bool export_write_piece(const export_format *format, const char *folder, uint32_t piece,
                        const kugel_world *world, uint64_t tick, double time);
bool export_finish(exporter *e);
/* Text of the last failure; call it before errno changes. */
const char *export_problem(const exporter *e);
/* Close and remove the output. */
void export_abandon(exporter *e);

#endif
