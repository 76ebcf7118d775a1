/* Ghosts: copies of bodies of other ranks for one tick, in rows behind the own bodies. A body moves
 * by at most ranks->stride, so an own body can meet only bodies that start within two strides and a
 * reach of it. These are the inner ghosts of its rank. Outer ghosts around them, as wide as
 * ranks->buffer, delay the effect of bodies that are missing. Order: by sender, then by slot there.
 * Cost: the bodies near borders. */
#include "impact/paths.h"
#include "ranks/ranks.h"
#include "world/body_rows.h"

#include <string.h>

/* Relative margin of distances, larger than their rounding errors. */
static const double rounding_margin = 1e-6;

/* List a body for the other ranks with a box within `outer` (m) of it, as an inner ghost if the box
 * is within `inner`. */
static bool list_body(kugel_ranks *ranks, uint32_t slot, const double x[3], double inner,
                      double outer)
{
    const kg_partition *partition = &ranks->partition;
    bool ok = true;
    for (uint32_t r = kg_partition_next_rank(partition, x, outer, 0); r < partition->ranks && ok;
         r = kg_partition_next_rank(partition, x, outer, r + 1)) {
        if (r != ranks->exchange.rank)
            ok = kg_ranks_list_body(ranks, slot, r,
                                    kg_partition_next_rank(partition, x, inner, r) == r);
    }
    return ok;
}

/* List the own bodies near boxes of other ranks. Most bodies are far from all borders, so each is
 * first tested against the own box. */
static bool list_near(kugel_ranks *ranks, double inner, double outer)
{
    const kg_bodies *bodies = &ranks->world->bodies;
    const kg_part own = ranks->parts[ranks->exchange.rank];
    bool ok = true;
    for (uint32_t i = 0; i < ranks->own_count && ok; ++i) {
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
        double distance = kg_partition_add_rounding(&ranks->partition, x, outer);
        if (!kg_part_is_inside(&own, x, distance))
            ok = list_body(ranks, i, x, kg_partition_add_rounding(&ranks->partition, x, inner),
                           distance);
    }
    return ok;
}

/* List the own bodies that become ghosts of other ranks. */
static bool list_ghosts(kugel_ranks *ranks)
{
    double inner = (2 * ranks->stride + 2 * ranks->largest_radius) * (1 + rounding_margin);
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
           hashes = ranks->listed_count + ghosts + 1; /* + 1: never NULL */
    if (!kg_tick_paths_begin(world) ||
        !KG_RESERVE(&world->memory, &ranks->columns[KG_RANKS_HASHES], ranks->hashes, hashes, 0))
        return false;
    for (uint32_t g = 0; g < ranks->listed_count; ++g)
        if (ranks->sent_inner[g]) kg_tick_path_mark(world, ranks->sent_slots[g]);
    for (uint32_t row = ranks->own_count; row < world->bodies.count; ++row)
        if (ranks->inner[row - ranks->own_count]) kg_tick_path_mark(world, row);
    return true;
}

/* Each rank sends a word for each listed body; the words of outer ghosts are 0 and not compared. */
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
    kugel_status status = kg_ranks_exchange_words(ranks);
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
    if (ranks->everywhere)
        kg_neighbours_invalidate(ranks->world); /* the cells were made for all bodies */
    kg_neighbours_truncate(ranks->world, ranks->own_count);
    kg_body_rows_truncate(&ranks->world->bodies, ranks->own_count);
}
