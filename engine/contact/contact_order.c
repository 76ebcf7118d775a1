/* The order in which contacts are solved: by colour of their block, block and group.
 * In: contacts, positions. Out: stage->order, stage->blocks. Cost: a radix sort. The order is a
 * pure function of the state. */
#include "base/sort.h"
#include "contact/contact_order.h"

/* Find the block of each body, and as few bits as coordinates need: fewer bits sort faster. Blocks
 * 2^19 apart may share a key, which costs time only. */
static void find_body_blocks(kugel_world *world, kg_assignment_body *bodies)
{
    kg_contact_stage *stage = world->contact;
    const uint32_t *contacts = world->work.contact_count;
    int32_t high[3];
    stage->lattice =
        kg_lattice_make(&world->def.bounds, KG_CONTACT_CELL_EDGE * stage->largest_radius);
    for (int axis = 0; axis < 3; ++axis)
        stage->block_min[axis] = INT32_MAX, high[axis] = INT32_MIN, stage->block_bits[axis] = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        int32_t *block = stage->body_block[i];
        block[0] = INT32_MIN; /* no block */
        if (!contacts[i]) continue;
        bodies[i].window = world->bodies.mass[i] > 0 ? 0 : KG_NONE;
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
        if (contacts[i]) bodies[i].key = kg_contact_block_key(stage, stage->body_block[i]);
    }
}

static uint64_t key_of(const kugel_world *world, const kg_assignment_body *bodies,
                       const kg_contact *c)
{
    uint32_t a = kg_contact_first_slot(world, c), b = kg_contact_second_slot(world, c);
    if (bodies[a].key == bodies[b].key) return bodies[a].key;
    return kg_contact_block_pair_key(world->contact, world->contact->body_block[a],
                                     world->contact->body_block[b]);
}

static bool note_block(kugel_world *world, kg_contact_block block)
{
    kg_contact_stage *stage = world->contact;
    size_t n = (size_t)stage->block_count + 1;
    if (!kg_column_reserve(&world->memory, &stage->columns[KG_CONTACT_COLUMN_BLOCKS],
                           sizeof *stage->blocks, n, stage->block_count))
        return false;
    stage->blocks = stage->columns[KG_CONTACT_COLUMN_BLOCKS].data;
    stage->blocks[stage->block_count++] = block;
    return true;
}

/* Take the arrays of the sort and of the assignment, which lasts to the end of the build. Returns
 * false when out of memory. */
static bool take_arrays(kugel_world *world, size_t n, kg_sort_arrays *s, kg_group_assignment *a)
{
    /* the solver's bodies are not in use yet */
    *a = (kg_group_assignment){.bodies = (kg_assignment_body *)(void *)world->contact->bodies};
    return kg_sort_take(&world->memory, &world->scratch, n, s) && KG_TAKE(world, a->group, n) &&
           KG_TAKE(world, a->next, n) && KG_TAKE(world, a->filled, n);
}

/* The contacts' items and the keys of their blocks, by key. */
static void sort_contacts(kugel_world *world, kg_assignment_body *bodies, kg_sort_arrays *s)
{
    const kg_contact_set *set = &world->work.contacts;
    find_body_blocks(world, bodies);
    for (uint32_t i = 0; i < set->count; ++i) {
        s->values[i] = i;
        s->keys[i] = key_of(world, bodies, &set->items[i]);
    }
    kg_sort(s, set->count);
}

static bool order_contacts(kugel_world *world, const kg_sort_arrays *s, kg_group_assignment *a)
{
    kg_contact_stage *stage = world->contact;
    size_t n = world->work.contacts.count;
    uint64_t colour = UINT64_MAX;
    uint32_t groups = 0;
    for (size_t from = 0, to; from < n; from = to) {
        uint64_t key = s->keys[from], previous_colour = colour;
        for (to = from + 1; to < n && s->keys[to] == key; ++to) {}
        uint32_t used =
            kg_contact_assign_groups(world, a, &s->values[from], to - from, &stage->order[from]);
        if (!note_block(world, (kg_contact_block){key, (uint32_t)from, groups, used})) return false;
        groups += used;
        colour = kg_contact_block_colour(stage, key);
        if (colour != previous_colour) stage->order[from] |= KG_ORDER_COLOUR_START;
    }
    return true;
}

bool kg_contact_order_build(kugel_world *world)
{
    size_t n = world->work.contacts.count;
    kg_sort_arrays s;
    kg_group_assignment a;
    world->contact->block_count = 0;
    if (n == 0) return true;
    if (!kg_solver_bodies_reserve(world) || !kg_contact_groups_reserve_order(world, n))
        return false;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    bool ok = take_arrays(world, n, &s, &a);
    if (ok) sort_contacts(world, a.bodies, &s);
    ok = ok && order_contacts(world, &s, &a);
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return ok;
}

void kg_contact_sort_by_key(kg_contact *items, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t k = gap; k < count; ++k) {
            kg_contact c = items[k];
            uint32_t at = k;
            for (; at >= gap && kg_contact_set_key(&c) < kg_contact_set_key(&items[at - gap]);
                 at -= gap)
                items[at] = items[at - gap];
            items[at] = c;
        }
    }
}
