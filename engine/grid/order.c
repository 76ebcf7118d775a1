/* Spatial order of the columns: neighbours in space become neighbours in memory.
 * Order: by block (z, y, x), then by cell in the block. Purely a matter of speed. */
#include "base/sort.h"
#include "grid/grid.h"

/* Rebuilds after which the columns are sorted again: bodies have moved a few cells by then. */
enum { REBUILDS_BETWEEN = 12 };

static uint64_t spatial_key(const int32_t low[3], const int32_t cell[3])
{
    uint64_t blocks = 0, local = 0;
    for (int axis = 2; axis >= 0; --axis) {
        uint32_t c = (uint32_t)cell[axis] - (uint32_t)low[axis];
        blocks = blocks << 19 | (c >> KG_BLOCK_SHIFT & 0x7ffffu); /* far blocks may share a key: only slower */
        local = local << KG_BLOCK_SHIFT | (c & (KG_BLOCK_EDGE - 1));
    }
    return blocks << 6 | local;
}

static void lowest_cell(const kg_lattice *lattice, const kg_bodies *bodies, int32_t low[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = INT32_MAX;
        for (uint32_t i = 0; i < bodies->count; ++i) {
            int32_t c = kg_lattice_cell(lattice, axis, bodies->x[axis][i]);
            low[axis] = c < low[axis] ? c : low[axis];
        }
        low[axis] &= ~(KG_BLOCK_EDGE - 1);
    }
}

bool kg_grid_sort_bodies(kugel_world *world)
{
    kg_grid *grid = world->grid;
    kg_bodies *bodies = &world->bodies;
    size_t n = bodies->count;
    bool lost = grid->unsorted >= REBUILDS_BETWEEN || grid->body_count * 5 / 4 < n;
    if (!lost || n < 2) return true;
    if (!kg_work_reserve(&world->memory, &world->work, n, false)) return false;

    double edge = grid->reach > 0 ? grid->reach : 3 * kg_bodies_largest_radius(bodies);
    kg_lattice lattice = kg_lattice_make(&world->def.bounds, edge);
    /* between steps the motion column (64 bytes a body) is free to be scratch */
    uint64_t *keys = (uint64_t *)(void *)world->work.motion, *key_scratch = keys + n;
    uint32_t *order = (uint32_t *)(void *)(key_scratch + n), *order_scratch = order + n;
    int32_t low[3];
    lowest_cell(&lattice, bodies, low);
    for (uint32_t i = 0; i < n; ++i) {
        int32_t cell[3];
        for (int axis = 0; axis < 3; ++axis) cell[axis] = kg_lattice_cell(&lattice, axis, bodies->x[axis][i]);
        keys[i] = spatial_key(low, cell);
        order[i] = i;
    }
    kg_sort_u64(keys, order, key_scratch, order_scratch, n);
    kg_bodies_permute(bodies, order, keys);
    grid->unsorted = 0;
    grid->body_count = (uint32_t)n;
    grid->valid = false;
    return true;
}
