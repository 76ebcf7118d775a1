/* Makes new partitions, and moves bodies to the ranks that own their places. In: the bodies of each
 * rank. Out: each body on the rank whose box contains it. Cost: a pass over the own bodies; for a
 * new partition several passes and reductions (partition.h). */
#include "base/sort.h"
#include "grid/neighbours.h"
#include "query/query_index.h"
#include "ranks/ranks.h"
#include "world/body_rows.h"

#include <string.h>

/* The box of all bodies of all ranks, m. */
static kugel_status find_extents(kugel_ranks *ranks, double low[3], double high[3])
{
    const kg_bodies *bodies = &ranks->world->bodies;
    uint64_t lowest[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX}, highest[3] = {0, 0, 0};
    for (uint32_t i = 0; i < bodies->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint64_t key = kg_sort_key(bodies->x[k][i] + 0.0);
            lowest[k] = key < lowest[k] ? key : lowest[k];
            highest[k] = key > highest[k] ? key : highest[k];
        }
    }
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MIN, lowest, 3);
    if (!status) status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, highest, 3);
    for (int k = 0; k < 3; ++k) {
        low[k] = ranks->whole.body_count ? kg_sort_key_value(lowest[k]) : 0;
        high[k] = ranks->whole.body_count ? kg_sort_key_value(highest[k]) : 0;
    }
    return status;
}

kugel_status kg_ranks_repartition(kugel_ranks *ranks)
{
    kugel_world *world = ranks->world;
    kg_partition *partition = &ranks->partition;
    size_t n = (size_t)ranks->exchange.count * KG_PARTITION_BINS;
    double low[3], high[3];
    kugel_status status = find_extents(ranks, low, high);
    if (status) return status;
    kg_partition_begin(partition, &world->def.bounds, low, high, ranks->parts,
                       ranks->exchange.count);
    while (kg_partition_choose_axes(partition) && !status) {
        memset(ranks->terms, 0, n * sizeof *ranks->terms);
        kg_partition_count(partition, world->bodies.x, world->bodies.count, ranks->terms);
        status = kg_ranks_reduce(ranks, KUGEL_REDUCE_SUM, ranks->terms, n);
        kg_partition_cut(partition, ranks->terms);
    }
    if (status) return status;
    kg_neighbours_invalidate(world); /* the cells were made for another part of space */
    ranks->counts.partitions += 1;
    ranks->ticks_since_partition = 0;
    return KUGEL_OK;
}

bool kg_ranks_list_leaving(kugel_ranks *ranks)
{
    const kg_bodies *bodies = &ranks->world->bodies;
    const kg_part own = ranks->parts[ranks->exchange.rank];
    bool ok = true;
    ranks->listed_count = 0;
    for (uint32_t i = 0; i < bodies->count && ok; ++i) {
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
        if (kg_part_is_inside(&own, x, 0)) continue;
        uint32_t owner = kg_partition_owner(&ranks->partition, x);
        ok = owner == ranks->exchange.rank || kg_ranks_list_body(ranks, i, owner, false);
    }
    return ok;
}

void kg_ranks_drop_listed(kugel_ranks *ranks)
{
    /* from the last slot on, because the last row takes the place of a removed row */
    for (uint32_t k = ranks->listed_count; k-- > 0;) {
        uint32_t slot = ranks->listed[k].slot;
        kg_neighbours_remove_row(ranks->world, slot);
        kg_body_row_remove(&ranks->world->bodies, slot);
    }
    kg_query_invalidate(ranks->world);
}

kugel_status kg_ranks_migrate(kugel_ranks *ranks)
{
    kugel_status status = kg_ranks_transfer_bodies(ranks, kg_ranks_list_leaving(ranks));
    if (status) return status;
    kg_ranks_drop_listed(ranks);
    kg_ranks_append_received(ranks);
    return KUGEL_OK;
}
