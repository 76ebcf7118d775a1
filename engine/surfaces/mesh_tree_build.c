/* Builds the tree of boxes (a bounding volume hierarchy) over the triangles of a mesh, or over
 * other items. Parts are split by the surface area heuristic in bins along the longest axis of the
 * centres (I. Wald, "On fast construction of SAH-based bounding volume hierarchies", RT 2007). A
 * node is split seven times, each time its part with the largest box. Deep levels halve the items
 * instead, which bounds the depth. A node stores its children's boxes on a grid of 256 lines per
 * axis, so that eight children fit into two cache lines. Cost: O(n log n). */
#include "surfaces/mesh_build.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"

enum { BINS = 16, LEAF_TRIANGLES = 4, CHILDREN = KG_MESH_CHILDREN, GRID = 255 };

typedef kg_tree_item item;
typedef kg_tree_builder tree_builder;

typedef struct box {
    float low[3], high[3];
} box;

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

static void grow(box *into, const float low[3], const float high[3])
{
    for (int k = 0; k < 3; ++k) {
        if (low[k] < into->low[k]) into->low[k] = low[k];
        if (high[k] > into->high[k]) into->high[k] = high[k];
    }
}

static box empty_box(void)
{
    const float large = 3e38f;
    return (box){{large, large, large}, {-large, -large, -large}};
}

/* Coordinate of grid line `side`, m, with the operations of the walks. */
static float side_at(const kg_mesh_node *node, int axis, int side)
{
    return node->low[axis] + node->step[axis] * (float)side;
}

static double half_area(const box *b)
{
    double x = (double)b->high[0] - b->low[0], y = (double)b->high[1] - b->low[1],
           z = (double)b->high[2] - b->low[2];
    return x * y + y * z + z * x;
}

/* A split of items: those whose bin is below `bin` go to the left. The bin of an item follows from
 * twice its centre on the axis. This is a double: the sum of two floats, or the inverse of a tiny
 * length, may overflow a float. */
typedef struct split {
    int axis, bin;
    double low, scale; /* of twice the centres: least, and bins per metre; 0: all are equal */
} split;

static int bin_of(const split *s, const item *it)
{
    double twice = (double)it->low[s->axis] + it->high[s->axis];
    double bin = (twice - s->low) * s->scale;
    return !(bin > 0) ? 0 : bin >= BINS ? BINS - 1 : (int)bin;
}

/* The box of all items. Sets the split's axis, the longest of the box of their centres. */
static box measure_items(const item *items, uint32_t count, split *s)
{
    const double large = 1e39;
    double low[3] = {large, large, large}, high[3] = {-large, -large, -large}, length[3];
    box all = empty_box();
    for (uint32_t i = 0; i < count; ++i) {
        grow(&all, items[i].low, items[i].high);
        for (int k = 0; k < 3; ++k) {
            double twice = (double)items[i].low[k] + items[i].high[k];
            low[k] = twice < low[k] ? twice : low[k];
            high[k] = twice > high[k] ? twice : high[k];
        }
    }
    for (int k = 0; k < 3; ++k) length[k] = high[k] - low[k];
    s->axis = length[1] > length[0] ? 1 : 0;
    if (length[2] > length[s->axis]) s->axis = 2;
    s->low = low[s->axis];
    s->scale = length[s->axis] > 0 ? BINS / length[s->axis] : 0;
    return all;
}

/* Choose the bin with the least cost: area times number of items, summed over both sides. The first
 * and last bins have items. */
static void choose_bin(const item *items, uint32_t count, split *s)
{
    box boxes[BINS], right[BINS], left = empty_box();
    uint32_t counts[BINS] = {0}, after[BINS], before = 0;
    for (int k = 0; k < BINS; ++k) boxes[k] = empty_box();
    for (uint32_t i = 0; i < count; ++i) {
        int bin = bin_of(s, &items[i]);
        counts[bin] += 1;
        grow(&boxes[bin], items[i].low, items[i].high);
    }
    right[BINS - 1] = boxes[BINS - 1], after[BINS - 1] = counts[BINS - 1];
    for (int k = BINS - 2; k > 0; --k) {
        right[k] = right[k + 1], after[k] = after[k + 1] + counts[k];
        grow(&right[k], boxes[k].low, boxes[k].high);
    }
    double least = 0;
    s->bin = 0;
    for (int k = 1; k < BINS; ++k) {
        grow(&left, boxes[k - 1].low, boxes[k - 1].high);
        before += counts[k - 1];
        double cost = before * half_area(&left) + after[k] * half_area(&right[k]);
        if (s->bin == 0 || cost < least) s->bin = k, least = cost;
    }
}

static uint32_t partition(item *items, uint32_t count, const split *s)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        if (bin_of(s, &items[low]) < s->bin) {
            low += 1;
        } else {
            item other = items[--high];
            items[high] = items[low];
            items[low] = other;
        }
    }
    return low;
}

/* Items in a box, and how they would be split. */
typedef struct range {
    uint32_t first, count;
    box all;
    split s;
} range;

static range make_range(const tree_builder *b, uint32_t first, uint32_t count)
{
    range r = {.first = first, .count = count};
    r.all = measure_items(b->items + first, count, &r.s);
    return r;
}

/* Split a range: r becomes its left part; the right part is returned. */
static range split_range(const tree_builder *b, range *r, bool in_halves)
{
    item *items = b->items + r->first;
    uint32_t left = 0, count = r->count, first = r->first;
    if (!in_halves && r->s.scale > 0) {
        choose_bin(items, count, &r->s);
        left = partition(items, count, &r->s);
    }
    if (left == 0 || left == count) left = count / 2;
    *r = make_range(b, first, left);
    return make_range(b, first + left, count - left);
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
        if (parts[k].count > b->leaf_items && size > largest) best = k, largest = size;
    }
    return best;
}

/* Set the grid of a node on an axis: line 0 is at the low side of the node's box, the last line at
 * or above its high side. */
static void set_grid(kg_mesh_node *node, const box *all, int k)
{
    node->low[k] = all->low[k];
    node->step[k] = round_up(((double)all->high[k] - (double)all->low[k]) / GRID);
    while (side_at(node, k, GRID) < all->high[k]) node->step[k] = step_float(node->step[k], 1);
}

/* The last line of the grid at or below a place, up to rounding. */
static int line_below(const kg_mesh_node *node, int k, float place)
{
    double step = (double)node->step[k], steps = (double)place - (double)node->low[k];
    return !(step > 0) ? 0 : steps < GRID * step ? (int)(steps / step) : GRID;
}

/* Set the sides of a child's box to the nearest grid lines outside of it. */
static void set_sides(kg_mesh_node *node, uint32_t child, const box *b, int k)
{
    int low = line_below(node, k, b->low[k]), high = line_below(node, k, b->high[k]);
    while (low > 0 && side_at(node, k, low) > b->low[k]) --low;
    while (high < GRID && side_at(node, k, high) < b->high[k]) ++high;
    node->side[k][0][child] = (uint8_t)low;
    node->side[k][1][child] = (uint8_t)high;
}

static uint32_t add_leaf(tree_builder *b, uint32_t first)
{
    if (b->first) b->first[b->leaf_count] = first;
    return KG_MESH_LEAF_BIT | b->leaf_count++;
}

static uint32_t build_node(tree_builder *b, const range *whole, int level)
{
    uint32_t at = b->node_count++, count = 1, chosen;
    kg_mesh_node *node = &b->node[at];
    *node = (kg_mesh_node){0};
    range parts[CHILDREN] = {*whole};
    bool in_halves = level >= KG_MESH_TREE_SPLITS;
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
    for (uint32_t c = 0; c < CHILDREN; ++c)
        node->child[c] = c >= count                        ? KG_NONE
                         : parts[c].count <= b->leaf_items ? add_leaf(b, parts[c].first)
                                                           : build_node(b, &parts[c], level + 1);
    return at;
}

void kg_tree_build(kg_tree_builder *b, uint32_t count)
{
    range whole = make_range(b, 0, count);
    memcpy(b->low, whole.all.low, sizeof b->low);
    memcpy(b->high, whole.all.high, sizeof b->high);
    build_node(b, &whole, 0);
}

static void write_leaf(const tree_builder *b, uint32_t number, kg_mesh *mesh)
{
    kg_mesh_leaf *leaf = &mesh->leaf[number];
    uint32_t first = b->first[number], count = b->first[number + 1] - first;
    *leaf = (kg_mesh_leaf){.triangle = {KG_NONE, KG_NONE, KG_NONE, KG_NONE}};
    for (uint32_t i = 0; i < count; ++i) {
        leaf->triangle[i] = b->items[first + i].number;
        memcpy(leaf->corner[i], &mesh->corner[3 * leaf->triangle[i]], sizeof *leaf->corner);
    }
}

bool kg_mesh_build_tree(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    kg_scratch_mark mark = kg_scratch_top(&b->scratch);
    uint32_t live = 0;
    size_t triangles = mesh->triangle_count - mesh->report.dropped;
    tree_builder tree = {.leaf_items = LEAF_TRIANGLES,
                         .items = kg_mesh_take(b, sizeof *tree.items, triangles),
                         .node = kg_mesh_take(b, sizeof *tree.node, triangles / 2 + 1),
                         .first = kg_mesh_take(b, sizeof *tree.first, triangles + 1)};
    if (!tree.items || !tree.node || !tree.first) return false;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        double low[3], high[3];
        if (!kg_mesh_has_area(mesh, t)) continue;
        kg_mesh_triangle_box(mesh, t, low, high);
        kg_tree_set_item(&tree.items[live++], low, high, t);
    }
    if (live) kg_tree_build(&tree, live);
    memcpy(mesh->low, tree.low, sizeof mesh->low);
    memcpy(mesh->high, tree.high, sizeof mesh->high);
    for (int k = 0; k < 3; ++k) {
        double farther = kg_max(kg_abs((double)tree.low[k]), kg_abs((double)tree.high[k]));
        mesh->largest_coordinate = kg_max(mesh->largest_coordinate, farther);
    }
    mesh->node_count = tree.node_count;
    mesh->leaf_count = tree.leaf_count;
    if (!KG_MESH_RESERVE(b, KG_MESH_NODE, node, tree.node_count) ||
        !KG_MESH_RESERVE(b, KG_MESH_LEAF, leaf, tree.leaf_count))
        return false;
    tree.first[tree.leaf_count] = live;
    for (uint32_t i = 0; i < tree.leaf_count; ++i) write_leaf(&tree, i, mesh);
    if (live) memcpy(mesh->node, tree.node, tree.node_count * sizeof *mesh->node);
    kg_scratch_release(b->memory, &b->scratch, mark);
    return true;
}
