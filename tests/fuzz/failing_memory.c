/* malloc with the size in front of a block, patterns in new and freed memory, and a countdown to a
 * failure. */
#include "failing_memory.h"

#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { HEADER = 16 }; /* keeps the alignment of malloc */

static bool fails(failing_memory *memory)
{
    memory->calls += 1;
    bool now = memory->fail_at && (memory->fail_on ? memory->calls >= memory->fail_at
                                                   : memory->calls == memory->fail_at);
    memory->failures += now;
    return now;
}

static void *take(void *user, size_t size)
{
    failing_memory *memory = user;
    if (fails(memory)) return NULL;
    FUZZ_CHECK(size < (size_t)1 << 28, "a small world asks for %zu bytes", size);
    uint8_t *block = malloc(HEADER + size);
    if (!block) abort();
    memcpy(block, &size, sizeof size);
    memset(block + HEADER, 0xa5, size);
    memory->blocks += 1, memory->bytes += size;
    return block + HEADER;
}

static void give_back(void *user, void *block, size_t size)
{
    failing_memory *memory = user;
    if (!block) return;
    uint8_t *start = (uint8_t *)block - HEADER;
    size_t real;
    memcpy(&real, start, sizeof real);
    FUZZ_CHECK(real == size, "a block of %zu bytes is freed as %zu", real, size);
    memory->blocks -= 1, memory->bytes -= real;
    memset(block, 0x5a, real);
    free(start);
}

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    void *moved = take(user, new_size);
    if (!moved || !block) return moved;
    memcpy(moved, block, old_size < new_size ? old_size : new_size);
    give_back(user, block, old_size);
    return moved;
}

kugel_allocator failing_memory_hooks(failing_memory *memory)
{
    return (kugel_allocator){take, resize, give_back, memory};
}

void failing_memory_arm(failing_memory *memory, uint32_t nth, bool fail_on)
{
    memory->fail_at = memory->calls + nth;
    memory->fail_on = fail_on;
}

void failing_memory_disarm(failing_memory *memory) { memory->fail_at = 0; }
