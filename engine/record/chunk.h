/* The recording's container: checksummed chunks, so that truncation and damage are detected. */
#ifndef KG_RECORD_CHUNK_H
#define KG_RECORD_CHUNK_H

#include "base/memory.h"

/*   file  = "\x5b\x2a\x4d\x18\x08\0\0\0kugelrec", then chunks
 *   chunk = header (40 bytes), payload; all numbers little-endian
 *     0 u32  0x184d2a5b, the magic number of a skippable zstd frame
 *     4 u32  bytes to skip: 32 if the payload is a zstd frame, else 32 + length
 *     8 u32  type
 *    12 u32  flags, KG_CHUNK_...
 *    16 u64  length of the payload
 *    24 u64  XXH3-64 of the payload
 *    32 u64  XXH3-64 of the header's bytes 0 ... 31
 * The file is a valid zstd stream: `zstd -dc FILE` prints the packed payloads. Readers skip unknown
 * types unless they are critical.
 *
 *   HEAD  the first chunk: format u32, physics epoch u32, states u32 (1: STAT chunks follow), 0
 *         u32, world def (def_encoding.h)
 *   MADE  the writer's library version char[16], compiler and target char[64]; not critical
 *   NOTE  the annotation; not critical
 *   MESH  a mesh, before the first chunk that contains its hash: hash of the geometry u64, number
 *         of vertices u32, of triangles u32, vertices, triangles (def_encoding.h). A recording may
 *         hold a mesh twice
 *   BASE  the initial state, before the first TICK; missing if the world was empty: number of
 *         recorded steps before this state u64 (0, but in the dump of a ring it may be above 0),
 *         snapshot without meshes (snapshot.h). The steps that other chunks count include these
 *         steps
 *   MARK  the end of the calls that make tick 0, before the first step. A later MARK is ignored.
 *         Empty; not critical
 *   TICK  inputs of some steps: steps before the chunk u64, steps in it u32, 0 u32, calls
 *         (calls.h) in their order, each step with its dt and state hash
 *   STAT  states after the steps of the preceding TICK chunk: first tick u64, count u32, 0 u32,
 *         states (state_codec.h); not critical
 *   KEYF  a keyframe, between two TICK chunks: steps before it u64, snapshot without meshes; not
 *         critical
 *   DONE  the last chunk of a complete recording: number of steps u64 */

#define KG_FILE_MAGIC "\x5b\x2a\x4d\x18\x08\0\0\0kugelrec"
#define KG_SKIPPABLE_MAGIC 0x184d2a5bu
enum {
    KG_FILE_HEADER = 16,
    KG_CHUNK_HEADER = 40,
    KG_TICK_RANGE_HEADER = 16, /* bytes before the ops of TICK and the states of STAT */
    KG_KEYFRAME_HEADER = 8,    /* bytes before the snapshot of KEYF and BASE */
    KG_MESH_HEADER = 16        /* bytes before the vertices of MESH */
};

#define KG_TYPE(a, b, c, d)                                                                        \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define KG_TYPE_HEAD KG_TYPE('H', 'E', 'A', 'D')
#define KG_TYPE_MADE KG_TYPE('M', 'A', 'D', 'E')
#define KG_TYPE_NOTE KG_TYPE('N', 'O', 'T', 'E')
#define KG_TYPE_MESH KG_TYPE('M', 'E', 'S', 'H')
#define KG_TYPE_BASE KG_TYPE('B', 'A', 'S', 'E')
#define KG_TYPE_MARK KG_TYPE('M', 'A', 'R', 'K')
#define KG_TYPE_TICK KG_TYPE('T', 'I', 'C', 'K')
#define KG_TYPE_STAT KG_TYPE('S', 'T', 'A', 'T')
#define KG_TYPE_KEYF KG_TYPE('K', 'E', 'Y', 'F')
#define KG_TYPE_DONE KG_TYPE('D', 'O', 'N', 'E')

enum {
    KG_CHUNK_CRITICAL = 1,   /* a reader that does not know the chunk's type refuses the file */
    KG_CHUNK_ZSTD = 2,       /* the payload is one zstd frame that stores its size and checksum */
    KG_CHUNK_INDEPENDENT = 4 /* of STAT: no earlier STAT chunk is needed to decode it */
};

/* Maximum length of a payload, bytes: 32 + length must fit the u32 at offset 4. */
#define KG_PAYLOAD_LIMIT ((size_t)1 << 30)

/* A growing byte array; `data` is valid until the next extension. */
typedef struct kg_chunk_buffer {
    uint8_t *data;
    size_t size;
    kg_column column;
} kg_chunk_buffer;

/* Append `extra` uninitialised bytes; returns their address, NULL when out of memory. */
uint8_t *kg_chunk_buffer_extend(kg_memory *memory, kg_chunk_buffer *buffer, size_t extra);
void kg_chunk_buffer_free(kg_memory *memory, kg_chunk_buffer *buffer);

/* A chunk in the file. */
typedef struct kg_chunk_view {
    uint32_t type, flags;
    const uint8_t *payload;
    size_t length;
} kg_chunk_view;

typedef enum kg_chunk_status {
    KG_CHUNK_VALID,
    KG_CHUNK_AT_END,    /* no bytes are left: the previous chunk was the last */
    KG_CHUNK_TRUNCATED, /* the file ends inside the chunk */
    KG_CHUNK_DAMAGED    /* a checksum does not match */
} kg_chunk_status;

/* Write the header of a chunk whose payload follows it in memory. */
void kg_chunk_write_header(uint8_t *chunk, uint32_t type, uint32_t flags, size_t length);
/* Read the chunk at `data`; the view is set if the result is KG_CHUNK_VALID. */
kg_chunk_status kg_chunk_read(const uint8_t *data, size_t size, kg_chunk_view *view);

#endif
