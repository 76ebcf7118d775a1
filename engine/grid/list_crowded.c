/* Lists where many bodies overlap. Builds the lists of bodies in blocks that were not copied
 * (grid/list_build.c): blocks with thousands of bodies around them, or at the end of the coordinate
 * range, and those of a few bodies. Counts deep pairs, which have a limit (kg_grid_pair_limit). The
 * count follows from the state at the start of a substep, whatever else the lists contain.
 * In: cells, list origins. Out: lists. Cost: the pairs of bodies in adjacent cells, or all
 * pairs of few bodies. Order: none; it does not affect results. */
#include "grid/neighbour_lists.h"

/* Lists that are being built one by one. */
typedef struct single_lists {
    kugel_world *world;
    uint64_t deep; /* deep pairs with bodies of lower slots */
} single_lists;

/* Add body j, or an image of it, to the list of i if they may meet. False when out of memory. */
KG_INLINE bool add_if_near(single_lists *s, uint32_t i, uint32_t j, uint32_t image)
{
    kg_grid *grid = s->world->grid;
    if (!kg_within_reach(grid, &grid->origin[i], &grid->origin[j], image) || j == i ||
        !kg_grid_may_collide(s->world, i, j))
        return true;
    grid->neighbour_total += 1;
    s->deep += j < i && image == KG_IMAGE_NONE && kg_grid_is_deep_pair(s->world, i, j);
    return kg_list_add(&s->world->memory, grid, i, j | image << KG_NEIGHBOUR_IMAGE_SHIFT);
}

/* The list of a body, from all bodies of its level and of larger ones. */
static bool list_from_all(single_lists *s, uint32_t i)
{
    const kg_grid *grid = s->world->grid;
    uint32_t level = kg_level_of(grid, i);
    for (uint32_t j = 0; j < s->world->bodies.count; ++j) {
        if (kg_level_of(grid, j) <= level && !add_if_near(s, i, j, KG_IMAGE_NONE)) return false;
    }
    return true;
}

/* The list of a body, from the cells around it. */
static bool list_from_cells(single_lists *s, uint32_t i)
{
    const kg_grid *grid = s->world->grid;
    for (uint32_t level = 0; level <= kg_level_of(grid, i); ++level) {
        kg_cells_around around;
        kg_grid_find_cells_around(grid, level, grid->origin[i].x, &around);
        for (uint32_t c = 0; c < around.count; ++c) {
            for (uint32_t j = around.head[c]; j != KG_NONE; j = grid->origin[j].next) {
                if (!add_if_near(s, i, j, around.image[c])) return false;
            }
        }
    }
    return true;
}

bool kg_list_build_without_halos(kugel_world *world, bool substep_starts)
{
    kg_grid *grid = world->grid;
    const int32_t *periodic = grid->lattice->count; /* cells along a periodic axis, else 0 */
    bool all = world->bodies.count <= KG_FEW_BODIES && !(periodic[0] || periodic[1] || periodic[2]);
    uint64_t limit = kg_grid_pair_limit(world);
    single_lists s = {.world = world};
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!grid->blocks[grid->cell[i] / KG_BLOCK_CELLS].lacks_halo) continue;
        kg_list_node_clear(&grid->nodes[i], i);
        if (!(all ? list_from_all(&s, i) : list_from_cells(&s, i))) return false;
        grid->has_too_many_pairs = substep_starts && s.deep > limit;
        if (grid->has_too_many_pairs) return false;
    }
    return true;
}

/* Neighbours of a body that lie deep in it. */
static uint32_t count_deep(const kugel_world *world, uint32_t i)
{
    const kg_grid *grid = world->grid;
    uint32_t deep = 0;
    for (uint32_t c = i; c != KG_NONE; c = grid->nodes[c].next) {
        const kg_list_node *node = &grid->nodes[c];
        for (uint32_t k = 0; k < node->count; ++k)
            deep += node->neighbour[k] >> KG_NEIGHBOUR_IMAGE_SHIFT == KG_IMAGE_NONE &&
                    kg_grid_is_deep_pair(world, i, node->neighbour[k] & KG_NEIGHBOUR_SLOT);
    }
    return deep;
}

bool kg_list_has_too_many_pairs(const kugel_world *world)
{
    uint64_t sides = 2 * kg_grid_pair_limit(world), found = 0; /* each pair is in two lists */
    if ((uint64_t)world->grid->node_count * KG_NODE_NEIGHBOURS <= sides) return false;
    for (uint32_t i = 0; i < world->bodies.count && found <= sides; ++i)
        found += count_deep(world, i);
    return found > sides;
}
