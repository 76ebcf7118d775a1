/* Ranks as threads of one process: a kugel_exchange without MPI. What arrives is handled in a
 * random order of the senders, after random pauses. The benchmark uses it, too. */
#ifndef SUPPORT_RANKS_H
#define SUPPORT_RANKS_H

#include <kugel/kugel.h>

enum { SUPPORT_RANKS_MAX = 64 };

/* Work of one rank. Assertions do not work here: store what is to be checked. */
typedef void support_rank_work(const kugel_exchange *exchange, void *argument);

/* Call work(exchange, argument) on `count` threads at once; `seed` gives the order of messages. */
void support_ranks_run(uint32_t count, uint64_t seed, support_rank_work *work, void *argument);

#endif
