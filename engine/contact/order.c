/* The order in which contacts are solved: by the colour of their block, block, lower id, higher id.
 * Blocks are those of a lattice that depends on the bodies' radii alone; a contact belongs to the block
 * with the smallest coordinates that its bodies lie in, so two blocks of one colour share no body. A
 * pure function of the state at the time of sorting. */
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

static bool is_sorted(const uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; ++i) {
        if (keys[i] < keys[i - 1]) return false;
    }
    return true;
}

_Static_assert(sizeof(kg_contact_row) >= sizeof(kg_contact) + 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t),
               "a row's memory is the scratch of sorting its contact");

void kg_contact_sort(kugel_world *world)
{
    kg_contact_set *set = &world->work.contacts;
    size_t n = set->count;
    kg_contact *items = set->items;
    if (n < 2) return;
    uint64_t *keys = (uint64_t *)(void *)world->contact->rows, *key_scratch = keys + n;
    uint32_t *order = (uint32_t *)(void *)(key_scratch + n), *order_scratch = order + n;
    kg_contact *sorted = (kg_contact *)(void *)(order_scratch + n);
    kg_lattice lattice = kg_lattice_make(&world->def.bounds, world->contact->cell);
    for (size_t i = 0; i < n; ++i) {
        order[i] = (uint32_t)i;
        keys[i] = id_key(&items[i]);
    }
    kg_sort_u64(keys, order, key_scratch, order_scratch, n);
    for (size_t i = 0; i < n; ++i) keys[i] = block_key(world, &lattice, &items[order[i]]);
    if (!is_sorted(keys, n)) kg_sort_u64(keys, order, key_scratch, order_scratch, n);
    for (size_t i = 0; i < n; ++i) sorted[i] = items[order[i]];
    memcpy(items, sorted, n * sizeof *items);
}
