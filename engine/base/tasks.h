/* Work in pieces that may run at once: in order on one thread, on the host's threads, or on a small
 * pool of the world's own. A piece writes only what is its own, so no choice changes a bit. */
#ifndef KG_BASE_TASKS_H
#define KG_BASE_TASKS_H

#include "base/memory.h"

typedef struct kg_tasks kg_tasks;
typedef void kg_task(void *context, uint32_t index);

/* threads == 1 and no hook: serial. Errors undo everything. */
kugel_status kg_tasks_create(kg_memory *memory, const kugel_tasks *hooks, kg_tasks **out);
void kg_tasks_destroy(kg_tasks *tasks);
/* How many pieces can run at once. */
uint32_t kg_tasks_concurrency(const kg_tasks *tasks);
/* Call task(context, i) once for each i in [0, count); returns when all have returned. Any thread
 * may call it, a task too: on this thread alone while another job runs. */
void kg_tasks_run(kg_tasks *tasks, uint32_t count, kg_task *task, void *context);

#endif
