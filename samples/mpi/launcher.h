/* Detects a launcher that belongs to another MPI than the program's: then each process is the only
 * rank of a world of its own. */
#ifndef MPI_LAUNCHER_H
#define MPI_LAUNCHER_H

#include <stdint.h>

/* @param ranks as MPI counts them. @return 0, or an exit code; the first process prints why. */
int launcher_check(uint32_t ranks);

#endif
