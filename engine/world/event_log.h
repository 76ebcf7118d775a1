/* Events of one step as they happen: appended by the stages, sorted and published by events/. Two
 * sets, so that a step that fails leaves the last step's events as they were. */
#ifndef KG_WORLD_EVENT_LOG_H
#define KG_WORLD_EVENT_LOG_H

#include "base/memory.h"
#include "kugel/events.h"

typedef struct kg_event_set {
    kugel_impact *impacts;
    kugel_touch *begins, *ends;
    size_t impact_count, begin_count, end_count;
    kg_column columns[3];
} kg_event_set;

typedef struct kg_event_log {
    kg_event_set published, pending;
    kg_column scratch; /* for sorting */
} kg_event_log;

/* Append; false when out of memory. */
bool kg_event_impact(kg_memory *memory, kg_event_set *set, const kugel_impact *impact);
bool kg_event_begin(kg_memory *memory, kg_event_set *set, const kugel_touch *touch);
bool kg_event_end(kg_memory *memory, kg_event_set *set, const kugel_touch *touch);
void kg_event_set_clear(kg_event_set *set);
void kg_event_log_free(kg_memory *memory, kg_event_log *log);

#endif
