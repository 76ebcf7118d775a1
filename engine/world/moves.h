/* Which bodies and surfaces moved lately, for kugel_world_moves. In: steps and calls. Out: for each
 * body and surface, as the low 32 bits of kugel_world.tick:
 *   moved_at   the tick whose step last moved it
 *   placed_at  the tick after which a call last set its pose
 * Both are derived: a restore counts as a call that places all. Ranks have the same ticks, so rows
 * that they send keep them. After 2^32 ticks a body may be listed once too often.
 * Cost: of a step a pass over the bodies that are not aside; of a call O(1). */
#ifndef KG_WORLD_MOVES_H
#define KG_WORLD_MOVES_H

#include "world/world.h"

/* After a step, with the tick counted and the events published. */
void kg_moves_note_step(kugel_world *world);
/* After a restore. */
void kg_moves_note_all(kugel_world *world);

/* After a call that set the pose of a body. */
static inline void kg_moves_note_placed(kugel_world *world, uint32_t slot)
{
    world->bodies.placed_at[slot] = (uint32_t)world->tick;
}

/* After a call that created a body, or added a surface: no step has moved it. */
static inline void kg_moves_note_new(kugel_world *world, uint32_t slot)
{
    kg_moves_note_placed(world, slot);
    world->bodies.moved_at[slot] = (uint32_t)world->tick - 2;
}
static inline void kg_moves_note_new_surface(kugel_world *world, uint32_t index)
{
    kg_surface *surface = &world->surfaces.items[index];
    surface->placed_at = (uint32_t)world->tick;
    surface->moved_at = (uint32_t)world->tick - 2;
}

/* As the members of kugel_move. */
typedef struct kg_move_flags {
    bool moved, placed, stopped;
    bool any; /* one of them is true */
} kg_move_flags;

static inline kg_move_flags kg_moves_flags(const kugel_world *world, uint32_t moved_at,
                                           uint32_t placed_at)
{
    uint32_t moved = (uint32_t)world->tick - moved_at, placed = (uint32_t)world->tick - placed_at;
    return (kg_move_flags){moved == 0, placed <= 1, moved == 1, moved <= 1 || placed <= 1};
}

#endif
