/* The partition of space: what a body can reach is found, and the runs of ranks are about equal. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "ranks/partition.h"
#include "support/support_random.h"

enum { BODIES = 2000, TRIALS = 40 };

typedef struct space {
    kg_partition partition;
    kugel_bounds bounds;
    double x[BODIES][3];
    uint64_t counts[KG_PARTITION_BLOCKS];
    uint64_t owners[KG_PARTITION_BLOCKS];
    uint32_t ranks;
} space;

static uint32_t owner_of(const space *s, uint32_t i)
{
    return s->partition.owner[kg_partition_block(&s->partition, s->x[i])];
}

static space *make_space(support_random *random)
{
    space *s = calloc(1, sizeof *s);
    double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9}, shift = 0;
    cr_assert(s);
    if (support_below(random, 3) == 0) shift = support_between(random, -1e6, 1e6);
    for (int k = 0; k < 3; ++k) {
        double length = support_between(random, 3, 60);
        s->bounds.min[k] = shift, s->bounds.max[k] = shift + length;
        if (support_below(random, 2))
            s->bounds.faces[2 * k] = s->bounds.faces[2 * k + 1] = KUGEL_FACE_PERIODIC;
        for (uint32_t i = 0; i < BODIES; ++i) {
            double x = s->x[i][k] = shift + length * support_uniform(random);
            low[k] = x < low[k] ? x : low[k], high[k] = x > high[k] ? x : high[k];
        }
    }
    s->ranks = 1 + support_below(random, 9);
    kg_partition_choose_blocks(&s->partition, &s->bounds, low, high,
                               support_between(random, 0.2, 2), s->ranks);
    for (uint32_t i = 0; i < BODIES; ++i)
        s->counts[kg_partition_block(&s->partition, s->x[i])] += 1;
    kg_partition_assign(&s->partition, s->counts, s->ranks);
    return s;
}

/* Distance of two places along an axis, m. */
static double apart(const space *s, int axis, double a, double b)
{
    double d = a > b ? a - b : b - a, length = s->bounds.max[axis] - s->bounds.min[axis];
    return s->partition.periodic[axis] && d > length - d ? length - d : d;
}

static bool reaches(const space *s, uint32_t i, uint32_t j, double distance)
{
    for (int k = 0; k < 3; ++k) {
        if (apart(s, k, s->x[i][k], s->x[j][k]) > distance * (1 - 1e-9)) return false;
    }
    return true;
}

/* True when the range of a body holds a block of this rank. */
static bool range_holds(const space *s, uint32_t i, double distance, uint32_t rank)
{
    kg_block_range range = kg_partition_reach(&s->partition, s->x[i], distance);
    int32_t at[3];
    for (at[2] = range.from[2]; at[2] <= range.to[2]; ++at[2]) {
        for (at[1] = range.from[1]; at[1] <= range.to[1]; ++at[1]) {
            for (at[0] = range.from[0]; at[0] <= range.to[0]; ++at[0]) {
                const uint32_t *owner = kg_partition_row(&s->partition, at[1], at[2]);
                if (owner[kg_partition_wrap(at[0], s->partition.count[0])] == rank) return true;
            }
        }
    }
    return false;
}

/* A body that another can reach is in a block of its range, and that range has other owners only if
 * the body's block is near a border. */
Test(partition, reach_is_complete)
{
    support_random random = support_random_start("partition, reach", 1);
    for (int trial = 0; trial < TRIALS; ++trial) {
        space *s = make_space(&random);
        double distance = support_between(&random, 0.1, 12);
        kg_partition_find_borders(&s->partition, distance, s->owners);
        for (uint32_t i = 0; i < BODIES; i += 13) {
            uint32_t mine = owner_of(s, i);
            bool inside =
                kg_partition_is_inside(s->owners[kg_partition_block(&s->partition, s->x[i])]);
            for (uint32_t j = 0; j < BODIES; ++j) {
                if (!reaches(s, i, j, distance)) continue;
                cr_assert(range_holds(s, i, distance, owner_of(s, j)), "trial %d: %u, %u", trial, i,
                          j);
                cr_assert(!inside || owner_of(s, j) == mine, "trial %d: %u, %u", trial, i, j);
            }
        }
        free(s);
    }
}

/* A rank has its share of the bodies, up to half a block at either end of its run. */
Test(partition, ranks_have_equal_shares)
{
    support_random random = support_random_start("partition, shares", 2);
    for (int trial = 0; trial < TRIALS; ++trial) {
        space *s = make_space(&random);
        uint64_t largest = 0, all[9] = {0};
        for (uint32_t b = 0; b < KG_PARTITION_BLOCKS; ++b)
            largest = s->counts[b] > largest ? s->counts[b] : largest;
        for (uint32_t i = 0; i < BODIES; ++i) {
            cr_assert_lt(owner_of(s, i), s->ranks);
            all[owner_of(s, i)] += 1;
        }
        for (uint32_t r = 0; r < s->ranks; ++r)
            cr_assert_leq(all[r], BODIES / s->ranks + largest + 1, "trial %d, rank %u", trial, r);
        free(s);
    }
}
