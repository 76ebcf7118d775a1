/* Frames in an unnamed file, to be drawn when the whole run is known.
 * In: frames in order. Out: the same frames, and the box and the largest values of all. Meshes of
 * surfaces are kept once. Cost: 36 bytes a body and frame in the file, memory for one frame. */
#ifndef EXPORT_FRAME_STORE_H
#define EXPORT_FRAME_STORE_H

#include "format.h"

typedef struct store_mesh {
    uint32_t surface; /* index in the world */
    uint32_t vertex_count, triangle_count;
    double *vertices; /* [3 * vertex_count], m, in the surface's frame */
    uint32_t *triangles;
} store_mesh;

/* A surface of a frame. */
typedef struct store_place {
    uint32_t mesh;
    double position[3], rotation[4];
} store_place;

typedef struct store_plane {
    double normal[3], offset;
} store_plane;

/* A frame that was read. Arrays are valid until the next one. */
typedef struct stored_frame {
    uint32_t count, surface_count, plane_count;
    uint32_t *ids;       /* [count] */
    double *position;    /* [3 * count], m */
    float *radius;       /* [count], m */
    float *speed;        /* [count], m/s; -1: a static body */
    store_place *places; /* [surface_count] */
    store_plane *planes;
} stored_frame;

typedef struct frame_store {
    FILE *file;
    store_mesh *meshes;
    uint32_t mesh_count;
    uint64_t frames;
    double low[3], high[3];           /* m, box of all frames: bounds, bodies and nearby surfaces */
    double body_low[3], body_high[3]; /* of bounds and bodies */
    kugel_face faces[6];
    double first_time, second_time;   /* s, of the first two frames */
    float fastest, smallest, largest; /* m/s; m, radii */
    stored_frame frame;               /* buffers */
    size_t bodies, boundaries;        /* for which they have space */
} frame_store;

/* Start with an empty file beside that of the exporter. false: errno is set, as in the others. */
bool frame_store_open(frame_store *store, const atomic_file *beside);
/* Add a frame. @param keep false: it replaces the earlier ones, but the box is that of all. */
bool frame_store_add(frame_store *store, const frame *frame, bool keep);
/* Go to the first frame and set the box: nearby surfaces are those within one larger side of the
 * box of the bodies. */
bool frame_store_rewind(frame_store *store);
/* Read the next frame. NULL at a read error. */
const stored_frame *frame_store_next(frame_store *store);
void frame_store_close(frame_store *store);

#endif
