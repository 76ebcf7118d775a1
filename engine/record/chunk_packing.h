/* Packing of chunks: compression with zstd. In: a payload. Out: a chunk whose payload is one zstd
 * frame that stores its size and checksum. The caller keeps zstd's workspace between calls, so that
 * steady recording allocates nothing. A build without zstd writes chunks unpacked and cannot read
 * packed ones. One version of zstd gives the same frames on every target; versions may differ. */
#ifndef KG_RECORD_CHUNK_PACKING_H
#define KG_RECORD_CHUNK_PACKING_H

#include "record/chunk.h"

/* Replace the content of `out` by a chunk; it is packed if `pack` is true and zstd is available. */
kugel_status kg_chunk_make(kg_memory *memory, kg_column *workspace, kg_chunk_buffer *out,
                           uint32_t type, uint32_t flags, bool pack, const void *payload,
                           size_t size);

/* Set *data and *size to the unpacked payload of a chunk: bytes of the file, or of `scratch` if the
 * chunk is packed. KUGEL_ERROR_FORMAT if the frame is damaged or zstd is not available. */
kugel_status kg_chunk_payload(kg_memory *memory, kg_column *workspace, const kg_chunk_view *view,
                              kg_chunk_buffer *scratch, const uint8_t **data, size_t *size);

#endif
