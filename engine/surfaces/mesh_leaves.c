/* The tree of a mesh: items from its triangles with an area, and leaves of up to four triangles.
 * In: corners; which triangles are dropped. Out: nodes, leaves, box, largest coordinate.
 * Cost: O(n log n). */
#include "surfaces/mesh_build.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"

enum { LEAF_TRIANGLES = 4 };

static void write_leaf(const kg_tree_builder *b, uint32_t number, kg_mesh *mesh)
{
    kg_mesh_leaf *leaf = &mesh->leaf[number];
    uint32_t first = b->first[number], count = b->first[number + 1] - first;
    *leaf = (kg_mesh_leaf){.triangle = {KG_NONE, KG_NONE, KG_NONE, KG_NONE}};
    for (uint32_t i = 0; i < count; ++i) {
        leaf->triangle[i] = b->items[first + i].number;
        memcpy(leaf->corner[i], &mesh->corner[3 * leaf->triangle[i]], sizeof *leaf->corner);
    }
}

/* The items of a mesh's tree. */
typedef struct mesh_items {
    const kg_mesh *mesh;
    kg_tree_item *items; /* [triangle_count] */
} mesh_items;

static void set_range(void *context, uint32_t index)
{
    const mesh_items *m = context;
    uint32_t end = kg_range_end(index, KG_MESH_RANGE, m->mesh->triangle_count);
    for (uint32_t t = index * KG_MESH_RANGE; t < end; ++t) {
        double low[3], high[3];
        kg_mesh_triangle_box(m->mesh, t, low, high);
        kg_tree_set_item(&m->items[t], low, high, t);
    }
}

/* Set the items of the triangles with an area, in the order of their numbers. Returns the count. */
static uint32_t set_items(kg_mesh_builder *b, kg_tree_item *items)
{
    mesh_items m = {b->mesh, items};
    uint32_t live = 0;
    kg_mesh_run(b, set_range, &m);
    for (uint32_t t = 0; t < m.mesh->triangle_count; ++t) {
        if (kg_mesh_has_area(m.mesh, t)) items[live++] = items[t];
    }
    return live;
}

bool kg_mesh_build_tree(kg_mesh_builder *b)
{
    kg_mesh *mesh = b->mesh;
    kg_scratch_mark mark = kg_scratch_top(&b->scratch);
    size_t triangles = mesh->triangle_count;
    kg_tree_builder tree = {
        .leaf_items = LEAF_TRIANGLES,
        .items = kg_mesh_take(b, sizeof *tree.items, triangles),
        .node = kg_mesh_take(b, sizeof *tree.node, triangles / 2 + KG_TREE_SPARE_NODES),
        .first = kg_mesh_take(b, sizeof *tree.first, triangles + 1)};
    if (!tree.items || !tree.node || !tree.first) return false;
    uint32_t live = set_items(b, tree.items);
    if (live) kg_tree_build_in_tasks(&tree, b->tasks, live);
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
