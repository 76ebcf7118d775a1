/* Resting contacts: canonical state. A pair rests from a slow touch until its gap exceeds the
 * slop (resting/resting.h). Order: between steps by kg_contact_set_key; within a step new
 * contacts follow: those that a substep finds at its start by key, the impacts' as they begin. */
#ifndef KG_WORLD_CONTACT_SET_H
#define KG_WORLD_CONTACT_SET_H

#include "base/constants.h"
#include "base/memory.h"
#include "world/bodies.h"

/* With what a body is in contact: a face or plane (its number in boundary.h), a body, or a feature
 * of a surface. */
#define KG_WITH_BODY 64u
#define KG_WITH_FEATURE 65u

typedef struct kg_contact {
    uint32_t a, b; /* ids, a < b; with a boundary b is its number */
    uint8_t with;  /* KG_WITH_BODY, KG_WITH_FEATURE, or the face or plane */
    uint8_t ended; /* 1: ended; removed at the end of the tick or call */
    uint8_t padding[2];
    /* Accumulated impulses of the last substep over its length: warm starts of substeps of any
     * length. */
    float normal_force; /* N */
    float friction[3];  /* N, tangential */
    float rolling[3];   /* N m */
} kg_contact;

typedef struct kg_contact_set {
    kg_contact *items;
    uint32_t count;
    uint32_t sorted_count; /* in a step: the first items, sorted by key */
    kg_column column;
} kg_contact_set;

/* Sort key: lower body, other body, then features of surfaces, then faces and planes. */
static inline uint64_t kg_contact_set_key(const kg_contact *c)
{
    uint32_t b = c->with >= KG_WITH_BODY ? c->b : 0xffffff00u | c->with;
    return (uint64_t)c->a << 32 | b;
}

/* In a step: true if two bodies (ids) have a contact that has not ended. Cost: a bisection, and a
 * search of the contacts that began in the step. */
bool kg_contact_set_has_pair(const kg_contact_set *set, uint32_t a, uint32_t b);
/* The same for contacts that began before the step: a bisection. */
bool kg_contact_set_has_sorted_pair(const kg_contact_set *set, uint32_t a, uint32_t b);
/* Index of the first of the sorted items whose key is not below `key`. */
uint32_t kg_contact_set_lower_bound(const kg_contact *items, uint32_t count, uint64_t key);
/* Append a contact; false when out of memory. */
bool kg_contact_set_add(kg_memory *memory, kg_contact_set *set, kg_contact contact);
/* dst becomes a copy of src; false when out of memory. */
bool kg_contact_set_copy(kg_memory *memory, kg_contact_set *dst, const kg_contact_set *src);
void kg_contact_set_free(kg_memory *memory, kg_contact_set *set);
/* Between steps: count the contacts of every body anew. */
void kg_contact_set_count(const kg_contact_set *set, kg_bodies *bodies);
/* Between steps: remove the contacts that a call ended (`ended`). */
void kg_contact_set_remove_ended(kg_contact_set *set, kg_bodies *bodies);

#endif
