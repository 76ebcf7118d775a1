/* Unites bins of movers (places_bins.c) that are apart and have movers of one place, and finds
 * which bodies at rest a bin reaches.
 * In: bins, strides. Out: bins united. Order: none. Cost: that of a tree over the bins, whose parts
 * are left out where all their bins are united already; for bins that are near, tests of pairs. */
#include "base/sort.h"
#include "places/place_search.h"
#include "world/periodic.h"

/* Square of a lower bound of the distance between two boxes, m^2. */
static double box_distance2(const kg_place_search *s, const double low[3], const double high[3],
                            const double other_low[3], const double other_high[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double gap = kg_max(kg_max(low[k] - other_high[k], other_low[k] - high[k]), 0);
        if (s->length[k] > 0 && gap > 0) {
            double span = kg_max(high[k], other_high[k]) - kg_min(low[k], other_low[k]);
            gap = kg_max(kg_min(gap, s->length[k] - span), 0);
        }
        sum += gap * gap;
    }
    return sum;
}

static double distance2(const kg_place_search *s, uint32_t i, uint32_t j)
{
    const kg_bodies *bodies = &s->world->bodies;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double d = bodies->x[k][i] - bodies->x[k][j];
        if (s->length[k] > 0) d = kg_nearest_image(d, s->length[k]);
        sum += d * d;
    }
    return sum;
}

/* True if two movers are in one place. */
bool kg_place_is_linked(const kg_place_search *s, uint32_t i, uint32_t j)
{
    const double *r = s->world->bodies.radius;
    double most = r[i] + r[j] + kg_place_stride(s, i) + kg_place_stride(s, j) +
                  KG_PLACE_LINK * kg_min(r[i], r[j]);
    return distance2(s, i, j) <= most * most;
}

/* True if some mover of `a` is in one place with one of `b`. */
static bool any_linked(const kg_place_search *s, const kg_place_bin *a, const kg_place_bin *b)
{
    const kg_bodies *bodies = &s->world->bodies;
    for (uint32_t i = a->head; i != KG_NONE; i = s->next[i]) {
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
        double r = bodies->radius[i], most = r + b->most + kg_place_stride(s, i) + b->stride +
                                             KG_PLACE_LINK * kg_min(r, b->most);
        if (box_distance2(s, x, x, b->low, b->high) > most * most) continue;
        for (uint32_t j = b->head; j != KG_NONE; j = s->next[j]) {
            if (kg_place_is_linked(s, i, j)) return true;
        }
    }
    return false;
}

/* True if the bins have two movers of one place. */
static bool is_linked_bin(const kg_place_search *s, const kg_place_bin *a, const kg_place_bin *b)
{
    double most =
        a->most + b->most + a->stride + b->stride + KG_PLACE_LINK * kg_min(a->most, b->most);
    return box_distance2(s, a->low, a->high, b->low, b->high) <= most * most && any_linked(s, a, b);
}

/* A binary tree over the bins in the order of a curve that fills space. A node is followed by its
 * first child, and that by its descendants; then comes the second child. */
typedef struct bin_node {
    double low[3], high[3]; /* m, outside of which no mover of it is linked */
    uint32_t first, count;  /* its bins in the order */
    bool one_root;          /* all its bins have one root */
} bin_node;

typedef struct bin_tree {
    const kg_place_search *search;
    bin_node *nodes;
    uint32_t *bins, node_count; /* the bins in order */
} bin_tree;

/* Set the box of a bin; it has no bounds across periodic faces. */
static void set_leaf_box(const kg_place_search *s, const kg_place_bin *b, bin_node *node)
{
    double extent = b->most * (1 + 0.5 * KG_PLACE_LINK) + b->stride;
    for (int k = 0; k < 3; ++k) {
        bool wraps = s->length[k] > 0;
        node->low[k] = wraps ? -KG_VALUE_LIMIT : b->low[k] - extent;
        node->high[k] = wraps ? KG_VALUE_LIMIT : b->high[k] + extent;
    }
}

static const bin_node *second_child(const bin_node *node)
{
    return node + node->count / 2 * 2; /* the first child has count / 2 leaves */
}

static void build_node(bin_tree *t, uint32_t first, uint32_t count)
{
    bin_node *node = &t->nodes[t->node_count++];
    *node = (bin_node){.first = first, .count = count, .one_root = count == 1};
    if (count == 1) {
        set_leaf_box(t->search, &t->search->world->places->bins[t->bins[first]], node);
        return;
    }
    build_node(t, first, count / 2);
    build_node(t, first + count / 2, count - count / 2);
    const bin_node *a = node + 1, *b = second_child(node);
    for (int k = 0; k < 3; ++k) {
        node->low[k] = kg_min(a->low[k], b->low[k]);
        node->high[k] = kg_max(a->high[k], b->high[k]);
    }
}

static bool overlaps(const bin_node *a, const bin_node *b)
{
    bool all = true;
    for (int k = 0; k < 3; ++k) all &= a->low[k] <= b->high[k] && b->low[k] <= a->high[k];
    return all;
}

static bool have_one_root(const bin_tree *t, const bin_node *a, const bin_node *b)
{
    return a->one_root && b->one_root &&
           kg_place_root(t->search, t->bins[a->first]) ==
               kg_place_root(t->search, t->bins[b->first]);
}

/* Unite the bins of two nodes of which two movers are in one place. Nodes whose bins are all united
 * already are not looked at: so a search among the bins of one pile ends soon. */
static void link_nodes(const bin_tree *t, bin_node *a, bin_node *b)
{
    if (have_one_root(t, a, b) || !overlaps(a, b)) return;
    if (a->count < b->count) {
        bin_node *larger = b;
        b = a, a = larger;
    }
    if (a->count == 1) {
        uint32_t i = t->bins[a->first], j = t->bins[b->first];
        const kg_place_bin *bins = t->search->world->places->bins;
        if (is_linked_bin(t->search, &bins[i], &bins[j])) kg_place_unite(t->search, i, j);
        return;
    }
    bin_node *one = a + 1, *two = (bin_node *)second_child(a);
    link_nodes(t, one, b);
    link_nodes(t, two, b);
    a->one_root = have_one_root(t, one, two);
}

static void link_within(const bin_tree *t, bin_node *node)
{
    if (node->count == 1) return;
    bin_node *one = node + 1, *two = (bin_node *)second_child(node);
    link_within(t, one);
    link_within(t, two);
    link_nodes(t, one, two);
    node->one_root = have_one_root(t, one, two);
}

/* The 21 lowest bits, each followed by two zeros. */
static uint64_t spread_bits(uint64_t bits)
{
    bits = (bits | bits << 32) & 0x1f00000000ffff;
    bits = (bits | bits << 16) & 0x1f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
}

/* Sort the bins along a Z-order curve (Morton 1966) through the box of their corners. The order
 * changes the cost, not the result. False when out of memory. */
static bool sort_bins(bin_tree *t)
{
    const kg_place_search *s = t->search;
    const kg_place_bin *bins = s->world->places->bins;
    double low[3], width = 0;
    kg_sort_arrays arrays;
    if (!kg_sort_take(&s->world->memory, &s->world->scratch, s->bin_count, &arrays)) return false;
    for (int k = 0; k < 3; ++k) {
        double high = low[k] = bins[0].corner[k];
        for (uint32_t n = 1; n < s->bin_count; ++n) {
            low[k] = kg_min(low[k], bins[n].corner[k]);
            high = kg_max(high, bins[n].corner[k]);
        }
        width = kg_max(width, high - low[k]);
    }
    double scale = width > 0 ? 0x1fffff / width : 0;
    for (uint32_t n = 0; n < s->bin_count; ++n) {
        arrays.keys[n] = 0, arrays.values[n] = n;
        for (int k = 0; k < 3; ++k)
            arrays.keys[n] |= spread_bits((uint64_t)((bins[n].corner[k] - low[k]) * scale)) << k;
    }
    kg_sort(&arrays, s->bin_count);
    t->bins = arrays.values;
    return true;
}

/* Unite the bins of which two movers are in one place. False when out of memory. */
bool kg_place_link_bins(const kg_place_search *s)
{
    bin_tree tree = {.search = s};
    if (!KG_TAKE(s->world, tree.nodes, 2 * (size_t)s->bin_count) || !sort_bins(&tree)) return false;
    build_node(&tree, 0, s->bin_count);
    link_within(&tree, tree.nodes);
    return true;
}

/* True if a mover of the bin reaches a body at rest. */
bool kg_place_bin_reaches(const kg_place_search *s, const kg_place_bin *b, uint32_t i)
{
    const kg_bodies *bodies = &s->world->bodies;
    const double r = bodies->radius[i], x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
    double most = r + 2 * b->most + b->stride;
    if (box_distance2(s, x, x, b->low, b->high) > most * most) return false;
    for (uint32_t j = b->head; j != KG_NONE; j = s->next[j]) {
        most = r + bodies->radius[j] + kg_place_stride(s, j) + kg_min(r, bodies->radius[j]);
        if (distance2(s, i, j) <= most * most) return true;
    }
    return false;
}
