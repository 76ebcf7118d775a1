/* Defs as bytes: the members that the tables in def_encoding.c list, in the order of these tables,
 * little-endian. Enums, bools, floats and 32-bit integers take 4 bytes, doubles 8. Hooks, threads,
 * capacity and user data are not encoded; a body's group and image have calls of their own.
 * Decoding does not check values: its callers do. */
#ifndef KG_RECORD_DEF_ENCODING_H
#define KG_RECORD_DEF_ENCODING_H

#include "base/memory.h"
#include "world/surfaces.h"

enum {
    KG_WORLD_DEF_BYTES = 3 * 8 + 4 + 4 * 8 + 4 * 4 + 6 * 8 + 6 * 4 + 2 * 8,
    KG_BODY_DEF_BYTES = 4 + 9 * 8 + 4 * 8 + 6 * 8 + 3 * 4,
    KG_PLANE_BYTES = 6 * 8,
    KG_SURFACE_DEF_BYTES = 3 * 4 + 16 * 8 + 3 * 4,
    KG_VERTEX_BYTES = 3 * 8,
    KG_TRIANGLE_BYTES = 3 * 4
};

void kg_def_encode_world(const kugel_world_def *def, uint8_t out[KG_WORLD_DEF_BYTES]);
kugel_world_def kg_def_decode_world(const uint8_t in[KG_WORLD_DEF_BYTES]);
void kg_def_encode_body(const kugel_body_def *def, uint8_t out[KG_BODY_DEF_BYTES]);
kugel_body_def kg_def_decode_body(const uint8_t in[KG_BODY_DEF_BYTES]);
void kg_def_encode_plane(const kugel_plane *plane, uint8_t out[KG_PLANE_BYTES]);
kugel_plane kg_def_decode_plane(const uint8_t in[KG_PLANE_BYTES]);
/* A surface without its geometry, which has its own functions below: the arrays of a mesh, the size
 * of a solid shape. Decoding sets the arrays to NULL and the size to 0. */
void kg_def_encode_surface(const kugel_surface_def *def, uint8_t out[KG_SURFACE_DEF_BYTES]);
kugel_surface_def kg_def_decode_surface(const uint8_t in[KG_SURFACE_DEF_BYTES]);
/* True if a member in the table of surfaces differs. *name becomes the name of the first such
 * member, such as "surface.position.x"; *in_p and *in_q become its values. */
bool kg_def_surfaces_differ(const kugel_surface_def *p, const kugel_surface_def *q, char name[32],
                            double *in_p, double *in_q);
/* Set the size of a solid shape, which is stored as the one vertex of its geometry. */
void kg_def_decode_size(kugel_surface_def *def, const uint8_t *geometry);
/* Bytes of a surface's geometry: vertices, then triangles. */
uint64_t kg_def_geometry_bytes(const kugel_surface_def *def);
/* Write the vertices and triangles; returns the end of the bytes. */
uint8_t *kg_def_encode_geometry(const kugel_surface_def *def, uint8_t *out);
/* Allocate and decode the vertices and triangles. False when out of memory: both are then NULL. */
bool kg_def_decode_geometry(kg_memory *memory, kugel_surface_def *def, const uint8_t *in);
void kg_def_free_geometry(kg_memory *memory, kugel_surface_def *def);

#endif
