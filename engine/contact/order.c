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
    uint64_t key;    /* of the contacts within its block */
    uint64_t groups; /* bit k: group k of the window has it */
    int32_t block[3];
    uint32_t window; /* that `groups` is of; windows of all blocks count on; KG_NONE: groups may share the body, it cannot be moved */
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
    uint32_t window; /* of groups */
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

static uint64_t key_of(const arrangement *s, const int32_t block[3])
{
    uint64_t key = kg_lattice_colour(&s->lattice, block);
    for (int axis = 2; axis >= 0; --axis) {
        uint32_t at = (uint32_t)block[axis] - (uint32_t)s->low[axis];
        key = key << s->bits[axis] | (at & ((1u << s->bits[axis]) - 1));
    }
    return key;
}

/* Few bits make short work of sorting; blocks 2^19 apart would share a key, which is slower, not wrong. */
static void place_bodies(const kugel_world *world, arrangement *s)
{
    int32_t high[3];
    const uint32_t *contacts = world->work.contact_count;
    s->lattice = kg_lattice_make(&world->def.bounds, KG_CONTACT_CELL * world->contact->largest);
    for (int axis = 0; axis < 3; ++axis) s->low[axis] = INT32_MAX, high[axis] = INT32_MIN, s->bits[axis] = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!contacts[i]) continue;
        place *p = &s->places[i];
        p->window = world->bodies.mass[i] > 0 ? 0 : KG_NONE;
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
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (contacts[i]) s->places[i].key = key_of(s, s->places[i].block);
    }
}

/* The two sides of a contact; twice the same where the other is no body. */
static inline place *first_place(const kugel_world *world, const arrangement *s, const kg_contact *c)
{
    return &s->places[world->bodies.slot[c->a]];
}

static inline place *second_place(const kugel_world *world, const arrangement *s, const kg_contact *c)
{
    return c->other == KG_OTHER_BODY ? &s->places[world->bodies.slot[c->b]] : first_place(world, s, c);
}

static uint64_t block_key(const kugel_world *world, const arrangement *s, const kg_contact *c)
{
    const place *a = first_place(world, s, c), *b = second_place(world, s, c);
    int32_t block[3];
    bool apart = false; /* the bodies left each other in the tick before, at great speed */
    if (a->key == b->key && memcmp(a->block, b->block, sizeof a->block) == 0) return a->key;
    for (int axis = 0; axis < 3; ++axis) block[axis] = lower_block(&s->lattice, axis, a->block[axis], b->block[axis], &apart);
    if (apart) return (uint64_t)KG_COLOUR_ALONE << (s->bits[0] + s->bits[1] + s->bits[2]);
    return key_of(s, block);
}

/* The groups of the window that have a body. */
static inline uint64_t *groups_of(const arrangement *s, place *p, uint64_t *nobody)
{
    if (p->window == KG_NONE) return nobody;
    if (p->window != s->window) p->window = s->window, p->groups = 0;
    return &p->groups;
}

/* The first of these groups, from `next` on and around. */
static uint32_t first_from(uint64_t groups, uint32_t next)
{
    uint64_t later = groups >> next << next;
    return (uint32_t)__builtin_ctzll(later ? later : groups);
}

/* Contacts of one block, in their order, are dealt to as many groups as could hold them, each to the next with room that
 * has none of its bodies; where none has, to one group more. Up to 64 groups are dealt to at a time. The group
 * of each, counted from the block's first, becomes its key. Returns how many. */
static uint32_t group_block(const kugel_world *world, arrangement *s, size_t from, size_t to)
{
    enum { WINDOW = 64 };
    uint32_t base = 0, count = WINDOW, next = 0; /* a full window: the first begins */
    uint64_t open = 0;
    memset(s->filled, 0, to - from);
    for (size_t i = from; i < to; ++i) {
        const kg_contact *c = &world->work.contacts.items[s->order[i]];
        place *a = first_place(world, s, c), *b = second_place(world, s, c);
        uint64_t nobody = 0, *of_a = groups_of(s, a, &nobody), *of_b = groups_of(s, b, &nobody);
        if (!(open & ~*of_a & ~*of_b) && count == WINDOW) {
            size_t full = (to - i + KG_LANES - 1) / KG_LANES;
            base += i > from ? count : 0;
            count = full < WINDOW ? (uint32_t)full : WINDOW;
            open = ~(uint64_t)0 >> (WINDOW - count);
            s->window += 1;
            of_a = groups_of(s, a, &nobody), of_b = groups_of(s, b, &nobody);
        } else if (!(open & ~*of_a & ~*of_b)) {
            open |= (uint64_t)1 << count++;
        }
        uint32_t group = first_from(open & ~*of_a & ~*of_b, next);
        *of_a |= (uint64_t)1 << group;
        *of_b |= (uint64_t)1 << group;
        if (++s->filled[base + group] == KG_LANES) open &= ~((uint64_t)1 << group);
        next = (group + 1) % WINDOW;
        s->keys[i] = base + group;
    }
    return base + count;
}

/* The block's contacts, group by group, into order_scratch. */
static void order_block(const arrangement *s, uint32_t groups, size_t from, size_t to)
{
    uint32_t *next = (uint32_t *)(void *)s->key_scratch, at = (uint32_t)from;
    for (uint32_t g = 0; g < groups; ++g) next[g] = at, at += s->filled[g];
    for (size_t i = from; i < to; ++i) s->order_scratch[next[s->keys[i]]++] = s->order[i];
    at = (uint32_t)from;
    for (uint32_t g = 0; g < groups; ++g) {
        if (s->filled[g]) s->order_scratch[at] |= KG_CONTACT_LEADS;
        at += s->filled[g];
    }
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
    s.window = 0;
    uint64_t colour = UINT64_MAX;
    for (size_t from = 0, to; from < n; from = to) {
        uint64_t key = s.keys[from], colour_before = colour;
        for (to = from + 1; to < n && s.keys[to] == key; ++to) {}
        order_block(&s, group_block(world, &s, from, to), from, to);
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
