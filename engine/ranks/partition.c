/* The lattice of blocks and its owners. */
#include "ranks/partition.h"

/* A block is at least this many of the largest radii wide: smaller ones are mostly border. */
static const double edge_min = 4;
/* Fewer and larger blocks are visited faster; this many keep the shares of the ranks equal. */
enum { blocks_a_rank = 512 };

void kg_partition_choose_blocks(kg_partition *partition, const kugel_bounds *bounds,
                                const double low[3], const double high[3], double largest_radius,
                                uint32_t ranks)
{
    int32_t axis = KG_PARTITION_AXIS;
    while (axis > 1 && (uint64_t)axis * axis * axis / 8 >= (uint64_t)blocks_a_rank * ranks)
        axis /= 2;
    for (int k = 0; k < 3; ++k) {
        partition->periodic[k] = bounds->faces[2 * k] == KUGEL_FACE_PERIODIC;
        double from = partition->periodic[k] ? bounds->min[k] : low[k],
               length = (partition->periodic[k] ? bounds->max[k] : high[k]) - from,
               fit = length / (edge_min * largest_radius);
        partition->low[k] = from;
        partition->count[k] = fit >= axis ? axis : fit >= 1 ? (int32_t)fit : 1;
        partition->per_metre[k] = length > 0 ? partition->count[k] / length : 1;
        partition->least[k] = partition->periodic[k] ? -partition->count[k] : 0;
        partition->most[k] = (partition->periodic[k] ? 2 : 1) * partition->count[k] - 1;
    }
}

static uint32_t block_index(const kg_partition *partition, const int32_t at[3])
{
    return (uint32_t)((at[2] * partition->count[1] + at[1]) * partition->count[0] + at[0]);
}

/* Coordinates of the block with this place on the curve: bits x, y, z in turn. */
static void morton_block(uint32_t place, int32_t at[3])
{
    at[0] = at[1] = at[2] = 0;
    for (int bit = 0; place >> 3 * bit; ++bit) {
        for (int k = 0; k < 3; ++k) at[k] |= (int32_t)(place >> (3 * bit + k) & 1) << bit;
    }
}

void kg_partition_assign(kg_partition *partition, const uint64_t *bodies, uint32_t ranks)
{
    const int32_t *count = partition->count;
    uint64_t all = 0, before = 0;
    for (int32_t b = 0; b < count[0] * count[1] * count[2]; ++b) all += bodies[b];
    for (uint32_t place = 0; place < KG_PARTITION_BLOCKS; ++place) {
        int32_t at[3];
        morton_block(place, at);
        if (at[0] >= count[0] || at[1] >= count[1] || at[2] >= count[2]) continue;
        uint32_t block = block_index(partition, at);
        /* the rank that the middle of the block's bodies falls to */
        uint64_t middle = (2 * before + bodies[block]) * ranks,
                 owner = all ? middle / (2 * all) : 0;
        partition->owner[block] = owner < ranks ? (uint32_t)owner : ranks - 1;
        before += bodies[block];
    }
}

/* Coordinate of a place along an axis. */
static inline int32_t coordinate(const kg_partition *partition, int axis, double x)
{
    double c = (x - partition->low[axis]) * partition->per_metre[axis],
           least = partition->least[axis], most = partition->most[axis];
    c = c > least ? c : least;
    c = c < most ? c : most;
    int32_t whole = (int32_t)c;
    return whole - (c < whole);
}

uint32_t kg_partition_block(const kg_partition *partition, const double x[3])
{
    int32_t at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = kg_partition_wrap(coordinate(partition, k, x[k]), partition->count[k]);
    return block_index(partition, at);
}

void kg_partition_blocks(const kg_partition *partition, double *const x[3], uint32_t from,
                         uint32_t to, uint16_t *blocks)
{
    for (uint32_t i = from; i < to; ++i)
        blocks[i] =
            (uint16_t)kg_partition_block(partition, (const double[3]){x[0][i], x[1][i], x[2][i]});
}

kg_block_range kg_partition_reach(const kg_partition *partition, const double x[3], double distance)
{
    kg_block_range range;
    for (int k = 0; k < 3; ++k) {
        int32_t count = partition->count[k];
        range.from[k] = coordinate(partition, k, x[k] - distance);
        range.to[k] = coordinate(partition, k, x[k] + distance);
        if (range.to[k] - range.from[k] < count) continue;
        range.from[k] = 0, range.to[k] = count - 1;
    }
    return range;
}

static uint64_t widen(uint64_t p, uint64_t q)
{
    uint64_t low = (uint32_t)p < (uint32_t)q ? (uint32_t)p : (uint32_t)q,
             high = p >> 32 > q >> 32 ? p >> 32 : q >> 32;
    return high << 32 | low;
}

/* Give each block of a line the owners of the blocks up to `reach` before and after it. */
static void widen_line(uint64_t *owners, int32_t stride, int32_t count, int32_t reach,
                       bool periodic)
{
    uint64_t line[KG_PARTITION_AXIS];
    for (int32_t c = 0; c < count; ++c) line[c] = owners[c * stride];
    for (int32_t c = 0; c < count; ++c) {
        for (int32_t d = -reach; d <= reach; ++d) {
            bool inside = c + d >= 0 && c + d < count;
            if (inside || periodic)
                owners[c * stride] =
                    widen(owners[c * stride], line[kg_partition_wrap(c + d, count)]);
        }
    }
}

static void widen_axis(const kg_partition *partition, int axis, int32_t reach, uint64_t *owners)
{
    const int32_t *count = partition->count;
    int32_t stride[3] = {1, count[0], count[0] * count[1]}, p = (axis + 1) % 3, q = (axis + 2) % 3;
    for (int32_t i = 0; i < count[p]; ++i) {
        for (int32_t k = 0; k < count[q]; ++k)
            widen_line(owners + i * stride[p] + k * stride[q], stride[axis], count[axis], reach,
                       partition->periodic[axis]);
    }
}

void kg_partition_find_borders(const kg_partition *partition, double distance, uint64_t *owners)
{
    const int32_t *count = partition->count;
    for (int32_t b = 0; b < count[0] * count[1] * count[2]; ++b)
        owners[b] = (uint64_t)partition->owner[b] << 32 | partition->owner[b];
    for (int axis = 0; axis < 3; ++axis) {
        double reach = distance * partition->per_metre[axis] + 1;
        widen_axis(partition, axis, reach < count[axis] ? (int32_t)reach : count[axis], owners);
    }
}
