/* Items (beams, impulses) sorted by tick, then index; read in this order as the run goes on. */
#ifndef RUNNER_SCHEDULE_H
#define RUNNER_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scheduled_item {
    uint64_t tick;
    size_t index;
} scheduled_item;

typedef struct schedule {
    scheduled_item *sorted; /* stb_ds array */
    size_t next;
} schedule;

/* `count` items, `stride` bytes apart; each begins with its uint64_t tick. */
schedule schedule_make(const void *items, size_t count, size_t stride);
/* true: schedule_next has an item of this tick. */
bool schedule_is_due(const schedule *schedule, uint64_t tick);
/* The next item of this tick; false at the end. Ticks must not decrease. */
bool schedule_next(schedule *schedule, uint64_t tick, size_t *index);
/* Leave out the items before this tick. */
void schedule_skip(schedule *schedule, uint64_t tick);
void schedule_free(schedule *schedule);

#endif
