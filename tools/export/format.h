/* The interface of an export format. */
#ifndef EXPORT_FORMAT_H
#define EXPORT_FORMAT_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"

/* A state. The box is the world's; open faces are replaced by the extent of the bodies. */
typedef struct frame {
    uint64_t tick, number; /* number: index in the file */
    double time;           /* s */
    const row_set *rows;
    const kugel_world *world;
    double low[3], high[3]; /* m */
    kugel_face faces[6];
    bool closed;          /* true: no face is open */
    bool has_no_contacts; /* true: rows are of a recorded state, contacts of another world */
    uint32_t pieces;      /* 0: the frame is whole; else this is piece 0 of so many */
} frame;

/* Functions return false when they fail and errno says why; errors of streams may be left to the
 * end. */
struct export_format {
    const char *name, *endings[4]; /* up to NULL */
    bool details;                  /* true: uses the rows' details and the box. No mass is 0 or
                                 * infinite: static and kinematic bodies have 1e-30 kg */
    bool contacts;                 /* true: reads the contacts of the world */
    bool seeks;                    /* true: seeks in its file */
    bool named;                    /* true: needs the file's name */
    bool (*fits)(
        const char *file);      /* may be NULL; false: the name has the ending of another kind */
    bool (*begin)(exporter *e); /* may be NULL */
    bool (*add)(exporter *e, const frame *f);
    /* of formats that have pieces, else NULL: the folder of the frames; write a piece into it */
    const char *(*folder)(const exporter *e);
    bool (*add_piece)(const char *folder, const frame *f, uint32_t piece);
    bool (*finish)(exporter *e);  /* may be NULL; before the file is closed */
    void (*release)(exporter *e); /* may be NULL; after all, also the file's end: free the state,
                                   * remove what is left; unless `written`, leave all as it was */
};

extern const export_format export_csv, export_xyz, export_npy, export_vtp, export_lammps,
    export_gsd, export_video, export_png, export_contacts, export_network;

/* Numbers of `size` bytes, little-endian. */
static inline void write_numbers(FILE *to, const void *values, size_t size, size_t count)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const unsigned char *bytes = values;
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = size; k-- > 0;) fputc(bytes[i * size + k], to);
    }
#else
    fwrite(values, size, count, to);
#endif
}

#endif
