/** @file
 * The exchange of kugel/ranks.h over MPI, in libkugel-mpi. Compile programs that use it with mpicc.
 *
 *     MPI_Init(&argc, &argv);
 *     kugel_exchange exchange;
 *     kugel_exchange_mpi_create(MPI_COMM_WORLD, &exchange);
 *     kugel_ranks_create(world, &exchange, &ranks);
 */
#ifndef KUGEL_MPI_H
#define KUGEL_MPI_H

#include <mpi.h>

#include <kugel/ranks.h>

KUGEL_BEGIN_DECLS

/// Make an exchange among the processes of a communicator, which is duplicated. Collective, after
/// MPI_Init. Calls that use the exchange must come from one thread at a time (with several threads:
/// MPI_THREAD_SERIALIZED).
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (NULL), _OUT_OF_MEMORY or _IO: MPI failed.
KUGEL_API kugel_status kugel_exchange_mpi_create(MPI_Comm communicator, kugel_exchange *exchange);

/// Free what kugel_exchange_mpi_create made; after the ranks that use it, before MPI_Finalize.
/// Collective. NULL is allowed.
KUGEL_API void kugel_exchange_mpi_free(kugel_exchange *exchange);

KUGEL_END_DECLS
#endif
