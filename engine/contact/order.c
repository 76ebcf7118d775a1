/* The order in which contacts are solved: by the colour of their block, block, group; within a block
 * groups are filled in the order of the ids. Blocks are those of a lattice that depends on the bodies'
 * radii alone; a contact belongs to the block with the smallest coordinates that its bodies lie in, so
 * two blocks of one colour share no body; contacts whose bodies are farther apart come last, as a colour of
 * their own. A pure function of the state at the time of arranging. */
#include <string.h>

#include "base/sort.h"
#include "contact/contact.h"

/* The lower block of two along a periodic axis is the one the other follows, also across the face. `apart` when
 * neither follows the other. */
static int32_t lower_block(const kg_lattice *lattice, int axis, int32_t p, int32_t q, bool *apart)
{
    int32_t low = p < q ? p : q, high = p < q ? q : p, count = lattice->count[axis];
    if (high - low <= 1) return low;
    *apart |= !count || low != 0 || high != (count - 1) >> KG_BLOCK_SHIFT;
    return count ? high : low;
}

/* A body while contacts are arranged, by slot. */
typedef struct place {
    int32_t block[3];
    uint32_t last; /* the last group that has it, plus 1; groups of all blocks count on */
} place;
_Static_assert(sizeof(place) <= sizeof(kg_contact_body), "places lie where the solver's bodies will be");

/* What the arrangement works with, where groups and bodies of the solver will be; the lattice, and the blocks
 * that bodies in contact lie in. */
typedef struct arrangement {
    place *places;
    uint64_t *keys, *key_scratch;
    uint32_t *order, *order_scratch;
    uint8_t *filled;
    kg_lattice lattice;
    int32_t low[3];
    int bits[3]; /* of the coordinates above low */
} arrangement;

static bool get_scratch(kugel_world *world, size_t n, arrangement *s)
{
    kg_contact_stage *stage = world->contact;
    kg_column *groups = &stage->columns[KG_CONTACT_COLUMN_GROUPS];
    size_t each = 2 * sizeof *s->keys + sizeof *s->order + sizeof *s->filled;
    if (!kg_column_reserve(&world->memory, groups, sizeof *stage->groups, n * each / sizeof *stage->groups + 1, 0) ||
        !kg_contact_reserve_bodies(world) || !kg_contact_reserve_order(world, n)) {
        return false;
    }
    s->places = (place *)(void *)stage->bodies;
    s->keys = groups->data;
    s->key_scratch = s->keys + n;
    s->order_scratch = (uint32_t *)(void *)(s->key_scratch + n);
    s->filled = (uint8_t *)(void *)(s->order_scratch + n);
    s->order = stage->order;
    return true;
}

/* Few bits make short work of sorting; blocks 2^19 apart would share a key, which is slower, not wrong. */
static void place_bodies(const kugel_world *world, arrangement *s)
{
    int32_t high[3];
    s->lattice = kg_lattice_make(&world->def.bounds, KG_CONTACT_CELL * world->contact->largest);
    for (int axis = 0; axis < 3; ++axis) s->low[axis] = INT32_MAX, high[axis] = INT32_MIN, s->bits[axis] = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!world->work.contact_count[i]) continue;
        place *p = &s->places[i];
        p->last = 0;
        for (int axis = 0; axis < 3; ++axis) {
            int32_t block = kg_lattice_cell(&s->lattice, axis, world->work.motion[i].x[axis]) >> KG_BLOCK_SHIFT;
            p->block[axis] = block;
            s->low[axis] = block < s->low[axis] ? block : s->low[axis];
            high[axis] = block > high[axis] ? block : high[axis];
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        while (s->bits[axis] < 19 && (uint32_t)(high[axis] - s->low[axis]) >> s->bits[axis]) s->bits[axis] += 1;
    }
}

static uint64_t block_key(const kugel_world *world, const arrangement *s, const kg_contact *c)
{
    const place *a = &s->places[world->bodies.slot[c->a]], *b = c->other == KG_OTHER_BODY ? &s->places[world->bodies.slot[c->b]] : a;
    int32_t block[3];
    bool apart = false; /* the bodies left each other in the tick before, at great speed */
    for (int axis = 0; axis < 3; ++axis) block[axis] = lower_block(&s->lattice, axis, a->block[axis], b->block[axis], &apart);
    if (apart) return (uint64_t)KG_COLOUR_ALONE << (s->bits[0] + s->bits[1] + s->bits[2]);
    uint64_t key = kg_lattice_colour(&s->lattice, block);
    for (int axis = 2; axis >= 0; --axis) {
        uint32_t at = (uint32_t)block[axis] - (uint32_t)s->low[axis];
        key = key << s->bits[axis] | (at & ((1u << s->bits[axis]) - 1));
    }
    return key;
}

/* Contacts of one block, in their order, each into the first group with room after every group that has
 * a body of its. The group of each, counted from the block's first, becomes its key. Returns how many. */
static uint32_t group_block(const kugel_world *world, const arrangement *s, uint32_t first, size_t from, size_t to)
{
    uint32_t end = 0, open = 0;
    for (size_t i = from; i < to; ++i) {
        const kg_contact *c = &world->work.contacts.items[s->order[i]];
        uint32_t a = world->bodies.slot[c->a], b = c->other == KG_OTHER_BODY ? world->bodies.slot[c->b] : a;
        uint32_t last_a = s->places[a].last, last_b = s->places[b].last, after = last_a > last_b ? last_a : last_b;
        uint32_t group = after > first + open ? after - first : open;
        while (group < end && s->filled[group] == KG_LANES) group += 1;
        if (group >= end) s->filled[end++] = 0;
        s->filled[group] += 1;
        while (open < end && s->filled[open] == KG_LANES) open += 1;
        if (world->bodies.mass[a] > 0) s->places[a].last = first + group + 1;
        if (world->bodies.mass[b] > 0) s->places[b].last = first + group + 1;
        s->keys[i] = group;
    }
    return end;
}

/* The block's contacts, group by group, into order_scratch. */
static void order_block(const arrangement *s, uint32_t groups, size_t from, size_t to)
{
    uint32_t *next = (uint32_t *)(void *)s->key_scratch, at = (uint32_t)from;
    for (uint32_t g = 0; g < groups; ++g) next[g] = at, at += s->filled[g];
    for (size_t i = from; i < to; ++i) s->order_scratch[next[s->keys[i]]++] = s->order[i];
    at = (uint32_t)from;
    for (uint32_t g = 0; g < groups; ++g) s->order_scratch[at] |= KG_CONTACT_LEADS, at += s->filled[g];
    s->order_scratch[from] |= KG_CONTACT_BLOCK;
}

bool kg_contact_arrange(kugel_world *world)
{
    const kg_contact_set *set = &world->work.contacts;
    size_t n = set->count;
    arrangement s;
    if (n == 0) return true;
    if (!get_scratch(world, n, &s)) return false;
    place_bodies(world, &s);
    for (size_t i = 0; i < n; ++i) {
        s.order[i] = (uint32_t)i;
        s.keys[i] = block_key(world, &s, &set->items[i]);
    }
    kg_sort_u64(s.keys, s.order, s.key_scratch, s.order_scratch, n);
    uint32_t first = 0;
    uint64_t colour = UINT64_MAX;
    for (size_t from = 0, to; from < n; from = to) {
        uint64_t key = s.keys[from], colour_before = colour;
        for (to = from + 1; to < n && s.keys[to] == key; ++to) {}
        uint32_t groups = group_block(world, &s, first, from, to);
        order_block(&s, groups, from, to);
        first += groups;
        colour = key >> (s.bits[0] + s.bits[1] + s.bits[2]);
        if (colour != colour_before) s.order_scratch[from] |= KG_CONTACT_COLOUR;
    }
    memcpy(s.order, s.order_scratch, n * sizeof *s.order);
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
