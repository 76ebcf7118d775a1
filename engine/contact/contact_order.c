/* The order in which the contacts of a tick's start are solved: by colour of their block, block and
 * group. It is a pure function of the state. Contacts that begin in the tick are appended as they
 * begin, and are solved last and serially (contact_groups.c). The next tick, or an earlier rebuild
 * of the groups (rebuild_groups), gives them their place in the order. Only blocks with begun,
 * ended or moved contacts are assigned to groups again; after large changes all blocks are.
 * In: contacts, positions; order, blocks and groups of the last tick. Out: those of this tick,
 * task ranges. Cost: proportional to the change, and a copy of the order; else a radix sort. See
 * tools/docs/decisions/21-contact-order-reuse.md. */
#include "contact/contact_order.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/tasks.h"

enum { BLOCKS_PER_TASK = 32 };

/* A block in the new order and in the old one. */
typedef struct block_update {
    kg_contact_block now, old;               /* old: zero for a new block */
    uint32_t first_inserted, inserted_count; /* its inserted contacts */
    bool reassigned; /* true when its contacts are assigned to groups again */
} block_update;

/* Arrays in scratch memory. */
typedef struct order_update {
    kugel_world *world;
    kg_inserted_contacts inserted;
    block_update *blocks;
    uint32_t block_count, group_count;
    uint32_t largest; /* largest number of contacts of a reassigned block */
    uint32_t tasks; /* tasks for the blocks of a colour, each with scratch for `largest` contacts */
    kg_sort_arrays gathered; /* items of a reassigned block, as keys and values */
    kg_group_assignment assignment;
    uint32_t first, end; /* blocks of a colour */
    uint32_t *order;     /* the new order */
} order_update;

/* True when contacts are so few that they are ordered by their keys alone, as one block. Then a
 * mirror image of the world is solved in the same order, since its bodies have the same ids. */
static bool has_one_block(const kugel_world *world)
{
    return kg_contact_awake_count(world) <= KG_SWEEPS_FEW_CONTACTS;
}

/* True when slots, masses, radii, materials and surfaces are those of the last tick, and no contact
 * sleeps or slept. If rows change over ranks, the world has no contacts and so no blocks. */
static bool can_reuse(const kugel_world *world, uint32_t asleep_before)
{
    const kg_contact_stage *stage = world->contact;
    return kg_neighbours_valid(world) && !world->materials_changed && stage->block_count &&
           !stage->asleep_count && !asleep_before && stage->one_block == has_one_block(world);
}

/* Sort the inserted contacts by key and take memory for the blocks. */
static bool take_blocks(order_update *u)
{
    uint32_t keys = 0;
    kg_sort(&u->inserted.arrays, u->inserted.count);
    for (uint32_t i = 0; i < u->inserted.count; ++i)
        keys += !i || u->inserted.arrays.keys[i] != u->inserted.arrays.keys[i - 1];
    return KG_TAKE(u->world, u->blocks, u->world->contact->block_count + keys);
}

/* Number of contacts of a block that are removed. */
static uint32_t count_removed(const kg_contact_stage *stage, const kg_contact_block *block)
{
    uint32_t removed = 0;
    for (uint32_t k = 0; k < block->count; ++k)
        removed += stage->order[block->first + k] == KG_ORDER_REMOVED ? 1u : 0u;
    return removed;
}

/* Merge the old blocks with those of the inserted contacts, by key. Drop empty blocks. */
static void merge_blocks(order_update *u)
{
    const kg_contact_stage *stage = u->world->contact;
    for (uint32_t b = 0, i = 0, first = 0; b < stage->block_count || i < u->inserted.count;) {
        uint64_t old_key = b < stage->block_count ? stage->blocks[b].key : UINT64_MAX;
        block_update block = {.now = {.key = old_key, .first = first}, .first_inserted = i};
        if (i < u->inserted.count && u->inserted.arrays.keys[i] < old_key)
            block.now.key = u->inserted.arrays.keys[i];
        else block.old = stage->blocks[b++];
        while (i < u->inserted.count && u->inserted.arrays.keys[i] == block.now.key) ++i;
        block.inserted_count = i - block.first_inserted;
        uint32_t removed = count_removed(stage, &block.old);
        block.now.count = block.old.count - removed + block.inserted_count;
        block.reassigned = removed || block.inserted_count;
        if (block.reassigned && block.now.count > u->largest) u->largest = block.now.count;
        if (block.now.count) u->blocks[u->block_count++] = block;
        first += block.now.count;
    }
}

/* Gather the remaining and inserted contacts of a block in `gathered`, ascending. */
static const uint32_t *gather_items(const order_update *u, const block_update *block,
                                    kg_sort_arrays *gathered)
{
    const uint32_t *order = u->world->contact->order + block->old.first;
    uint32_t count = 0, *items = gathered->values;
    for (uint32_t i = 0; i < block->old.count; ++i) {
        if (order[i] != KG_ORDER_REMOVED) items[count++] = order[i] & KG_ORDER_ITEM_MASK;
    }
    for (uint32_t i = 0; i < block->inserted_count; ++i)
        items[count++] = u->inserted.arrays.values[block->first_inserted + i];
    for (uint32_t i = 0; i < count; ++i) gathered->keys[i] = items[i];
    kg_sort(gathered, count);
    return items;
}

/* Write the new order of a task's share of the blocks of a colour. Blocks of one colour share no
 * movable body. */
static void write_order(void *context, uint32_t task)
{
    const order_update *u = context;
    uint32_t blocks = u->end - u->first, share = (blocks + u->tasks - 1) / u->tasks;
    size_t own = (size_t)task * u->largest;
    const kg_sort_arrays *s = &u->gathered;
    kg_sort_arrays gathered = {s->keys + own, s->key_scratch + own, s->values + own,
                               s->value_scratch + own};
    kg_group_assignment a = u->assignment;
    a.group += own, a.next += own, a.filled += own;
    for (uint32_t k = task * share; k < (task + 1) * share && k < blocks; ++k) {
        block_update *block = &u->blocks[u->first + k];
        uint32_t *to = u->order + block->now.first, count = block->now.count;
        block->now.group_count = block->old.group_count;
        if (block->reassigned) {
            const uint32_t *items = gather_items(u, block, &gathered);
            /* no other block uses this and the next numbers, since each batch has a contact */
            a.batch = block->now.first;
            kg_contact_assign_groups(u->world, &a, items, count, to);
            block->now.group_count = kg_contact_groups_count(to, count);
        } else memcpy(to, u->world->contact->order + block->old.first, count * sizeof *to);
        if (k) *to &= ~KG_ORDER_COLOUR_START;
        else *to |= KG_ORDER_COLOUR_START;
    }
}

/* Write the new order colour by colour, and count the groups of the blocks. */
static void write_colours(order_update *u)
{
    const kg_contact_stage *stage = u->world->contact;
    for (u->first = 0; u->first < u->block_count; u->first = u->end) {
        uint64_t colour = kg_contact_block_colour(stage, u->blocks[u->first].now.key);
        u->end = u->first + 1;
        while (u->end < u->block_count &&
               kg_contact_block_colour(stage, u->blocks[u->end].now.key) == colour)
            u->end += 1;
        kg_for_ranges(u->world, u->tasks, write_order, u);
    }
    for (uint32_t b = 0; b < u->block_count; ++b) {
        u->blocks[b].now.first_group = u->group_count;
        u->group_count += u->blocks[b].now.group_count;
    }
}

static bool order_blocks(order_update *u)
{
    kugel_world *world = u->world;
    kg_group_assignment *a = &u->assignment;
    uint32_t count = world->work.contacts.count, threads = kg_tasks_concurrency(world->tasks);
    if (!take_blocks(u)) return false;
    merge_blocks(u);
    u->tasks = u->largest ? count / u->largest : 1;
    u->tasks = u->tasks < threads ? u->tasks : threads;
    size_t scratch = (size_t)u->tasks * u->largest;
    a->bodies = kg_contact_assignment_bodies(world->contact);
    if (!KG_TAKE(world, u->order, count) ||
        !kg_sort_take(&world->memory, &world->scratch, scratch, &u->gathered) ||
        !KG_TAKE(world, a->group, scratch) || !KG_TAKE(world, a->next, scratch) ||
        !KG_TAKE(world, a->filled, scratch))
        return false;
    write_colours(u);
    return true;
}

static void move_groups(kg_contact_stage *stage, const block_update *block)
{
    uint32_t from = block->old.first_group, to = block->now.first_group, n = block->now.group_count;
    memmove(&stage->groups[to], &stage->groups[from], n * sizeof *stage->groups);
    memmove(&stage->group_info[to], &stage->group_info[from], n * sizeof *stage->group_info);
    if (stage->rolling)
        memmove(&stage->rolling[to], &stage->rolling[from], n * sizeof *stage->rolling);
    if (stage->locks) memmove(&stage->locks[to], &stage->locks[from], n * sizeof *stage->locks);
}

/* Move the groups of kept blocks: upwards from the last, then downwards from the first, so that
 * none is overwritten. */
static void move_blocks(const order_update *u)
{
    for (uint32_t b = u->block_count; b-- > 0;) {
        const block_update *block = &u->blocks[b];
        if (!block->reassigned && block->now.first_group > block->old.first_group)
            move_groups(u->world->contact, block);
    }
    for (uint32_t b = 0; b < u->block_count; ++b) {
        const block_update *block = &u->blocks[b];
        if (!block->reassigned && block->now.first_group < block->old.first_group)
            move_groups(u->world->contact, block);
    }
}

/* Update the groups of some blocks: shift the spans of kept ones, fill the others. */
static void update_block_groups(void *context, uint32_t index)
{
    const order_update *u = context;
    kg_contact_stage *stage = u->world->contact;
    uint32_t end = kg_range_end(index, BLOCKS_PER_TASK, u->block_count);
    for (uint32_t b = index * BLOCKS_PER_TASK; b < end; ++b) {
        const block_update *block = &u->blocks[b];
        uint32_t first_group = block->now.first_group;
        if (block->reassigned) {
            kg_contact_groups_set_spans(u->world, first_group, block->now.first, block->now.count);
            kg_contact_groups_fill(u->world, first_group, first_group + block->now.group_count);
        } else {
            for (uint32_t g = first_group; g < first_group + block->now.group_count; ++g)
                stage->group_info[g].first += block->now.first - block->old.first;
        }
    }
}

/* Append the contacts of sleeping bodies to the order. */
static void append_asleep(const kugel_world *world)
{
    const kg_contact_set *set = &world->work.contacts;
    uint32_t at = kg_contact_awake_count(world);
    for (uint32_t k = 0; k < set->count && at < set->count; ++k) {
        if (kg_contact_is_asleep(world, &set->items[k])) world->contact->order[at++] = k;
    }
}

/* Make groups, blocks and task ranges of the new order. */
static bool apply_order(order_update *u)
{
    kugel_world *world = u->world;
    kg_contact_stage *stage = world->contact;
    stage->group_count = stage->ranged_group_count;
    if (!kg_contact_groups_reserve(world, u->group_count) ||
        !kg_contact_reserve_task_ranges(world, u->group_count) ||
        !KG_RESERVE(&world->memory, &stage->columns[KG_CONTACT_COLUMN_BLOCKS], stage->blocks,
                    u->block_count, 0))
        return false;
    move_blocks(u);
    stage->ordered_count = world->work.contacts.count;
    memcpy(stage->order, u->order, kg_contact_awake_count(world) * sizeof *stage->order);
    append_asleep(world);
    kg_for_ranges(world, (u->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK,
                  update_block_groups, u);
    stage->block_count = u->block_count;
    for (uint32_t b = 0; b < u->block_count; ++b) {
        stage->blocks[b] = u->blocks[b].now;
        kg_contact_note_task_range(stage, stage->blocks[b].first_group,
                                   stage->order[stage->blocks[b].first]);
    }
    stage->group_count = stage->ranged_group_count = u->group_count;
    kg_contact_groups_note_load(world, 0);
    return true;
}

/* True when masses differ so much that a contact may carry a large load. */
static bool has_unlike_masses(const kugel_world *world)
{
    double least = (double)INFINITY, most = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        double mass = world->bodies.mass[i];
        least = mass > 0 && mass < least ? mass : least;
        most = mass > most ? mass : most;
    }
    return most > KG_SWEEPS_NORMAL_LOAD * least;
}

static void note_sizes(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    kg_radii radii = kg_bodies_radii(&world->bodies);
    stage->has_unlike_masses = has_unlike_masses(world);
    stage->largest_radius = radii.largest;
    stage->block_radius = kg_contact_block_radius(&world->bodies, world->work.sleep_state);
    stage->smallest_radius = radii.smallest;
}

/* Start without an order of the last tick. Masses and radii are noted again if the neighbours are
 * not valid, a call changed a mass, or some contact sleeps or slept; else those of awake bodies
 * cannot have changed.
 * (Over ranks rows change only in worlds without contacts.) */
static bool start_anew(kugel_world *world, uint32_t asleep_before)
{
    kg_contact_stage *stage = world->contact;
    if (!kg_neighbours_valid(world) || world->materials_changed || stage->asleep_count ||
        asleep_before)
        note_sizes(world);
    stage->block_count = stage->group_count = stage->ordered_count = 0;
    return kg_contact_reserve_task_ranges(world, 0);
}

static uint32_t count_asleep(const kugel_world *world)
{
    const kg_contact_set *set = &world->work.contacts;
    uint32_t asleep = 0;
    bool any = false;
    for (uint32_t i = 0; i < world->bodies.count && !any; ++i)
        any = world->work.sleep_state[i] == KG_ASLEEP;
    if (!any) return 0;
    for (uint32_t k = 0; k < set->count; ++k) asleep += kg_contact_is_asleep(world, &set->items[k]);
    return asleep;
}

bool kg_contact_order_update(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    order_update u = {.world = world, .inserted = {.world = world}};
    uint32_t asleep_before = stage->asleep_count;
    stage->asleep_count = count_asleep(world);
    bool any = world->work.contacts.count, reuse = any && can_reuse(world, asleep_before);
    stage->order_reused = false;
    stage->one_block = has_one_block(world);
    if (any && (!kg_solver_bodies_reserve(world) ||
                !kg_contact_groups_reserve_order(world, world->work.contacts.count)))
        return false;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    bool ok = !reuse || kg_contact_insert_changed(&u.inserted);
    if (ok && !stage->order_reused) {
        kg_scratch_release(&world->memory, &world->scratch, mark);
        ok = start_anew(world, asleep_before) && (!any || kg_contact_insert_all(&u.inserted));
    }
    ok = ok && (!any || (order_blocks(&u) && apply_order(&u)));
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return ok;
}
