/* Writes checksums, formats and epochs into fuzzed bytes where the formats have them. */
#include "sealing.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "record/chunk_packing.h"
#include "record/def_encoding.h"
#include "record/snapshot.h"

enum { EVENT_LIMIT = 2000, SUBSTEPS = 16 };

const uint32_t record_types[RECORD_TYPES] = {KG_TYPE_HEAD, KG_TYPE_MADE, KG_TYPE_NOTE, KG_TYPE_BASE,
                                             KG_TYPE_TICK, KG_TYPE_STAT, KG_TYPE_KEYF, KG_TYPE_DONE,
                                             KG_TYPE_MESH, KG_TYPE_MARK};

/* Limits substeps and events, because long steps take seconds under sanitizers. Keeps invalid
 * values. */
static void limit_work(uint8_t def_bytes[KG_WORLD_DEF_BYTES])
{
    kugel_world_def def = kg_def_decode_world(def_bytes);
    bool many = def.substeps == 0 || (def.substeps > SUBSTEPS && def.substeps <= 1000),
         long_step = def.step_event_limit == 0 || def.step_event_limit > EVENT_LIMIT;
    if (!many && !long_step) return;
    if (many) def.substeps = 1 + def.substeps % SUBSTEPS;
    if (long_step) def.step_event_limit = EVENT_LIMIT;
    kg_def_encode(kg_world_def_members, &def, def_bytes);
}

void seal_snapshot(uint8_t *data, size_t size)
{
    if (size < KG_SNAPSHOT_HEADER) return;
    memcpy(data, KG_SNAPSHOT_MAGIC, 8);
    kg_put32(data + 8, KUGEL_SNAPSHOT_FORMAT);
    kg_put32(data + 12, KUGEL_PHYSICS_EPOCH);
    kg_put64(data + 16, size);
    limit_work(data + KG_SNAPSHOT_DEF);
    kg_put64(data + KG_SNAPSHOT_CHECKSUM, kg_snapshot_checksum(data, size));
}

void seal_delta(uint8_t *data, size_t size, const uint8_t *base)
{
    enum { HEADER = 40, CHECKSUM = 32 }; /* delta.c */
    if (size < HEADER) return;
    memcpy(data, "kugeldlt", 8);
    kg_put32(data + 8, KUGEL_SNAPSHOT_FORMAT);
    memcpy(data + 24, base + KG_SNAPSHOT_CHECKSUM, 8);
    uint64_t head = XXH3_64bits(data, CHECKSUM);
    kg_put64(data + CHECKSUM, XXH3_64bits_withSeed(data + HEADER, size - HEADER, head));
}

static void seal_payload(uint32_t type, uint8_t *payload, size_t length)
{
    if (type == KG_TYPE_HEAD && length >= 16 + KG_WORLD_DEF_BYTES) {
        kg_put32(payload, KUGEL_RECORDING_FORMAT);
        kg_put32(payload + 4, KUGEL_PHYSICS_EPOCH);
        limit_work(payload + 16);
    }
    if ((type == KG_TYPE_BASE || type == KG_TYPE_KEYF) && length > KG_KEYFRAME_HEADER)
        seal_snapshot(payload + KG_KEYFRAME_HEADER, length - KG_KEYFRAME_HEADER);
}

static void append(kg_memory *memory, kg_chunk_buffer *file, const void *data, size_t size)
{
    uint8_t *at = kg_chunk_buffer_extend(memory, file, size);
    if (!at) abort();
    memcpy(at, data, size);
}

uint8_t *seal_recording(const uint8_t *records, size_t size, size_t *whole)
{
    kg_memory memory;
    kg_column workspace = {0};
    kg_chunk_buffer file = {0}, chunk = {0};
    kg_memory_init(&memory, &(kugel_allocator){0});
    append(&memory, &file, KG_FILE_MAGIC, KG_FILE_HEADER);
    for (size_t at = 0; size - at >= RECORD_HEADER;) {
        uint32_t type = records[at] < RECORD_TYPES ? record_types[records[at]] : records[at],
                 flags = records[at + 1];
        size_t length = records[at + 2] | (size_t)records[at + 3] << 8;
        at += RECORD_HEADER;
        if (length > size - at) length = size - at;
        uint8_t *payload = malloc(length + 1);
        if (!payload) abort();
        memcpy(payload, records + at, length);
        seal_payload(type, payload, length);
        bool pack = (flags & KG_CHUNK_ZSTD) && !(flags & RECORD_RAW);
        uint32_t kept = flags & (pack ? KG_CHUNK_CRITICAL | KG_CHUNK_INDEPENDENT : 7);
        if (kg_chunk_make(&memory, &workspace, &chunk, type, kept, pack, payload, length)) abort();
        append(&memory, &file, chunk.data, chunk.size);
        free(payload);
        at += length;
    }
    uint8_t *copy = malloc(file.size);
    if (!copy) abort();
    memcpy(copy, file.data, *whole = file.size);
    kg_chunk_buffer_free(&memory, &file);
    kg_chunk_buffer_free(&memory, &chunk);
    kg_column_free(&memory, &workspace);
    return copy;
}
