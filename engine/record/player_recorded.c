/* Reads recorded hashes and states, and finds the first difference of two states. Hashes are in the
 * index. To read a state, states are decoded one after another up to this one, beginning with an
 * independent STAT chunk or behind the state that was decoded last. No step is run. */

#include "base/bytes.h"
#include "base/sized.h"
#include "record/player.h"
#include "record/snapshot.h"
#include "world/world.h"

/* Index of the STAT chunk that contains the state of a tick; state_chunk_count if there is none. */
static size_t find_state_chunk(const kugel_player *player, uint64_t tick)
{
    size_t low = 0, high = player->state_chunk_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const kg_state_chunk *chunk = &player->state_chunks[middle];
        if (tick >= chunk->first + chunk->count) low = middle + 1;
        else high = middle;
    }
    if (low < player->state_chunk_count && tick >= player->state_chunks[low].first) return low;
    return player->state_chunk_count;
}

static kugel_status open_state_chunk(kugel_player *player, size_t index)
{
    kg_state_cursor *cursor = &player->states;
    const kg_state_chunk *chunk = &player->state_chunks[index];
    kugel_status status =
        kg_player_unpack_at(player, chunk->at, &cursor->scratch, &cursor->data, &cursor->size);
    if (status) return status;
    if (cursor->size < KG_TICK_RANGE_HEADER ||
        kg_get64(cursor->data) != player->info.origin + chunk->first ||
        kg_get32(cursor->data + 8) != chunk->count)
        return KUGEL_ERROR_FORMAT;
    if (chunk->independent) cursor->codec.last.count = 0;
    else if (cursor->tick + 1 != chunk->first)
        return KUGEL_ERROR_FORMAT; /* the chunk before it is missing */
    cursor->chunk_index = index;
    cursor->at = KG_TICK_RANGE_HEADER;
    cursor->tick = chunk->first - 1;
    return KUGEL_OK;
}

/* Decode states up to that of `tick`, which lies in STAT chunk `target`. */
static kugel_status advance_to(kugel_player *player, uint64_t tick, size_t target)
{
    kg_state_cursor *cursor = &player->states;
    size_t start = target;
    while (!player->state_chunks[start].independent) --start;
    bool can_continue = cursor->tick > 0 && cursor->tick <= tick && cursor->chunk_index >= start;
    kugel_status status = can_continue ? KUGEL_OK : open_state_chunk(player, start);
    while (!status && cursor->tick < tick) {
        const kg_state_chunk *chunk = &player->state_chunks[cursor->chunk_index];
        if (cursor->tick + 1 == chunk->first + chunk->count) {
            status = open_state_chunk(player, cursor->chunk_index + 1);
            continue;
        }
        size_t used = 0;
        status = kg_state_decode(&player->memory, cursor->data + cursor->at,
                                 cursor->size - cursor->at, &cursor->codec, &used);
        cursor->at += used;
        cursor->tick += 1;
    }
    if (status) cursor->tick = 0;
    return status;
}

void kg_player_show_state(const kg_state *state, kugel_recorded *out)
{
    out->has_state = true;
    out->count = state->count;
    out->ids = state->ids;
    out->position = state->values[0];
    out->velocity = state->values[1];
    out->spin = state->values[2];
}

uint64_t kugel_player_hash(const kugel_player *player, uint64_t tick)
{
    return player && tick > 0 && tick <= player->info.ticks ? player->hashes[tick - 1] : 0;
}

kugel_status kg_player_recorded(kugel_player *player, uint64_t tick, kugel_recorded *recorded)
{
    *recorded = (kugel_recorded){.tick = tick};
    kugel_status status = kg_player_refuse(player);
    if (status) return status;
    if (tick == 0 || tick > player->info.ticks) return KUGEL_ERROR_INVALID_ARGUMENT;
    recorded->hash = kugel_player_hash(player, tick);
    size_t chunk = find_state_chunk(player, tick);
    if (chunk == player->state_chunk_count) return KUGEL_OK;
    recorded->has_state = true;
    status = advance_to(player, tick, chunk);
    if (!status) kg_player_show_state(&player->states.codec.last, recorded);
    return status;
}

kugel_status kugel_player_recorded(kugel_player *player, uint64_t tick, kugel_recorded *recorded,
                                   size_t size)
{
    kugel_recorded read;
    if (!recorded) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = kg_player_recorded(player, tick, &read);
    kg_copy_sized(recorded, size, &read, sizeof read);
    return status == KUGEL_ERROR_OUT_OF_MEMORY ? kg_error_no_memory(NULL, &player->memory, "", "")
                                               : status;
}

static bool row_difference(const kugel_recorded *expected, const kugel_recorded *found, size_t row,
                           kugel_divergence *out)
{
    static const char *const names[9] = {"position.x", "position.y", "position.z",
                                         "velocity.x", "velocity.y", "velocity.z",
                                         "spin.x",     "spin.y",     "spin.z"};
    const double *p[3] = {expected->position, expected->velocity, expected->spin};
    const double *q[3] = {found->position, found->velocity, found->spin};
    for (size_t f = 0; f < 9; ++f) {
        if (!p[f / 3] || !q[f / 3]) continue; /* the caller's struct lacks it */
        double a = p[f / 3][3 * row + f % 3], b = q[f / 3][3 * row + f % 3];
        if (kg_canonical_bits(a) == kg_canonical_bits(b)) continue;
        return kg_snapshot_difference_set(out, expected->ids[row], names[f], a, b);
    }
    return false;
}

bool kg_recorded_difference(const kugel_recorded *expected, const kugel_recorded *found,
                            kugel_divergence *out)
{
    if (!expected->has_state || !found->has_state) return false;
    for (uint32_t i = 0; i < expected->count || i < found->count; ++i) {
        uint64_t p = i < expected->count ? expected->ids[i] : UINT64_MAX;
        uint64_t q = i < found->count ? found->ids[i] : UINT64_MAX;
        if (p != q)
            return kg_snapshot_difference_set(out, (uint32_t)(p < q ? p : q), "body", p < q, q < p);
        if (row_difference(expected, found, i, out)) return true;
    }
    return false;
}

bool kugel_recorded_difference(const kugel_recorded *expected, const kugel_recorded *found,
                               kugel_divergence *out, size_t size)
{
    kugel_recorded p, q;
    if (!expected || !found) return false;
    kg_copy_sized(&p, sizeof p, expected, size);
    kg_copy_sized(&q, sizeof q, found, size);
    return kg_recorded_difference(&p, &q, out);
}
