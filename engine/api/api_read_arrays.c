/* Public functions that copy many bodies. In: columns by slot. Out: rows in the order of ids. Rows
 * are copied in blocks, one column after the other, so that many loads are in flight at once: slots
 * are in spatial order, and ids in any. Cost: O(ids). */
#include "kugel/body.h"
#include "world/sleep_state.h"

enum { BLOCK = 256 };

/* Some bodies, in the order of ids. */
typedef struct block {
    uint32_t id[BLOCK], slot[BLOCK];
    uint32_t count, next_id;
} block;

/* The next live bodies, at most `most`; false when there is none. */
static bool next_block(const kg_bodies *b, uint32_t most, block *rows)
{
    uint32_t id = rows->next_id, count = 0, limit = most < BLOCK ? most : BLOCK;
    for (; id < b->id_end && count < limit; ++id) {
        rows->id[count] = id;
        rows->slot[count] = b->slot[id];
        count += b->slot[id] != KG_NONE;
    }
    rows->next_id = id;
    rows->count = count;
    return count;
}

static inline kugel_body handle_of(const kg_bodies *b, uint32_t id)
{
    return (kugel_body)b->generation[id] << 32 | id;
}

static inline uint64_t user_data_of(const kg_bodies *b, uint32_t id)
{
    return b->user_data ? b->user_data[id] : 0;
}

static void copy_vectors(double *const column[3], const block *rows, double *to)
{
    for (uint32_t r = 0; to && r < rows->count; ++r) {
        uint32_t i = rows->slot[r];
        for (int k = 0; k < 3; ++k) to[3 * r + (uint32_t)k] = column[k][i];
    }
}

static void copy_images(const kg_bodies *b, const block *rows, int32_t *to)
{
    for (uint32_t r = 0; to && r < rows->count; ++r) {
        for (int k = 0; k < 3; ++k) to[3 * r + (uint32_t)k] = kg_bodies_image(b, rows->slot[r], k);
    }
}

static void copy_orientations(float *const column[4], const block *rows, float *to)
{
    for (uint32_t r = 0; to && r < rows->count; ++r) {
        uint32_t i = rows->slot[r];
        for (int k = 0; k < 4; ++k) to[4 * r + (uint32_t)k] = column[k][i];
    }
}

static void copy_numbers(const kg_bodies *b, const block *rows, kugel_body *bodies, double *radius,
                         bool *asleep, uint64_t *user_data)
{
    for (uint32_t r = 0; bodies && r < rows->count; ++r) bodies[r] = handle_of(b, rows->id[r]);
    for (uint32_t r = 0; radius && r < rows->count; ++r) radius[r] = b->radius[rows->slot[r]];
    for (uint32_t r = 0; asleep && r < rows->count; ++r)
        asleep[r] = b->sleep_state[rows->slot[r]] == KG_ASLEEP;
    for (uint32_t r = 0; user_data && r < rows->count; ++r)
        user_data[r] = user_data_of(b, rows->id[r]);
}

#define ROW(array, width) ((array) ? (array) + (width) * (size_t)row : NULL)

uint32_t kugel_world_read_arrays(const kugel_world *world, uint32_t capacity,
                                 const kugel_body_arrays *arrays)
{
    if (!world || !arrays) return 0;
    const kg_bodies *b = &world->bodies;
    block rows = {.next_id = 0};
    for (uint32_t row = 0; next_block(b, capacity - row, &rows); row += rows.count) {
        copy_vectors(b->x, &rows, ROW(arrays->position, 3));
        copy_vectors(b->v, &rows, ROW(arrays->velocity, 3));
        copy_vectors(b->w, &rows, ROW(arrays->spin, 3));
        copy_orientations(b->q, &rows, ROW(arrays->orientation, 4));
        copy_images(b, &rows, ROW(arrays->image, 3));
        copy_numbers(b, &rows, ROW(arrays->bodies, 1), ROW(arrays->radius, 1),
                     ROW(arrays->asleep, 1), ROW(arrays->user_data, 1));
    }
    return b->count;
}

/* ---- moves ---- */

static bool is_moving(const kg_bodies *b, uint32_t i)
{
    if (b->type[i] == KUGEL_DYNAMIC)
        return b->sleep_state[i] != KG_ASLEEP && b->sleep_state[i] != KG_WOKEN;
    bool moves = false;
    for (int k = 0; k < 3; ++k) moves |= b->v[k][i] != 0 || b->w[k][i] != 0;
    return moves;
}

/* Bodies that fell asleep in the last step, by id. */
typedef struct sleepers {
    const kugel_rest *items;
    size_t count, next;
} sleepers;

/* True if the body is the next sleeper. Ids must ascend. */
static bool take_sleeper(sleepers *s, uint32_t id)
{
    while (s->next < s->count && kugel_body_id(s->items[s->next].body) < id) ++s->next;
    return s->next < s->count && kugel_body_id(s->items[s->next].body) == id;
}

/* Keep the rows that moved; fell_asleep is set for each. */
static void keep_moves(const kg_bodies *b, sleepers *asleep, block *rows, bool fell_asleep[BLOCK])
{
    uint32_t kept = 0;
    for (uint32_t r = 0; r < rows->count; ++r) {
        fell_asleep[kept] = take_sleeper(asleep, rows->id[r]);
        if (!fell_asleep[kept] && !is_moving(b, rows->slot[r])) continue;
        rows->id[kept] = rows->id[r];
        rows->slot[kept++] = rows->slot[r];
    }
    rows->count = kept;
}

static void write_moves(const kg_bodies *b, const block *rows, const bool *fell_asleep,
                        uint32_t count, kugel_move *moves)
{
    for (uint32_t r = 0; r < count; ++r)
        moves[r] = (kugel_move){.body = handle_of(b, rows->id[r]),
                                .user_data = user_data_of(b, rows->id[r]),
                                .fell_asleep = fell_asleep[r]};
    for (uint32_t r = 0; r < count; ++r) {
        for (int k = 0; k < 3; ++k) moves[r].position[k] = b->x[k][rows->slot[r]];
    }
    for (uint32_t r = 0; r < count; ++r) {
        for (int k = 0; k < 4; ++k) moves[r].orientation[k] = b->q[k][rows->slot[r]];
    }
}

uint32_t kugel_world_moves(const kugel_world *world, uint32_t capacity, kugel_move *moves)
{
    if (!world) return 0;
    const kg_bodies *b = &world->bodies;
    const kg_event_set *events = &world->events.published;
    sleepers asleep = {events->rests[KG_REST_SLEEP], events->rest_count[KG_REST_SLEEP], 0};
    block rows = {.next_id = 0};
    bool fell_asleep[BLOCK];
    uint32_t count = 0;
    for (; next_block(b, BLOCK, &rows); count += rows.count) {
        keep_moves(b, &asleep, &rows, fell_asleep);
        uint32_t room = moves && count < capacity ? capacity - count : 0;
        write_moves(b, &rows, fell_asleep, rows.count < room ? rows.count : room,
                    room ? moves + count : NULL);
    }
    return count;
}
