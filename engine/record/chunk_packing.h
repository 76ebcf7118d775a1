/* Compression of chunks with zstd. In: bytes. Out: one frame with its size and checksum. The
 * workspace is allocated by the world and kept: steady recording allocates nothing. Without zstd,
 * chunks are written unpacked and packed chunks cannot be read.
 * One zstd version gives the same frames on every target; versions may differ. */
#ifndef KG_RECORD_CHUNK_PACKING_H
#define KG_RECORD_CHUNK_PACKING_H

#include "record/chunk.h"

/* Replace `out` by a chunk, packed if `pack` is set and zstd is available. */
kugel_status kg_chunk_make(kg_memory *memory, kg_column *workspace, kg_chunk_buffer *out,
                           uint32_t type, uint32_t flags, bool pack, const void *payload,
                           size_t size);

/* The unpacked payload, in the file or in `scratch`. KUGEL_ERROR_FORMAT if the frame is damaged or
 * zstd is not available. */
kugel_status kg_chunk_payload(kg_memory *memory, kg_column *workspace, const kg_chunk_view *view,
                              kg_chunk_buffer *scratch, const uint8_t **data, size_t *size);

#endif
