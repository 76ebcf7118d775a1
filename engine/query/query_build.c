/* Builds the index: splits the bodies into groups, and sorts each group into its cells by counting
 * sort. In: columns of the bodies. Out: the index. Cost: O(ids); cells are about as many as
 * bodies. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "query/query_index.h"
#include "world/periodic.h"

static const kg_column_row rows_by_id[] = {
    KG_COLUMN_ROW(kg_query_index, coarse),
    KG_COLUMN_ROW(kg_query_index, exact),
    KG_COLUMN_ROW(kg_query_index, order),
    KG_COLUMN_ROW(kg_query_index, row_of_id),
};
_Static_assert(sizeof rows_by_id == KG_QUERY_COLUMNS_BY_ID * sizeof *rows_by_id &&
                   offsetof(kg_query_index, id_end) - offsetof(kg_query_index, coarse) ==
                       KG_QUERY_COLUMNS_BY_ID * sizeof(void *),
               "a row for each pointer to a column by id");

static bool reserve(kg_query_index *index, size_t ids)
{
    index->changed_max = KG_QUERY_CHANGES + KG_QUERY_CHANGES_OF_ROOT * (uint32_t)sqrt((double)ids);
    return kg_columns_reserve(&index->memory, index->columns, rows_by_id, KG_QUERY_COLUMNS_BY_ID,
                              index, ids) &&
           KG_RESERVE(&index->memory, &index->columns[KG_QUERY_COLUMN_GROUP], index->group,
                      2 * KG_QUERY_GROUPS, 0) &&
           KG_RESERVE(&index->memory, &index->columns[KG_QUERY_COLUMN_CHANGED], index->changed,
                      index->changed_max, 0);
}

static size_t cell_count(const kg_query_group *g)
{
    return (size_t)(g->cells[0] * g->cells[1] * g->cells[2]);
}

/* Reserve `start` of the groups from `begin` on as one zeroed array; each group gets its part. */
static bool reserve_cells(kg_query_index *index, uint32_t begin, int column)
{
    size_t cells = 0;
    for (uint32_t g = begin; g < index->group_count; ++g) cells += cell_count(&index->group[g]) + 1;
    uint32_t *next;
    if (!KG_RESERVE(&index->memory, &index->columns[column], next, cells, 0)) return false;
    if (cells) memset(next, 0, cells * sizeof *next);
    for (uint32_t g = begin; g < index->group_count; ++g) {
        index->group[g].start = next;
        next += cell_count(&index->group[g]) + 1;
    }
    return true;
}

static int64_t cell_along(const kg_query_group *g, int axis, double x)
{
    double c = (x - g->origin[axis]) * g->inverse[axis], last = (double)(g->cells[axis] - 1);
    c = c < 0 ? 0 : c;
    return (int64_t)(c > last ? last : c);
}

static size_t cell_of(const kg_query_group *g, const kg_bodies *bodies, uint32_t slot)
{
    int64_t x = cell_along(g, 0, bodies->x[0][slot]), y = cell_along(g, 1, bodies->x[1][slot]),
            z = cell_along(g, 2, bodies->x[2][slot]);
    return (size_t)((z * g->cells[1] + y) * g->cells[0] + x);
}

static void write_row(kg_query_index *index, const kg_query_group *g, const kg_bodies *bodies,
                      uint32_t slot, uint32_t row)
{
    kg_exact_sphere exact = kg_query_sphere(bodies, slot);
    kg_coarse_sphere *coarse = &index->coarse[row];
    for (int k = 0; k < 3; ++k) coarse->at[k] = (float)((exact.x[k] - g->origin[k]) * g->unit);
    coarse->radius = (float)(exact.radius * g->unit);
    uint32_t *row_of_id = &index->row_of_id[bodies->id[slot]];
    if (*row_of_id < index->aside_rows && row >= index->aside_rows)
        index->exact[*row_of_id].body = KUGEL_NULL_BODY; /* it came back */
    index->exact[row] = exact;
    *row_of_id = row;
}

/* Sort a group's slots[n] into the rows from `first` on. `start` holds the number of bodies of each
 * cell, then the row after the cell's last one. Each cell is filled from its end, which lowers
 * this row to the cell's first row. */
static void sort_group(kg_query_index *index, kg_query_group *g, const kg_bodies *bodies,
                       const uint32_t *slots, uint32_t n, uint32_t first)
{
    size_t cells = cell_count(g);
    for (uint32_t i = 0; i < n; ++i) g->start[cell_of(g, bodies, slots[i])] += 1;
    uint32_t sum = first;
    for (size_t c = 0; c < cells; ++c) sum += g->start[c], g->start[c] = sum;
    g->start[cells] = sum;
    for (uint32_t i = n; i-- > 0;)
        write_row(index, g, bodies, slots[i], --g->start[cell_of(g, bodies, slots[i])]);
}

/* Add the groups of the slots from `low` to `high`, with rows from `row` on. */
static bool add_part(const kugel_world *world, kg_query_index *index, uint32_t low, uint32_t high,
                     uint32_t row, int column)
{
    uint32_t first[KG_QUERY_GROUPS + 1];
    uint32_t begin = kg_query_split_groups(world, index, low, high, first);
    if (!reserve_cells(index, begin, column)) return false;
    for (uint32_t g = begin; g < index->group_count; ++g) {
        uint32_t from = first[g - begin], to = first[g - begin + 1];
        sort_group(index, &index->group[g], &world->bodies, index->order + from, to - from,
                   row + from);
    }
    return true;
}

static void set_axes(const kugel_world *world, kg_query_index *index)
{
    index->periodic = false;
    for (int k = 0; k < 3; ++k) {
        index->length[k] = kg_periodic_length(world, k);
        index->periodic = index->periodic || index->length[k] > 0;
    }
}

/* True if the part of the bodies aside can stay, also in memory. */
static bool keeps_aside(const kugel_world *world, const kg_query_index *index, size_t rows)
{
    bool keeps = index->aside_rows && index->aside_version == 1 + world->aside.version;
    for (int k = 0; k < KG_QUERY_COLUMNS_BY_ID; ++k)
        keeps = keeps && rows <= index->columns[k].capacity;
    return keeps;
}

static bool build(const kugel_world *world, kg_query_index *index)
{
    uint32_t ids = world->bodies.id_end, present = kg_world_present(world), had = index->id_end;
    size_t rows = (size_t)index->aside_rows + present;
    if (!keeps_aside(world, index, rows < ids ? ids : rows)) {
        index->aside_version = index->aside_rows = index->aside_groups = 0;
        had = 0;
    }
    rows = (size_t)index->aside_rows + present;
    if (!reserve(index, rows < ids ? ids : rows)) return false;
    set_axes(world, index);
    index->changed_count = 0;
    index->id_end = ids;
    if (ids > had) /* KG_NONE */
        memset(index->row_of_id + had, 0xff, (ids - had) * sizeof *index->row_of_id);
    index->group_count = index->aside_groups;
    if (!index->aside_version) {
        if (!add_part(world, index, present, world->bodies.count, 0, KG_QUERY_COLUMN_START))
            return false;
        index->aside_groups = index->group_count;
        index->aside_rows = world->aside.count;
        index->aside_version = 1 + world->aside.version;
    }
    return add_part(world, index, 0, present, index->aside_rows, KG_QUERY_COLUMN_START_PRESENT);
}

bool kg_query_build(const kugel_world *world, kg_query_index *index)
{
    if (build(world, index)) return true;
    /* nothing of it holds */
    index->aside_version = 0;
    index->id_end = index->aside_rows = index->aside_groups = 0;
    return false;
}
