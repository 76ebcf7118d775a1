/* Resting contacts: the part of the state that outlives a substep besides the bodies. A pair rests
 * from the moment it touches slowly until its gap exceeds the slop (DESIGN section 1).
 * The order is state: the solver follows it. It is made anew at the start of a tick after a good part of
 * the set changed (contact/order.c), from nothing but the state then. */
#ifndef KG_WORLD_CONTACT_SET_H
#define KG_WORLD_CONTACT_SET_H

#include "base/memory.h"
#include "world/bodies.h"

/* The other side of a contact or impact: 0 ... 5 a face, 6 ... 63 a plane; KG_OTHER_BODY a body. */
#define KG_OTHER_BODY 64u
#define KG_OTHER_PLANE 6u

/* Bits of kg_contact.leads. A new contact is alone in its group until the next are made. */
enum { KG_LEADS = 1, KG_ORDERED = 2 };

typedef struct kg_contact {
    uint32_t a, b;     /* ids; a < b for two bodies; b is the face or plane otherwise */
    uint8_t other;     /* KG_OTHER_BODY, or the boundary's number */
    uint8_t leads;     /* KG_LEADS: first of a group of the solver; KG_ORDERED: in order (contact/order.c) */
    uint8_t ended;     /* opened in this tick: leaves the set at its end */
    uint8_t spare;
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

/* Drop the contacts of a body with bodies that it may not push any more. */
void kg_contact_set_forget_unmet(kg_contact_set *set, const kg_bodies *bodies, uint32_t id);

#endif
