/* The hash of the canonical state, computed in two parts: sums over bodies and contacts, which
 * ranks add up (modulo 2^64), then the hash of these sums and the other state. */
#ifndef KG_RECORD_STATE_HASH_H
#define KG_RECORD_STATE_HASH_H

#include "world/world.h"

typedef struct kg_hash_sums {
    uint64_t bodies, contacts;            /* numbers of bodies and contacts */
    uint64_t body_hashes, contact_hashes; /* sums of their hashes */
} kg_hash_sums;

/* The sums over the bodies and contacts that the world holds. */
kg_hash_sums kg_state_hash_sums(const kugel_world *world);
/* The state hash. */
uint64_t kg_state_hash(const kugel_world *world);
/* The state hash of a world with these sums. */
uint64_t kg_state_hash_of_sums(const kugel_world *world, const kg_hash_sums *sums);
/* The next two functions hash what the state hash omits. Worlds made by the same calls have equal
 * hashes. Of bodies, as a sum over those that the world holds: radii, masses, types, `placed`,
 * loads, images and the index of their material. */
uint64_t kg_state_hash_of_constants(const kugel_world *world);
/* Of the world: its def, the table of materials, the end of ids, the key of the pair filter and
 * whether there is one. */
uint64_t kg_state_hash_of_settings(const kugel_world *world);

#endif
