/* Total order of a step's events. */
#ifndef KG_EVENTS_EVENTS_SORT_H
#define KG_EVENTS_EVENTS_SORT_H

#include "world/world.h"

/* Sort the pending events: impacts, begins and ends by (time, target kind, id, index), sleeps and
 * wakes by (time, id), sensor events by (time, sensor, body). Returns false when out of memory. */
bool kg_events_sort(kugel_world *world);
/* The impacts of a set alone. */
bool kg_events_sort_impacts(kugel_world *world, kg_event_set *set);

#endif
