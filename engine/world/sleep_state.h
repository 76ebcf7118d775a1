/* The sleep state of bodies (kg_bodies.sleep_state), waking, and sleep by a call. In a step
 * motion/motion_sleep.c puts islands to sleep.
 * Invariant: two dynamic bodies in contact are both awake or both asleep. */
#ifndef KG_WORLD_SLEEP_STATE_H
#define KG_WORLD_SLEEP_STATE_H

#include "world/world.h"

/* Values of the sleep state. A value up to KG_SLEEP_CERTAIN belongs to an awake body: the time
 * for which a dynamic body has been slow, in units of its time before sleep / KG_SLEEP_CANDIDATE. A
 * kinematic body has 0 or KG_DRIVEN, a static body 0. */
enum {
    /* the body has been slow for its time before sleep, or so many ticks if these are shorter */
    KG_SLEEP_CANDIDATE = 4000,
    /* so long that its mean velocity gain counts as rest, whatever it gains in a tick: the most
     * that a slow body can gain is from one slow velocity to the opposite one */
    KG_SLEEP_CERTAIN = 2 * KG_SLEEP_GAIN_ONE_IN * KG_SLEEP_CANDIDATE,
    KG_ASLEEP, /* velocity and spin are 0, contacts are frozen */
    KG_WOKEN,  /* sleep has ended, and the wake event is not reported yet */
    /* awake; since the last step that moved bodies a call changed the velocity of the body, or of a
     * surface on which the body rests */
    KG_DRIVEN
};

/* True for an awake body that has been slow for its time before sleep. */
static inline bool kg_sleep_is_candidate(uint32_t state)
{
    return state >= KG_SLEEP_CANDIDATE && state <= KG_SLEEP_CERTAIN;
}

/* Between steps: set the state of a body; all calls that change it do so here. */
static inline void kg_sleep_set(kg_bodies *bodies, uint32_t slot, uint32_t state)
{
    uint32_t was = bodies->sleep_state[slot];
    bodies->asleep_count += (state == KG_ASLEEP) - (uint32_t)(was == KG_ASLEEP);
    bodies->woken_count += (state == KG_WOKEN) - (uint32_t)(was == KG_WOKEN);
    bodies->sleep_state[slot] = state;
}
/* Count the states again, after all were replaced. */
void kg_sleep_count(kg_bodies *bodies);
/* At the end of a step that published its events: count the bodies that slept and woke in it. Each
 * body that calls had woken is among those that woke. */
void kg_sleep_count_events(kg_bodies *bodies, const kg_event_set *events);

/* Between steps: wake a body and all bodies connected to it by contacts. */
void kg_sleep_wake(kugel_world *world, uint32_t slot);
/* Between steps: wake a body whose velocity a call changes, and mark it as driven if it has
 * contacts: the next step ends those in which it bounces (contact/driven.c). */
void kg_sleep_drive(kugel_world *world, uint32_t slot);
/* Between steps: wake a body of any type and all bodies in contact with it, before a call changes
 * the body. */
void kg_sleep_wake_touching(kugel_world *world, uint32_t slot);
/* True if a thing that collides with this material is within `reach` (m) of x. */
typedef bool kg_sleep_reach(const void *thing, const kg_material *material, const double x[3],
                            double reach);
/* Between steps: wake the bodies that touch a thing, within the slop. */
void kg_sleep_wake_near(kugel_world *world, kg_sleep_reach *reaches, const void *thing);
/* Between steps: wake the bodies that gravity pulls. */
void kg_sleep_wake_pulled(kugel_world *world);
/* Between steps: wake all bodies. */
void kg_sleep_wake_all(kugel_world *world);
/* Between steps: put to sleep a dynamic body that has contacts, and all dynamic bodies connected to
 * it by contacts. */
void kg_sleep_put_to_sleep(kugel_world *world, uint32_t slot);
/* Between steps: wake the sleeping bodies that a static or kinematic body overlaps. A dynamic body
 * needs no call: the next step wakes what it touches. */
void kg_sleep_wake_overlapping(kugel_world *world, uint32_t slot);
/* Between steps: true if the next step moves no body: each dynamic body is asleep, no force acts,
 * and no kinematic body or surface moves. */
bool kg_sleep_world_is_idle(const kugel_world *world);

/* In a step: wake the bodies marked KG_WOKEN and all bodies connected to them by contacts. `time`:
 * of the wake events, s in the tick. False when out of memory. */
bool kg_sleep_wake_marked(kugel_world *world, double time);

/* In a step: mark a sleeping body as KG_WOKEN, since an awake body touches it. */
static inline void kg_sleep_mark_woken(kg_work *work, uint32_t slot)
{
    if (work->sleep_state[slot] != KG_ASLEEP) return;
    work->sleep_state[slot] = KG_WOKEN;
    work->any_woken = true;
}

/* In a substep, after kg_sleep_wake_marked: true if the body was asleep at the start of the
 * substep. Bodies that were marked since then count, so that the order of marks has no effect. */
static inline bool kg_sleep_slept(const kg_work *work, uint32_t slot)
{
    return work->sleep_state[slot] == KG_ASLEEP || work->sleep_state[slot] == KG_WOKEN;
}

/* True if a call may have driven the body since the last step: KG_DRIVEN or KG_WOKEN. */
static inline bool kg_sleep_is_driven(const kg_bodies *bodies, uint32_t slot)
{
    return bodies->sleep_state[slot] >= KG_WOKEN;
}

/* In a step: true if the body's velocity and spin are 0. */
static inline bool kg_sleep_is_motionless(const kg_work *work, uint32_t slot)
{
    for (int k = 0; k < 3; ++k) {
        if (work->motion[slot].v[k] != 0 || work->w[k][slot] != 0) return false;
    }
    return true;
}

#endif
