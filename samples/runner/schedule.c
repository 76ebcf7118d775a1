/* Sorts items by tick, then index. */
#include "schedule.h"

#include <string.h>

#include "arrays.h"

static int earlier(const void *a, const void *b)
{
    const scheduled_item *i = a, *j = b;
    if (i->tick != j->tick) return i->tick < j->tick ? -1 : 1;
    return i->index < j->index ? -1 : i->index > j->index;
}

schedule schedule_make(const void *items, size_t count, size_t stride)
{
    schedule made = {0};
    for (size_t i = 0; i < count; ++i) {
        scheduled_item a = {.index = i};
        memcpy(&a.tick, (const char *)items + i * stride, sizeof a.tick);
        arrput(made.sorted, a);
    }
    if (count) qsort(made.sorted, count, sizeof *made.sorted, earlier);
    return made;
}

bool schedule_is_due(const schedule *schedule, uint64_t tick)
{
    return schedule->next < arrlenu(schedule->sorted) &&
           schedule->sorted[schedule->next].tick == tick;
}

bool schedule_next(schedule *schedule, uint64_t tick, size_t *index)
{
    if (!schedule_is_due(schedule, tick)) return false;
    *index = schedule->sorted[schedule->next++].index;
    return true;
}

void schedule_skip(schedule *schedule, uint64_t tick)
{
    size_t count = arrlenu(schedule->sorted);
    while (schedule->next < count && schedule->sorted[schedule->next].tick < tick) ++schedule->next;
}

void schedule_free(schedule *schedule) { arrfree(schedule->sorted); }
