/* Snapshots of played ticks, from which a seek can start. In: the played world after each tick.
 * Out: snapshots at ticks that are multiples of an interval. The interval starts at 1 tick. It
 * doubles when the byte limit is reached, and every other snapshot is dropped. Cost: a snapshot
 * without meshes is written at each such tick, unless the cache has one. */
#include <string.h>

#include "record/player.h"

static void drop_keyframe(kugel_player *player, size_t index)
{
    kg_keyframe_cache *cache = &player->keyframe_cache;
    kg_cached_keyframe *cached = &cache->items[index];
    cache->byte_count -= cached->size;
    kg_free(&player->memory, cached->data, cached->size);
}

static void drop_every_other(kugel_player *player)
{
    kg_keyframe_cache *cache = &player->keyframe_cache;
    size_t kept = 0;
    cache->interval *= 2;
    for (size_t k = 0; k < cache->count; ++k) {
        if (cache->items[k].tick % cache->interval == 0) cache->items[kept++] = cache->items[k];
        else drop_keyframe(player, k);
    }
    cache->count = kept;
}

/* Index of the first cached keyframe at or after a tick. */
static size_t find_index(const kg_keyframe_cache *cache, uint64_t tick)
{
    size_t low = 0, high = cache->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cache->items[middle].tick < tick) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void insert_keyframe(kugel_player *player, size_t index, const void *data, size_t size)
{
    kg_keyframe_cache *cache = &player->keyframe_cache;
    if (!KG_RESERVE(&player->memory, &cache->column, cache->items, cache->count + 1, cache->count))
        return;
    void *copy = kg_allocate(&player->memory, size);
    if (!copy) return;
    memcpy(copy, data, size);
    memmove(&cache->items[index + 1], &cache->items[index],
            (cache->count - index) * sizeof *cache->items);
    cache->items[index] = (kg_cached_keyframe){
        player->played, player->ops.chunk, player->ops.at, copy, size, player->world->pair_filter};
    cache->count += 1;
    cache->byte_count += size;
}

void kg_player_cache_keyframe(kugel_player *player)
{
    kg_keyframe_cache *cache = &player->keyframe_cache;
    size_t capacity = kg_snapshot_bound(player->world, false), size;
    if (cache->byte_limit == 0 || player->played % cache->interval != 0) return;
    size_t index = find_index(cache, player->played);
    if (index < cache->count && cache->items[index].tick == player->played) return;
    if (!kg_column_reserve(&player->memory, &cache->scratch, 1, capacity, 0)) return;
    if (kugel_snapshot_save(player->world, false, cache->scratch.data, capacity, &size)) return;
    while (cache->count && size > cache->byte_limit - cache->byte_count) drop_every_other(player);
    if (size > cache->byte_limit - cache->byte_count || player->played % cache->interval != 0)
        return;
    insert_keyframe(player, find_index(cache, player->played), cache->scratch.data, size);
}

const kg_cached_keyframe *kg_player_find_cached_keyframe(const kugel_player *player, uint64_t tick)
{
    size_t index = find_index(&player->keyframe_cache, tick + 1);
    return index ? &player->keyframe_cache.items[index - 1] : NULL;
}

void kg_player_clear_keyframe_cache(kugel_player *player)
{
    kg_keyframe_cache *cache = &player->keyframe_cache;
    for (size_t k = 0; k < cache->count; ++k) drop_keyframe(player, k);
    kg_column_free(&player->memory, &cache->column);
    kg_column_free(&player->memory, &cache->scratch);
    *cache = (kg_keyframe_cache){0};
}

void kugel_player_cache_keyframes(kugel_player *player, size_t bytes)
{
    if (kg_player_refuse(player)) return;
    kg_player_clear_keyframe_cache(player);
    uint64_t limit = player->limits.bytes; /* the host allows the cache besides */
    kg_memory_limit(&player->memory, bytes < UINT64_MAX - limit ? limit + bytes : UINT64_MAX, 0);
    player->keyframe_cache.byte_limit = bytes;
    player->keyframe_cache.interval = 1;
}
