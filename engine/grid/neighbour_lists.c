/* Neighbour lists as chains of nodes: append, remove, mark.
 * In: slots. Out: nodes of their chains. Cost: the length of a list. The order of neighbours in a
 * list has no effect on results. */
#include <string.h>

#include "base/wide.h"
#include "grid/neighbour_lists.h"
#include "world/pair_filter.h"

uint32_t kg_list_node_capacity(const kg_grid *grid)
{
    size_t capacity = grid->columns[KG_GRID_COLUMN_NODES].capacity;
    return capacity < KG_NONE ? (uint32_t)capacity : KG_NONE;
}

bool kg_list_node_reserve(kg_memory *memory, kg_grid *grid, size_t count, size_t keep)
{
    kg_column *column = &grid->columns[KG_GRID_COLUMN_NODES];
    size_t further = count > grid->body_count ? count - grid->body_count : 0; /* nodes */
    if (count <= column->capacity) return true;
    /* room for half as many further nodes as are needed; the bodies' first nodes need no room */
    size_t room = further / 2 + 32;
    if (!kg_column_reserve_exact(memory, column, sizeof *grid->nodes, count + room, keep))
        return false;
    grid->nodes = column->data;
    return true;
}

static uint32_t new_node(kg_memory *memory, kg_grid *grid, uint32_t slot)
{
    uint32_t node = grid->free_node;
    if (node != KG_NONE) {
        grid->free_node = grid->nodes[node].next;
    } else {
        if (!kg_list_node_reserve(memory, grid, (size_t)grid->node_count + 1, grid->node_count))
            return KG_NONE;
        node = grid->node_count++;
    }
    kg_list_node_clear(&grid->nodes[node], slot);
    return node;
}

bool kg_list_add(kg_memory *memory, kg_grid *grid, uint32_t slot, uint32_t neighbour)
{
    kg_list_node *first = &grid->nodes[slot];
    if (first->count < KG_NODE_NEIGHBOURS) {
        kg_list_node_add(first, neighbour);
        return true;
    }
    uint32_t second = first->next;
    if (second == KG_NONE || grid->nodes[second].count == KG_NODE_NEIGHBOURS) {
        uint32_t node = new_node(memory, grid, slot);
        if (node == KG_NONE) return false;
        grid->nodes[node].next = second;
        grid->nodes[slot].next = node;
        second = node;
    }
    kg_list_node_add(&grid->nodes[second], neighbour);
    return true;
}

bool kg_list_add_pair(kg_memory *memory, kg_grid *grid, uint32_t slot, uint32_t neighbour)
{
    return kg_list_add(memory, grid, slot, neighbour) &&
           kg_list_add(memory, grid, neighbour & KG_NEIGHBOUR_SLOT,
                       kg_list_reverse(slot, neighbour));
}

void kg_list_remove(kg_grid *grid, uint32_t slot, uint32_t neighbour)
{
    for (uint32_t c = slot; c != KG_NONE; c = grid->nodes[c].next) {
        kg_list_node *node = &grid->nodes[c];
        for (uint32_t k = 0; k < node->count; ++k) {
            if ((node->neighbour[k] & ~KG_NEIGHBOUR_RESTING) != neighbour) continue;
            node->neighbour[k] = node->neighbour[--node->count];
            return;
        }
    }
}

void kg_list_free_chain(kg_grid *grid, uint32_t c)
{
    while (c != KG_NONE) {
        uint32_t next = grid->nodes[c].next;
        grid->nodes[c].next = grid->free_node;
        grid->free_node = c;
        c = next;
    }
}

bool kg_grid_may_collide(const kugel_world *world, uint32_t a, uint32_t b)
{
    const kg_bodies *bodies = &world->bodies;
    if (bodies->mass[a] == 0 && bodies->mass[b] == 0) return false;
    if (!world->grid->has_filters) return true;
    const kg_material *m = kg_bodies_material(bodies, a), *n = kg_bodies_material(bodies, b);
    return kg_bodies_materials_collide(m, n) && kg_pair_filter_admits(world, a, b);
}

/* True when the node may contain the slot. The vectors compare its header as well, which can match
 * by chance. */
static bool may_contain(const kg_list_node *node, uint32_t slot)
{
    const int32_t number = (int32_t)KG_NEIGHBOUR_SLOT, one = (int32_t)slot;
    kg_mask4f words[sizeof *node / sizeof(kg_mask4f)], same = {0};
    memcpy(words, node, sizeof words);
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
        KG_EACH (4) KG_L(same) |= KG_MASK((KG_L(words[k]) & number) == one);
    return kg_movemask4f(&same) != 0;
}

/* Thousands of overlapping bodies have long lists, so nodes without the body are skipped by
 * comparing vectors. */
void kg_list_mark_resting(kg_grid *grid, uint32_t slot, uint32_t other, bool resting)
{
    for (uint32_t c = slot; c != KG_NONE; c = grid->nodes[c].next) {
        kg_list_node *node = &grid->nodes[c];
        if (!may_contain(node, other)) continue;
        for (uint32_t k = 0; k < node->count; ++k) {
            if ((node->neighbour[k] & KG_NEIGHBOUR_SLOT) != other) continue;
            if (resting) node->flags |= KG_NODE_HAS_RESTING;
            node->neighbour[k] = resting ? node->neighbour[k] | KG_NEIGHBOUR_RESTING
                                         : node->neighbour[k] & ~KG_NEIGHBOUR_RESTING;
        }
    }
}

void kg_grid_mark_resting(kg_grid *grid, uint32_t a, uint32_t b, bool resting)
{
    if (grid->cell_lists.used) return; /* the next list rebuild marks them */
    kg_list_mark_resting(grid, a, b, resting);
    kg_list_mark_resting(grid, b, a, resting);
}
