/* What rank 0 has read, for all ranks. Functions are collective and return an exit code, equal on
 * all ranks. */
#ifndef MPI_SHARE_H
#define MPI_SHARE_H

#include <stddef.h>

#include <kugel/ranks.h>

/* The largest of the ranks' codes. */
int share_code(const kugel_exchange *exchange, int code);
/* Bytes of rank 0 with a 0 behind them, if its code is 0; else its code. Other ranks give nothing,
 * and *data is malloc'ed. */
int share_bytes(const kugel_exchange *exchange, int code, char **data, size_t *size);
/* The command line of rank 0. On other ranks it is malloc'ed, for the rest of the program. */
int share_arguments(const kugel_exchange *exchange, int *argc, char ***argv);

#endif
