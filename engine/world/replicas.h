/* Ranks that each hold the whole of one world (ranks/). All of them run the same step and agree on
 * its status before one of them commits it. Other worlds have no replicas: world->replicas is NULL.
 */
#ifndef KG_WORLD_REPLICAS_H
#define KG_WORLD_REPLICAS_H

#include "kugel/ranks.h"
#include "world/world.h"

/* The worst status of all ranks of an exchange. */
kugel_status kg_exchange_agree(const kugel_exchange *exchange, kugel_status mine);
/* The same of the replicas of a world; `mine` without replicas. */
kugel_status kg_replicas_agree(const kugel_world *world, kugel_status mine);

#endif
