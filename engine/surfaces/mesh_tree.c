/* The tree of boxes over the triangles, split top-down by the surface area heuristic in bins along
 * the longest axis of the centres (I. Wald, "On fast construction of SAH-based bounding volume
 * hierarchies", RT 2007). Deep levels halve the number of triangles, which bounds the depth.
 * Cost: O(n log n). Queries allocate nothing. */
#include "surfaces/mesh_tree.h"

#include "surfaces/mesh_build.h"
#include "surfaces/mesh_feature.h"

enum { BINS = 16, LEAF_TRIANGLES = 4 };

/* A box of a triangle, rounded outwards, and its number. */
typedef struct item {
    float low[3], high[3];
    uint32_t triangle;
} item;

typedef struct box {
    float low[3], high[3];
} box;

typedef struct tree_builder {
    item *items;
    kg_mesh_node *node;
    uint32_t node_count;
} tree_builder;

/* The float one step towards -infinity (direction -1) or +infinity (+1). */
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

static void set_item(const kg_mesh *mesh, uint32_t triangle, item *it)
{
    double low[3], high[3];
    kg_mesh_triangle_box(mesh, triangle, low, high);
    for (int k = 0; k < 3; ++k) it->low[k] = round_down(low[k]), it->high[k] = round_up(high[k]);
    it->triangle = triangle;
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

static double half_area(const box *b)
{
    double x = (double)b->high[0] - b->low[0], y = (double)b->high[1] - b->low[1],
           z = (double)b->high[2] - b->low[2];
    return x * y + y * z + z * x;
}

/* Items whose bin along the axis is below `bin` go to the left. Bins are those of twice the
 * centre; scale 0: all centres are equal. */
typedef struct split {
    int axis, bin;
    float low, scale;
} split;

static int bin_of(const split *s, const item *it)
{
    int bin = (int)((it->low[s->axis] + it->high[s->axis] - s->low) * s->scale);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

/* The box of all items and the split's axis, the longest of the box of centres. */
static box measure_items(const item *items, uint32_t count, split *s)
{
    box all = empty_box(), centres = empty_box();
    for (uint32_t i = 0; i < count; ++i) {
        float middle[3];
        grow(&all, items[i].low, items[i].high);
        for (int k = 0; k < 3; ++k) middle[k] = items[i].low[k] + items[i].high[k];
        grow(&centres, middle, middle);
    }
    float length[3];
    for (int k = 0; k < 3; ++k) length[k] = centres.high[k] - centres.low[k];
    s->axis = length[1] > length[0] ? 1 : 0;
    if (length[2] > length[s->axis]) s->axis = 2;
    s->low = centres.low[s->axis];
    s->scale = length[s->axis] > 0 ? BINS / length[s->axis] : 0;
    return all;
}

/* The bin with the least sum of area times number. The first and last bins have items. */
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

static void build_node(tree_builder *b, uint32_t at, uint32_t first, uint32_t count, int depth)
{
    kg_mesh_node *node = &b->node[at];
    item *items = b->items + first;
    split s;
    box all = measure_items(items, count, &s);
    memcpy(node->low, all.low, sizeof node->low);
    memcpy(node->high, all.high, sizeof node->high);
    node->first = first;
    node->count = count;
    if (count <= LEAF_TRIANGLES) return;
    uint32_t left = 0;
    if (depth < KG_MESH_TREE_SPLITS && s.scale > 0) {
        choose_bin(items, count, &s);
        left = partition(items, count, &s);
    }
    if (left == 0 || left == count) left = count / 2;
    uint32_t child = b->node_count;
    b->node_count += 2;
    node->first = child;
    node->count = 0;
    build_node(b, child, first, left, depth + 1);
    build_node(b, child + 1, first + left, count - left, depth + 1);
}

bool kg_mesh_build_tree(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    kg_scratch_mark mark = kg_scratch_top(&b->scratch);
    uint32_t live = 0;
    size_t triangles = mesh->triangle_count - mesh->report.dropped;
    tree_builder tree = {.items = kg_mesh_take(b, sizeof *tree.items, triangles),
                         .node = kg_mesh_take(b, sizeof *tree.node, 2 * triangles + 2)};
    if (!tree.items || !tree.node) return false;
    memset(tree.node, 0, 2 * sizeof *tree.node);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (kg_mesh_is_live(mesh, t)) set_item(mesh, t, &tree.items[live++]);
    }
    tree.node_count = live > 0 ? 2 : 0; /* the second is unused: pairs of children share a line */
    if (live) build_node(&tree, 0, 0, live, 0);
    mesh->node_count = tree.node_count;
    if (!KG_MESH_RESERVE(b, KG_MESH_ORDER, order, mesh->triangle_count) ||
        !KG_MESH_RESERVE(b, KG_MESH_NODE, node, tree.node_count))
        return false;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i)
        mesh->order[i] = i < live ? tree.items[i].triangle : KG_NONE;
    if (live) memcpy(mesh->node, tree.node, tree.node_count * sizeof *mesh->node);
    kg_scratch_release(b->memory, &b->scratch, mark);
    return true;
}

void kg_mesh_triangle_box(const kg_mesh *mesh, uint32_t triangle, double low[3], double high[3])
{
    for (uint32_t c = 0; c < 3; ++c) {
        const double *p = kg_mesh_vertex(mesh, mesh->corner[3 * triangle + c]);
        for (int k = 0; k < 3; ++k) {
            low[k] = c == 0 || p[k] < low[k] ? p[k] : low[k];
            high[k] = c == 0 || p[k] > high[k] ? p[k] : high[k];
        }
    }
}

/* Squared distance of two boxes along one axis, by their sides. */
static double squared_apart(double low, double high, double other_low, double other_high)
{
    double d = kg_max(kg_max(other_low - high, low - other_high), 0);
    return d * d;
}

static double squared_from_node(const kg_mesh_node *node, const double low[3], const double high[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += squared_apart(low[k], high[k], (double)node->low[k], (double)node->high[k]);
    return sum;
}

static double squared_from_triangle(const kg_mesh *mesh, uint32_t triangle, const double low[3],
                                    const double high[3])
{
    double sum = 0, triangle_low[3], triangle_high[3];
    kg_mesh_triangle_box(mesh, triangle, triangle_low, triangle_high);
    for (int k = 0; k < 3; ++k)
        sum += squared_apart(low[k], high[k], triangle_low[k], triangle_high[k]);
    return sum;
}

bool kg_mesh_find_near(const kg_mesh *mesh, const double low[3], const double high[3], double reach,
                       kg_mesh_visit *visit, void *context)
{
    uint32_t stack[KG_MESH_TREE_DEPTH], top = 0;
    double most = reach * reach * (1 + 2 * KG_MESH_SQUARE_ROUNDING);
    if (mesh->node_count) stack[top++] = 0;
    while (top) {
        const kg_mesh_node *node = &mesh->node[stack[--top]];
        if (squared_from_node(node, low, high) > most) continue;
        if (node->count == 0) stack[top++] = node->first + 1, stack[top++] = node->first;
        for (uint32_t i = 0; i < node->count; ++i) {
            uint32_t triangle = mesh->order[node->first + i];
            if (squared_from_triangle(mesh, triangle, low, high) <= most &&
                !visit(context, triangle))
                return false;
        }
    }
    return true;
}
