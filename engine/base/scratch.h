/* Scratch memory: a stack of temporary arrays within a step. Mark, take arrays, release the mark;
 * arrays stay in place until then. One thread takes; tasks may use what was taken.
 * Cost: a few operations. After the first step of a kind, the next allocates one block that is
 * large enough; later steps allocate nothing. */
#ifndef KG_BASE_SCRATCH_H
#define KG_BASE_SCRATCH_H

#include "base/memory.h"

/* More than the arrays that are in use at one time. */
enum { KG_SCRATCH_BLOCKS = 32 };

/* Position in the stack: `used` bytes of block `block`, and all blocks below. */
typedef struct kg_scratch_mark {
    uint32_t block;
    size_t used;
} kg_scratch_mark;

typedef struct kg_scratch {
    kg_column blocks[KG_SCRATCH_BLOCKS]; /* items are bytes */
    kg_scratch_mark top;
    size_t wanted; /* least capacity of the first block, bytes */
} kg_scratch;

static inline kg_scratch_mark kg_scratch_top(const kg_scratch *scratch) { return scratch->top; }
/* `count` items of `item` bytes, aligned to 64 bytes, uninitialised; NULL when out of memory. */
void *kg_scratch_take(kg_memory *memory, kg_scratch *scratch, size_t item, size_t count);
/* Release all arrays that were taken since the mark. */
void kg_scratch_release(kg_memory *memory, kg_scratch *scratch, kg_scratch_mark mark);
void kg_scratch_free(kg_memory *memory, kg_scratch *scratch);

#endif
