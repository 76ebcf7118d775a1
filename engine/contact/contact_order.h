/* What arranging all contacts (contact_order.c) and only those of blocks that changed
 * (contact_order_reuse.c) share: a contact's block, and the groups of one block (contact_blocks.c).
 */
#ifndef KG_CONTACT_CONTACT_ORDER_H
#define KG_CONTACT_CONTACT_ORDER_H

#include "contact/contact.h"

/* A body while contacts are arranged, by slot. */
typedef struct kg_assignment_body {
    uint64_t key;    /* of the contacts within its block */
    uint64_t groups; /* bit k: group k of the window has it */
    uint32_t window; /* that `groups` is of; windows of all blocks count on; KG_NONE: groups may
                        share the body, it cannot be moved */
} kg_assignment_body;
_Static_assert(sizeof(kg_assignment_body) <= sizeof(kg_solver_body),
               "places lie where the solver's bodies will be");

/* What blocks are assigned to groups with. Of the largest block: the group of each contact, how
 * full each group is, where its next contact goes. */
typedef struct kg_group_assignment {
    kg_assignment_body *bodies;
    uint32_t *group, *next;
    uint8_t *filled;
    uint32_t window;
} kg_group_assignment;

/* The key of a block: those of one colour follow one another, in a fixed order. */
uint64_t kg_contact_block_key(const kg_contact_stage *stage, const int32_t block[3]);
/* That of the contacts between bodies in these two blocks. */
uint64_t kg_contact_block_pair_key(const kg_contact_stage *stage, const int32_t p[3],
                                   const int32_t q[3]);
static inline uint64_t kg_contact_block_colour(const kg_contact_stage *stage, uint64_t key)
{
    return key >> (stage->block_bits[0] + stage->block_bits[1] + stage->block_bits[2]);
}

/* The block that a place lies in. */
static inline void kg_contact_find_block(const kg_contact_stage *stage, const double x[3],
                                         int32_t block[3])
{
    for (int axis = 0; axis < 3; ++axis)
        block[axis] = kg_lattice_cell(&stage->lattice, axis, x[axis]) >> KG_BLOCK_SHIFT;
}

/* Slots of a contact's sides; twice the same where the other is no body. */
static inline uint32_t kg_contact_first_slot(const kugel_world *world, const kg_contact *c)
{
    return world->bodies.slot[c->a];
}
static inline uint32_t kg_contact_second_slot(const kugel_world *world, const kg_contact *c)
{
    return world->bodies.slot[c->other == KG_OTHER_BODY ? c->b : c->a];
}

/* The n contacts of a block (items of the set, ascending) are assigned to groups; `order` becomes
 * the items group by group, with the marks of the groups' and of the block's beginning. Returns how
 * many groups. */
uint32_t kg_contact_assign_groups(const kugel_world *world, kg_group_assignment *d,
                                  const uint32_t *items, size_t n, uint32_t *order);

#endif
