/* Splits the bodies into groups of similar size and place, and chooses the cells of each group.
 * Size: the radii of a group are within a factor of SIZE_SPAN; the last group takes all smaller
 * bodies. Place: a group splits where a quarter of its length along an axis is empty. Every
 * grouping gives the same results; this one makes queries cheap.
 * In: columns of the bodies. Out: groups, the order of the slots. Cost: O(bodies) for each
 * group. */
#include "base/vec.h"
#include "query/query_index.h"

/* Edge of a cell, in mean spacings of the group's bodies. Smaller: a ray visits more cells than
 * bodies; larger: it tests bodies far from it. */
#define CELL_SPACING 1.0
/* Minimum edge of a cell, in largest radii of the group. */
#define CELL_RADII 2.0
/* Maximum ratio of a group's largest radius to its smallest. */
#define SIZE_SPAN 4.0

enum {
    BINS = 64,       /* bins along an axis, for the search of empty space */
    EMPTY_BINS = 16, /* a run of empty bins at which a group splits */
    SPLIT_FROM = 64  /* minimum number of bodies of a group that splits */
};

typedef struct splitter {
    const kugel_world *world;
    kg_query_index *index;
    uint32_t begin;  /* number of the groups that there are before */
    uint32_t *first; /* of each group after these: its first place in index->order */
} splitter;

/* Coordinate, m, of the body at place k of index->order. */
static double coordinate(const splitter *s, int axis, uint32_t k)
{
    return s->world->bodies.x[axis][s->index->order[k]];
}

/* Move the slots with column[slot] > limit to the front of order[from, to). Returns the place
 * after the last of them. */
static uint32_t partition(splitter *s, uint32_t from, uint32_t to, const double *column,
                          double limit)
{
    uint32_t kept = from, *order = s->index->order;
    for (uint32_t k = from; k < to; ++k) {
        uint32_t slot = order[k];
        if (!(column[slot] > limit)) continue;
        order[k] = order[kept];
        order[kept++] = slot;
    }
    return kept;
}

static double largest_radius(const splitter *s, uint32_t from, uint32_t to)
{
    double largest = 0;
    for (uint32_t k = from; k < to; ++k)
        largest = kg_max(largest, s->world->bodies.radius[s->index->order[k]]);
    return largest;
}

/* Set the group's largest radius and the box of its centres. */
static void measure_group(const splitter *s, uint32_t from, uint32_t to, kg_query_group *g)
{
    g->largest = largest_radius(s, from, to);
    for (int axis = 0; axis < 3; ++axis) {
        g->low[axis] = g->high[axis] = coordinate(s, axis, from);
        for (uint32_t k = from + 1; k < to; ++k) {
            double x = coordinate(s, axis, k);
            g->low[axis] = x < g->low[axis] ? x : g->low[axis];
            g->high[axis] = kg_max(x, g->high[axis]);
        }
    }
}

/* True if a group can split along an axis; *middle is then the middle of its longest empty run,
 * m. */
static bool find_gap(const splitter *s, uint32_t from, uint32_t to, const kg_query_group *g,
                     int axis, double *middle)
{
    double width = (g->high[axis] - g->low[axis]) / BINS;
    bool used[BINS] = {false};
    if (!(width > g->largest) || s->index->length[axis] > 0) return false;
    for (uint32_t k = from; k < to; ++k) {
        double bin = (coordinate(s, axis, k) - g->low[axis]) / width;
        used[bin < BINS - 1 ? (int)bin : BINS - 1] = true;
    }
    int longest = 0, begin = 0, run = 0;
    for (int b = 0; b < BINS; ++b) {
        run = used[b] ? 0 : run + 1;
        if (run > longest) longest = run, begin = b - run + 1;
    }
    *middle = g->low[axis] + (begin + 0.5 * longest) * width;
    return longest >= EMPTY_BINS;
}

/* The edge of the cells, m: the group's volume has about one cell for each body, or fewer because
 * of CELL_RADII. */
static double choose_edge(const splitter *s, const kg_query_group *g, uint32_t n)
{
    double volume = 1, low = 0, high = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double length = s->index->length[axis],
               wide = length > 0 ? length : g->high[axis] - g->low[axis] + 2 * g->largest;
        volume *= wide;
        high = kg_max(high, wide);
    }
    /* edge^3 = volume / n by bisection: the bits of cbrt differ between C libraries */
    for (int k = 0; k < 60; ++k) {
        double middle = 0.5 * (low + high);
        if (middle * middle * middle * n > volume) high = middle;
        else low = middle;
    }
    return kg_max(CELL_SPACING * high, CELL_RADII * g->largest);
}

/* Covers the group by cells of about this edge. Returns their number, as a double: it may be too
 * large for an integer. */
static double make_cells(const splitter *s, kg_query_group *g, double edge)
{
    double all = 1;
    for (int axis = 0; axis < 3; ++axis) {
        double length = s->index->length[axis], wide = g->high[axis] - g->low[axis];
        bool periodic = length > 0;
        double cells = periodic ? kg_max(length / edge, 1) : wide / edge + 1;
        g->cells[axis] = cells > 1e9 ? 1000000000 : (int64_t)cells;
        g->origin[axis] = periodic ? s->world->def.bounds.min[axis] : g->low[axis];
        g->edge[axis] = periodic ? length / (double)g->cells[axis] : edge;
        g->inverse[axis] = 1 / g->edge[axis];
        g->length[axis] = length;
        all *= (double)g->cells[axis];
    }
    return all;
}

static void add_group(splitter *s, uint32_t from, uint32_t to, kg_query_group *g)
{
    double edge = choose_edge(s, g, to - from), far = 0;
    while (make_cells(s, g, edge) > 8.0 * (to - from) + 64) edge *= 1.25;
    g->unit = kg_unit_scale(edge);
    for (int axis = 0; axis < 3; ++axis) far = kg_max(far, g->edge[axis] * (double)g->cells[axis]);
    /* rounding of places to floats, and of float arithmetic over a few cells */
    g->rounding_error = (float)((far * 0x1p-21 + 0.01 * edge) * g->unit);
    s->first[s->index->group_count - s->begin] = from;
    s->index->group[s->index->group_count++] = *g;
}

/* Split the bodies order[from, to) by place, and add the groups. */
static void split_places(splitter *s, uint32_t from, uint32_t to)
{
    /* a stack of the ends of the parts behind [from, to), which wait while [from, to) splits */
    uint32_t pending[KG_QUERY_GROUPS], count = 0;
    for (;;) {
        kg_query_group g = {0};
        double middle = 0;
        int axis = 0;
        measure_group(s, from, to, &g);
        bool may_split = s->index->group_count - s->begin + count + 2 < KG_QUERY_GROUPS &&
                         to - from >= SPLIT_FROM;
        while (may_split && axis < 3 && !find_gap(s, from, to, &g, axis, &middle)) ++axis;
        if (may_split && axis < 3) {
            pending[count++] = to;
            to = partition(s, from, to, s->world->bodies.x[axis], middle);
            continue;
        }
        add_group(s, from, to, &g);
        if (!count) return;
        from = to;
        to = pending[--count];
    }
}

uint32_t kg_query_split_groups(const kugel_world *world, kg_query_index *index, uint32_t low,
                               uint32_t high, uint32_t *first)
{
    splitter s = {world, index, index->group_count, first};
    uint32_t n = high - low, from = 0;
    for (uint32_t i = 0; i < n; ++i) index->order[i] = low + i;
    while (from < n) {
        double largest = largest_radius(&s, from, n);
        uint32_t to = index->group_count - s.begin + 2 < KG_QUERY_GROUPS / 2
                          ? partition(&s, from, n, world->bodies.radius, largest / SIZE_SPAN)
                          : n;
        split_places(&s, from, to);
        from = to;
    }
    first[index->group_count - s.begin] = n;
    return s.begin;
}
