/* Memory of a subdomain: a bump allocator over one block, since tasks may not call the host's
 * allocator. Freed memory is not reused. Only between windows a larger block may replace the block,
 * which empties the arena. */
#include "impact/subdomain_data.h"

static void *arena_allocate(void *user, size_t size)
{
    kg_arena *arena = user;
    size = (size + KG_CACHE_LINE - 1) & ~(size_t)(KG_CACHE_LINE - 1);
    if (size > arena->size - arena->used) {
        arena->out_of_space = true;
        return NULL;
    }
    arena->used += size;
    return arena->base + arena->used - size;
}

static void arena_free(void *user, void *block, size_t size)
{
    (void)user, (void)block, (void)size;
}

kugel_allocator kg_arena_allocator(kg_arena *arena)
{
    return (kugel_allocator){.allocate = arena_allocate, .free = arena_free, .user = arena};
}

bool kg_arena_reserve(kg_memory *memory, kg_subdomain *subdomain, uint32_t bodies,
                      uint32_t arena_scale)
{
    enum { BYTES_A_BODY = 256, BYTES = 1 << 16 };
    size_t size = ((size_t)bodies * BYTES_A_BODY + BYTES) * arena_scale;
    kg_arena *arena = &subdomain->arena;
    if (size <= arena->size && !arena->out_of_space) return true;
    kg_free(memory, arena->base, arena->size);
    *arena = (kg_arena){0};
    subdomain->stage = (kg_impact_stage){.pushed = bodies / 2};
    subdomain->events = (kg_event_log){0};
    size += size / 4;
    arena->base = kg_allocate(memory, size);
    arena->size = arena->base ? size : 0;
    return arena->base;
}
