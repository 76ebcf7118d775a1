/* Ghosts: copies of bodies of other ranks, in rows behind the own ones, for one tick.
 * A body moves by ranks->travel at most, so an own body can meet only bodies that start within two
 * travels and a reach of it: these are inner ghosts of its rank. A buffer of further ghosts around
 * them delays errors from outside. Order: slots of the sender. Cost: the bodies near borders. */
#include "impact/subdomains.h"
#include "ranks/ranks.h"
#include "world/body_rows.h"

#include <string.h>

/* Distances are larger by more than their rounding. */
static const double slack = 1e-6;

/* List a body for the ranks whose boxes it can reach. */
static bool list_body(kugel_ranks *ranks, uint32_t slot, const double x[3], double inner,
                      double outer)
{
    const kg_partition *partition = &ranks->partition;
    bool ok = true;
    for (uint32_t r = kg_partition_next(partition, x, outer, 0); r < partition->ranks && ok;
         r = kg_partition_next(partition, x, outer, r + 1)) {
        if (r != ranks->exchange.rank)
            ok = kg_ranks_list_body(ranks, slot, r, kg_partition_next(partition, x, inner, r) == r);
    }
    return ok;
}

/* List the own bodies near other ranks. Most bodies are far from all borders. */
static bool list_near(kugel_ranks *ranks, double inner, double outer)
{
    const kg_bodies *bodies = &ranks->world->bodies;
    const kg_part own = ranks->parts[ranks->exchange.rank];
    bool ok = true;
    for (uint32_t i = 0; i < ranks->own_count && ok; ++i) {
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
        double distance = kg_partition_distance(&ranks->partition, x, outer);
        if (!kg_part_is_inside(&own, x, distance))
            ok = list_body(ranks, i, x, kg_partition_distance(&ranks->partition, x, inner),
                           distance);
    }
    return ok;
}

/* List the own bodies that are ghosts elsewhere. */
static bool list_ghosts(kugel_ranks *ranks)
{
    double inner = (2 * ranks->travel + 2 * ranks->largest_radius) * (1 + slack);
    ranks->listed_count = 0;
    return ranks->everywhere ? kg_ranks_list_for_all(ranks)
                             : list_near(ranks, inner, inner + ranks->buffer);
}

kugel_status kg_ranks_add_ghosts(kugel_ranks *ranks)
{
    kg_bodies *bodies = &ranks->world->bodies;
    ranks->own_count = bodies->count;
    kugel_status status = kg_ranks_transfer_bodies(ranks, list_ghosts(ranks));
    if (status) return status;
    kg_ranks_append_received(ranks);
    ranks->counts.ghosts = bodies->count - ranks->own_count;
    if (ranks->everywhere) kg_neighbours_invalidate(ranks->world);
    return KUGEL_OK;
}

bool kg_ranks_begin_comparison(kugel_ranks *ranks)
{
    kugel_world *world = ranks->world;
    size_t ghosts = world->bodies.count - ranks->own_count,
           hashes = ranks->listed_count + ghosts + 1; /* not NULL without any */
    if (!kg_tick_paths_begin(world) ||
        !KG_RESERVE(&world->memory, &ranks->columns[KG_RANKS_HASHES], ranks->hashes, hashes, 0))
        return false;
    for (uint32_t g = 0; g < ranks->listed_count; ++g)
        if (ranks->sent_inner[g]) kg_tick_path_compare(world, ranks->sent_slots[g]);
    for (uint32_t row = ranks->own_count; row < world->bodies.count; ++row)
        if (ranks->inner[row - ranks->own_count]) kg_tick_path_compare(world, row);
    return true;
}

/* Sends a word for each ghost. */
kugel_status kg_ranks_compare_ghosts(kugel_ranks *ranks, bool *same)
{
    const kugel_world *world = ranks->world;
    size_t size = ranks->exchange.count * sizeof *ranks->sent_words;
    memcpy(ranks->sent_words, ranks->sent_bodies, size);
    memcpy(ranks->received_words, ranks->received_bodies, size);
    ranks->sent = ranks->hashes;
    ranks->received = ranks->hashes + ranks->listed_count;
    for (uint32_t g = 0; g < ranks->listed_count; ++g)
        ranks->sent[g] = ranks->sent_inner[g] ? kg_tick_path_hash(world, ranks->sent_slots[g]) : 0;
    kugel_status status = kg_ranks_send(ranks);
    if (status) return status;
    *same = true;
    for (uint32_t row = ranks->own_count; row < world->bodies.count; ++row) {
        uint32_t g = row - ranks->own_count;
        if (ranks->inner[g]) *same &= ranks->received[g] == kg_tick_path_hash(world, row);
    }
    return KUGEL_OK;
}

void kg_ranks_drop_ghosts(kugel_ranks *ranks)
{
    if (ranks->everywhere) kg_neighbours_invalidate(ranks->world); /* the cells fit all bodies */
    kg_neighbours_truncate(ranks->world, ranks->own_count);
    kg_body_rows_truncate(&ranks->world->bodies, ranks->own_count);
}
