/* Allocation through the world's allocator, with a count of the bytes in use (memory.h). */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "base/constants.h"

/* The allocator without hooks. It requests large pages for large blocks, which reduces TLB misses
 * of random accesses. */
static void *host_allocate(void *user, size_t size)
{
    (void)user;
#ifdef MADV_HUGEPAGE
    void *block;
    if (size >= KG_LARGE_PAGE) {
        if (posix_memalign(&block, KG_LARGE_PAGE, size)) return NULL;
        madvise(block, size, MADV_HUGEPAGE); /* an error leaves small pages */
        return block;
    }
#endif
    return malloc(size);
}

static void *host_reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user, (void)old_size;
    return realloc(block, new_size);
}

static void host_free(void *user, void *block, size_t size)
{
    (void)user, (void)size;
    free(block);
}

void kg_memory_init(kg_memory *memory, const kugel_allocator *hooks)
{
    *memory = (kg_memory){.hooks = *hooks};
    if (!hooks->allocate)
        memory->hooks = (kugel_allocator){host_allocate, host_reallocate, host_free, NULL};
}

static size_t clamped(uint64_t bytes) { return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX; }

void kg_memory_limit(kg_memory *memory, uint64_t bytes, size_t size)
{
    uint64_t added = KG_INPUT_MEMORY + KG_INPUT_MEMORY_PER_BYTE * (uint64_t)size;
    memory->limit = clamped(bytes ? bytes : memory->used + added);
}

bool kg_memory_has_room(kg_memory *memory, uint64_t bytes)
{
    size_t room = memory->used < memory->limit ? memory->limit - memory->used : 0;
    if (!memory->limit || bytes <= room) return true;
    memory->refused = clamped(bytes);
    memory->refused_beside = memory->used;
    return false;
}

void *kg_allocate(kg_memory *memory, size_t size)
{
    if (!kg_memory_has_room(memory, size)) return NULL;
    void *block = memory->hooks.allocate(memory->hooks.user, size);
    if (block) memory->used += size;
    return block;
}

void *kg_allocate_zeroed(kg_memory *memory, size_t size)
{
    void *block = kg_allocate(memory, size);
    if (block) memset(block, 0, size);
    return block;
}

void kg_free(kg_memory *memory, void *block, size_t size)
{
    if (!block) return;
    memory->hooks.free(memory->hooks.user, block, size);
    memory->used -= size;
}

bool kg_column_reserve_exact(kg_memory *memory, kg_column *column, size_t item, size_t capacity,
                             size_t keep)
{
    if (capacity <= column->capacity) return true;
    if (capacity > (SIZE_MAX - KG_CACHE_LINE) / item) return false;
    size_t size = capacity * item + KG_CACHE_LINE;
    void *block = kg_allocate(memory, size);
    if (!block) return false;
    uintptr_t start = ((uintptr_t)block + KG_CACHE_LINE - 1) & ~(uintptr_t)(KG_CACHE_LINE - 1);
    if (keep) memcpy((void *)start, column->data, keep * item);
    kg_free(memory, column->block, column->size);
    *column = (kg_column){(void *)start, block, size, capacity};
    return true;
}

/* Capacity of a column that must grow to at least `capacity` items. */
static size_t grown(const kg_memory *memory, const kg_column *column, size_t capacity)
{
    size_t least = column->capacity + column->capacity / (memory->is_tight ? 32 : 4);
    return capacity > least ? capacity : least;
}

bool kg_column_grow(kg_memory *memory, kg_column *column, size_t item, size_t capacity, size_t keep)
{
    return kg_column_reserve_exact(memory, column, item, grown(memory, column, capacity), keep);
}

bool kg_column_renew(kg_memory *memory, kg_column *column, size_t item, size_t capacity)
{
    if (capacity <= column->capacity) return true;
    capacity = grown(memory, column, capacity);
    kg_column_free(memory, column);
    return kg_column_reserve_exact(memory, column, item, capacity, 0);
}

void kg_column_free(kg_memory *memory, kg_column *column)
{
    kg_free(memory, column->block, column->size);
    *column = (kg_column){0};
}

bool kg_columns_reserve(kg_memory *memory, kg_column *columns, const kg_column_row *rows, int count,
                        void *owner, size_t n)
{
    for (int k = 0; k < count; ++k) {
        if (!kg_column_reserve(memory, &columns[k], rows[k].item, n, 0)) return false;
        memcpy((char *)owner + rows[k].pointer, &columns[k].data, sizeof columns[k].data);
    }
    return true;
}

void kg_columns_free(kg_memory *memory, kg_column *columns, int count)
{
    for (int k = 0; k < count; ++k) kg_column_free(memory, &columns[k]);
}
