/* malloc with a count of the bytes in use. */
#include "bounded_memory.h"

#include <stdlib.h>

static void *take(void *user, size_t size)
{
    size_t *used = user;
    if (size > BOUNDED_MEMORY_LIMIT - *used) return NULL;
    void *block = malloc(size);
    if (block) *used += size;
    return block;
}

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    size_t *used = user;
    if (new_size > old_size && new_size - old_size > BOUNDED_MEMORY_LIMIT - *used) return NULL;
    void *moved = realloc(block, new_size);
    if (moved) *used = *used - old_size + new_size;
    return moved;
}

static void give_back(void *user, void *block, size_t size)
{
    size_t *used = user;
    if (block) *used -= size;
    free(block);
}

kugel_allocator bounded_memory_hooks(size_t *used)
{
    return (kugel_allocator){take, resize, give_back, used};
}
