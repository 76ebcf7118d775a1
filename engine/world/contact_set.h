/* Resting contacts: the part of the state that outlives a substep besides the bodies. A pair rests
 * from the moment it touches slowly until its gap exceeds the slop (DESIGN section 1).
 * Order: the solver's, a pure function of the state (contact/order.c). */
#ifndef KG_WORLD_CONTACT_SET_H
#define KG_WORLD_CONTACT_SET_H

#include "base/memory.h"

/* The other side of a contact or impact: 0 ... 5 a face, 6 ... 63 a plane; KG_OTHER_BODY a body. */
#define KG_OTHER_BODY 64u
#define KG_OTHER_PLANE 6u

typedef struct kg_contact {
    uint32_t a, b;     /* ids; a < b for two bodies; b is the face or plane otherwise */
    uint8_t other;     /* KG_OTHER_BODY, or the boundary's number */
    uint8_t fresh;     /* joined since the last collection: its neighbour entry may not be marked */
    uint16_t spare;
    float normal_impulse;  /* N s, accumulated in the last substep, for warm starting */
    float friction[3];     /* N s, tangential, world frame */
    float rolling[3];      /* N m s */
} kg_contact;

typedef struct kg_contact_set {
    kg_contact *items;
    uint32_t count;
    kg_column column;
} kg_contact_set;

/* Add one; false when out of memory. */
bool kg_contact_set_add(kg_memory *memory, kg_contact_set *set, kg_contact contact);
/* dst becomes a copy of src; false when out of memory. */
bool kg_contact_set_copy(kg_memory *memory, kg_contact_set *dst, const kg_contact_set *src);
void kg_contact_set_free(kg_memory *memory, kg_contact_set *set);
/* Drop every contact of a body (it was destroyed or moved by hand). */
void kg_contact_set_forget(kg_contact_set *set, uint32_t id);

#endif
