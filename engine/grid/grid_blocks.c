/* Blocks of the grid: a hash table from coordinates to blocks, and the bodies linked in cells. Also
 * reserves all columns of the grid. */
#include "grid/neighbour_lists.h"

#include <string.h>

/* The columns by slot: at least one row for each body. */
static const kg_column_row rows_by_slot[] = {
    KG_COLUMN_ROW(kg_grid, nodes),
    KG_COLUMN_ROW(kg_grid, origin),
    KG_COLUMN_ROW(kg_grid, cell),
    KG_COLUMN_ROW(kg_grid, near_boundaries),
};
_Static_assert(sizeof rows_by_slot == KG_GRID_COLUMNS_BY_SLOT * sizeof *rows_by_slot,
               "a row for each column by slot");

bool kg_grid_reserve_clearance(kg_memory *memory, kg_grid *grid, size_t bodies, size_t keep)
{
    return KG_RESERVE(memory, &grid->columns[KG_GRID_COLUMN_CLEARANCE], grid->clearance, bodies,
                      keep);
}

bool kg_grid_reserve(kg_memory *memory, kg_grid *grid, size_t bodies)
{
    return kg_grid_reserve_clearance(memory, grid, bodies, 0) &&
           kg_columns_reserve(memory, grid->columns, rows_by_slot, KG_GRID_COLUMNS_BY_SLOT, grid,
                              bodies);
}

void kg_grid_free(kg_memory *memory, kg_grid *grid)
{
    kg_columns_free(memory, grid->columns, KG_GRID_COLUMNS);
    kg_cell_lists_free(memory, &grid->cell_lists);
}

/* Place in the table of the block of a level at these coordinates, or the free place for it. */
static uint32_t table_place(const kg_grid *grid, uint32_t level, const int32_t at[3])
{
    uint32_t place = kg_block_hash(level, at) & grid->table_mask;
    while (grid->table[place]) {
        const kg_block *block = &grid->blocks[grid->table[place] - 1];
        if (block->level == level && block->at[0] == at[0] && block->at[1] == at[1] &&
            block->at[2] == at[2])
            break;
        place = (place + 1) & grid->table_mask;
    }
    return place;
}

/* Reserve one more block; the table stays at most half full. */
static bool reserve_block(kg_memory *memory, kg_grid *grid)
{
    size_t need = (size_t)grid->block_count + 1;
    if (!KG_RESERVE(memory, &grid->columns[KG_GRID_COLUMN_BLOCKS], grid->blocks, need,
                    grid->block_count))
        return false;
    if (grid->table && need * 2 <= (size_t)grid->table_mask + 1) return true;
    size_t places = 64;
    while (places < need * 4) places *= 2;
    if (!KG_RESERVE(memory, &grid->columns[KG_GRID_COLUMN_TABLE], grid->table, places, 0))
        return false;
    grid->table_mask = (uint32_t)places - 1;
    memset(grid->table, 0, places * sizeof *grid->table);
    for (uint32_t b = 0; b < grid->block_count; ++b)
        grid->table[table_place(grid, grid->blocks[b].level, grid->blocks[b].at)] = b + 1;
    return true;
}

static void clear_blocks(kg_grid *grid)
{
    grid->block_count = 0;
    if (grid->table) memset(grid->table, 0, ((size_t)grid->table_mask + 1) * sizeof *grid->table);
}

uint32_t kg_grid_find_block(const kg_grid *grid, uint32_t level, const int32_t at[3])
{
    if (!grid->table) return KG_NONE;
    return grid->table[table_place(grid, level, at)] - 1; /* 0 becomes KG_NONE */
}

/* The block of a level at these coordinates, made if missing; KG_NONE when out of memory. */
static uint32_t find_or_add_block(kg_memory *memory, kg_grid *grid, uint32_t level,
                                  const int32_t at[3])
{
    uint32_t found = kg_grid_find_block(grid, level, at);
    if (found != KG_NONE) return found;
    if (!reserve_block(memory, grid)) return KG_NONE;
    kg_block *block = &grid->blocks[grid->block_count];
    memcpy(block->at, at, sizeof block->at);
    block->level = (uint16_t)level;
    block->lacks_halo = false;
    memset(block->head, 0xff, sizeof block->head); /* KG_NONE */
    grid->table[table_place(grid, level, at)] = ++grid->block_count;
    return grid->block_count - 1;
}

bool kg_grid_link_body(kg_memory *memory, kg_grid *grid, uint32_t slot)
{
    int32_t at[3];
    uint32_t level = kg_level_of(grid, slot),
             local = kg_block_locate(&grid->lattice[level], grid->origin[slot].x, at),
             block = find_or_add_block(memory, grid, level, at);
    if (block == KG_NONE) return false;
    grid->cell[slot] = block * KG_BLOCK_CELLS + local;
    grid->origin[slot].next = grid->blocks[block].head[local];
    grid->blocks[block].head[local] = slot;
    return true;
}

void kg_grid_unlink_body(kg_grid *grid, uint32_t slot)
{
    uint32_t cell = grid->cell[slot];
    uint32_t *from = &grid->blocks[cell / KG_BLOCK_CELLS].head[cell % KG_BLOCK_CELLS];
    while (*from != slot) from = &grid->origin[*from].next;
    *from = grid->origin[slot].next;
}

bool kg_grid_fill_cells(kugel_world *world)
{
    clear_blocks(world->grid);
    for (uint32_t i = world->bodies.count; i-- > 0;) {
        if (!kg_grid_link_body(&world->memory, world->grid, i)) return false;
    }
    return true;
}

void kg_grid_find_cells_around(const kg_grid *grid, uint32_t level, const double x[3],
                               kg_cells_around *out)
{
    const kg_lattice *lattice = &grid->lattice[level];
    kg_axis_cell cells[3][3];
    for (int axis = 0; axis < 3; ++axis) {
        int32_t cell = kg_lattice_cell(lattice, axis, x[axis]);
        for (int d = 0; d < 3; ++d)
            cells[axis][d] = kg_lattice_axis_cell(lattice, axis, cell + d - 1);
    }
    /* coordinates of `block`; most cells are in the block of the cell before */
    int32_t at[3] = {INT32_MAX, 0, 0};
    uint32_t block = KG_NONE;
    out->count = 0;
    for (const kg_axis_cell *z = cells[2]; z < cells[2] + 3; ++z) {
        for (const kg_axis_cell *y = cells[1]; y < cells[1] + 3; ++y) {
            for (const kg_axis_cell *c = cells[0]; c < cells[0] + 3; ++c) {
                if (c->block != at[0] || y->block != at[1] || z->block != at[2]) {
                    at[0] = c->block, at[1] = y->block, at[2] = z->block;
                    block = kg_grid_find_block(grid, level, at);
                }
                if (block == KG_NONE) continue;
                uint32_t head = grid->blocks[block].head[c->local | y->local | z->local];
                if (head == KG_NONE) continue;
                out->head[out->count] = head;
                out->image[out->count++] = c->image + y->image + z->image;
            }
        }
    }
}
