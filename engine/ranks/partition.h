/* Partition of space into a box for each rank, by recursive bisection (Berger and Bokhari 1987). A
 * box is cut across its longest axis, so that each side has bodies in proportion to its number of
 * ranks, until each rank has a box. In: bounds, extents and counts of all bodies, the same on
 * all ranks. Out: boxes, the same on all ranks. No result of a step depends on the partition. Cost:
 * log2(ranks) passes over the bodies, more if they are unevenly spread; in each pass the counts of
 * 256 bins a rank are summed over the ranks. */
#ifndef KG_RANKS_PARTITION_H
#define KG_RANKS_PARTITION_H

#include "base/vec.h"
#include "world/world.h"

/* Bins of a box along the axis across which it is cut. The cut lies in an interval: the first bin
 * is below the interval, the last bin above it, and the other bins divide it. */
enum { KG_PARTITION_BINS = 256 };

/* Upper bound of the rounding error of a position after a tick, relative to the sum of the absolute
 * coordinates and the periods. */
#define KG_PARTITION_ROUNDING 1e-15

/* The box of rank r. While boxes are being cut, parts[r] with r < end - 1 is a box of the ranks [r,
 * end) that is still to be cut. The part of the first rank of its upper side, r + (end - r) / 2,
 * is no box yet, but holds the search for the cut. */
typedef struct kg_part {
    /* m. Infinite where neither a cut nor a periodic face bounds the box. Without a box: the
     * interval along `axis` in which the cut is searched */
    double low[3], high[3];
    /* coordinate, m, of the cut below rank r: ranks before r own the places below it */
    double cut;
    int32_t axis;    /* across which this cut is made */
    uint32_t end;    /* end of the ranks that have the box */
    uint32_t passes; /* passes over the bodies that the search for the cut has taken */
} kg_part;

typedef struct kg_partition {
    kg_part *parts; /* by rank */
    uint32_t ranks;
    double low[3], high[3]; /* m, extents of all bodies; along a periodic axis, its faces */
    double period[3];       /* m; 0: not periodic */
    double periods;         /* m, their sum */
} kg_partition;

/* Begin with one box for all ranks. low, high: extents of the bodies, m; `parts`: one a rank. */
void kg_partition_begin(kg_partition *partition, const kugel_bounds *bounds, const double low[3],
                        const double high[3], kg_part *parts, uint32_t ranks);
/* Choose an axis for each new box of several ranks, across which it is to be cut. False when each
 * rank has its box: the partition is complete. */
bool kg_partition_choose_axes(kg_partition *partition);
/* Count n bodies in the bins of the boxes that are to be cut: counts[r * KG_PARTITION_BINS + bin]
 * for the box in parts[r]. */
void kg_partition_count(const kg_partition *partition, double *const x[3], uint32_t n,
                        uint64_t *counts);
/* Cut the boxes of several ranks, so that each side has bodies in proportion to its ranks.
 * `counts`: sums over all ranks. If the bin of a cut has more than 1/64 of the bodies of its box,
 * plus 4, the interval is narrowed to this bin instead, for another pass. So a side has at most
 * that many bodies too many, unless bodies are so close together that the passes do not separate
 * them. */
void kg_partition_cut(kg_partition *partition, const uint64_t *counts);

/* The rank that owns a place. */
uint32_t kg_partition_owner(const kg_partition *partition, const double x[3]);
/* A distance, m, plus the bound of the place's rounding error (KG_PARTITION_ROUNDING). */
static inline double kg_partition_add_rounding(const kg_partition *partition, const double x[3],
                                               double distance)
{
    double size = kg_abs(x[0]) + kg_abs(x[1]) + kg_abs(x[2]) + partition->periods;
    return distance + KG_PARTITION_ROUNDING * size;
}
/* True if a place is in the box, farther than `distance` (m) from all faces. */
static inline bool kg_part_is_inside(const kg_part *part, const double x[3], double distance)
{
    double low = kg_min(x[0] - part->low[0], kg_min(x[1] - part->low[1], x[2] - part->low[2])),
           high = kg_min(part->high[0] - x[0], kg_min(part->high[1] - x[1], part->high[2] - x[2]));
    return kg_min(low, high) > distance;
}
/* The lowest rank >= `first` whose box is near a place: along each axis within a distance (m) of
 * the place or of its periodic images. The number of ranks if there is none. */
uint32_t kg_partition_next_rank(const kg_partition *partition, const double x[3], double distance,
                                uint32_t first);

#endif
