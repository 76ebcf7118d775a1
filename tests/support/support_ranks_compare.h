/* Compares runs of a world over ranks with a run in one process: hashes, counters and energies of
 * every tick must be equal. */
#ifndef SUPPORT_RANKS_COMPARE_H
#define SUPPORT_RANKS_COMPARE_H

#include <kugel/kugel.h>

/* Counts over all runs of a scene, to assert that a test covers what it means to. */
typedef struct support_ranks_tally {
    uint64_t repetitions, whole_steps, partitions;
    bool partial;    /* true: some rank, with its ghosts, lacked bodies */
    bool replicated; /* true: some run ended with all bodies on all ranks */
    bool redivided;  /* true: some run was divided after it had been replicated */
} support_ranks_tally;

typedef kugel_world *support_make_world(const void *scene, uint32_t threads);
kugel_world *support_make_scene(const void *scene, uint32_t threads);  /* of a support_scene */
kugel_world *support_make_golden(const void *scene, uint32_t threads); /* of a golden_scene */

/* Change a world before its step, as a function of scene and tick only. Several threads call it. */
typedef void support_change_world(const void *scene, kugel_world *world, uint32_t tick);

/* Run on 1, 2, 3, 4 and 7 ranks, with one and two threads in turn, and compare. At most 200 ticks.
 * @param seed of the order of messages. */
support_ranks_tally support_ranks_compare(support_make_world *make, const void *scene, double dt,
                                          uint32_t ticks, uint64_t seed);
/* As support_ranks_compare, with changes before each step. */
support_ranks_tally support_ranks_compare_changes(support_make_world *make,
                                                  support_change_world *change, const void *scene,
                                                  double dt, uint32_t ticks, uint64_t seed);

#endif
