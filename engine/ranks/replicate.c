/* Replicated worlds: each rank holds the whole world and runs the step of one process. In: a world
 * that cannot be divided because bodies rest, sleep or meet what the ranks do not exchange; or a
 * divided one in which a resting contact begins. Out: equal worlds. Cost: memory and time of one
 * process on each rank. */
#include "grid/neighbours.h"
#include "query/query_index.h"
#include "ranks/ranks.h"

static bool any_asleep(const kg_bodies *bodies)
{
    bool asleep = false;
    for (uint32_t i = 0; i < bodies->count; ++i) asleep |= bodies->sleep_state[i] != 0;
    return asleep;
}

bool kg_ranks_can_divide(const kugel_world *world)
{
    return world->def.bounce_threshold == 0 && !world->contacts.count &&
           !any_asleep(&world->bodies) && !kg_bodies_any_sensor(&world->bodies) &&
           !kg_surfaces_any(&world->surfaces) && !world->pair_filter.decide &&
           !kg_bodies_any_load(&world->bodies);
}

void kg_ranks_begin_replicas(kugel_ranks *ranks)
{
    ranks->world->replicas = &ranks->exchange;
    ranks->world->whole = NULL;
}

static bool list_for_all(kugel_ranks *ranks)
{
    bool ok = true;
    ranks->listed_count = 0;
    for (uint32_t i = 0; i < ranks->world->bodies.count; ++i) {
        for (uint32_t rank = 0; rank < ranks->exchange.count && ok; ++rank)
            ok = rank == ranks->exchange.rank || kg_ranks_list_body(ranks, i, rank, false);
    }
    return ok;
}

static kugel_status sum_counters(kugel_ranks *ranks)
{
    kugel_world *world = ranks->world;
    uint64_t sums[] = {world->impacts_total, world->budgets_exhausted, world->list_rebuilds,
                       world->list_refreshes};
    kugel_status status =
        kg_ranks_reduce(ranks, KUGEL_REDUCE_SUM, sums, sizeof sums / sizeof *sums);
    if (status) return status;
    world->impacts_total = sums[0];
    world->budgets_exhausted = sums[1];
    world->list_rebuilds = sums[2];
    world->list_refreshes = sums[3];
    return KUGEL_OK;
}

kugel_status kg_ranks_replicate(kugel_ranks *ranks)
{
    kugel_world *world = ranks->world;
    kugel_status status = kg_ranks_transfer_bodies(ranks, list_for_all(ranks));
    if (!status) status = sum_counters(ranks);
    if (status) return status;
    kg_ranks_append_received(ranks);
    kg_neighbours_invalidate(world);
    kg_query_invalidate(world);
    world->grid->body_count = 0; /* sort in the next step */
    kg_ranks_begin_replicas(ranks);
    return KUGEL_OK;
}
