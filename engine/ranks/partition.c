/* Cuts space into the boxes of ranks, and finds the ranks of a place (partition.h). */
#include "ranks/partition.h"

/* INNER_BINS: bins that divide the interval in which a cut is searched. PASSES: maximum number of
 * passes over the bodies for a cut; a bin of the last pass is 254^-6 = 4e-15 of the box. */
enum { INNER_BINS = KG_PARTITION_BINS - 2, PASSES = 6 };

void kg_partition_begin(kg_partition *partition, const kugel_bounds *bounds, const double low[3],
                        const double high[3], kg_part *parts, uint32_t ranks)
{
    *partition = (kg_partition){.parts = parts, .ranks = ranks};
    for (uint32_t r = 0; r < ranks; ++r) parts[r] = (kg_part){.end = ranks};
    for (int k = 0; k < 3; ++k) {
        bool periodic = bounds->faces[2 * k] == KUGEL_FACE_PERIODIC;
        partition->low[k] = periodic ? bounds->min[k] : low[k];
        partition->high[k] = periodic ? bounds->max[k] : high[k];
        partition->period[k] = periodic ? bounds->max[k] - bounds->min[k] : 0;
        partition->periods += partition->period[k];
        parts[0].low[k] = -INFINITY, parts[0].high[k] = INFINITY;
    }
}

/* Lower end and length, m, along an axis, of the part of a box that is inside the partition's
 * extents. A box may be infinite; this part is finite. */
static double finite_low(const kg_partition *partition, const kg_part *part, int axis)
{
    return kg_max(part->low[axis], partition->low[axis]);
}

static double finite_length(const kg_partition *partition, const kg_part *part, int axis)
{
    double high = kg_min(part->high[axis], partition->high[axis]);
    return kg_max(high - finite_low(partition, part, axis), 0);
}

static uint32_t middle(uint32_t from, uint32_t end) { return from + (end - from) / 2; }

/* Clip a box to the periodic faces of each axis across which it was cut. */
static void end_periodic(kg_partition *partition, kg_part *part)
{
    for (int k = 0; k < 3; ++k) {
        bool whole = part->low[k] == -INFINITY && part->high[k] == INFINITY;
        if (!partition->period[k] || whole) continue;
        part->low[k] = kg_max(part->low[k], partition->low[k]);
        part->high[k] = kg_min(part->high[k], partition->high[k]);
    }
}

/* A later axis is cut unless it is shorter than this share of the axis chosen so far. So z is
 * preferred: bodies are sorted by z first (grid/spatial_sort.c), and those near a cut across z are
 * near in memory. Each change of axis enlarges the cut by at most a ninth. */
static const double equal_length_ratio = 0.9;

bool kg_partition_choose_axes(kg_partition *partition)
{
    bool any = false;
    for (uint32_t r = 0, end; r < partition->ranks; r = end) {
        const kg_part *box = &partition->parts[r];
        double longest = -1;
        end = box->end;
        if (end - r == 1) continue;
        kg_part *right = &partition->parts[middle(r, end)];
        any = true;
        if (right->passes) continue;
        for (int k = 0; k < 3; ++k) {
            double length = finite_length(partition, box, k);
            if (length >= equal_length_ratio * longest) longest = length, right->axis = k;
        }
        right->low[right->axis] = finite_low(partition, box, right->axis);
        right->high[right->axis] = right->low[right->axis] + longest;
    }
    for (uint32_t r = 0; r < partition->ranks && !any; ++r)
        end_periodic(partition, &partition->parts[r]);
    return any;
}

/* First rank of the box that contains a place. */
static uint32_t find_box(const kg_partition *partition, const double x[3])
{
    const kg_part *parts = partition->parts;
    uint32_t from = 0, end = partition->ranks;
    while (parts[from].end < end) {
        uint32_t right = middle(from, end);
        if (x[parts[right].axis] < parts[right].cut) end = right;
        else from = right;
    }
    return from;
}

/* The bin of a coordinate, m, along the axis of a cut. */
static size_t bin_of(const kg_part *right, double x)
{
    double length = right->high[right->axis] - right->low[right->axis],
           at = (x - right->low[right->axis]) * INNER_BINS;
    return at < 0                     ? 0
           : at < INNER_BINS * length ? 1 + (size_t)(at / length)
                                      : KG_PARTITION_BINS - 1;
}

void kg_partition_count(const kg_partition *partition, double *const x[3], uint32_t n,
                        uint64_t *counts)
{
    const kg_part *parts = partition->parts;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t r = find_box(partition, (const double[3]){x[0][i], x[1][i], x[2][i]}),
                 end = parts[r].end;
        if (end - r == 1) continue;
        const kg_part *right = &parts[middle(r, end)];
        counts[r * (size_t)KG_PARTITION_BINS + bin_of(right, x[right->axis][i])] += 1;
    }
}

/* Place of a cut in the bins of a box. */
typedef struct place_in_bins {
    int bin;
    double fraction; /* of the bin that is below the cut, as if its bodies were evenly spread */
    bool is_coarse;  /* true: the bin has many of the bodies, so the cut may be far from exact */
} place_in_bins;

/* Find the cut that has part / whole of the bodies below it. */
static place_in_bins find_in_bins(const uint64_t *counts, uint32_t part, uint32_t whole)
{
    uint64_t all = 0, below = 0;
    for (int b = 0; b < KG_PARTITION_BINS; ++b) all += counts[b];
    for (int b = 0; b < KG_PARTITION_BINS; ++b) {
        uint64_t in_bin = counts[b];
        if (in_bin && (below + in_bin) * whole >= all * part)
            return (place_in_bins){b,
                                   (double)(all * part - below * whole) / (double)(in_bin * whole),
                                   in_bin > all / 64 + 4};
        below += in_bin;
    }
    return (place_in_bins){.bin = KG_PARTITION_BINS / 2};
}

void kg_partition_cut(kg_partition *partition, const uint64_t *counts)
{
    kg_part *parts = partition->parts;
    for (uint32_t r = 0, end; r < partition->ranks; r = end) {
        end = parts[r].end;
        if (end - r == 1) continue;
        uint32_t next = middle(r, end);
        kg_part *right = &parts[next];
        int axis = right->axis;
        place_in_bins at = find_in_bins(counts + r * (size_t)KG_PARTITION_BINS, next - r, end - r);
        double low = right->low[axis], high = right->high[axis], bin = (high - low) / INNER_BINS,
               from = at.bin ? low + bin * (at.bin - 1) : low;
        bool inside = at.bin > 0 && at.bin <= INNER_BINS;
        if (inside && at.is_coarse && ++right->passes < PASSES) {
            right->low[axis] = from, right->high[axis] = low + bin * at.bin;
            continue;
        }
        double cut = inside ? from + bin * at.fraction : at.bin ? high : low;
        *right = parts[r];
        right->low[axis] = parts[r].high[axis] = right->cut = cut;
        right->axis = axis;
        parts[r].end = next;
    }
}

/* Move a place that has crossed a periodic face into the world. */
static void wrap(const kg_partition *partition, const double x[3], double place[3])
{
    for (int k = 0; k < 3; ++k) {
        double period = partition->period[k];
        place[k] = x[k];
        if (period && x[k] < partition->low[k]) place[k] += period;
        else if (period && x[k] >= partition->high[k]) place[k] -= period;
    }
}

uint32_t kg_partition_owner(const kg_partition *partition, const double x[3])
{
    double place[3];
    wrap(partition, x, place);
    return find_box(partition, place);
}

/* A search for boxes near a place. */
typedef struct search {
    const kg_partition *partition;
    double place[3], distance; /* m */
    uint32_t first;            /* lowest rank that can be found */
} search;

/* True if the box is near the place. */
static bool reaches(const search *s, const kg_part *part)
{
    bool all = true;
    for (int k = 0; k < 3; ++k) {
        /* m, how far the place is below the lower face, and above the upper face */
        double period = s->partition->period[k], below = part->low[k] - s->place[k],
               above = s->place[k] - part->high[k];
        all &= (below <= s->distance && above <= s->distance) ||
               (period && (below + period <= s->distance || above + period <= s->distance));
    }
    return all;
}

/* The lowest rank of [from, end) whose box is near the place, or the number of ranks. */
static uint32_t find_next(const search *s, uint32_t from, uint32_t end)
{
    const kg_partition *partition = s->partition;
    const kg_part *parts = partition->parts;
    uint32_t right = middle(from, end), found = partition->ranks;
    if (end <= s->first) return found;
    if (end - from == 1) return reaches(s, &parts[from]) ? from : found;
    int axis = parts[right].axis;
    double past_cut = s->place[axis] - parts[right].cut,
           to_face = kg_min(s->place[axis] - partition->low[axis],
                            partition->high[axis] - s->place[axis]);
    bool wraps = partition->period[axis] && to_face <= s->distance;
    if (past_cut <= s->distance || wraps) found = find_next(s, from, right);
    if (found == partition->ranks && (-past_cut <= s->distance || wraps))
        found = find_next(s, right, end);
    return found;
}

uint32_t kg_partition_next_rank(const kg_partition *partition, const double x[3], double distance,
                                uint32_t first)
{
    search s = {.partition = partition, .distance = distance, .first = first};
    wrap(partition, x, s.place);
    return find_next(&s, 0, partition->ranks);
}
