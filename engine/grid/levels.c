/* Levels of cells: bodies of similar radii share cells that fit them, so that small bodies have few
 * neighbours. A large body does not widen the cells of smaller ones. Ericson 2005, section 7.2.2.
 * The pair of two bodies of different levels is found with the cells of the smaller body.
 * In: radii, skin. Out: radius and lattice of each level. Levels change no result. */
#include "grid/neighbour_lists.h"

/* Maximum ratio of the cell width of a level to that of the level before, which has larger bodies.
 * Each octave of radii below the largest radius is a level; an octave with a larger ratio joins the
 * level before. Where skins are long, smaller cells gain nothing. */
static const double max_width_ratio = 0.75;

/* The largest radius of each octave below `largest`, m; 0: an octave without bodies. */
static void find_octaves(const kugel_world *world, double largest, double octave[KG_LEVELS_MAX])
{
    const kg_bodies *bodies = &world->bodies;
    for (int k = 0; k < KG_LEVELS_MAX; ++k) octave[k] = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        double radius = bodies->radius[i];
        if (!kg_grid_is_solid(world, i)) continue;
        uint32_t k = 0;
        for (double least = largest / 2; k < KG_LEVELS_MAX - 1 && radius < least; least /= 2)
            k += 1;
        octave[k] = radius > octave[k] ? radius : octave[k];
    }
}

static void add_level(kugel_world *world, double radius)
{
    kg_grid *grid = world->grid;
    uint32_t level = grid->level_count++;
    grid->level_radius[level] = kg_list_radius(world, radius);
    grid->lattice[level] = kg_lattice_make(
        &world->def.bounds, 2.0002 * ((double)grid->level_radius[level] + grid->skin));
}

void kg_levels_choose(kugel_world *world, double largest)
{
    kg_grid *grid = world->grid;
    double octave[KG_LEVELS_MAX], last = largest;
    find_octaves(world, largest, octave);
    grid->level_count = 0;
    add_level(world, largest);
    for (int k = 1; k < KG_LEVELS_MAX; ++k) {
        if (octave[k] == 0 || octave[k] + grid->skin > max_width_ratio * (last + grid->skin))
            continue;
        last = octave[k];
        add_level(world, last);
    }
}
