/* Searches of the tree of boxes: which children a line meets, which triangles are near a box. In: a
 * tree, a line or box. Out: children, triangles. The eight boxes of a node are tested at once, in
 * floats with margins for rounding. Nothing is allocated. */
#include "surfaces/mesh_tree.h"

#include "base/compiler.h"
#include "base/wide_avx.h"
#include "surfaces/mesh_feature.h"

enum { CHILDREN = KG_MESH_CHILDREN };

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

/* Coordinates of the low (side 0) or high (side 1) sides of the children's boxes on an axis, m. */
KG_INLINE void child_sides(const kg_mesh_node *node, int axis, int side, kg_float8 *sides,
                           bool wide)
{
    kg_bytes_to_float8(node->side[axis][side], sides, wide);
    kg_float8 low, step;
    kg_splat8(&node->low[axis], &low, wide);
    kg_splat8(&node->step[axis], &step, wide);
    KG_EACH (8) KG_L(*sides) = KG_L(low) + KG_L(step) * KG_L(*sides);
}

/* Squared distance of two intervals, m^2; 0 if they overlap. */
static double squared_apart(double low, double high, double other_low, double other_high)
{
    double d = kg_max(kg_max(other_low - high, low - other_high), 0);
    return d * d;
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

KG_INLINE void square_distances(const kg_mesh_node *node, const kg_tree_item *from,
                                float squares[CHILDREN], bool wide)
{
    const kg_float8 zero = {0};
    kg_float8 sum = zero, side[2], low, high, d;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 2; ++i) child_sides(node, k, i, &side[i], wide);
        kg_splat8(&from->low[k], &low, wide);
        kg_splat8(&from->high[k], &high, wide);
        KG_EACH (8) {
            KG_L(side[0]) -= KG_L(high);
            KG_L(side[1]) = KG_L(low) - KG_L(side[1]);
        }
        kg_max8(&side[0], &side[1], &d, wide);
        kg_max8(&d, &zero, &d, wide);
        KG_EACH (8) KG_L(sum) += KG_L(d) * KG_L(d);
    }
    KG_EACH (8) KG_L(sum) *= 1 - KG_TREE_ROUNDING;
    memcpy(squares, &sum, sizeof sum);
}

KG_VARIANTS(void, square_distances,
            (const kg_mesh_node *node, const kg_tree_item *from, float *squares),
            (node, from, squares, wide))

void kg_tree_push_near(const kg_mesh_node *node, const kg_tree_item *place, float max_squared,
                       kg_mesh_walk *walk)
{
    uint32_t first = walk->count;
    float squares[CHILDREN];
    KG_WIDEST(square_distances)(node, place, squares);
    for (int c = 0; c < CHILDREN && node->child[c] != KG_NONE; ++c) {
        if (squares[c] <= max_squared) kg_mesh_push(walk, first, node->child[c], squares[c]);
    }
}

/* The parameters at which a line crosses sides of the children's boxes on one axis. It crosses grid
 * line s at (low + step s - origin) inverse = start + slope s. Let u = 2^-24 and M the larger of
 * the largest coordinates of line and boxes. Then the rounding, as a length, is at most 12 u M:
 * u M of the origin; 2 u M each of low - origin, start, slope and slope s; 3 u M of the grid line
 * when the tree was built. The margin is 16 u M, by which kg_tree_set_line moved the origin. */
KG_INLINE void cross_sides(const uint8_t sides[CHILDREN], float slope, float start,
                           kg_float8 *cross, bool wide)
{
    kg_float8 wide_slope, wide_start;
    kg_splat8(&slope, &wide_slope, wide);
    kg_splat8(&start, &wide_start, wide);
    kg_bytes_to_float8(sides, cross, wide);
    KG_EACH (8) KG_L(*cross) = KG_L(*cross) * KG_L(wide_slope) + KG_L(wide_start);
}

/* Slab test of a line with the children's boxes. enter[c]: the parameter at which the line enters
 * the box of child c. Bit c of the result: the line meets that box at a parameter in [0, end]. The
 * factors cover the rounding of an inverse and a sum (T. Ize, "Robust BVH ray traversal", JCGT
 * 2(2), 2013). */
KG_INLINE uint32_t enter_boxes(const kg_mesh_node *node, const kg_tree_line *line, float end,
                               float enter[CHILDREN], bool wide)
{
    kg_float8 from = {0}, to, near, far;
    kg_splat8(&end, &to, wide);
    for (int k = 0; k < 3; ++k) {
        float inverse = line->inverse[k], slope = node->step[k] * inverse;
        float start = (node->low[k] - line->near[k]) * inverse,
              start_of_far = (node->low[k] - line->far[k]) * inverse;
        cross_sides(node->side[k][line->near_side[k]], slope, start, &near, wide);
        cross_sides(node->side[k][!line->near_side[k]], slope, start_of_far, &far, wide);
        kg_max8(&near, &from, &from, wide);
        kg_min8(&far, &to, &to, wide);
    }
    kg_mask8 meets;
    KG_EACH (8) {
        KG_L(from) *= 1 - KG_TREE_ROUNDING;
        KG_L(meets) = KG_MASK(KG_L(from) <= KG_L(to) * (1 + KG_TREE_ROUNDING));
    }
    memcpy(enter, &from, sizeof from);
    return kg_movemask8_wide(&meets, wide);
}

KG_INLINE void push_met(const kg_mesh_node *node, const kg_tree_line *line, float end,
                        kg_mesh_walk *walk, bool wide)
{
    uint32_t first = walk->count;
    float enter[CHILDREN];
    for (uint32_t met = enter_boxes(node, line, end, enter, wide); met; met &= met - 1) {
        int c = kg_lowest_bit(met);
        if (node->child[c] == KG_NONE) break;
        kg_mesh_push(walk, first, node->child[c], enter[c]);
    }
}

KG_VARIANTS(void, push_met,
            (const kg_mesh_node *node, const kg_tree_line *line, float end, kg_mesh_walk *walk),
            (node, line, end, walk, wide))

void kg_tree_push_met(const kg_mesh_node *node, const kg_tree_line *line, float end,
                      kg_mesh_walk *walk)
{
    KG_WIDEST(push_met)(node, line, end, walk);
}

/* A line with more than WIDE children on its stack visits one child a turn, so that the stack fits
 * into kg_mesh_walk. */
enum { WIDE = KG_MESH_STACK_LINES - (KG_MESH_CHILDREN - 1) * KG_MESH_AT_ONCE };

static void visit_children(kg_mesh_flight *f, uint32_t node)
{
    const kg_mesh *mesh = f->mesh;
    uint32_t from = f->walk.count;
    kg_tree_push_met(&mesh->node[node], &f->line, f->limit, &f->walk);
    for (uint32_t k = from; k < f->walk.count; ++k) {
        uint32_t child = f->walk.next[k].child;
        if (kg_mesh_is_leaf(child)) {
            KG_PREFETCH(kg_mesh_leaf_of(mesh, child));
        } else {
            KG_PREFETCH(&mesh->node[child]);
            KG_PREFETCH(mesh->node[child].child);
        }
    }
}

static void load_vertices(const kg_mesh *mesh, const kg_mesh_leaf *leaf)
{
    for (uint32_t i = 0; i < 4 && leaf->triangle[i] != KG_NONE; ++i) {
        for (int k = 0; k < 3; ++k) KG_PREFETCH(kg_mesh_vertex(mesh, leaf->corner[i][k]));
    }
}

/* Pop the next children off the walk, in the order in which the line enters them. */
static uint32_t take_children(kg_mesh_flight *f, uint32_t child[KG_MESH_AT_ONCE])
{
    kg_mesh_walk *walk = &f->walk;
    uint32_t count = 0, max_count = walk->count > WIDE ? 1 : KG_MESH_AT_ONCE;
    while (walk->count && count < max_count) {
        walk->count -= 1;
        if (walk->next[walk->count].enter <= f->limit)
            child[count++] = walk->next[walk->count].child;
    }
    return count;
}

void kg_mesh_flight_start(kg_mesh_flight *f, const kg_mesh *mesh, const double origin[3],
                          const double direction[3], double reach, double end)
{
    f->mesh = mesh;
    kg_tree_set_line(&f->line, origin, direction, reach, mesh->largest_coordinate);
    kg_mesh_flight_limit(f, end);
    f->leaf_count = f->walk.count = 0;
    if (mesh->node_count) kg_mesh_push(&f->walk, 0, 0, 0);
}

/* The first child is visited last, so that its children are on top of the stack. */
bool kg_mesh_flight_advance(kg_mesh_flight *f, kg_mesh_leaf_visit *visit, void *context)
{
    const kg_mesh *mesh = f->mesh;
    uint32_t child[KG_MESH_AT_ONCE];
    while (f->leaf_count) visit(context, kg_mesh_leaf_of(mesh, f->leaf[--f->leaf_count]));
    for (uint32_t k = take_children(f, child); k-- > 0;) {
        if (kg_mesh_is_leaf(child[k])) {
            load_vertices(mesh, kg_mesh_leaf_of(mesh, child[k]));
            f->leaf[f->leaf_count++] = child[k];
        } else {
            visit_children(f, child[k]);
        }
    }
    return f->walk.count || f->leaf_count;
}

typedef struct path_search {
    kg_mesh_visit *visit;
    void *context;
    bool goes_on;
} path_search;

static void visit_near_path(void *context, const kg_mesh_leaf *leaf)
{
    path_search *s = context;
    for (uint32_t next = 0, triangle; s->goes_on && kg_mesh_next_in_leaf(leaf, &next, &triangle);)
        s->goes_on = s->visit(s->context, triangle);
}

bool kg_mesh_find_near_path(const kg_mesh *mesh, const double from[3], const double to[3],
                            double reach, kg_mesh_visit *visit, void *context)
{
    double path[3];
    kg_mesh_flight flight;
    path_search search = {visit, context, true};
    kg_sub3(path, to, from);
    kg_mesh_flight_start(&flight, mesh, from, path, reach, 1);
    while (search.goes_on && kg_mesh_flight_advance(&flight, visit_near_path, &search)) {}
    return search.goes_on;
}

/* Push the children within the squared distance `max_squared` (m^2), the first child on top.
 * Returns the new top. */
static uint32_t push_near(const kg_mesh_node *node, const kg_tree_item *from, float max_squared,
                          uint32_t *stack, uint32_t top)
{
    float squares[CHILDREN];
    KG_WIDEST(square_distances)(node, from, squares);
    for (int c = CHILDREN - 1; c >= 0; --c) {
        if (squares[c] <= max_squared && node->child[c] != KG_NONE) stack[top++] = node->child[c];
    }
    return top;
}

bool kg_mesh_find_near(const kg_mesh *mesh, const double low[3], const double high[3], double reach,
                       kg_mesh_visit *visit, void *context)
{
    uint32_t stack[KG_MESH_STACK], top = 0;
    double max_squared = reach * reach * (1 + 2 * KG_MESH_SQUARE_ROUNDING);
    kg_tree_item from;
    kg_tree_set_item(&from, low, high, 0);
    if (mesh->node_count) stack[top++] = 0;
    while (top) {
        uint32_t child = stack[--top];
        if (!kg_mesh_is_leaf(child)) {
            top = push_near(&mesh->node[child], &from, kg_tree_round_up(max_squared), stack, top);
            continue;
        }
        const kg_mesh_leaf *leaf = kg_mesh_leaf_of(mesh, child);
        for (uint32_t next = 0, triangle; kg_mesh_next_in_leaf(leaf, &next, &triangle);) {
            if (squared_from_triangle(mesh, triangle, low, high) <= max_squared &&
                !visit(context, triangle))
                return false;
        }
    }
    return true;
}
