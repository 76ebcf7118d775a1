/* What the files of the validator share. Each function returns false with a fault where a claim
 * does not hold. */
#ifndef KG_VALIDATE_CLAIMS_H
#define KG_VALIDATE_CLAIMS_H

#include <stdio.h>

#include "validate/validate_world.h"

#ifdef KG_ASSERTIONS
/* Return false, with the fault that the format describes, unless the claim holds. */
#define KG_CLAIM(holds, ...)                                                                       \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            snprintf(fault->text, sizeof fault->text, __VA_ARGS__);                                \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

/* True in a step: the work area then holds the state. */
static inline bool kg_validate_in_step(const kugel_world *world)
{
    return world->work.holds_contacts;
}

/* The contacts, wherever they are. */
static inline const kg_contact_set *kg_validate_contact_set(const kugel_world *world)
{
    return kg_validate_in_step(world) ? &world->work.contacts : &world->contacts;
}

/* The place of a body at its clock, m. */
static inline void kg_validate_place(const kugel_world *world, uint32_t slot, double x[3])
{
    for (int k = 0; k < 3; ++k) x[k] = world->bodies.x[k][slot];
    if (kg_validate_in_step(world))
        kg_work_position_at(&world->work, slot, world->work.motion[slot].clock, x);
}

/* The bodies [*from, *to) of which pairs are checked: all in a small world, else one, another one
 * in each tick. tests: number of tests for each body. */
static inline void kg_validate_choose(const kugel_world *world, uint64_t tests, uint32_t *from,
                                      uint32_t *to)
{
    uint32_t n = kg_world_present(world);
    bool all = n * tests <= KG_VALIDATED_PAIRS;
    *from = all || !n ? 0 : (uint32_t)(world->tick * 7919 % n);
    *to = all ? n : *from + 1;
}

/* validate_bodies.c: rows, ids, handles, materials, sleep states, finite columns; in a step the
 * work area. */
bool kg_validate_bodies(const kugel_world *world, kg_fault *fault);
/* Between steps: the counts of sleeping and woken bodies. */
bool kg_validate_sleep_counts(const kugel_world *world, kg_fault *fault);
/* validate_contacts.c: order, bodies and numbers of contacts; after a part of the contact stage
 * also blocks and groups. */
bool kg_validate_contacts(const kugel_world *world, kg_fault *fault);
bool kg_validate_groups(const kugel_world *world, kg_fault *fault);
/* validate_lists.c: Verlet lists or cell lists, while they are valid. */
bool kg_validate_lists(const kugel_world *world, kg_fault *fault);
/* validate_surfaces.c: lists of surfaces, and boxes of those at rest. */
bool kg_validate_surfaces(const kugel_world *world, kg_fault *fault);
/* After the impacts of a substep: inactive bodies meet nothing in it. */
bool kg_validate_inactive(const kugel_world *world, kg_fault *fault);
/* After the sensors' boxes are set: they hold the paths of the sensors. */
bool kg_validate_sensors(const kugel_world *world, kg_fault *fault);
/* Between steps: the published events are in their order. */
bool kg_validate_events(const kugel_world *world, kg_fault *fault);
#endif

#endif
