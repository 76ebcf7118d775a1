/* Oversized bodies: a few that are much larger than all others, as a planet among debris.
 * Cells and skins fit the other bodies; oversized bodies are tested against all bodies. In: radii,
 * list origins. Cost: oversized bodies times bodies at a list rebuild; all bodies at a refresh of
 * an oversized body. Order in lists: after all others, by slot of the oversized body, then of the
 * other. */
#include "grid/neighbour_lists.h"

/* The largest radii in descending order, one more than there can be oversized bodies. */
static void find_largest(const kugel_world *world, double top[KG_OVERSIZED_MAX + 1])
{
    const double *radius = world->bodies.radius;
    for (int k = 0; k <= KG_OVERSIZED_MAX; ++k) top[k] = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (radius[i] <= top[KG_OVERSIZED_MAX] || !kg_grid_is_solid(world, i)) continue;
        int at = KG_OVERSIZED_MAX;
        for (; at > 0 && top[at - 1] < radius[i]; --at) top[at] = top[at - 1];
        top[at] = radius[i];
    }
}

void kg_find_oversized(kugel_world *world, double largest)
{
    kg_grid *grid = world->grid;
    double top[KG_OVERSIZED_MAX + 1];
    grid->oversized_count = 0;
    grid->usual_radius = largest;
    if (world->bodies.count < KG_OVERSIZED_MIN_BODIES ||
        largest < KG_OVERSIZED_RATIO * grid->smallest_radius)
        return;
    find_largest(world, top);
    for (int k = 1; k <= KG_OVERSIZED_MAX && top[k] > 0; ++k) {
        if (top[k - 1] >= KG_OVERSIZED_RATIO * top[k]) grid->usual_radius = top[k];
    }
    if (grid->usual_radius == largest) return;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (world->bodies.radius[i] > grid->usual_radius && kg_grid_is_solid(world, i))
            grid->oversized[grid->oversized_count++] = i;
    }
}

/* true when the pair belongs in lists and was not added before. */
static bool is_new_pair(const kugel_world *world, uint32_t oversized, uint32_t other)
{
    bool added = other == oversized || (other < oversized && kg_grid_is_oversized(world, other));
    return !added && kg_grid_may_collide(world, oversized, other);
}

bool kg_lists_add_oversized(kugel_world *world)
{
    kg_grid *grid = world->grid;
    kg_images images = kg_lattice_images(&grid->lattice);
    for (uint32_t k = 0; k < grid->oversized_count; ++k) {
        uint32_t a = grid->oversized[k];
        for (uint32_t b = 0; b < world->bodies.count; ++b) {
            for (uint32_t l = 0; l < images.count; ++l) {
                uint32_t image = images.code[l];
                if (!kg_within_reach(grid, &grid->origin[a], &grid->origin[b], image) ||
                    !is_new_pair(world, a, b))
                    continue;
                if (!kg_list_add_pair(&world->memory, grid, a,
                                      b | image << KG_NEIGHBOUR_IMAGE_SHIFT))
                    return false;
            }
        }
    }
    return true;
}
