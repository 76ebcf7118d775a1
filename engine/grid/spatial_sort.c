/* Sorts the bodies' columns by space, so that neighbours are near in memory. Order: by block (z, y,
 * x), then by cell in the block. Affects speed only. */
#include "base/compiler.h"
#include "base/sort.h"
#include "base/tasks.h"
#include "grid/grid.h"

/* List rebuilds until the next sort. By then bodies have moved a cell or two; half or twice as many
 * make no measurable difference. */
enum { REBUILDS_BETWEEN_SORTS = 6 };
enum { RANGE = 4096 }; /* slots of a task range */

static uint64_t spatial_key(const int32_t low[3], const int32_t cell[3])
{
    uint64_t blocks = 0, local = 0;
    for (int axis = 2; axis >= 0; --axis) {
        uint32_t c = (uint32_t)cell[axis] - (uint32_t)low[axis];
        blocks =
            blocks << 19 | (c >> KG_BLOCK_SHIFT & 0x7ffffu); /* blocks 2^19 apart share a key */
        local = local << KG_BLOCK_SHIFT | (c & (KG_BLOCK_EDGE - 1));
    }
    return blocks << 6 | local;
}

/* Scratch memory is the motion column, 64 bytes a body, which is free between steps. It holds keys,
 * order and scratch for the sort; then the order and scratch for COLUMNS_AT_ONCE columns. */
enum { COLUMNS_AT_ONCE = 7 };
typedef struct sorting {
    kugel_world *world;
    kg_lattice lattice;
    int32_t low[3];
    uint64_t *keys, *key_scratch;
    uint32_t *order, *order_scratch;
    void *scratch[COLUMNS_AT_ONCE];
    int column; /* first column of this pass */
} sorting;

static bool assign_scratch(sorting *s)
{
    size_t n = s->world->bodies.count;
    s->keys = kg_work_lend(&s->world->memory, &s->world->work, (COLUMNS_AT_ONCE + 1) * n);
    if (!s->keys) return false;
    s->key_scratch = s->keys + n;
    s->order = (uint32_t *)(void *)(s->key_scratch + n);
    s->order_scratch = s->order + n;
    s->scratch[0] = s->keys, s->scratch[1] = s->key_scratch;
    for (size_t k = 2; k < COLUMNS_AT_ONCE; ++k) s->scratch[k] = s->keys + (k + 1) * n;
    return true;
}

static void atomic_minimum(int32_t *low, int32_t x)
{
    int32_t old = KG_ATOMIC_LOAD(low);
    while (x < old && !KG_ATOMIC_REPLACE(low, &old, x)) {}
}

/* Lowest cell of all bodies along each axis, rounded down to the first cell of a block. */
static void find_lowest_cell(void *context, uint32_t index)
{
    sorting *s = context;
    const kg_bodies *bodies = &s->world->bodies;
    uint32_t from = index * RANGE, to = kg_range_end(index, RANGE, bodies->count);
    for (int axis = 0; axis < 3; ++axis) {
        int32_t low = INT32_MAX;
        for (uint32_t i = from; i < to; ++i) {
            int32_t c = kg_lattice_cell(&s->lattice, axis, bodies->x[axis][i]);
            low = c < low ? c : low;
        }
        atomic_minimum(&s->low[axis], low & ~(KG_BLOCK_EDGE - 1));
    }
}

static void make_keys(void *context, uint32_t index)
{
    const sorting *s = context;
    const kg_bodies *bodies = &s->world->bodies;
    uint32_t from = index * RANGE, to = kg_range_end(index, RANGE, bodies->count);
    for (uint32_t i = from; i < to; ++i) {
        int32_t cell[3];
        for (int axis = 0; axis < 3; ++axis)
            cell[axis] = kg_lattice_cell(&s->lattice, axis, bodies->x[axis][i]);
        s->keys[i] = spatial_key(s->low, cell);
        s->order[i] = i;
    }
}

static void permute_column(void *context, uint32_t index)
{
    const sorting *s = context;
    kg_bodies_permute_column(&s->world->bodies, s->column + (int)index, s->order,
                             s->scratch[index]);
}

static void set_slots(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    (void)unused;
    kg_bodies_set_slots(&world->bodies, from, to);
}

static void permute(sorting *s)
{
    for (s->column = 0; s->column < KG_BODY_COLUMNS; s->column += COLUMNS_AT_ONCE) {
        int left = KG_BODY_COLUMNS - s->column;
        kg_for_ranges(s->world, (uint32_t)(left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE),
                      permute_column, s);
    }
    kg_for_bodies(s->world, set_slots, 0);
}

bool kg_grid_sort_bodies(kugel_world *world)
{
    kg_grid *grid = world->grid;
    const kg_bodies *bodies = &world->bodies;
    uint32_t n = bodies->count, ranges = (n + RANGE - 1) / RANGE;
    bool order_lost = grid->rebuilds_since_sort >= REBUILDS_BETWEEN_SORTS ||
                      (uint64_t)grid->body_count * 5 / 4 < n;
    if (!order_lost || n < 2) return true;
    sorting s = {.world = world, .low = {INT32_MAX, INT32_MAX, INT32_MAX}};
    s.lattice = kg_lattice_make(&world->def.bounds, grid->usual_reach > 0
                                                        ? grid->usual_reach
                                                        : 3 * kg_bodies_radii(bodies).largest);
    if (!assign_scratch(&s)) return false;
    kg_for_ranges(world, ranges, find_lowest_cell, &s);
    kg_for_ranges(world, ranges, make_keys, &s);
    kg_sort_u64(s.keys, s.order, s.key_scratch, s.order_scratch, n);
    permute(&s);
    grid->rebuilds_since_sort = 0;
    grid->body_count = n;
    grid->valid = false;
    return true;
}
