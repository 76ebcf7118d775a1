/* The set of resting contacts, which is canonical state. A pair rests from a slow touch until its
 * gap exceeds the slop (resting/resting.h).
 * Order: between steps by kg_contact_set_key. In a step new contacts are appended: those found at
 * the start of a substep by key, those of impacts as they begin. */
#ifndef KG_WORLD_CONTACT_SET_H
#define KG_WORLD_CONTACT_SET_H

#include "base/constants.h"
#include "base/memory.h"
#include "world/bodies.h"

/* Values of kg_contact.with for a contact with a body and with a feature of a surface. Lower values
 * are the numbers of faces (boundary.h). */
#define KG_WITH_BODY 64u
#define KG_WITH_FEATURE 65u

enum { KG_CONTACT_FIELDS = 10 }; /* rows of kg_contact_fields: members of kg_contact */

typedef struct kg_contact {
    uint32_t a;    /* id of the body; of two bodies the lower id */
    uint32_t b;    /* id of the other body, or number of the boundary */
    uint8_t with;  /* KG_WITH_BODY, KG_WITH_FEATURE, or the number of a face */
    uint8_t ended; /* 1: ended; removed at the end of the tick, or at its start after a call */
    uint8_t padding[2];
    /* accumulated impulses as forces, so that they warm start substeps of any length
     * (contact/contact_forces.c) */
    float normal_force; /* N */
    float friction[3];  /* N, tangential */
    float rolling[3];   /* N m */
} kg_contact;

extern const kg_field kg_contact_fields[KG_CONTACT_FIELDS]; /* offset: in kg_contact */

typedef struct kg_contact_set {
    kg_contact *items;
    uint32_t count;
    uint32_t sorted_count; /* in a step: number of items at the front that are sorted by key */
    uint32_t ended_count;  /* between steps: items that a call ended */
    uint64_t version;      /* between steps: increases when items move */
    kg_column column;
} kg_contact_set;

/* Sort key: first the id a, then the other body, feature or face. For equal a, bodies come before
 * features, and features before faces. */
static inline uint64_t kg_contact_set_key(const kg_contact *c)
{
    uint32_t b = c->with >= KG_WITH_BODY ? c->b : 0xffffff00u | c->with;
    return (uint64_t)c->a << 32 | b;
}

/* Between steps: walks two sets by key, without the contacts that have ended. */
typedef struct kg_contact_walk {
    const kg_contact_set *sets[2];
    uint32_t at[2];
} kg_contact_walk;

/* The next contact, or NULL. */
const kg_contact *kg_contact_walk_next(kg_contact_walk *walk);

/* In a step: true if two bodies (ids) have a contact that has not ended. Cost: a bisection, and a
 * linear search of the contacts that began since the contacts were last sorted. */
bool kg_contact_set_has_pair(const kg_contact_set *set, uint32_t a, uint32_t b);
/* kg_contact_set_has_pair for the sorted contacts alone. Cost: a bisection. */
bool kg_contact_set_has_sorted_pair(const kg_contact_set *set, uint32_t a, uint32_t b);
/* Index of the first of the sorted items whose key is at least `key`; `count` if there is none. */
uint32_t kg_contact_set_lower_bound(const kg_contact *items, uint32_t count, uint64_t key);
/* Append a contact; false when out of memory. */
bool kg_contact_set_add(kg_memory *memory, kg_contact_set *set, kg_contact contact);
/* dst becomes a copy of src; false when out of memory. */
bool kg_contact_set_copy(kg_memory *memory, kg_contact_set *dst, const kg_contact_set *src);
void kg_contact_set_free(kg_memory *memory, kg_contact_set *set);
/* Between steps: set contact_count of every body. */
void kg_contact_set_count(const kg_contact_set *set, kg_bodies *bodies);
/* Between steps: end a contact; it stays in the set until kg_contact_set_compact. */
void kg_contact_set_end(kg_contact_set *set, kg_bodies *bodies, kg_contact *contact);
/* Between steps: remove the contacts that calls ended. */
void kg_contact_set_compact(kg_contact_set *set);

#endif
