/* malloc with counts and a countdown to a failure. */
#include "support/support_memory.h"

#include <stdlib.h>
#include <string.h>

static bool fails(support_memory *memory)
{
    memory->allocations += 1;
    bool now = memory->fail_at && (memory->fail_on ? memory->allocations >= memory->fail_at
                                                   : memory->allocations == memory->fail_at);
    memory->failures += now;
    return now;
}

static void count(support_memory *memory, int64_t bytes)
{
    memory->bytes += bytes;
    if (memory->bytes > memory->most) memory->most = memory->bytes;
}

static void *memory_allocate(void *user, size_t size)
{
    support_memory *memory = user;
    if (fails(memory)) return NULL;
    count(memory, (int64_t)size);
    void *block = malloc(size);
    return block ? memset(block, 0xcd, size) : NULL; /* detects use of uninitialised memory */
}

static void *memory_reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    support_memory *memory = user;
    if (fails(memory)) return NULL;
    count(memory, (int64_t)new_size - (int64_t)old_size);
    return realloc(block, new_size);
}

static void memory_free(void *user, void *block, size_t size)
{
    support_memory *memory = user;
    if (block) memory->bytes -= (int64_t)size;
    free(block);
}

kugel_allocator support_allocator(support_memory *memory)
{
    return (kugel_allocator){memory_allocate, memory_reallocate, memory_free, memory};
}

void support_memory_arm(support_memory *memory, int others)
{
    memory->fail_at = others < 0 ? 0 : memory->allocations + 1 + (uint64_t)others;
}
