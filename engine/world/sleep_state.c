/* Wakes bodies, or puts bodies to sleep by a call. Bodies connected by contacts follow.
 * In: contacts, sleep states; between steps also the index of contacts, which must be ready. Out:
 * sleep states, wake events; a body that falls asleep stops. Cost: between steps the contacts of
 * these bodies; in a step passes over all contacts until nothing changes. The order of contacts has
 * no effect. */
#include "world/sleep_state.h"

#include "base/vec.h"
#include "world/boundary.h"
#include "world/periodic.h"

void kg_sleep_count(kg_bodies *bodies)
{
    bodies->asleep_count = bodies->woken_count = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        bodies->asleep_count += bodies->sleep_state[i] == KG_ASLEEP;
        bodies->woken_count += bodies->sleep_state[i] == KG_WOKEN;
    }
}

void kg_sleep_count_events(kg_bodies *bodies, const kg_event_set *events)
{
    bodies->asleep_count += bodies->woken_count + (uint32_t)events->rest_count[KG_REST_SLEEP] -
                            (uint32_t)events->rest_count[KG_REST_WAKE];
    bodies->woken_count = 0;
}

/* True if the body, unless static, has a velocity or spin. */
static bool moves(const kg_bodies *bodies, uint32_t i)
{
    return bodies->type[i] != KUGEL_STATIC && !kg_bodies_is_motionless(bodies, i);
}

/* A boundary that moves wakes the body in contact with it. True if the body was asleep. */
static bool wake_from_boundary(const kugel_world *world, uint32_t *sleep_state, const kg_contact *c)
{
    uint32_t *state = &sleep_state[world->bodies.slot[c->a]];
    if (*state != KG_ASLEEP || !kg_boundary_moves(world, c->b)) return false;
    *state = KG_WOKEN;
    return true;
}

/* An awake dynamic body, or a moving body or boundary, wakes the other body of a contact. True if
 * that body was asleep. */
static bool wake_partner(const kugel_world *world, uint32_t *sleep_state, const kg_contact *c)
{
    const kg_bodies *bodies = &world->bodies;
    if (c->ended) return false;
    if (c->with != KG_WITH_BODY) return wake_from_boundary(world, sleep_state, c);
    uint32_t slot[2] = {bodies->slot[c->a], bodies->slot[c->b]};
    for (int k = 0; k < 2; ++k) {
        uint32_t one = slot[k], two = slot[1 - k];
        if (sleep_state[two] != KG_ASLEEP || sleep_state[one] == KG_ASLEEP) continue;
        if (bodies->mass[one] == 0 && !moves(bodies, one)) continue;
        sleep_state[two] = KG_WOKEN;
        return true;
    }
    return false;
}

/* Wake bodies along contacts until nothing changes. Contacts are sorted by ids; passes alternate in
 * direction, so that waking spreads fast to higher and to lower ids. */
static void spread_waking(const kugel_world *world, uint32_t *sleep_state,
                          const kg_contact_set *set)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < set->count; ++k)
            changed |= wake_partner(world, sleep_state, &set->items[k]);
        for (uint32_t k = set->count; k > 0 && changed; --k)
            wake_partner(world, sleep_state, &set->items[k - 1]);
    }
}

/* The other body of a contact, as a slot, or KG_NONE. */
static uint32_t partner_of(const kg_bodies *bodies, const kg_contact *c, uint32_t id)
{
    if (c->with != KG_WITH_BODY) return KG_NONE;
    return bodies->slot[c->a == id ? c->b : c->a];
}

void kg_sleep_wake(kugel_world *world, uint32_t slot)
{
    kg_bodies *bodies = &world->bodies;
    uint32_t *queue = world->contact_index.queue, count = 1;
    if (bodies->sleep_state[slot] != KG_ASLEEP) return;
    bool connected = bodies->contact_count[slot];
    if (!connected && kg_bodies_is_disabled(bodies, slot)) return;
    kg_sleep_set(bodies, slot, KG_WOKEN);
    if (!connected) return; /* a world without contacts has no queue */
    queue[0] = bodies->id[slot];
    for (uint32_t n = 0; n < count; ++n) {
        kg_body_contacts walk = kg_contact_index_of(world, queue[n]);
        for (const kg_contact *c; (c = kg_body_contacts_next(&walk));) {
            uint32_t other = partner_of(bodies, c, queue[n]);
            if (other == KG_NONE || bodies->sleep_state[other] != KG_ASLEEP) continue;
            kg_sleep_set(bodies, other, KG_WOKEN);
            queue[count++] = bodies->id[other];
        }
    }
}

void kg_sleep_drive(kugel_world *world, uint32_t slot)
{
    kg_bodies *bodies = &world->bodies;
    kg_sleep_wake(world, slot);
    if (bodies->contact_count[slot] && bodies->sleep_state[slot] != KG_WOKEN)
        kg_sleep_set(bodies, slot, KG_DRIVEN);
}

/* Put one body to sleep: its velocity, spin, force and torque become 0. */
static void put_to_sleep(kg_bodies *bodies, uint32_t slot)
{
    kg_sleep_set(bodies, slot, KG_ASLEEP);
    for (int k = 0; k < 3; ++k) {
        bodies->v[k][slot] = bodies->w[k][slot] = 0;
        if (bodies->has_load_columns) bodies->force[k][slot] = bodies->torque[k][slot] = 0;
    }
}

void kg_sleep_put_to_sleep(kugel_world *world, uint32_t slot)
{
    kg_bodies *bodies = &world->bodies;
    uint32_t *queue = world->contact_index.queue, count = 1;
    if (bodies->sleep_state[slot] == KG_ASLEEP) return;
    put_to_sleep(bodies, slot);
    queue[0] = bodies->id[slot];
    for (uint32_t n = 0; n < count; ++n) {
        kg_body_contacts walk = kg_contact_index_of(world, queue[n]);
        for (const kg_contact *c; (c = kg_body_contacts_next(&walk));) {
            uint32_t other = partner_of(bodies, c, queue[n]);
            if (other == KG_NONE || bodies->mass[other] == 0 ||
                bodies->sleep_state[other] == KG_ASLEEP)
                continue;
            put_to_sleep(bodies, other);
            queue[count++] = bodies->id[other];
        }
    }
}

void kg_sleep_wake_touching(kugel_world *world, uint32_t slot)
{
    const kg_bodies *bodies = &world->bodies;
    kg_sleep_wake(world, slot);
    if (bodies->mass[slot] > 0 || !bodies->contact_count[slot]) return;
    kg_body_contacts walk = kg_contact_index_of(world, bodies->id[slot]);
    for (const kg_contact *c; (c = kg_body_contacts_next(&walk));) {
        uint32_t other = partner_of(bodies, c, walk.id);
        if (other != KG_NONE) kg_sleep_wake(world, other);
    }
}

void kg_sleep_wake_overlapping(kugel_world *world, uint32_t slot)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t present = kg_world_present(world); /* it overlaps no body that is aside */
    /* without contacts no body is asleep */
    if (bodies->mass[slot] > 0 || !kg_world_contact_count(world)) return;
    const kg_material *material = kg_bodies_material(bodies, slot);
    for (uint32_t i = 0; i < present; ++i) {
        if (bodies->sleep_state[i] != KG_ASLEEP || !kg_periodic_bodies_overlap(world, slot, i))
            continue;
        if (kg_bodies_materials_collide(material, kg_bodies_material(bodies, i)))
            kg_sleep_wake(world, i);
    }
}

void kg_sleep_wake_near(kugel_world *world, kg_sleep_reach *reaches, const void *thing)
{
    const kg_bodies *bodies = &world->bodies;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (bodies->sleep_state[i] != KG_ASLEEP) continue;
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
        double reach = bodies->radius[i] * (1 + kg_max(world->def.slop, KG_SLOP_MIN));
        if (reaches(thing, kg_bodies_material(bodies, i), x, reach)) kg_sleep_wake(world, i);
    }
}

void kg_sleep_wake_pulled(kugel_world *world)
{
    const kg_bodies *bodies = &world->bodies;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (bodies->sleep_state[i] == KG_ASLEEP &&
            kg_bodies_material(bodies, i)->gravity_scale != 0)
            kg_sleep_wake(world, i);
    }
}

void kg_sleep_wake_all(kugel_world *world)
{
    kg_bodies *bodies = &world->bodies;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (bodies->sleep_state[i] == KG_ASLEEP && !kg_bodies_is_disabled(bodies, i))
            kg_sleep_set(bodies, i, KG_WOKEN);
    }
}

bool kg_sleep_world_is_idle(const kugel_world *world)
{
    const kg_bodies *bodies = &world->bodies;
    if (bodies->has_forces || kg_surfaces_any_drags(&world->surfaces)) return false;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (bodies->type[i] == KUGEL_DYNAMIC ? bodies->sleep_state[i] != KG_ASLEEP
                                             : moves(bodies, i))
            return false;
    }
    return true;
}

bool kg_sleep_wake_marked(kugel_world *world, double time)
{
    kg_work *work = &world->work;
    const kg_bodies *bodies = &world->bodies;
    if (!work->any_woken) return true;
    work->any_woken = false;
    spread_waking(world, work->sleep_state, &work->contacts);
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (work->sleep_state[i] != KG_WOKEN) continue;
        kugel_rest rest = {.time = time, .body = kg_bodies_handle(bodies, i)};
        work->sleep_state[i] = 0;
        if (!kg_bodies_is_sensor(bodies, i))
            work->woken_radius = kg_min(work->woken_radius, bodies->radius[i]);
        kg_frame_set_free(world, i);
        work->groups_outdated = work->woken_unseen = true;
        if (!kg_event_set_add_rest(&world->memory, &world->events.pending, KG_REST_WAKE, &rest))
            return false;
    }
    return true;
}
