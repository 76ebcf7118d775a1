/** @file
 * A callback for pairs of bodies: it keeps two bodies from touching, or gives their contacts
 * another contact material. Categories, masks and groups (kugel_body_def) come first: a pair that
 * they exclude never reaches it. Sensors and queries do not use it. A world without one has no
 * cost. */
#ifndef KUGEL_PAIRS_H
#define KUGEL_PAIRS_H

#include "record.h"

KUGEL_BEGIN_DECLS

/// @defgroup pairs Pairs of bodies
/// A callback that excludes pairs or changes their contact material.
/// @{

/// Two bodies, and the contact material of their impacts and resting contacts; initially the one
/// that follows from both defs.
typedef struct kugel_pair {
    kugel_body a;              ///< the body with the lower id
    kugel_body b;              ///< the other body
    double restitution;        ///< [0, 1]
    double friction;           ///< [0, 1e6]
    double rolling_resistance; ///< [0, 1e6]
} kugel_pair;

/// A callback with its arguments.
typedef struct kugel_pair_filter {
    /// Return true if the pair interacts; the three numbers may be changed then. A number out of
    /// its range is replaced by the nearest bound, NaN by the initial value.
    ///
    /// The result must depend on `key`, the handles and the three numbers only, and be the same at
    /// each call: the world makes calls for pairs that are near, in any order and number, and from
    /// several threads at once. It must not use the world: calls that change it, and queries, are
    /// refused with KUGEL_ERROR_STATE; kugel_world_destroy does nothing. For other rules, set the
    /// filter again after the step.
    /// NULL: no filter.
    bool (*decide)(void *user, uint64_t key, kugel_pair *pair);
    void *user;   ///< passed to decide
    uint64_t key; ///< passed to decide and recorded: a number for the present rules
} kugel_pair_filter;

/// Set the pair filter from the next step on. All sleeping bodies wake. Resting contacts that it
/// excludes end (kugel_touch). The next step builds the neighbour lists anew, in O(bodies).
///
/// The filter is not part of the canonical state: hashes and snapshots leave it out, a restored
/// world keeps its own, and a clone has that of its original. A recording contains the key only;
/// its player needs the same callback (kugel_player_set_pair_filter).
/// @param filter NULL, or with a NULL decide: removes the filter.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (a NULL world) or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_set_pair_filter(kugel_world *world,
                                                   const kugel_pair_filter *filter);

/// The pair filter; without one all members are 0.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (NULL).
KUGEL_API kugel_status kugel_world_get_pair_filter(const kugel_world *world,
                                                   kugel_pair_filter *filter);

/// Give a player the callback of the recorded world; it is called with the recorded keys, and the
/// one before is not called any more. Without it (NULL), a recording with a pair filter stops with
/// KUGEL_PLAY_ERROR and KUGEL_ERROR_STATE where the filter is set or in use; then set it and seek.
/// With another callback the ticks differ from the recorded ones.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (a NULL player).
KUGEL_API kugel_status kugel_player_set_pair_filter(
    kugel_player *player, bool (*decide)(void *user, uint64_t key, kugel_pair *pair), void *user);

/// @}

KUGEL_END_DECLS
#endif
