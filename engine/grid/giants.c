/* The few bodies that are much larger than all others: a planet among debris. Cells and skins as wide as theirs would have
 * everybody else listed with thousands of others, so those are of the others' size, and giants are held against all bodies
 * one by one. In: radii, anchors. Cost: giants times bodies at a rebuild, bodies where a giant is anchored anew. Order of
 * their pairs in lists: behind all others, by the giants' slots, then the others'; no result depends on it. */
#include "grid/lists.h"

/* The largest radii, in descending order, one more than giants may be. */
static void find_largest(const kugel_world *world, double top[KG_GIANTS + 1])
{
    const double *radius = world->bodies.radius;
    for (int k = 0; k <= KG_GIANTS; ++k) top[k] = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (radius[i] <= top[KG_GIANTS] || !kg_grid_lists(world, i)) continue;
        int at = KG_GIANTS;
        for (; at > 0 && top[at - 1] < radius[i]; --at) top[at] = top[at - 1];
        top[at] = radius[i];
    }
}

void kg_find_giants(kugel_world *world, double largest)
{
    kg_grid *grid = world->grid;
    double top[KG_GIANTS + 1];
    grid->giant_count = 0;
    grid->usual = largest;
    if (world->bodies.count < KG_GIANT_LEAST || largest < KG_GIANT_RATIO * grid->smallest) return;
    find_largest(world, top);
    for (int k = 1; k <= KG_GIANTS && top[k] > 0; ++k) {
        if (top[k - 1] >= KG_GIANT_RATIO * top[k]) grid->usual = top[k];
    }
    if (grid->usual == largest) return;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (world->bodies.radius[i] > grid->usual && kg_grid_lists(world, i)) grid->giants[grid->giant_count++] = i;
    }
}

static bool list_pair(kugel_world *world, uint32_t giant, uint32_t other, const kg_images *images)
{
    kg_grid *grid = world->grid;
    for (uint32_t k = 0; k < images->count; ++k) {
        uint32_t image = images->code[k];
        if (!kg_within_reach(grid, &grid->anchor[giant], &grid->anchor[other], image)) continue;
        if (!kg_list_add(&world->memory, grid, giant, other | image << KG_ENTRY_IMAGE_SHIFT) ||
            !kg_list_add(&world->memory, grid, other, giant | (26 - image) << KG_ENTRY_IMAGE_SHIFT)) {
            return false;
        }
    }
    return true;
}

bool kg_lists_of_giants(kugel_world *world)
{
    const kg_grid *grid = world->grid;
    kg_images images = kg_lattice_images(&grid->lattice);
    for (uint32_t k = 0; k < grid->giant_count; ++k) {
        uint32_t giant = grid->giants[k];
        for (uint32_t i = 0; i < world->bodies.count; ++i) {
            bool taken = i == giant || (i < giant && kg_grid_is_giant(world, i));
            if (!taken && kg_grid_may_meet(world, giant, i) && !list_pair(world, giant, i, &images)) return false;
        }
    }
    return true;
}
