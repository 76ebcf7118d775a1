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

static uint64_t block_key(const kugel_world *world, const kg_lattice *lattice, const kg_contact *c)
{
    const kg_motion *motion = world->work.motion;
    const double *xa = motion[world->bodies.slot[c->a]].x;
    const double *xb = c->other == KG_OTHER_BODY ? motion[world->bodies.slot[c->b]].x : xa;
    int32_t block[3];
    uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t p = kg_lattice_cell(lattice, axis, xa[axis]) >> KG_BLOCK_SHIFT;
        int32_t q = kg_lattice_cell(lattice, axis, xb[axis]) >> KG_BLOCK_SHIFT;
        block[axis] = lower_block(lattice, axis, p, q);
    }
    for (int axis = 2; axis >= 0; --axis) key = key << 19 | ((uint32_t)block[axis] & 0x7ffffu);
    return key | (uint64_t)kg_lattice_colour(lattice, block) << 57;
}

static uint64_t id_key(const kg_contact *c)
{
    /* boundaries of a body come after its pairs: their numbers take the top of the range */
    uint32_t b = c->other == KG_OTHER_BODY ? c->b : 0xffffff00u | c->other;
    return (uint64_t)c->a << 32 | b;
}

/* Scratch of the arrangement, where the groups will be. */
typedef struct scratch {
    uint64_t *keys, *key_scratch;
    uint32_t *order, *order_scratch;
    kg_contact *sorted;
} scratch;

static bool get_scratch(kugel_world *world, size_t n, scratch *s)
{
    kg_contact_stage *stage = world->contact;
    kg_column *groups = &stage->columns[0], *last = &stage->columns[KG_CONTACT_COLUMN_LAST];
    size_t each = 2 * (sizeof *s->keys + sizeof *s->order) + sizeof *s->sorted;
    if (!kg_column_reserve(&world->memory, groups, sizeof *stage->groups, n * each / sizeof *stage->groups + 1, 0) ||
        !kg_column_reserve(&world->memory, last, sizeof *stage->last, world->bodies.count, 0)) {
        return false;
    }
    stage->last = last->data;
    s->keys = groups->data;
    s->key_scratch = s->keys + n;
    s->order = (uint32_t *)(void *)(s->key_scratch + n);
    s->order_scratch = s->order + n;
    s->sorted = (kg_contact *)(void *)(s->order_scratch + n);
    return true;
}

/* Contacts of one block, in their order, each into the first group with room after every group that has
 * a body of its. The group of each becomes its key. Returns the end of the groups. */
static uint32_t group_block(const kugel_world *world, uint32_t first_group, const scratch *s, size_t from, size_t to,
                            uint8_t *filled)
{
    uint32_t *last = world->contact->last, end = first_group, open = first_group;
    for (size_t i = from; i < to; ++i) {
        const kg_contact *c = &world->work.contacts.items[s->order[i]];
        uint32_t slot[2] = {world->bodies.slot[c->a], c->other == KG_OTHER_BODY ? world->bodies.slot[c->b] : KG_NONE};
        uint32_t group = open;
        for (int k = 0; k < 2; ++k) {
            if (slot[k] != KG_NONE && world->bodies.mass[slot[k]] > 0 && last[slot[k]] > group) group = last[slot[k]];
        }
        while (group < end && filled[group - first_group] == KG_LANES) group += 1;
        if (group >= end) filled[end++ - first_group] = 0;
        filled[group - first_group] += 1;
        while (open < end && filled[open - first_group] == KG_LANES) open += 1;
        for (int k = 0; k < 2; ++k) {
            if (slot[k] != KG_NONE) last[slot[k]] = group + 1;
        }
        s->keys[i] = group;
    }
    return end;
}

bool kg_contact_arrange(kugel_world *world)
{
    kg_contact_set *set = &world->work.contacts;
    size_t n = set->count;
    kg_contact *items = set->items;
    scratch s;
    if (n == 0) return true;
    if (!get_scratch(world, n, &s)) return false;
    double edge = KG_CONTACT_CELL * kg_bodies_largest_radius(&world->bodies);
    kg_lattice lattice = kg_lattice_make(&world->def.bounds, edge);
    for (size_t i = 0; i < n; ++i) {
        s.order[i] = (uint32_t)i;
        s.keys[i] = id_key(&items[i]);
    }
    kg_sort_u64(s.keys, s.order, s.key_scratch, s.order_scratch, n);
    for (size_t i = 0; i < n; ++i) s.keys[i] = block_key(world, &lattice, &items[s.order[i]]);
    kg_sort_u64(s.keys, s.order, s.key_scratch, s.order_scratch, n);
    memset(world->contact->last, 0, world->bodies.count * sizeof *world->contact->last);
    uint32_t group = 0;
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && s.keys[to] == s.keys[from]; ++to) {}
        /* at most one group a contact; the sorted contacts are not there yet */
        group = group_block(world, group, &s, from, to, (uint8_t *)(void *)s.sorted);
    }
    kg_sort_u64(s.keys, s.order, s.key_scratch, s.order_scratch, n);
    for (size_t i = 0; i < n; ++i) {
        s.sorted[i] = items[s.order[i]];
        s.sorted[i].leads = i == 0 || s.keys[i] != s.keys[i - 1] ? KG_ORDERED | KG_LEADS : KG_ORDERED;
    }
    memcpy(items, s.sorted, n * sizeof *items);
    return true;
}
