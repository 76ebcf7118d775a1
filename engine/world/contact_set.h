/* Resting contacts: the part of the state that outlives a substep besides the bodies. A pair rests
 * from the moment it touches slowly until its gap exceeds the slop (DESIGN section 1).
 * Order between steps: by kg_contact_set_key. In a step new ones follow, in the order in which they
 * begin. */
#ifndef KG_WORLD_CONTACT_SET_H
#define KG_WORLD_CONTACT_SET_H

#include "base/constants.h"
#include "base/memory.h"
#include "world/bodies.h"

/* The other side of a contact or impact: a boundary (boundary.h), or KG_OTHER_BODY. */
#define KG_OTHER_BODY 64u

typedef struct kg_contact {
    uint32_t a, b; /* ids; a < b for two bodies; b is the face or plane otherwise */
    uint8_t other; /* KG_OTHER_BODY, or the boundary's number */
    uint8_t ended; /* opened in this tick: leaves the set at its end */
    uint8_t padding[2];
    float normal_impulse; /* N s, accumulated in the last substep, for warm starting; where it was a
                           * longer one, its share of such as the world is asked for
                           * (contact/substeps.c); the others likewise */
    float friction[3];    /* N s, tangential, world frame */
    float rolling[3];     /* N m s */
} kg_contact;

typedef struct kg_contact_set {
    kg_contact *items;
    uint32_t count;
    uint32_t sorted_count; /* in a step: so many are in the order of their keys */
    kg_column column;
} kg_contact_set;

/* The contact's place among the others: by its lower body, its other body, then faces and planes.
 */
static inline uint64_t kg_contact_set_key(const kg_contact *c)
{
    uint32_t b = c->other == KG_OTHER_BODY ? c->b : 0xffffff00u | c->other;
    return (uint64_t)c->a << 32 | b;
}

/* In a step: does a contact of these two bodies (ids) go on? Cost: a bisection, and a look at each
 * that began in the step. */
bool kg_contact_set_has_pair(const kg_contact_set *set, uint32_t a, uint32_t b);
/* The first of the items, which are in the order of their keys, with a key that is not lower. */
uint32_t kg_contact_set_lower_bound(const kg_contact *items, uint32_t count, uint64_t key);
/* Add one; false when out of memory. */
bool kg_contact_set_add(kg_memory *memory, kg_contact_set *set, kg_contact contact);
/* dst becomes a copy of src; false when out of memory. */
bool kg_contact_set_copy(kg_memory *memory, kg_contact_set *dst, const kg_contact_set *src);
void kg_contact_set_free(kg_memory *memory, kg_contact_set *set);
/* Drop every contact of a body (it was destroyed or moved by hand). */
void kg_contact_set_remove_body(kg_contact_set *set, uint32_t id);

/* Drop the contacts of a body with bodies that it may not push any more. */
void kg_contact_set_remove_filtered(kg_contact_set *set, const kg_bodies *bodies, uint32_t id);

#endif
