/* Hashes of rows of bodies and of contacts, for sums that do not depend on their order. A hash
 * starts with the handle, or with the two parties of a contact. Each word w of a column (-0 as +0)
 * gives h = (h ^ w) * (2^21 + 1), a bijection of shift and add that vectorises. An avalanche
 * function follows, so that each bit of the input changes about half of the bits. */
#ifndef KG_WORLD_ROW_HASH_H
#define KG_WORLD_ROW_HASH_H

#include "world/bodies.h"
#include "world/contact_set.h"

static inline uint64_t kg_hash_mix(uint64_t h, uint64_t word)
{
    h ^= word;
    return h + (h << 21);
}

static inline uint64_t kg_hash_avalanche(uint64_t h)
{
    h ^= h >> 37;
    h *= 0x165667919e3779f9u;
    h ^= h >> 29;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

/* The sum over `count` rows from `from` on; `roles`: bits of the roles of columns. */
uint64_t kg_hash_rows(const kg_bodies *bodies, uint32_t roles, uint32_t from, uint32_t count);
/* The hash of the KG_ROLE_STATE fields. */
uint64_t kg_hash_contact(const kg_contact *contact);
/* The sum over contacts from `from` to `end` that have not ended. */
uint64_t kg_hash_contacts(const kg_contact_set *set, uint32_t from, uint32_t end);

#endif
