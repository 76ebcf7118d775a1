/* The public order of the events of a step. */
#ifndef KG_EVENTS_EVENTS_SORT_H
#define KG_EVENTS_EVENTS_SORT_H

#include "world/world.h"

/* Sort the pending events. False when out of memory. Impacts, begins, ends: by time, kind of
 * target, first body, index, triangle; impacts that are equal in all of these keep their order.
 * Sleeps, wakes: by time, body. Sensor events: by time, sensor, body; of one sensor and body at one
 * time, the entry precedes the exit. Sums of impulses: by first body, kind of target, index, with
 * one row for each pair. */
bool kg_events_sort(kugel_world *world);
/* -1, 0 or 1: the order of two kugel_impulse_sum by pair, for bsearch. */
int kg_events_compare_sums(const void *a, const void *b);
/* Sort the impacts of a set only; false when out of memory. */
bool kg_events_sort_impacts(kugel_world *world, kg_event_set *set);

#endif
