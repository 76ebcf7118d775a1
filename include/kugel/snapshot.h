/** @file
 * Snapshots: the whole state of a world as bytes, the same on every target. A restored world
 * continues bit for bit like the saved one, in any world and with any number of threads, within one
 * physics epoch. Saving allocates nothing. Restoring allocates nothing in a world that has held as
 * many bodies and resting contacts before, and forces if the snapshot has some. Meshes that the
 * world has already, at the same index of a surface, are kept; others are built. A host that goes
 * back in its own world saves without meshes: they do not change. */
#ifndef KUGEL_SNAPSHOT_H
#define KUGEL_SNAPSHOT_H

#include "record.h"

KUGEL_BEGIN_DECLS

/// @defgroup snapshots Snapshots
/// The state as bytes, deltas, differences, the state hash.
/// @{

/// Version of a snapshot's bytes. Formats 2, without images of bodies, and 3 can be read, too.
#define KUGEL_SNAPSHOT_FORMAT 4

/// Upper bound of the size of a snapshot of the world as it is now, bytes. Columns with few
/// distinct values are compressed, so a snapshot is usually smaller.
KUGEL_API size_t kugel_snapshot_bound(const kugel_world *world);

/// Save bodies with their handles, the generations of free ids, planes, surfaces with their meshes,
/// resting contacts with their impulses, forces for the next step, images, settings, gravity, tick
/// and time. Not saved: hooks, threads, user data, the last step's events, counters of lists and
/// times. Equal states give equal bytes. Allocates nothing.
/// @param buffer any alignment. @param room its size, at least kugel_snapshot_bound(world).
/// @param size receives the number of bytes written.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, KUGEL_ERROR_LIMIT: `room` is too small, or
/// KUGEL_ERROR_STATE: the world has the bodies of one rank only (ranks.h).
KUGEL_API kugel_status kugel_snapshot_save(kugel_world *world, void *buffer, size_t room,
                                           size_t *size);

/// The same without the vertices and triangles of meshes: a hash stands for each mesh, so the size
/// does not depend on the triangles. It can be restored in worlds that have these meshes, at any
/// index of a surface: after a rollback, or in a world that added the same ones.
/// kugel_snapshot_save is the one to keep in a file.
/// @param room at least kugel_snapshot_bound_without_meshes(world).
KUGEL_API kugel_status kugel_snapshot_save_without_meshes(kugel_world *world, void *buffer,
                                                          size_t room, size_t *size);

/// Upper bound of its size, bytes.
KUGEL_API size_t kugel_snapshot_bound_without_meshes(const kugel_world *world);

/// Replace the world's state by the saved one; the snapshot may come from another world. Hooks and
/// threads stay unchanged, the event lists are empty until the next step. Handles of the saved
/// world are valid in it.
/// @return KUGEL_OK, or with the world unchanged KUGEL_ERROR_FORMAT (not a snapshot, damaged, of
/// another format or physics epoch, or with invalid values), KUGEL_ERROR_OUT_OF_MEMORY,
/// KUGEL_ERROR_STATE (the world is being recorded, or lacks a mesh of a snapshot without meshes),
/// KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_snapshot_restore(kugel_world *world, const void *data, size_t size);

/// Create a world in the same state with the same hooks and number of threads, not recorded.
/// @return as kugel_world_create, or KUGEL_ERROR_STATE as kugel_snapshot_save; *clone is NULL
/// unless KUGEL_OK.
KUGEL_API kugel_status kugel_world_clone(kugel_world *world, kugel_world **clone);

/// Properties of a snapshot.
typedef struct kugel_snapshot_info {
    uint32_t format;        ///< KUGEL_SNAPSHOT_FORMAT of the writer
    uint32_t physics_epoch; ///< KUGEL_PHYSICS_EPOCH of the writer
    uint64_t tick;          ///< number of steps
    double time;            ///< s
    uint32_t bodies;        ///< number of bodies
    uint32_t contacts;      ///< number of resting contacts
} kugel_snapshot_info;

/// Check a snapshot as restoring it would; only restoring finds a mesh whose equal vertices are not
/// welded, which no world saves. @param info, error may be NULL.
KUGEL_API kugel_status kugel_snapshot_check(const void *data, size_t size,
                                            kugel_snapshot_info *info, kugel_error *error);

/// The first difference of two snapshots: of the world ("tick", "gravity.x", "planes" ...), of its
/// surfaces ("surfaces", "surface.position.x" ...; `body` is the index), then of the lowest body's
/// first field (also "generation", "radius", "friction", "force.x" ...), then of
/// the resting contacts ("contact", "contact.friction.x" ...; `body` is the lower body). Hashes are
/// not set. @param out may be NULL.
/// @return true if they differ; false if they are equal or one is not a valid snapshot.
KUGEL_API bool kugel_snapshot_difference(const void *expected, size_t expected_size,
                                         const void *found, size_t found_size,
                                         kugel_divergence *out);

/* Deltas for the network. */

/// Upper bound of the size of a delta between two snapshots of these sizes, bytes.
KUGEL_API size_t kugel_delta_bound(size_t base_size, size_t size);

/// Encode the difference between two snapshots; small changes give few bytes. Applying it needs the
/// same base. Allocates nothing.
/// @param delta receives it, must not overlap the snapshots; undefined after KUGEL_ERROR_LIMIT.
/// @param room its size, bytes. @param delta_size receives the number of bytes written.
/// @return KUGEL_OK, KUGEL_ERROR_FORMAT (one is not a valid snapshot), KUGEL_ERROR_LIMIT (`room` is
/// too small), KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_delta_make(const void *base, size_t base_size, const void *snapshot,
                                        size_t size, void *delta, size_t room, size_t *delta_size);

/// Restore the snapshot that a delta encodes.
/// @param snapshot receives it, must not overlap the base. A truncated or damaged delta, or one for
/// another base, leaves it unchanged; a forged delta leaves it undefined.
/// @param size receives the number of bytes written, 0 on other errors than KUGEL_ERROR_LIMIT.
/// @return KUGEL_OK, KUGEL_ERROR_FORMAT (not a delta, damaged, or for another base),
/// KUGEL_ERROR_LIMIT (`room` is too small; *size is the required size),
/// KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_delta_apply(const void *base, size_t base_size, const void *delta,
                                         size_t delta_size, void *snapshot, size_t room,
                                         size_t *size);

/* Sync test. */

/// Settings of a sync test, which checks that a game can roll its simulation back. Start from
/// kugel_sync_def_default().
typedef struct kugel_sync_def {
    uint32_t cookie; ///< set by the default function; leave unchanged
    uint32_t ticks;  ///< number of ticks to run, 1 ... 100,000; default 60
    double dt;       ///< tick length, s; default 1/60
    /// Make the tick's calls on the world before its step; they must depend on the tick and the
    /// world's state only. May be NULL. An error ends the test with this status. Starting a
    /// recording ends the test with KUGEL_ERROR_STATE and discards the recording.
    kugel_status (*input)(void *user, kugel_world *world, uint64_t tick);
    void *user; ///< passed to input
} kugel_sync_def;

/// Result of a sync test.
typedef struct kugel_sync_report {
    bool same;      ///< true if both runs agree at every tick
    uint32_t ticks; ///< number of compared ticks
    /// The first difference if they do not: "recorded" is the first run, "computed" the second, and
    /// the hashes are checksums of their snapshots, which also cover what kugel_world_hash omits.
    kugel_divergence divergence;
} kugel_sync_report;

/// Defaults as documented at each field.
KUGEL_API kugel_sync_def kugel_sync_def_default(void);

/// Run `ticks` ticks, restore the initial state, run them again and compare the whole state at
/// every tick. Memory: one snapshot without meshes a tick. Afterwards the world has the final state
/// of the first run, or its initial state if the runs differ or a call fails. (If `input` removes
/// a surface and there is no memory to build it again: the state at the failure.)
/// @return KUGEL_OK if the test ran (report->same is its result), else the error that stopped it.
KUGEL_API kugel_status kugel_sync_test(kugel_world *world, const kugel_sync_def *def,
                                       kugel_sync_report *report);

/// @}

KUGEL_END_DECLS
#endif
