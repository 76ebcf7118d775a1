/* The index of the queries: bodies sorted into cells, built by the first query after a step.
 * It is separate from the broad phase's grid, which is stale between a call that changes a body
 * and the next step.
 * Groups hold bodies of like size and place, each with a uniform grid of its own, so large bodies
 * and empty space cost little. Bodies lie in memory in cell order, x fastest. Up to
 * KG_QUERY_CHANGES bodies that change after the build leave the cells and are tested one by one.
 * In: the bodies' columns. Cost: two passes over the bodies, 60 bytes a body. Order: none; each
 * query sorts its results. */
#ifndef KG_QUERY_QUERY_INDEX_H
#define KG_QUERY_QUERY_INDEX_H

#include <stdatomic.h>

#include "base/threads.h"
#include "world/world.h"

/* For the first test: place from the group's origin and radius, rounded, in the group's unit. */
typedef struct kg_coarse_sphere {
    float at[3], radius;
} kg_coarse_sphere;

/* For the exact test, m. A null body has left the cells. */
typedef struct kg_exact_sphere {
    double x[3], radius;
    kugel_body body;
} kg_exact_sphere;

typedef struct kg_query_group {
    double origin[3], inverse[3], edge[3]; /* m, 1/m, m; of the cells */
    double low[3], high[3];                /* m, of the centres */
    double largest;                        /* m, radius */
    double length[3];                      /* m, of a periodic axis, else 0 */
    double unit;                           /* 1/m, a power of two: scale of kg_coarse_sphere */
    float rounding_error;                  /* of kg_coarse_sphere and of walks, in that unit */
    int64_t cells[3];                      /* along the axes */
    uint32_t *start; /* first row of each cell, x fastest; one more at the end */
} kg_query_group;

/* The contacts of each body in which it is b; those in which it is a are neighbours in the set. */
typedef struct kg_contact_index {
    atomic_bool ready; /* it describes the world's present contacts */
    uint32_t *start;   /* by id: its first item; one more at the end */
    uint32_t *item;    /* indices of contacts, by (b, a) */
    kg_column columns[2];
} kg_contact_index;

enum { KG_QUERY_CHANGES = 64, KG_QUERY_GROUPS = 96 };

enum {
    KG_QUERY_COLUMNS_BY_ID = 4, /* as in the table of query_build.c */
    KG_QUERY_COLUMN_GROUP = KG_QUERY_COLUMNS_BY_ID,
    KG_QUERY_COLUMN_START,
    KG_QUERY_COLUMNS
};

typedef struct kg_query_index {
    kg_memory memory; /* the world's allocator with a separate count, as queries run in parallel */
    pthread_mutex_t lock;
    atomic_bool ready; /* the index describes the world's present state */

    kg_query_group *group;
    uint32_t group_count;
    kg_coarse_sphere *coarse; /* rows in cell order, group after group */
    kg_exact_sphere *exact;
    uint32_t *order;     /* slots, group after group; during the build */
    uint32_t *row_of_id; /* by id: the row, or KG_NONE */
    uint32_t id_end;
    uint32_t changed[KG_QUERY_CHANGES]; /* ids of bodies outside the cells */
    uint32_t changed_count;
    double length[3]; /* m, of periodic axes, else 0 */
    bool periodic;
    kg_contact_index contacts;

    kg_column columns[KG_QUERY_COLUMNS];
} kg_query_index;

kugel_status kg_query_create(kg_memory *memory, kg_query_index **out);
void kg_query_destroy(kg_memory *memory, kg_query_index *index);
/* Bytes in use. */
size_t kg_query_memory(kg_query_index *index);
/* Builds the index unless it is ready. Safe on a const world from several threads. */
kugel_status kg_query_ensure_index(const kugel_world *world);
/* The same for the tree of surfaces, which cannot fail. */
void kg_query_ensure_surfaces(const kugel_world *world);
/* A body was created or moved (is_alive), or is about to be destroyed. */
void kg_query_update_body(kugel_world *world, uint32_t id, bool is_alive);
/* Any body and contact may have changed. */
void kg_query_invalidate(kugel_world *world);
/* Contacts were removed. */
void kg_query_invalidate_contacts(kugel_world *world);

/* query_contacts.c: builds the index of contacts unless it is ready, as kg_query_ensure_index. */
kugel_status kg_query_ensure_contacts(const kugel_world *world);

/* query_build.c: builds the index; false when out of memory. */
bool kg_query_build(const kugel_world *world, kg_query_index *index);
/* query_groups.c: makes the groups and their cells, without `start`. Writes slots to
 * index->order, group after group; group g begins at first[g], the last ends at first[group_count].
 */
void kg_query_split_groups(const kugel_world *world, kg_query_index *index, uint32_t *first);

/* The cell numbers of [low, high] (in cells); along an axis that is not periodic only those that
 * exist, or false when none does. */
static inline bool kg_query_clip_cells(const kg_query_group *g, int axis, double low, double high,
                                       bool periodic, int64_t *from, int64_t *to)
{
    if (periodic) {
        *from = (int64_t)low - (low < 0);
        *to = (int64_t)high - (high < 0);
        return true;
    }
    double last = (double)(g->cells[axis] - 1);
    if (!(high >= 0 && low < last + 1)) return false;
    *from = (int64_t)(low > 0 ? low : 0);
    *to = (int64_t)(high < last ? high : last);
    return true;
}

static inline kg_exact_sphere kg_query_sphere(const kg_bodies *b, uint32_t slot)
{
    return (kg_exact_sphere){
        {b->x[0][slot], b->x[1][slot], b->x[2][slot]}, b->radius[slot], kg_bodies_handle(b, slot)};
}

/* A body's centre in a periodic image, m. */
static inline void kg_query_center(const kg_query_index *index, const double x[3],
                                   const int32_t image[3], double center[3])
{
    for (int k = 0; k < 3; ++k) center[k] = x[k] + image[k] * index->length[k];
}

#endif
