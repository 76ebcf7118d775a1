/** @file
 * What contacts of two materials have in common: the table of pairs, and the pair filter.
 *
 * The table gives restitution, friction, rolling resistance and tangential restitution to pairs of
 * kinds of material. It holds for impacts and resting contacts between bodies, and between bodies
 * and walls or surfaces.
 *
 * The pair filter is a callback. It decides whether two bodies, or a body and a surface, interact,
 * and can change the material of their contacts. Categories, masks and groups (kugel_body_def,
 * kugel_surface_def) are tested first: the callback gets only pairs that they admit. Walls of the
 * box, sensors and queries do not use the callback. A world without a pair filter has no extra
 * cost. */
#ifndef KUGEL_PAIRS_H
#define KUGEL_PAIRS_H

#include "record.h"

KUGEL_BEGIN_DECLS

/// @defgroup pairs Pairs
/// Contact material by pairs of kinds, and a callback that excludes pairs of bodies, or of a body
/// and a surface, or changes their contact material.
/// @{

/// The material of impacts and resting contacts of a pair.
typedef struct kugel_pair_material {
    double restitution;            ///< [0, 1]
    double friction;               ///< [0, 1e6]
    double rolling_resistance;     ///< [0, 1e6]
    double tangential_restitution; ///< [-1, 1], see kugel_body_def
} kugel_pair_material;

/// Set the contact material of two kinds of material, in any order, from the next step on. It
/// replaces the rules by which a pair that is not in the table has the larger restitution, the
/// larger rolling resistance, sqrt(f1 f2) of the frictions and the tangential restitution farther
/// from 0. Bodies, surfaces and walls have a kind: kugel_body_def, kugel_surface_def,
/// kugel_world_def.face_kinds. Sleeping bodies wake that rest on each other, on a wall or on a
/// surface with this pair of kinds. The table is part of the canonical state.
/// @param kind_a, kind_b below KUGEL_KIND_COUNT; they may be equal.
/// @param material NULL removes the pair from the table.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_set_pair_material(kugel_world *world, uint32_t kind_a,
                                                     uint32_t kind_b,
                                                     const kugel_pair_material *material,
                                                     size_t size);

/// True if the table has the pair of kinds, in any order.
/// @param material may be NULL; receives the numbers of the pair, or 0.
KUGEL_API bool kugel_world_get_pair_material(const kugel_world *world, uint32_t kind_a,
                                             uint32_t kind_b, kugel_pair_material *material,
                                             size_t size);

/// Two bodies, or a body and a surface, and the material of their impacts and resting contacts. The
/// initial numbers are those of the table or, if it lacks the pair of their kinds, follow from
/// their properties.
typedef struct kugel_pair {
    kugel_body a;                  ///< the body; of two bodies that with the lower id
    kugel_body b;                  ///< the other body; null if the pair has a surface
    kugel_surface surface;         ///< the surface; null if the pair has two bodies
    double restitution;            ///< [0, 1]
    double friction;               ///< [0, 1e6]
    double rolling_resistance;     ///< [0, 1e6]
    bool failed;                   ///< false; true ends the call, see kugel_pair_filter.decide
    double tangential_restitution; ///< [-1, 1]
} kugel_pair;

/// A callback with its arguments.
typedef struct kugel_pair_filter {
    /// Return true if the pair interacts; then the four numbers of *pair may be changed. A number
    /// out of its range is replaced by the nearest bound, NaN by the initial number. NULL: no
    /// filter.
    ///
    /// The result must depend on `key` and the handles only, the four numbers also on their
    /// initial values; all must be the same at each call. The world calls `decide` for bodies that
    /// are near each other or a surface, in any order, any number of times, and from several
    /// threads at once. The callback must not use the world: its
    /// calls are refused as world.h says, and kugel_world_destroy does nothing. To change rules,
    /// set the filter again after the step.
    ///
    /// A callback that cannot decide sets pair->failed to true. The step, or the call that sets the
    /// filter, then ends with KUGEL_ERROR_STATE and leaves the world as it was. Before that the
    /// callback may be called for further pairs.
    bool (*decide)(void *user, uint64_t key, kugel_pair *pair);
    void *user;   ///< passed to decide
    uint64_t key; ///< passed to decide and recorded: names the rules that apply
} kugel_pair_filter;

/// Set the pair filter from the next step on. All sleeping bodies wake. Resting contacts that the
/// new filter excludes end (kugel_touch). The next step rebuilds the neighbour lists, in O(bodies).
///
/// The filter is not part of the canonical state: hashes and snapshots leave it out. A restored
/// world keeps its filter, and a clone has that of its original. A recording contains the key only;
/// its player needs the same callback (kugel_player_set_pair_filter).
/// @param filter the filter; NULL or a NULL decide: no filter.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (a NULL world), KUGEL_ERROR_OUT_OF_MEMORY, or
/// KUGEL_ERROR_STATE: the new filter failed for a resting contact.
KUGEL_API kugel_status kugel_world_set_pair_filter(kugel_world *world,
                                                   const kugel_pair_filter *filter, size_t size);

/// The pair filter; all its members are 0 if there is none.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (NULL).
KUGEL_API kugel_status kugel_world_get_pair_filter(const kugel_world *world,
                                                   kugel_pair_filter *filter, size_t size);

/// Set the callback of a player, which must be that of the recorded world; it replaces the one
/// before. The player calls it with the recorded keys. Without a callback (NULL) a recording with a
/// pair filter stops with KUGEL_PLAY_ERROR and KUGEL_ERROR_STATE where the filter is set or in use;
/// then set the callback and seek. A callback that fails stops the player in the same way. With
/// another callback the ticks differ from the recorded ones.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (a NULL player).
KUGEL_API kugel_status kugel_player_set_pair_filter(
    kugel_player *player, bool (*decide)(void *user, uint64_t key, kugel_pair *pair), void *user);

/// @cond
#ifndef KUGEL_PASS_SIZES /* version.h */
#define kugel_world_set_pair_material(...)                                                         \
    kugel_world_set_pair_material(__VA_ARGS__, sizeof(kugel_pair_material))
#define kugel_world_get_pair_material(...)                                                         \
    kugel_world_get_pair_material(__VA_ARGS__, sizeof(kugel_pair_material))
#define kugel_world_set_pair_filter(...)                                                           \
    kugel_world_set_pair_filter(__VA_ARGS__, sizeof(kugel_pair_filter))
#define kugel_world_get_pair_filter(...)                                                           \
    kugel_world_get_pair_filter(__VA_ARGS__, sizeof(kugel_pair_filter))
#endif
/// @endcond

/// @}

KUGEL_END_DECLS
#endif
