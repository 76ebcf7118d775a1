/** @file
 * Bodies during a run: values, user data, properties, sleep, pushes at points, targets of kinematic
 * bodies, contacts, bulk reads, explosions. Ranges and errors are those of world.h; "@return also"
 * names further errors. A recording holds all calls of this file that change a world, except those
 * that set user data. */
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
                                                  double *orientation);

/// Set the orientation of a body of any type at once. The sphere stays where it is, so no body
/// wakes.
/// @param orientation a unit quaternion x, y, z, w, within 1e-5 as in kugel_body_def.
/// @return KUGEL_OK, KUGEL_ERROR_STALE_HANDLE or KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_body_set_orientation(kugel_world *world, kugel_body body,
                                                  const double *orientation);

/* User data: 64 bits for the host, such as a pointer or an index. They change no result and are not
 * part of the canonical state: hashes, snapshots and recordings leave them out. kugel_world_clone
 * copies them. kugel_snapshot_restore keeps the user data of the world, and of each body whose
 * handle is valid before and after. The user data of other bodies may become 0: set them again.
 * Surfaces have user data, too (kugel_world_set_surface_user_data). */

/// Set a body's user data. @return also KUGEL_ERROR_OUT_OF_MEMORY: the first user data other than
/// 0 in a world allocates memory.
KUGEL_API kugel_status kugel_body_set_user_data(kugel_world *world, kugel_body body,
                                                uint64_t user_data);

/// A body's user data, as kugel_body_get_position. @param user_data receives the value; initially
/// that of kugel_body_def.
KUGEL_API kugel_status kugel_body_get_user_data(const kugel_world *world, kugel_body body,
                                                uint64_t *user_data);

/// Set a world's user data. @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (NULL).
KUGEL_API kugel_status kugel_world_set_user_data(kugel_world *world, uint64_t user_data);

/// A world's user data; initially 0. 0 for a NULL world.
KUGEL_API uint64_t kugel_world_get_user_data(const kugel_world *world);

/* Properties. A new value applies from the next step on. The body wakes, and so do bodies in
 * contact with it. The next step rebuilds the neighbour lists, in O(bodies). */

/// Set the mass of a dynamic body; the moment of inertia follows. Velocity and spin stay.
/// @param mass kg, >= 1e-30. @return also KUGEL_ERROR_INVALID_ARGUMENT for static and kinematic
/// bodies.
KUGEL_API kugel_status kugel_body_set_mass(kugel_world *world, kugel_body body, double mass);

/// Set the radius; the mass stays, the moment of inertia follows. The resting contacts of the body
/// end, and pairs that still touch begin again in the next step (kugel_touch). Sensors report the
/// body like one that a call moved (kugel_sensor_event). If the new radius makes bodies overlap,
/// steps push them apart.
/// @param radius m, >= 1e-12, below a quarter of the length of each periodic axis.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_radius(kugel_world *world, kugel_body body, double radius);

/// Set the restitution. @param restitution [0, 1].
/// @return also KUGEL_ERROR_OUT_OF_MEMORY. So do the next three functions.
KUGEL_API kugel_status kugel_body_set_restitution(kugel_world *world, kugel_body body,
                                                  double restitution);

/// Set the friction. @param friction [0, 1e6].
KUGEL_API kugel_status kugel_body_set_friction(kugel_world *world, kugel_body body,
                                               double friction);

/// Set the rolling resistance. @param rolling_resistance [0, 1e6].
KUGEL_API kugel_status kugel_body_set_rolling_resistance(kugel_world *world, kugel_body body,
                                                         double rolling_resistance);

/// Set the factor by which gravity acts on the body. @param gravity_scale [-1e6, 1e6].
KUGEL_API kugel_status kugel_body_set_gravity_scale(kugel_world *world, kugel_body body,
                                                    double gravity_scale);

/// Set how the body moves. A body that becomes static or kinematic loses its forces and torques,
/// and a sleeping one is then awake without a wake event. A body that becomes static also loses
/// velocity and spin. Resting contacts and sensor events as for kugel_body_set_radius.
/// @param mass kg, >= 1e-30, of a dynamic body; ignored for the other types.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_type(kugel_world *world, kugel_body body,
                                           kugel_body_type type, double mass);

/* Images. */

/// Set the image of a body. Along a periodic axis the image is the number of times that the body
/// left through the max face, minus the times that it left through the min face. Steps count on
/// from the given value, modulo 2^32. position + image * length of the axis is the unwrapped
/// position, which is continuous. A call that puts a centre on a max face puts it on the min
/// face of the next image: the same place and unwrapped position. Otherwise
/// kugel_body_set_position leaves images unchanged. Images change no result and are not hashed;
/// snapshots, clones and recordings keep them.
/// @param image 3 values, 0 along axes that are not periodic.
KUGEL_API kugel_status kugel_body_set_image(kugel_world *world, kugel_body body,
                                            const int32_t *image);

/* Sleep. */

/// Wake a sleeping body and all bodies that are connected to it by resting contacts. The next step
/// reports them (kugel_world_wakes). No effect on a body that is awake.
KUGEL_API kugel_status kugel_body_wake(kugel_world *world, kugel_body body);

/// Put a body to sleep, at any speed, with all dynamic bodies that are connected to it by resting
/// contacts. Their velocities, spins, forces and torques become 0. No event reports the sleep. They
/// wake as other sleeping bodies do. A moving kinematic body or surface in contact with them wakes
/// them in the next step, or in a call before it that wakes any body. No effect on a sleeping body.
/// What is at rest does not wake them, also where they overlap it.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT for static and kinematic bodies, KUGEL_ERROR_STATE for
/// a body without a resting contact, or if kugel_world_def.sleep is false.
KUGEL_API kugel_status kugel_body_sleep(kugel_world *world, kugel_body body);

/* Pushes at points, targets. */

/// Add a force for the next step, and the torque (point - centre) x force. The call is recorded as
/// a force and a torque. Limits and errors as for kugel_body_apply_force.
/// @param force 3 values, N. @param point 3 values, m, on the body or anywhere else; along a
/// periodic axis the shortest lever arm counts.
KUGEL_API kugel_status kugel_body_apply_force_at(kugel_world *world, kugel_body body,
                                                 const double *force, const double *point);

/// Change velocity and spin at once by an impulse at a point. The point is that of
/// kugel_body_apply_force_at; limits and errors are those of kugel_body_apply_impulse and
/// kugel_body_apply_angular_impulse. Resting contacts end as for kugel_body_set_velocity.
/// @param impulse 3 values, N s. @param point 3 values, m.
KUGEL_API kugel_status kugel_body_apply_impulse_at(kugel_world *world, kugel_body body,
                                                   const double *impulse, const double *point);

/// Set the velocity of a kinematic body so that the body is at `position` after one step of dt, up
/// to rounding. Along a periodic axis the body takes the shortest way. The velocity stays after
/// that step. The call is recorded as kugel_body_set_velocity.
/// @param position 3 values, m, inside closed bounds. @param dt s, > 0.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT: the body is not kinematic, or the velocity would
/// leave +-1e15 m/s.
KUGEL_API kugel_status kugel_body_set_target(kugel_world *world, kugel_body body,
                                             const double *position, double dt);

/// Set the spin of a kinematic body so that the body has `orientation` after one step of dt, up to
/// 1e-14 rad. The body turns the shorter way, at most half a turn. The
/// spin stays after that step. The call is recorded as kugel_body_set_spin.
/// @param orientation a unit quaternion x, y, z, w. @param dt s, > 0.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT: the body is not kinematic, or the spin would leave
/// +-1e15 rad/s.
KUGEL_API kugel_status kugel_body_set_target_orientation(kugel_world *world, kugel_body body,
                                                         const double *orientation, double dt);

/* Contacts. */

/// A resting contact between two steps. Impacts are events (kugel_world_impacts).
typedef struct kugel_resting_contact {
    kugel_target target; ///< the kind of what a touches
    uint32_t index;      ///< of the target, see kugel_target
    kugel_body a;        ///< the body
    kugel_body b;        ///< the other body; null for faces, planes and surfaces
    double point[3];     ///< m, the point of a's surface nearest to the target
    double normal[3];    ///< unit, from a towards b or into the face, plane or surface
    double gap;          ///< m, between the surfaces; negative: penetration
    double force; ///< N, >= 0, normal force: the mean over the last substep; in a tick shorter
                  ///< than T = sqrt(3.5e-4 r / g), r the smaller radius, about over T
    double friction[3]; ///< N, friction force on a: a mean like that of `force`
    uint32_t triangle;  ///< of a surface, as in kugel_touch; else 0
} kugel_resting_contact;

/// The resting contacts of a body; the body is `a` in each. They are sorted: contacts with other
/// bodies by id, then with surfaces, then with faces and planes. A contact whose gap exceeds the
/// slop opened in the last substep; the next step ends it. A body that stands on something has a
/// contact whose normal points along gravity. The first call after contacts changed builds an index
/// in O(contacts of the world); further calls cost O(contacts of the body). Several threads may
/// call this function between steps.
/// @param capacity rows of `contacts`, which may be NULL for 0.
/// @param count receives the number of all contacts; at most `capacity` are written.
/// @return KUGEL_OK, KUGEL_ERROR_STALE_HANDLE, _INVALID_ARGUMENT (NULL), _STATE (in a pair filter)
/// or _OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_contacts(const kugel_world *world, kugel_body body,
                                           size_t capacity, kugel_resting_contact *contacts,
                                           size_t *count);

/// All resting contacts, each once, sorted by the id of a and then as in kugel_body_contacts. Of
/// two bodies a has the lower id. No index is built.
/// @param capacity, count as for kugel_body_contacts.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (NULL) or _STATE (in a pair filter).
KUGEL_API kugel_status kugel_world_contacts(const kugel_world *world, size_t capacity,
                                            kugel_resting_contact *contacts, size_t *count);

/* Many bodies at once. */

/// The arrays that kugel_world_read_arrays fills. Each may be NULL. Shapes are for n rows.
typedef struct kugel_body_arrays {
    kugel_body *bodies;  ///< [n], handles
    double *position;    ///< [3n], m
    double *velocity;    ///< [3n], m/s
    double *spin;        ///< [3n], rad/s
    double *orientation; ///< [4n], unit quaternions x, y, z, w
    double *radius;      ///< [n], m
    bool *asleep;        ///< [n], true for a sleeping body
    uint64_t *user_data; ///< [n], see kugel_body_set_user_data
    int32_t *image;      ///< [3n], see kugel_body_set_image
    double *mass;        ///< [n], kg; 0 for static and kinematic bodies
} kugel_body_arrays;

/// Copy all live bodies in id order.
/// @param capacity rows of each array. @return the number of live bodies, of which at most
/// `capacity` are written; 0 if an argument is NULL.
KUGEL_API uint32_t kugel_world_read_arrays(const kugel_world *world, uint32_t capacity,
                                           const kugel_body_arrays *arrays);

/// A body that moved.
typedef struct kugel_move {
    kugel_body body;       ///< its handle
    uint64_t user_data;    ///< see kugel_body_set_user_data
    double position[3];    ///< m, present value
    double orientation[4]; ///< unit quaternion x, y, z, w, present value
    bool fell_asleep;      ///< true if the body fell asleep in the last step
} kugel_move;

/// The bodies that moved in the last step, in id order: dynamic bodies that were awake in the step,
/// and kinematic bodies whose velocity or spin is not 0. Dynamic bodies that were created or
/// restored since the step count as moved if they are awake. Call this function after the step,
/// before calls that change bodies.
/// @param capacity rows of `moves`, which may be NULL for 0. @return the number of such bodies, of
/// which at most `capacity` are written; 0 for a NULL world.
KUGEL_API uint32_t kugel_world_moves(const kugel_world *world, uint32_t capacity,
                                     kugel_move *moves);

/* Explosions. */

/// An explosion: an impulse on the bodies around a point. Start from kugel_explosion_def_default().
typedef struct kugel_explosion_def {
    uint32_t cookie;  ///< set by the default function; leave unchanged
    double center[3]; ///< m; default 0
    /// m, >= 0: a body whose surface is within this distance gets the full impulse; default 1
    double radius;
    /// m, >= 0: beyond `radius` the impulse falls linearly to 0 over this distance; default 0
    double falloff;
    double impulse; ///< N s, full impulse on a body; negative: towards the point; default 0
    uint32_t mask;  ///< bits: a body is pushed if its category & mask is not 0; default all
} kugel_explosion_def;

/// Defaults as documented at each field.
KUGEL_API kugel_explosion_def kugel_explosion_def_default(void);

/// Push the dynamic bodies around a point away from it, each along the line from the point through
/// its centre; a body centred on the point is pushed along +z. Along periodic axes the shortest way
/// counts. Obstacles between the point and a body have no effect. The bodies wake. The call is
/// recorded as an impulse on each body. Cost: O(bodies).
/// @param count may be NULL; receives the number of bodies pushed.
/// @return KUGEL_OK, KUGEL_ERROR_UNINITIALIZED_DEF, or _INVALID_ARGUMENT (also: a velocity would
/// leave +-1e15 m/s). On an error no body is pushed.
KUGEL_API kugel_status kugel_world_explode(kugel_world *world, const kugel_explosion_def *def,
                                           uint32_t *count);

/// @}

KUGEL_END_DECLS
#endif
