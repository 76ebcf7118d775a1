/* Ranks as threads of one process: a kugel_exchange without MPI. Messages are read in a random
 * order of their senders, after random pauses. Tests and a benchmark use it. */
#ifndef SUPPORT_RANKS_H
#define SUPPORT_RANKS_H

#include <kugel/kugel.h>

enum { SUPPORT_RANKS_MAX = 64 };

/* Work of one rank. Assertions do not work on its thread: store results for later checks. */
typedef void support_rank_work(const kugel_exchange *exchange, void *argument);

/* Call work(exchange, argument) on `count` threads at once. @param seed of the order of
 * messages. */
void support_ranks_run(uint32_t count, uint64_t seed, support_rank_work *work, void *argument);

#endif
