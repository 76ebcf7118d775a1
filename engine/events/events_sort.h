/* Total order of a step's events. */
#ifndef KG_EVENTS_EVENTS_SORT_H
#define KG_EVENTS_EVENTS_SORT_H

#include "world/world.h"

/* Sort the pending events: impacts, begins and ends by (time, target kind, id, index), sleeps and
 * wakes by (time, id), sensor events by (time, sensor, body). Returns false when out of memory. */
bool kg_events_sort(kugel_world *world);

#endif
