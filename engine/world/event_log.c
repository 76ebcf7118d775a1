#include "world/event_log.h"

static bool grow(kg_memory *memory, kg_column *column, size_t item, size_t count)
{
    return kg_column_reserve(memory, column, item, count + 1, count);
}

bool kg_event_set_add_impact(kg_memory *memory, kg_event_set *set, const kugel_impact *impact)
{
    if (!grow(memory, &set->columns[0], sizeof *impact, set->impact_count)) return false;
    set->impacts = set->columns[0].data;
    set->impacts[set->impact_count++] = *impact;
    return true;
}

bool kg_event_set_add_begin(kg_memory *memory, kg_event_set *set, const kugel_touch *touch)
{
    if (!grow(memory, &set->columns[1], sizeof *touch, set->begin_count)) return false;
    set->begins = set->columns[1].data;
    set->begins[set->begin_count++] = *touch;
    return true;
}

bool kg_event_set_add_end(kg_memory *memory, kg_event_set *set, const kugel_touch *touch)
{
    if (!grow(memory, &set->columns[2], sizeof *touch, set->end_count)) return false;
    set->ends = set->columns[2].data;
    set->ends[set->end_count++] = *touch;
    return true;
}

bool kg_event_set_add_rest(kg_memory *memory, kg_event_set *set, int kind, const kugel_rest *rest)
{
    kg_column *column = &set->columns[3 + kind];
    if (!grow(memory, column, sizeof *rest, set->rest_count[kind])) return false;
    set->rests[kind] = column->data;
    set->rests[kind][set->rest_count[kind]++] = *rest;
    return true;
}

bool kg_event_set_add_sensor(kg_memory *memory, kg_event_set *set,
                             const kugel_sensor_event *sensor_event)
{
    if (!grow(memory, &set->columns[5], sizeof *sensor_event, set->sensor_event_count))
        return false;
    set->sensor_events = set->columns[5].data;
    set->sensor_events[set->sensor_event_count++] = *sensor_event;
    return true;
}

/* Large columns that have not been needed for a while; says whether there were some. */
static bool free_idle_columns(kg_memory *memory, kg_event_set *set)
{
    enum { LARGE = 1024, IDLE_STEPS = 64 };
    bool any = false;
    const size_t count[6] = {set->impact_count,  set->begin_count,   set->end_count,
                             set->rest_count[0], set->rest_count[1], set->sensor_event_count};
    for (int k = 0; k < 6; ++k) {
        kg_column *column = &set->columns[k];
        bool idle = column->capacity >= LARGE && count[k] <= column->capacity / 4;
        set->idle_steps[k] = idle ? set->idle_steps[k] + 1 : 0;
        if (set->idle_steps[k] < IDLE_STEPS) continue;
        kg_column_free(memory, column);
        any = true;
    }
    set->impacts = set->columns[0].data;
    set->begins = set->columns[1].data;
    set->ends = set->columns[2].data;
    set->rests[KG_REST_SLEEP] = set->columns[3].data;
    set->rests[KG_REST_WAKE] = set->columns[4].data;
    set->sensor_events = set->columns[5].data;
    return any;
}

void kg_event_set_clear(kg_event_set *set)
{
    set->sensor_event_count = 0;
    set->handled_impact_count = 0;
    set->impact_count = set->begin_count = set->end_count = 0;
    set->rest_count[0] = set->rest_count[1] = 0;
}

void kg_event_log_begin(kg_memory *memory, kg_event_log *log)
{
    if (free_idle_columns(memory, &log->pending)) kg_column_free(memory, &log->scratch);
    kg_event_set_clear(&log->pending);
}

void kg_event_log_free(kg_memory *memory, kg_event_log *log)
{
    for (int k = 0; k < 6; ++k) {
        kg_column_free(memory, &log->published.columns[k]);
        kg_column_free(memory, &log->pending.columns[k]);
    }
    kg_column_free(memory, &log->scratch);
    *log = (kg_event_log){0};
}
