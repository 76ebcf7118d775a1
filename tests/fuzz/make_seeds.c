/* Writes seeds of the corpora of snapshots and recordings from small worlds.
 * usage: make-seeds CORPUS   (the folder tests/fuzz/corpus) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "record/chunk_packing.h"
#include "sealing.h"
#include "seed_world.h"

enum { ROOM = 1 << 16 };

static bool append(void *user, const void *data, size_t size)
{
    return fwrite(data, 1, size, user) == size;
}

static FILE *open_seed(const char *corpus, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", corpus, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(1);
    }
    return file;
}

static void write_seed(const char *corpus, const char *name, uint8_t first, const void *data,
                       size_t size)
{
    FILE *file = open_seed(corpus, name);
    append(file, &first, 1);
    append(file, data, size);
    fclose(file);
}

static void make_snapshots(const char *corpus, bool periodic)
{
    static uint8_t base[ROOM], data[ROOM], delta[ROOM];
    size_t base_size = 0, size, delta_size;
    kugel_world *world = seed_world_make(periodic);
    for (int tick = 0; tick <= 8; tick += 4) {
        char name[64];
        snprintf(name, sizeof name, "snapshots/%s-%d", periodic ? "periodic" : "walls", tick);
        if (kugel_snapshot_save(world, true, data, ROOM, &size)) abort();
        write_seed(corpus, name, 0, data, size);
        if (tick == 4 && !periodic) memcpy(base, data, base_size = size);
        if (tick == 8 && !periodic) {
            if (kugel_delta_make(base, base_size, data, size, delta, ROOM, &delta_size)) abort();
            write_seed(corpus, "snapshots/delta", 1, delta, delta_size);
            if (kugel_snapshot_save(world, false, data, ROOM, &size)) abort();
            write_seed(corpus, "snapshots/without-meshes", 0, data, size);
        }
        for (int k = 0; k < 4; ++k) seed_world_step(world);
    }
    kugel_world_destroy(world);
}

static uint8_t record_type(uint32_t type)
{
    for (uint8_t k = 0; k < RECORD_TYPES; ++k) {
        if (record_types[k] == type) return k;
    }
    return RECORD_TYPES;
}

/* Writes the chunks of a recording as records (sealing.h), after two bytes of options. */
static void write_records(const char *corpus, const char *name, uint8_t options,
                          const uint8_t *data, size_t size)
{
    kg_memory memory;
    kg_column workspace = {0};
    kg_chunk_buffer scratch = {0};
    kg_chunk_view view;
    kg_memory_init(&memory, &(kugel_allocator){0});
    FILE *file = open_seed(corpus, name);
    append(file, (uint8_t[2]){options, 3}, 2);
    for (size_t at = KG_FILE_HEADER;
         kg_chunk_read(data + at, size - at, &view) == KG_CHUNK_VALID;) {
        const uint8_t *payload;
        size_t length;
        if (kg_chunk_payload(&memory, &workspace, &view, &scratch, &payload, &length)) abort();
        if (length >= ROOM) abort();
        uint8_t header[RECORD_HEADER] = {record_type(view.type), (uint8_t)view.flags,
                                         (uint8_t)length, (uint8_t)(length >> 8)};
        append(file, header, sizeof header);
        append(file, payload, length);
        at += KG_CHUNK_HEADER + view.length;
    }
    fclose(file);
    kg_chunk_buffer_free(&memory, &scratch);
    kg_column_free(&memory, &workspace);
}

static void make_recording(const char *corpus, bool periodic, uint32_t keyframes, uint8_t options)
{
    char *data = NULL, name[64];
    size_t size = 0;
    FILE *memory = open_memstream(&data, &size);
    kugel_world *world = seed_world_make(periodic);
    kugel_recording_def def = kugel_recording_def_default();
    def.write = append, def.user = memory;
    def.states = keyframes > 0, def.keyframe_ticks = keyframes;
    if (kugel_world_recording_start(world, &def)) abort();
    for (int k = 0; k < 7; ++k) seed_world_step(world);
    if (kugel_world_recording_stop(world)) abort();
    kugel_world_destroy(world);
    fclose(memory);
    snprintf(name, sizeof name, "recordings/%s-%u", periodic ? "periodic" : "walls", keyframes);
    write_records(corpus, name, options, (uint8_t *)data, size);
    free(data);
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fputs("usage: make-seeds CORPUS\n", stderr);
        return 2;
    }
    for (int periodic = 0; periodic < 2; ++periodic) {
        make_snapshots(arguments[1], periodic);
        make_recording(arguments[1], periodic, 0, 0x0e);
        make_recording(arguments[1], periodic, 3, 0x17);
    }
    return 0;
}
