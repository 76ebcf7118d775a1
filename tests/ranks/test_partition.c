/* The partition of space: what a body can reach is found, and the ranks own about equally many. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/partition.h"
#include "support/support_random.h"

enum { BODIES = 2000, TRIALS = 40, RANKS_MAX = 9 };

typedef struct space {
    kg_partition partition;
    kg_part parts[RANKS_MAX];
    kugel_bounds bounds;
    double x[3][BODIES];
    uint64_t counts[RANKS_MAX * KG_PARTITION_BINS];
    uint32_t ranks;
} space;

static void place_of(const space *s, uint32_t i, double x[3])
{
    for (int k = 0; k < 3; ++k) x[k] = s->x[k][i];
}

static uint32_t owner_of(const space *s, uint32_t i)
{
    double x[3];
    place_of(s, i, x);
    return kg_partition_owner(&s->partition, x);
}

/* Divide by the first n bodies. */
static void divide(space *s, uint32_t n, const double low[3], const double high[3])
{
    double *const x[3] = {s->x[0], s->x[1], s->x[2]};
    kg_partition_begin(&s->partition, &s->bounds, low, high, s->parts, s->ranks);
    while (kg_partition_choose_axes(&s->partition)) {
        memset(s->counts, 0, sizeof s->counts);
        kg_partition_count(&s->partition, x, n, s->counts);
        kg_partition_cut(&s->partition, s->counts);
    }
}

/* Divide by the extents of the bodies. */
static void divide_extents(space *s)
{
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = high[k] = s->x[k][0];
        for (uint32_t i = 1; i < BODIES; ++i) {
            low[k] = s->x[k][i] < low[k] ? s->x[k][i] : low[k];
            high[k] = s->x[k][i] > high[k] ? s->x[k][i] : high[k];
        }
    }
    divide(s, BODIES, low, high);
}

static space *make_space(support_random *random)
{
    space *s = calloc(1, sizeof *s);
    double shift = 0;
    cr_assert(s);
    if (support_below(random, 3) == 0) shift = support_between(random, -1e6, 1e6);
    for (int k = 0; k < 3; ++k) {
        double length = support_between(random, 3, 60);
        s->bounds.min[k] = shift, s->bounds.max[k] = shift + length;
        if (support_below(random, 2))
            s->bounds.faces[2 * k] = s->bounds.faces[2 * k + 1] = KUGEL_FACE_PERIODIC;
        for (uint32_t i = 0; i < BODIES; ++i) s->x[k][i] = shift + length * support_uniform(random);
    }
    s->ranks = 1 + support_below(random, RANKS_MAX);
    divide_extents(s);
    return s;
}

/* Distance of two places along an axis, m. */
static double apart(const space *s, int axis, double a, double b)
{
    double d = a > b ? a - b : b - a, length = s->partition.period[axis];
    return length && d > length - d ? length - d : d;
}

static bool reaches(const space *s, uint32_t i, uint32_t j, double distance)
{
    for (int k = 0; k < 3; ++k) {
        if (apart(s, k, s->x[k][i], s->x[k][j]) > distance * (1 - 1e-9)) return false;
    }
    return true;
}

/* Of the ranks within a distance of a body all are found whose bodies it can reach. A body farther
 * than this inside a box reaches bodies of that rank only. */
Test(partition, reach_is_complete)
{
    support_random random = support_random_start("partition, reach", 1);
    for (int trial = 0; trial < TRIALS; ++trial) {
        space *s = make_space(&random);
        double distance = support_between(&random, 0.1, 12), x[3];
        for (uint32_t i = 0; i < BODIES; i += 13) {
            bool found[RANKS_MAX] = {false};
            uint32_t mine = owner_of(s, i);
            place_of(s, i, x);
            bool inside = kg_part_is_inside(&s->parts[mine], x,
                                            kg_partition_add_rounding(&s->partition, x, distance));
            for (uint32_t r = 0;
                 (r = kg_partition_next_rank(&s->partition, x, distance, r)) < s->ranks; ++r)
                found[r] = true;
            cr_assert(found[mine]);
            for (uint32_t j = 0; j < BODIES; ++j) {
                if (!reaches(s, i, j, distance)) continue;
                cr_assert(found[owner_of(s, j)], "trial %d: %u, %u", trial, i, j);
                cr_assert(!inside || owner_of(s, j) == mine, "trial %d: %u, %u", trial, i, j);
            }
        }
        free(s);
    }
}

/* Near one face of a long period, a place is rounded as at the other face, where doubles are
 * 1.2e-7 m apart. */
Test(partition, periods_are_rounded)
{
    space *s = calloc(1, sizeof *s);
    const double low[3] = {0}, high[3] = {1e9, 1, 1};
    cr_assert(s);
    s->ranks = 2;
    s->bounds.max[0] = high[0];
    s->bounds.faces[0] = s->bounds.faces[1] = KUGEL_FACE_PERIODIC;
    divide(s, 0, low, high);
    cr_assert_eq(s->parts[1].high[0], high[0]);
    for (int k = 0; k < 64; ++k) {
        const double x[3] = {k * 1e-8};
        double distance = kg_partition_add_rounding(&s->partition, x, x[0]);
        cr_assert_eq(kg_partition_next_rank(&s->partition, x, distance, 1), 1, "%d", k);
    }
    free(s);
}

/* A place in a box belongs to its rank, and a place on a face to a box with this face. */
Test(partition, each_place_has_one_owner)
{
    support_random random = support_random_start("partition, owners", 3);
    for (int trial = 0; trial < TRIALS; ++trial) {
        space *s = make_space(&random);
        for (uint32_t i = 0; i < BODIES; ++i) {
            double x[3];
            place_of(s, i, x);
            if (i % 2) /* on a face */
                x[i % 3] = s->parts[i % s->ranks].low[i % 3] > -INFINITY
                               ? s->parts[i % s->ranks].low[i % 3]
                               : x[i % 3];
            uint32_t owner = kg_partition_owner(&s->partition, x);
            cr_assert_lt(owner, s->ranks);
            for (int k = 0; k < 3; ++k)
                cr_assert(s->parts[owner].low[k] <= x[k] && x[k] <= s->parts[owner].high[k],
                          "trial %d: rank %u, axis %d", trial, owner, k);
            for (uint32_t r = 0; r < s->ranks; ++r)
                cr_assert(r == owner || !kg_part_is_inside(&s->parts[r], x, 0), "trial %d", trial);
        }
        free(s);
    }
}

/* A rank has its share of the bodies. Each of up to four cuts through evenly spread bodies is wrong
 * by a few standard deviations of the number of bodies in a bin: 3 of 8 bodies. */
Test(partition, ranks_have_equal_shares)
{
    support_random random = support_random_start("partition, shares", 2);
    for (int trial = 0; trial < TRIALS; ++trial) {
        space *s = make_space(&random);
        uint64_t all[RANKS_MAX] = {0};
        for (uint32_t i = 0; i < BODIES; ++i) all[owner_of(s, i)] += 1;
        for (uint32_t r = 0; r < s->ranks; ++r)
            cr_assert_leq(all[r], BODIES / s->ranks + 4 * 9, "trial %d, rank %u", trial, r);
        free(s);
    }
}

/* When a box of n bodies is cut for w ranks, each of them has n / w + n / 64 + 4 at most. After the
 * up to four cuts for 9 ranks: 1.125 times the share, and 12. */
static void check_shares(const space *s, const char *bodies)
{
    uint32_t all[RANKS_MAX] = {0}, share = BODIES / s->ranks;
    for (uint32_t i = 0; i < BODIES; ++i) all[owner_of(s, i)] += 1;
    for (uint32_t r = 0; r < s->ranks; ++r)
        cr_assert_leq(all[r], share + share / 8 + 12, "%s, %u ranks: rank %u has %u", bodies,
                      s->ranks, r, all[r]);
}

/* Bodies that are far from evenly spread: the bin of a cut is counted again in finer bins. */
Test(partition, shares_of_uneven_bodies_are_equal)
{
    support_random random = support_random_start("partition, uneven", 4);
    for (uint32_t ranks = 1; ranks <= RANKS_MAX; ++ranks) {
        space *s = make_space(&random);
        memset(&s->bounds, 0, sizeof s->bounds);
        s->ranks = ranks;
        for (int power = 3; power <= 9; power += 3) { /* a body escaped */
            int axis = (int)support_below(&random, 3);
            double x = s->x[axis][7];
            s->x[axis][7] = support_below(&random, 2) ? pow(10, power) : -pow(10, power);
            s->x[axis][7] += x;
            divide_extents(s);
            check_shares(s, "an outlier");
            s->x[axis][7] = x;
        }
        uint32_t small = support_below(&random, BODIES / 2);
        for (uint32_t i = 0; i < small; ++i)
            for (int k = 0; k < 3; ++k) s->x[k][i] = 1e5 + 1e-3 * s->x[k][i];
        divide_extents(s);
        check_shares(s, "two clusters");
        free(s);
    }
}

/* Boxes are cut at numbers, and every place has an owner. */
static void check_degenerate(const space *s)
{
    const double at[3] = {0, 0, 0};
    for (uint32_t r = 0; r < s->ranks; ++r) {
        cr_assert(r == 0 || isfinite(s->parts[r].cut), "%u ranks: rank %u", s->ranks, r);
        for (int k = 0; k < 3; ++k)
            cr_assert(s->parts[r].low[k] <= s->parts[r].high[k], "%u ranks: rank %u, axis %d",
                      s->ranks, r, k);
    }
    cr_assert_lt(kg_partition_owner(&s->partition, at), s->ranks);
    cr_assert_lt(owner_of(s, 0), s->ranks);
    cr_assert_eq(kg_partition_next_rank(&s->partition, at, 1e9, 0), 0, "all are within reach");
}

/* Bodies at one place, on a line, in a plane, and none, with and without extents. */
Test(partition, few_places)
{
    support_random random = support_random_start("partition, few places", 5);
    const double none[3] = {0, 0, 0}, extents[3] = {3, 2, 1};
    for (uint32_t ranks = 1; ranks <= RANKS_MAX; ++ranks) {
        for (int flat = 0; flat < 8; ++flat) { /* a bit for each axis */
            space *s = calloc(1, sizeof *s);
            cr_assert(s);
            s->ranks = ranks;
            for (uint32_t i = 0; i < BODIES; ++i)
                for (int k = 0; k < 3; ++k)
                    s->x[k][i] = flat >> k & 1 ? 0 : support_uniform(&random);
            divide_extents(s);
            check_degenerate(s);
            if (flat < 7) check_shares(s, "flat");
            for (int extended = 0; extended < 2; ++extended) {
                divide(s, 0, none, extended ? extents : none);
                check_degenerate(s);
            }
            free(s);
        }
    }
}
