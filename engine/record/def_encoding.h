/* Defs as bytes: members in the order of the tables in def_encoding.c, little-endian, without
 * hooks, capacity, cookie and a body's group (see def_encoding.c). Enums, bools, floats and 32-bit
 * integers take 4 bytes, doubles 8. Decoding does not check values: the world's own checks refuse
 * values out of range. */
#ifndef KG_RECORD_DEF_ENCODING_H
#define KG_RECORD_DEF_ENCODING_H

#include "base/memory.h"
#include "world/surfaces.h"

enum {
    KG_WORLD_DEF_BYTES = 3 * 8 + 4 + 4 * 8 + 4 * 4 + 6 * 8 + 6 * 4 + 2 * 8,
    KG_BODY_DEF_BYTES = 4 + 9 * 8 + 4 * 4 + 6 * 8 + 3 * 4,
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
/* All but the arrays, which decoding sets to NULL. */
void kg_def_encode_surface(const kugel_surface_def *def, uint8_t out[KG_SURFACE_DEF_BYTES]);
kugel_surface_def kg_def_decode_surface(const uint8_t in[KG_SURFACE_DEF_BYTES]);
/* True if two defs differ in an encoded number. *name: of the first such in the table. */
bool kg_def_surfaces_differ(const kugel_surface_def *p, const kugel_surface_def *q, char name[32],
                            double *in_p, double *in_q);
/* Set the sizes of a shape: the bytes of its vertices hold them. */
void kg_def_decode_size(kugel_surface_def *def, const uint8_t *geometry);
/* Bytes of the arrays of a surface: vertices, then triangles. */
uint64_t kg_def_geometry_bytes(const kugel_surface_def *def);
/* The arrays as bytes; returns their end. */
uint8_t *kg_def_encode_geometry(const kugel_surface_def *def, uint8_t *out);
/* Allocate and decode the arrays of a def; false when out of memory, with neither array. */
bool kg_def_decode_geometry(kg_memory *memory, kugel_surface_def *def, const uint8_t *in);
void kg_def_free_geometry(kg_memory *memory, kugel_surface_def *def);

#endif
