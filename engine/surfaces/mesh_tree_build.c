/* Builds the tree of boxes (a bounding volume hierarchy) over the triangles of a mesh, or over
 * other items. Parts are split by the surface area heuristic, in bins along the axis on which the
 * centres lie farthest apart (I. Wald, "On fast construction of SAH-based bounding volume
 * hierarchies", RT 2007). A node is split seven times, each time its part with the largest box.
 * Deep levels halve the items instead, which bounds the depth. A node stores its children's boxes
 * on a grid of 256 lines per axis, so that eight children fit into two cache lines.
 * In: items. Out: nodes and leaves, the same for any number of threads. Cost: O(n log n). */
#include "base/wide.h"
#include "surfaces/mesh_tree.h"

enum { BINS = 16, CHILDREN = KG_MESH_CHILDREN, GRID = 255 };

typedef kg_tree_item item;
typedef kg_tree_builder tree_builder;

/* Bounds of items: their box, and the box of their centres. Lane 3 is unused. */
typedef struct bounds {
    kg_float4 low, high, centre_low, centre_high;
} bounds;

/* The next float towards -infinity (direction -1) or +infinity (+1). */
static float step_float(float x, int direction)
{
    int32_t bits;
    if (x == 0) x = 0; /* -0 */
    memcpy(&bits, &x, sizeof bits);
    if (x == 0) bits = direction < 0 ? INT32_MIN + 1 : 1;
    else bits += (x > 0) == (direction > 0) ? 1 : -1;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float round_down(double x)
{
    float f = (float)x;
    return (double)f > x ? step_float(f, -1) : f;
}

static float round_up(double x)
{
    float f = (float)x;
    return (double)f < x ? step_float(f, 1) : f;
}

void kg_tree_set_item(kg_tree_item *it, const double low[3], const double high[3], uint32_t number)
{
    for (int k = 0; k < 3; ++k) it->low[k] = round_down(low[k]), it->high[k] = round_up(high[k]);
    it->number = number;
}

/* Replace each lane of `into` by the lesser (greater) of both vectors' lanes. */
static void keep_lower(kg_float4 *into, const kg_float4 *x)
{
    KG_EACH (4)
        KG_L(*into) =
            KG_CHOOSE(kg_float4, kg_mask4f, KG_L(*x) < KG_L(*into), KG_L(*x), KG_L(*into));
}

static void keep_higher(kg_float4 *into, const kg_float4 *x)
{
    KG_EACH (4)
        KG_L(*into) =
            KG_CHOOSE(kg_float4, kg_mask4f, KG_L(*x) > KG_L(*into), KG_L(*x), KG_L(*into));
}

static bounds no_bounds(void)
{
    const kg_float4 large = {3e38f, 3e38f, 3e38f, 3e38f}, low = {-3e38f, -3e38f, -3e38f, -3e38f};
    return (bounds){large, low, large, low};
}

static void add_item(bounds *b, const item *it)
{
    kg_float4 low, high, centre;
    KG_EACH (3) {
        KG_L(low) = KG_LOAD(kg_float4, it->low);
        KG_L(high) = KG_LOAD(kg_float4, it->high);
    }
    KG_AT(low, 3) = KG_AT(high, 3) = 0;
    KG_EACH (4) KG_L(centre) = KG_L(low) * 0.5f + KG_L(high) * 0.5f;
    keep_lower(&b->low, &low), keep_higher(&b->high, &high);
    keep_lower(&b->centre_low, &centre), keep_higher(&b->centre_high, &centre);
}

static void add_bounds(bounds *b, const bounds *more)
{
    keep_lower(&b->low, &more->low), keep_higher(&b->high, &more->high);
    keep_lower(&b->centre_low, &more->centre_low), keep_higher(&b->centre_high, &more->centre_high);
}

/* Coordinate of grid line `side`, m, with the operations of the walks. */
static float side_at(const kg_mesh_node *node, int axis, int side)
{
    return node->low[axis] + node->step[axis] * (float)side;
}

static double half_area(const bounds *b)
{
    double x = (double)KG_AT(b->high, 0) - KG_AT(b->low, 0),
           y = (double)KG_AT(b->high, 1) - KG_AT(b->low, 1),
           z = (double)KG_AT(b->high, 2) - KG_AT(b->low, 2);
    return x * y + y * z + z * x;
}

/* Consecutive items and their bounds. */
typedef struct range {
    uint32_t first, count;
    bounds all;
} range;

/* A split of items: those whose bin is below `bin` go to the left. The bin of an item follows from
 * its centre on the axis. */
typedef struct split {
    int axis, bin;
    float low, scale; /* the least centre, m; bins per metre, 0: all centres are equal */
} split;

static int bin_of(const split *s, const item *it)
{
    float centre = it->low[s->axis] * 0.5f + it->high[s->axis] * 0.5f;
    float bin = (centre - s->low) * s->scale; /* not a number with an infinite scale: bin 0 */
    return !(bin > 0) ? 0 : bin >= BINS ? BINS - 1 : (int)bin;
}

/* Divide the axis on which the centres lie farthest apart into bins. The first and the last bin get
 * items, so a split between bins has items on both sides. */
static split choose_axis(const bounds *all)
{
    split s = {0};
    float length[3];
    for (int k = 0; k < 3; ++k) length[k] = KG_AT(all->centre_high, k) - KG_AT(all->centre_low, k);
    s.axis = length[1] > length[0] ? 1 : 0;
    if (length[2] > length[s.axis]) s.axis = 2;
    s.low = KG_AT(all->centre_low, s.axis);
    s.scale = length[s.axis] > 0 ? BINS / length[s.axis] : 0;
    return s;
}

/* Choose the bin with the least cost: area times number of items, summed over both sides. Sets the
 * bounds of both sides. */
static void choose_bin(const item *items, uint32_t count, split *s, bounds side[2])
{
    bounds bins[BINS], right[BINS], left = no_bounds();
    uint32_t counts[BINS] = {0}, after[BINS], before = 0;
    for (int k = 0; k < BINS; ++k) bins[k] = left;
    for (uint32_t i = 0; i < count; ++i) {
        int bin = bin_of(s, &items[i]);
        counts[bin] += 1;
        add_item(&bins[bin], &items[i]);
    }
    right[BINS - 1] = bins[BINS - 1], after[BINS - 1] = counts[BINS - 1];
    for (int k = BINS - 2; k > 0; --k) {
        right[k] = right[k + 1], after[k] = after[k + 1] + counts[k];
        add_bounds(&right[k], &bins[k]);
    }
    double least = 0;
    s->bin = 0;
    for (int k = 1; k < BINS; ++k) {
        add_bounds(&left, &bins[k - 1]);
        before += counts[k - 1];
        double cost = before * half_area(&left) + after[k] * half_area(&right[k]);
        if (s->bin == 0 || cost < least) s->bin = k, least = cost, side[0] = left;
    }
    side[1] = right[s->bin];
}

static uint32_t partition(item *items, uint32_t count, const split *s)
{
    uint32_t low = 0, high = count;
    for (;;) {
        while (low < high && bin_of(s, &items[low]) < s->bin) ++low;
        while (low < high && bin_of(s, &items[high - 1]) >= s->bin) --high;
        if (low == high) return low;
        item other = items[--high];
        items[high] = items[low];
        items[low++] = other;
    }
}

static bounds measure_items(const item *items, uint32_t count)
{
    bounds all = no_bounds();
    for (uint32_t i = 0; i < count; ++i) add_item(&all, &items[i]);
    return all;
}

/* Split a range: r becomes its left part; the right part is returned. */
static range split_range(const tree_builder *b, range *r, bool in_halves)
{
    item *items = b->items + r->first;
    uint32_t left = 0, count = r->count;
    split s = choose_axis(&r->all);
    bounds side[2];
    if (!in_halves && s.scale > 0) {
        choose_bin(items, count, &s, side);
        left = partition(items, count, &s);
    }
    if (left == 0 || left == count) {
        left = count / 2;
        side[0] = measure_items(items, left);
        side[1] = measure_items(items + left, count - left);
    }
    *r = (range){r->first, left, side[0]};
    return (range){r->first + left, count - left, side[1]};
}

static bool fits_leaf(const tree_builder *b, const range *items)
{
    return items->count <= b->leaf_items;
}

/* Index of the range to split next: the one with the largest box or, where ranges are halved, with
 * the largest number of items. `count` if all are small enough for leaves. */
static uint32_t choose_range(const tree_builder *b, const range *parts, uint32_t count,
                             bool in_halves)
{
    uint32_t best = count;
    double largest = -1;
    for (uint32_t k = 0; k < count; ++k) {
        double size = in_halves ? parts[k].count : half_area(&parts[k].all);
        if (!fits_leaf(b, &parts[k]) && size > largest) best = k, largest = size;
    }
    return best;
}

/* Set the grid of a node on an axis: line 0 is at the low side of the node's box, the last line at
 * or above its high side. */
static void set_grid(kg_mesh_node *node, const bounds *all, int k)
{
    float high = KG_AT(all->high, k);
    node->low[k] = KG_AT(all->low, k);
    node->step[k] = round_up(((double)high - (double)node->low[k]) / GRID);
    while (side_at(node, k, GRID) < high) node->step[k] = step_float(node->step[k], 1);
}

/* The last line of the grid at or below a place, up to rounding. */
static int line_below(const kg_mesh_node *node, int k, float place)
{
    double step = (double)node->step[k], steps = (double)place - (double)node->low[k];
    return !(step > 0) ? 0 : steps < GRID * step ? (int)(steps / step) : GRID;
}

/* Set the sides of a child's box to the nearest grid lines outside of it. */
static void set_sides(kg_mesh_node *node, uint32_t child, const bounds *b, int k)
{
    float least = KG_AT(b->low, k), most = KG_AT(b->high, k);
    int low = line_below(node, k, least), high = line_below(node, k, most);
    while (low > 0 && side_at(node, k, low) > least) --low;
    while (high < GRID && side_at(node, k, high) < most) ++high;
    node->side[k][0][child] = (uint8_t)low;
    node->side[k][1][child] = (uint8_t)high;
}

static uint32_t add_leaf(tree_builder *b, uint32_t first)
{
    if (b->first) b->first[b->leaf_count] = first;
    return KG_MESH_LEAF_BIT | b->leaf_count++;
}

/* Split the items of a node into parts[0 ... count - 1], and set the boxes of the node. Returns the
 * count. */
static uint32_t split_node(const tree_builder *b, kg_mesh_node *node, const range *whole, int level,
                           range parts[CHILDREN])
{
    uint32_t count = 1, chosen;
    bool in_halves = level >= KG_MESH_TREE_SPLITS;
    *node = (kg_mesh_node){0};
    parts[0] = *whole;
    while (count < CHILDREN && (chosen = choose_range(b, parts, count, in_halves)) < count) {
        memmove(&parts[chosen + 1], &parts[chosen], (count - chosen) * sizeof *parts);
        parts[chosen + 1] = split_range(b, &parts[chosen], in_halves);
        count += 1;
    }
    for (int k = 0; k < 3; ++k) {
        set_grid(node, &whole->all, k);
        for (uint32_t c = 0; c < count; ++c) set_sides(node, c, &parts[c].all, k);
        for (uint32_t c = count; c < CHILDREN; ++c)
            node->side[k][0][c] = GRID, node->side[k][1][c] = 0;
    }
    for (uint32_t c = count; c < CHILDREN; ++c) node->child[c] = KG_NONE;
    return count;
}

static uint32_t build_node(tree_builder *b, const range *whole, int level)
{
    range parts[CHILDREN];
    uint32_t at = b->node_count++, count = split_node(b, &b->node[at], whole, level, parts);
    for (uint32_t c = 0; c < count; ++c) {
        b->node[at].child[c] = fits_leaf(b, &parts[c]) ? add_leaf(b, parts[c].first)
                                                       : build_node(b, &parts[c], level + 1);
    }
    return at;
}

static range measure_whole(tree_builder *b, uint32_t count)
{
    range whole = {0, count, measure_items(b->items, count)};
    memcpy(b->low, &whole.all.low, sizeof b->low);
    memcpy(b->high, &whole.all.high, sizeof b->high);
    return whole;
}

void kg_tree_build(kg_tree_builder *b, uint32_t count)
{
    range whole = measure_whole(b, count);
    build_node(b, &whole, 0);
}

/* Building in tasks: the nodes of the top levels are split in one job for each level. Then each
 * branch below is built by one task. */
enum {
    MIN_PARALLEL_ITEMS = 8192, /* some milliseconds of work */
    TOP_LEVELS = 2,
    TOP_NODES = 1 + CHILDREN,
    BRANCHES = CHILDREN * CHILDREN
};
_Static_assert(TOP_NODES + BRANCHES <= KG_TREE_SPARE_NODES, "room between the branches");

typedef struct branch {
    range items;
    uint32_t *link; /* the child of a node above that becomes this branch */
    uint32_t node;  /* set when a top level is split; KG_NONE: few items, which become a leaf */
    uint32_t part_count;
    tree_builder tree; /* nodes and leaves are numbered from 0 */
} branch;

typedef struct top {
    tree_builder *whole;
    int level;
    uint32_t count; /* branches */
    branch branches[BRANCHES];
    range parts[CHILDREN][CHILDREN]; /* of the nodes of a level */
} top;

static void split_branch(void *context, uint32_t i)
{
    top *t = context;
    branch *from = &t->branches[i];
    if (from->node == KG_NONE) return;
    from->part_count =
        split_node(t->whole, &t->whole->node[from->node], &from->items, t->level, t->parts[i]);
}

/* Split the branches, of which there are at most CHILDREN; their parts become branches. */
static void split_level(top *t, kg_tasks *tasks)
{
    branch old[CHILDREN];
    tree_builder *b = t->whole;
    uint32_t count = t->count;
    for (uint32_t i = 0; i < count; ++i)
        t->branches[i].node = fits_leaf(b, &t->branches[i].items) ? KG_NONE : b->node_count++;
    kg_tasks_run(tasks, count, split_branch, t);
    memcpy(old, t->branches, count * sizeof *old);
    t->count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (old[i].node == KG_NONE) t->branches[t->count++] = old[i];
        else *old[i].link = old[i].node;
        for (uint32_t c = 0; c < old[i].part_count; ++c)
            t->branches[t->count++] =
                (branch){.items = t->parts[i][c], .link = &b->node[old[i].node].child[c]};
    }
}

/* A branch has at most half as many nodes as items, so branches do not overlap in `node`. */
static void build_branch(void *context, uint32_t i)
{
    top *t = context;
    branch *from = &t->branches[i];
    uint32_t first = from->items.first;
    from->tree = (tree_builder){.items = t->whole->items,
                                .node = t->whole->node + TOP_NODES + first / 2 + i,
                                .first = t->whole->first + first,
                                .leaf_items = t->whole->leaf_items};
    if (fits_leaf(t->whole, &from->items)) add_leaf(&from->tree, first);
    else build_node(&from->tree, &from->items, TOP_LEVELS);
}

/* Move the nodes and leaves of a branch directly behind those of the branches before it. */
static void append_branch(tree_builder *b, const branch *from)
{
    const tree_builder *t = &from->tree;
    kg_mesh_node *node = b->node + b->node_count;
    memmove(node, t->node, t->node_count * sizeof *node);
    memmove(b->first + b->leaf_count, t->first, t->leaf_count * sizeof *t->first);
    for (uint32_t i = 0; i < t->node_count; ++i) {
        for (uint32_t c = 0; c < CHILDREN && node[i].child[c] != KG_NONE; ++c)
            node[i].child[c] += kg_mesh_is_leaf(node[i].child[c]) ? b->leaf_count : b->node_count;
    }
    *from->link = t->node_count ? b->node_count : KG_MESH_LEAF_BIT | b->leaf_count;
    b->node_count += t->node_count;
    b->leaf_count += t->leaf_count;
}

void kg_tree_build_in_tasks(kg_tree_builder *b, kg_tasks *tasks, uint32_t count)
{
    if (count < MIN_PARALLEL_ITEMS) {
        kg_tree_build(b, count);
        return;
    }
    uint32_t root;
    top t = {.whole = b, .count = 1};
    t.branches[0] = (branch){.items = measure_whole(b, count), .link = &root};
    for (; t.level < TOP_LEVELS; ++t.level) split_level(&t, tasks);
    kg_tasks_run(tasks, t.count, build_branch, &t);
    for (uint32_t i = 0; i < t.count; ++i) append_branch(b, &t.branches[i]);
}
