/* The event queue of the impact stage: a calendar queue over one window. Its total order of events
 * is (time, kind, low id, high id, periodic image). Events are popped only while they are valid. */
#ifndef KG_IMPACT_QUEUE_H
#define KG_IMPACT_QUEUE_H

#include "impact/impact.h"

/* Empty the queue for the window [from, until], s. Events after the window are dropped, except in
 * the last window of the substep. False when out of memory. */
bool kg_queue_begin(kg_memory *memory, kg_impact_stage *stage, double from, double until,
                    uint32_t bodies);
/* From now on, write pushed events to parts of the pool, one part for each `bodies` slots.
 * Different tasks may fill different parts. The queue must be empty. False when out of memory. */
bool kg_queue_open_parts(kugel_world *world, uint32_t parts, uint32_t bodies);
/* Move the events of the parts to the queue, except those of overflowed parts. From now on, events
 * go to the queue. */
void kg_queue_close_parts(kugel_world *world);
/* True when some events of the part were dropped. */
bool kg_queue_part_overflowed(const kugel_world *world, uint32_t part);
/* First event of a bucket; KG_NONE when it is empty. */
static inline uint32_t kg_queue_head(const kg_impact_stage *stage, uint32_t bucket)
{
    return stage->occupied[bucket / 64] >> bucket % 64 & 1 ? stage->bucket[bucket] : KG_NONE;
}
/* Push an event; the caller has set its motion versions. False when out of memory. */
bool kg_queue_push(kugel_world *world, const kg_event *event);
/* Push an event with the current motion versions of its bodies. False when out of memory. */
bool kg_queue_push_predicted(kugel_world *world, double time, uint32_t a, uint32_t b,
                             uint32_t kind);
/* Pop the earliest valid event. Collisions with hidden features (kg_neighbours_is_hidden) are
 * skipped. False at the end of the window, and, with *ok false, when out of memory. */
bool kg_queue_pop(kugel_world *world, kg_event *event, bool *ok);
/* True when the next event is an impact at exactly `time`, the time of the last event popped. That
 * impact may be invalid, or with a hidden feature. */
bool kg_queue_has_simultaneous(const kugel_world *world, double time);
/* Pop the next valid impact at exactly `time`, as kg_queue_pop does. False when there is none. */
bool kg_queue_pop_at(kugel_world *world, double time, kg_event *event);
/* True when the motions that the event was predicted from are unchanged. */
bool kg_queue_is_valid(const kugel_world *world, const kg_event *event);

#endif
