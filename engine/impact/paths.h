/* Ghosts, and the hashes of paths by which ghosts of subdomains and ranks are compared with their
 * originals. A path hash covers all motions that a body had in a window or in a tick. */
#ifndef KG_IMPACT_PATHS_H
#define KG_IMPACT_PATHS_H

#include <string.h>

#include "impact/impact.h"

/* True when the row is a ghost: a copy of a body of another subdomain or rank. */
static inline bool kg_is_ghost(const kg_impact_stage *stage, uint32_t row)
{
    return row >= stage->first_ghost;
}

static inline uint64_t kg_path_add(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Add a body's motion to a hash: position, clock, velocity. */
static inline uint64_t kg_path_add_motion(const kugel_world *world, uint32_t i, uint64_t hash)
{
    uint64_t word[7];
    memcpy(word, &world->work.motion[i], sizeof word);
    for (int k = 0; k < 7; ++k) hash = kg_path_add(hash, word[k]);
    return hash;
}

/* tick_paths.c: start to hash the paths of this tick; no row is marked yet. False when out of
 * memory. */
bool kg_tick_paths_begin(kugel_world *world);
/* Mark a row: from then on its path is hashed. */
static inline void kg_tick_path_mark(kugel_world *world, uint32_t row)
{
    world->impact->compared[row / 64] |= 1ull << row % 64;
}
/* Call only if `paths` is KG_PATHS_TICK. Add the motion and spin of a marked row to its path hash;
 * update the largest speed of own bodies. */
void kg_tick_path_note(const kugel_world *world, uint32_t i);
/* At the end of a substep, if `paths` is KG_PATHS_TICK: update the largest speed of own bodies. */
void kg_tick_paths_end_substep(const kugel_world *world);
/* Hash of a body's path in a tick, its end included. */
uint64_t kg_tick_path_hash(const kugel_world *world, uint32_t i);

/* Add the body's motion to its path hash, after an event advanced the body and before its motion
 * changes. Does nothing where no paths are compared. */
static inline void kg_impact_hash_path(const kugel_world *world, uint32_t i)
{
    const kg_impact_stage *stage = world->impact;
    if (stage->paths == KG_PATHS_WINDOW)
        stage->path_hash[i] = kg_path_add_motion(world, i, stage->path_hash[i]);
    else if (stage->paths == KG_PATHS_TICK) kg_tick_path_note(world, i);
}

#endif
