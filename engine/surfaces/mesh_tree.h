/* Walking the tree of boxes: bounds of its depth, boxes of triangles. */
#ifndef KG_SURFACES_MESH_TREE_H
#define KG_SURFACES_MESH_TREE_H

#include "surfaces/mesh.h"

enum {
    /* Levels that the heuristic splits; below, the number of triangles halves: 27 levels more for
     * KG_MESH_TRIANGLE_LIMIT. */
    KG_MESH_TREE_SPLITS = 48,
    /* A stack of nodes to visit holds one of each level. */
    KG_MESH_TREE_DEPTH = KG_MESH_TREE_SPLITS + 32
};

void kg_mesh_triangle_box(const kg_mesh *mesh, uint32_t triangle, double low[3], double high[3]);

#endif
