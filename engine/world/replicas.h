/* Replicated worlds: ranks that each hold the whole of one world (ranks/). All ranks run the same
 * step, and agree on its status before any of them commits it. world->replicas is NULL in a world
 * that is not replicated. */
#ifndef KG_WORLD_REPLICAS_H
#define KG_WORLD_REPLICAS_H

#include "kugel/ranks.h"
#include "world/world.h"

/* The worst of the statuses of all ranks of an exchange: the largest, where negative ones count as
 * larger than all others. `mine`: the status of this rank. KUGEL_ERROR_IO if the exchange fails. */
kugel_status kg_exchange_agree(const kugel_exchange *exchange, kugel_status mine);
/* kg_exchange_agree for the replicas of a world; `mine` if the world is not replicated. */
kugel_status kg_replicas_agree(const kugel_world *world, kugel_status mine);

#endif
