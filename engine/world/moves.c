/* Notes what a step moved, and what a restore placed (moves.h). */
#include "world/moves.h"

#include "world/sleep_state.h"

/* Note the dynamic bodies that the step could move and did not put to sleep. Without branches: this
 * is a pass over all bodies. Returns true if some body is kinematic. */
static bool note_dynamic(kg_bodies *b, uint32_t tick)
{
    const uint32_t *restrict state = b->sleep_state;
    const uint8_t *restrict type = b->type;
    uint32_t *restrict moved_at = b->moved_at, n = b->count;
    uint8_t any_kinematic = 0;
    for (uint32_t i = 0; i < n; ++i) {
        bool moves = (type[i] == KUGEL_DYNAMIC) & (state[i] != KG_ASLEEP) & (state[i] != KG_WOKEN);
        moved_at[i] = moves ? tick : moved_at[i];
        any_kinematic |= type[i] == KUGEL_KINEMATIC;
    }
    return any_kinematic;
}

static void note_kinematic(kg_bodies *b, uint32_t tick)
{
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->type[i] == KUGEL_KINEMATIC && !kg_bodies_is_motionless(b, i)) b->moved_at[i] = tick;
    }
}

void kg_moves_note_step(kugel_world *world)
{
    kg_bodies *b = &world->bodies;
    kg_surfaces *set = &world->surfaces;
    const kg_event_set *events = &world->events.published;
    uint32_t tick = (uint32_t)world->tick;
    if (note_dynamic(b, tick)) note_kinematic(b, tick);
    for (size_t k = 0; k < events->rest_count[KG_REST_SLEEP]; ++k)
        b->moved_at[b->slot[kugel_body_id(events->rests[KG_REST_SLEEP][k].body)]] = tick;
    for (uint32_t k = 0; k < set->moving_count; ++k) set->items[set->moving[k]].moved_at = tick;
}

void kg_moves_note_all(kugel_world *world)
{
    for (uint32_t i = 0; i < world->bodies.count; ++i) kg_moves_note_new(world, i);
    for (uint32_t k = 0; k < world->surfaces.end; ++k) kg_moves_note_new_surface(world, k);
}
