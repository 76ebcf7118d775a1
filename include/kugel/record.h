/** @file
 * Recordings: every input of a world, a state hash for each tick and, if wanted, each state. The
 * stream consists of chunks with checksums; a truncated stream can be read up to its last whole
 * chunk. A player runs the inputs again and reports the first tick, body and field that differ. */
#ifndef KUGEL_RECORD_H
#define KUGEL_RECORD_H

#include "world.h"

KUGEL_BEGIN_DECLS

/// @defgroup recordings Recordings
/// All inputs with a hash for each tick, and players that run them again.
/// @{

/// Version of the bytes of a recording; recordings of other versions cannot be read.
#define KUGEL_RECORDING_FORMAT 18

/* Writing. */

/// Settings of a recording. Start from kugel_recording_def_default().
typedef struct kugel_recording_def {
    uint32_t cookie; ///< set by the default function; leave unchanged
    /// Receives the next bytes, in whole chunks. Return false to end the recording with the status
    /// KUGEL_ERROR_IO. The callback is called within start, stop and calls that change the world,
    /// and must not use the world.
    bool (*write)(void *user, const void *data, size_t size);
    void *user;             ///< passed to write
    const void *annotation; ///< bytes stored with the recording, as a scene's text; may be NULL
    size_t annotation_size; ///< bytes, at most 2^30
    /// true: record the state after each tick, so that a player can name the body and field that
    /// differ. Default true.
    bool states;
    /// > 0: a flight recorder. The last ring_ticks to 2 ring_ticks ticks are kept in memory for
    /// kugel_world_recording_dump; `write` is not called and may be NULL. Default 0: none.
    uint32_t ring_ticks;
    /// Ticks between keyframes, snapshots from which a seek can start; 0: none; default 512.
    uint32_t keyframe_ticks;
} kugel_recording_def;

/// kugel_recording_def_default() for other languages. @param size that of the struct, bytes.
KUGEL_API void kugel_recording_def_init(kugel_recording_def *def, size_t size);

/// Defaults as documented at each field.
static inline kugel_recording_def kugel_recording_def_default(void)
{
    kugel_recording_def def;
    kugel_recording_def_init(&def, sizeof def);
    return def;
}

/// Record every call that changes the world from now on. The present state is recorded as a
/// snapshot and is tick 0 of the recording. Recorded data reaches `write` after at most 30 ticks.
/// @return KUGEL_OK, or KUGEL_ERROR_STATE (already recording), _INVALID_ARGUMENT,
/// _UNINITIALIZED_DEF, _OUT_OF_MEMORY, _IO, _LIMIT (the annotation or the world's snapshot exceeds
/// 2^30 bytes); on error nothing is recorded. The first call of `write` has all the first chunks: a
/// start that is refused has not called it, except for _IO: then the call returned false.
KUGEL_API kugel_status kugel_world_recording_start(kugel_world *world,
                                                   const kugel_recording_def *def);

/// Mark the present state as tick 0 of the recording, before its first step: the calls before the
/// mark make the world, those after it are inputs of the first step. A seek to tick 0 stops at the
/// mark.
/// @return KUGEL_OK, or KUGEL_ERROR_STATE: the world is not being recorded, or the recording has a
/// step or a mark already.
KUGEL_API kugel_status kugel_world_recording_mark(kugel_world *world);

/// Write the remaining data and the closing chunk. A recording that ends because its world is
/// destroyed has no closing chunk.
/// @return the recording's status, which is KUGEL_OK if all of it was written; or
/// KUGEL_ERROR_STATE: the world is not being recorded.
KUGEL_API kugel_status kugel_world_recording_stop(kugel_world *world);

/// Write the content of the flight recorder as a recording; the recorder goes on. `write` is called
/// a few times and must not use the world. Tick 0 of the dump is tick kugel_recording_info.origin
/// of the flight recorder.
/// @return KUGEL_OK, or KUGEL_ERROR_STATE (not recording, or ring_ticks is 0), _INVALID_ARGUMENT,
/// _IO (`write` returned false), or the status of a recording that has ended: _OUT_OF_MEMORY,
/// _LIMIT.
KUGEL_API kugel_status kugel_world_recording_dump(
    kugel_world *world, bool (*write)(void *user, const void *data, size_t size), void *user);

/// The status of the recording; KUGEL_OK without a recording. Steps succeed even if the recording
/// fails. A recording that fails ends with a whole chunk; its status is then KUGEL_ERROR_IO,
/// _OUT_OF_MEMORY, or _LIMIT (states of more than 14 million bodies, a mesh or snapshot above 2^30
/// bytes).
KUGEL_API kugel_status kugel_world_recording_status(const kugel_world *world);

/* Reading. */

/// Properties of a recording. Pointers are valid as long as the data that the player reads.
typedef struct kugel_recording_info {
    uint32_t format;        ///< KUGEL_RECORDING_FORMAT of the writer
    uint32_t physics_epoch; ///< KUGEL_PHYSICS_EPOCH of the writer
    char library[16];       ///< library version of the writer; empty if not recorded
    char build[64];         ///< compiler and target of the writer
    uint64_t ticks;         ///< ticks that can be played
    uint64_t origin;        ///< ticks that a flight recorder dropped before tick 0
    uint64_t bytes;         ///< size of the whole chunks from the start
    uint64_t lost;          ///< bytes after the whole chunks: truncated, damaged or foreign
    bool damaged; ///< true: data after the whole chunks are wrong; false: at most truncated
    bool closed;  ///< true if kugel_world_recording_stop ended it
    bool states;  ///< true if states were recorded
    /// true if the world had a pair filter: a player needs kugel_player_set_pair_filter
    bool pair_filter;
    uint32_t keyframes;     ///< number of snapshots from which a seek can start
    const char *annotation; ///< from kugel_recording_def; NULL if none
    size_t annotation_size; ///< size of the annotation, bytes
} kugel_recording_info;

/// The first difference between expected and found states.
typedef struct kugel_divergence {
    uint64_t tick;          ///< the first tick that differs
    uint64_t expected_hash; ///< as recorded
    uint64_t found_hash;    ///< as computed
    bool located;           ///< true: the members below are set
    uint32_t body;          ///< id of the body
    /// "position.x", "velocity.z", "spin.y" ..., or "body" if only one of the states has the body.
    /// kugel_snapshot_difference reports further fields.
    char field[32];
    double expected;        ///< recorded value of the field; for "body": 1 if it exists, else 0
    double found;           ///< computed value of the field; for "body": 1 if it exists, else 0
    uint64_t expected_bits; ///< expected as IEEE 754 binary64
    uint64_t found_bits;    ///< found as IEEE 754 binary64
} kugel_divergence;

/// The recorded state after a tick.
typedef struct kugel_recorded {
    uint64_t tick;          ///< number of steps since the recording began, as in a seek
    uint64_t hash;          ///< kugel_world_hash of the state
    bool has_state;         ///< true: the members below are set
    uint32_t count;         ///< number of bodies, n
    const uint32_t *ids;    ///< [n], ascending
    const double *position; ///< [3n], m
    const double *velocity; ///< [3n], m/s
    const double *spin;     ///< [3n], rad/s
} kugel_recorded;

/// Result of a player's step or seek.
KUGEL_ENUM(kugel_play){
    KUGEL_PLAY_TICK = 0,     ///< the tick was run and agrees, or the seek reached its tick
    KUGEL_PLAY_END = 1,      ///< the recording has no further tick
    KUGEL_PLAY_DIVERGED = 2, ///< the tick was run and differs; see kugel_divergence
    KUGEL_PLAY_ERROR = 3     ///< no memory, a limit, or a failed call; see kugel_player_error
};

/// Runs a recording's inputs in its own world.
typedef struct kugel_player kugel_player;

/// Open a recording in memory. The data must stay valid and unchanged until the player is closed.
/// All chunks up to the first truncated or damaged one are checked.
/// @param size bytes of `data`. @param limits of the played world; the player itself, with unpacked
/// chunks, may take as many bytes. NULL or 0 bytes: 256 MiB, and 256 bytes for each byte of the
/// recording. A chunk that would exceed them is not unpacked.
/// @param allocator NULL: malloc, realloc and free.
/// @param threads of the played world, 1 ... 256. @param player receives the player.
/// @param error may be NULL. @return KUGEL_OK, or KUGEL_ERROR_FORMAT (not a recording, an unknown
/// version or critical chunk, a truncated or damaged header, inconsistent content), _LIMIT,
/// _OUT_OF_MEMORY, _FLOATING_POINT, _INVALID_ARGUMENT. Later calls on the player give
/// KUGEL_ERROR_LIMIT, too.
KUGEL_API kugel_status kugel_player_open(const void *data, size_t size, const kugel_limits *limits,
                                         const kugel_allocator *allocator, uint32_t threads,
                                         kugel_player **player, kugel_error *error);
/// Free the player and its world. NULL is allowed.
KUGEL_API void kugel_player_close(kugel_player *player);
/// Read the properties of the recording.
KUGEL_API void kugel_player_info(const kugel_player *player, kugel_recording_info *info,
                                 size_t size);

/// Apply the inputs of the next tick, step, and compare hash and state with the recorded ones.
/// Further steps are allowed after a difference.
/// @param divergence may be NULL; receives the difference for KUGEL_PLAY_DIVERGED.
KUGEL_API kugel_play kugel_player_step(kugel_player *player, kugel_divergence *divergence);

/// Bring the played world to the state after `tick` steps. The player runs from the latest of these
/// that is not after `tick`: the current tick, a keyframe, a cached snapshot, the start. Nothing is
/// compared. Tick 0 includes the calls before kugel_world_recording_mark; without a mark, it
/// includes the calls before the first step up to the first force, torque or impulse. The world has
/// the events of `tick` if the player ran that tick. They are missing where a seek restored a
/// snapshot of `tick` itself: to have them, seek to the tick before and step.
/// @return KUGEL_PLAY_TICK, KUGEL_PLAY_END (the recording is shorter; the world is at its last
/// tick) or KUGEL_PLAY_ERROR.
KUGEL_API kugel_play kugel_player_seek(kugel_player *player, uint64_t tick);

/// The tick from which a seek to `tick` would run; each tick after it costs one step. An
/// interactive viewer can seek to this tick and take the remaining steps over several frames.
KUGEL_API uint64_t kugel_player_seek_from(const kugel_player *player, uint64_t tick);

/// Cache snapshots of played ticks, from which a seek can start: seeking back and forth is then
/// fast. The snapshots are of every tick; when they reach the limit, of every 2nd tick, then every
/// 4th, and so on. A call discards the snapshots cached before.
/// @param bytes limit of all cached snapshots together, besides the player's limits; 0, the initial
/// value: no cache.
KUGEL_API void kugel_player_cache_keyframes(kugel_player *player, size_t bytes);

/// The played world, for reading only. Before the first step or seek it has the state in
/// which the recording began. The pointer is valid until the next seek or until the player is
/// closed.
KUGEL_API const kugel_world *kugel_player_world(const kugel_player *player);
/// The error of the last KUGEL_PLAY_ERROR; valid until the player is closed.
KUGEL_API const kugel_error *kugel_player_error(const kugel_player *player);

/// The recorded hash of the state after `tick` (1 ... kugel_recording_info.ticks), read from the
/// index; 0 for other ticks.
KUGEL_API uint64_t kugel_player_hash(const kugel_player *player, uint64_t tick);

/// The recorded hash and state after `tick` (1 ... kugel_recording_info.ticks); nothing is run.
/// Arrays are valid until the next call with this player. A call for the tick that follows that of
/// the last call decodes one state; other calls decode up to about 150.
/// @return KUGEL_OK, or KUGEL_ERROR_INVALID_ARGUMENT (no such tick), _OUT_OF_MEMORY, _LIMIT,
/// _FORMAT.
KUGEL_API kugel_status kugel_player_recorded(kugel_player *player, uint64_t tick,
                                             kugel_recorded *recorded, size_t size);

/// Write the whole chunks of the recording uncompressed and without states, for readers without
/// zstd. Nothing is run. All chunks are unpacked before the first call of `write`, so
/// only _IO comes after one. @param write as in kugel_recording_def. @param user passed to write.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, _IO (`write` returned false), _OUT_OF_MEMORY,
/// _LIMIT, _FORMAT.
KUGEL_API kugel_status kugel_player_rewrite(
    kugel_player *player, bool (*write)(void *user, const void *data, size_t size), void *user);

/// The first difference of two states, in the order of body ids, then position, velocity, spin. +0
/// and -0 are equal. @param out may be NULL; receives the members from `located` on.
/// @return true if they differ.
KUGEL_API bool kugel_recorded_difference(const kugel_recorded *expected,
                                         const kugel_recorded *found, kugel_divergence *out,
                                         size_t size);

/// @cond
#ifndef KUGEL_PASS_SIZES /* version.h */
#define kugel_player_info(...) kugel_player_info(__VA_ARGS__, sizeof(kugel_recording_info))
#define kugel_player_recorded(...) kugel_player_recorded(__VA_ARGS__, sizeof(kugel_recorded))
#define kugel_recorded_difference(...)                                                             \
    kugel_recorded_difference(__VA_ARGS__, sizeof(kugel_recorded))
#endif
/// @endcond

/// @}

KUGEL_END_DECLS
#endif
