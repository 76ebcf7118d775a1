/* Scratch memory (scratch.h): several blocks while a step needs more than steps before, then
 * one. */
#include "base/scratch.h"

#include "base/constants.h"

/* Bytes of an array, rounded up to at least one cache line; 0 on overflow. */
static size_t padded_size(size_t item, size_t count)
{
    if (count > (SIZE_MAX / 4 - KG_CACHE_LINE) / item) return 0;
    size_t lines = (item * count + KG_CACHE_LINE - 1) / KG_CACHE_LINE;
    return (lines ? lines : 1) * KG_CACHE_LINE;
}

void *kg_scratch_take(kg_memory *memory, kg_scratch *scratch, size_t item, size_t count)
{
    size_t size = padded_size(item, count);
    kg_scratch_mark top = scratch->top;
    if (size == 0) return NULL;
    /* a block in use cannot grow, since its arrays would move: the next block is used */
    if (top.used && scratch->blocks[top.block].capacity - top.used < size)
        top = (kg_scratch_mark){top.block + 1, 0};
    if (top.block == KG_SCRATCH_BLOCKS) return NULL;
    kg_column *block = &scratch->blocks[top.block];
    size_t capacity = top.block == 0 && size < scratch->wanted ? scratch->wanted : size;
    if (top.used == 0 && !kg_column_reserve(memory, block, 1, capacity, 0)) return NULL;
    scratch->top = (kg_scratch_mark){top.block, top.used + size};
    return (char *)block->data + top.used;
}

void kg_scratch_release(kg_memory *memory, kg_scratch *scratch, kg_scratch_mark mark)
{
    scratch->top = mark;
    bool several = scratch->blocks[1].capacity;
    if (mark.block || mark.used || !several) return;
    /* replace the blocks: the next array allocates one block, a quarter larger than all together */
    size_t size = 0;
    for (int k = 0; k < KG_SCRATCH_BLOCKS; ++k) size += scratch->blocks[k].capacity;
    kg_columns_free(memory, scratch->blocks, KG_SCRATCH_BLOCKS);
    scratch->wanted = size + size / 4;
}

void kg_scratch_free(kg_memory *memory, kg_scratch *scratch)
{
    kg_columns_free(memory, scratch->blocks, KG_SCRATCH_BLOCKS);
    *scratch = (kg_scratch){0};
}
