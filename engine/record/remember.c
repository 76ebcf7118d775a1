/* Snapshots that a player takes while it runs, for seeks to begin from. In: the played world after each
 * tick. Out: as many as the room holds, spread evenly over the ticks that were run: of every tick at
 * first; when the room is used up, every other one is dropped and the distance doubled.
 * Cost: saving a snapshot at each of them. Nothing depends on them but the time that a seek takes. */
#include <string.h>

#include "record/player.h"
#include "record/snapshot.h"

static void drop(kugel_player *player, size_t index)
{
    kg_memos *memos = &player->memos;
    kg_memo *memo = &memos->items[index];
    memos->used -= memo->size;
    kg_free(&player->memory, memo->data, memo->size);
}

static void thin_out(kugel_player *player)
{
    kg_memos *memos = &player->memos;
    size_t kept = 0;
    memos->every *= 2;
    for (size_t k = 0; k < memos->count; ++k) {
        if (memos->items[k].tick % memos->every == 0) memos->items[kept++] = memos->items[k];
        else drop(player, k);
    }
    memos->count = kept;
}

/* Where a memo of this tick stands or would go. */
static size_t place_of(const kg_memos *memos, uint64_t tick)
{
    size_t low = 0, high = memos->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memos->items[middle].tick < tick) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void insert(kugel_player *player, size_t index, const void *data, size_t size)
{
    kg_memos *memos = &player->memos;
    if (!kg_column_reserve(&player->memory, &memos->column, sizeof *memos->items, memos->count + 1,
                           memos->count)) {
        return;
    }
    memos->items = memos->column.data;
    void *copy = kg_allocate(&player->memory, size);
    if (!copy) return;
    memcpy(copy, data, size);
    memmove(&memos->items[index + 1], &memos->items[index],
            (memos->count - index) * sizeof *memos->items);
    memos->items[index] = (kg_memo){player->played, player->ops.chunk, player->ops.at, copy, size};
    memos->count += 1;
    memos->used += size;
}

void kg_player_remember_tick(kugel_player *player)
{
    kg_memos *memos = &player->memos;
    size_t room = kugel_snapshot_bound(player->world), size;
    if (memos->most == 0 || player->played % memos->every != 0) return;
    size_t index = place_of(memos, player->played);
    if (index < memos->count && memos->items[index].tick == player->played) return;
    if (!kg_column_reserve(&player->memory, &memos->scratch, 1, room, 0)) return;
    if (kugel_snapshot_save(player->world, memos->scratch.data, room, &size) != KUGEL_OK) return;
    while (memos->count && size > memos->most - memos->used) thin_out(player);
    if (size > memos->most - memos->used || player->played % memos->every != 0) return;
    insert(player, place_of(memos, player->played), memos->scratch.data, size);
}

const kg_memo *kg_player_find_memo(const kugel_player *player, uint64_t tick)
{
    size_t index = place_of(&player->memos, tick + 1);
    return index ? &player->memos.items[index - 1] : NULL;
}

void kg_player_forget(kugel_player *player)
{
    kg_memos *memos = &player->memos;
    for (size_t k = 0; k < memos->count; ++k) drop(player, k);
    kg_column_free(&player->memory, &memos->column);
    kg_column_free(&player->memory, &memos->scratch);
    *memos = (kg_memos){0};
}

void kugel_player_remember(kugel_player *player, size_t bytes)
{
    if (!player) return;
    kg_player_forget(player);
    player->memos.most = bytes;
    player->memos.every = 1;
}
