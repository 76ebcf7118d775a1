/** @file
 * Snapshots: the whole state of a world as bytes, the same bytes on every target. Within one
 * physics epoch a restored world continues bit for bit like the saved one, whatever the world it
 * was restored into and the number of threads.
 *
 * Saving allocates nothing. Restoring allocates nothing in a world that has held as many bodies
 * and resting contacts of bodies that are awake before, has held forces and unreported ends of
 * contacts if the snapshot has some, and has the same surfaces at the same indices. Their meshes
 * are kept; other meshes are built. For a rollback in one world, save without meshes: they do not
 * change. */
#ifndef KUGEL_SNAPSHOT_H
#define KUGEL_SNAPSHOT_H

#include "record.h"

KUGEL_BEGIN_DECLS

/// @defgroup snapshots Snapshots
/// The state as bytes, deltas, differences, the state hash.
/// @{

/// Version of the bytes of a snapshot; other versions are refused. It changes with a release only
/// where a new property of the world must be saved.
#define KUGEL_SNAPSHOT_FORMAT 15

/// Save a snapshot: bodies with their handles, the generations of free ids, surfaces with
/// their meshes, resting contacts with their impulses, forces for the next step, images, settings,
/// gravity, table of pairs, tick and time. Not saved are the hooks (allocator, log, tasks, clock,
/// pair filter), user data, the events of the last step, the settings of
/// kugel_world_report_impacts_above and kugel_world_sum_impulses, and counters of lists and times.
/// Equal states give equal bytes. Allocates nothing. Several threads may save one world.
/// @param meshes true: with the vertices and triangles of meshes, as for a file. false: a hash
/// stands for each mesh, so the size does not depend on the triangles. Such a snapshot can be
/// restored in a world that has these meshes at any indices of surfaces: the world itself, or one
/// that added the same meshes.
/// @param buffer any alignment. NULL: nothing is saved, and `size` receives the bytes to provide.
/// @param capacity bytes of `buffer`.
/// @param size receives the number of bytes written; for a NULL buffer or KUGEL_ERROR_LIMIT an
/// upper bound of it. Columns with few distinct values are compressed, so a snapshot is usually
/// smaller than the bound.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, KUGEL_ERROR_LIMIT: `capacity` is below the
/// bound, or KUGEL_ERROR_STATE: the world has the bodies of one rank only (ranks.h).
KUGEL_API kugel_status kugel_snapshot_save(const kugel_world *world, bool meshes, void *buffer,
                                           size_t capacity, size_t *size);

/// Replace the world's state by the saved one; the snapshot may come from another world. Handles of
/// the saved world become valid. Hooks (kugel_snapshot_save), limits and threads stay unchanged;
/// the event lists are empty until the next step. A snapshot of another physics epoch gives the
/// same state, which continues as this library computes it: not with the bits of its writer
/// (kugel_snapshot_info.exact).
/// @return KUGEL_OK, or with the world unchanged KUGEL_ERROR_FORMAT (not a snapshot, damaged, of
/// another format, or with invalid values), KUGEL_ERROR_LIMIT (kugel_limits),
/// KUGEL_ERROR_OUT_OF_MEMORY, KUGEL_ERROR_STATE (the world is being recorded, or lacks a mesh of a
/// snapshot without meshes), KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_snapshot_restore(kugel_world *world, const void *data, size_t size);

/// Create a world with the same state, hooks, user data and number of threads. The clone is not
/// recorded. Several threads may clone one world.
/// @param clone receives the clone; NULL on error.
/// @return as kugel_world_create, or KUGEL_ERROR_STATE as kugel_snapshot_save.
KUGEL_API kugel_status kugel_world_clone(const kugel_world *world, kugel_world **clone);

/// Properties of a snapshot.
typedef struct kugel_snapshot_info {
    uint32_t format;        ///< KUGEL_SNAPSHOT_FORMAT
    uint32_t physics_epoch; ///< KUGEL_PHYSICS_EPOCH of the writer
    bool exact;             ///< true: it is this library's; a restored world continues bit for bit
    uint64_t tick;          ///< number of steps
    double time;            ///< s
    uint32_t bodies;        ///< number of bodies
    uint32_t contacts;      ///< number of resting contacts
} kugel_snapshot_info;

/// Check a snapshot as kugel_snapshot_restore does, but for limits. Allocates nothing; the time is
/// in proportion to `size`. One error is found by restoring only: a mesh whose equal vertices are
/// not welded, which no world saves. @param info, error may be NULL.
/// @return KUGEL_OK, KUGEL_ERROR_FORMAT or KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_snapshot_check(const void *data, size_t size,
                                            kugel_snapshot_info *info, kugel_error *error,
                                            size_t info_size);

/// The first difference of two snapshots. They are compared in this order:
/// - the world ("tick", "physics epoch", "gravity.x", "ends" ...), with the ends of contacts and
///   exits from sensors that no step has reported ("ends", "exits": numbers of events), and the
///   table of pairs ("pairs": their number, or 0 and 1);
/// - the surfaces ("surfaces", "surface.position.x" ...); `body` is then the index of the surface;
/// - the bodies by id, with more fields than kugel_divergence names ("generation", "radius",
///   "friction", "force.x" ...);
/// - the resting contacts ("contact", "contact.friction.x" ...); `body` is then the body a.
///
/// Where one is not a valid snapshot, the field is "data"; the values are 1 for a valid one, else
/// 0.
/// @param out may be NULL; receives the difference without the hashes.
/// @return true if they differ, or one is not valid.
KUGEL_API bool kugel_snapshot_difference(const void *expected, size_t expected_size,
                                         const void *found, size_t found_size,
                                         kugel_divergence *out);

/* Deltas for the network. */

/// Encode the difference between a base and a snapshot; small changes give few bytes. To apply the
/// delta, the same base is needed. Allocates nothing.
/// @param delta receives the delta; must not overlap the snapshots; undefined after
/// KUGEL_ERROR_LIMIT. NULL: the snapshots are not read, and `delta_size` receives an upper bound.
/// @param capacity bytes of `delta`. @param delta_size receives the number of bytes written.
/// @return KUGEL_OK, KUGEL_ERROR_FORMAT (one is not a valid snapshot), KUGEL_ERROR_LIMIT (the
/// capacity is too small), KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_delta_make(const void *base, size_t base_size, const void *snapshot,
                                        size_t size, void *delta, size_t capacity,
                                        size_t *delta_size);

/// Restore the snapshot that a delta encodes.
/// @param snapshot receives the snapshot; must not overlap the base. A truncated or damaged delta,
/// or one for another base, leaves it unchanged; a forged delta leaves it undefined.
/// @param capacity bytes of `snapshot`. @param size receives the number of bytes written; on errors
/// 0, or for KUGEL_ERROR_LIMIT the required size.
/// @return KUGEL_OK, KUGEL_ERROR_FORMAT (not a delta, damaged, or for another base),
/// KUGEL_ERROR_LIMIT (`capacity` is too small), KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_delta_apply(const void *base, size_t base_size, const void *delta,
                                         size_t delta_size, void *snapshot, size_t capacity,
                                         size_t *size);

/* Sync test. */

/// Settings of a sync test, which checks that a game can roll its simulation back. Start from
/// kugel_sync_def_default().
typedef struct kugel_sync_def {
    uint32_t cookie; ///< set by the default function; leave unchanged
    uint32_t ticks;  ///< number of ticks in each run, 1 ... 100,000; default 60
    double dt;       ///< tick length, s; default 1/60
    /// Makes the calls of a tick on the world, before its step. The calls must depend only on the
    /// tick and the world's state. An error ends the test with this status. May be NULL. If the
    /// callback starts a recording, the test ends with KUGEL_ERROR_STATE and the recording is
    /// discarded.
    kugel_status (*input)(void *user, kugel_world *world, uint64_t tick);
    void *user; ///< passed to input
} kugel_sync_def;

/// Result of a sync test.
typedef struct kugel_sync_report {
    bool same;      ///< true if both runs agree at every tick
    uint32_t ticks; ///< number of compared ticks
    /// The first difference if the runs do not agree. Expected values are those of the first run,
    /// found values those of the second. The hashes are checksums of snapshots, which also cover
    /// what kugel_world_hash omits.
    kugel_divergence divergence;
} kugel_sync_report;

/// kugel_sync_def_default() for other languages. @param size that of the struct, bytes.
KUGEL_API void kugel_sync_def_init(kugel_sync_def *def, size_t size);

/// Defaults as documented at each field.
static inline kugel_sync_def kugel_sync_def_default(void)
{
    kugel_sync_def def;
    kugel_sync_def_init(&def, sizeof def);
    return def;
}

/// Run `ticks` ticks, restore the initial state, run the ticks again and compare the whole state at
/// each tick. Memory: one snapshot without meshes for each tick. Afterwards the world has the final
/// state of the first run; if the runs differ or a call fails, its initial state. If `input`
/// removed a surface and there is no memory to build it again, the world has the state at the
/// failure.
/// @param report receives the result.
/// @return KUGEL_OK if the test ran to its end; report->same is the result. Else the error that
/// refused or ended it, as KUGEL_ERROR_STATE: the world is being recorded.
KUGEL_API kugel_status kugel_sync_test(kugel_world *world, const kugel_sync_def *def,
                                       kugel_sync_report *report, size_t size);

/// @cond
#ifndef KUGEL_PASS_SIZES /* version.h */
#define kugel_snapshot_check(...) kugel_snapshot_check(__VA_ARGS__, sizeof(kugel_snapshot_info))
#define kugel_sync_test(...) kugel_sync_test(__VA_ARGS__, sizeof(kugel_sync_report))
#endif
/// @endcond

/// @}

KUGEL_END_DECLS
#endif
