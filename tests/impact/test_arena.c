/* The memory of a subdomain: aligned blocks that do not overlap, from one block that grows between
 * windows only. */
#include <criterion/criterion.h>
#include <string.h>

#include "impact/subdomain_data.h"
#include "support/support_random.h"

typedef struct fixture {
    kg_memory memory;
    kg_subdomain *subdomain;
} fixture;

static fixture begin(void)
{
    fixture f;
    kg_memory_init(&f.memory, &(kugel_allocator){0});
    f.subdomain = kg_allocate(&f.memory, sizeof *f.subdomain);
    memset(f.subdomain, 0, sizeof *f.subdomain);
    return f;
}

static void end(fixture *f)
{
    kg_free(&f->memory, f->subdomain->arena.base, f->subdomain->arena.size);
    kg_free(&f->memory, f->subdomain, sizeof *f->subdomain);
    cr_assert_eq(f->memory.used, 0, "%zu bytes are left", f->memory.used);
}

/* Blocks of random sizes, each filled with its number: all keep theirs until the arena is full. */
Test(arena, blocks_do_not_overlap)
{
    enum { MOST = 4096 };
    support_random random = support_random_start("arena", 1);
    fixture f = begin();
    kg_arena *arena = &f.subdomain->arena;
    cr_assert(kg_arena_reserve(&f.memory, f.subdomain, 2000, 1));
    kugel_allocator hooks = kg_arena_allocator(arena);
    unsigned char *block[MOST];
    size_t size[MOST], count = 0;
    for (;; ++count) {
        cr_assert_lt(count, MOST, "the arena is never full");
        size[count] = 1 + support_below(&random, 1000);
        block[count] = hooks.allocate(hooks.user, size[count]);
        if (!block[count]) break;
        cr_assert_eq((uintptr_t)block[count] % KG_CACHE_LINE,
                     (uintptr_t)arena->base % KG_CACHE_LINE);
        memset(block[count], (int)(count % 251), size[count]);
    }
    cr_assert(count > 100 && arena->out_of_space && arena->used <= arena->size);
    for (size_t k = 0; k < count; ++k) {
        for (size_t b = 0; b < size[k]; ++b) cr_assert_eq(block[k][b], k % 251, "block %zu", k);
    }
    end(&f);
}

/* What is freed stays used until the next window. */
Test(arena, frees_nothing)
{
    fixture f = begin();
    cr_assert(kg_arena_reserve(&f.memory, f.subdomain, 1, 1));
    kugel_allocator hooks = kg_arena_allocator(&f.subdomain->arena);
    unsigned char *first = hooks.allocate(hooks.user, 100);
    size_t used = f.subdomain->arena.used;
    hooks.free(hooks.user, first, 100);
    cr_assert_eq(f.subdomain->arena.used, used);
    cr_assert_geq((unsigned char *)hooks.allocate(hooks.user, 1), first + 100);
    end(&f);
}

/* A block that is large enough stays; after an allocation that failed, or for more bodies, it is
 * replaced, and the queue and the events in it are forgotten. */
Test(arena, grows_between_windows)
{
    fixture f = begin();
    kg_arena *arena = &f.subdomain->arena;
    cr_assert(kg_arena_reserve(&f.memory, f.subdomain, 1000, 1));
    unsigned char *base = arena->base;
    size_t size = arena->size;
    arena->used = 64;
    f.subdomain->events.pending.impact_count = 7;
    cr_assert(kg_arena_reserve(&f.memory, f.subdomain, 900, 1));
    cr_assert(arena->base == base && arena->size == size && arena->used == 64);
    arena->out_of_space = true;
    cr_assert(kg_arena_reserve(&f.memory, f.subdomain, 1000, 2));
    cr_assert(arena->size >= 2 * (size - size / 4) && arena->used == 0 && !arena->out_of_space);
    cr_assert_eq(f.subdomain->events.pending.impact_count, 0);
    size = arena->size;
    cr_assert(kg_arena_reserve(&f.memory, f.subdomain, 10000, 2));
    cr_assert_gt(arena->size, 3 * size);
    end(&f);
}
