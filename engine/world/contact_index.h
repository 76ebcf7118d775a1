/* The contacts of each body, for calls between steps and for bodies aside. In a sorted set the
 * contacts with a body as a are one range; those with it as b are chained. There are two sets,
 * world->contacts and those aside; a static body can have contacts in both.
 * In: the sets. Cost: a pass over a set whose items have moved since its chains were made, then
 * the contacts of the body. */
#ifndef KG_WORLD_CONTACT_INDEX_H
#define KG_WORLD_CONTACT_INDEX_H

#include "base/compiler.h"
#include "base/threads.h"
#include "world/contact_set.h"

enum { KG_CONTACT_SETS = 2 };

/* A body's first contact with it as b, or KG_NONE; none if it is of other chains than `made`. */
typedef struct kg_contact_chain_head {
    uint32_t first, made;
} kg_contact_chain_head;

typedef struct kg_contact_chains {
    kg_contact_chain_head *head; /* by id */
    uint32_t *next;              /* by contact: the next one with the same b, or KG_NONE */
    uint32_t made;               /* how often chains were made */
    uint32_t id_capacity;
    atomic_uint_least64_t ready; /* 1 + the version of the set that they describe; 0: none */
    kg_column columns[2];
} kg_contact_chains;

typedef struct kg_contact_index {
    kg_memory memory; /* the world's allocator; a count of its own, as queries run in parallel */
    kg_mutex lock;
    kg_contact_chains chains[KG_CONTACT_SETS]; /* of world->contacts and world->aside.contacts */
    uint32_t *queue;                           /* of ids, for walks from contact to contact */
    kg_column queue_column;
} kg_contact_index;

struct kugel_world;

bool kg_contact_index_create(kg_contact_index *index, const kg_memory *memory);
void kg_contact_index_free(kg_contact_index *index);
/* Bytes in use. */
size_t kg_contact_index_memory(const struct kugel_world *world);
/* Make the chains of both sets unless they are ready; false when out of memory. Safe on a const
 * world from several threads. */
bool kg_contact_index_ensure(const struct kugel_world *world);
bool kg_contact_index_is_ready(const struct kugel_world *world);

/* Walks the contacts of a body that have not ended: those with it as b, then those with it as a,
 * each by key. Contacts may end while it walks. */
typedef struct kg_body_contacts {
    const struct kugel_world *world;
    uint32_t id;
    uint32_t at[2][KG_CONTACT_SETS]; /* as b, as a: item of the set */
    kg_contact_set *set;             /* that of the last contact */
} kg_body_contacts;

kg_body_contacts kg_contact_index_of(const struct kugel_world *world, uint32_t id);
/* The next contact, or NULL. */
kg_contact *kg_body_contacts_next(kg_body_contacts *walk);

#endif
