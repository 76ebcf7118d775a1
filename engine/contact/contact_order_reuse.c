/* Contacts are arranged as they were in the tick before, but for the blocks where some began or
 * ended, or to or from which some body went: those are reassigned. The result is what arranging all
 * of them gives; where it might not be, or where too much has changed, nothing is kept. */
#include <string.h>

#include "base/sort.h"
#include "contact/contact_order.h"

enum { GROUPS_PER_TASK = 512, BLOCKS_PER_TASK = 32 }; /* that a thread looks at */

/* A block as it will be. */
typedef struct block_update {
    kg_contact_block block;
    uint32_t old_index;                      /* which it was, or KG_NONE */
    uint32_t first_inserted, inserted_count; /* its inserted contacts */
    uint32_t count;                          /* contacts */
    uint32_t assign_offset; /* KG_NONE: its order is kept; or where it has room to be reassigned:
                               after others of its colour */
} block_update;

/* What is kept and what comes; in the columns of the solver's bodies and shifts. */
typedef struct order_reuse {
    kugel_world *world;
    uint64_t *keys,
        *key_scratch; /* of the contacts that come: new ones, and those of bodies that moved */
    uint32_t *items, *item_scratch;
    uint32_t count, limit;
    block_update *blocks;
    uint32_t block_count, block_limit, group_count;
    size_t head_bytes;        /* bytes up to there */
    uint32_t *order;          /* as it will be */
    uint32_t colour_first;    /* the first block of the colour that is written */
    uint32_t assign_capacity; /* contacts of the blocks of one colour that are reassigned, at most;
                                 what follows has room for them */
    uint64_t *gathered_keys, *gathered_scratch;
    uint32_t *gathered, *gathered_items;
    kg_group_assignment assignment;
} order_reuse;

static bool any_asleep(const kugel_world *world)
{
    return world->bodies.count && memchr(world->work.sleep_state, KG_ASLEEP, world->bodies.count);
}

/* Slots, masses, radii and surfaces are as they were while the grid is valid: calls that change
 * them say so to it. */
static bool can_reuse(const kugel_world *world)
{
    const kg_contact_stage *stage = world->contact;
    return world->grid->valid && stage->all_in_groups && stage->block_count && !any_asleep(world);
}

/* Which bodies lie in another block than before, in `supported`; whether some do, and whether some
 * lie in a block that has no key. */
static void change_block_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_contact_stage *stage = world->contact;
    uint8_t *moved = stage->supported, any = 0;
    uint32_t beyond = 0;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) {
        int32_t now[3], *block = stage->body_block[i];
        moved[i] = 0;
        if (!world->work.contact_count[i]) continue;
        kg_contact_find_block(stage, world->work.motion[i].x, now);
        for (int axis = 0; axis < 3; ++axis)
            beyond |=
                ((uint32_t)now[axis] - (uint32_t)stage->block_min[axis]) >> stage->block_bits[axis];
        if (memcmp(now, block, sizeof now) == 0) continue;
        moved[i] = block[0] != INT32_MIN; /* it had contacts */
        any |= moved[i];
        memcpy(block, now, sizeof now);
    }
    if (any) __atomic_store_n(&stage->any_block_changed, true, __ATOMIC_RELAXED);
    if (beyond) __atomic_store_n(&stage->any_block_without_key, true, __ATOMIC_RELAXED);
}

static uint32_t block_end(const kg_contact_stage *stage, uint32_t block)
{
    return block + 1 < stage->block_count ? stage->blocks[block + 1].first : stage->previous_count;
}

/* Those that it has room for; the last may be empty. */
static uint32_t old_group_capacity(const kg_contact_stage *stage, uint32_t block)
{
    return (block + 1 < stage->block_count ? stage->blocks[block + 1].first_group
                                           : stage->ranged_group_count) -
           stage->blocks[block].first_group;
}

/* Room for what is known so far to be needed; inserted contacts and blocks that there are stay. */
static bool reserve_scratch(order_reuse *k)
{
    kugel_world *world = k->world;
    kg_contact_stage *stage = world->contact;
    kg_column *column = &stage->columns[KG_CONTACT_COLUMN_CORRECTIONS];
    size_t inserted = k->limit, n = world->work.contacts.count, item = sizeof *stage->corrections;
    size_t head =
        inserted * 2 * (sizeof *k->keys + sizeof *k->items) + k->block_limit * sizeof *k->blocks;
    size_t size = head + n * sizeof *k->order +
                  k->assign_capacity * (2 * sizeof *k->gathered_keys + 4 * sizeof *k->gathered +
                                        sizeof *k->assignment.filled);
    if (!kg_column_reserve(&world->memory, column, item, size / item + 1,
                           (k->head_bytes + item - 1) / item))
        return false;
    k->head_bytes = head;
    k->keys = column->data;
    k->key_scratch = k->keys + inserted;
    k->items = (uint32_t *)(void *)(k->key_scratch + inserted);
    k->item_scratch = k->items + inserted;
    k->blocks = (block_update *)(void *)(k->item_scratch + inserted);
    k->gathered_keys = (uint64_t *)(void *)(k->blocks + k->block_limit);
    k->gathered_scratch = k->gathered_keys + k->assign_capacity;
    k->order = (uint32_t *)(void *)(k->gathered_scratch + k->assign_capacity);
    k->gathered = k->order + n;
    k->gathered_items = k->gathered + k->assign_capacity;
    uint32_t *group = k->gathered_items + k->assign_capacity, *next = group + k->assign_capacity;
    k->assignment = (kg_group_assignment){(kg_assignment_body *)(void *)stage->bodies, group, next,
                                          (uint8_t *)(void *)(next + k->assign_capacity), 0};
    return true;
}

/* Those of some groups, which know their slots. Where they stand among the inserted contacts does
 * not matter: they are sorted. */
static void find_moved(void *context, uint32_t index)
{
    order_reuse *k = context;
    const kg_contact_stage *stage = k->world->contact;
    const uint8_t *moved = stage->supported;
    uint32_t end = stage->ranged_group_count - index * GROUPS_PER_TASK < GROUPS_PER_TASK
                       ? stage->ranged_group_count
                       : (index + 1) * GROUPS_PER_TASK;
    for (uint32_t i = index * GROUPS_PER_TASK; i < end; ++i) {
        const kg_contact_group *g = &stage->groups[i];
        const kg_contact_group_info *info = &stage->group_info[i];
        for (uint32_t lane = 0; lane < info->count; ++lane) {
            uint32_t *entry = &stage->order[info->first + lane];
            if ((!moved[g->a[lane]] && !moved[g->b[lane]]) || *entry == KG_ORDER_REMOVED) continue;
            uint32_t at = __atomic_fetch_add(&k->count, 1, __ATOMIC_RELAXED);
            if (at < k->limit) k->items[at] = *entry & KG_ORDER_ITEM_MASK;
            *entry = KG_ORDER_REMOVED;
        }
    }
}

/* Contacts that began, and those of bodies that moved, which leave their places; false when they
 * are too many. */
static bool find_inserted(const kugel_world *world, order_reuse *k)
{
    const kg_contact_stage *stage = world->contact;
    memcpy(k->items, &stage->order[stage->previous_count], stage->begun_count * sizeof *k->items);
    k->count = stage->begun_count;
    if (stage->any_block_changed)
        kg_for_ranges(world, (stage->ranged_group_count + GROUPS_PER_TASK - 1) / GROUPS_PER_TASK,
                      find_moved, k);
    return k->count <= k->limit;
}

static void sort_inserted(const kugel_world *world, order_reuse *k)
{
    const kg_contact_stage *stage = world->contact;
    for (uint32_t i = 0; i < k->count; ++i) {
        const kg_contact *c = &world->work.contacts.items[k->items[i]];
        const int32_t *a = stage->body_block[kg_contact_first_slot(world, c)],
                      *b = stage->body_block[kg_contact_second_slot(world, c)];
        k->keys[i] = kg_contact_block_pair_key(stage, a, b);
    }
    kg_sort_u64(k->keys, k->items, k->key_scratch, k->item_scratch, k->count);
}

/* Old blocks, and those of inserted contacts, by their keys. */
static void merge_blocks(order_reuse *k)
{
    const kg_contact_stage *stage = k->world->contact;
    for (uint32_t b = 0, c = 0; b < stage->block_count || c < k->count;) {
        uint64_t next = b < stage->block_count ? stage->blocks[b].key : UINT64_MAX,
                 key = c < k->count && k->keys[c] < next ? k->keys[c] : next;
        block_update *block = &k->blocks[k->block_count++];
        *block = (block_update){.block.key = key,
                                .old_index = key == next ? b++ : KG_NONE,
                                .first_inserted = c,
                                .assign_offset = KG_NONE};
        while (c < k->count && k->keys[c] == key) ++c;
        block->inserted_count = c - block->first_inserted;
    }
}

static uint32_t old_count(const kg_contact_stage *stage, const block_update *block)
{
    return block->old_index != KG_NONE
               ? block_end(stage, block->old_index) - stage->blocks[block->old_index].first
               : 0;
}

static const uint32_t *old_order(const kg_contact_stage *stage, const block_update *block)
{
    return block->old_index != KG_NONE ? &stage->order[stage->blocks[block->old_index].first]
                                       : NULL;
}

/* How many contacts some blocks will have. */
static void count_contacts(void *context, uint32_t index)
{
    order_reuse *k = context;
    const kg_contact_stage *stage = k->world->contact;
    uint32_t end = k->block_count - index * BLOCKS_PER_TASK < BLOCKS_PER_TASK
                       ? k->block_count
                       : (index + 1) * BLOCKS_PER_TASK;
    for (uint32_t b = index * BLOCKS_PER_TASK; b < end; ++b) {
        block_update *block = &k->blocks[b];
        const uint32_t *order = old_order(stage, block);
        uint32_t n = old_count(stage, block), removed = 0;
        for (uint32_t i = 0; i < n; ++i) removed += order[i] == KG_ORDER_REMOVED ? 1u : 0u;
        block->count = n - removed + block->inserted_count;
        if (removed || block->inserted_count) block->assign_offset = 0;
    }
}

/* Blocks that are left, one after the other. */
static void place_blocks(order_reuse *k)
{
    uint64_t colour = UINT64_MAX;
    uint32_t left = 0, first = 0, assigned = 0;
    for (uint32_t b = 0; b < k->block_count; ++b) {
        block_update block = k->blocks[b];
        if (!block.count) continue;
        if (kg_contact_block_colour(k->world->contact, block.block.key) != colour) assigned = 0;
        colour = kg_contact_block_colour(k->world->contact, block.block.key);
        block.block.first = first;
        first += block.count;
        if (block.assign_offset != KG_NONE) block.assign_offset = assigned, assigned += block.count;
        k->assign_capacity = assigned > k->assign_capacity ? assigned : k->assign_capacity;
        k->blocks[left++] = block;
    }
    k->block_count = left;
}

/* What is left of a block's old order, and what comes, ascending. */
static uint32_t *gather_items(const order_reuse *k, const block_update *block)
{
    const uint32_t *order = old_order(k->world->contact, block);
    uint32_t count = 0, n = old_count(k->world->contact, block),
             *items = k->gathered + block->assign_offset;
    uint64_t *keys = k->gathered_keys + block->assign_offset;
    for (uint32_t i = 0; i < n; ++i) {
        if (order[i] != KG_ORDER_REMOVED) items[count++] = order[i] & KG_ORDER_ITEM_MASK;
    }
    for (uint32_t i = 0; i < block->inserted_count; ++i)
        items[count++] = k->items[block->first_inserted + i];
    for (uint32_t i = 0; i < count; ++i) keys[i] = items[i];
    kg_sort_u64(keys, items, k->gathered_scratch + block->assign_offset,
                k->gathered_items + block->assign_offset, count);
    return items;
}

/* A block's order: as it was, or reassigned. */
static void write_block(void *context, uint32_t index)
{
    const order_reuse *k = context;
    const kg_contact_stage *stage = k->world->contact;
    block_update *block = &k->blocks[k->colour_first + index];
    uint32_t *to = &k->order[block->block.first];
    if (block->assign_offset == KG_NONE) {
        block->block.used_groups = stage->blocks[block->old_index].used_groups;
        memcpy(to, old_order(stage, block), block->count * sizeof *to);
    } else {
        kg_group_assignment assignment = k->assignment;
        assignment.group += block->assign_offset, assignment.next += block->assign_offset,
            assignment.filled += block->assign_offset;
        assignment.window = block->block.first; /* it needs no more windows than it has contacts */
        block->block.used_groups = kg_contact_assign_groups(
            k->world, &assignment, gather_items(k, block), block->count, to);
    }
    *to = index ? *to & ~KG_ORDER_COLOUR_START : *to | KG_ORDER_COLOUR_START;
}

/* Where blocks are assigned: bodies are in no window. */
static void clear_bodies(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_assignment_body *bodies = (kg_assignment_body *)(void *)world->contact->bodies;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) bodies[i].window = world->bodies.mass[i] > 0 ? 0 : KG_NONE;
}

/* The new order, colour by colour: blocks of one share no body that can be moved. */
static void write_order(order_reuse *k)
{
    const kg_contact_stage *stage = k->world->contact;
    if (k->assign_capacity) kg_for_bodies(k->world, clear_bodies, 0);
    for (uint32_t end; k->colour_first < k->block_count; k->colour_first = end) {
        uint64_t colour = kg_contact_block_colour(stage, k->blocks[k->colour_first].block.key);
        for (end = k->colour_first + 1;
             end < k->block_count &&
             kg_contact_block_colour(stage, k->blocks[end].block.key) == colour;
             ++end) {}
        kg_for_ranges(k->world, end - k->colour_first, write_block, k);
    }
}

/* Room for a block that is reassigned, and had some. A group or two more than a large block needs
 * will do when some contacts have come, and the groups of all blocks behind it need not be moved.
 */
static uint32_t group_capacity(uint32_t groups, uint32_t capacity)
{
    enum { SPARE = 16 }; /* one of so many */
    uint32_t spare = groups / SPARE;
    return groups <= capacity && capacity <= groups + 2 * spare ? capacity : groups + spare;
}

/* Where the groups of each block will be. */
static void place_groups(order_reuse *k)
{
    const kg_contact_stage *stage = k->world->contact;
    for (uint32_t b = 0; b < k->block_count; ++b) {
        block_update *block = &k->blocks[b];
        uint32_t capacity =
            block->old_index != KG_NONE ? old_group_capacity(stage, block->old_index) : 0;
        block->block.first_group = k->group_count;
        k->group_count += block->assign_offset == KG_NONE
                              ? capacity
                              : group_capacity(block->block.used_groups, capacity);
    }
}

static void move_groups(kg_contact_stage *stage, uint32_t from, uint32_t to, uint32_t n)
{
    memmove(&stage->groups[to], &stage->groups[from], n * sizeof *stage->groups);
    memmove(&stage->group_info[to], &stage->group_info[from], n * sizeof *stage->group_info);
    if (stage->rolling)
        memmove(&stage->rolling[to], &stage->rolling[from], n * sizeof *stage->rolling);
}

/* Groups of the blocks that are kept, to their new places: up from the last on, then down from the
 * first on, so that none is overwritten before it has gone. */
static void move_blocks(kg_contact_stage *stage, const order_reuse *k)
{
    for (uint32_t i = k->block_count; i-- > 0;) {
        uint32_t old_index = k->blocks[i].old_index, to = k->blocks[i].block.first_group;
        if (k->blocks[i].assign_offset == KG_NONE && to > stage->blocks[old_index].first_group)
            move_groups(stage, stage->blocks[old_index].first_group, to,
                        old_group_capacity(stage, old_index));
    }
    for (uint32_t i = 0; i < k->block_count; ++i) {
        uint32_t old_index = k->blocks[i].old_index, to = k->blocks[i].block.first_group;
        if (k->blocks[i].assign_offset == KG_NONE && to < stage->blocks[old_index].first_group)
            move_groups(stage, stage->blocks[old_index].first_group, to,
                        old_group_capacity(stage, old_index));
    }
}

/* Spans of a block that was assigned, whose groups are [from, to). */
static void set_spans(kg_contact_stage *stage, const block_update *block, uint32_t to)
{
    uint32_t first = block->block.first, end = first + block->count;
    for (uint32_t g = block->block.first_group; g < to; ++g) {
        uint32_t next = first + (first < end);
        while (next < end && !(stage->order[next] & KG_ORDER_GROUP_START)) ++next;
        stage->group_info[g] =
            (kg_contact_group_info){.first = first, .count = (uint8_t)(next - first)};
        first = next;
    }
}

/* Some blocks with their groups: those that were kept may begin elsewhere in the order; the others
 * are filled. */
static void update_blocks(void *context, uint32_t index)
{
    const order_reuse *k = context;
    kg_contact_stage *stage = k->world->contact;
    uint32_t end = k->block_count - index * BLOCKS_PER_TASK < BLOCKS_PER_TASK
                       ? k->block_count
                       : (index + 1) * BLOCKS_PER_TASK;
    for (uint32_t b = index * BLOCKS_PER_TASK; b < end; ++b) {
        const block_update *block = &k->blocks[b];
        uint32_t first = block->block.first,
                 to = b + 1 < k->block_count ? k->blocks[b + 1].block.first_group : k->group_count;
        memcpy(&stage->order[first], &k->order[first], block->count * sizeof *stage->order);
        if (block->assign_offset != KG_NONE) {
            set_spans(stage, block, to);
            kg_contact_groups_fill(k->world, block->block.first_group, to);
        } else if (first != stage->blocks[block->old_index].first) {
            for (uint32_t g = block->block.first_group; g < to; ++g)
                stage->group_info[g].first += first - stage->blocks[block->old_index].first;
        }
    }
}

static bool reserve_reuse(kugel_world *world, const order_reuse *k)
{
    kg_contact_stage *stage = world->contact;
    kg_column *blocks = &stage->columns[KG_CONTACT_COLUMN_BLOCKS];
    stage->group_count = stage->ranged_group_count;
    if (!kg_contact_groups_reserve(world, k->group_count) ||
        !kg_contact_groups_reserve_order(world, world->work.contacts.count) ||
        !kg_column_reserve(&world->memory, blocks, sizeof *stage->blocks, k->block_count,
                           stage->block_count)) {
        return false;
    }
    stage->blocks = blocks->data;
    return true;
}

static bool apply_reuse(kugel_world *world, order_reuse *k)
{
    kg_contact_stage *stage = world->contact;
    if (!reserve_reuse(world, k)) return false;
    move_blocks(stage, k);
    kg_for_ranges(world, (k->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK, update_blocks,
                  k);
    stage->ordered_count = world->work.contacts.count;
    stage->block_count = k->block_count;
    stage->group_count = k->group_count;
    if (!kg_contact_reserve_task_ranges(world, k->group_count)) return false;
    for (uint32_t b = 0, used = 0; b < k->block_count; ++b) {
        const kg_contact_block *block = &k->blocks[b].block;
        stage->blocks[b] = *block;
        kg_contact_note_task_range(stage, block->first_group, used, stage->order[block->first]);
        used += block->used_groups;
    }
    stage->ranged_group_count = k->group_count;
    kg_contact_groups_note_mass_ratio(stage, 0);
    return true;
}

bool kg_contact_order_reuse(kugel_world *world)
{
    enum { FEW = 8 }; /* more than this part of the contacts may as well be arranged all */
    kg_contact_stage *stage = world->contact;
    order_reuse k = {.world = world, .limit = stage->previous_count / FEW + 64};
    stage->order_reused = stage->any_block_changed = stage->any_block_without_key = false;
    if (!can_reuse(world) || stage->begun_count > k.limit) return true;
    if (!kg_solver_bodies_reserve(world) || !reserve_scratch(&k)) return false;
    kg_for_bodies(world, change_block_range, 0);
    stage->supported[world->bodies.count] = 0; /* what never moves */
    if (stage->any_block_without_key || !find_inserted(world, &k)) return true;
    sort_inserted(world, &k);
    k.block_limit = stage->block_count + k.count;
    if (!reserve_scratch(&k)) return false;
    merge_blocks(&k);
    kg_for_ranges(world, (k.block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK, count_contacts,
                  &k);
    place_blocks(&k);
    if (k.block_count == 0) return true;
    if (!reserve_scratch(&k)) return false;
    write_order(&k);
    place_groups(&k);
    stage->order_reused = true;
    return apply_reuse(world, &k);
}
