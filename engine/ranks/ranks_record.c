/* Records a step on rank 0, with the bytes of a recording by one process. In: a world after a step.
 * Cost: at most two reductions a tick, one of them for the hash. For each recorded state, keyframe
 * and ring segment all bodies are gathered on rank 0. */
#include "ranks/ranks.h"
#include "record/recorder_chunks.h"

/* What a rank needs for its recording. Ranks other than 0 need NOTHING, so the maximum is what rank
 * 0 needs. */
enum { NOTHING, HASH, BODIES };

kugel_status kg_ranks_record(kugel_ranks *ranks, double dt)
{
    kg_recorder *recorder = ranks->world->recorder;
    uint64_t hash, needed = !kg_recorder_is_active(recorder)          ? NOTHING
                            : kg_recorder_step_reads_bodies(recorder) ? BODIES
                                                                      : HASH;
    if (!ranks->recorded) return KUGEL_OK;
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, &needed, 1);
    if (status || needed == NOTHING) return status;
    if ((status = kg_ranks_hash(ranks, &hash))) return status;
    kugel_status gathered = needed == BODIES ? kg_ranks_gather(ranks) : KUGEL_OK;
    if (gathered == KUGEL_ERROR_IO) return gathered;
    if (!recorder) return KUGEL_OK;
    if (gathered) kg_recorder_fail(recorder, gathered);
    else kg_recorder_step(recorder, ranks->world, dt, hash);
    return KUGEL_OK;
}
