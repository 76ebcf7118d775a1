/* Public functions that list the bodies and surfaces that moved or were placed (world/moves.h). */
#include <string.h>

#include "api/api_rows.h"
#include "base/compiler.h"
#include "base/vec.h"
#include "kugel/body.h"
#include "world/guard.h"
#include "world/moves.h"

/* Sleep events of the last step. All are at its end, so the order by time and id is that of ids. */
typedef struct sleepers {
    const kugel_rest *items;
    size_t count, next;
} sleepers;

/* True if the body with this id fell asleep in the last step. An event of an earlier body with the
 * same id does not count. Calls must be in order of ids. */
static bool take_sleeper(sleepers *s, const kg_bodies *b, uint32_t id)
{
    while (s->next < s->count && kugel_body_id(s->items[s->next].body) < id) ++s->next;
    return s->next < s->count && kugel_body_id(s->items[s->next].body) == id &&
           s->items[s->next].body == kg_bodies_handle_of_id(b, id);
}

static void write_move(const kg_bodies *b, uint32_t id, kg_move_flags flags, bool fell_asleep,
                       kugel_move *to)
{
    uint32_t i = b->slot[id];
    to->body = kg_bodies_handle_of_id(b, id);
    to->user_data = kg_bodies_user_data(b, i);
    for (int k = 0; k < 3; ++k) to->position[k] = b->x[k][i];
    for (int k = 0; k < 4; ++k) to->rotation[k] = b->q[k][i];
    to->moved = flags.moved, to->placed = flags.placed, to->stopped = flags.stopped;
    to->fell_asleep = fell_asleep;
}

static void write_surface_move(const kg_surfaces *set, uint32_t index, kg_move_flags flags,
                               kugel_surface_move *to)
{
    const kg_surface *surface = &set->items[index];
    to->surface = kg_indices_handle(&set->indices, KG_HANDLE_SURFACE, index);
    to->user_data = surface->user_data;
    kg_copy3(to->position, surface->position);
    memcpy(to->rotation, surface->rotation, sizeof to->rotation);
    to->moved = flags.moved, to->placed = flags.placed, to->stopped = flags.stopped;
}

/* Rows ahead of the present one that are prefetched. */
enum { AHEAD = 32 };

/* Prefetch what a row needs of the body with this id, if there is one. */
KG_INLINE void prefetch_place(const kg_bodies *b, uint32_t id)
{
    uint32_t i = id < b->id_end ? b->slot[id] : KG_NONE;
    if (i == KG_NONE) return;
    for (int k = 0; k < 3; ++k) KG_PREFETCH(&b->x[k][i]);
    for (int k = 0; k < 4; ++k) KG_PREFETCH(&b->q[k][i]);
    KG_PREFETCH(&b->moved_at[i]);
    KG_PREFETCH(&b->placed_at[i]);
}

/* The rows that may be listed are the first ones: those of bodies aside follow, unless some were
 * set aside of late. */
static uint32_t rows_to_list(const kugel_world *world)
{
    bool all_present = world->tick - world->aside.tick <= 1;
    return all_present ? world->bodies.count : kg_world_present(world);
}

uint32_t kugel_world_moves(const kugel_world *world, uint32_t capacity, kugel_move *moves,
                           size_t size)
{
    kugel_move move = {0};
    const kg_rows to = {.out = moves, .size = size, .own = sizeof move};
    if (kg_refuse_read(world)) return 0;
    const kg_bodies *b = &world->bodies;
    const kg_event_set *events = &world->events.published;
    sleepers asleep = {events->rests[KG_REST_SLEEP], events->rest_count[KG_REST_SLEEP], 0};
    uint32_t count = 0, rows = rows_to_list(world);
    for (uint32_t id = 0; id < b->id_end && rows; ++id) {
        uint32_t i = b->slot[id];
        if (i >= rows) continue; /* or KG_NONE */
        prefetch_place(b, id + AHEAD);
        kg_move_flags flags = kg_moves_flags(world, b->moved_at[i], b->placed_at[i]);
        if (!flags.any) continue;
        if (moves && count < capacity) {
            write_move(b, id, flags, take_sleeper(&asleep, b, id), &move);
            kg_rows_set(&to, count, &move);
        }
        ++count;
    }
    return count;
}

uint32_t kugel_world_surface_moves(const kugel_world *world, uint32_t capacity,
                                   kugel_surface_move *moves, size_t size)
{
    kugel_surface_move move = {0};
    const kg_rows to = {.out = moves, .size = size, .own = sizeof move};
    if (kg_refuse_read(world)) return 0;
    const kg_surfaces *set = &world->surfaces;
    uint32_t count = 0;
    for (uint32_t k = 0; k < set->end; ++k) {
        const kg_surface *s = &set->items[k];
        kg_move_flags flags = kg_moves_flags(world, s->moved_at, s->placed_at);
        if (!s->used || !flags.any) continue;
        if (moves && count < capacity) {
            write_surface_move(set, k, flags, &move);
            kg_rows_set(&to, count, &move);
        }
        ++count;
    }
    return count;
}
