/** @file
 * Bodies as hosts use them: properties that change during a run, single values, user data, sleep,
 * pushes at points, kinematic targets, contacts, bulk reads, explosions. Errors and ranges as in
 * world.h. Calls that change a world are recorded, except those that set user data. */
#ifndef KUGEL_BODY_H
#define KUGEL_BODY_H

#include "events.h"

KUGEL_BEGIN_DECLS

/// @defgroup bodies Bodies during a run
/// Properties, pushes, targets, sleep, contacts, bulk reads, moved bodies.
/// @{

/* Single values. */

/// The position. @param position receives 3 values, m.
/// @return KUGEL_OK, KUGEL_ERROR_STALE_HANDLE or KUGEL_ERROR_INVALID_ARGUMENT (NULL).
KUGEL_API kugel_status kugel_body_get_position(const kugel_world *world, kugel_body body,
                                               double *position);

/// The velocity, as kugel_body_get_position. @param velocity receives 3 values, m/s.
KUGEL_API kugel_status kugel_body_get_velocity(const kugel_world *world, kugel_body body,
                                               double *velocity);

/// The spin, as kugel_body_get_position. @param spin receives 3 values, rad/s.
KUGEL_API kugel_status kugel_body_get_spin(const kugel_world *world, kugel_body body, double *spin);

/// The orientation, as kugel_body_get_position.
/// @param orientation receives a unit quaternion x, y, z, w.
KUGEL_API kugel_status kugel_body_get_orientation(const kugel_world *world, kugel_body body,
                                                  float *orientation);

/// Set the orientation at once, of any body. It moves no sphere, so no body wakes.
/// @param orientation a unit quaternion x, y, z, w, within 1e-5 as in kugel_body_def.
/// @return KUGEL_OK, KUGEL_ERROR_STALE_HANDLE or KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_body_set_orientation(kugel_world *world, kugel_body body,
                                                  const float *orientation);

/* User data: 64 bits for the host, as a pointer or an index. They are not part of the
 * canonical state: hashes, snapshots and recordings leave them out, because they change no result
 * and a pointer means nothing in another process. kugel_world_clone copies them. In
 * kugel_snapshot_restore bodies whose handle lives before and after keep theirs, as does the world;
 * other bodies may have 0, so that the host sets them again. */

/// Set a body's user data. @return also KUGEL_ERROR_OUT_OF_MEMORY: the first user data other than
/// 0 in a world allocates memory.
KUGEL_API kugel_status kugel_body_set_user_data(kugel_world *world, kugel_body body,
                                                uint64_t user_data);

/// A body's user data, as kugel_body_get_position. @param user_data receives it; initially that of
/// the def.
KUGEL_API kugel_status kugel_body_get_user_data(const kugel_world *world, kugel_body body,
                                                uint64_t *user_data);

/// Set a world's user data. @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (NULL).
KUGEL_API kugel_status kugel_world_set_user_data(kugel_world *world, uint64_t user_data);

/// A world's user data; initially 0.
KUGEL_API uint64_t kugel_world_get_user_data(const kugel_world *world);

/* Properties: they hold from the next step on. The body and bodies in contact with it wake.
 * The next step builds its neighbour lists anew, in O(bodies). */

/// Set the mass; the moment of inertia follows. Velocity and spin stay.
/// @param mass kg, >= 1e-30. @return also KUGEL_ERROR_INVALID_ARGUMENT for static and kinematic
/// bodies.
KUGEL_API kugel_status kugel_body_set_mass(kugel_world *world, kugel_body body, double mass);

/// Set the radius; the mass stays, the moment of inertia follows. The resting contacts end (see
/// kugel_touch); pairs that still touch begin again in the next step. For sensors the body is
/// placed anew. An overlap that the new radius makes is pushed apart like any other.
/// @param radius m, >= 1e-12, below a quarter of a periodic axis.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_radius(kugel_world *world, kugel_body body, double radius);

/// Set the restitution. @param restitution [0, 1].
/// @return also KUGEL_ERROR_OUT_OF_MEMORY, as the next three functions.
KUGEL_API kugel_status kugel_body_set_restitution(kugel_world *world, kugel_body body,
                                                  double restitution);

/// Set the friction. @param friction [0, 1e6].
KUGEL_API kugel_status kugel_body_set_friction(kugel_world *world, kugel_body body,
                                               double friction);

/// Set the rolling resistance. @param rolling_resistance [0, 1e6].
KUGEL_API kugel_status kugel_body_set_rolling_resistance(kugel_world *world, kugel_body body,
                                                         double rolling_resistance);

/// Set the factor of gravity. @param gravity_scale [-1e6, 1e6].
KUGEL_API kugel_status kugel_body_set_gravity_scale(kugel_world *world, kugel_body body,
                                                    double gravity_scale);

/// Set how the body moves. A body that becomes static loses velocity and spin; one that becomes
/// static or kinematic loses its forces and is awake, which no event reports. Contacts and sensors
/// as for kugel_body_set_radius.
/// @param mass kg, >= 1e-30, of a dynamic body; ignored for the other types.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_type(kugel_world *world, kugel_body body,
                                           kugel_body_type type, double mass);

/* Images. */

/// Set the image of a body: how often it left through the max face of each periodic axis, less how
/// often through the min face. Steps count on from it, modulo 2^32. position + image * length of
/// the axis is the unwrapped position, which is continuous. A step moves any body whose centre is
/// on a max face to the min face, which is the same place. Images change no result and are not
/// hashed; snapshots, clones and recordings keep them. kugel_body_set_position leaves them.
/// @param image 3 values, 0 along axes that are not periodic.
KUGEL_API kugel_status kugel_body_set_image(kugel_world *world, kugel_body body,
                                            const int32_t *image);

/* Sleep. */

/// Wake a sleeping body and all bodies that it is connected to by resting contacts. The next step
/// reports them (kugel_world_wakes). No effect on other bodies.
KUGEL_API kugel_status kugel_body_wake(kugel_world *world, kugel_body body);

/// Put a body to sleep, at any speed, with all dynamic bodies that it is connected to by resting
/// contacts: velocities, spins, forces and torques become 0. No event reports it. They wake as
/// other sleeping bodies do; a moving kinematic body or surface in contact with them wakes them in
/// the next step, or when a call wakes another body. No effect on a sleeping body.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT for static and kinematic bodies, KUGEL_ERROR_STATE for
/// a body without a resting contact or in a world whose bodies do not sleep.
KUGEL_API kugel_status kugel_body_sleep(kugel_world *world, kugel_body body);

/* Pushes at points, targets. */

/// Add a force for the next step, and the torque (point - centre) x force. Recorded as force and
/// torque. Limits and errors as for kugel_body_apply_force.
/// @param force 3 values, N. @param point 3 values, m, anywhere; along a periodic axis the lever
/// arm is the shortest one.
KUGEL_API kugel_status kugel_body_apply_force_at(kugel_world *world, kugel_body body,
                                                 const double *force, const double *point);

/// Change velocity and spin at once by an impulse at a point, as kugel_body_apply_force_at.
/// @param impulse 3 values, N s. @param point 3 values, m.
KUGEL_API kugel_status kugel_body_apply_impulse_at(kugel_world *world, kugel_body body,
                                                   const double *impulse, const double *point);

/// Set the velocity of a kinematic body so that it is at `position` after one step of dt, up to
/// rounding; along a periodic axis on the shortest way. The velocity stays after that step. The
/// call is recorded as kugel_body_set_velocity.
/// @param position 3 values, m, inside closed bounds. @param dt s, > 0.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT for other types, and when the speed leaves its range.
KUGEL_API kugel_status kugel_body_set_target(kugel_world *world, kugel_body body,
                                             const double *position, double dt);

/// Set the spin of a kinematic body so that it has `orientation` after one step of dt, up to the
/// rounding of floats, about 1e-6 rad; on the shorter way, at most half a turn. The spin stays
/// after that step. The call is recorded as kugel_body_set_spin.
/// @param orientation a unit quaternion x, y, z, w. @param dt s, > 0.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT for other types, and when the spin leaves its range.
KUGEL_API kugel_status kugel_body_set_target_orientation(kugel_world *world, kugel_body body,
                                                         const float *orientation, double dt);

/* Contacts. */

/// A resting contact between two steps. Impacts are events (kugel_world_impacts).
typedef struct kugel_resting_contact {
    kugel_target target; ///< what a touches
    uint32_t index;      ///< of the target, see kugel_target
    kugel_body a;        ///< the body
    kugel_body b;        ///< the other body; null for faces, planes and surfaces
    double point[3];     ///< m, the point of a's surface nearest to the target
    double normal[3];    ///< unit, from a towards b or into the boundary
    double gap;          ///< m, between the surfaces; negative: penetration
    double force;        ///< N, >= 0, along the normal: the mean of the last substep
    double friction[3];  ///< N, on a: the mean of the last substep
    uint32_t triangle;   ///< as kugel_touch's
} kugel_resting_contact;

/// The resting contacts of a body, which is `a` in each: with other bodies in the order of ids,
/// then with surfaces, faces and planes. A gap beyond the slop: the contact opened in the last
/// substep, and the next step ends it. A body that stands on something has a contact whose normal
/// points along gravity. The first call after contacts changed builds an index in O(contacts of
/// the world); further calls cost O(contacts of the body). Several threads may call it between
/// steps.
/// @param capacity rows of `contacts`, which may be NULL for 0.
/// @param count receives the number of all contacts; at most `capacity` are written.
/// @return KUGEL_OK, KUGEL_ERROR_STALE_HANDLE, _INVALID_ARGUMENT (NULL) or _OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_contacts(const kugel_world *world, kugel_body body,
                                           size_t capacity, kugel_resting_contact *contacts,
                                           size_t *count);

/// All resting contacts, in the same order for each a by id, without an index; a has the lower id
/// of two bodies.
/// @param capacity, count as kugel_body_contacts.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (NULL).
KUGEL_API kugel_status kugel_world_contacts(const kugel_world *world, size_t capacity,
                                            kugel_resting_contact *contacts, size_t *count);

/* Many bodies at once. */

/// Where kugel_world_read_arrays writes. Each array may be NULL; shapes for n rows.
typedef struct kugel_body_arrays {
    kugel_body *bodies;  ///< [n], handles
    double *position;    ///< [3n], m
    double *velocity;    ///< [3n], m/s
    double *spin;        ///< [3n], rad/s
    float *orientation;  ///< [4n], unit quaternions x, y, z, w
    double *radius;      ///< [n], m
    bool *asleep;        ///< [n], true while the body sleeps
    uint64_t *user_data; ///< [n]
    int32_t *image;      ///< [3n], see kugel_body_set_image
    double *mass;        ///< [n], kg; 0 for static and kinematic bodies
} kugel_body_arrays;

/// Copy all live bodies in id order.
/// @param capacity rows of each array. @return the number of live bodies; at most `capacity` rows
/// are written; 0 for NULL.
KUGEL_API uint32_t kugel_world_read_arrays(const kugel_world *world, uint32_t capacity,
                                           const kugel_body_arrays *arrays);

/// A body that moved.
typedef struct kugel_move {
    kugel_body body;      ///< its handle
    uint64_t user_data;   ///< see kugel_body_set_user_data
    double position[3];   ///< m, present value
    float orientation[4]; ///< present value
    bool fell_asleep;     ///< true if it fell asleep in the last step: its last move for a while
} kugel_move;

/// The bodies that moved in the last step, in id order: dynamic bodies that were awake in it, and
/// kinematic bodies whose velocity or spin is not 0. Bodies that were created since, or whose
/// snapshot was restored, count as moved while they are awake. Call it between the step and calls
/// that change bodies.
/// @param capacity rows of `moves`, which may be NULL for 0. @return the number of such bodies; at
/// most `capacity` are written; 0 for NULL.
KUGEL_API uint32_t kugel_world_moves(const kugel_world *world, uint32_t capacity,
                                     kugel_move *moves);

/* Explosions. */

/// An impulse away from a point. Start from kugel_explosion_def_default().
typedef struct kugel_explosion_def {
    uint32_t cookie;  ///< set by the default function; leave unchanged
    double center[3]; ///< m; default 0
    double radius;    ///< m, >= 0: bodies whose surface is as near get all of it; default 1
    double falloff;   ///< m, >= 0: beyond the radius it falls linearly to 0 over this; default 0
    double impulse;   ///< N s on a body; negative: towards the point; default 0
    uint32_t mask;    ///< bits: bodies with category & mask are pushed; default all
} kugel_explosion_def;

/// Defaults as documented at each field.
KUGEL_API kugel_explosion_def kugel_explosion_def_default(void);

/// Push the dynamic bodies around a point away from it, along the line through their centres; a
/// body centred on the point along +z. Along periodic axes the shortest way counts. The bodies
/// wake. Recorded as an impulse on each body; it pushes through what lies between. O(bodies).
/// @param count may be NULL; receives the number of bodies pushed.
/// @return KUGEL_OK, KUGEL_ERROR_UNINITIALIZED_DEF, or _INVALID_ARGUMENT (also: a velocity would
/// leave +-1e15 m/s; then no body is pushed).
KUGEL_API kugel_status kugel_world_explode(kugel_world *world, const kugel_explosion_def *def,
                                           uint32_t *count);

/// @}

KUGEL_END_DECLS
#endif
