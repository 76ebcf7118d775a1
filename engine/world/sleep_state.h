/* Sleep state of bodies, and waking. kg_bodies.sleep_state is the time that a body has been
 * slow, up to KG_SLEEP_CANDIDATE, which stands for work.sleep_time; or KG_ASLEEP: velocity 0,
 * contacts frozen; or KG_WOKEN: its sleep has ended and its wake event is not reported yet; or
 * KG_DRIVEN: it is awake, and since the last step that moved bodies a call changed its velocity or
 * that of a surface that it rests on. Kinematic bodies are driven or 0, static ones 0.
 * Invariant: two dynamic bodies in contact are both awake or both asleep. */
#ifndef KG_WORLD_SLEEP_STATE_H
#define KG_WORLD_SLEEP_STATE_H

#include "world/world.h"

enum { KG_SLEEP_CANDIDATE = 250, KG_ASLEEP = 251, KG_WOKEN = 252, KG_DRIVEN = 253 };

/* Between steps: wake a body and all bodies connected to it by contacts. */
void kg_sleep_wake(kugel_world *world, uint32_t slot);
/* Between steps: wake a body whose velocity a call changes, and mark it as driven if it has
 * contacts: the next step ends those in which it bounces (contact/driven.c). */
void kg_sleep_drive(kugel_world *world, uint32_t slot);
/* Between steps: wake a body of any type and all bodies in contact with it, before it changes. */
void kg_sleep_wake_touching(kugel_world *world, uint32_t slot);
void kg_sleep_wake_all(kugel_world *world);
/* Between steps: put a dynamic body in contact and all dynamic bodies connected to it by contacts
 * to sleep. */
void kg_sleep_put(kugel_world *world, uint32_t slot);
/* Between steps: wake the bodies that a static or kinematic body overlaps. Dynamic bodies, which
 * are awake, do so in the step. */
void kg_sleep_wake_overlapping(kugel_world *world, uint32_t slot);
/* True if no body moves in a step. */
bool kg_sleep_world_is_idle(const kugel_world *world);

/* In a step: wake bodies marked KG_WOKEN and all bodies connected to them; `time` of the events,
 * s in the tick. Returns false when out of memory. */
bool kg_sleep_wake_marked(kugel_world *world, double time);

/* In a step: mark a sleeping body that an awake body touches. */
static inline void kg_sleep_mark_woken(kg_work *work, uint32_t slot)
{
    if (work->sleep_state[slot] != KG_ASLEEP) return;
    work->sleep_state[slot] = KG_WOKEN;
    work->any_woken = true;
}

/* True if a call may have driven the body since the last step. */
static inline bool kg_sleep_is_driven(const kg_bodies *bodies, uint32_t slot)
{
    return bodies->sleep_state[slot] >= KG_WOKEN;
}

/* In a step: true if velocity and spin are 0. */
static inline bool kg_sleep_is_motionless(const kg_work *work, uint32_t slot)
{
    for (int k = 0; k < 3; ++k) {
        if (work->motion[slot].v[k] != 0 || work->w[k][slot] != 0) return false;
    }
    return true;
}

#endif
