/* Times of the stages by the host's clock, for the host only. A lap adds the time since the last
 * reading to a stage, so the times of all stages sum to the time of the step.
 * Cost without a clock: a branch for each lap. */
#ifndef KG_WORLD_STOPWATCH_H
#define KG_WORLD_STOPWATCH_H

#include "kugel/world.h"

typedef enum kg_stage {
    KG_STAGE_GRID,
    KG_STAGE_PAIRS,
    KG_STAGE_CONTACT,
    KG_STAGE_SWEEP,
    KG_STAGE_IMPACT,
    KG_STAGE_ADVANCE,
    KG_STAGE_RECORD,
    KG_STAGES
} kg_stage;

typedef struct kg_stopwatch {
    uint64_t last_reading;       /* ns */
    uint64_t current[KG_STAGES]; /* ns, of the step in progress */
    kugel_step_times last, total;
} kg_stopwatch;

/* At the start of a step. */
void kg_stopwatch_start(kugel_world *world);
/* After a step that succeeded: add its times to the total. */
void kg_stopwatch_stop(kugel_world *world);
/* Add the time since the last reading to a stage. */
void kg_stopwatch_lap(kugel_world *world, kg_stage stage);

#endif
