/* Contacts are arranged as they were in the tick before, but for the blocks where some began or ended, or to or from which some
 * body went: those are dealt anew. The result is what arranging all of them gives; where it might not be,
 * or where too much has changed, nothing is kept. */
#include <string.h>

#include "base/sort.h"
#include "contact/order.h"

enum { GROUPS = 512, BLOCKS = 32 }; /* that a thread looks at */

/* A block as it will be. */
typedef struct kept_block {
    kg_contact_block is;
    uint32_t was;          /* which it was, or KG_NONE */
    uint32_t from, coming; /* its comers */
    uint32_t count;        /* contacts */
    uint32_t dealt;        /* KG_NONE: its order is kept; or where it has room to be dealt anew: after others of its colour */
} kept_block;

/* What is kept and what comes; in the columns of the solver's bodies and shifts. */
typedef struct keeper {
    kugel_world *world;
    uint64_t *keys, *key_scratch; /* of the contacts that come: new ones, and those of bodies that moved */
    uint32_t *items, *item_scratch;
    uint32_t count, limit;
    kept_block *blocks;
    uint32_t block_count, block_limit, group_count;
    size_t head; /* bytes up to there */
    uint32_t *order; /* as it will be */
    uint32_t from;   /* the first block of the colour that is written */
    uint32_t dealt;  /* contacts of the blocks of one colour that are dealt anew, at most; what follows has room for them */
    uint64_t *gathered_keys, *gathered_scratch;
    uint32_t *gathered, *gathered_items;
    kg_contact_dealer dealer;
} keeper;

static bool anyone_sleeps(const kugel_world *world)
{
    return world->bodies.count && memchr(world->work.calm, KG_ASLEEP, world->bodies.count);
}

/* Slots, masses, radii and surfaces are as they were while the grid is valid: calls that change them say so to it. */
static bool may_keep(const kugel_world *world)
{
    const kg_contact_stage *stage = world->contact;
    return world->grid->valid && stage->whole && stage->block_count && !anyone_sleeps(world);
}

/* Which bodies lie in another block than before, in `held`; whether some do, and whether some lie in a block that has no key. */
static void rehome_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_contact_stage *stage = world->contact;
    uint8_t *moved = stage->held, any = 0;
    uint32_t beyond = 0;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) {
        int32_t now[3], *home = stage->home[i];
        moved[i] = 0;
        if (!world->work.contact_count[i]) continue;
        kg_contact_find_home(stage, world->work.motion[i].x, now);
        for (int axis = 0; axis < 3; ++axis) beyond |= ((uint32_t)now[axis] - (uint32_t)stage->low[axis]) >> stage->bits[axis];
        if (memcmp(now, home, sizeof now) == 0) continue;
        moved[i] = home[0] != INT32_MIN; /* it had contacts */
        any |= moved[i];
        memcpy(home, now, sizeof now);
    }
    if (any) __atomic_store_n(&stage->moved, true, __ATOMIC_RELAXED);
    if (beyond) __atomic_store_n(&stage->beyond, true, __ATOMIC_RELAXED);
}

static uint32_t block_end(const kg_contact_stage *stage, uint32_t block)
{
    return block + 1 < stage->block_count ? stage->blocks[block + 1].first : stage->arranged;
}

/* Those that it has room for; the last may be empty. */
static uint32_t groups_of(const kg_contact_stage *stage, uint32_t block)
{
    return (block + 1 < stage->block_count ? stage->blocks[block + 1].group : stage->pieced) - stage->blocks[block].group;
}

/* Room for what is known so far to be needed; comers and blocks that there are stay. */
static bool get_room(keeper *k)
{
    kugel_world *world = k->world;
    kg_contact_stage *stage = world->contact;
    kg_column *column = &stage->columns[KG_CONTACT_COLUMN_SHIFTS];
    size_t comers = k->limit, n = world->work.contacts.count, item = sizeof *stage->shifts;
    size_t head = comers * 2 * (sizeof *k->keys + sizeof *k->items) + k->block_limit * sizeof *k->blocks;
    size_t size = head + n * sizeof *k->order + k->dealt * (2 * sizeof *k->gathered_keys + 4 * sizeof *k->gathered + sizeof *k->dealer.filled);
    if (!kg_column_reserve(&world->memory, column, item, size / item + 1, (k->head + item - 1) / item)) return false;
    k->head = head;
    k->keys = column->data;
    k->key_scratch = k->keys + comers;
    k->items = (uint32_t *)(void *)(k->key_scratch + comers);
    k->item_scratch = k->items + comers;
    k->blocks = (kept_block *)(void *)(k->item_scratch + comers);
    k->gathered_keys = (uint64_t *)(void *)(k->blocks + k->block_limit);
    k->gathered_scratch = k->gathered_keys + k->dealt;
    k->order = (uint32_t *)(void *)(k->gathered_scratch + k->dealt);
    k->gathered = k->order + n;
    k->gathered_items = k->gathered + k->dealt;
    uint32_t *group = k->gathered_items + k->dealt, *next = group + k->dealt;
    k->dealer = (kg_contact_dealer){(kg_contact_place *)(void *)stage->bodies, group, next, (uint8_t *)(void *)(next + k->dealt), 0};
    return true;
}

/* Those of some groups, which know their slots. Where they stand among the comers does not matter: they are sorted. */
static void find_leavers(void *context, uint32_t index)
{
    keeper *k = context;
    const kg_contact_stage *stage = k->world->contact;
    const uint8_t *moved = stage->held;
    uint32_t end = stage->pieced - index * GROUPS < GROUPS ? stage->pieced : (index + 1) * GROUPS;
    for (uint32_t i = index * GROUPS; i < end; ++i) {
        const kg_contact_group *g = &stage->groups[i];
        const kg_contact_span *span = &stage->spans[i];
        for (uint32_t lane = 0; lane < span->count; ++lane) {
            uint32_t *entry = &stage->order[span->first + lane];
            if ((!moved[g->a[lane]] && !moved[g->b[lane]]) || *entry == KG_CONTACT_GONE) continue;
            uint32_t at = __atomic_fetch_add(&k->count, 1, __ATOMIC_RELAXED);
            if (at < k->limit) k->items[at] = *entry & KG_CONTACT_ITEM;
            *entry = KG_CONTACT_GONE;
        }
    }
}

/* Contacts that began, and those of bodies that moved, which leave their places; false when they are too many. */
static bool find_comers(const kugel_world *world, keeper *k)
{
    const kg_contact_stage *stage = world->contact;
    memcpy(k->items, &stage->order[stage->arranged], stage->fresh * sizeof *k->items);
    k->count = stage->fresh;
    if (stage->moved) kg_for_pieces(world, (stage->pieced + GROUPS - 1) / GROUPS, find_leavers, k);
    return k->count <= k->limit;
}

static void sort_comers(const kugel_world *world, keeper *k)
{
    const kg_contact_stage *stage = world->contact;
    for (uint32_t i = 0; i < k->count; ++i) {
        const kg_contact *c = &world->work.contacts.items[k->items[i]];
        const int32_t *a = stage->home[kg_contact_first_slot(world, c)], *b = stage->home[kg_contact_second_slot(world, c)];
        k->keys[i] = kg_contact_pair_key(stage, a, b);
    }
    kg_sort_u64(k->keys, k->items, k->key_scratch, k->item_scratch, k->count);
}

/* Old blocks, and those of comers, by their keys. */
static void list_blocks(keeper *k)
{
    const kg_contact_stage *stage = k->world->contact;
    for (uint32_t b = 0, c = 0; b < stage->block_count || c < k->count;) {
        uint64_t next = b < stage->block_count ? stage->blocks[b].key : UINT64_MAX, key = c < k->count && k->keys[c] < next ? k->keys[c] : next;
        kept_block *block = &k->blocks[k->block_count++];
        *block = (kept_block){.is.key = key, .was = key == next ? b++ : KG_NONE, .from = c, .dealt = KG_NONE};
        while (c < k->count && k->keys[c] == key) ++c;
        block->coming = c - block->from;
    }
}

static uint32_t old_count(const kg_contact_stage *stage, const kept_block *block)
{
    return block->was != KG_NONE ? block_end(stage, block->was) - stage->blocks[block->was].first : 0;
}

static const uint32_t *old_order(const kg_contact_stage *stage, const kept_block *block)
{
    return block->was != KG_NONE ? &stage->order[stage->blocks[block->was].first] : NULL;
}

/* How many contacts some blocks will have. */
static void count_contacts(void *context, uint32_t index)
{
    keeper *k = context;
    const kg_contact_stage *stage = k->world->contact;
    uint32_t end = k->block_count - index * BLOCKS < BLOCKS ? k->block_count : (index + 1) * BLOCKS;
    for (uint32_t b = index * BLOCKS; b < end; ++b) {
        kept_block *block = &k->blocks[b];
        const uint32_t *order = old_order(stage, block);
        uint32_t n = old_count(stage, block), gone = 0;
        for (uint32_t i = 0; i < n; ++i) gone += order[i] == KG_CONTACT_GONE ? 1u : 0u;
        block->count = n - gone + block->coming;
        if (gone || block->coming) block->dealt = 0;
    }
}

/* Blocks that are left, one after the other. */
static void place_blocks(keeper *k)
{
    uint64_t colour = UINT64_MAX;
    uint32_t left = 0, first = 0, dealt = 0;
    for (uint32_t b = 0; b < k->block_count; ++b) {
        kept_block block = k->blocks[b];
        if (!block.count) continue;
        if (kg_contact_key_colour(k->world->contact, block.is.key) != colour) dealt = 0;
        colour = kg_contact_key_colour(k->world->contact, block.is.key);
        block.is.first = first;
        first += block.count;
        if (block.dealt != KG_NONE) block.dealt = dealt, dealt += block.count;
        k->dealt = dealt > k->dealt ? dealt : k->dealt;
        k->blocks[left++] = block;
    }
    k->block_count = left;
}

/* What is left of a block's old order, and what comes, ascending. */
static uint32_t *gather(const keeper *k, const kept_block *block)
{
    const uint32_t *order = old_order(k->world->contact, block);
    uint32_t count = 0, n = old_count(k->world->contact, block), *items = k->gathered + block->dealt;
    uint64_t *keys = k->gathered_keys + block->dealt;
    for (uint32_t i = 0; i < n; ++i) {
        if (order[i] != KG_CONTACT_GONE) items[count++] = order[i] & KG_CONTACT_ITEM;
    }
    for (uint32_t i = 0; i < block->coming; ++i) items[count++] = k->items[block->from + i];
    for (uint32_t i = 0; i < count; ++i) keys[i] = items[i];
    kg_sort_u64(keys, items, k->gathered_scratch + block->dealt, k->gathered_items + block->dealt, count);
    return items;
}

/* A block's order: as it was, or dealt anew. */
static void write_block(void *context, uint32_t index)
{
    const keeper *k = context;
    const kg_contact_stage *stage = k->world->contact;
    kept_block *block = &k->blocks[k->from + index];
    uint32_t *to = &k->order[block->is.first];
    if (block->dealt == KG_NONE) {
        block->is.used = stage->blocks[block->was].used;
        memcpy(to, old_order(stage, block), block->count * sizeof *to);
    } else {
        kg_contact_dealer dealer = k->dealer;
        dealer.group += block->dealt, dealer.next += block->dealt, dealer.filled += block->dealt;
        dealer.window = block->is.first; /* it needs no more windows than it has contacts */
        block->is.used = kg_contact_deal(k->world, &dealer, gather(k, block), block->count, to);
    }
    *to = index ? *to & ~KG_CONTACT_COLOUR : *to | KG_CONTACT_COLOUR;
}

/* Where blocks are dealt: bodies are in no window. */
static void clear_places(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_contact_place *places = (kg_contact_place *)(void *)world->contact->bodies;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) places[i].window = world->bodies.mass[i] > 0 ? 0 : KG_NONE;
}

/* The new order, colour by colour: blocks of one share no body that can be moved. */
static void write_order(keeper *k)
{
    const kg_contact_stage *stage = k->world->contact;
    if (k->dealt) kg_for_bodies(k->world, clear_places, 0);
    for (uint32_t end; k->from < k->block_count; k->from = end) {
        uint64_t colour = kg_contact_key_colour(stage, k->blocks[k->from].is.key);
        for (end = k->from + 1; end < k->block_count && kg_contact_key_colour(stage, k->blocks[end].is.key) == colour; ++end) {}
        kg_for_pieces(k->world, end - k->from, write_block, k);
    }
}

/* Room for a block that is dealt anew, and had some. A group or two more than a large block needs will do when some
 * contacts have come, and the groups of all blocks behind it need not be moved. */
static uint32_t room_for(uint32_t groups, uint32_t room)
{
    enum { SPARE = 16 }; /* one of so many */
    uint32_t spare = groups / SPARE;
    return groups <= room && room <= groups + 2 * spare ? room : groups + spare;
}

/* Where the groups of each block will be. */
static void place_groups(keeper *k)
{
    const kg_contact_stage *stage = k->world->contact;
    for (uint32_t b = 0; b < k->block_count; ++b) {
        kept_block *block = &k->blocks[b];
        uint32_t room = block->was != KG_NONE ? groups_of(stage, block->was) : 0;
        block->is.group = k->group_count;
        k->group_count += block->dealt == KG_NONE ? room : room_for(block->is.used, room);
    }
}

static void move_groups(kg_contact_stage *stage, uint32_t from, uint32_t to, uint32_t n)
{
    memmove(&stage->groups[to], &stage->groups[from], n * sizeof *stage->groups);
    memmove(&stage->spans[to], &stage->spans[from], n * sizeof *stage->spans);
    if (stage->rolling) memmove(&stage->rolling[to], &stage->rolling[from], n * sizeof *stage->rolling);
}

/* Groups of the blocks that are kept, to their new places: up from the last on, then down from the first on, so that none is
 * overwritten before it has gone. */
static void move_blocks(kg_contact_stage *stage, const keeper *k)
{
    for (uint32_t i = k->block_count; i-- > 0;) {
        uint32_t was = k->blocks[i].was, to = k->blocks[i].is.group;
        if (k->blocks[i].dealt == KG_NONE && to > stage->blocks[was].group) move_groups(stage, stage->blocks[was].group, to, groups_of(stage, was));
    }
    for (uint32_t i = 0; i < k->block_count; ++i) {
        uint32_t was = k->blocks[i].was, to = k->blocks[i].is.group;
        if (k->blocks[i].dealt == KG_NONE && to < stage->blocks[was].group) move_groups(stage, stage->blocks[was].group, to, groups_of(stage, was));
    }
}

/* Spans of a block that was dealt, whose groups are [from, to). */
static void set_spans(kg_contact_stage *stage, const kept_block *block, uint32_t to)
{
    uint32_t first = block->is.first, end = first + block->count;
    for (uint32_t g = block->is.group; g < to; ++g) {
        uint32_t next = first + (first < end);
        while (next < end && !(stage->order[next] & KG_CONTACT_LEADS)) ++next;
        stage->spans[g] = (kg_contact_span){.first = first, .count = (uint8_t)(next - first)};
        first = next;
    }
}

/* Some blocks with their groups: those that were kept may begin elsewhere in the order; the others are filled. */
static void settle_blocks(void *context, uint32_t index)
{
    const keeper *k = context;
    kg_contact_stage *stage = k->world->contact;
    uint32_t end = k->block_count - index * BLOCKS < BLOCKS ? k->block_count : (index + 1) * BLOCKS;
    for (uint32_t b = index * BLOCKS; b < end; ++b) {
        const kept_block *block = &k->blocks[b];
        uint32_t first = block->is.first, to = b + 1 < k->block_count ? k->blocks[b + 1].is.group : k->group_count;
        memcpy(&stage->order[first], &k->order[first], block->count * sizeof *stage->order);
        if (block->dealt != KG_NONE) {
            set_spans(stage, block, to);
            kg_contact_fill(k->world, block->is.group, to);
        } else if (first != stage->blocks[block->was].first) {
            for (uint32_t g = block->is.group; g < to; ++g) stage->spans[g].first += first - stage->blocks[block->was].first;
        }
    }
}

static bool reserve(kugel_world *world, const keeper *k)
{
    kg_contact_stage *stage = world->contact;
    kg_column *blocks = &stage->columns[KG_CONTACT_COLUMN_BLOCKS];
    stage->group_count = stage->pieced;
    if (!kg_contact_reserve_groups(world, k->group_count) || !kg_contact_reserve_order(world, world->work.contacts.count) ||
        !kg_column_reserve(&world->memory, blocks, sizeof *stage->blocks, k->block_count, stage->block_count)) {
        return false;
    }
    stage->blocks = blocks->data;
    return true;
}

static bool take_over(kugel_world *world, keeper *k)
{
    kg_contact_stage *stage = world->contact;
    if (!reserve(world, k)) return false;
    move_blocks(stage, k);
    kg_for_pieces(world, (k->block_count + BLOCKS - 1) / BLOCKS, settle_blocks, k);
    stage->covered = world->work.contacts.count;
    stage->block_count = k->block_count;
    stage->group_count = k->group_count;
    if (!kg_contact_reserve_pieces(world, k->group_count)) return false;
    for (uint32_t b = 0, used = 0; b < k->block_count; ++b) {
        const kg_contact_block *block = &k->blocks[b].is;
        stage->blocks[b] = *block;
        kg_contact_note_piece(stage, block->group, used, stage->order[block->first]);
        used += block->used;
    }
    stage->pieced = k->group_count;
    kg_contact_note_masses(stage, 0);
    return true;
}

bool kg_contact_keep(kugel_world *world)
{
    enum { FEW = 8 }; /* more than this part of the contacts may as well be arranged all */
    kg_contact_stage *stage = world->contact;
    keeper k = {.world = world, .limit = stage->arranged / FEW + 64};
    stage->kept = stage->moved = stage->beyond = false;
    if (!may_keep(world) || stage->fresh > k.limit) return true;
    if (!kg_contact_reserve_bodies(world) || !get_room(&k)) return false;
    kg_for_bodies(world, rehome_range, 0);
    stage->held[world->bodies.count] = 0; /* what never moves */
    if (stage->beyond || !find_comers(world, &k)) return true;
    sort_comers(world, &k);
    k.block_limit = stage->block_count + k.count;
    if (!get_room(&k)) return false;
    list_blocks(&k);
    kg_for_pieces(world, (k.block_count + BLOCKS - 1) / BLOCKS, count_contacts, &k);
    place_blocks(&k);
    if (k.block_count == 0) return true;
    if (!get_room(&k)) return false;
    write_order(&k);
    place_groups(&k);
    stage->kept = true;
    return take_over(world, &k);
}
