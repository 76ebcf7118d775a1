/* The index of the queries: bodies sorted into cells, made by the first query after a step.
 *
 * It is not the broad phase's grid: that one is anchored inside steps, holds linked lists and is
 * not valid between a change and the next step. This one is made for reading: bodies lie in the
 * order of their cells, rows of cells along x are runs of memory. Bodies are split into groups of
 * like size and place, each with a uniform grid of its own: large bodies do not widen the search
 * among small ones, and empty space between clusters costs nothing. A few bodies that changed since
 * are taken out and looked at one by one, until there are too many. In: the bodies' columns. Cost:
 * two passes over the bodies, some 40 ns a body, 60 bytes a body. Order: none; whatever a query
 * reports is sorted by what is reported. */
#ifndef KG_QUERY_QUERY_INDEX_H
#define KG_QUERY_QUERY_INDEX_H

#include <stdatomic.h>

#include "base/threads.h"
#include "world/world.h"

/* What is looked at first: the place from the group's origin and the radius, in the group's unit,
 * rounded. */
typedef struct kg_coarse_sphere {
    float at[3], radius;
} kg_coarse_sphere;

/* The body as it is; null: taken out. */
typedef struct kg_exact_sphere {
    double x[3], radius;
    kugel_body body;
} kg_exact_sphere;

typedef struct kg_query_group {
    double origin[3], inverse[3], edge[3]; /* m, 1/m, m; of the cells */
    double low[3], high[3];                /* m; the centres lie within */
    double largest;                        /* m, radius */
    double length[3];                      /* m, of a periodic axis, else 0 */
    double unit;                           /* 1/m, a power of two: of kg_coarse_sphere */
    float rounding_error; /* error of kg_coarse_sphere and of walking, in that unit */
    int64_t cells[3];     /* along the axes */
    uint32_t *start;      /* first body of each cell, x fastest; one more at the end */
    uint64_t *occupied;   /* bit: this block of 4 x 4 x 4 cells has a body */
    int64_t blocks[3];
    bool sparse; /* worth asking `occupied` */
} kg_query_group;

enum { KG_QUERY_CHANGES = 64, KG_QUERY_GROUPS = 96 };

typedef struct kg_query_index {
    kg_memory memory; /* the world's allocator, with an account of its own: queries run at once */
    pthread_mutex_t lock;
    atomic_bool ready; /* it describes the world */

    kg_query_group *group;
    uint32_t group_count;
    kg_coarse_sphere *coarse; /* in the order of cells, group after group */
    kg_exact_sphere *exact;
    uint32_t *row_of_id; /* by id: row of the two above, or KG_NONE */
    uint32_t id_end;
    uint32_t changed[KG_QUERY_CHANGES]; /* ids of bodies that are not in the cells */
    uint32_t changed_count;
    double length[3]; /* m, of periodic axes, else 0 */
    bool periodic;

    kg_column columns[7];
} kg_query_index;

kugel_status kg_query_create(kg_memory *memory, kg_query_index **out);
void kg_query_destroy(kg_memory *memory, kg_query_index *index);
/* Bytes held. */
size_t kg_query_memory(kg_query_index *index);
/* Make the index where there is none. Safe on a const world from several threads. */
kugel_status kg_query_ensure_index(const kugel_world *world);
/* One body was made or moved (is_alive), or is about to be destroyed. */
void kg_query_update_body(kugel_world *world, uint32_t id, bool is_alive);
/* Everything may have changed. */
void kg_query_invalidate(kugel_world *world);

/* query_build.c: the index of the world as it is; false when out of memory. */
bool kg_query_build(const kugel_world *world, kg_query_index *index);
/* query_groups.c: put slots into order[], group after group; first[g] is where group g begins.
 * Group and cell sizes are chosen; `start` and `occupied` are left to the caller. Returns the
 * number of groups. */
uint32_t kg_query_split_groups(const kugel_world *world, uint32_t *order, kg_query_group *groups,
                               uint32_t *first);

static inline int64_t kg_query_cell(const kg_query_group *group, int axis, double x)
{
    double c = (x - group->origin[axis]) * group->inverse[axis];
    double last = (double)(group->cells[axis] - 1);
    c = c < 0 ? 0 : c;
    return (int64_t)(c > last ? last : c);
}

#endif
