/* Compares runs of a world over ranks with that of one process: hashes, counters and energies at
 * every tick, exactly. */
#ifndef SUPPORT_RANKS_COMPARE_H
#define SUPPORT_RANKS_COMPARE_H

#include <kugel/kugel.h>

/* What the ranks of all runs of a scene did. */
typedef struct support_ranks_tally {
    uint64_t repetitions, whole_steps, partitions;
    bool partial;    /* some rank had fewer than all bodies with its ghosts */
    bool replicated; /* some run ended with all bodies on all ranks */
    bool redivided;  /* some run was divided after it had been replicated */
} support_ranks_tally;

typedef kugel_world *support_make_world(const void *scene, uint32_t threads);
kugel_world *support_make_scene(const void *scene, uint32_t threads);  /* of a support_scene */
kugel_world *support_make_golden(const void *scene, uint32_t threads); /* of a golden_scene */

/* Change a world before its step; a function of scene and tick, called by several threads. */
typedef void support_change_world(const void *scene, kugel_world *world, uint32_t tick);

/* Run on 1, 2, 3, 4 and 7 ranks with one and two threads; `seed` gives the order of messages. At
 * most 200 ticks. */
support_ranks_tally support_ranks_compare(support_make_world *make, const void *scene, double dt,
                                          uint32_t ticks, uint64_t seed);
/* The same with changes before each step. */
support_ranks_tally support_ranks_compare_changes(support_make_world *make,
                                                  support_change_world *change, const void *scene,
                                                  double dt, uint32_t ticks, uint64_t seed);

#endif
