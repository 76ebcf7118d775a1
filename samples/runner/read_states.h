/* The states of all bodies. Cost: O(ids). */
#ifndef KUGEL_RUNNER_READ_STATES_H
#define KUGEL_RUNNER_READ_STATES_H

#include <kugel/kugel.h>

/* The states of all live bodies in order of ids: `states` has a row for each. */
static inline void read_states(const kugel_world *world, kugel_body_state *states)
{
    for (uint32_t id = 0, end = kugel_world_id_end(world); id < end; ++id)
        if (kugel_body_get(world, kugel_world_body(world, id), states) == KUGEL_OK) ++states;
}

#endif
