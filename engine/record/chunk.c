/* Writes and reads the chunks of a recording. */
#include "record/chunk.h"

#include "base/bytes.h"
#include "base/hash.h"

uint8_t *kg_chunk_buffer_extend(kg_memory *memory, kg_chunk_buffer *buffer, size_t extra)
{
    if (extra > SIZE_MAX - buffer->size) return NULL;
    /* at least 1 byte is reserved, so the result is NULL only when out of memory */
    size_t need = buffer->size + extra;
    if (!KG_RESERVE(memory, &buffer->column, buffer->data, need ? need : 1, buffer->size))
        return NULL;
    uint8_t *at = buffer->data + buffer->size;
    buffer->size += extra;
    return at;
}

void kg_chunk_buffer_free(kg_memory *memory, kg_chunk_buffer *buffer)
{
    kg_column_free(memory, &buffer->column);
    *buffer = (kg_chunk_buffer){0};
}

void kg_chunk_write_header(uint8_t *chunk, uint32_t type, uint32_t flags, size_t length)
{
    bool frame = flags & KG_CHUNK_ZSTD;
    kg_put32(chunk, KG_SKIPPABLE_MAGIC);
    kg_put32(chunk + 4, (uint32_t)(KG_CHUNK_HEADER - 8 + (frame ? 0 : length)));
    kg_put32(chunk + 8, type);
    kg_put32(chunk + 12, flags);
    kg_put64(chunk + 16, length);
    kg_put64(chunk + 24, XXH3_64bits(chunk + KG_CHUNK_HEADER, length));
    kg_put64(chunk + 32, XXH3_64bits(chunk, 32));
}

kg_chunk_status kg_chunk_read(const uint8_t *data, size_t size, kg_chunk_view *view)
{
    if (size == 0) return KG_CHUNK_AT_END;
    if (size < KG_CHUNK_HEADER) return KG_CHUNK_TRUNCATED;
    if (XXH3_64bits(data, 32) != kg_get64(data + 32)) return KG_CHUNK_DAMAGED;
    uint64_t length = kg_get64(data + 16);
    if (length > size - KG_CHUNK_HEADER) return KG_CHUNK_TRUNCATED;
    const uint8_t *payload = data + KG_CHUNK_HEADER;
    if (XXH3_64bits(payload, (size_t)length) != kg_get64(data + 24)) return KG_CHUNK_DAMAGED;
    *view = (kg_chunk_view){kg_get32(data + 8), kg_get32(data + 12), payload, (size_t)length};
    return KG_CHUNK_VALID;
}
