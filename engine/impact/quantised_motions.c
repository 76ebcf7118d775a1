/* Quantises the motions of all bodies at the start of a window. */
#include "impact/quantised_motions.h"

#include "geometry/sweep_linear.h"

KG_INLINE void quantise_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    (void)unused;
    for (uint32_t i = from; i < to; ++i) kg_quantised_motions_write(world, i);
}

KG_RANGE_VARIANTS(quantise_range)

bool kg_quantised_motions_begin(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    const kg_cell_lists *cell_lists = &world->grid->cell_lists;
    const kugel_bounds *bounds = &world->def.bounds;
    kg_quantised_motions *t = &stage->quantised;
    size_t rows = (size_t)world->bodies.count + world->work.ghost_rows;
    if (!KG_RENEW(&world->memory, &stage->columns[KG_COLUMN_QUANTISED], t->motions, rows))
        return false;
    t->used = true;
    t->from = stage->from;
    t->window = stage->until - stage->from;
    t->per_window = 1 / t->window;
    t->low[3] = t->per_unit[3] = 0;
    t->max_speed[3] = t->max_position[3] = KG_NEVER; /* radius, clock: no limit */
    t->scale[3] = 1 / cell_lists->largest_radius;
    for (int axis = 0; axis < 3; ++axis) {
        bool periodic = cell_lists->periodic_faces >> 2 * axis & 1;
        double length = periodic ? bounds->max[axis] - bounds->min[axis]
                                 : cell_lists->edge[axis] * (cell_lists->count[axis] - 2),
               max_path = 0.2 * length,
               max_radii_path = KG_QUANTISED_MAX_PATH * cell_lists->largest_radius;
        t->low[axis] = cell_lists->low[axis];
        t->scale[axis] = t->window / cell_lists->largest_radius;
        t->per_unit[axis] = (periodic ? 0x1p32 : 0x1p29) / length;
        t->units[axis] = (float)(cell_lists->largest_radius * t->per_unit[axis]);
        t->radii[axis] = (float)(1 / (cell_lists->largest_radius * t->per_unit[axis]));
        t->max_speed[axis] = (max_path < max_radii_path ? max_path : max_radii_path) / t->window;
        t->max_position[axis] = 2 * length;
    }
    kg_for_bodies(world, KG_WIDEST(quantise_range), 0);
    return true;
}
