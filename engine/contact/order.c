/* The order in which contacts are solved: by the colour of their block, block, group; within a block
 * groups are filled in the order of the ids. Blocks are those of a lattice that depends on the bodies'
 * radii alone; a contact belongs to the block with the smallest coordinates that its bodies lie in, so
 * two blocks of one colour share no body. A pure function of the state at the time of arranging. */
#include <string.h>

#include "base/sort.h"
#include "contact/contact.h"

/* The lower block of two along a periodic axis is the one the other follows, also across the face. */
static int32_t lower_block(const kg_lattice *lattice, int axis, int32_t p, int32_t q)
{
    int32_t low = p < q ? p : q, high = p < q ? q : p;
    return lattice->count[axis] && high - low > 1 ? high : low;
}

/* Blocks of the lattice that contacts lie in. */
typedef struct range {
    kg_lattice lattice;
    int32_t low[3];
    int bits[3]; /* of the coordinates above low */
} range;

static void block_of(const kugel_world *world, const kg_lattice *lattice, const kg_contact *c, int32_t block[3])
{
    const kg_motion *motion = world->work.motion;
    const double *xa = motion[world->bodies.slot[c->a]].x;
    const double *xb = c->other == KG_OTHER_BODY ? motion[world->bodies.slot[c->b]].x : xa;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t p = kg_lattice_cell(lattice, axis, xa[axis]) >> KG_BLOCK_SHIFT;
        int32_t q = kg_lattice_cell(lattice, axis, xb[axis]) >> KG_BLOCK_SHIFT;
        block[axis] = lower_block(lattice, axis, p, q);
    }
}

/* Few bits make short work of sorting; blocks 2^19 apart would share a key, which is slower, not wrong. */
static range range_of(const kugel_world *world)
{
    const kg_contact_set *set = &world->work.contacts;
    range r = {.lattice = kg_lattice_make(&world->def.bounds, KG_CONTACT_CELL * kg_bodies_largest_radius(&world->bodies))};
    int32_t high[3];
    for (int axis = 0; axis < 3; ++axis) r.low[axis] = INT32_MAX, high[axis] = INT32_MIN;
    for (uint32_t k = 0; k < set->count; ++k) {
        int32_t block[3];
        block_of(world, &r.lattice, &set->items[k], block);
        for (int axis = 0; axis < 3; ++axis) {
            r.low[axis] = block[axis] < r.low[axis] ? block[axis] : r.low[axis];
            high[axis] = block[axis] > high[axis] ? block[axis] : high[axis];
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        while (r.bits[axis] < 19 && (uint32_t)(high[axis] - r.low[axis]) >> r.bits[axis]) r.bits[axis] += 1;
    }
    return r;
}

static uint64_t block_key(const kugel_world *world, const range *r, const kg_contact *c)
{
    int32_t block[3];
    block_of(world, &r->lattice, c, block);
    uint64_t key = kg_lattice_colour(&r->lattice, block);
    for (int axis = 2; axis >= 0; --axis) {
        uint32_t place = (uint32_t)block[axis] - (uint32_t)r->low[axis];
        key = key << r->bits[axis] | (place & ((1u << r->bits[axis]) - 1));
    }
    return key;
}

/* Scratch of the arrangement, where the groups will be. */
typedef struct scratch {
    uint64_t *keys, *key_scratch;
    uint32_t *order, *order_scratch;
    uint8_t *filled;
} scratch;

static bool get_scratch(kugel_world *world, size_t n, scratch *s)
{
    kg_contact_stage *stage = world->contact;
    kg_column *groups = &stage->columns[KG_CONTACT_COLUMN_GROUPS], *last = &stage->columns[KG_CONTACT_COLUMN_LAST];
    size_t each = 2 * sizeof *s->keys + sizeof *s->order + sizeof *s->filled;
    if (!kg_column_reserve(&world->memory, groups, sizeof *stage->groups, n * each / sizeof *stage->groups + 1, 0) ||
        !kg_column_reserve(&world->memory, last, sizeof *stage->last, world->bodies.count, 0) ||
        !kg_contact_reserve_order(world, n)) {
        return false;
    }
    stage->last = last->data;
    s->keys = groups->data;
    s->key_scratch = s->keys + n;
    s->order_scratch = (uint32_t *)(void *)(s->key_scratch + n);
    s->filled = (uint8_t *)(void *)(s->order_scratch + n);
    s->order = stage->order;
    return true;
}

/* Contacts of one block, in their order, each into the first group with room after every group that has
 * a body of its. The group of each becomes its key. Returns the end of the groups. */
static uint32_t group_block(const kugel_world *world, uint32_t first_group, const scratch *s, size_t from, size_t to)
{
    uint32_t *last = world->contact->last, end = first_group, open = first_group;
    for (size_t i = from; i < to; ++i) {
        const kg_contact *c = &world->work.contacts.items[s->order[i]];
        uint32_t slot[2] = {world->bodies.slot[c->a], c->other == KG_OTHER_BODY ? world->bodies.slot[c->b] : KG_NONE};
        uint32_t group = open;
        for (int k = 0; k < 2; ++k) {
            if (slot[k] != KG_NONE && world->bodies.mass[slot[k]] > 0 && last[slot[k]] > group) group = last[slot[k]];
        }
        while (group < end && s->filled[group - first_group] == KG_LANES) group += 1;
        if (group >= end) s->filled[end++ - first_group] = 0;
        s->filled[group - first_group] += 1;
        while (open < end && s->filled[open - first_group] == KG_LANES) open += 1;
        for (int k = 0; k < 2; ++k) {
            if (slot[k] != KG_NONE) last[slot[k]] = group + 1;
        }
        s->keys[i] = group;
    }
    return end;
}

bool kg_contact_arrange(kugel_world *world)
{
    const kg_contact_set *set = &world->work.contacts;
    size_t n = set->count;
    scratch s;
    if (n == 0) return true;
    if (!get_scratch(world, n, &s)) return false;
    range r = range_of(world);
    for (size_t i = 0; i < n; ++i) {
        s.order[i] = (uint32_t)i;
        s.keys[i] = block_key(world, &r, &set->items[i]);
    }
    kg_sort_u64(s.keys, s.order, s.key_scratch, s.order_scratch, n);
    memset(world->contact->last, 0, world->bodies.count * sizeof *world->contact->last);
    uint32_t group = 0;
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && s.keys[to] == s.keys[from]; ++to) {}
        group = group_block(world, group, &s, from, to);
    }
    kg_sort_u64(s.keys, s.order, s.key_scratch, s.order_scratch, n);
    for (size_t i = 0; i < n; ++i) {
        if (i == 0 || s.keys[i] != s.keys[i - 1]) s.order[i] |= KG_CONTACT_LEADS;
    }
    return true;
}

void kg_contact_sort_new(kg_contact *items, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t k = gap; k < count; ++k) {
            kg_contact c = items[k];
            uint32_t at = k;
            for (; at >= gap && kg_contact_key(&c) < kg_contact_key(&items[at - gap]); at -= gap) items[at] = items[at - gap];
            items[at] = c;
        }
    }
}
