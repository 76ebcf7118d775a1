/* The parts of ordering the contacts: find those that need a new place (contact_insert.c); find the
 * block of a contact, and assign a block's contacts to groups (contact_blocks.c). */
#ifndef KG_CONTACT_CONTACT_ORDER_H
#define KG_CONTACT_CONTACT_ORDER_H

#include "base/sort.h"
#include "contact/contact.h"

/* A body during the assignment, by slot. */
typedef struct kg_assignment_body {
    uint64_t key;    /* of its block */
    uint64_t groups; /* bit k: group k of the batch contains the body */
    uint32_t batch;  /* batch of `groups`; KG_NONE: an immovable body, which groups may share */
} kg_assignment_body;
_Static_assert(sizeof(kg_assignment_body) <= sizeof(kg_solver_body),
               "the memory of the solver's bodies serves as scratch");

/* Scratch memory for assigning the contacts of a block to groups. */
typedef struct kg_group_assignment {
    kg_assignment_body *bodies; /* by slot */
    uint32_t *group;            /* by contact of the block: its group */
    uint32_t *next;             /* by group: place of its next contact in the order */
    uint8_t *filled;            /* by group: contacts so far */
    uint32_t batch;             /* number of the current batch of groups */
} kg_group_assignment;

/* The bodies of the assignment, in the memory of the solver's bodies, which are not in use yet. */
static inline kg_assignment_body *kg_contact_assignment_bodies(const kg_contact_stage *stage)
{
    return (kg_assignment_body *)(void *)stage->bodies;
}

/* Contacts that need a place in the order: keys of their blocks, and items of the contact set. */
typedef struct kg_inserted_contacts {
    kugel_world *world;
    kg_sort_arrays arrays;
    uint32_t count, limit;
} kg_inserted_contacts;

/* contact_insert.c; both return false when out of memory. Collect all contacts of awake bodies, for
 * an empty order. */
bool kg_contact_insert_all(kg_inserted_contacts *inserted);
/* Collect the contacts that need a new place, and remove them from the order of the last tick. Sets
 * stage->order_reused unless they are too many or a block has no key. */
bool kg_contact_insert_changed(kg_inserted_contacts *inserted);

/* contact_blocks.c: key of a block. Keys sort by colour first. */
uint64_t kg_contact_block_key(const kg_contact_stage *stage, const int32_t block[3]);
/* Key of the contacts between bodies of two blocks. */
uint64_t kg_contact_block_pair_key(const kg_contact_stage *stage, const int32_t p[3],
                                   const int32_t q[3]);
static inline uint64_t kg_contact_block_colour(const kg_contact_stage *stage, uint64_t key)
{
    return key >> (stage->block_bits[0] + stage->block_bits[1] + stage->block_bits[2]);
}

/* Key of the contacts that belong to no block of cells. */
static inline uint64_t kg_contact_unblocked_key(const kg_contact_stage *stage)
{
    return (uint64_t)KG_COLOUR_UNBLOCKED
           << (stage->block_bits[0] + stage->block_bits[1] + stage->block_bits[2]);
}

/* Block that contains a position. */
static inline void kg_contact_find_block(const kg_contact_stage *stage, const double x[3],
                                         int32_t block[3])
{
    for (int axis = 0; axis < 3; ++axis)
        block[axis] = kg_lattice_cell(&stage->lattice, axis, x[axis]) >> KG_BLOCK_SHIFT;
}

/* contact_blocks.c: the radius for which blocks are made, m. It is the largest radius after the
 * octaves of the largest bodies, at most one body in KG_BLOCK_LARGE_ONE_IN, are left out. If the
 * largest radius of all is at most KG_BLOCK_RADIUS_RATIO times that radius, it is the largest of
 * all. A function of the radii of awake movable bodies alone. */
double kg_contact_block_radius(const kg_bodies *bodies, const uint32_t *sleep_state);

/* Slots of the two bodies of a contact; in a boundary contact both are the slot of its body. */
static inline uint32_t kg_contact_first_slot(const kugel_world *world, const kg_contact *c)
{
    return world->bodies.slot[c->a];
}
static inline uint32_t kg_contact_second_slot(const kugel_world *world, const kg_contact *c)
{
    return world->bodies.slot[c->with == KG_WITH_BODY ? c->b : c->a];
}

/* Assign the n contacts of a block (ascending items of the set) to groups. Writes the items group
 * by group to `order`, with flags at the starts of groups and of the block. */
void kg_contact_assign_groups(const kugel_world *world, kg_group_assignment *d,
                              const uint32_t *items, size_t n, uint32_t *order);

#endif
