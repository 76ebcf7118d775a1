/* The index of the queries: bodies sorted into cells, built by the first query after a step. The
 * broad phase's grid cannot serve: it is stale after a call that changes a body.
 * A group holds bodies of similar size and place and has a uniform grid of its own, so large bodies
 * and empty space cost little. Rows of bodies are in cell order, x fastest. Up to changed_max
 * bodies that change after the build are removed from the cells and tested one by one.
 * In: columns of the bodies. Cost: O(bodies), without those aside unless some were set aside since
 * the last build; 64 bytes for each id and 4 for each cell. Order: each query sorts its results. */
#ifndef KG_QUERY_QUERY_INDEX_H
#define KG_QUERY_QUERY_INDEX_H

#include "base/compiler.h"
#include "base/threads.h"
#include "world/world.h"

/* A body for the first, conservative test: place and radius in floats, in the group's unit. The
 * place is relative to the group's origin. */
typedef struct kg_coarse_sphere {
    float at[3], radius;
} kg_coarse_sphere;

/* A body for the exact test. */
typedef struct kg_exact_sphere {
    double x[3], radius; /* m */
    kugel_body body;     /* null: the body was removed from the cells */
} kg_exact_sphere;

/* Bodies of similar size and place, and their cells. */
typedef struct kg_query_group {
    double origin[3];       /* m, the low corner of the cells */
    double inverse[3];      /* 1/m, 1 / edge */
    double edge[3];         /* m, of a cell */
    double low[3], high[3]; /* m, the box of the bodies' centres */
    double largest;         /* m, the largest radius */
    double length[3];       /* m, of a periodic axis; else 0 */
    double unit;            /* 1/m, a power of two: lengths of kg_coarse_sphere are m * unit */
    float rounding_error;   /* of kg_coarse_sphere and the arithmetic with it, in that unit */
    int64_t cells[3];       /* number along each axis */
    uint32_t *start;        /* first row of each cell, x fastest; then the row after the last */
} kg_query_group;

enum {
    /* The index may have KG_QUERY_CHANGES + KG_QUERY_CHANGES_OF_ROOT sqrt(ids) changed bodies; with
     * more it is stale. With this limit, if a query follows each change, testing the changed bodies
     * costs a query about as much as its share of the next build. */
    KG_QUERY_CHANGES = 64,
    KG_QUERY_CHANGES_OF_ROOT = 4,
    KG_QUERY_GROUPS = 96 /* maximum number of groups of a part */
};

enum {
    KG_QUERY_COLUMNS_BY_ID = 4, /* rows of the table in query_build.c */
    KG_QUERY_COLUMN_GROUP = KG_QUERY_COLUMNS_BY_ID,
    KG_QUERY_COLUMN_START, /* of each part */
    KG_QUERY_COLUMN_START_PRESENT,
    KG_QUERY_COLUMN_CHANGED,
    KG_QUERY_COLUMNS
};

typedef struct kg_query_index {
    kg_memory memory; /* the world's allocator; a count of its own, as queries run in parallel */
    kg_mutex lock;
    /* true: the index describes the world's present bodies. Range: between steps, while true */
    atomic_bool ready;

    kg_query_group *group;
    uint32_t group_count;
    /* The first groups and rows are those of the bodies aside. They stay while no body is set
     * aside; those that come back are removed from their cells. */
    uint32_t aside_groups, aside_rows;
    uint64_t aside_version;   /* kg_aside.version when these were made */
    kg_coarse_sphere *coarse; /* rows in cell order, group after group */
    kg_exact_sphere *exact;
    uint32_t *order;     /* slots, group after group; valid during the build only */
    uint32_t *row_of_id; /* row of each id, or KG_NONE */
    uint32_t id_end;
    uint32_t *changed; /* ids of bodies that are not in the cells */
    uint32_t changed_count, changed_max;
    double length[3]; /* m, of a periodic axis; else 0 */
    bool periodic;    /* true: some axis is periodic */

    kg_column columns[KG_QUERY_COLUMNS];
} kg_query_index;

kugel_status kg_query_create(kg_memory *memory, kg_query_index **out);
void kg_query_destroy(kg_memory *memory, kg_query_index *index);
/* Bytes in use. */
size_t kg_query_memory(kg_query_index *index);
/* A block for the time of a query; NULL when out of memory. Safe from several threads. */
void *kg_query_allocate(kg_query_index *index, size_t size);
void kg_query_free(kg_query_index *index, void *block, size_t size);
/* Build the index unless it is ready. Safe on a const world from several threads. */
kugel_status kg_query_ensure_index(const kugel_world *world);
/* Update the tree of surfaces unless it is ready. Safe on a const world from several threads. */
void kg_query_ensure_surfaces(const kugel_world *world);
/* After a body was created, moved or resized: is_alive is true. Before a body is destroyed: it is
 * false. */
void kg_query_update_body(kugel_world *world, uint32_t id, bool is_alive);
/* Make the index and the chains of contacts stale: any body and contact may have changed. */
void kg_query_invalidate(kugel_world *world);

/* query_build.c: builds the index; false when out of memory. */
bool kg_query_build(const kugel_world *world, kg_query_index *index);
/* query_groups.c: adds groups with their cells for the slots from `low` to `high`, but leaves
 * `start` unset. Returns the number of groups before. Writes the slots to index->order, group after
 * group. Added group g has the places first[g] ... first[g + 1] - 1. */
uint32_t kg_query_split_groups(const kugel_world *world, kg_query_index *index, uint32_t low,
                               uint32_t high, uint32_t *first);

/* The numbers of the cells from `low` to `high`, both in cells from the group's origin. Along a
 * periodic axis numbers continue beyond the box. Along other axes the range is clipped to the
 * cells that exist; false if there are none. */
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

/* The centre of a body in a periodic image, m; x is the centre in image 0. */
static inline void kg_query_center(const kg_query_index *index, const double x[3],
                                   const int32_t image[3], double center[3])
{
    for (int k = 0; k < 3; ++k) center[k] = x[k] + image[k] * index->length[k];
}

#endif
