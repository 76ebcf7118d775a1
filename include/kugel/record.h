/** @file
 * Recordings: every input of a world, a state hash for every tick and, if wanted, every state, in a
 * stream of checksummed chunks that can be read up to the point where it was cut. A player runs the
 * inputs again and says where, and in which body's which field, the run first differs. */
#ifndef KUGEL_RECORD_H
#define KUGEL_RECORD_H

#include "world.h"

KUGEL_BEGIN_DECLS

/// Version of the recording's bytes.
#define KUGEL_RECORDING_FORMAT 2

/* --- writing
 * -------------------------------------------------------------------------------------- */

/// Where a recording goes. Make it with kugel_recording_def_default().
typedef struct kugel_recording_def {
    uint32_t cookie; ///< set by the default function; not to be touched
    /// Take the next bytes; false ends the recording (its status becomes KUGEL_ERROR_IO). Called
    /// with whole chunks, from the calls that change the world and from start and stop; it must not
    /// use the world.
    bool (*write)(void *user, const void *data, size_t size);
    void *user;             ///< handed to write
    const void *annotation; ///< bytes kept with the recording (a scene's text), may be NULL
    size_t annotation_size; ///< at most 2^30
    bool states; ///< keep every tick's state, so that a difference can name body and field; default
                 ///< true
    /// Flight recorder: at least the last so many ticks, and at most twice as many, are kept in
    /// memory for kugel_world_recording_dump; `write` is not used and may be NULL. 0 (default):
    /// off.
    uint32_t ring_ticks;
    uint32_t
        keyframe_ticks; ///< ticks from one snapshot to the next, for seeking; 0: none; default 512
} kugel_recording_def;

/// Defaults as documented at each field.
KUGEL_API kugel_recording_def kugel_recording_def_default(void);

/// Record every call that changes the world from now on; what is there already is recorded as a
/// snapshot. Tick 0 of the recording is now. @return KUGEL_OK, or KUGEL_ERROR_STATE,
/// _INVALID_ARGUMENT, _UNINITIALIZED_DEF, _OUT_OF_MEMORY, _IO, _LIMIT (the annotation, or the
/// world's snapshot, is above 2^30 bytes); then nothing is recorded. What is recorded reaches
/// `write` after at most 30 ticks.
KUGEL_API kugel_status kugel_world_recording_start(kugel_world *world,
                                                   const kugel_recording_def *def);

/// Write what is left and the closing chunk. @return the recording's status: KUGEL_OK when all of
/// it was written; KUGEL_ERROR_STATE: nothing is recorded. Destroying a world that records ends the
/// recording without closing it.
KUGEL_API kugel_status kugel_world_recording_stop(kugel_world *world);

/// Write what a flight recorder holds as a recording of its own, with a few calls of `write`;
/// recording goes on. Its tick 0 is info.origin ticks after the beginning. @return KUGEL_OK, or
/// KUGEL_ERROR_STATE (not recording, or no ring_ticks), _INVALID_ARGUMENT, _IO (`write` returned
/// false), or why the recording has ended, as its status says: _OUT_OF_MEMORY, _LIMIT. `write` must
/// not use the world.
KUGEL_API kugel_status kugel_world_recording_dump(
    kugel_world *world, bool (*write)(void *user, const void *data, size_t size), void *user);

/// KUGEL_OK while all is well (or nothing is recorded). A step never fails because of its
/// recording: the recording ends at a whole chunk and says why here: KUGEL_ERROR_IO,
/// _OUT_OF_MEMORY, or _LIMIT (states of more than 14 million bodies).
KUGEL_API kugel_status kugel_world_recording_status(const kugel_world *world);

/* --- reading
 * -------------------------------------------------------------------------------------- */

/// What a recording says of itself. Pointers live as long as the player's data.
typedef struct kugel_recording_info {
    uint32_t format;        ///< KUGEL_RECORDING_FORMAT of the writer
    uint32_t physics_epoch; ///< KUGEL_PHYSICS_EPOCH of the writer
    char library[16];       ///< version that wrote it; empty when the recording does not say
    char build[64];         ///< compiler and target that wrote it
    uint64_t ticks;         ///< that can be played
    uint64_t origin;        ///< ticks that a flight recorder had forgotten before tick 0
    uint64_t bytes;         ///< of whole chunks, from the start
    uint64_t lost;          ///< bytes after them: cut, damaged, or strange to a recording
    bool damaged;           ///< what follows the whole chunks is not just cut: some bits are wrong
    bool closed;            ///< ended by kugel_world_recording_stop
    bool states;            ///< states were kept
    uint32_t keyframes;     ///< snapshots that a seek can start from
    const char *annotation; ///< what the recording_def gave, NULL when nothing
    size_t annotation_size; ///< bytes
} kugel_recording_info;

/// The first difference between a recording and what was found.
typedef struct kugel_divergence {
    uint64_t tick;          ///< the first that differs
    uint64_t expected_hash; ///< as recorded
    uint64_t found_hash;    ///< as it was found
    bool located;           ///< the fields below are known
    uint32_t body;          ///< id
    char field[32];  ///< "position.x", "velocity.z", "spin.y", or "body": it exists on one side
                     ///< only; snapshot.h says which others there are
    double expected; ///< the field as recorded; for "body": 1 where it exists, 0 where not
    double found;    ///< the field as it was found, likewise
    uint64_t expected_bits; ///< expected as IEEE 754 binary64
    uint64_t found_bits;    ///< found as IEEE 754 binary64
} kugel_divergence;

/// What was recorded after a tick. The arrays have the shapes of kugel_world_read.
typedef struct kugel_recorded {
    uint64_t tick;          ///< steps done
    uint64_t hash;          ///< kugel_world_hash of the state
    bool has_state;         ///< the fields below are known
    uint32_t count;         ///< bodies
    const uint32_t *ids;    ///< ascending
    const double *position; ///< m
    const double *velocity; ///< m/s
    const double *spin;     ///< rad/s
} kugel_recorded;

/// What a player's step or seek came to.
typedef enum kugel_play {
    KUGEL_PLAY_TICK = 0,     ///< a tick was run and agrees, or the tick that was sought is reached
    KUGEL_PLAY_END = 1,      ///< there is no further tick
    KUGEL_PLAY_DIVERGED = 2, ///< a tick was run and differs; the divergence says where
    KUGEL_PLAY_ERROR = 3     ///< out of memory, or a recorded call was refused: kugel_player_error
} kugel_play;

/// Runs a recording's inputs again in a world of its own.
typedef struct kugel_player kugel_player;

/// Open a recording that lies in memory (kept there by the caller until close). Everything is
/// checked up to the first chunk that is cut or damaged.
/// @param allocator NULL for malloc. @param threads of the played world, 1 ... 256.
/// @param error may be NULL. @return KUGEL_OK, or KUGEL_ERROR_FORMAT (not a recording, an unknown
/// version or critical chunk, a head that is cut or damaged, contents that contradict themselves),
/// _OUT_OF_MEMORY, _INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_player_open(const void *data, size_t size,
                                         const kugel_allocator *allocator, uint32_t threads,
                                         kugel_player **player, kugel_error *error);
/// Free the player and its world. NULL is allowed.
KUGEL_API void kugel_player_close(kugel_player *player);
/// What the recording says of itself.
KUGEL_API void kugel_player_info(const kugel_player *player, kugel_recording_info *info);

/// Apply the next tick's inputs, step, and compare hash and state with the recorded ones. After a
/// difference the run may go on. @param divergence may be NULL; filled for KUGEL_PLAY_DIVERGED.
KUGEL_API kugel_play kugel_player_step(kugel_player *player, kugel_divergence *divergence);

/// Bring the played world to the state after `tick` steps by running it, from the nearest keyframe
/// before or from the start where need be; nothing is compared. Tick 0 is the world as it was
/// filled: with all that was set before the first step up to the first force, torque or impulse.
/// @return KUGEL_PLAY_TICK, KUGEL_PLAY_END (the recording is shorter; the world is at its last
/// tick) or KUGEL_PLAY_ERROR.
KUGEL_API kugel_play kugel_player_seek(kugel_player *player, uint64_t tick);

/// The tick that a seek would run from: from there on every tick costs a step. A viewer that must
/// not stand still seeks there and goes on in its own time.
KUGEL_API uint64_t kugel_player_seek_from(const kugel_player *player, uint64_t tick);

/// From now on keep snapshots of the ticks that are run, at most so many bytes of them, for seeks
/// to begin from: of every tick while there is room, then of every 2nd, 4th ... What was kept is
/// forgotten; 0: keep none, as at first. A viewer that goes back and forth wants it.
KUGEL_API void kugel_player_cache_keyframes(kugel_player *player, size_t bytes);

/// The played world: read it, do not step or change it. Empty before the first step or seek; a seek
/// may replace it.
KUGEL_API const kugel_world *kugel_player_world(const kugel_player *player);
/// Why the last call returned KUGEL_PLAY_ERROR.
KUGEL_API const kugel_error *kugel_player_error(const kugel_player *player);

/// The recorded hash of the state after `tick` (1 ... info.ticks), without running anything; 0 for
/// other ticks.
KUGEL_API uint64_t kugel_player_hash(const kugel_player *player, uint64_t tick);

/// What was recorded after `tick` (1 ... info.ticks), without running anything. Arrays live until
/// the next call with this player. Cheap in ascending order, else up to some 150 states are
/// unpacked.
/// @return KUGEL_OK, or KUGEL_ERROR_INVALID_ARGUMENT (no such tick), _OUT_OF_MEMORY, _FORMAT.
KUGEL_API kugel_status kugel_player_recorded(kugel_player *player, uint64_t tick,
                                             kugel_recorded *recorded);

/// Write the recording again as far as it is whole: nothing packed and without states, for a reader
/// without zstd. Nothing is run. @param write as in kugel_recording_def.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _IO (`write` returned false), _OUT_OF_MEMORY,
/// _FORMAT.
KUGEL_API kugel_status kugel_player_rewrite(
    kugel_player *player, bool (*write)(void *user, const void *data, size_t size), void *user);

/// The first difference of two states, lowest body id first, then position, velocity, spin; +0 and
/// -0 are the same. false: none. @param out fields from `located` on are filled; may be NULL.
KUGEL_API bool kugel_recorded_difference(const kugel_recorded *expected,
                                         const kugel_recorded *found, kugel_divergence *out);

KUGEL_END_DECLS
#endif
