/* The thread pool: runs the tasks of a job on workers, which poll for a while before they sleep.
 * Each thread begins with its own share of the tasks, then runs tasks of other shares. So jobs of
 * the same size find the data of a task in the caches of the same processor (affinity scheduling,
 * Markatos and LeBlanc 1994). */
#include "base/tasks.h"

#include "base/constants.h"
#include "base/threads.h"

/* State of a job in one atomic word (the gate): its workers, whether more may join, and its
 * number. */
enum {
    GATE_WORKERS = 0x1ff, /* number of workers in the job */
    GATE_OPEN = 0x200,    /* set while workers may join the job */
    GATE_JOB = 0x400      /* and all higher bits: number of the job, which wraps */
};

/* Number of polls before a thread sleeps, about 80 microseconds. Jobs follow each other within a
 * few microseconds, and most are done before a sleeping thread would be awake. */
enum { SPIN_LIMIT = 4000 };

/* A thread of the pool and its share of a job, the tasks that it runs first. */
typedef struct share {
    _Alignas(KG_CACHE_LINE) atomic_uint next; /* its next task */
    uint32_t end;                             /* its last task + 1 */
    kg_tasks *tasks;
    kg_thread worker; /* unused in the share of the thread that runs the job */
} share;

struct kg_tasks {
    kg_memory *memory;
    kugel_tasks hooks;
    uint32_t worker_count;
    share *shares; /* 0: of the thread that runs the job; k > 0: of worker k - 1 */
    kg_column shares_column;
    /* polls; 0 if the pool has more threads than there are processors: polling would delay other
     * threads */
    uint32_t spin_limit;
    kg_mutex lock;
    kg_condition start, done;
    /* the job in progress; changes only while the gate is shut and no worker is in the job */
    kg_task *task;
    void *context;
    bool stop;        /* changes under the lock only */
    atomic_uint gate; /* opens under the lock only: otherwise a worker could miss it and sleep */
    atomic_flag job_running;
};

static void divide_tasks(kg_tasks *tasks, uint64_t count)
{
    uint32_t shares = tasks->worker_count + 1;
    for (uint32_t k = 0; k < shares; ++k) {
        atomic_store_explicit(&tasks->shares[k].next, (uint32_t)(count * k / shares),
                              memory_order_relaxed);
        tasks->shares[k].end = (uint32_t)(count * (k + 1) / shares);
    }
}

static void run_share(const kg_tasks *tasks, share *s)
{
    while (atomic_load_explicit(&s->next, memory_order_relaxed) < s->end) {
        uint32_t i = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
        if (i < s->end) tasks->task(tasks->context, i);
    }
}

/* Run the tasks of a share, and then those that others have left. */
static void run_shares(const share *own)
{
    kg_tasks *tasks = own->tasks;
    uint32_t shares = tasks->worker_count + 1, first = (uint32_t)(own - tasks->shares);
    for (uint32_t k = 0; k < shares; ++k) run_share(tasks, &tasks->shares[(first + k) % shares]);
}

/* Join a job other than `last_job` while its gate is open; true on success. */
static bool join_job(kg_tasks *tasks, uint32_t *last_job)
{
    uint32_t gate = atomic_load_explicit(&tasks->gate, memory_order_relaxed);
    while ((gate & GATE_OPEN) && (gate ^ *last_job) >= GATE_JOB) {
        if (!atomic_compare_exchange_weak_explicit(&tasks->gate, &gate, gate + 1,
                                                   memory_order_acquire, memory_order_relaxed))
            continue;
        *last_job = gate;
        return true;
    }
    return false;
}

/* Wait until a job can be joined, and join it. False when the pool stops. */
static bool wait_for_job(kg_tasks *tasks, uint32_t *last_job)
{
    for (uint32_t k = 0; k < tasks->spin_limit; ++k) {
        if (join_job(tasks, last_job)) return true;
        kg_thread_pause(k);
    }
    kg_mutex_lock(&tasks->lock);
    bool entered;
    while (!(entered = join_job(tasks, last_job)) && !tasks->stop)
        kg_condition_wait(&tasks->start, &tasks->lock);
    kg_mutex_unlock(&tasks->lock);
    return entered;
}

/* Leave the job. The last worker that leaves a shut job wakes the thread that waits for it. */
static void leave_job(kg_tasks *tasks)
{
    uint32_t gate = atomic_fetch_sub_explicit(&tasks->gate, 1, memory_order_release) - 1;
    if (gate & (GATE_OPEN | GATE_WORKERS)) return;
    kg_mutex_lock(&tasks->lock);
    kg_condition_wake_one(&tasks->done);
    kg_mutex_unlock(&tasks->lock);
}

static kg_thread_result KG_THREAD_CALL worker(void *argument)
{
    const share *own = argument;
    uint32_t last_job = 0;
    while (wait_for_job(own->tasks, &last_job)) {
        run_shares(own);
        leave_job(own->tasks);
    }
    return (kg_thread_result)0;
}

static bool start_workers(kg_tasks *tasks, uint32_t threads)
{
    if (!KG_HAS_THREADS) return true;
    if (!KG_RESERVE(tasks->memory, &tasks->shares_column, tasks->shares, threads, 0)) return false;
    tasks->shares[0].tasks = tasks;
    for (uint32_t k = 1; k < threads; ++k) {
        tasks->shares[k].tasks = tasks;
        if (!kg_thread_start(&tasks->shares[k].worker, worker, &tasks->shares[k])) return false;
        tasks->worker_count = k;
    }
    return true;
}

kugel_status kg_tasks_create(kg_memory *memory, const kugel_tasks *hooks, kg_tasks **out)
{
    *out = NULL;
    kg_tasks *tasks = kg_allocate(memory, sizeof *tasks);
    if (!tasks) return KUGEL_ERROR_OUT_OF_MEMORY;
    *tasks = (kg_tasks){.memory = memory, .hooks = *hooks};
#ifdef KUGEL_PORTABLE
    tasks->hooks.run = NULL; /* it may run tasks on other threads */
#endif
    tasks->spin_limit = hooks->threads <= kg_thread_processors() ? SPIN_LIMIT : 0;
    atomic_init(&tasks->gate, 0);
    atomic_flag_clear(&tasks->job_running);
    kg_mutex_init(&tasks->lock);
    kg_condition_init(&tasks->start);
    kg_condition_init(&tasks->done);
    *out = tasks;
    if (hooks->run || hooks->threads < 2 || start_workers(tasks, hooks->threads)) return KUGEL_OK;
    kg_tasks_destroy(tasks);
    *out = NULL;
    return KUGEL_ERROR_OUT_OF_MEMORY;
}

void kg_tasks_destroy(kg_tasks *tasks)
{
    if (!tasks) return;
    kg_mutex_lock(&tasks->lock);
    tasks->stop = true;
    kg_condition_wake_all(&tasks->start);
    kg_mutex_unlock(&tasks->lock);
    for (uint32_t k = 1; k <= tasks->worker_count; ++k) kg_thread_join(tasks->shares[k].worker);
    kg_condition_free(&tasks->done);
    kg_condition_free(&tasks->start);
    kg_mutex_free(&tasks->lock);
    kg_column_free(tasks->memory, &tasks->shares_column);
    kg_free(tasks->memory, tasks, sizeof *tasks);
}

uint32_t kg_tasks_concurrency(const kg_tasks *tasks) { return tasks->hooks.threads; }

static void run_serial(uint32_t count, kg_task *task, void *context)
{
    for (uint32_t i = 0; i < count; ++i) task(context, i);
}

static bool has_workers_inside(kg_tasks *tasks)
{
    return atomic_load_explicit(&tasks->gate, memory_order_acquire) & GATE_WORKERS;
}

static void wait_for_workers(kg_tasks *tasks)
{
    for (uint32_t k = 0; k < tasks->spin_limit; ++k) {
        if (!has_workers_inside(tasks)) return;
        kg_thread_pause(k);
    }
    kg_mutex_lock(&tasks->lock);
    while (has_workers_inside(tasks)) kg_condition_wait(&tasks->done, &tasks->lock);
    kg_mutex_unlock(&tasks->lock);
}

/* Run a job with the workers. The gate shuts when all tasks are taken; then the caller waits for
 * the workers that are in the job. */
static void run_in_pool(kg_tasks *tasks, uint32_t count, kg_task *task, void *context)
{
    tasks->task = task;
    tasks->context = context;
    divide_tasks(tasks, count);
    kg_mutex_lock(&tasks->lock);
    uint32_t gate = atomic_load_explicit(&tasks->gate, memory_order_relaxed);
    atomic_store_explicit(&tasks->gate, gate + GATE_JOB + GATE_OPEN, memory_order_release);
    kg_condition_wake_all(&tasks->start);
    kg_mutex_unlock(&tasks->lock);
    run_shares(&tasks->shares[0]);
    (void)atomic_fetch_sub_explicit(&tasks->gate, GATE_OPEN, memory_order_relaxed);
    wait_for_workers(tasks);
}

void kg_tasks_run(kg_tasks *tasks, uint32_t count, kg_task *task, void *context)
{
    bool serial = !tasks || count < 2 || (!tasks->hooks.run && tasks->worker_count == 0);
    if (serial || atomic_flag_test_and_set_explicit(&tasks->job_running, memory_order_acquire)) {
        run_serial(count, task, context);
        return;
    }
    if (tasks->hooks.run) tasks->hooks.run(tasks->hooks.user, count, task, context);
    else run_in_pool(tasks, count, task, context);
    atomic_flag_clear_explicit(&tasks->job_running, memory_order_release);
}
