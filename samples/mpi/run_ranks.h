/* Runs a scene over the ranks of an exchange. */
#ifndef MPI_RUN_RANKS_H
#define MPI_RUN_RANKS_H

#include "fill_scene.h"

/* Refuse options of kugel-run that need the whole world in one process. @return 0, or an exit code
 * after a message. */
int check_rank_options(const options *options);
/* Run the scene; call on all ranks. Rank 0 prints the progress and the last lines. @return an exit
 * code, equal on all ranks. */
int run_ranks(const options *options, const kugel_exchange *exchange);

#endif
