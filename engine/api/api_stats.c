/* Public functions that read the counts, energies and step times of a world. */
#include "api/api_step.h"
#include "base/sized.h"
#include "grid/grid.h"
#include "query/query_index.h"
#include "world/energy.h"
#include "world/guard.h"

/* In order of ids, so that the bits do not depend on the order of the slots. */
void kg_api_read_energy(const kugel_world *world, kugel_energy *energy)
{
    const kg_bodies *b = &world->bodies;
    for (uint32_t id = 0; id < b->id_end; ++id) {
        uint32_t i = b->slot[id];
        if (i == KG_NONE) continue;
        kugel_energy more = kg_energy_of_body(world, i);
        kg_energy_add(energy, &more);
    }
}

void kugel_world_energy(const kugel_world *world, kugel_energy *energy, size_t size)
{
    kugel_energy read = {0};
    if (!kg_refuse_read(world)) kg_api_read_energy(world, &read);
    if (energy) kg_copy_sized(energy, size, &read, sizeof read);
}

void kugel_world_stats(const kugel_world *world, kugel_stats *stats, size_t size)
{
    kugel_stats read = {0};
    if (!kg_refuse_read(world)) kg_api_read_stats(world, &read);
    if (stats) kg_copy_sized(stats, size, &read, sizeof read);
}

void kg_api_read_stats(const kugel_world *world, kugel_stats *stats)
{
    stats->asleep = world->bodies.asleep_count;
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
    stats->neighbor_pairs = world->grid->neighbour_total / 2;
    stats->memory =
        world->memory.used + kg_query_memory(world->query) + kg_contact_index_memory(world);
}

void kugel_world_step_times(const kugel_world *world, kugel_step_times *last,
                            kugel_step_times *total, size_t size)
{
    static const kg_stopwatch none;
    const kg_stopwatch *watch = world ? &world->stopwatch : &none;
    if (last) kg_copy_sized(last, size, &watch->last, sizeof watch->last);
    if (total) kg_copy_sized(total, size, &watch->total, sizeof watch->total);
}
