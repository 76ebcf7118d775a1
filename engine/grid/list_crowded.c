/* Builds the lists of bodies in blocks that could not be copied (grid/list_build.c): blocks with
 * thousands of bodies around them, or at the end of the coordinate range.
 * In: cells, list origins. Out: lists. Cost: the pairs of bodies in adjacent cells. Order: none; it
 * does not affect results. */
#include "grid/neighbour_lists.h"
#include "world/sleep_state.h"

/* True if a pair counts as in contact at the start of the substep. Between bodies that sleep or
 * cannot move no contact begins. With a bounce threshold of 0 overlapping bodies may stay as they
 * are. */
static bool is_in_contact(const kugel_world *world, uint32_t i, uint32_t j)
{
    const kg_work *work = &world->work;
    bool awake = (world->bodies.mass[i] > 0 && work->sleep_state[i] != KG_ASLEEP) ||
                 (world->bodies.mass[j] > 0 && work->sleep_state[j] != KG_ASLEEP);
    return awake && world->def.bounce_threshold != 0 && kg_grid_is_deep_pair(world, i, j);
}

/* Build the list of a body whose block could not be copied: it has too many bodies, or lies at the
 * end of the coordinate range. Counts the pairs in contact with bodies of lower slots. */
static bool list_without_halo(kugel_world *world, uint32_t i, uint64_t *in_contact)
{
    kg_grid *grid = world->grid;
    kg_list_node_clear(&grid->nodes[i], i);
    for (uint32_t level = 0; level <= kg_level_of(grid, i); ++level) {
        kg_cells_around around;
        kg_grid_find_cells_around(grid, level, grid->origin[i].x, &around);
        for (uint32_t c = 0; c < around.count; ++c) {
            for (uint32_t j = around.head[c]; j != KG_NONE; j = grid->origin[j].next) {
                uint32_t image = around.image[c];
                if (!kg_within_reach(grid, &grid->origin[i], &grid->origin[j], image) || j == i ||
                    !kg_grid_may_collide(world, i, j))
                    continue;
                if (!kg_list_add(&world->memory, grid, i, j | image << KG_NEIGHBOUR_IMAGE_SHIFT))
                    return false;
                grid->neighbour_total += 1;
                *in_contact += j < i && image == KG_IMAGE_NONE && is_in_contact(world, i, j);
            }
        }
    }
    return true;
}

bool kg_list_build_without_halos(kugel_world *world, bool substep_starts)
{
    kg_grid *grid = world->grid;
    uint64_t in_contact = 0, limit = kg_grid_pair_limit(world);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!grid->blocks[grid->cell[i] / KG_BLOCK_CELLS].lacks_halo) continue;
        if (!list_without_halo(world, i, &in_contact)) return false;
        grid->has_too_many_pairs = substep_starts && in_contact > limit;
        if (grid->has_too_many_pairs) return false;
    }
    return true;
}
