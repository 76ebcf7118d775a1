#include "record/format.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"

uint8_t *kg_buffer_extend(kg_memory *memory, kg_buffer *buffer, size_t extra)
{
    if (extra > SIZE_MAX - buffer->size) return NULL;
    if (!kg_column_reserve(memory, &buffer->column, 1, buffer->size + extra, buffer->size)) {
        return NULL;
    }
    buffer->data = buffer->column.data;
    uint8_t *at = buffer->data + buffer->size;
    buffer->size += extra;
    return at;
}

void kg_buffer_free(kg_memory *memory, kg_buffer *buffer)
{
    kg_column_free(memory, &buffer->column);
    *buffer = (kg_buffer){0};
}

void kg_chunk_seal(uint8_t *chunk, uint32_t type, uint32_t flags, size_t length)
{
    bool frame = flags & KG_CHUNK_ZSTD;
    kg_put32(chunk, KG_SKIP_MARK);
    kg_put32(chunk + 4, (uint32_t)(KG_CHUNK_HEAD - 8 + (frame ? 0 : length)));
    kg_put32(chunk + 8, type);
    kg_put32(chunk + 12, flags);
    kg_put64(chunk + 16, length);
    kg_put64(chunk + 24, XXH3_64bits(chunk + KG_CHUNK_HEAD, length));
    kg_put64(chunk + 32, XXH3_64bits(chunk, 32));
}

kg_chunk_state kg_chunk_read(const uint8_t *data, size_t size, kg_chunk_view *view)
{
    if (size == 0) return KG_CHUNK_NONE;
    if (size < KG_CHUNK_HEAD) return KG_CHUNK_CUT;
    if (XXH3_64bits(data, 32) != kg_get64(data + 32)) return KG_CHUNK_DAMAGED;
    uint64_t length = kg_get64(data + 16);
    if (length > size - KG_CHUNK_HEAD) return KG_CHUNK_CUT;
    const uint8_t *payload = data + KG_CHUNK_HEAD;
    if (XXH3_64bits(payload, (size_t)length) != kg_get64(data + 24)) return KG_CHUNK_DAMAGED;
    *view = (kg_chunk_view){kg_get32(data + 8), kg_get32(data + 12), payload, (size_t)length};
    return KG_CHUNK_WHOLE;
}
