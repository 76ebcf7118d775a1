/* Reuse of the contact order from tick to tick. Only blocks with begun, ended or moved contacts are
 * assigned again; the result is that of contact_order.c. Nothing is reused after large changes.
 * In: order, groups and blocks of the last tick. Out: the same for this tick. Cost: proportional to
 * the change, and a copy of the order. See tools/docs/decisions/21-contact-order-reuse.md. */
#include <string.h>

#include "base/sort.h"
#include "base/tasks.h"
#include "contact/contact_order.h"

enum { GROUPS_PER_TASK = 512, BLOCKS_PER_TASK = 32 };

/* A block of the new order. */
typedef struct block_update {
    kg_contact_block block;
    uint32_t old_index;                      /* of the old block, or KG_NONE */
    uint32_t first_inserted, inserted_count; /* its inserted contacts */
    uint32_t count;
    /* place among the reassigned contacts of its colour; KG_NONE: not reassigned */
    uint32_t assign_offset;
} block_update;

/* Arrays in scratch memory. */
typedef struct order_reuse {
    kugel_world *world;
    /* inserted contacts: begun ones, and those of bodies that changed block. Keys of their blocks,
     * and items */
    kg_sort_arrays inserted;
    uint32_t count, limit;
    block_update *blocks;
    uint32_t block_count, group_count;
    uint32_t *order;          /* the new order */
    uint32_t colour_first;    /* first block of the colour in work */
    uint32_t assign_capacity; /* largest number of reassigned contacts of one colour */
    kg_sort_arrays gathered;  /* items of reassigned blocks, as keys and values */
    kg_group_assignment assignment;
} order_reuse;

static bool any_asleep(const kugel_world *world)
{
    return world->bodies.count && memchr(world->work.sleep_state, KG_ASLEEP, world->bodies.count);
}

/* True when slots, masses, radii and surfaces are those of the last tick, and every
 * contact is in a group. */
static bool can_reuse(const kugel_world *world)
{
    const kg_contact_stage *stage = world->contact;
    return kg_neighbours_valid(world) && stage->all_in_groups && stage->block_count &&
           !any_asleep(world);
}

/* Find the bodies that changed block (`supported` is used as a mark), and whether a block lies
 * outside the range of keys. */
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

/* Groups reserved for a block, empty ones included. */
static uint32_t old_group_capacity(const kg_contact_stage *stage, uint32_t block)
{
    return (block + 1 < stage->block_count ? stage->blocks[block + 1].first_group
                                           : stage->ranged_group_count) -
           stage->blocks[block].first_group;
}

/* Take the arrays of the new order and of the assignment. Returns false when out of memory. */
static bool take_assignment(order_reuse *k)
{
    kugel_world *world = k->world;
    size_t n = k->assign_capacity;
    kg_group_assignment *a = &k->assignment;
    a->bodies = (kg_assignment_body *)(void *)world->contact->bodies; /* not in use yet */
    return KG_TAKE(world, k->order, world->work.contacts.count) &&
           kg_sort_take(&world->memory, &world->scratch, n, &k->gathered) &&
           KG_TAKE(world, a->group, n) && KG_TAKE(world, a->next, n) &&
           KG_TAKE(world, a->filled, n);
}

/* Take contacts of moved bodies out of the order of some groups. Their sequence is arbitrary: they
 * are sorted later. */
static void find_moved(void *context, uint32_t index)
{
    order_reuse *k = context;
    const kg_contact_stage *stage = k->world->contact;
    const uint8_t *moved = stage->supported;
    uint32_t end = kg_range_end(index, GROUPS_PER_TASK, stage->ranged_group_count);
    for (uint32_t i = index * GROUPS_PER_TASK; i < end; ++i) {
        const kg_contact_group *g = &stage->groups[i];
        const kg_contact_group_info *info = &stage->group_info[i];
        for (uint32_t lane = 0; lane < info->count; ++lane) {
            uint32_t *entry = &stage->order[info->first + lane];
            if ((!moved[g->a[lane]] && !moved[g->b[lane]]) || *entry == KG_ORDER_REMOVED) continue;
            uint32_t at = __atomic_fetch_add(&k->count, 1, __ATOMIC_RELAXED);
            if (at < k->limit) k->inserted.values[at] = *entry & KG_ORDER_ITEM_MASK;
            *entry = KG_ORDER_REMOVED;
        }
    }
}

/* Collect begun contacts and those of moved bodies. False when they are too many. */
static bool find_inserted(const kugel_world *world, order_reuse *k)
{
    const kg_contact_stage *stage = world->contact;
    memcpy(k->inserted.values, &stage->order[stage->previous_count],
           stage->begun_count * sizeof *k->inserted.values);
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
        const kg_contact *c = &world->work.contacts.items[k->inserted.values[i]];
        const int32_t *a = stage->body_block[kg_contact_first_slot(world, c)],
                      *b = stage->body_block[kg_contact_second_slot(world, c)];
        k->inserted.keys[i] = kg_contact_block_pair_key(stage, a, b);
    }
    kg_sort(&k->inserted, k->count);
}

/* Merge the old blocks with those of the inserted contacts, by key. */
static void merge_blocks(order_reuse *k)
{
    const kg_contact_stage *stage = k->world->contact;
    for (uint32_t b = 0, c = 0; b < stage->block_count || c < k->count;) {
        uint64_t next = b < stage->block_count ? stage->blocks[b].key : UINT64_MAX,
                 key = c < k->count && k->inserted.keys[c] < next ? k->inserted.keys[c] : next;
        block_update *block = &k->blocks[k->block_count++];
        *block = (block_update){.block.key = key,
                                .old_index = key == next ? b++ : KG_NONE,
                                .first_inserted = c,
                                .assign_offset = KG_NONE};
        while (c < k->count && k->inserted.keys[c] == key) ++c;
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

/* Count the contacts of some blocks; mark those that are reassigned. */
static void count_contacts(void *context, uint32_t index)
{
    order_reuse *k = context;
    const kg_contact_stage *stage = k->world->contact;
    uint32_t end = kg_range_end(index, BLOCKS_PER_TASK, k->block_count);
    for (uint32_t b = index * BLOCKS_PER_TASK; b < end; ++b) {
        block_update *block = &k->blocks[b];
        const uint32_t *order = old_order(stage, block);
        uint32_t n = old_count(stage, block), removed = 0;
        for (uint32_t i = 0; i < n; ++i) removed += order[i] == KG_ORDER_REMOVED ? 1u : 0u;
        block->count = n - removed + block->inserted_count;
        if (removed || block->inserted_count) block->assign_offset = 0;
    }
}

/* Drop empty blocks; place the others in the order. */
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

/* The remaining and inserted contacts of a block, ascending. */
static uint32_t *gather_items(const order_reuse *k, const block_update *block)
{
    const uint32_t *order = old_order(k->world->contact, block);
    uint32_t count = 0, n = old_count(k->world->contact, block),
             *items = k->gathered.values + block->assign_offset;
    uint64_t *keys = k->gathered.keys + block->assign_offset;
    for (uint32_t i = 0; i < n; ++i) {
        if (order[i] != KG_ORDER_REMOVED) items[count++] = order[i] & KG_ORDER_ITEM_MASK;
    }
    for (uint32_t i = 0; i < block->inserted_count; ++i)
        items[count++] = k->inserted.values[block->first_inserted + i];
    for (uint32_t i = 0; i < count; ++i) keys[i] = items[i];
    kg_sort_u64(keys, items, k->gathered.key_scratch + block->assign_offset,
                k->gathered.value_scratch + block->assign_offset, count);
    return items;
}

/* Write the order of a block: copied or assigned again. */
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
        assignment.window = block->block.first; /* a block needs at most one window per contact */
        block->block.used_groups = kg_contact_assign_groups(
            k->world, &assignment, gather_items(k, block), block->count, to);
    }
    *to = index ? *to & ~KG_ORDER_COLOUR_START : *to | KG_ORDER_COLOUR_START;
}

/* Prepare the assignment: no body is in a window. */
static void clear_bodies(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_assignment_body *bodies = (kg_assignment_body *)(void *)world->contact->bodies;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) bodies[i].window = world->bodies.mass[i] > 0 ? 0 : KG_NONE;
}

/* Write the new order colour by colour: blocks of one colour share no movable body. */
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

/* Groups to reserve for a reassigned block. A few spare ones in large blocks avoid moving the
 * groups of all later blocks when contacts begin. */
static uint32_t group_capacity(uint32_t groups, uint32_t capacity)
{
    enum { SPARE = 16 }; /* one in so many */
    uint32_t spare = groups / SPARE;
    return groups <= capacity && capacity <= groups + 2 * spare ? capacity : groups + spare;
}

/* Place the groups of all blocks. */
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

/* Move the groups of kept blocks: upwards from the last, then downwards from the first, so that
 * none is overwritten. */
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

/* Set the spans of the groups [first_group, to) of a reassigned block. */
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

/* Update the groups of some blocks: shift the spans of kept ones, fill the others. */
static void update_blocks(void *context, uint32_t index)
{
    const order_reuse *k = context;
    kg_contact_stage *stage = k->world->contact;
    uint32_t end = kg_range_end(index, BLOCKS_PER_TASK, k->block_count);
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

static bool reuse_order(order_reuse *k)
{
    kugel_world *world = k->world;
    kg_contact_stage *stage = world->contact;
    if (!kg_solver_bodies_reserve(world) ||
        !kg_sort_take(&world->memory, &world->scratch, k->limit, &k->inserted))
        return false;
    kg_for_bodies(world, change_block_range, 0);
    stage->supported[world->bodies.count] = 0; /* the immovable body */
    if (stage->any_block_without_key || !find_inserted(world, k)) return true;
    sort_inserted(world, k);
    if (!KG_TAKE(world, k->blocks, stage->block_count + k->count)) return false;
    merge_blocks(k);
    kg_for_ranges(world, (k->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK, count_contacts,
                  k);
    place_blocks(k);
    if (k->block_count == 0) return true;
    if (!take_assignment(k)) return false;
    write_order(k);
    place_groups(k);
    stage->order_reused = true;
    return apply_reuse(world, k);
}

bool kg_contact_order_reuse(kugel_world *world)
{
    enum { FEW = 8 }; /* more inserted contacts than this part: order all again */
    kg_contact_stage *stage = world->contact;
    order_reuse k = {.world = world, .limit = stage->previous_count / FEW + 64};
    stage->order_reused = stage->any_block_changed = stage->any_block_without_key = false;
    if (!can_reuse(world) || stage->begun_count > k.limit) return true;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    bool ok = reuse_order(&k);
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return ok;
}
