/* The hash of the canonical state in two parts: sums over bodies and contacts, which may be added
 * up over ranks (modulo 2^64), and the hash of these sums and of the rest of the state. */
#ifndef KG_RECORD_STATE_HASH_H
#define KG_RECORD_STATE_HASH_H

#include "world/world.h"

typedef struct kg_hash_sums {
    uint64_t bodies, contacts; /* their numbers */
    uint64_t body_hashes, contact_hashes;
} kg_hash_sums;

kg_hash_sums kg_state_hash_sums(const kugel_world *world);
uint64_t kg_state_hash_of_sums(const kugel_world *world, const kg_hash_sums *sums);
/* What the state hash omits, equal for worlds made by the same calls. Of bodies: radii, masses,
 * types, loads, images and rows of their materials; a sum over bodies, too. */
uint64_t kg_state_hash_of_constants(const kugel_world *world);
/* Of the world: ids, materials, and the pair filter without its functions. */
uint64_t kg_state_hash_of_settings(const kugel_world *world);

#endif
