/* A pool that cannot be made is an error value with everything undone: at each allocation and at
 * each thread of its creation in turn. Also: the library's pool really works on more than one
 * thread. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/tasks.h"
#include "support/support_sanitized.h"

/* Sanitizers put their own pthread_create in place; ours would hide it. */
#define OWN_PTHREAD_CREATE (!SUPPORT_SANITIZED)

static int allocations_left;
static size_t held;

static void *scarce_allocate(void *user, size_t size)
{
    (void)user;
    if (allocations_left-- <= 0) return NULL;
    held += size;
    return malloc(size);
}

static void *no_reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user, (void)block, (void)old_size, (void)new_size;
    return NULL;
}

static void scarce_free(void *user, void *block, size_t size)
{
    (void)user;
    held -= size;
    free(block);
}

static kugel_status create(int allocations, uint32_t threads, kg_memory *memory, kg_tasks **tasks)
{
    const kugel_allocator hooks = {scarce_allocate, no_reallocate, scarce_free, NULL};
    allocations_left = allocations;
    held = 0;
    kg_memory_init(memory, &hooks);
    *tasks = (kg_tasks *)1;
    return kg_tasks_create(memory, &(kugel_tasks){.threads = threads}, tasks);
}

Test(tasks_failures, each_allocation_in_turn)
{
    kg_memory memory;
    kg_tasks *tasks;
    int n = 0;
    for (; create(n, 4, &memory, &tasks) != KUGEL_OK; ++n) {
        cr_assert_null(tasks, "allocation %d", n);
        cr_assert_eq(held, 0, "allocation %d leaves %zu bytes", n, held);
        cr_assert_eq(memory.used, 0);
        cr_assert_lt(n, 10, "it never succeeds");
    }
    cr_assert_geq(n, 1, "it does not ask the world's allocator");
    kg_tasks_destroy(tasks);
    cr_assert_eq(held, 0);
    cr_assert_eq(memory.used, 0);
}

Test(tasks_failures, destroying_nothing_is_allowed) { kg_tasks_destroy(NULL); }

#if OWN_PTHREAD_CREATE
static _Atomic int threads_left = 1 << 30;

/* In place of libc's for the whole program: fails when the test says so. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    int (*libc_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&libc_create = dlsym(RTLD_NEXT, "pthread_create");
    if (atomic_fetch_sub(&threads_left, 1) <= 0) return EAGAIN;
    return libc_create(thread, attributes, start, argument);
}

Test(tasks_failures, each_thread_in_turn)
{
    for (int possible = 0; possible < 6; ++possible) {
        kg_memory memory;
        kg_tasks *tasks;
        atomic_store(&threads_left, possible);
        kugel_status status = create(100, 7, &memory, &tasks);
        atomic_store(&threads_left, 1 << 30);
        cr_assert_neq(status, KUGEL_OK, "%d of 6 threads were enough", possible);
        cr_assert_null(tasks);
        cr_assert_eq(held, 0, "%d threads: %zu bytes left", possible, held);
        cr_assert_eq(memory.used, 0);
    }
}

Test(tasks_failures, serial_needs_no_thread)
{
    kg_memory memory;
    kg_tasks *tasks;
    atomic_store(&threads_left, 0);
    kugel_status status = create(100, 1, &memory, &tasks);
    atomic_store(&threads_left, 1 << 30);
    cr_assert_eq(status, KUGEL_OK);
    kg_tasks_destroy(tasks);
}
#endif

/* Two tasks that wait for each other end only if two threads run them. */
static atomic_int arrived;

static void meet(void *context, uint32_t index)
{
    (void)context, (void)index;
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < 2) sched_yield();
}

Test(tasks_failures, tasks_run_at_once, .timeout = 60)
{
    kg_memory memory;
    kg_tasks *tasks;
    cr_assert_eq(create(100, 2, &memory, &tasks), KUGEL_OK);
    cr_assert_eq(kg_tasks_concurrency(tasks), 2);
    kg_tasks_run(tasks, 2, meet, NULL);
    cr_assert_eq(atomic_load(&arrived), 2);
    kg_tasks_destroy(tasks);
}

/* One thread: in order, so that a serial world needs no atomics in its tasks. */
static void append(void *context, uint32_t index)
{
    uint32_t *next = context;
    cr_assert_eq(index, *next);
    *next += 1;
}

Test(tasks_failures, serial_is_in_order)
{
    kg_memory memory;
    kg_tasks *tasks;
    uint32_t next = 0;
    cr_assert_eq(create(100, 1, &memory, &tasks), KUGEL_OK);
    kg_tasks_run(tasks, 100, append, &next);
    cr_assert_eq(next, 100);
    kg_tasks_destroy(tasks);
}
