/* The meshes of a recording. Each is in a MESH chunk; calls and keyframes contain its hash. */
#include "base/bytes.h"
#include "record/player.h"

kugel_status kg_player_add_mesh(kugel_player *player, size_t at, const uint8_t *payload,
                                size_t size)
{
    size_t n = player->mesh_count;
    if (size < KG_MESH_HEADER) return KUGEL_ERROR_FORMAT;
    const kugel_surface_def def = {.vertex_count = kg_get32(payload + 8),
                                   .triangle_count = kg_get32(payload + 12)};
    if (kg_def_mesh_bytes(&def) != size - KG_MESH_HEADER) return KUGEL_ERROR_FORMAT;
    if (!KG_RESERVE(&player->memory, &player->mesh_column, player->meshes, n + 1, n))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    player->meshes[n] = (kg_recorded_mesh){kg_get64(payload), at};
    player->mesh_count += 1;
    return KUGEL_OK;
}

static kugel_status find(void *user, uint64_t hash, const kugel_surface_def *def,
                         const uint8_t **geometry, kugel_error *error)
{
    kugel_player *player = user;
    for (size_t k = 0; k < player->mesh_count; ++k) {
        const uint8_t *data;
        size_t size;
        if (player->meshes[k].hash != hash) continue;
        kugel_status status =
            kg_player_unpack_at(player, player->meshes[k].at, &player->mesh_scratch, &data, &size);
        if (status == KUGEL_ERROR_OUT_OF_MEMORY)
            return kg_error_no_memory(error, &player->memory, "MESH", "no memory for it");
        if (status) return kg_error_set(error, status, "MESH", "cannot be unpacked");
        if (kg_get32(data + 8) != def->vertex_count || kg_get32(data + 12) != def->triangle_count)
            continue;
        *geometry = data + KG_MESH_HEADER;
        return KUGEL_OK;
    }
    return kg_error_set(error, KUGEL_ERROR_FORMAT, "surface", "its mesh of %u triangles is missing",
                        def->triangle_count);
}

kg_mesh_source kg_player_mesh_source(kugel_player *player)
{
    return (kg_mesh_source){.user = player, .find = find};
}
