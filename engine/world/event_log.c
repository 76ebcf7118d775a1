#include "world/event_log.h"

static bool grow(kg_memory *memory, kg_column *column, size_t item, size_t count)
{
    return kg_column_reserve(memory, column, item, count + 1, count);
}

bool kg_event_impact(kg_memory *memory, kg_event_set *set, const kugel_impact *impact)
{
    if (!grow(memory, &set->columns[0], sizeof *impact, set->impact_count)) return false;
    set->impacts = set->columns[0].data;
    set->impacts[set->impact_count++] = *impact;
    return true;
}

bool kg_event_begin(kg_memory *memory, kg_event_set *set, const kugel_touch *touch)
{
    if (!grow(memory, &set->columns[1], sizeof *touch, set->begin_count)) return false;
    set->begins = set->columns[1].data;
    set->begins[set->begin_count++] = *touch;
    return true;
}

bool kg_event_end(kg_memory *memory, kg_event_set *set, const kugel_touch *touch)
{
    if (!grow(memory, &set->columns[2], sizeof *touch, set->end_count)) return false;
    set->ends = set->columns[2].data;
    set->ends[set->end_count++] = *touch;
    return true;
}

bool kg_event_rest(kg_memory *memory, kg_event_set *set, int kind, const kugel_rest *rest)
{
    kg_column *column = &set->columns[3 + kind];
    if (!grow(memory, column, sizeof *rest, set->rest_count[kind])) return false;
    set->rests[kind] = column->data;
    set->rests[kind][set->rest_count[kind]++] = *rest;
    return true;
}

bool kg_event_sensing(kg_memory *memory, kg_event_set *set, const kugel_sensing *sensing)
{
    if (!grow(memory, &set->columns[5], sizeof *sensing, set->sensing_count)) return false;
    set->sensings = set->columns[5].data;
    set->sensings[set->sensing_count++] = *sensing;
    return true;
}

/* Large columns that have not been needed for a while; says whether there were some. */
static bool give_back_idle(kg_memory *memory, kg_event_set *set)
{
    enum { LARGE = 1024, PATIENCE = 64 };
    bool any = false;
    const size_t count[6] = {set->impact_count, set->begin_count, set->end_count, set->rest_count[0], set->rest_count[1], set->sensing_count};
    for (int k = 0; k < 6; ++k) {
        kg_column *column = &set->columns[k];
        bool idle = column->capacity >= LARGE && count[k] <= column->capacity / 4;
        set->idle[k] = idle ? set->idle[k] + 1 : 0;
        if (set->idle[k] < PATIENCE) continue;
        kg_column_free(memory, column);
        any = true;
    }
    set->impacts = set->columns[0].data;
    set->begins = set->columns[1].data;
    set->ends = set->columns[2].data;
    set->rests[KG_REST_SLEEP] = set->columns[3].data;
    set->rests[KG_REST_WAKE] = set->columns[4].data;
    set->sensings = set->columns[5].data;
    return any;
}

void kg_event_set_clear(kg_event_set *set)
{
    set->sensing_count = 0;
    set->impacts_seen = 0;
    set->impact_count = set->begin_count = set->end_count = 0;
    set->rest_count[0] = set->rest_count[1] = 0;
}

void kg_event_log_begin(kg_memory *memory, kg_event_log *log)
{
    if (give_back_idle(memory, &log->pending)) kg_column_free(memory, &log->scratch);
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
