/* Walking the tree of boxes: children, their boxes, nodes to visit; boxes of triangles. */
#ifndef KG_SURFACES_MESH_TREE_H
#define KG_SURFACES_MESH_TREE_H

#include "base/constants.h"
#include "base/vec.h"
#include "surfaces/mesh.h"

enum {
    /* Levels that are split by the heuristic: most of them. Deeper levels divide the triangles by
     * eight, which takes at most 9 for KG_MESH_TRIANGLE_LIMIT. */
    KG_MESH_TREE_SPLITS = 16,
    /* A stack of children to visit holds seven of each level, and an eighth. */
    KG_MESH_TREE_DEPTH = (KG_MESH_CHILDREN - 1) * (KG_MESH_TREE_SPLITS + 9) + 1,
    /* So many more for rays, which visit several children at once. */
    KG_MESH_TREE_MORE = 64
};

/* A box, rounded outwards, and the number of what is in it. */
typedef struct kg_tree_item {
    float low[3], high[3];
    uint32_t number;
} kg_tree_item;
/* mesh_tree_build.c */
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
/* mesh_tree_build.c; of at least one item. */
void kg_tree_build(kg_tree_builder *builder, uint32_t count);

/* More than the rounding of floats in tests of boxes: a share of the largest place for the origin,
 * else of the result. */
#define KG_TREE_ROUNDING 0x1p-20f

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
    uint32_t number = *next < 4 ? leaf->triangle[*next] : KG_NONE;
    *triangle = number & ~KG_MESH_NAMES_FACET;
    *next += 1;
    return number != KG_NONE;
}

/* Lower bounds of the squared distances of the children's boxes from a box. */
void kg_mesh_squares(const kg_mesh_node *node, const kg_tree_item *from,
                     float squares[KG_MESH_CHILDREN]);

/* A distance or parameter rounded up to a float. */
static inline float kg_tree_most(double most)
{
    most = most * (1 + (double)KG_TREE_ROUNDING) + 1e-37;
    return most < 3e38 ? (float)most : 3e38f;
}

/* Children to visit, each with the time at which a path enters its box, or another order. */
typedef struct kg_mesh_walk {
    uint32_t count;
    struct {
        float enter;
        uint32_t child;
    } next[KG_MESH_TREE_DEPTH + KG_MESH_TREE_MORE];
} kg_mesh_walk;

/* Of the children that were added since the walk had `from`, the last is entered first. */
static inline void kg_mesh_push(kg_mesh_walk *walk, uint32_t from, uint32_t child, float enter)
{
    uint32_t at = walk->count++;
    for (; at > from && walk->next[at - 1].enter <= enter; --at)
        walk->next[at] = walk->next[at - 1];
    walk->next[at].enter = enter;
    walk->next[at].child = child;
}

/* A line in tests of boxes. Components of the direction are at least KG_LEAST_SLOPE: no division by
 * 0, and no overflow of a place (KG_VALUE_LIMIT) over it. */
typedef struct kg_tree_line {
    float near[3], far[3]; /* origin, moved by the widening of sides of entry and exit */
    float inverse[3];      /* of a direction whose largest component is in [1, 2) */
    int near_side[3];      /* 0: the line enters boxes at their low side */
    double scale;          /* of its parameter over that of the given direction */
} kg_tree_line;
#define KG_LEAST_SLOPE 1e-20

/* reach, m: boxes as near as this are met. largest: of the boxes' coordinates, m. */
static inline void kg_tree_set_line(kg_tree_line *line, const double origin[3],
                                    const double direction[3], double reach, double largest)
{
    double scale = kg_unit_scale(kg_max_abs3(direction)),
           magnitude = kg_max(kg_max_abs3(origin), largest) + reach,
           wide = reach + KG_TREE_ROUNDING * magnitude;
    line->scale = 1 / scale;
    for (int k = 0; k < 3; ++k) {
        double u = direction[k] * scale,
               inverse = 1 / (kg_abs(u) < KG_LEAST_SLOPE ? KG_LEAST_SLOPE : u);
        bool back = inverse < 0;
        line->near_side[k] = back;
        line->near[k] = (float)(origin[k] + (back ? -wide : wide));
        line->far[k] = (float)(origin[k] - (back ? -wide : wide));
        line->inverse[k] = (float)inverse;
    }
}

/* The parameter of the boxes for one of the line, rounded up. */
static inline float kg_tree_end(const kg_tree_line *line, double t)
{
    return kg_tree_most(t * line->scale);
}

/* Push the children whose boxes the line meets in [0, end]. */
void kg_tree_push_met(const kg_mesh_node *node, const kg_tree_line *line, float end,
                      kg_mesh_walk *walk);

/* Rounding of squared distances of boxes and triangles, with a margin: a box whose triangle would
 * win is not skipped. */
#define KG_MESH_SQUARE_ROUNDING 1e-14

void kg_mesh_triangle_box(const kg_mesh *mesh, uint32_t triangle, double low[3], double high[3]);

#endif
