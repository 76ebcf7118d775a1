/* The column tables of the work area and of the events (KG_COLUMN_ROW): each pointer gets the
 * memory of a column of its own. */
#include <criterion/criterion.h>
#include <string.h>

#include "world/world.h"

/* The `count` pointers at `first` are those of the columns: each of one column, in any order. */
static void check_pointers(const void *first, const kg_column *columns, int count)
{
    for (int p = 0; p < count; ++p) {
        void *pointer;
        int found = 0;
        memcpy(&pointer, (const char *)first + (size_t)p * sizeof pointer, sizeof pointer);
        for (int k = 0; k < count; ++k) found += pointer && columns[k].data == pointer;
        cr_assert_eq(found, 1, "pointer %d is that of %d columns", p, found);
        for (int q = 0; q < p; ++q)
            cr_assert(memcmp((const char *)first + (size_t)q * sizeof pointer, &pointer,
                             sizeof pointer) != 0,
                      "pointers %d and %d are equal", p, q);
    }
}

Test(columns, of_the_work_area)
{
    kg_memory memory;
    kg_work work = {.row_capacity = 0};
    kg_memory_init(&memory, &(kugel_allocator){0});
    cr_assert(kg_work_reserve(&memory, &work, 10, true) &&
              kg_work_reserve_sliding(&memory, &work) &&
              kg_work_reserve_crossings(&memory, &work, 10) &&
              kg_work_reserve_starts(&memory, &work, 10));
    check_pointers(&work.motion, work.columns, KG_WORK_COLUMNS);
    kg_work_free(&memory, &work);
    cr_assert_eq(memory.used, 0);
}

Test(columns, of_events)
{
    kg_memory memory;
    kg_event_set set = {.impact_count = 0};
    kg_memory_init(&memory, &(kugel_allocator){0});
    for (size_t k = 1; k <= 3; ++k) {
        kugel_impact impact = {.speed = (double)k};
        kugel_touch begin = {.time = (double)k}, end = {.time = -(double)k};
        kugel_rest sleep = {.time = (double)k}, wake = {.time = -(double)k};
        kugel_sensor_event crossing = {.speed = (double)k};
        kugel_impulse_sum sum = {.along = (double)k};
        cr_assert(kg_event_set_add_impact(&memory, &set, &impact) &&
                  kg_event_set_add_begin(&memory, &set, &begin) &&
                  kg_event_set_add_end(&memory, &set, &end) &&
                  kg_event_set_add_rest(&memory, &set, KG_REST_SLEEP, &sleep) &&
                  kg_event_set_add_rest(&memory, &set, KG_REST_WAKE, &wake) &&
                  kg_event_set_add_sensor(&memory, &set, &crossing) &&
                  kg_event_set_add_sum(&memory, &set, &sum));
        cr_assert(set.impact_count == k && set.begin_count == k && set.end_count == k &&
                  set.rest_count[0] == k && set.rest_count[1] == k && set.sensor_event_count == k &&
                  set.sum_count == k);
    }
    check_pointers(&set.impacts, set.columns, KG_EVENT_LOG_COLUMNS);
    for (size_t k = 0; k < 3; ++k) {
        double now = (double)k + 1;
        cr_assert(set.impacts[k].speed == now && set.begins[k].time == now &&
                  set.ends[k].time == -now && set.rests[0][k].time == now &&
                  set.rests[1][k].time == -now && set.sensor_events[k].speed == now &&
                  set.sums[k].along == now);
    }
    kg_columns_free(&memory, set.columns, KG_EVENT_LOG_COLUMNS);
    cr_assert_eq(memory.used, 0);
}
