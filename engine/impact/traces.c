/* Records for the filter of dense cells: all bodies at the beginning of a window. */
#include "impact/traces.h"

#include "geometry/sweep.h"

KG_INLINE void trace_range_any(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    (void)unused;
    for (uint32_t i = from; i < to; ++i) kg_trace_body(world, i);
}

KG_WIDE_PASS(trace_range, (kugel_world *world, uint32_t from, uint32_t to, double unused), world, from, to, unused)

bool kg_traces_begin(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    const kg_dense *dense = &world->grid->dense;
    kg_traces *t = &stage->traces;
    size_t rows = (size_t)world->bodies.count + world->work.copies;
    if (!kg_column_reserve(&world->memory, &stage->columns[KG_COLUMN_TRACES], sizeof *t->of, rows, 0)) return false;
    t->of = stage->columns[KG_COLUMN_TRACES].data;
    t->from = stage->from;
    t->window = stage->until - stage->from;
    t->per_window = 1 / t->window;
    t->low[3] = t->per_unit[3] = 0;
    t->speed_most[3] = t->place_most[3] = KG_NEVER; /* a radius and a clock */
    t->scale[3] = 1 / dense->largest;
    for (int axis = 0; axis < 3; ++axis) {
        bool periodic = dense->periodic >> 2 * axis & 1;
        double room = dense->edge[axis] * (dense->count[axis] - 2), way = 0.2 * room, way_most = KG_TRACE_WAY * dense->largest;
        t->low[axis] = dense->low[axis];
        t->scale[axis] = t->window / dense->largest;
        t->per_unit[axis] = (periodic ? 0x1p32 : 0x1p29) / room;
        t->units[axis] = (float)(dense->largest * t->per_unit[axis]);
        t->radii[axis] = (float)(1 / (dense->largest * t->per_unit[axis]));
        t->speed_most[axis] = (way < way_most ? way : way_most) / t->window;
        t->place_most[axis] = 2 * room;
    }
    kg_for_bodies(world, KG_WIDEST(trace_range), 0);
    return true;
}
