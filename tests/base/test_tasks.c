/* Every task runs once, whichever thread runs it. */
#include <criterion/criterion.h>
#include <stdatomic.h>

#include "base/tasks.h"

enum { TASKS = 1000 };
static atomic_int seen[TASKS];

static void mark(void *context, uint32_t index)
{
    (void)context;
    atomic_fetch_add(&seen[index], 1);
}

static void backwards(void *user, uint32_t count, void (*task)(void *, uint32_t), void *context)
{
    ++*(int *)user;
    while (count--) task(context, count);
}

static void check(const kugel_tasks *hooks, int rounds)
{
    kg_memory memory;
    kg_tasks *tasks;
    kg_memory_init(&memory, &(kugel_allocator){0});
    cr_assert_eq(kg_tasks_create(&memory, hooks, &tasks), KUGEL_OK);
    for (int i = 0; i < TASKS; ++i) atomic_store(&seen[i], 0);
    for (int r = 0; r < rounds; ++r) kg_tasks_run(tasks, TASKS, mark, NULL);
    for (int i = 0; i < TASKS; ++i) cr_assert_eq(atomic_load(&seen[i]), rounds, "task %d", i);
    kg_tasks_destroy(tasks);
    cr_assert_eq(memory.used, 0);
}

Test(tasks, each_task_once)
{
    for (uint32_t threads = 1; threads <= 16; threads = threads * 2 + 1)
        check(&(kugel_tasks){.threads = threads}, 50);
}

Test(tasks, the_hosts_threads_are_used)
{
    int calls = 0;
    check(&(kugel_tasks){.run = backwards, .user = &calls, .threads = 4}, 3);
    cr_assert_eq(calls, 3);
}

static kg_tasks *pool;

static void run_more(void *context, uint32_t index)
{
    (void)context, (void)index;
    kg_tasks_run(pool, TASKS, mark, NULL);
}

/* A job that a task starts is done on the task's thread; so is one of another thread while a job
 * runs. */
Test(tasks, jobs_within_jobs)
{
    kg_memory memory;
    kg_memory_init(&memory, &(kugel_allocator){0});
    cr_assert_eq(kg_tasks_create(&memory, &(kugel_tasks){.threads = 4}, &pool), KUGEL_OK);
    for (int i = 0; i < TASKS; ++i) atomic_store(&seen[i], 0);
    for (int r = 0; r < 20; ++r) kg_tasks_run(pool, 8, run_more, NULL);
    for (int i = 0; i < TASKS; ++i) cr_assert_eq(atomic_load(&seen[i]), 160, "task %d", i);
    kg_tasks_destroy(pool);
}
