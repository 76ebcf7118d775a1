/* Blocks of contacts, and the assignment of their contacts to groups. Along each axis a contact's
 * block has the lower of its bodies' block coordinates; across a periodic face it has the higher.
 * So blocks of one colour share no movable body. The last block has a colour of its own. It holds
 * contacts between blocks that are not adjacent, and contacts of movable bodies too large for the
 * cells. The lattice depends on bounds and radii only.
 * In: contacts, blocks of bodies. Out: keys of blocks, groups. */
#include <string.h>

#include "base/compiler.h"
#include "contact/contact_order.h"

uint64_t kg_contact_block_key(const kg_contact_stage *stage, const int32_t block[3])
{
    uint64_t key = kg_lattice_colour(&stage->lattice, block);
    for (int axis = 2; axis >= 0; --axis) {
        uint32_t at = (uint32_t)block[axis] - (uint32_t)stage->block_min[axis];
        key = key << stage->block_bits[axis] | (at & ((1u << stage->block_bits[axis]) - 1));
    }
    return key;
}

/* The coordinate of the first of two adjacent blocks along an axis: the lower one, or across a
 * periodic face the higher one. Sets `*not_adjacent` if the blocks are farther apart. */
static int32_t lower_block(const kg_lattice *lattice, int axis, int32_t p, int32_t q,
                           bool *not_adjacent)
{
    int32_t low = p < q ? p : q, high = p < q ? q : p, count = lattice->count[axis];
    if (high - low <= 1) return low;
    *not_adjacent |= !count || low != 0 || high != (count - 1) >> KG_BLOCK_SHIFT;
    return count ? high : low;
}

uint64_t kg_contact_block_pair_key(const kg_contact_stage *stage, const int32_t p[3],
                                   const int32_t q[3])
{
    int32_t block[3];
    bool not_adjacent = false; /* true when a fast body left the other in the last tick */
    for (int axis = 0; axis < 3; ++axis)
        block[axis] = lower_block(&stage->lattice, axis, p[axis], q[axis], &not_adjacent);
    if (not_adjacent) return kg_contact_unblocked_key(stage);
    return kg_contact_block_key(stage, block);
}

double kg_contact_block_radius(const kg_bodies *bodies, const uint32_t *sleep_state)
{
    /* octaves of radii below the largest radius; the last octave also holds all smaller bodies */
    enum { OCTAVES = 32 };
    uint32_t count[OCTAVES] = {0}, larger = 0, octave = 0, moving = 0;
    double largest = 0, smallest = KG_VALUE_LIMIT, radius = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (bodies->mass[i] == 0 || sleep_state[i] == KG_ASLEEP) continue;
        largest = bodies->radius[i] > largest ? bodies->radius[i] : largest;
        smallest = bodies->radius[i] < smallest ? bodies->radius[i] : smallest;
        moving += 1;
    }
    double limit = largest;
    if (!moving) return 1; /* no contacts */
    if (!(largest > KG_BLOCK_RADIUS_RATIO * smallest)) return largest;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        uint32_t k = 0;
        if (bodies->mass[i] == 0 || sleep_state[i] == KG_ASLEEP) continue;
        for (double least = largest / 2; k < OCTAVES - 1 && bodies->radius[i] < least; least /= 2)
            k += 1;
        count[k] += 1;
    }
    for (; octave < OCTAVES - 1; ++octave, limit /= 2) {
        larger += count[octave];
        if ((uint64_t)larger * KG_BLOCK_LARGE_ONE_IN > moving) break;
    }
    for (uint32_t i = 0; i < bodies->count; ++i) {
        double r = bodies->radius[i];
        if (bodies->mass[i] > 0 && sleep_state[i] != KG_ASLEEP && r > radius &&
            (r < limit || octave == 0))
            radius = r;
    }
    return largest > KG_BLOCK_RADIUS_RATIO * radius ? radius : largest;
}

/* The groups of the batch that contain a body, as bits; `no_groups` for an immovable body, which
 * groups may share. */
static inline uint64_t *groups_with_body(kg_assignment_body *p, uint32_t batch, uint64_t *no_groups)
{
    if (p->batch == KG_NONE) return no_groups;
    if (p->batch != batch) p->batch = batch, p->groups = 0;
    return &p->groups;
}

/* The first of the groups at or after `next`, else the first of all. */
static inline uint32_t first_from(uint64_t groups, uint32_t next)
{
    uint64_t later = groups >> next << next;
    return (uint32_t)kg_lowest_bit64(later ? later : groups);
}

/* Assign each contact to the next open group without its bodies, or to one more group. Up to 64
 * groups are open at a time (a batch). Returns the number of groups. */
static uint32_t choose_groups(const kugel_world *world, kg_group_assignment *d,
                              const uint32_t *items, size_t n)
{
    enum { BATCH = 64 };
    /* an empty batch that counts as full, so the first contact opens a batch */
    uint32_t base = 0, count = BATCH, next = 0;
    uint64_t open = 0;
    memset(d->filled, 0, n);
    for (size_t i = 0; i < n; ++i) {
        const kg_contact *c = &world->work.contacts.items[items[i]];
        kg_assignment_body *a = &d->bodies[kg_contact_first_slot(world, c)],
                           *b = &d->bodies[kg_contact_second_slot(world, c)];
        uint64_t no_groups = 0, *of_a = groups_with_body(a, d->batch, &no_groups),
                 *of_b = groups_with_body(b, d->batch, &no_groups);
        if (!(open & ~*of_a & ~*of_b) && count == BATCH) {
            size_t full = (n - i + KG_LANES - 1) / KG_LANES;
            base += i ? count : 0;
            count = full < BATCH ? (uint32_t)full : BATCH;
            open = ~(uint64_t)0 >> (BATCH - count);
            d->batch += 1;
            of_a = groups_with_body(a, d->batch, &no_groups),
            of_b = groups_with_body(b, d->batch, &no_groups);
        } else if (!(open & ~*of_a & ~*of_b)) {
            open |= (uint64_t)1 << count++;
        }
        uint32_t group = first_from(open & ~*of_a & ~*of_b, next);
        *of_a |= (uint64_t)1 << group;
        *of_b |= (uint64_t)1 << group;
        if (++d->filled[base + group] == KG_LANES) open &= ~((uint64_t)1 << group);
        next = (group + 1) % BATCH;
        d->group[i] = base + group;
    }
    return base + count;
}

void kg_contact_assign_groups(const kugel_world *world, kg_group_assignment *d,
                              const uint32_t *items, size_t n, uint32_t *order)
{
    uint32_t most = choose_groups(world, d, items, n), at = 0;
    for (uint32_t g = 0; g < most; ++g) d->next[g] = at, at += d->filled[g];
    for (size_t i = 0; i < n; ++i) order[d->next[d->group[i]]++] = items[i];
    at = 0;
    for (uint32_t g = 0; g < most; ++g) {
        if (!d->filled[g]) continue;
        order[at] |= KG_ORDER_GROUP_START;
        at += d->filled[g];
    }
    order[0] |= KG_ORDER_BLOCK_START;
}
