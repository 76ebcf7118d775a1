/* Copies values of all bodies to arrays. In: columns by slot. Out: rows in order of ids. Each array
 * is filled in a pass of its own: slots are not in order of ids, and the columns of all arrays
 * together have more pages than the TLB has entries. If no id is free and all rows fit, a pass
 * follows the slots: it reads the columns in order, and only its writes are scattered. Else it
 * follows the ids, since the row of an id is the number of bodies with lower ids. Cost: O(ids) for
 * each array. */
#include "world/body_arrays.h"

#include "base/compiler.h"
#include "world/sleep_state.h"

static inline uint64_t user_data_of(const kg_bodies *b, uint32_t id)
{
    return b->user_data ? b->user_data[id] : 0;
}

static inline void copy_vector(double *const column[3], uint32_t slot, double *to)
{
    for (int k = 0; k < 3; ++k) to[k] = column[k][slot];
}

static inline void copy_rotation(double *const column[4], uint32_t slot, double *to)
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
                KG_PREFETCH_WRITE((to) + (width) * (size_t)b->id[i + AHEAD]);                      \
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

uint32_t kg_bodies_read(const kg_bodies *b, uint32_t capacity, const kugel_body_arrays *arrays)
{
    const kugel_body_arrays to = *arrays;
    COPY_ROWS(to.ids, 1, to.ids[row] = id);
    COPY_ROWS(to.bodies, 1, to.bodies[row] = kg_bodies_handle_of_id(b, id));
    COPY_ROWS(to.position, 3, copy_vector(b->x, i, to.position + 3 * (size_t)row));
    COPY_ROWS(to.velocity, 3, copy_vector(b->v, i, to.velocity + 3 * (size_t)row));
    COPY_ROWS(to.spin, 3, copy_vector(b->w, i, to.spin + 3 * (size_t)row));
    COPY_ROWS(to.rotation, 4, copy_rotation(b->q, i, to.rotation + 4 * (size_t)row));
    COPY_ROWS(to.radius, 1, to.radius[row] = b->radius[i]);
    COPY_ROWS(to.asleep, 1, to.asleep[row] = b->sleep_state[i] == KG_ASLEEP);
    COPY_ROWS(to.user_data, 1, to.user_data[row] = user_data_of(b, id));
    COPY_ROWS(to.mass, 1, to.mass[row] = b->mass[i]);
    COPY_ROWS(to.image, 3, copy_image(b, i, to.image + 3 * (size_t)row));
    return b->count;
}
