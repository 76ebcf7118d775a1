/* Public functions that copy values of all bodies to arrays. In: columns by slot. Out: rows in
 * order of ids. Each array is filled in a pass of its own: slots are not in order of ids, and the
 * columns of all arrays together have more pages than the TLB has entries. If no id is free and all
 * rows fit, a pass follows the slots: it reads the columns in order, and only its writes are
 * scattered. Else it follows the ids, since the row of an id is the number of bodies with lower
 * ids. Cost: O(ids) for each array. */
#include "kugel/body.h"
#include "world/sleep_state.h"

static inline uint64_t user_data_of(const kg_bodies *b, uint32_t id)
{
    return b->user_data ? b->user_data[id] : 0;
}

static inline void copy_vector(double *const column[3], uint32_t slot, double *to)
{
    for (int k = 0; k < 3; ++k) to[k] = column[k][slot];
}

static inline void copy_orientation(double *const column[4], uint32_t slot, double *to)
{
    for (int k = 0; k < 4; ++k) to[k] = column[k][slot];
}

static inline void copy_image(const kg_bodies *b, uint32_t slot, int32_t *to)
{
    for (int k = 0; k < 3; ++k) to[k] = kg_bodies_image(b, slot, k);
}

/* True if no id is free, so that the row of a body is its id, and all rows fit. */
static bool rows_are_ids(const kg_bodies *b, uint32_t capacity)
{
    return b->count == b->id_end && b->count <= capacity;
}

/* Rows ahead of the present one that are prefetched. */
enum { AHEAD = 32 };

/* Fill the array `to` with rows of `width` values, unless it is NULL: run `copy` for each live
 * body, with its slot i, its id and the row in the array. */
#define COPY_ROWS(to, width, copy)                                                                 \
    if ((to) && rows_are_ids(b, capacity)) {                                                       \
        for (uint32_t i = 0; i < b->count; ++i) {                                                  \
            uint32_t id = b->id[i], row = id;                                                      \
            if (i + AHEAD < b->count)                                                              \
                __builtin_prefetch((to) + (width) * (size_t)b->id[i + AHEAD], 1);                  \
            copy;                                                                                  \
        }                                                                                          \
    } else if (to) {                                                                               \
        for (uint32_t id = 0, row = 0; id < b->id_end && row < capacity; ++id) {                   \
            uint32_t i = b->slot[id];                                                              \
            if (i == KG_NONE) continue;                                                            \
            copy;                                                                                  \
            ++row;                                                                                 \
        }                                                                                          \
    }

uint32_t kugel_world_read_arrays(const kugel_world *world, uint32_t capacity,
                                 const kugel_body_arrays *arrays)
{
    if (!world || !arrays) return 0;
    const kg_bodies *b = &world->bodies;
    const kugel_body_arrays to = *arrays;
    COPY_ROWS(to.bodies, 1, to.bodies[row] = kg_bodies_handle_of_id(b, id));
    COPY_ROWS(to.position, 3, copy_vector(b->x, i, to.position + 3 * (size_t)row));
    COPY_ROWS(to.velocity, 3, copy_vector(b->v, i, to.velocity + 3 * (size_t)row));
    COPY_ROWS(to.spin, 3, copy_vector(b->w, i, to.spin + 3 * (size_t)row));
    COPY_ROWS(to.orientation, 4, copy_orientation(b->q, i, to.orientation + 4 * (size_t)row));
    COPY_ROWS(to.radius, 1, to.radius[row] = b->radius[i]);
    COPY_ROWS(to.asleep, 1, to.asleep[row] = b->sleep_state[i] == KG_ASLEEP);
    COPY_ROWS(to.user_data, 1, to.user_data[row] = user_data_of(b, id));
    COPY_ROWS(to.mass, 1, to.mass[row] = b->mass[i]);
    COPY_ROWS(to.image, 3, copy_image(b, i, to.image + 3 * (size_t)row));
    return b->count;
}

uint32_t kugel_world_read(const kugel_world *world, uint32_t capacity, uint32_t *ids,
                          double *position, double *velocity, double *spin)
{
    if (!world) return 0;
    const kg_bodies *b = &world->bodies;
    const kugel_body_arrays to = {.position = position, .velocity = velocity, .spin = spin};
    COPY_ROWS(ids, 1, ids[row] = id);
    return kugel_world_read_arrays(world, capacity, &to);
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

/* True if the body fell asleep in the last step. An event of an earlier body with the same id does
 * not count. Calls must be in order of ids. */
static bool take_sleeper(sleepers *s, kugel_body body)
{
    while (s->next < s->count && kugel_body_id(s->items[s->next].body) < kugel_body_id(body))
        ++s->next;
    return s->next < s->count && s->items[s->next].body == body;
}

static void write_move(const kg_bodies *b, uint32_t id, bool fell_asleep, kugel_move *to)
{
    uint32_t i = b->slot[id];
    to->body = kg_bodies_handle_of_id(b, id);
    to->user_data = user_data_of(b, id);
    copy_vector(b->x, i, to->position);
    copy_orientation(b->q, i, to->orientation);
    to->fell_asleep = fell_asleep;
}

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
    if (!world) return 0;
    const kg_bodies *b = &world->bodies;
    const kg_event_set *events = &world->events.published;
    sleepers asleep = {events->rests[KG_REST_SLEEP], events->rest_count[KG_REST_SLEEP], 0};
    uint32_t count = 0;
    for (uint32_t id = 0; id < b->id_end; ++id) {
        prefetch_place(b, id + AHEAD);
        if (b->slot[id] == KG_NONE) continue;
        bool fell_asleep = take_sleeper(&asleep, kg_bodies_handle_of_id(b, id));
        if (!fell_asleep && !is_moving(b, b->slot[id])) continue;
        if (moves && count < capacity) write_move(b, id, fell_asleep, &moves[count]);
        ++count;
    }
    return count;
}
