/* Where the time of a step goes, by the host's clock. Between two looks at the clock everything
 * belongs to the stage that the second look names, so the stages make up the step. No state:
 * nothing reads it but the host. Without a clock it costs a branch a stage. */
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
    uint64_t last_reading;       /* ns; the last one at the clock */
    uint64_t current[KG_STAGES]; /* ns; of the step in progress */
    kugel_step_times last, total;
} kg_stopwatch;

void kg_stopwatch_start(kugel_world *world);
/* The step came to pass. */
void kg_stopwatch_stop(kugel_world *world);
/* What passed since the last look at the clock belongs to this stage. */
void kg_stopwatch_lap(kugel_world *world, kg_stage stage);

#endif
