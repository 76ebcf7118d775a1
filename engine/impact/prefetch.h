/* Prefetches what the events of the coming buckets need: the events, their bodies, the cells or
 * lists of valid events, and the motions of candidates. In worlds larger than the caches these
 * loads dominate the cost. */
#ifndef KG_IMPACT_PREFETCH_H
#define KG_IMPACT_PREFETCH_H

#include "base/compiler.h"
#include "impact/queue.h"

/* Distance from the current bucket at which each step of prefetching is done, in buckets. */
enum {
    KG_PREFETCH_EVENT = 12,
    KG_PREFETCH_NEXT_EVENT = 10,
    KG_PREFETCH_BODIES = 8,
    KG_PREFETCH_NEIGHBOURS = 4,
    KG_PREFETCH_CANDIDATES = 2
};

KG_PREFETCH_INLINE void kg_prefetch_body(const kugel_world *world, uint32_t slot)
{
    const kg_work *work = &world->work;
    KG_PREFETCH(&work->motion_version[slot]);
    KG_PREFETCH(&work->motion[slot]);
    KG_PREFETCH(&world->bodies.mass[slot]);
    KG_PREFETCH(&world->bodies.id[slot]);
    if (!work->all_lossless) {
        KG_PREFETCH(&world->bodies.material[slot]);
        KG_PREFETCH(&work->impact_load[slot]);
    }
    kg_neighbours_prefetch_body(world, slot);
    if (world->impact->quantised.used) KG_PREFETCH(&world->impact->quantised.motions[slot]);
}

KG_PREFETCH_INLINE void kg_prefetch_neighbours(const kugel_world *world, uint32_t slot)
{
    const kg_work *work = &world->work;
    uint32_t id = world->bodies.id[slot];
    KG_PREFETCH(&world->bodies.generation[id]);
    if (!work->all_lossless) {
        for (int k = 0; k < 3; ++k) KG_PREFETCH(&work->w[k][slot]);
        KG_PREFETCH(&work->resting_boundaries[slot]);
        KG_PREFETCH(&work->contact_count[slot]);
        KG_PREFETCH(&world->bodies.slot[id]);
    }
    kg_neighbours_prefetch(world, slot);
}

KG_PREFETCH_INLINE void kg_prefetch_candidates(const kugel_world *world, uint32_t slot)
{
    uint32_t neighbour[KG_CELL_NEIGHBOURS_MAX],
        count = kg_cell_lists_neighbours(&world->grid->cell_lists, slot, neighbour);
    for (uint32_t k = 0; k < count; ++k)
        KG_PREFETCH(&world->impact->quantised.motions[neighbour[k] & KG_NEIGHBOUR_SLOT]);
}

/* The event's other body, or KG_NONE. */
KG_PREFETCH_INLINE uint32_t kg_prefetch_other_body(const kg_event *e)
{
    return e->kind == KG_EVENT_BODY ? e->b & KG_NEIGHBOUR_SLOT : KG_NONE;
}

/* Prefetch for the buckets ahead of the current one. */
KG_PREFETCH_INLINE void kg_prefetch_buckets(const kugel_world *world)
{
    const kg_impact_stage *stage = world->impact;
    const kg_event *events = stage->events;
    uint32_t at = stage->current, e;
    if (at + KG_PREFETCH_EVENT >= stage->bucket_count) return;
    if ((e = kg_queue_head(stage, at + KG_PREFETCH_EVENT)) != KG_NONE) KG_PREFETCH(&events[e]);
    e = kg_queue_head(stage, at + KG_PREFETCH_NEXT_EVENT);
    if (e != KG_NONE && events[e].next != KG_NONE) KG_PREFETCH(&events[events[e].next]);
    for (e = kg_queue_head(stage, at + KG_PREFETCH_BODIES); e != KG_NONE; e = events[e].next) {
        uint32_t other = kg_prefetch_other_body(&events[e]);
        kg_prefetch_body(world, events[e].a);
        if (other != KG_NONE) kg_prefetch_body(world, other);
    }
    for (e = kg_queue_head(stage, at + KG_PREFETCH_NEIGHBOURS); e != KG_NONE; e = events[e].next) {
        uint32_t other = kg_prefetch_other_body(&events[e]);
        if (!kg_queue_is_valid(world, &events[e])) continue;
        kg_prefetch_neighbours(world, events[e].a);
        if (other != KG_NONE) kg_prefetch_neighbours(world, other);
    }
    if (!stage->quantised.used) return;
    for (e = kg_queue_head(stage, at + KG_PREFETCH_CANDIDATES); e != KG_NONE; e = events[e].next) {
        uint32_t other = kg_prefetch_other_body(&events[e]);
        if (other == KG_NONE || !kg_queue_is_valid(world, &events[e])) continue;
        kg_prefetch_candidates(world, events[e].a);
        kg_prefetch_candidates(world, other);
    }
}

#endif
