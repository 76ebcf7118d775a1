/* All bodies in the world of rank 0, for reading between steps. In: the bodies of each rank. Out:
 * copies of those of other ranks in rows behind the own ones of rank 0, until the next collective
 * call. The saved counters move to rank 0 for good: their sums over the ranks stay. Order: ranks,
 * then slots of the sender. Cost: the rows of all bodies on rank 0. */
#include "query/query_index.h"
#include "ranks/ranks.h"

static kugel_status gather_counters(kugel_ranks *ranks)
{
    kugel_world *world = ranks->world;
    uint64_t values[2] = {world->impacts_total, world->budgets_exhausted};
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_SUM, values, 2);
    if (status) return status;
    bool root = ranks->exchange.rank == 0;
    world->impacts_total = root ? values[0] : 0;
    world->budgets_exhausted = root ? values[1] : 0;
    return KUGEL_OK;
}

static bool list_own(kugel_ranks *ranks)
{
    bool ok = true;
    ranks->listed_count = 0;
    for (uint32_t i = 0; i < ranks->own_count && ranks->exchange.rank > 0 && ok; ++i)
        ok = kg_ranks_list_body(ranks, i, 0, false);
    return ok;
}

kugel_status kg_ranks_gather(kugel_ranks *ranks)
{
    if (ranks->is_replicated) return KUGEL_OK;
    kg_ranks_release(ranks);
    ranks->own_count = ranks->world->bodies.count;
    kugel_status status = kg_ranks_transfer_bodies(ranks, list_own(ranks));
    if (!status) status = gather_counters(ranks);
    if (status) return status;
    kg_ranks_append_received(ranks);
    ranks->gathered = true;
    kg_query_invalidate(ranks->world);
    return KUGEL_OK;
}

void kg_ranks_release(kugel_ranks *ranks)
{
    if (!ranks->gathered) return;
    kg_ranks_drop_ghosts(ranks);
    ranks->gathered = false;
    kg_query_invalidate(ranks->world);
}
