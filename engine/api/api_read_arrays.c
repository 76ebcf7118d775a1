/* Public functions that copy values of all bodies to arrays, in order of ids. */
#include "world/body_arrays.h"
#include "world/guard.h"
#include "world/sleep_state.h"

uint32_t kugel_world_read_arrays(const kugel_world *world, uint32_t capacity,
                                 const kugel_body_arrays *arrays)
{
    if (kg_refuse_read(world) || !arrays) return 0;
    return kg_bodies_read(&world->bodies, capacity, NULL, arrays);
}

uint32_t kugel_world_read(const kugel_world *world, uint32_t capacity, uint32_t *ids,
                          double *position, double *velocity, double *spin)
{
    const kugel_body_arrays to = {.position = position, .velocity = velocity, .spin = spin};
    return kg_refuse_read(world) ? 0 : kg_bodies_read(&world->bodies, capacity, ids, &to);
}

/* True if the last step could move the body. */
static bool is_moving(const kg_bodies *b, uint32_t i)
{
    if (b->type[i] == KUGEL_DYNAMIC)
        return b->sleep_state[i] != KG_ASLEEP && b->sleep_state[i] != KG_WOKEN;
    bool moves = false;
    for (int k = 0; k < 3; ++k) moves |= b->v[k][i] != 0 || b->w[k][i] != 0;
    return moves;
}

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

static void write_move(const kg_bodies *b, uint32_t id, bool fell_asleep, kugel_move *to)
{
    uint32_t i = b->slot[id];
    to->body = kg_bodies_handle_of_id(b, id);
    to->user_data = kg_bodies_user_data(b, i);
    for (int k = 0; k < 3; ++k) to->position[k] = b->x[k][i];
    for (int k = 0; k < 4; ++k) to->orientation[k] = b->q[k][i];
    to->fell_asleep = fell_asleep;
}

/* Rows ahead of the present one that are prefetched. */
enum { AHEAD = 32 };

/* Prefetch position and orientation of the body with this id, if there is one. */
static inline __attribute__((always_inline)) void prefetch_place(const kg_bodies *b, uint32_t id)
{
    uint32_t i = id < b->id_end ? b->slot[id] : KG_NONE;
    if (i == KG_NONE) return;
    for (int k = 0; k < 3; ++k) __builtin_prefetch(&b->x[k][i]);
    for (int k = 0; k < 4; ++k) __builtin_prefetch(&b->q[k][i]);
}

uint32_t kugel_world_moves(const kugel_world *world, uint32_t capacity, kugel_move *moves)
{
    if (kg_refuse_read(world)) return 0;
    const kg_bodies *b = &world->bodies;
    const kg_event_set *events = &world->events.published;
    sleepers asleep = {events->rests[KG_REST_SLEEP], events->rest_count[KG_REST_SLEEP], 0};
    uint32_t count = 0, present = kg_world_present(world);
    bool any = present || asleep.count; /* no body aside moves; it may have fallen asleep */
    for (uint32_t id = 0; id < b->id_end && any; ++id) {
        bool fell_asleep = take_sleeper(&asleep, b, id);
        if (!fell_asleep && b->slot[id] >= present) continue;
        prefetch_place(b, id + AHEAD);
        if (b->slot[id] == KG_NONE || (!fell_asleep && !is_moving(b, b->slot[id]))) continue;
        if (moves && count < capacity) write_move(b, id, fell_asleep, &moves[count]);
        ++count;
    }
    return count;
}
