/* What arranging all contacts (order.c) and only those of blocks that changed (keep.c) share: a contact's block, and the
 * groups of one block (block.c). */
#ifndef KG_CONTACT_ORDER_H
#define KG_CONTACT_ORDER_H

#include "contact/contact.h"

/* A body while contacts are arranged, by slot. */
typedef struct kg_contact_place {
    uint64_t key;    /* of the contacts within its block */
    uint64_t groups; /* bit k: group k of the window has it */
    uint32_t window; /* that `groups` is of; windows of all blocks count on; KG_NONE: groups may share the body, it cannot be moved */
} kg_contact_place;
_Static_assert(sizeof(kg_contact_place) <= sizeof(kg_contact_body), "places lie where the solver's bodies will be");

/* What blocks are dealt to groups with. Of the largest block: the group of each contact, how full each group is, where
 * its next contact goes. */
typedef struct kg_contact_dealer {
    kg_contact_place *places;
    uint32_t *group, *next;
    uint8_t *filled;
    uint32_t window;
} kg_contact_dealer;

/* The key of a block: those of one colour follow one another, in a fixed order. */
uint64_t kg_contact_block_key(const kg_contact_stage *stage, const int32_t block[3]);
/* That of the contacts between bodies in these two blocks. */
uint64_t kg_contact_pair_key(const kg_contact_stage *stage, const int32_t p[3], const int32_t q[3]);
static inline uint64_t kg_contact_key_colour(const kg_contact_stage *stage, uint64_t key)
{
    return key >> (stage->bits[0] + stage->bits[1] + stage->bits[2]);
}

/* The block that a place lies in. */
static inline void kg_contact_find_home(const kg_contact_stage *stage, const double x[3], int32_t home[3])
{
    for (int axis = 0; axis < 3; ++axis) home[axis] = kg_lattice_cell(&stage->lattice, axis, x[axis]) >> KG_BLOCK_SHIFT;
}

/* Slots of a contact's sides; twice the same where the other is no body. */
static inline uint32_t kg_contact_first_slot(const kugel_world *world, const kg_contact *c) { return world->bodies.slot[c->a]; }
static inline uint32_t kg_contact_second_slot(const kugel_world *world, const kg_contact *c)
{
    return world->bodies.slot[c->other == KG_OTHER_BODY ? c->b : c->a];
}

/* The n contacts of a block (items of the set, ascending) are dealt to groups; `order` becomes the items group by group, with
 * the marks of the groups' and of the block's beginning. Returns how many groups. */
uint32_t kg_contact_deal(const kugel_world *world, kg_contact_dealer *d, const uint32_t *items, size_t n, uint32_t *order);

#endif
