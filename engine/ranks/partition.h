/* Which rank owns which part of space: a box for each rank, by recursive bisection (Berger and
 * Bokhari 1987). A box is cut across its longest axis, so that both sides have bodies in proportion
 * to their numbers of ranks, until each rank has a box. In: bounds, extents and counts of bodies
 * that are the same on all ranks. Out: boxes, the same on all ranks. No result depends on the
 * partition. Cost: log2(ranks) passes over the bodies, more where they are far from evenly spread;
 * in each, numbers of 256 bins a rank are summed over the ranks. */
#ifndef KG_RANKS_PARTITION_H
#define KG_RANKS_PARTITION_H

#include "base/vec.h"
#include "world/world.h"

/* Bins of a box along the axis that is cut. The first is what is below the interval where the cut
 * is, the last one what is above. */
enum { KG_PARTITION_BINS = 256 };

/* Of a place, relative to the sum of coordinates and periods, after the sums of a tick. */
#define KG_PARTITION_ROUNDING 1e-15

/* By rank. While boxes are cut, that of ranks [r, end) is at r. */
typedef struct kg_part {
    /* m; infinite where no cut and no periodic face bounds the box. Until the ranks before this one
     * are cut off: along `axis`, the interval of that cut */
    double low[3], high[3];
    /* m; between the ranks before this one, which own the places below it, and those from it on */
    double cut;
    int32_t axis;
    uint32_t end;
    uint32_t passes; /* over the bodies, for the cut */
} kg_part;

typedef struct kg_partition {
    kg_part *parts; /* by rank */
    uint32_t ranks;
    double low[3], high[3]; /* m, of all bodies; of the world along periodic axes */
    double period[3];       /* m; 0: not periodic */
    double periods;         /* m, their sum */
} kg_partition;

/* Begin with one box for all ranks. low, high: extents of the bodies, m; `parts`: one a rank. */
void kg_partition_begin(kg_partition *partition, const kugel_bounds *bounds, const double low[3],
                        const double high[3], kg_part *parts, uint32_t ranks);
/* Choose the axes across which new boxes of several ranks are cut. False when each rank has its
 * box: the partition is complete. */
bool kg_partition_choose_axes(kg_partition *partition);
/* Add bodies to the bins of these boxes: counts[r * KG_PARTITION_BINS + bin] for the box at r. */
void kg_partition_count(const kg_partition *partition, double *const x[3], uint32_t n,
                        uint64_t *counts);
/* Cut these boxes where their counts, of all ranks, are shared out best; where the cut is in a bin
 * with many bodies, narrow the interval to that bin instead. So a side of a cut has at most 1/64 of
 * the bodies of the box, and 4, too many, unless these are too close together. */
void kg_partition_cut(kg_partition *partition, const uint64_t *counts);

/* The rank that owns a place. */
uint32_t kg_partition_owner(const kg_partition *partition, const double x[3]);
/* The distance, m, and more than the place is rounded to in any period. */
static inline double kg_partition_distance(const kg_partition *partition, const double x[3],
                                           double distance)
{
    double size = kg_abs(x[0]) + kg_abs(x[1]) + kg_abs(x[2]) + partition->periods;
    return distance + KG_PARTITION_ROUNDING * size;
}
/* True when a place is in the box, farther than `distance` (m) from its faces. */
static inline bool kg_part_is_inside(const kg_part *part, const double x[3], double distance)
{
    double low = kg_min(x[0] - part->low[0], kg_min(x[1] - part->low[1], x[2] - part->low[2])),
           high = kg_min(part->high[0] - x[0], kg_min(part->high[1] - x[1], part->high[2] - x[2]));
    return kg_min(low, high) > distance;
}
/* The first rank from `first` on whose box is within a distance (m) of a place along each axis, in
 * some period; the number of ranks where there is none. */
uint32_t kg_partition_next(const kg_partition *partition, const double x[3], double distance,
                           uint32_t first);

#endif
