/* For engine/base/scratch.c: arrays stay in place until they are released, a repeated step
 * allocates nothing, and out of memory is a NULL that leaves the stack as it was. */
#include "base/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef struct counter {
    int calls, left; /* allocations made, and those that may succeed */
} counter;

static void *allocate(void *user, size_t size)
{
    counter *c = user;
    c->calls += 1;
    return c->left-- > 0 ? malloc(size) : NULL;
}

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user, (void)old_size;
    return realloc(block, new_size);
}

static void release(void *user, void *block, size_t size)
{
    (void)user, (void)size;
    free(block);
}

static kg_memory memory_of(counter *c)
{
    kg_memory memory;
    const kugel_allocator hooks = {allocate, reallocate, release, c};
    kg_memory_init(&memory, &hooks);
    return memory;
}

/* Takes arrays that outgrow the block below them, and checks that none overlaps another. */
static void run_step(kg_memory *memory, kg_scratch *scratch)
{
    enum { ARRAYS = 8 };
    unsigned char *array[ARRAYS];
    kg_scratch_mark mark = kg_scratch_top(scratch);
    for (int k = 0; k < ARRAYS; ++k) {
        array[k] = kg_scratch_take(memory, scratch, 10, 100u << k);
        cr_assert(array[k]);
        cr_assert_eq((uintptr_t)array[k] % 64, 0);
        memset(array[k], k, 1000u << k);
    }
    for (int k = 0; k < ARRAYS; ++k)
        cr_assert(array[k][0] == k && array[k][(1000u << k) - 1] == k, "array %d", k);
    kg_scratch_release(memory, scratch, mark);
}

Test(scratch, arrays_stay_in_place_and_the_third_step_allocates_nothing)
{
    counter c = {0, 1000};
    kg_memory memory = memory_of(&c);
    kg_scratch scratch = {0};
    run_step(&memory, &scratch);
    run_step(&memory, &scratch);
    int calls = c.calls;
    run_step(&memory, &scratch);
    cr_assert_eq(c.calls, calls);
    kg_scratch_free(&memory, &scratch);
    cr_assert_eq(memory.used, 0);
}

Test(scratch, a_released_mark_gives_its_memory_to_the_next_array)
{
    counter c = {0, 1000};
    kg_memory memory = memory_of(&c);
    kg_scratch scratch = {0};
    run_step(&memory, &scratch);
    cr_assert(kg_scratch_take(&memory, &scratch, 1, 1));
    kg_scratch_mark mark = kg_scratch_top(&scratch);
    void *first = kg_scratch_take(&memory, &scratch, 8, 10);
    kg_scratch_release(&memory, &scratch, mark);
    cr_assert_eq(kg_scratch_take(&memory, &scratch, 4, 3), first);
    kg_scratch_free(&memory, &scratch);
}

Test(scratch, out_of_memory_and_overflow_are_null)
{
    counter c = {0, 1};
    kg_memory memory = memory_of(&c);
    kg_scratch scratch = {0};
    cr_assert(!kg_scratch_take(&memory, &scratch, 8, SIZE_MAX / 4));
    cr_assert(kg_scratch_take(&memory, &scratch, 8, 0));
    kg_scratch_mark mark = kg_scratch_top(&scratch);
    cr_assert(!kg_scratch_take(&memory, &scratch, 8, 10000));
    cr_assert(mark.block == scratch.top.block && mark.used == scratch.top.used);
    kg_scratch_free(&memory, &scratch);
    cr_assert_eq(memory.used, 0);
}
