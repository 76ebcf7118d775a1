/* The states of all bodies, as kugel_body_get gives them. */
#ifndef SUPPORT_STATES_H
#define SUPPORT_STATES_H

#include <kugel/kugel.h>

/* Write the states of at most `capacity` live bodies in order of ids; returns the number of all. */
static inline uint32_t support_read_states(const kugel_world *world, uint32_t capacity,
                                           kugel_body_state *states)
{
    uint32_t count = 0;
    for (uint32_t id = 0; id < kugel_world_id_end(world) && count < capacity; ++id)
        count += kugel_body_get(world, kugel_world_body(world, id), &states[count]) == KUGEL_OK;
    return kugel_world_body_count(world);
}

#endif
