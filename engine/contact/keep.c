/* Contacts are arranged as they were in the tick before, but for the blocks where some began or ended, or to or from which some
 * body went: those are dealt anew. The result is what arranging all of them gives; where it might not be,
 * or where too much has changed, nothing is kept. */
#include <string.h>

#include "base/sort.h"
#include "contact/order.h"

enum { GROUPS = 512, BLOCKS = 512 }; /* that a thread looks at */

/* What is kept and what comes; in the columns of the solver's bodies and shifts. */
typedef struct keeper {
    const kugel_world *world;
    uint64_t *keys, *key_scratch; /* of the contacts that come: new ones, and those of bodies that moved */
    uint32_t *items, *item_scratch;
    uint32_t count, limit;
    uint32_t *order; /* as it will be */
    kg_contact_block *blocks;
    uint32_t *was; /* by block: which it was, or KG_NONE: dealt anew */
    uint32_t block_count, group_count;
    uint64_t *gathered_keys, *gathered_scratch; /* of a block that is dealt anew */
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

/* Room for it all: few comers, and a block that takes them all to the largest. */
static bool get_scratch(kugel_world *world, keeper *k)
{
    kg_contact_stage *stage = world->contact;
    kg_column *column = &stage->columns[KG_CONTACT_COLUMN_SHIFTS];
    size_t n = world->work.contacts.count, largest = 0, most = k->limit, blocks = stage->block_count + most;
    for (uint32_t b = 0; b < stage->block_count; ++b) {
        size_t size = block_end(stage, b) - stage->blocks[b].first;
        largest = size > largest ? size : largest;
    }
    largest += most;
    size_t size = 2 * most * (sizeof *k->keys + sizeof *k->items) + n * sizeof *k->order + blocks * (sizeof *k->blocks + sizeof *k->was) +
                  largest * (2 * sizeof *k->gathered_keys + 4 * sizeof *k->gathered + sizeof *k->dealer.filled);
    if (!kg_column_reserve(&world->memory, column, sizeof *stage->shifts, size / sizeof *stage->shifts + 1, 0)) return false;
    k->keys = column->data;
    k->key_scratch = k->keys + most;
    k->blocks = (kg_contact_block *)(void *)(k->key_scratch + most);
    k->gathered_keys = (uint64_t *)(void *)(k->blocks + blocks);
    k->gathered_scratch = k->gathered_keys + largest;
    k->items = (uint32_t *)(void *)(k->gathered_scratch + largest);
    k->item_scratch = k->items + most;
    k->order = k->item_scratch + most;
    k->was = k->order + n;
    k->gathered = k->was + blocks;
    k->gathered_items = k->gathered + largest;
    uint32_t *group = k->gathered_items + largest, *next = group + largest;
    k->dealer = (kg_contact_dealer){(kg_contact_place *)(void *)stage->bodies, group, next, (uint8_t *)(void *)(next + largest), 0};
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

static bool any_gone(const uint32_t *order, uint32_t n)
{
    bool gone = false;
    for (uint32_t i = 0; i < n; ++i) gone |= order[i] == KG_CONTACT_GONE;
    return gone;
}

/* What is left of a block's old order, and what comes, ascending; returns how many. */
static uint32_t gather(keeper *k, const uint32_t *order, uint32_t n, const uint32_t *comers, uint32_t coming)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; ++i) {
        if (order[i] != KG_CONTACT_GONE) k->gathered[count++] = order[i] & KG_CONTACT_ITEM;
    }
    for (uint32_t i = 0; i < coming; ++i) k->gathered[count++] = comers[i];
    for (uint32_t i = 0; i < count; ++i) k->gathered_keys[i] = k->gathered[i];
    kg_sort_u64(k->gathered_keys, k->gathered, k->gathered_scratch, k->gathered_items, count);
    return count;
}

static uint32_t deal(const kugel_world *world, keeper *k, uint32_t count, uint32_t *order)
{
    for (uint32_t i = 0; i < count; ++i) {
        const kg_contact *c = &world->work.contacts.items[k->gathered[i]];
        uint32_t slot[2] = {kg_contact_first_slot(world, c), kg_contact_second_slot(world, c)};
        for (int s = 0; s < 2; ++s) k->dealer.places[slot[s]].window = world->bodies.mass[slot[s]] > 0 ? 0 : KG_NONE;
    }
    k->dealer.window = 0;
    return kg_contact_deal(world, &k->dealer, k->gathered, count, order);
}

/* Room for a block that is dealt anew, and had some. A group or two more than a large block needs will do when some
 * contacts have come, and the groups of all blocks behind it need not be moved. */
static uint32_t room_for(uint32_t groups, uint32_t room)
{
    enum { SPARE = 16 }; /* one of so many */
    uint32_t spare = groups / SPARE;
    return groups <= room && room <= groups + 2 * spare ? room : groups + spare;
}

/* The new order, block by block: as it was, or dealt anew. */
static void merge_blocks(const kugel_world *world, keeper *k)
{
    const kg_contact_stage *stage = world->contact;
    uint64_t colour = UINT64_MAX;
    uint32_t at = 0;
    for (uint32_t b = 0, c = 0; b < stage->block_count || c < k->count;) {
        uint64_t next = b < stage->block_count ? stage->blocks[b].key : UINT64_MAX, key = c < k->count && k->keys[c] < next ? k->keys[c] : next;
        uint32_t old = key == next ? b++ : KG_NONE, from = c, *to = &k->order[at];
        const uint32_t *order = old != KG_NONE ? &stage->order[stage->blocks[old].first] : NULL;
        uint32_t n = old != KG_NONE ? block_end(stage, old) - stage->blocks[old].first : 0;
        while (c < k->count && k->keys[c] == key) ++c;
        bool keeps = from == c && !any_gone(order, n);
        uint32_t count = keeps ? n : gather(k, order, n, &k->items[from], c - from);
        if (!count) continue;
        k->blocks[k->block_count] = (kg_contact_block){key, at, k->group_count};
        k->was[k->block_count++] = keeps ? old : KG_NONE;
        if (keeps) memcpy(to, order, n * sizeof *to);
        uint32_t room = old != KG_NONE ? groups_of(stage, old) : 0;
        k->group_count += keeps ? room : room_for(deal(world, k, count, to), room);
        bool leads = kg_contact_key_colour(stage, key) != colour;
        *to = leads ? *to | KG_CONTACT_COLOUR : *to & ~KG_CONTACT_COLOUR;
        colour = kg_contact_key_colour(stage, key);
        at += count;
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
        uint32_t was = k->was[i], to = k->blocks[i].group;
        if (was != KG_NONE && to > stage->blocks[was].group) move_groups(stage, stage->blocks[was].group, to, groups_of(stage, was));
    }
    for (uint32_t i = 0; i < k->block_count; ++i) {
        uint32_t was = k->was[i], to = k->blocks[i].group;
        if (was != KG_NONE && to < stage->blocks[was].group) move_groups(stage, stage->blocks[was].group, to, groups_of(stage, was));
    }
}

/* Spans of a block that was kept begin elsewhere; those of one that was dealt are made. */
static void set_spans(kg_contact_stage *stage, const keeper *k, uint32_t block, uint32_t end, uint32_t group_end)
{
    const kg_contact_block *b = &k->blocks[block];
    uint32_t was = k->was[block], first = b->first;
    if (was != KG_NONE && first == stage->blocks[was].first) return;
    for (uint32_t g = b->group; g < group_end; ++g) {
        if (was != KG_NONE) {
            stage->spans[g].first += first - stage->blocks[was].first;
            continue;
        }
        uint32_t next = first + (first < end);
        while (next < end && !(k->order[next] & KG_CONTACT_LEADS)) ++next;
        stage->spans[g] = (kg_contact_span){.first = first, .count = (uint8_t)(next - first)};
        first = next;
    }
}

/* Groups of the blocks that were dealt. */
static void fill_dealt(void *context, uint32_t index)
{
    const keeper *k = context;
    uint32_t end = k->block_count - index * BLOCKS < BLOCKS ? k->block_count : (index + 1) * BLOCKS;
    for (uint32_t i = index * BLOCKS; i < end; ++i) {
        if (k->was[i] == KG_NONE) kg_contact_fill(k->world, k->blocks[i].group, i + 1 < k->block_count ? k->blocks[i + 1].group : k->group_count);
    }
}

static bool take_over(kugel_world *world, keeper *k)
{
    kg_contact_stage *stage = world->contact;
    uint32_t n = world->work.contacts.count;
    stage->group_count = stage->pieced;
    if (!kg_contact_reserve_groups(world, k->group_count) || !kg_contact_reserve_order(world, n) ||
        !kg_column_reserve(&world->memory, &stage->columns[KG_CONTACT_COLUMN_BLOCKS], sizeof *stage->blocks, k->block_count, stage->block_count)) {
        return false;
    }
    stage->blocks = stage->columns[KG_CONTACT_COLUMN_BLOCKS].data;
    move_blocks(stage, k);
    for (uint32_t i = 0; i < k->block_count; ++i) {
        bool last = i + 1 == k->block_count;
        set_spans(stage, k, i, last ? n : k->blocks[i + 1].first, last ? k->group_count : k->blocks[i + 1].group);
    }
    memcpy(stage->order, k->order, n * sizeof *stage->order);
    memcpy(stage->blocks, k->blocks, k->block_count * sizeof *stage->blocks);
    stage->block_count = k->block_count;
    stage->covered = n;
    stage->group_count = k->group_count;
    if (!kg_contact_reserve_pieces(world, k->group_count)) return false;
    for (uint32_t g = 0, used = 0; g < k->group_count; ++g) {
        if (stage->spans[g].count) kg_contact_note_piece(stage, g, used++, stage->order[stage->spans[g].first]);
    }
    stage->pieced = k->group_count;
    kg_for_pieces(world, (k->block_count + BLOCKS - 1) / BLOCKS, fill_dealt, k);
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
    if (!kg_contact_reserve_bodies(world) || !get_scratch(world, &k)) return false;
    kg_for_bodies(world, rehome_range, 0);
    stage->held[world->bodies.count] = 0; /* what never moves */
    if (stage->beyond || !find_comers(world, &k)) return true;
    sort_comers(world, &k);
    merge_blocks(world, &k);
    if (k.block_count == 0) return true;
    stage->kept = true;
    return take_over(world, &k);
}
