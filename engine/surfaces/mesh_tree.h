/* Walking the tree of boxes: children, their boxes, nodes to visit; boxes of triangles. */
#ifndef KG_SURFACES_MESH_TREE_H
#define KG_SURFACES_MESH_TREE_H

#include "base/constants.h"
#include "base/vec.h"
#include "base/wide.h"
#include "surfaces/mesh.h"

enum {
    /* Levels that are split by the heuristic: most of them. Deeper levels quarter the triangles,
     * which takes at most 14 for KG_MESH_TRIANGLE_LIMIT. */
    KG_MESH_TREE_SPLITS = 24,
    /* A stack of children to visit holds three of each level, and a fourth. */
    KG_MESH_TREE_DEPTH = 3 * (KG_MESH_TREE_SPLITS + 14) + 1,
    /* So many more for rays, which visit several children at once. */
    KG_MESH_TREE_MORE = 48
};

/* A box, rounded outwards, and the number of what is in it. */
typedef struct kg_tree_item {
    float low[3], high[3];
    uint32_t number;
} kg_tree_item;
void kg_tree_set_item(kg_tree_item *item, const double low[3], const double high[3],
                      uint32_t number);

/* In: items, room for nodes and `first`, which may be NULL, most items of a leaf. Out: nodes; items
 * in the order of the leaves; of each leaf its first item, which is its number for leaves of one
 * item; the box of all. Nodes: at most the items, or half of them for leaves of 4, and one. */
typedef struct kg_tree_builder {
    kg_tree_item *items;
    kg_mesh_node *node;
    uint32_t *first;
    uint32_t leaf_items, node_count, leaf_count;
    float low[3], high[3];
} kg_tree_builder;
/* Of at least one item. */
void kg_tree_build(kg_tree_builder *builder, uint32_t count);

/* A child is the number of a node, or that of a leaf with the highest bit. */
#define KG_MESH_LEAF_BIT (1u << 31)
static inline bool kg_mesh_is_leaf(uint32_t child) { return child & KG_MESH_LEAF_BIT; }
static inline const kg_mesh_leaf *kg_mesh_leaf_of(const kg_mesh *mesh, uint32_t child)
{
    return &mesh->leaf[child & ~KG_MESH_LEAF_BIT];
}
/* The next triangle of a leaf; false after the last. *next starts at 0. */
static inline bool kg_mesh_next_in_leaf(const kg_mesh_leaf *leaf, uint32_t *next,
                                        uint32_t *triangle)
{
    *triangle = *next < 4 ? leaf->triangle[*next] : KG_NONE;
    *next += 1;
    return *triangle != KG_NONE;
}

/* Sides of the children's boxes along an axis, in steps of the node: side 0 low, 1 high. */
KG_INLINE void kg_mesh_steps(const kg_mesh_node *node, int axis, int side, kg_float4 *steps)
{
    kg_bytes_to_float4(node->side[axis][side], steps);
}

/* The same sides, m. */
KG_INLINE void kg_mesh_sides(const kg_mesh_node *node, int axis, int side, kg_double4 *sides)
{
    kg_float4 at;
    kg_mesh_steps(node, axis, side, &at);
    at = node->low[axis] + node->step[axis] * at;
    *sides = __builtin_convertvector(at, kg_double4);
}

/* Squared distances of the children's boxes from a box, at most; around a point x: low = high = x.
 */
KG_INLINE void kg_mesh_squares(const kg_mesh_node *node, const double low[3], const double high[3],
                               double squares[4])
{
    kg_double4 sum = {0}, at[2];
    for (int k = 0; k < 3; ++k) {
        for (int side = 0; side < 2; ++side) kg_mesh_sides(node, k, side, &at[side]);
        kg_double4 below = at[0] - high[k], above = low[k] - at[1];
        kg_mask4 is_below = below > 0, is_above = above > 0;
        kg_double4 d = (kg_double4)(((kg_mask4)below & is_below) | ((kg_mask4)above & is_above));
        sum += d * d;
    }
    memcpy(squares, &sum, sizeof sum);
}

/* Children to visit, each with the time at which a path enters its box, or another order. */
typedef struct kg_mesh_walk {
    uint32_t count;
    struct {
        double enter;
        uint32_t child;
    } next[KG_MESH_TREE_DEPTH + KG_MESH_TREE_MORE];
} kg_mesh_walk;

/* Of the children that were added since the walk had `from`, the last is entered first. */
static inline void kg_mesh_push(kg_mesh_walk *walk, uint32_t from, uint32_t child, double enter)
{
    uint32_t at = walk->count++;
    for (; at > from && walk->next[at - 1].enter <= enter; --at)
        walk->next[at] = walk->next[at - 1];
    walk->next[at].enter = enter;
    walk->next[at].child = child;
}

/* A line in tests of boxes: origin + t direction, its origin moved by the reach, against the sides
 * of entry and of exit. Components of the direction are at least KG_LEAST_SLOPE: no division by 0,
 * and no overflow of a place (KG_VALUE_LIMIT) over it. */
typedef struct kg_tree_line {
    double near[3], far[3], inverse[3];
} kg_tree_line;
#define KG_LEAST_SLOPE 1e-20

static inline void kg_tree_set_line(kg_tree_line *line, const double origin[3],
                                    const double direction[3], double reach)
{
    for (int k = 0; k < 3; ++k) {
        double u = kg_abs(direction[k]) < KG_LEAST_SLOPE ? KG_LEAST_SLOPE : direction[k];
        line->inverse[k] = 1 / u;
        line->near[k] = origin[k] + (u < 0 ? -reach : reach);
        line->far[k] = origin[k] - (u < 0 ? -reach : reach);
    }
}

/* Push the children whose boxes are within reach of the line, t in [0, end]. */
KG_INLINE void kg_tree_push_met(const kg_mesh_node *node, const kg_tree_line *line, double end,
                                kg_mesh_walk *walk)
{
    const double rounding = 1e-12;
    uint32_t first = walk->count;
    double from[4] = {0}, to[4] = {end, end, end, end};
    for (int k = 0; k < 3; ++k) {
        kg_double4 side[2];
        bool back = line->inverse[k] < 0;
        kg_mesh_sides(node, k, back, &side[0]);
        kg_mesh_sides(node, k, !back, &side[1]);
        for (int c = 0; c < 4; ++c) {
            double near = (side[0][c] - line->near[k]) * line->inverse[k],
                   far = (side[1][c] - line->far[k]) * line->inverse[k];
            from[c] = near > from[c] ? near : from[c];
            to[c] = far < to[c] ? far : to[c];
        }
    }
    for (int c = 0; c < 4 && node->child[c] != KG_NONE; ++c) {
        double enter = from[c] * (1 - rounding);
        if (enter <= to[c] * (1 + rounding)) kg_mesh_push(walk, first, node->child[c], enter);
    }
}

/* Rounding of squared distances of boxes and triangles, with a margin: a box whose triangle would
 * win is not skipped. */
#define KG_MESH_SQUARE_ROUNDING 1e-14

void kg_mesh_triangle_box(const kg_mesh *mesh, uint32_t triangle, double low[3], double high[3]);

#endif
