/* Writes a recording unpacked and without states, for readers without zstd. In: a recording, up to
 * its first truncated or damaged chunk. Out: one call of `write` for the file header and for each
 * chunk other than STAT, unpacked. */
#include <string.h>

#include "base/bytes.h"
#include "record/player.h"

/* Replace the content of `out` by the unpacked chunk. */
static kugel_status unpack(kugel_player *player, const kg_chunk_view *view,
                           kg_chunk_buffer *scratch, kg_chunk_buffer *out)
{
    const uint8_t *data;
    size_t size;
    kugel_status status = kg_player_unpack(player, view, scratch, &data, &size);
    if (status) return status;
    out->size = 0;
    uint8_t *at = kg_chunk_buffer_extend(&player->memory, out, KG_CHUNK_HEADER + size);
    if (!at) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (size) memcpy(at + KG_CHUNK_HEADER, data, size);
    if (view->type == KG_TYPE_HEAD)
        kg_put32(at + KG_CHUNK_HEADER + 8, 0); /* no STAT chunks follow */
    kg_chunk_write_header(at, view->type, view->flags & ~(uint32_t)KG_CHUNK_ZSTD, size);
    return KUGEL_OK;
}

/* Write all chunks; with a NULL `write` only unpack them, after which the buffers have the memory
 * for all. */
static kugel_status rewrite(kugel_player *player, bool (*write)(void *, const void *, size_t),
                            void *user, kg_chunk_buffer *scratch, kg_chunk_buffer *out)
{
    kg_chunk_view view;
    if (write && !write(user, KG_FILE_MAGIC, KG_FILE_HEADER)) return KUGEL_ERROR_IO;
    for (size_t at = KG_FILE_HEADER; at < player->valid_size; at += KG_CHUNK_HEADER + view.length) {
        if (kg_chunk_read(player->data + at, player->valid_size - at, &view) != KG_CHUNK_VALID)
            return KUGEL_ERROR_FORMAT;
        if (view.type == KG_TYPE_STAT) continue;
        kugel_status status = unpack(player, &view, scratch, out);
        if (status) return status;
        if (write && !write(user, out->data, out->size)) return KUGEL_ERROR_IO;
    }
    return KUGEL_OK;
}

kugel_status kugel_player_rewrite(kugel_player *player,
                                  bool (*write)(void *user, const void *data, size_t size),
                                  void *user)
{
    kg_chunk_buffer scratch = {0}, out = {0};
    kugel_status status = kg_player_refuse(player);
    if (status) return status;
    if (!write) return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_begin_reading(player->world);
    status = rewrite(player, NULL, NULL, &scratch, &out);
    if (!status) status = rewrite(player, write, user, &scratch, &out);
    kg_end_reading(player->world);
    kg_chunk_buffer_free(&player->memory, &scratch);
    kg_chunk_buffer_free(&player->memory, &out);
    if (status == KUGEL_ERROR_OUT_OF_MEMORY)
        return kg_error_no_memory(NULL, &player->memory, "", "");
    return status;
}
