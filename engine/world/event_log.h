/* Events of one step as they happen: appended by the stages, sorted and published by events/. Two
 * sets, so that a step that fails leaves the last step's events as they were. */
#ifndef KG_WORLD_EVENT_LOG_H
#define KG_WORLD_EVENT_LOG_H

#include "base/memory.h"
#include "kugel/events.h"

enum { KG_REST_SLEEP, KG_REST_WAKE };

typedef struct kg_event_set {
    kugel_impact *impacts;
    kugel_touch *begins, *ends;
    kugel_rest *rests[2]; /* KG_REST_SLEEP, KG_REST_WAKE */
    kugel_sensor_event *sensor_events;
    size_t handled_impact_count; /* reported or too slow to be */
    size_t impact_count, begin_count, end_count, rest_count[2], sensor_event_count;
    kg_column columns[6];
    uint32_t
        idle_steps[6]; /* steps in a row that left a column, a large one, at most a quarter full */
} kg_event_set;

typedef struct kg_event_log {
    kg_event_set published, pending;
    kg_column scratch; /* for sorting */
} kg_event_log;

/* Append; false when out of memory. */
bool kg_event_set_add_impact(kg_memory *memory, kg_event_set *set, const kugel_impact *impact);
bool kg_event_set_add_begin(kg_memory *memory, kg_event_set *set, const kugel_touch *touch);
bool kg_event_set_add_end(kg_memory *memory, kg_event_set *set, const kugel_touch *touch);
bool kg_event_set_add_rest(kg_memory *memory, kg_event_set *set, int kind, const kugel_rest *rest);
bool kg_event_set_add_sensor(kg_memory *memory, kg_event_set *set,
                             const kugel_sensor_event *sensor_event);
void kg_event_set_clear(kg_event_set *set);
/* At the start of a step: none is pending, and what a landing pile took is given back when it has
 * not been needed for a while. */
void kg_event_log_begin(kg_memory *memory, kg_event_log *log);
void kg_event_log_free(kg_memory *memory, kg_event_log *log);

#endif
