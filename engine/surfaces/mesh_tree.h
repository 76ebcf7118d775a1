/* Walking the tree of boxes: bounds of its depth, boxes of triangles. */
#ifndef KG_SURFACES_MESH_TREE_H
#define KG_SURFACES_MESH_TREE_H

#include "base/vec.h"
#include "surfaces/mesh.h"

enum {
    /* Levels that are split by the heuristic: most of them. Deeper levels halve the triangles,
     * which takes at most 27 for KG_MESH_TRIANGLE_LIMIT. */
    KG_MESH_TREE_SPLITS = 48,
    /* A stack of nodes to visit holds one of each level. */
    KG_MESH_TREE_DEPTH = KG_MESH_TREE_SPLITS + 32
};

/* Nodes to visit, each with the time at which a path enters its box: KG_NEVER if it does not. */
typedef struct kg_mesh_walk {
    uint32_t node[KG_MESH_TREE_DEPTH], count;
    double enter[KG_MESH_TREE_DEPTH];
} kg_mesh_walk;

static inline void kg_mesh_push(kg_mesh_walk *walk, uint32_t node, double enter)
{
    walk->node[walk->count] = node;
    walk->enter[walk->count++] = enter;
}

/* Both children; the one that is entered first is visited first. */
static inline void kg_mesh_push_children(kg_mesh_walk *walk, uint32_t left, double enter_left,
                                         double enter_right)
{
    bool left_first = enter_left <= enter_right;
    kg_mesh_push(walk, left + left_first, left_first ? enter_right : enter_left);
    kg_mesh_push(walk, left + !left_first, left_first ? enter_left : enter_right);
}

/* Rounding of squared distances of boxes and triangles, with a margin: a box whose triangle would
 * win is not skipped. */
#define KG_MESH_SQUARE_ROUNDING 1e-14

/* Squared distance of x from a box, at most. */
static inline double kg_mesh_squared_from_box(const kg_mesh_node *node, const double x[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double below = (double)node->low[k] - x[k], above = x[k] - (double)node->high[k];
        double d = kg_max(kg_max(below, above), 0);
        sum += d * d;
    }
    return sum * (1 - KG_MESH_SQUARE_ROUNDING);
}

void kg_mesh_triangle_box(const kg_mesh *mesh, uint32_t triangle, double low[3], double high[3]);

#endif
