/* Ghosts: copies of bodies of other ranks, in rows behind the own ones, for one tick.
 * A body moves by ranks->travel at most, so an own body can meet only bodies that start within two
 * travels and a reach of it: these are inner ghosts of its rank. A buffer of further ghosts around
 * them delays errors from outside. Order: slots of the sender. Cost: the bodies near borders. */
#include "impact/subdomains.h"
#include "ranks/ranks.h"
#include "world/body_rows.h"

#include <math.h>
#include <string.h>

/* Distances are larger by more than their rounding. */
static const double slack = 1e-6, place_slack = 1e-15;

static bool add_ghost(kugel_ranks *ranks, uint32_t slot, uint32_t rank, bool inner)
{
    if (!kg_ranks_list_body(ranks, slot, rank, inner)) return false;
    ranks->last_ghost[rank] = ranks->listed_count;
    return true;
}

/* Visit the owner of a block that a body can reach: add a ghost there, or mark it as inner. */
static bool visit_owner(kugel_ranks *ranks, uint32_t slot, uint32_t rank, bool inner)
{
    uint64_t last = ranks->last_ghost[rank];
    if (inner) ranks->listed[last - 1].inner = true;
    else if (!last || ranks->listed[last - 1].slot != slot)
        return add_ghost(ranks, slot, rank, false);
    return true;
}

/* Visit the owners of the blocks that a body can reach. */
static bool visit_reach(kugel_ranks *ranks, uint32_t slot, const double x[3], double distance,
                        bool inner)
{
    kg_block_range range = kg_partition_reach(&ranks->partition, x, distance);
    uint32_t own = ranks->exchange.rank, last = own;
    int32_t count = ranks->partition.count[0];
    for (int32_t z = range.from[2]; z <= range.to[2]; ++z) {
        for (int32_t y = range.from[1]; y <= range.to[1]; ++y) {
            const uint32_t *owner = kg_partition_row(&ranks->partition, y, z);
            int32_t at = kg_partition_wrap(range.from[0], count);
            for (int32_t n = range.to[0] - range.from[0]; n >= 0; --n) {
                uint32_t rank = owner[at];
                at = at + 1 < count ? at + 1 : 0;
                if (rank == last) continue;
                last = rank;
                if (rank != own && !visit_owner(ranks, slot, rank, inner)) return false;
            }
        }
    }
    return true;
}

static bool add_to_all(kugel_ranks *ranks, uint32_t slot)
{
    bool ok = true;
    for (uint32_t rank = 0; rank < ranks->exchange.count && ok; ++rank)
        ok = rank == ranks->exchange.rank || add_ghost(ranks, slot, rank, true);
    return ok;
}

/* List a body where it is a ghost. Most bodies are far from all borders. */
static bool list_body(kugel_ranks *ranks, uint32_t i, double reach)
{
    const kg_bodies *bodies = &ranks->world->bodies;
    const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
    double rounding = place_slack * (fabs(x[0]) + fabs(x[1]) + fabs(x[2])),
           inner = reach + rounding;
    if (rounding < slack * ranks->largest_radius && !ranks->near_border[ranks->row_block[i]])
        return true;
    uint32_t before = ranks->listed_count;
    return visit_reach(ranks, i, x, inner + ranks->buffer, false) &&
           (ranks->listed_count == before || visit_reach(ranks, i, x, inner, true));
}

/* Find the blocks near borders where those of an earlier tick do not suit the distance, m. */
static void find_borders(kugel_ranks *ranks, double distance)
{
    const double least = 0.8, more = 1.1; /* of the distance for which they were found */
    if (distance <= ranks->border_reach && distance >= least * ranks->border_reach) return;
    ranks->border_reach = more * distance;
    kg_partition_find_borders(&ranks->partition, ranks->border_reach, ranks->blocks);
    for (uint32_t b = 0; b < KG_PARTITION_BLOCKS; ++b)
        ranks->near_border[b] = !kg_partition_is_inside(ranks->blocks[b]);
}

/* List the own bodies that are ghosts elsewhere. */
static bool list_ghosts(kugel_ranks *ranks)
{
    double reach = (2 * ranks->travel + 2 * ranks->largest_radius) * (1 + slack),
           border = reach + ranks->buffer + slack * ranks->largest_radius;
    bool ok = kg_ranks_find_blocks(ranks);
    ranks->listed_count = 0;
    memset(ranks->last_ghost, 0, ranks->exchange.count * sizeof *ranks->last_ghost);
    find_borders(ranks, border);
    for (uint32_t i = 0; i < ranks->own_count && ok; ++i)
        ok = ranks->everywhere ? add_to_all(ranks, i) : list_body(ranks, i, reach);
    return ok;
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

void kg_ranks_mark_compared(kugel_ranks *ranks)
{
    kugel_world *world = ranks->world;
    for (uint32_t g = 0; g < ranks->listed_count; ++g)
        if (ranks->sent_inner[g]) kg_tick_path_compare(world, ranks->sent_slots[g]);
    for (uint32_t row = ranks->own_count; row < world->bodies.count; ++row)
        if (ranks->inner[row - ranks->own_count]) kg_tick_path_compare(world, row);
}

/* Sends a word for each ghost, which fits: the buffers held whole rows of the ghosts before. */
kugel_status kg_ranks_compare_ghosts(kugel_ranks *ranks, bool *same)
{
    const kugel_world *world = ranks->world;
    size_t size = ranks->exchange.count * sizeof *ranks->sent_words;
    memcpy(ranks->sent_words, ranks->sent_bodies, size);
    memcpy(ranks->received_words, ranks->received_bodies, size);
    for (uint32_t g = 0; g < ranks->listed_count; ++g)
        ranks->sent[g] = kg_tick_path_hash(world, ranks->sent_slots[g]);
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
