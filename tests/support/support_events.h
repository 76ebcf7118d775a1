/* Comparison of the events of two worlds, bit by bit. */
#ifndef SUPPORT_EVENTS_H
#define SUPPORT_EVENTS_H

#include <kugel/kugel.h>

/* The name of the first array of events in which the last steps of two worlds differ, as "begins";
 * NULL if all arrays are equal in all members.
 * `lost`: ends that only `a` reports, `lost_count` of them: those of calls before a restore of
 * `b`. May be NULL. */
const char *support_events_difference(const kugel_world *a, const kugel_world *b,
                                      const kugel_touch *lost, size_t lost_count);

#endif
