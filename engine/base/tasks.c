#include "base/tasks.h"

#include <stdatomic.h>

#include "base/threads.h"

struct kg_tasks {
    kg_memory *memory;
    kugel_tasks hooks;
    pthread_t *workers;
    uint32_t worker_count;
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    /* the job in progress; changed under the lock only */
    kg_task *task;
    void *context;
    uint32_t count;
    uint64_t job;      /* number of the job */
    uint32_t working;  /* workers that have not finished it */
    bool stop;
    atomic_uint next;  /* piece to take */
    atomic_flag taken; /* some thread runs a job */
};

static void take_pieces(kg_tasks *tasks, kg_task *task, void *context, uint32_t count)
{
    for (;;) {
        uint32_t i = atomic_fetch_add_explicit(&tasks->next, 1, memory_order_relaxed);
        if (i >= count) return;
        task(context, i);
    }
}

static void *worker(void *argument)
{
    kg_tasks *tasks = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&tasks->lock);
    for (;;) {
        while (tasks->job == seen && !tasks->stop) pthread_cond_wait(&tasks->start, &tasks->lock);
        if (tasks->stop) break;
        seen = tasks->job;
        kg_task *task = tasks->task;
        void *context = tasks->context;
        uint32_t count = tasks->count;
        pthread_mutex_unlock(&tasks->lock);
        take_pieces(tasks, task, context, count);
        pthread_mutex_lock(&tasks->lock);
        if (--tasks->working == 0) pthread_cond_signal(&tasks->done);
    }
    pthread_mutex_unlock(&tasks->lock);
    return NULL;
}

static bool start_workers(kg_tasks *tasks, uint32_t count)
{
    if (!KG_HAS_THREADS) return true;
    tasks->workers = kg_allocate(tasks->memory, count * sizeof *tasks->workers);
    if (!tasks->workers) return false;
    for (; tasks->worker_count < count; ++tasks->worker_count) {
        if (pthread_create(&tasks->workers[tasks->worker_count], NULL, worker, tasks) != 0) return false;
    }
    return true;
}

kugel_status kg_tasks_create(kg_memory *memory, const kugel_tasks *hooks, kg_tasks **out)
{
    *out = NULL;
    kg_tasks *tasks = kg_allocate(memory, sizeof *tasks);
    if (!tasks) return KUGEL_ERROR_OUT_OF_MEMORY;
    *tasks = (kg_tasks){.memory = memory, .hooks = *hooks};
    atomic_init(&tasks->next, 0);
    atomic_flag_clear(&tasks->taken);
    pthread_mutex_init(&tasks->lock, NULL);
    pthread_cond_init(&tasks->start, NULL);
    pthread_cond_init(&tasks->done, NULL);
    *out = tasks;
    if (hooks->run || hooks->threads < 2 || start_workers(tasks, hooks->threads - 1)) return KUGEL_OK;
    kg_tasks_destroy(tasks);
    *out = NULL;
    return KUGEL_ERROR_OUT_OF_MEMORY;
}

void kg_tasks_destroy(kg_tasks *tasks)
{
    if (!tasks) return;
    pthread_mutex_lock(&tasks->lock);
    tasks->stop = true;
    pthread_cond_broadcast(&tasks->start);
    pthread_mutex_unlock(&tasks->lock);
    for (uint32_t i = 0; i < tasks->worker_count; ++i) pthread_join(tasks->workers[i], NULL);
    pthread_cond_destroy(&tasks->done);
    pthread_cond_destroy(&tasks->start);
    pthread_mutex_destroy(&tasks->lock);
    kg_free(tasks->memory, tasks->workers, (tasks->hooks.threads - 1) * sizeof *tasks->workers);
    kg_free(tasks->memory, tasks, sizeof *tasks);
}

uint32_t kg_tasks_width(const kg_tasks *tasks) { return tasks->hooks.threads; }

static void run_alone(uint32_t count, kg_task *task, void *context)
{
    for (uint32_t i = 0; i < count; ++i) task(context, i);
}

static void run_in_pool(kg_tasks *tasks, uint32_t count, kg_task *task, void *context)
{
    pthread_mutex_lock(&tasks->lock);
    tasks->task = task;
    tasks->context = context;
    tasks->count = count;
    tasks->working = tasks->worker_count;
    atomic_store_explicit(&tasks->next, 0, memory_order_relaxed);
    tasks->job += 1;
    pthread_cond_broadcast(&tasks->start);
    pthread_mutex_unlock(&tasks->lock);
    take_pieces(tasks, task, context, count);
    pthread_mutex_lock(&tasks->lock);
    while (tasks->working) pthread_cond_wait(&tasks->done, &tasks->lock);
    pthread_mutex_unlock(&tasks->lock);
}

void kg_tasks_run(kg_tasks *tasks, uint32_t count, kg_task *task, void *context)
{
    bool alone = count < 2 || (!tasks->hooks.run && tasks->worker_count == 0);
    if (alone || atomic_flag_test_and_set_explicit(&tasks->taken, memory_order_acquire)) {
        run_alone(count, task, context);
        return;
    }
    if (tasks->hooks.run) tasks->hooks.run(tasks->hooks.user, count, task, context);
    else run_in_pool(tasks, count, task, context);
    atomic_flag_clear_explicit(&tasks->taken, memory_order_release);
}
