/* Collects the contacts that need a new place in the order of a tick: all contacts, or only those
 * that began and those of bodies that changed block.
 * In: contacts, positions; order, groups and blocks of bodies of the last tick. Out: keys of their
 * blocks and their items, in any order; they are removed from the old order. Cost: a pass over the
 * bodies, and the groups if a body changed block. */
#include "base/compiler.h"
#include "contact/contact_order.h"

#include <string.h>

#include "base/tasks.h"

enum { GROUPS_PER_TASK = 512 };

/* True for a body that is too large for the cells of blocks. */
static bool is_large(const kugel_world *world, uint32_t slot)
{
    return world->bodies.radius[slot] > world->contact->block_radius;
}

/* Find the block of each body in contact, and the number of bits of a key that each block
 * coordinate needs, since short keys sort faster. Blocks 2^19 apart may share a key, which costs
 * only time. */
static void find_body_blocks(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    kg_assignment_body *bodies = kg_contact_assignment_bodies(stage);
    const uint32_t *contacts = world->work.contact_count;
    int32_t high[3];
    stage->lattice =
        kg_lattice_make(&world->def.bounds, KG_CONTACT_CELL_EDGE * stage->block_radius);
    for (int axis = 0; axis < 3; ++axis)
        stage->block_min[axis] = INT32_MAX, high[axis] = INT32_MIN, stage->block_bits[axis] = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        int32_t *block = stage->body_block[i];
        block[0] = INT32_MIN; /* no block */
        if (!contacts[i]) continue;
        bodies[i].batch = world->bodies.mass[i] > 0 ? 0 : KG_NONE;
        kg_contact_find_block(stage, world->work.motion[i].x, block);
        for (int axis = 0; axis < 3; ++axis) {
            stage->block_min[axis] =
                block[axis] < stage->block_min[axis] ? block[axis] : stage->block_min[axis];
            high[axis] = block[axis] > high[axis] ? block[axis] : high[axis];
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        while (stage->block_bits[axis] < 19 &&
               (uint32_t)(high[axis] - stage->block_min[axis]) >> stage->block_bits[axis])
            stage->block_bits[axis] += 1;
    }
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (contacts[i])
            bodies[i].key = stage->one_block || is_large(world, i)
                                ? kg_contact_unblocked_key(stage)
                                : kg_contact_block_key(stage, stage->body_block[i]);
    }
}

/* Key of the block of a contact. Few contacts are all in the last block. Contacts of a large
 * movable body, and of two large bodies, are in the last block. A contact of a large immovable body
 * is in the block of the other body, since blocks of one colour may share immovable bodies. */
static uint64_t key_of(const kugel_world *world, const kg_contact *c)
{
    const kg_contact_stage *stage = world->contact;
    uint32_t a = kg_contact_first_slot(world, c), b = kg_contact_second_slot(world, c);
    const double *mass = world->bodies.mass;
    bool large_a = is_large(world, a), large_b = is_large(world, b);
    if (stage->one_block || (large_a && (large_b || mass[a] > 0)) || (large_b && mass[b] > 0))
        return kg_contact_unblocked_key(stage);
    return kg_contact_block_pair_key(stage, stage->body_block[large_a ? b : a],
                                     stage->body_block[large_b ? a : b]);
}

bool kg_contact_insert_all(kg_inserted_contacts *in)
{
    kugel_world *world = in->world;
    const kg_contact_set *set = &world->work.contacts;
    const kg_assignment_body *bodies = kg_contact_assignment_bodies(world->contact);
    if (!kg_sort_take(&world->memory, &world->scratch, set->count, &in->arrays)) return false;
    find_body_blocks(world);
    in->count = 0;
    for (uint32_t i = 0; i < set->count; ++i) {
        const kg_contact *c = &set->items[i];
        if (world->contact->asleep_count && kg_contact_is_asleep(world, c)) continue;
        uint64_t a = bodies[kg_contact_first_slot(world, c)].key,
                 b = bodies[kg_contact_second_slot(world, c)].key;
        in->arrays.values[in->count] = i;
        in->arrays.keys[in->count++] = a == b ? a : key_of(world, c);
    }
    return true;
}

/* Prepare the assignment. Mark the bodies in contact that changed block (stage->marks), and find
 * whether a block lies outside the range of keys. */
static void change_blocks(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_contact_stage *stage = world->contact;
    kg_assignment_body *bodies = kg_contact_assignment_bodies(stage);
    uint8_t *moved = stage->marks, any = 0;
    uint32_t beyond = 0;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) {
        int32_t now[3], *block = stage->body_block[i];
        bodies[i].batch = world->bodies.mass[i] > 0 ? 0 : KG_NONE;
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
    if (any) KG_ATOMIC_STORE(&stage->any_block_changed, true);
    if (beyond) KG_ATOMIC_STORE(&stage->any_block_without_key, true);
}

/* Collect the contacts of moved bodies in some groups, and remove them from the order. Their
 * sequence is arbitrary: they are sorted later. */
static void insert_moved(void *context, uint32_t index)
{
    kg_inserted_contacts *in = context;
    const kg_contact_stage *stage = in->world->contact;
    const uint8_t *moved = stage->marks;
    uint32_t end = kg_range_end(index, GROUPS_PER_TASK, stage->ranged_group_count);
    for (uint32_t i = index * GROUPS_PER_TASK; i < end; ++i) {
        const kg_contact_group *g = &stage->groups[i];
        const kg_contact_group_info *info = &stage->group_info[i];
        for (uint32_t lane = 0; lane < info->count; ++lane) {
            uint32_t *entry = &stage->order[info->first + lane];
            if ((!moved[g->a[lane]] && !moved[g->b[lane]]) || *entry == KG_ORDER_REMOVED) continue;
            uint32_t at = KG_ATOMIC_ADD(&in->count, 1) - 1;
            if (at < in->limit) in->arrays.values[at] = *entry & KG_ORDER_ITEM_MASK;
            *entry = KG_ORDER_REMOVED;
        }
    }
}

/* Collect begun contacts and those of moved bodies. Returns false when they are too many. */
static bool insert_changed(kg_inserted_contacts *in)
{
    const kugel_world *world = in->world;
    const kg_contact_stage *stage = world->contact;
    memcpy(in->arrays.values, &stage->order[stage->previous_count],
           stage->begun_count * sizeof *in->arrays.values);
    in->count = stage->begun_count;
    if (stage->any_block_changed)
        kg_for_ranges(world, (stage->ranged_group_count + GROUPS_PER_TASK - 1) / GROUPS_PER_TASK,
                      insert_moved, in);
    if (in->count > in->limit) return false;
    for (uint32_t i = 0; i < in->count; ++i) {
        const kg_contact *c = &world->work.contacts.items[in->arrays.values[i]];
        in->arrays.keys[i] = key_of(world, c);
    }
    return true;
}

bool kg_contact_insert_changed(kg_inserted_contacts *in)
{
    enum { FEW = 8 }; /* if more than about one contact in FEW is inserted, order all */
    kugel_world *world = in->world;
    kg_contact_stage *stage = world->contact;
    in->limit = stage->previous_count / FEW + 64;
    stage->any_block_changed = stage->any_block_without_key = false;
    if (stage->begun_count > in->limit) return true;
    if (!kg_sort_take(&world->memory, &world->scratch, in->limit, &in->arrays)) return false;
    kg_for_bodies(world, change_blocks, 0);
    stage->marks[world->bodies.count] = 0; /* the immovable body */
    stage->order_reused = !stage->any_block_without_key && insert_changed(in);
    return true;
}
