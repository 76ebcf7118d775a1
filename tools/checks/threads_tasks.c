/* The task pool without a test framework, for the thread sanitizer. A data race, or a task that is
 * lost, run twice or not visible to the caller, gives a nonzero exit code. Tasks write plain
 * memory: only the pool orders these writes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/tasks.h"

enum { TASKS_MOST = 512 };

typedef struct job {
    uint32_t factor;
    uint32_t result[TASKS_MOST];
} job;

static void task(void *context, uint32_t index)
{
    job *j = context;
    j->result[index] += j->factor * index + 1;
}

static void fail(const char *what, uint32_t threads, uint32_t round)
{
    fprintf(stderr, "%s: %u threads, round %u\n", what, threads, round);
    exit(1);
}

/* Jobs of changing size in succession: a late worker must not run a task of the next job twice,
 * nor with the old context. */
static void many_jobs(uint32_t threads)
{
    kg_memory memory;
    kg_tasks *tasks;
    kg_memory_init(&memory, &(kugel_allocator){0});
    if (kg_tasks_create(&memory, &(kugel_tasks){.threads = threads}, &tasks))
        fail("create", threads, 0);
    if (kg_tasks_concurrency(tasks) != threads) fail("width", threads, 0);
    for (uint32_t round = 0; round < 2000; ++round) {
        job j = {.factor = round};
        uint32_t count =
            round % 7 == 0 ? round % 3 : (round * 2654435761u >> 16) % (TASKS_MOST + 1);
        kg_tasks_run(tasks, count, task, &j);
        for (uint32_t i = 0; i < TASKS_MOST; ++i) {
            uint32_t expected = i < count ? j.factor * i + 1 : 0;
            if (j.result[i] != expected) fail("wrong result", threads, round);
        }
    }
    kg_tasks_destroy(tasks);
    if (memory.used != 0) fail("leaked", threads, 0);
}

/* Pools of several worlds are independent: created and destroyed at once, without a job. */
static void short_lives(uint32_t threads)
{
    for (uint32_t round = 0; round < 50; ++round) {
        kg_memory memory;
        kg_tasks *tasks[2];
        kg_memory_init(&memory, &(kugel_allocator){0});
        for (int k = 0; k < 2; ++k) {
            if (kg_tasks_create(&memory, &(kugel_tasks){.threads = threads}, &tasks[k]))
                fail("create", threads, round);
        }
        job j = {.factor = 3};
        kg_tasks_run(tasks[round & 1], 8, task, &j);
        if (j.result[7] != 22) fail("wrong result", threads, round);
        for (int k = 0; k < 2; ++k) kg_tasks_destroy(tasks[k]);
        if (memory.used != 0) fail("leaked", threads, round);
    }
}

int main(void)
{
    static const uint32_t widths[] = {1, 2, 3, 7, 16};
    for (int k = 0; k < 5; ++k) {
        many_jobs(widths[k]);
        short_lives(widths[k]);
    }
    puts("the pool runs each task once, for 1, 2, 3, 7 and 16 threads");
    return 0;
}
