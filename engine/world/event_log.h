/* Events of a step: appended by the stages, sorted by events/, then published. There are two sets,
 * so that a step that fails leaves the events of the step before unchanged. */
#ifndef KG_WORLD_EVENT_LOG_H
#define KG_WORLD_EVENT_LOG_H

#include "base/memory.h"
#include "kugel/events.h"

enum { KG_REST_SLEEP, KG_REST_WAKE };

/* Kinds of events, as in the table of event_log.c. */
enum {
    KG_EVENT_LOG_IMPACTS,
    KG_EVENT_LOG_BEGINS,
    KG_EVENT_LOG_ENDS,
    KG_EVENT_LOG_RESTS, /* + KG_REST_SLEEP: bodies fall asleep; + KG_REST_WAKE: bodies wake */
    KG_EVENT_LOG_SENSORS = KG_EVENT_LOG_RESTS + 2,
    KG_EVENT_LOG_SUMS,
    KG_EVENT_LOG_COLUMNS
};

typedef struct kg_event_set {
    kugel_impact *impacts;
    kugel_touch *begins, *ends;
    kugel_rest *rests[2]; /* [KG_REST_SLEEP], [KG_REST_WAKE] */
    kugel_sensor_event *sensor_events;
    kugel_impulse_sum *sums; /* impulse_sums.h */
    size_t impact_count, begin_count, end_count, rest_count[2], sensor_event_count, sum_count;
    double sums_dt;              /* s, length of the step if it summed impulses, else 0 */
    size_t handled_impact_count; /* all impacts, also those below the report threshold */
    size_t crossing_count;       /* of periodic faces */
    size_t handled_event_count;  /* impacts, crossings and touches without an impulse */
    kg_column columns[KG_EVENT_LOG_COLUMNS];
    /* steps of this set in a row that used at most a quarter of the column */
    uint32_t idle_steps[KG_EVENT_LOG_COLUMNS];
} kg_event_set;

typedef struct kg_event_log {
    kg_event_set published, pending;
    /* end events of the contacts that calls removed since the last step */
    kugel_touch *removed;
    size_t removed_count;
    /* exits of the bodies and sensors that calls changed since the last step, as they were before.
     * `entered`: when the step begins the body is in the sensor again, or still; no event */
    kugel_sensor_event *left;
    size_t left_count;
    kg_column removed_column, left_column;
    /* [KG_EVENT_LOG_COLUMNS], bytes of published events for callers whose rows have another size
     * (kugel/version.h); NULL until one asks */
    kg_column *resized;
} kg_event_log;

/* Reserve `more` impacts; false when out of memory. */
bool kg_event_set_reserve_impacts(kg_memory *memory, kg_event_set *set, size_t more);
/* Append an event; false when out of memory. */
bool kg_event_set_add_impact(kg_memory *memory, kg_event_set *set, const kugel_impact *impact);
bool kg_event_set_add_sum(kg_memory *memory, kg_event_set *set, const kugel_impulse_sum *sum);
/* Append all events of another set, and add its counts. */
bool kg_event_set_add_all(kg_memory *memory, kg_event_set *set, const kg_event_set *from);
bool kg_event_set_add_begin(kg_memory *memory, kg_event_set *set, const kugel_touch *touch);
bool kg_event_set_add_end(kg_memory *memory, kg_event_set *set, const kugel_touch *touch);
bool kg_event_set_add_rest(kg_memory *memory, kg_event_set *set, int kind, const kugel_rest *rest);
bool kg_event_set_add_sensor(kg_memory *memory, kg_event_set *set,
                             const kugel_sensor_event *sensor_event);
/* Remove all events and set all counts to 0. */
void kg_event_set_clear(kg_event_set *set);
/* Start of a step: clear the pending set. Large columns that have been idle for many steps are
 * freed. */
void kg_event_log_begin(kg_memory *memory, kg_event_log *log);
/* Append the ends and exits that calls caused to a set, before any event of the step. False when
 * out of memory. */
bool kg_event_log_add_removed(kg_memory *memory, const kg_event_log *log, kg_event_set *set);
/* End of a step: publish the pending events. */
void kg_event_log_publish(kg_event_log *log);
/* Between steps: reserve `count` more items of `removed`, or of `left`; false when out of
 * memory. */
bool kg_event_log_reserve_removed(kg_memory *memory, kg_event_log *log, size_t count);
bool kg_event_log_reserve_left(kg_memory *memory, kg_event_log *log, size_t count);
/* `n` events of a kind as rows of `size` bytes, from the library's of `own` bytes; valid until the
 * next call for this kind. NULL when out of memory. */
const void *kg_event_log_resize(kg_memory *memory, kg_event_log *log, int kind, const void *items,
                                size_t n, size_t own, size_t size);
void kg_event_log_free(kg_memory *memory, kg_event_log *log);

#endif
