/* Gives each rank the whole world. A replicated world stays whole: its steps cannot be divided,
 * because it is no gas (kg_ranks_can_divide). A divided world is whole while calls change it
 * between steps. In: a divided or replicated world. Out: equal worlds on all ranks. Cost: each rank
 * needs the memory of one process, and a step of a replicated world takes the time of one
 * process. */
#include "grid/neighbours.h"
#include "query/query_index.h"
#include "ranks/ranks.h"

/* True if a body sleeps, was woken, is driven, or has been slow (world/sleep_state.h). */
static bool any_sleep_state(const kg_bodies *bodies)
{
    bool any = false;
    for (uint32_t i = 0; i < bodies->count; ++i) any |= bodies->sleep_state[i] != 0;
    return any;
}

bool kg_ranks_can_divide(const kugel_world *world)
{
    return world->def.bounce_threshold == 0 && world->def.growth == 0 && !world->contacts.count &&
           !any_sleep_state(&world->bodies) && !kg_world_any_sensor(world) &&
           !world->pair_filter.decide && !kg_bodies_any_load(&world->bodies);
}

void kg_ranks_begin_replicas(kugel_ranks *ranks)
{
    ranks->world->replicas = &ranks->exchange;
    ranks->world->whole = NULL;
}

/* Give each rank all bodies of a divided world, as own bodies. */
static kugel_status gather_on_all(kugel_ranks *ranks)
{
    kugel_world *world = ranks->world;
    kugel_status status = kg_ranks_transfer_bodies(ranks, kg_ranks_list_for_all(ranks));
    if (!status) status = kg_ranks_sum_counters(ranks);
    if (status) return status;
    kg_ranks_append_received(ranks);
    kg_ranks_free_buffers(ranks);
    kg_neighbours_invalidate(world);
    kg_query_invalidate(world);
    world->grid->body_count = 0; /* the next step sorts the bodies in space */
    return KUGEL_OK;
}

kugel_status kg_ranks_replicate(kugel_ranks *ranks)
{
    kugel_status status = gather_on_all(ranks);
    if (!status) kg_ranks_begin_replicas(ranks);
    return status;
}

kugel_status kg_ranks_edit(kugel_ranks *ranks)
{
    kugel_world *world = ranks->world;
    kg_ranks_drop_gathered(ranks);
    if (ranks->edited) return KUGEL_OK;
    kugel_status status = world->replicas ? KUGEL_OK : gather_on_all(ranks);
    if (status) return status;
    world->whole = NULL;
    world->replicas = NULL;
    ranks->edited = true;
    return KUGEL_OK;
}

kugel_status kg_ranks_end_edit(kugel_ranks *ranks)
{
    kg_ranks_drop_gathered(ranks);
    kugel_status status = ranks->edited ? kg_ranks_divide(ranks) : KUGEL_OK;
    ranks->edited &= status != KUGEL_OK;
    return status;
}
