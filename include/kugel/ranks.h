/** @file
 * One world over several processes (ranks), with the bits of one process. The library exchanges
 * data through a kugel_exchange; kugel/mpi.h of libkugel-mpi has one over MPI.
 *
 * A gas is divided: each rank holds the bodies of a part of space and, during a step, copies
 * (ghosts) of the bodies around that part. A gas is a world with a bounce threshold of 0 and
 * without growth, resting contacts, sensors, a pair filter, forces, and bodies that sleep or are on
 * the way to it. Any other world is replicated: each rank holds the whole world and runs the step
 * of one process. Between steps all ranks may change the world by the same calls
 * (kugel_ranks_edit).
 *
 * A collective function must be called by all ranks, in the same order.
 *
 * This header is not frozen: functions and structs may change in any release. */
#ifndef KUGEL_RANKS_H
#define KUGEL_RANKS_H

#include "world.h"

KUGEL_BEGIN_DECLS

/// @defgroup ranks Ranks
/// One world over several processes.
/// @{

/// Operations of a reduction; all are exact, so their order does not matter.
KUGEL_ENUM(kugel_reduction){
    KUGEL_REDUCE_SUM = 0, ///< modulo 2^64
    KUGEL_REDUCE_MIN = 1, ///< of unsigned numbers
    KUGEL_REDUCE_MAX = 2  ///< of unsigned numbers
};

/// Communication of ranks. Each callback is collective. It returns KUGEL_OK or KUGEL_ERROR_IO;
/// after an error the ranks cannot continue.
typedef struct kugel_exchange {
    uint32_t rank;  ///< number of this process, below `count`
    uint32_t count; ///< number of ranks, at least 1
    void *context;  ///< passed to the callbacks
    /// Replace each of `count` values by its reduction over all ranks.
    kugel_status (*reduce)(void *context, kugel_reduction operation, uint64_t *values,
                           size_t count);
    /// Send the number sent[i] to each rank i, and receive that of rank i in received[i].
    kugel_status (*numbers)(void *context, const uint64_t *sent, uint64_t *received);
    /// Send sent_words[i] words of 8 bytes to each rank i, and receive received_words[i] words from
    /// rank i. `sent` has the words for rank 0, then those for rank 1, and so on without gaps;
    /// `received` likewise the words from each rank.
    kugel_status (*words)(void *context, const uint64_t *sent, const uint64_t *sent_words,
                          uint64_t *received, const uint64_t *received_words);
} kugel_exchange;

/// A world over several ranks.
typedef struct kugel_ranks kugel_ranks;

/// How the work is divided among ranks. The counters describe caches, not the state.
typedef struct kugel_ranks_counts {
    uint64_t bodies;      ///< bodies that this rank holds between steps
    uint64_t ghosts;      ///< ghosts of this rank in the last step
    uint64_t partitions;  ///< number of partitions so far, the first included
    uint64_t repetitions; ///< repetitions of steps with more ghosts, in all steps so far
    uint64_t whole_steps; ///< steps that were repeated with all bodies on all ranks
    uint64_t words_sent;  ///< words of 8 bytes that this rank sent to others
    bool replicated;      ///< true: each rank holds the whole world
} kugel_ranks_counts;

/// Let each rank keep a part of the bodies while they are created, so that no rank needs memory for
/// all of them: each body has its values on one rank, and 8 bytes on the others. Call it on all
/// ranks, for a world that has had no bodies; not collective. Then make the world by the same calls
/// on all ranks, and call kugel_ranks_create with the same exchange. Until that succeeds only
/// kugel_body_create, kugel_surface_create, kugel_world_set_pair_material,
/// kugel_world_set_gravity, kugel_world_recording_stop and kugel_world_destroy may change the
/// world; other calls return KUGEL_ERROR_STATE, and reads find the bodies of this rank. A world
/// that cannot be divided is sent to all ranks by kugel_ranks_create, which refuses bodies that
/// differ between the ranks, but for their user data.
/// @param exchange only `rank` and `count` are used, but all of it must be set.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, or KUGEL_ERROR_STATE: the world had bodies, or
/// its creation is shared already.
KUGEL_API kugel_status kugel_ranks_share_creation(kugel_world *world,
                                                  const kugel_exchange *exchange, size_t size);

/// Divide or replicate a world over ranks. Collective: each rank passes an equal world, made by the
/// same calls, with the same pair filter, and an exchange of the same ranks. On KUGEL_OK the world
/// belongs to *ranks, which keeps the bodies of this rank in it. Do not destroy the world, and
/// change it only after kugel_ranks_edit.
///
/// If the world of rank 0 is being recorded, its steps are recorded with the bytes of one process.
/// Start and stop a recording on rank 0 only, before this call or after kugel_ranks_edit. Stop the
/// recording (record.h) before the ranks are destroyed. A step that records states or a keyframe
/// gathers all bodies on rank 0.
///
/// @param ranks receives the ranks; NULL on error, with the world unchanged.
/// @return the same on all ranks: KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (also: the worlds are
/// unequal), _OUT_OF_MEMORY, _IO, or _STATE: a rank other than 0 records its world.
KUGEL_API kugel_status kugel_ranks_create(kugel_world *world, const kugel_exchange *exchange,
                                          kugel_ranks **ranks, size_t size);

/// Free the ranks and the world of this rank. Not collective. NULL is allowed.
KUGEL_API void kugel_ranks_destroy(kugel_ranks *ranks);

/// Advance the world by one tick of dt, s. Collective, with the same dt. The state is that of
/// kugel_world_step in one process, bit for bit. A divided world in which a resting contact begins
/// is replicated from then on; all ranks then need memory for all bodies.
/// @return the same on all ranks: as kugel_world_step, KUGEL_ERROR_INVALID_ARGUMENT also if dt
/// differs between the ranks, or KUGEL_ERROR_IO. If the call ends changes
/// (kugel_ranks_edit), also KUGEL_ERROR_INVALID_ARGUMENT: the worlds differ, or KUGEL_ERROR_STATE:
/// a rank other than 0 records its world. On an error the state is unchanged;
/// kugel_world_last_error(kugel_ranks_world(ranks)) describes it.
KUGEL_API kugel_status kugel_ranks_step(kugel_ranks *ranks, double dt);

/// The hash of the whole world, as kugel_world_hash in one process. Collective.
/// @param hash receives the hash. @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _OUT_OF_MEMORY,
/// _STATE or _IO.
KUGEL_API kugel_status kugel_ranks_hash(kugel_ranks *ranks, uint64_t *hash);

/// Counters of the whole world. Collective. memory, list_rebuilds, list_refreshes and
/// neighbor_pairs are sums over the ranks.
/// @param stats receives the counters. @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT,
/// _OUT_OF_MEMORY, _STATE or _IO.
KUGEL_API kugel_status kugel_ranks_world_stats(kugel_ranks *ranks, kugel_stats *stats, size_t size);

/// Energies and momentum of the whole world, with the bits of one process. Collective. O(ids)
/// numbers are exchanged.
/// @param energy receives the sums. @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _OUT_OF_MEMORY,
/// _STATE or _IO.
KUGEL_API kugel_status kugel_ranks_world_energy(kugel_ranks *ranks, kugel_energy *energy,
                                                size_t size);

/// Gather copies of all bodies on rank 0. Collective. The world of rank 0 is then that of one
/// process, for reading: reads and queries find all bodies, kugel_world_clone makes a world that
/// needs no ranks, and kugel_snapshot_save saves the bytes that one process would save. Rank 0 has
/// the other bodies until the next collective call other than kugel_ranks_gather_impacts. It needs
/// memory for the whole world.
/// @return the same on all ranks: KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _OUT_OF_MEMORY, _LIMIT,
/// _STATE or _IO.
KUGEL_API kugel_status kugel_ranks_gather(kugel_ranks *ranks);

/// Gather the impacts of the last tick on rank 0. Collective. Until the next step
/// kugel_world_impact_events returns all impacts on rank 0.
/// @return the same on all ranks: KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _OUT_OF_MEMORY or _IO.
KUGEL_API kugel_status kugel_ranks_gather_impacts(kugel_ranks *ranks);

/// Begin changes. Collective. Each rank then has the whole world. All ranks make the same changes
/// in the same order (kugel_body_create, kugel_body_apply_impulse and so on) with *world, the world
/// that was passed to kugel_ranks_create. Calls that only read may differ between ranks. Do not
/// call kugel_world_step. A recording on rank 0 holds the changes.
///
/// The next kugel_ranks_step, _hash, _world_stats, _world_energy or _gather ends the changes. It
/// compares the worlds of all ranks, then divides the world if it is a gas, else replicates it. So
/// changes that are begun and ended at once divide a world that has become a gas.
///
/// That call returns KUGEL_ERROR_INVALID_ARGUMENT if the worlds differ, and KUGEL_ERROR_STATE if a
/// rank other than 0 records its world. The changes then go on, and more calls may make the worlds
/// equal. If a call fails on one rank alone, out of memory, repeat it there before any other call:
/// different ids and tables of materials may never become equal again, and then the ranks cannot
/// continue.
///
/// Cost: all ranks need memory for all bodies. A divided world is sent to all ranks; a replicated
/// one is hashed.
/// @param world receives the world; NULL on error.
/// @return the same on all ranks: KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _OUT_OF_MEMORY, _LIMIT or
/// _IO.
KUGEL_API kugel_status kugel_ranks_edit(kugel_ranks *ranks, kugel_world **world);

/// How the work is divided. Not collective.
KUGEL_API void kugel_ranks_get_counts(const kugel_ranks *ranks, kugel_ranks_counts *counts,
                                      size_t size);

/// The world of this rank, for reading only. A divided world has the bodies that the rank holds
/// between steps, with their global handles. Its events are those of the last tick for which the
/// rank held body a at the start of that tick. On rank 0 the world has all bodies after
/// kugel_ranks_gather, and all impacts after kugel_ranks_gather_impacts. A replicated world has all
/// bodies and, after its first step, all events.
KUGEL_API const kugel_world *kugel_ranks_world(const kugel_ranks *ranks);

/// @cond
#ifndef KUGEL_PASS_SIZES /* version.h */
#define kugel_ranks_share_creation(...)                                                            \
    kugel_ranks_share_creation(__VA_ARGS__, sizeof(kugel_exchange))
#define kugel_ranks_create(...) kugel_ranks_create(__VA_ARGS__, sizeof(kugel_exchange))
#define kugel_ranks_world_stats(...) kugel_ranks_world_stats(__VA_ARGS__, sizeof(kugel_stats))
#define kugel_ranks_world_energy(...) kugel_ranks_world_energy(__VA_ARGS__, sizeof(kugel_energy))
#define kugel_ranks_get_counts(...) kugel_ranks_get_counts(__VA_ARGS__, sizeof(kugel_ranks_counts))
#endif
/// @endcond

/// @}

KUGEL_END_DECLS
#endif
