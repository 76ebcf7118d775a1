/* The door to zstd. In: bytes. Out: one frame with its size and checksum. Working memory is the
 * world's own and is kept, so that a steady step allocates nothing. Built without zstd, nothing is
 * packed and packed chunks cannot be read.
 * Frames of one version of zstd are the same on every target; other versions may pack differently.
 */
#ifndef KG_RECORD_CHUNK_PACKING_H
#define KG_RECORD_CHUNK_PACKING_H

#include "record/chunk.h"

/* Put a chunk into `out`, overwriting it; packed when `pack` and zstd is built in. */
kugel_status kg_chunk_write(kg_memory *memory, kg_column *workspace, kg_chunk_buffer *out,
                            uint32_t type, uint32_t flags, bool pack, const void *payload,
                            size_t size);

/* The payload as it was before packing: in the file itself or in `scratch`. KUGEL_ERROR_FORMAT when
 * the frame is damaged or zstd is not built in. */
kugel_status kg_chunk_payload(kg_memory *memory, kg_column *workspace, const kg_chunk_view *view,
                              kg_chunk_buffer *scratch, const uint8_t **data, size_t *size);

#endif
