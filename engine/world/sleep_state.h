/* Sleep: which bodies take no part in the step. kg_bodies.sleep_state says how long a body has been
 * slow, in parts of the time it takes to fall asleep, KG_SLEEP_CANDIDATE at most; KG_ASLEEP: it
 * sleeps, at speed 0, and its contacts hold it as they are; KG_WOKEN: it was woken and nobody has
 * been told. Two dynamic bodies in contact are both awake or both asleep. */
#ifndef KG_WORLD_SLEEP_STATE_H
#define KG_WORLD_SLEEP_STATE_H

#include "world/world.h"

enum { KG_SLEEP_CANDIDATE = 250, KG_ASLEEP = 251, KG_WOKEN = 252 };

/* Between steps: wake a body and all that it is in contact with, directly or through others. */
void kg_sleep_wake(kugel_world *world, uint32_t slot);
/* Between steps: wake all that is in contact with a body, of any type; it is about to change or go.
 */
void kg_sleep_wake_touching(kugel_world *world, uint32_t slot);
void kg_sleep_wake_all(kugel_world *world);
/* Between steps: wake whom a body that is not moved by what it meets was put into. What is dynamic
 * does so in the step, as all that is awake; a static body is never awake. */
void kg_sleep_wake_overlapping(kugel_world *world, uint32_t slot);
/* Can nothing happen in a step? */
bool kg_sleep_world_is_idle(const kugel_world *world);

/* In a step: bodies marked KG_WOKEN, and all that is in contact with them, are awake; their events
 * have `time`, s in the tick. false when out of memory. */
bool kg_sleep_wake_marked(kugel_world *world, double time);

/* In a step: an awake body meets this one. */
static inline void kg_sleep_mark_woken(kg_work *work, uint32_t slot)
{
    if (work->sleep_state[slot] != KG_ASLEEP) return;
    work->sleep_state[slot] = KG_WOKEN;
    work->any_woken = true;
}

/* In a step: does the body neither move nor turn? */
static inline bool kg_sleep_is_motionless(const kg_work *work, uint32_t slot)
{
    for (int k = 0; k < 3; ++k) {
        if (work->motion[slot].v[k] != 0 || work->w[k][slot] != 0) return false;
    }
    return true;
}

#endif
