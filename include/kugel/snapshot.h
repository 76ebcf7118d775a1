/** @file
 * Snapshots: all of a world's state as bytes, the same on every target. Restoring one and going on
 * gives the bits of never having stopped, in any world, with any number of threads, within one
 * physics epoch. Saving takes no memory, and restoring none once a world has held as many bodies
 * and resting contacts, and forces where the snapshot has some. */
#ifndef KUGEL_SNAPSHOT_H
#define KUGEL_SNAPSHOT_H

#include "record.h"

KUGEL_BEGIN_DECLS

/// Version of a snapshot's bytes.
#define KUGEL_SNAPSHOT_FORMAT 1

/// Room that suffices to save the world as it is now, bytes. More than a snapshot takes: columns
/// whose values are all alike, or few, are kept short.
KUGEL_API size_t kugel_snapshot_bound(const kugel_world *world);

/// Save bodies (with handles, and the generations of ids that are free), planes, resting contacts
/// with their impulses, forces given for the next step, settings, gravity, tick and time. Not
/// saved: hooks, threads, the last step's events, counters of the engine's own work. Equal states
/// give equal bytes.
/// @param buffer any alignment; `room` bytes at least kugel_snapshot_bound(world). Allocates
/// nothing.
/// @param size receives the bytes used.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, or KUGEL_ERROR_LIMIT when the room is too small.
KUGEL_API kugel_status kugel_snapshot_save(kugel_world *world, void *buffer, size_t room,
                                           size_t *size);

/// Make the world what it was when the snapshot was saved, in the same or in another world; hooks
/// and threads stay its own, the lists of events are empty until the next step. Handles of the
/// saved world are valid in it.
/// @return KUGEL_OK; KUGEL_ERROR_FORMAT (not a snapshot, damaged, of another format or physics
/// epoch, or with values that no world can hold), KUGEL_ERROR_OUT_OF_MEMORY, KUGEL_ERROR_STATE (the
/// world is being recorded: a recording holds calls only), KUGEL_ERROR_INVALID_ARGUMENT; then the
/// world is as it was.
KUGEL_API kugel_status kugel_snapshot_restore(kugel_world *world, const void *data, size_t size);

/// A new world in the same state, with the same hooks and number of threads. It is not recorded.
/// @return as kugel_world_create; *clone is NULL unless KUGEL_OK.
KUGEL_API kugel_status kugel_world_clone(kugel_world *world, kugel_world **clone);

/// What a snapshot says of itself.
typedef struct kugel_snapshot_info {
    uint32_t format;        ///< KUGEL_SNAPSHOT_FORMAT of the writer
    uint32_t physics_epoch; ///< KUGEL_PHYSICS_EPOCH of the writer
    uint64_t tick;          ///< steps done
    double time;            ///< s
    uint32_t bodies;        ///< how many
    uint32_t contacts;      ///< resting ones
} kugel_snapshot_info;

/// Check a snapshot as restoring it would. @param info, error may be NULL.
KUGEL_API kugel_status kugel_snapshot_check(const void *data, size_t size,
                                            kugel_snapshot_info *info, kugel_error *error);

/// The first difference of two snapshots: of the world ("tick", "gravity.x", "planes" ...), then of
/// the lowest body's first field (also "generation", "radius", "friction", "force.x" ...), then of
/// the resting contacts ("contact", "contact.friction.x" ...; `body` is the lower body). Hashes are
/// not filled in. false: none, or one of them is no snapshot. @param out may be NULL.
KUGEL_API bool kugel_snapshot_difference(const void *expected, size_t expected_size,
                                         const void *found, size_t found_size,
                                         kugel_divergence *out);

/* --- differences for the network
 * ------------------------------------------------------------------ */

/// Room that suffices for the delta of two snapshots of these sizes.
KUGEL_API size_t kugel_delta_bound(size_t base_size, size_t size);

/// What turns one snapshot into another, in fewer bytes the less has changed. Only the holder of
/// the same base can apply it. Allocates nothing. @param delta may not overlap the snapshots; after
/// KUGEL_ERROR_LIMIT it holds nothing of use.
/// @return KUGEL_OK, KUGEL_ERROR_FORMAT (one is no snapshot), KUGEL_ERROR_LIMIT (no room),
/// KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_delta_make(const void *base, size_t base_size, const void *snapshot,
                                        size_t size, void *delta, size_t room, size_t *delta_size);

/// The snapshot that the delta was made for. @param snapshot receives it, and may not overlap the
/// base; a delta that is cut, damaged or for another base leaves it alone, one that was forged
/// leaves nothing of use in it. @param size receives its bytes, 0 where nothing else is said.
/// @return KUGEL_OK, KUGEL_ERROR_FORMAT (no delta, damaged, or made for another base),
/// KUGEL_ERROR_LIMIT (no room; *size is what it takes), KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_delta_apply(const void *base, size_t base_size, const void *delta,
                                         size_t delta_size, void *snapshot, size_t room,
                                         size_t *size);

/* --- proof
 * ---------------------------------------------------------------------------------------- */

/// A sync test: is a game's simulation fit for rollback? Make it with kugel_sync_def_default().
typedef struct kugel_sync_def {
    uint32_t cookie; ///< set by the default function; not to be touched
    uint32_t ticks;  ///< to run, 1 ... 100,000; default 60
    double dt;       ///< s, of each; default 1/60
    /// Make the tick's calls on the world before its step, from nothing but the tick and what the
    /// world holds. May be NULL. Anything but KUGEL_OK ends the test with that status; a recording
    /// that it begins is given up and ends it with KUGEL_ERROR_STATE.
    kugel_status (*input)(void *user, kugel_world *world, uint64_t tick);
    void *user; ///< handed to input
} kugel_sync_def;

/// What a sync test found.
typedef struct kugel_sync_report {
    bool same;                   ///< both runs agree at every tick
    uint32_t ticks;              ///< compared
    kugel_divergence divergence; ///< where they do not
} kugel_sync_report;

/// Defaults as documented at each field.
KUGEL_API kugel_sync_def kugel_sync_def_default(void);

/// Run `ticks` ticks, go back, run them again and compare the whole state at every tick. Keeps a
/// snapshot of every tick. The world ends where the first run did, or, when the runs differ or a
/// call fails, where it began.
/// @return KUGEL_OK when the test could be made (report->same is its result), else why it could
/// not.
KUGEL_API kugel_status kugel_sync_test(kugel_world *world, const kugel_sync_def *def,
                                       kugel_sync_report *report);

KUGEL_END_DECLS
#endif
