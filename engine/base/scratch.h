/* Scratch memory: a stack of temporary arrays within a step. Use: get a mark, take arrays, release
 * the mark. Arrays stay in place until their release. One thread takes arrays; tasks may use them.
 * Cost: a few operations. A step that needs more than before adds blocks; the next such step
 * allocates one block that is large enough, and later steps allocate nothing. */
#ifndef KG_BASE_SCRATCH_H
#define KG_BASE_SCRATCH_H

#include "base/memory.h"

/* Maximum number of blocks: more than the arrays in use at one time. */
enum { KG_SCRATCH_BLOCKS = 32 };

/* Position in the stack: the blocks below `block`, and the first `used` bytes of it, are in use. */
typedef struct kg_scratch_mark {
    uint32_t block;
    size_t used;
} kg_scratch_mark;

typedef struct kg_scratch {
    kg_column blocks[KG_SCRATCH_BLOCKS]; /* items are bytes */
    kg_scratch_mark top;
    size_t wanted; /* minimum capacity of the first block when it is allocated, bytes */
} kg_scratch;

/* The present position, for a later release. */
static inline kg_scratch_mark kg_scratch_top(const kg_scratch *scratch) { return scratch->top; }
/* Take `count` items of `item` bytes, aligned to 64 bytes, uninitialised. NULL when out of
 * memory. */
void *kg_scratch_take(kg_memory *memory, kg_scratch *scratch, size_t item, size_t count);
/* Release all arrays that were taken since the mark. */
void kg_scratch_release(kg_memory *memory, kg_scratch *scratch, kg_scratch_mark mark);
void kg_scratch_free(kg_memory *memory, kg_scratch *scratch);

#endif
