/* Sums over all ranks: hash, counters, energies. Integers are added by a reduction. Sums of
 * energies round, so they are added in id order, as one process does. For this, a reduction sends
 * the terms of IDS_AT_ONCE ids at a time to all ranks: the owner of a body contributes the bits of
 * its terms, other ranks 0. Cost: O(ids) numbers for energies. */
#include "base/bytes.h"
#include "ranks/ranks.h"
#include "record/state_hash.h"
#include "world/energy.h"

#include <string.h>

/* TERMS: numbers of a kugel_energy. COUNTERS: of read_counters. */
enum { TERMS = 5, IDS_AT_ONCE = KG_RANKS_TERMS_MIN / TERMS, COUNTERS = 5 };

static void read_counters(const kugel_world *world, uint64_t counters[COUNTERS])
{
    counters[0] = world->impacts_total;
    counters[1] = world->budgets_exhausted;
    counters[2] = world->list_rebuilds;
    counters[3] = world->list_refreshes;
    counters[4] = world->events.published.handled_impact_count;
}

static void write_counters(kugel_world *world, const uint64_t counters[COUNTERS])
{
    world->impacts_total = counters[0];
    world->budgets_exhausted = counters[1];
    world->list_rebuilds = counters[2];
    world->list_refreshes = counters[3];
    world->events.published.handled_impact_count = (size_t)counters[4];
}

kugel_status kg_ranks_sum_counters(kugel_ranks *ranks)
{
    uint64_t counters[COUNTERS];
    read_counters(ranks->world, counters);
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_SUM, counters, COUNTERS);
    if (!status) write_counters(ranks->world, counters);
    return status;
}

void kg_ranks_keep_counters_on_rank_0(kugel_ranks *ranks)
{
    static const uint64_t none[COUNTERS];
    if (ranks->exchange.rank == 0) return;
    write_counters(ranks->world, none);
    ranks->world->events.removed_count = ranks->world->events.left_count = 0;
}

kugel_status kg_ranks_hash(kugel_ranks *ranks, uint64_t *hash)
{
    if (ranks->world->replicas) {
        *hash = kg_state_hash(ranks->world);
        return KUGEL_OK;
    }
    kg_hash_sums sums = kg_state_hash_sums(ranks->world);
    uint64_t values[4] = {sums.bodies, sums.contacts, sums.body_hashes, sums.contact_hashes};
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_SUM, values, 4);
    sums = (kg_hash_sums){values[0], values[1], values[2], values[3]};
    *hash = kg_state_hash_of_sums(ranks->world, &sums);
    return status;
}

/* Add the energies of ids [from, to) of all ranks to `sums`. */
static kugel_status add_energies(kugel_ranks *ranks, uint32_t from, uint32_t to, kugel_energy *sums)
{
    const kg_bodies *bodies = &ranks->world->bodies;
    uint64_t *terms = ranks->terms;
    _Static_assert(sizeof(kugel_energy) == TERMS * sizeof *terms, "a word for each term");
    memset(terms, 0, (size_t)(to - from) * sizeof(kugel_energy));
    for (uint32_t id = from; id < to; ++id) {
        if (bodies->slot[id] == KG_NONE) continue;
        kugel_energy energy = kg_energy_of_body(ranks->world, bodies->slot[id]);
        memcpy(terms + (size_t)(id - from) * TERMS, &energy, sizeof energy);
    }
    kugel_status status =
        kg_ranks_reduce(ranks, KUGEL_REDUCE_SUM, terms, (size_t)(to - from) * TERMS);
    for (uint32_t id = from; id < to && !status; ++id) {
        kugel_energy energy;
        memcpy(&energy, terms + (size_t)(id - from) * TERMS, sizeof energy);
        kg_energy_add(sums, &energy);
    }
    return status;
}

kugel_status kg_ranks_sum_stats(kugel_ranks *ranks, kugel_stats *stats)
{
    uint64_t memory = stats->memory;
    if (ranks->world->replicas) {
        kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_SUM, &memory, 1);
        stats->memory = (size_t)memory;
        return status;
    }
    uint64_t counts[] = {stats->impacts,
                         stats->impacts_total,
                         stats->budgets_exhausted,
                         stats->list_rebuilds,
                         stats->list_refreshes,
                         stats->neighbor_pairs,
                         memory};
    kugel_status status =
        kg_ranks_reduce(ranks, KUGEL_REDUCE_SUM, counts, sizeof counts / sizeof *counts);
    stats->impacts = counts[0];
    stats->impacts_total = counts[1];
    stats->budgets_exhausted = counts[2];
    stats->list_rebuilds = counts[3];
    stats->list_refreshes = counts[4];
    stats->neighbor_pairs = counts[5];
    stats->memory = (size_t)counts[6];
    return status;
}

kugel_status kg_ranks_sum_energy(kugel_ranks *ranks, kugel_energy *sums)
{
    uint32_t end = ranks->world->bodies.id_end;
    kugel_status status = KUGEL_OK;
    for (uint32_t from = 0; from < end && !status; from += IDS_AT_ONCE)
        status =
            add_energies(ranks, from, end - from < IDS_AT_ONCE ? end : from + IDS_AT_ONCE, sums);
    return status;
}
