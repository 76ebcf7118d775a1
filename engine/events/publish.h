/* The step's events in their total order, ready to be read. */
#ifndef KG_EVENTS_PUBLISH_H
#define KG_EVENTS_PUBLISH_H

#include "world/world.h"

/* Sort the pending begin and end events by (time, target kind, id, index). Impacts are taken in that
 * order already. false when out of memory. */
bool kg_events_sort(kugel_world *world);

#endif
