/* The lists of events of a step, with one table row for each kind of event.
 * In: events as stages find them. Out: the pending set, which becomes the published one. Cost:
 * constant for each event. Order: events stay as appended; events/events_sort.c sorts them. */
#include "world/event_log.h"

#include "base/sized.h"

#include <string.h>

/* A row: item size and offset of the pointer, and offset of the count, in kg_event_set. */
#define KIND(events, count)                                                                        \
    {                                                                                              \
        KG_COLUMN_ROW(kg_event_set, events), offsetof(kg_event_set, count)                         \
    }
static const struct {
    kg_column_row column;
    uint32_t count;
} kinds[] = {
    KIND(impacts, impact_count),   KIND(begins, begin_count),
    KIND(ends, end_count),         KIND(rests[0], rest_count[0]),
    KIND(rests[1], rest_count[1]), KIND(sensor_events, sensor_event_count),
    KIND(sums, sum_count),
};
_Static_assert(sizeof kinds == KG_EVENT_LOG_COLUMNS * sizeof *kinds &&
                   offsetof(kg_event_set, impact_count) == KG_EVENT_LOG_COLUMNS * sizeof(void *),
               "a row for each pointer to events");

static size_t *count_of(kg_event_set *set, int kind)
{
    return (size_t *)(void *)((char *)set + kinds[kind].count);
}

static void set_pointer(kg_event_set *set, int kind)
{
    void *data = set->columns[kind].data;
    memcpy((char *)set + kinds[kind].column.pointer, &data, sizeof data);
}

static bool reserve(kg_memory *memory, kg_event_set *set, int kind, size_t more)
{
    size_t n = *count_of(set, kind);
    if (!kg_column_reserve(memory, &set->columns[kind], kinds[kind].column.item, n + more, n))
        return false;
    set_pointer(set, kind);
    return true;
}

static bool append_all(kg_memory *memory, kg_event_set *set, int kind, const void *events,
                       size_t more)
{
    size_t *count = count_of(set, kind), size = kinds[kind].column.item;
    if (!reserve(memory, set, kind, more)) return false;
    memcpy((char *)set->columns[kind].data + size * *count, events, size * more);
    *count += more;
    return true;
}

static bool append(kg_memory *memory, kg_event_set *set, int kind, const void *event)
{
    return append_all(memory, set, kind, event, 1);
}

bool kg_event_set_reserve_impacts(kg_memory *memory, kg_event_set *set, size_t more)
{
    return reserve(memory, set, KG_EVENT_LOG_IMPACTS, more);
}

bool kg_event_set_add_impact(kg_memory *memory, kg_event_set *set, const kugel_impact *impact)
{
    return append(memory, set, KG_EVENT_LOG_IMPACTS, impact);
}

bool kg_event_set_add_sum(kg_memory *memory, kg_event_set *set, const kugel_impulse_sum *sum)
{
    return append(memory, set, KG_EVENT_LOG_SUMS, sum);
}

bool kg_event_set_add_all(kg_memory *memory, kg_event_set *set, const kg_event_set *from)
{
    for (int k = 0; k < KG_EVENT_LOG_COLUMNS; ++k) {
        size_t count;
        memcpy(&count, (const char *)from + kinds[k].count, sizeof count);
        if (count && !append_all(memory, set, k, from->columns[k].data, count)) return false;
    }
    set->handled_impact_count += from->handled_impact_count;
    set->crossing_count += from->crossing_count;
    set->handled_event_count += from->handled_event_count;
    return true;
}

bool kg_event_set_add_begin(kg_memory *memory, kg_event_set *set, const kugel_touch *touch)
{
    return append(memory, set, KG_EVENT_LOG_BEGINS, touch);
}

bool kg_event_set_add_end(kg_memory *memory, kg_event_set *set, const kugel_touch *touch)
{
    return append(memory, set, KG_EVENT_LOG_ENDS, touch);
}

bool kg_event_set_add_rest(kg_memory *memory, kg_event_set *set, int kind, const kugel_rest *rest)
{
    return append(memory, set, KG_EVENT_LOG_RESTS + kind, rest);
}

bool kg_event_set_add_sensor(kg_memory *memory, kg_event_set *set, const kugel_sensor_event *event)
{
    return append(memory, set, KG_EVENT_LOG_SENSORS, event);
}

/* Free each column of at least LARGE items of which at most a quarter was used in IDLE_STEPS steps
 * of the set in a row. */
static void free_idle_columns(kg_memory *memory, kg_event_set *set)
{
    enum { LARGE = 1024, IDLE_STEPS = 64 };
    for (int k = 0; k < KG_EVENT_LOG_COLUMNS; ++k) {
        kg_column *column = &set->columns[k];
        bool idle = column->capacity >= LARGE && *count_of(set, k) <= column->capacity / 4;
        set->idle_steps[k] = idle ? set->idle_steps[k] + 1 : 0;
        if (set->idle_steps[k] < IDLE_STEPS) continue;
        kg_column_free(memory, column);
        set_pointer(set, k);
    }
}

void kg_event_set_clear(kg_event_set *set)
{
    set->sums_dt = 0;
    set->handled_impact_count = set->crossing_count = set->handled_event_count = 0;
    for (int k = 0; k < KG_EVENT_LOG_COLUMNS; ++k) *count_of(set, k) = 0;
}

void kg_event_log_begin(kg_memory *memory, kg_event_log *log)
{
    free_idle_columns(memory, &log->pending);
    kg_event_set_clear(&log->pending);
}

bool kg_event_log_add_removed(kg_memory *memory, const kg_event_log *log, kg_event_set *set)
{
    for (size_t k = 0; k < log->removed_count; ++k) {
        if (!kg_event_set_add_end(memory, set, &log->removed[k])) return false;
    }
    for (size_t k = 0; k < log->left_count; ++k) {
        if (!log->left[k].entered && !kg_event_set_add_sensor(memory, set, &log->left[k]))
            return false;
    }
    return true;
}

void kg_event_log_publish(kg_event_log *log)
{
    kg_event_set events = log->published;
    log->published = log->pending;
    log->pending = events;
    log->removed_count = log->left_count = 0;
}

bool kg_event_log_reserve_removed(kg_memory *memory, kg_event_log *log, size_t count)
{
    size_t n = log->removed_count;
    return KG_RESERVE(memory, &log->removed_column, log->removed, n + count, n);
}

bool kg_event_log_reserve_left(kg_memory *memory, kg_event_log *log, size_t count)
{
    size_t n = log->left_count;
    return KG_RESERVE(memory, &log->left_column, log->left, n + count, n);
}

const void *kg_event_log_resize(kg_memory *memory, kg_event_log *log, int kind, const void *items,
                                size_t n, size_t own, size_t size)
{
    if (!log->resized)
        log->resized = kg_allocate_zeroed(memory, KG_EVENT_LOG_COLUMNS * sizeof *log->resized);
    kg_column *copy = log->resized ? &log->resized[kind] : NULL;
    if (!copy || !kg_column_reserve(memory, copy, 1, n * size, 0)) return NULL;
    for (size_t k = 0; k < n; ++k)
        kg_copy_sized((char *)copy->data + k * size, size, (const char *)items + k * own, own);
    return copy->data;
}

void kg_event_log_free(kg_memory *memory, kg_event_log *log)
{
    kg_columns_free(memory, log->published.columns, KG_EVENT_LOG_COLUMNS);
    kg_columns_free(memory, log->pending.columns, KG_EVENT_LOG_COLUMNS);
    if (log->resized) kg_columns_free(memory, log->resized, KG_EVENT_LOG_COLUMNS);
    kg_free(memory, log->resized, KG_EVENT_LOG_COLUMNS * sizeof *log->resized);
    kg_column_free(memory, &log->removed_column);
    kg_column_free(memory, &log->left_column);
    *log = (kg_event_log){0};
}
