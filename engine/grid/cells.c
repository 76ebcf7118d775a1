#include "grid/lists.h"

#include <string.h>

enum { COLUMN_BLOCKS, COLUMN_TABLE, COLUMN_ANCHOR, COLUMN_ROOM, COLUMN_CELL, COLUMN_NEAR, COLUMN_CHUNKS, COLUMN_ROWS = 9 };

bool kg_grid_reserve_room(kg_memory *memory, kg_grid *grid, size_t bodies, size_t keep)
{
    if (!kg_column_reserve(memory, &grid->columns[COLUMN_ROOM], sizeof *grid->room, bodies, keep)) return false;
    grid->room = grid->columns[COLUMN_ROOM].data;
    return true;
}

bool kg_grid_reserve(kg_memory *memory, kg_grid *grid, size_t bodies)
{
    kg_column *c = grid->columns;
    bool ok = kg_grid_reserve_room(memory, grid, bodies, 0) &&
              kg_column_reserve(memory, &c[COLUMN_ANCHOR], sizeof *grid->anchor, bodies, 0) &&
              kg_column_reserve(memory, &c[COLUMN_CELL], sizeof *grid->cell, bodies, 0) &&
              kg_column_reserve(memory, &c[COLUMN_NEAR], sizeof *grid->near, bodies, 0) &&
              kg_column_reserve(memory, &c[COLUMN_CHUNKS], sizeof *grid->chunks, bodies, 0) &&
              kg_column_reserve(memory, &c[COLUMN_ROWS], sizeof *grid->rows, bodies, 0);
    if (!ok) return false;
    grid->anchor = c[COLUMN_ANCHOR].data;
    grid->cell = c[COLUMN_CELL].data;
    grid->near = c[COLUMN_NEAR].data;
    grid->chunks = c[COLUMN_CHUNKS].data;
    grid->rows = c[COLUMN_ROWS].data;
    return true;
}

void kg_grid_free(kg_memory *memory, kg_grid *grid)
{
    for (size_t k = 0; k < sizeof grid->columns / sizeof *grid->columns; ++k) {
        kg_column_free(memory, &grid->columns[k]);
    }
    kg_dense_free(memory, &grid->dense);
}

/* The table's place of these coordinates: their block's, or the empty one where it belongs. */
static uint32_t place_of(const kg_grid *grid, const int32_t at[3])
{
    uint32_t place = kg_block_hash(at) & grid->table_mask;
    while (grid->table[place]) {
        const kg_block *block = &grid->blocks[grid->table[place] - 1];
        if (block->at[0] == at[0] && block->at[1] == at[1] && block->at[2] == at[2]) break;
        place = (place + 1) & grid->table_mask;
    }
    return place;
}

/* Room for one more block, in the pool and in a table at most half full. */
static bool grow(kg_memory *memory, kg_grid *grid)
{
    size_t need = (size_t)grid->block_count + 1;
    if (!kg_column_reserve(memory, &grid->columns[COLUMN_BLOCKS], sizeof *grid->blocks, need, grid->block_count)) {
        return false;
    }
    grid->blocks = grid->columns[COLUMN_BLOCKS].data;
    if (grid->table && need * 2 <= (size_t)grid->table_mask + 1) return true;
    size_t places = 64;
    while (places < need * 4) places *= 2;
    if (!kg_column_reserve(memory, &grid->columns[COLUMN_TABLE], sizeof *grid->table, places, 0)) return false;
    grid->table = grid->columns[COLUMN_TABLE].data;
    grid->table_mask = (uint32_t)places - 1;
    memset(grid->table, 0, places * sizeof *grid->table);
    for (uint32_t b = 0; b < grid->block_count; ++b) grid->table[place_of(grid, grid->blocks[b].at)] = b + 1;
    return true;
}

void kg_grid_clear_blocks(kg_grid *grid)
{
    grid->block_count = 0;
    if (grid->table) memset(grid->table, 0, ((size_t)grid->table_mask + 1) * sizeof *grid->table);
}

uint32_t kg_grid_find(const kg_grid *grid, const int32_t at[3])
{
    if (!grid->table) return KG_NONE;
    return grid->table[place_of(grid, at)] - 1; /* 0 becomes KG_NONE */
}

uint32_t kg_grid_block(kg_memory *memory, kg_grid *grid, const int32_t at[3])
{
    uint32_t found = kg_grid_find(grid, at);
    if (found != KG_NONE) return found;
    if (!grow(memory, grid)) return KG_NONE;
    kg_block *block = &grid->blocks[grid->block_count];
    memcpy(block->at, at, sizeof block->at);
    block->count = 0;
    memset(block->head, 0xff, sizeof block->head); /* KG_NONE */
    grid->table[place_of(grid, at)] = ++grid->block_count;
    return grid->block_count - 1;
}

bool kg_grid_link(kg_memory *memory, kg_grid *grid, uint32_t slot)
{
    int32_t at[3];
    uint32_t local = kg_block_cell(&grid->lattice, grid->anchor[slot].x, at);
    uint32_t block = kg_grid_block(memory, grid, at);
    if (block == KG_NONE) return false;
    grid->cell[slot] = block * KG_BLOCK_CELLS + local;
    grid->anchor[slot].next = grid->blocks[block].head[local];
    grid->blocks[block].head[local] = slot;
    return true;
}

void kg_grid_unlink(kg_grid *grid, uint32_t slot)
{
    uint32_t cell = grid->cell[slot];
    uint32_t *from = &grid->blocks[cell / KG_BLOCK_CELLS].head[cell % KG_BLOCK_CELLS];
    while (*from != slot) from = &grid->anchor[*from].next;
    *from = grid->anchor[slot].next;
}
