/* Which rank owns which part of space: a lattice of blocks, cut along a space-filling curve (Morton
 * order) into one run of blocks a rank, with about equally many bodies each.
 * In: bounds, extents and counts of bodies that are the same on all ranks. Out: owners, the same on
 * all ranks. No result depends on the partition. Cost: one pass over the bodies and the blocks. */
#ifndef KG_RANKS_PARTITION_H
#define KG_RANKS_PARTITION_H

#include "world/world.h"

/* Blocks along an axis at most; a power of two. */
enum { KG_PARTITION_AXIS = 32, KG_PARTITION_BLOCKS = 32 * 32 * 32 };

typedef struct kg_partition {
    double low[3];       /* m; blocks at the ends of an axis that is not periodic are endless */
    double per_metre[3]; /* blocks in a metre along each axis, 1/m */
    int32_t count[3];    /* blocks along each axis */
    double least[3], most[3]; /* coordinates: one period more at both ends of a periodic axis */
    bool periodic[3];
    uint32_t owner[KG_PARTITION_BLOCKS]; /* rank, by block */
} kg_partition;

/* Blocks [from, to] along each axis, not wrapped. */
typedef struct kg_block_range {
    int32_t from[3], to[3];
} kg_block_range;

/* Choose the blocks of a box of bodies, low to high, m; periodic axes take the world's bounds. */
void kg_partition_choose_blocks(kg_partition *partition, const kugel_bounds *bounds,
                                const double low[3], const double high[3], double largest_radius,
                                uint32_t ranks);
/* Cut the blocks into runs for `ranks` ranks; `bodies`: number of bodies by block. */
void kg_partition_assign(kg_partition *partition, const uint64_t *bodies, uint32_t ranks);
/* Block of a place; blocks of the places [from, to) of three columns. */
uint32_t kg_partition_block(const kg_partition *partition, const double x[3]);
void kg_partition_blocks(const kg_partition *partition, double *const x[3], uint32_t from,
                         uint32_t to, uint16_t *blocks);
/* Blocks that a body at x can reach within a distance, m; an axis is covered once at most. */
kg_block_range kg_partition_reach(const kg_partition *partition, const double x[3],
                                  double distance);
/* Find the blocks near borders: owners[b] becomes the lowest owner, and 2^32 times the highest, of
 * the blocks that a body in block b can reach within a distance, m. */
void kg_partition_find_borders(const kg_partition *partition, double distance, uint64_t *owners);
static inline bool kg_partition_is_inside(uint64_t owners)
{
    return owners >> 32 == (uint32_t)owners;
}
/* Coordinate of a block of a range, within [0, count). */
static inline int32_t kg_partition_wrap(int32_t c, int32_t count)
{
    return c < 0 ? c + count : c >= count ? c - count : c;
}
/* Owners of the blocks along x at y, z of a range. */
static inline const uint32_t *kg_partition_row(const kg_partition *partition, int32_t y, int32_t z)
{
    const int32_t *count = partition->count;
    int32_t row = kg_partition_wrap(z, count[2]) * count[1] + kg_partition_wrap(y, count[1]);
    return partition->owner + (size_t)row * (size_t)count[0];
}

#endif
