/* Memory is asked for what events need whose buckets come soon: first for the events, then for their bodies, for the cells or
 * lists of those that are still true, and for whom they are compared with there. Worlds larger than caches wait for little else.
 * Inline always: gcc takes a function that does nothing but ask for one that does nothing, and leaves out its calls. */
#ifndef KG_IMPACT_AHEAD_H
#define KG_IMPACT_AHEAD_H

#include "impact/impact.h"

#define KG_ASK static inline __attribute__((always_inline))

/* How many buckets ahead. */
enum { KG_ASK_EVENT = 12, KG_ASK_NEXT = 10, KG_ASK_BODIES = 8, KG_ASK_AROUND = 4, KG_ASK_NEAR = 2 };

KG_ASK void kg_ask_body(const kugel_world *world, uint32_t slot)
{
    const kg_work *work = &world->work;
    __builtin_prefetch(&work->stamp[slot]);
    __builtin_prefetch(&work->motion[slot]);
    __builtin_prefetch(&world->bodies.mass[slot]);
    __builtin_prefetch(&world->bodies.id[slot]);
    if (!work->lossless) {
        __builtin_prefetch(&world->bodies.material[slot]);
        __builtin_prefetch(&work->impacts[slot]);
    }
    if (world->grid->dense.used) {
        __builtin_prefetch(&world->grid->dense.place[slot]);
        __builtin_prefetch(&world->impact->traces.of[slot]);
    } else {
        __builtin_prefetch(&world->grid->room[slot]);
        __builtin_prefetch(&world->grid->chunks[slot]);
        __builtin_prefetch(&world->grid->near[slot]);
        __builtin_prefetch(&world->grid->anchor[slot]);
    }
}

KG_ASK void kg_ask_around(const kugel_world *world, uint32_t slot)
{
    __builtin_prefetch(&world->bodies.generation[world->bodies.id[slot]]);
    if (world->grid->dense.used) {
        kg_dense_fetch(&world->grid->dense, slot);
        return;
    }
    const kg_chunk *chunk = &world->grid->chunks[slot];
    for (uint32_t k = 0; k < chunk->count; ++k) __builtin_prefetch(&world->work.motion[chunk->entry[k] & KG_ENTRY_SLOT]);
}

KG_ASK void kg_ask_near(const kugel_world *world, uint32_t slot)
{
    uint32_t entry[KG_DENSE_NEAR], count = kg_dense_near(&world->grid->dense, slot, KG_DENSE_ALL, entry);
    for (uint32_t k = 0; k < count; ++k) __builtin_prefetch(&world->impact->traces.of[entry[k] & KG_ENTRY_SLOT]);
}

/* Its other body, or KG_NONE. */
KG_ASK uint32_t kg_other_of(const kg_event *e) { return e->kind == KG_EVENT_BODY ? e->b & KG_ENTRY_SLOT : KG_NONE; }

/* For the buckets ahead of the current one. */
KG_ASK void kg_fetch_ahead(const kugel_world *world)
{
    const kg_impact_stage *stage = world->impact;
    const kg_event *events = stage->events;
    uint32_t at = stage->current, e;
    if (at + KG_ASK_EVENT >= stage->bucket_count) return;
    if ((e = kg_queue_head(stage, at + KG_ASK_EVENT)) != KG_NONE) __builtin_prefetch(&events[e]);
    e = kg_queue_head(stage, at + KG_ASK_NEXT);
    if (e != KG_NONE && events[e].next != KG_NONE) __builtin_prefetch(&events[events[e].next]);
    for (e = kg_queue_head(stage, at + KG_ASK_BODIES); e != KG_NONE; e = events[e].next) {
        uint32_t other = kg_other_of(&events[e]);
        kg_ask_body(world, events[e].a);
        if (other != KG_NONE) kg_ask_body(world, other);
    }
    for (e = kg_queue_head(stage, at + KG_ASK_AROUND); e != KG_NONE; e = events[e].next) {
        uint32_t other = kg_other_of(&events[e]);
        if (!kg_queue_is_true(world, &events[e])) continue;
        kg_ask_around(world, events[e].a);
        if (other != KG_NONE) kg_ask_around(world, other);
    }
    if (!world->grid->dense.used) return;
    for (e = kg_queue_head(stage, at + KG_ASK_NEAR); e != KG_NONE; e = events[e].next) {
        uint32_t other = kg_other_of(&events[e]);
        if (other == KG_NONE || !kg_queue_is_true(world, &events[e])) continue;
        kg_ask_near(world, events[e].a);
        kg_ask_near(world, other);
    }
}

#endif
