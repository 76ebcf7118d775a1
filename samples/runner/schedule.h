/* Items of a scene, as beams and impulses, sorted by tick, then index. The run reads them in this
 * order. */
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

/* Make a schedule of `count` items, `stride` bytes apart; each begins with its uint64_t tick. */
schedule schedule_make(const void *items, size_t count, size_t stride);
/* True if the next item is of this tick. */
bool schedule_is_due(const schedule *schedule, uint64_t tick);
/* Take the next item of this tick. false: no item of this tick is left. Ticks must not decrease. */
bool schedule_next(schedule *schedule, uint64_t tick, size_t *index);
/* Skip the items of ticks before this one. */
void schedule_skip(schedule *schedule, uint64_t tick);
void schedule_free(schedule *schedule);

#endif
