/* Public functions that read the counts, energies and step times of a world. */
#include "api/api_step.h"
#include "grid/grid.h"
#include "query/query_index.h"
#include "world/energy.h"
#include "world/guard.h"
#include "world/sleep_state.h"

/* Energies and momentum of the dynamic bodies, added in order of ids, so that the bits do not
 * depend on the order of the slots. */
static void sum_energy(const kugel_world *world, kugel_stats *stats)
{
    const kg_bodies *b = &world->bodies;
    for (uint32_t id = 0; id < b->id_end; ++id) {
        uint32_t i = b->slot[id];
        if (i == KG_NONE) continue;
        kg_energy energy = kg_energy_of_body(world, i);
        kg_energy_add(stats, &energy);
    }
}

void kugel_world_stats(const kugel_world *world, kugel_stats *stats)
{
    if (!stats) return;
    *stats = (kugel_stats){0};
    if (!kg_refuse_read(world)) kg_api_read_stats(world, stats);
}

void kg_api_read_stats(const kugel_world *world, kugel_stats *stats)
{
    stats->tick = world->tick;
    stats->time = world->time;
    stats->impacts = world->events.published.handled_impact_count;
    stats->impacts_total = world->impacts_total;
    stats->substeps = world->substeps_taken;
    stats->substeps_limited = world->substeps_limited;
    stats->budgets_exhausted = world->budgets_exhausted;
    stats->resting_contacts = kg_world_contact_count(world);
    stats->list_rebuilds = world->list_rebuilds;
    stats->list_refreshes = world->list_refreshes;
    stats->neighbour_pairs = world->grid->neighbour_total / 2;
    stats->memory =
        world->memory.used + kg_query_memory(world->query) + kg_contact_index_memory(world);
    for (uint32_t i = 0; i < world->bodies.count; ++i)
        stats->asleep += world->bodies.sleep_state[i] == KG_ASLEEP;
    sum_energy(world, stats);
}

void kugel_world_step_times(const kugel_world *world, kugel_step_times *last,
                            kugel_step_times *total)
{
    if (last) *last = world ? world->stopwatch.last : (kugel_step_times){0};
    if (total) *total = world ? world->stopwatch.total : (kugel_step_times){0};
}
