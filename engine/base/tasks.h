/* Tasks of a job: run in order on one thread, on the host's threads, or on a thread pool of the
 * world. Each task writes only its own data, so the number of threads does not change results. */
#ifndef KG_BASE_TASKS_H
#define KG_BASE_TASKS_H

#include "base/compiler.h"
#include "base/memory.h"

typedef struct kg_tasks kg_tasks;
typedef void kg_task(void *context, uint32_t index);

/* A number that tasks change with atomic operations. Compilers inline these at an alignment of 8;
 * i386 aligns to 4, and clang would call a library. */
typedef uint64_t kg_shared_number KG_ATTRIBUTE(aligned(8));

/* End of range `index` of `count` items in ranges of `size`; the last range may be shorter. */
static inline uint32_t kg_range_end(uint32_t index, uint32_t size, uint32_t count)
{
    return count - index * size < size ? count : (index + 1) * size;
}

/* With one thread and no hook tasks run serially. On an error *out is NULL and no memory is
 * held. */
kugel_status kg_tasks_create(kg_memory *memory, const kugel_tasks *hooks, kg_tasks **out);
void kg_tasks_destroy(kg_tasks *tasks);
/* Number of tasks that can run at the same time. */
uint32_t kg_tasks_concurrency(const kg_tasks *tasks);
/* Call task(context, i) once for each i in [0, count), and return when all calls have returned. Any
 * thread may call this, also a task. While another job runs, or with NULL, the tasks run
 * serially. */
void kg_tasks_run(kg_tasks *tasks, uint32_t count, kg_task *task, void *context);

#endif
