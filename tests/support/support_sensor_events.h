/* The sensor events of the last step. */
#ifndef SUPPORT_SENSOR_EVENTS_H
#define SUPPORT_SENSOR_EVENTS_H

#include <stddef.h>

#include "kugel/kugel.h"

/* Returns all events and asserts their number. */
const kugel_sensor_event *support_sensor_events(const kugel_world *world, size_t expected);

#endif
