/* Comparison of the events of two worlds, bit by bit. */
#ifndef SUPPORT_EVENTS_H
#define SUPPORT_EVENTS_H

#include <kugel/kugel.h>

/* The name of the first array of events in which the last steps of two worlds differ, as "begins";
 * NULL if all arrays are equal in all members. */
const char *support_events_difference(const kugel_world *a, const kugel_world *b);

#endif
