/** @file
 * Bodies during a run: values, user data, properties, sleep, targets of kinematic bodies,
 * contacts, bulk reads, thermostats, explosions. Ranges and errors are those of world.h; "@return
 * also" names further errors. A recording holds all calls of this file that change a world, except
 * those that set user data. */
#ifndef KUGEL_BODY_H
#define KUGEL_BODY_H

#include "events.h"

KUGEL_BEGIN_DECLS

/// @defgroup bodies Bodies during a run
/// Properties, targets, sleep, contacts, bulk reads, moved bodies.
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

/// The velocity of a point that moves with the body: velocity + spin x (point - centre).
/// @param point 3 values, m, as for kugel_body_apply_force. @param velocity receives 3 values,
/// m/s. @return as kugel_body_get_position.
KUGEL_API kugel_status kugel_body_velocity_at(const kugel_world *world, kugel_body body,
                                              const double *point, double *velocity);

/// The rotation, as kugel_body_get_position.
/// @param rotation receives a unit quaternion x, y, z, w.
KUGEL_API kugel_status kugel_body_get_rotation(const kugel_world *world, kugel_body body,
                                               double *rotation);

/// Set the rotation of a body of any type at once. The sphere stays where it is, so no body
/// wakes.
/// @param rotation a unit quaternion x, y, z, w.
/// @return KUGEL_OK, KUGEL_ERROR_STALE_HANDLE or KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_body_set_rotation(kugel_world *world, kugel_body body,
                                               const double *rotation);

/* User data: 64 bits for the host, such as a pointer or an index. They change no result and are not
 * part of the canonical state: hashes, snapshots and recordings leave them out. kugel_world_clone
 * copies them. kugel_snapshot_restore keeps the user data of the world, and of each body whose
 * handle is valid before and after. The user data of other bodies may become 0: set them again.
 * Surfaces have user data, too (kugel_surface_set_user_data). */

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
 * contact with it. After a change of a radius, a type, a filter or a position the next step
 * rebuilds all neighbour lists, in O(bodies); other properties have no such cost. */

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

/// Set the material. @param restitution [0, 1]. @param friction, rolling_resistance [0, 1e6].
/// @param tangential_restitution [-1, 1], see kugel_body_def.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY. So do the next three functions.
KUGEL_API kugel_status kugel_body_set_material(kugel_world *world, kugel_body body,
                                               double restitution, double friction,
                                               double rolling_resistance,
                                               double tangential_restitution);

/// Set the kind of material (kugel_world_set_pair_material). @param kind below KUGEL_KIND_COUNT.
KUGEL_API kugel_status kugel_body_set_kind(kugel_world *world, kugel_body body, uint32_t kind);

/// Set the factor by which gravity acts on the body. @param gravity_scale [-1e6, 1e6].
KUGEL_API kugel_status kugel_body_set_gravity_scale(kugel_world *world, kugel_body body,
                                                    double gravity_scale);

/// Set the damping, which is added to that of the world: without other accelerations the velocity
/// falls by the factor exp(-linear t), the spin by exp(-angular t). @param linear, angular 1/s,
/// [0, 1e6].
KUGEL_API kugel_status kugel_body_set_damping(kugel_world *world, kugel_body body, double linear,
                                              double angular);

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
/// reports them (kugel_world_wake_events). No effect on a body that is awake.
KUGEL_API kugel_status kugel_body_wake(kugel_world *world, kugel_body body);

/// Put a body to sleep, at any speed, with all dynamic bodies that are connected to it by resting
/// contacts. Their velocities, spins, forces and torques become 0. No event reports the sleep. They
/// wake as other sleeping bodies do. A moving kinematic body or surface in contact with them wakes
/// them in the next step, or in a call before it that wakes any body. No effect on a sleeping body.
/// What is at rest does not wake them, also where they overlap it.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT for static and kinematic bodies, KUGEL_ERROR_STATE for
/// a body without a resting contact, or if kugel_world_def.sleep is false.
KUGEL_API kugel_status kugel_body_sleep(kugel_world *world, kugel_body body);

/// Allow a body to fall asleep by itself, or not. While it is not allowed to, the bodies that
/// resting contacts connect it to stay awake, too; kugel_body_sleep still works. A sleeping body
/// wakes. No effect if the body is already as `can_sleep` says.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_can_sleep(kugel_world *world, kugel_body body,
                                                bool can_sleep);

/* Axis locks. */

/// Lock axes of a dynamic body, from now on. Its velocity along a locked linear axis and its spin
/// about a locked angular axis are 0 and stay so, whatever acts on it, and its coordinate along the
/// linear axis keeps its bits. The world takes what the axes hold, like a rail of infinite mass;
/// along free axes momentum is conserved. A velocity or spin along the axes that the body has, or
/// that a later call gives it, is dropped without an error; forces and torques along them do
/// nothing. kugel_body_set_position and kugel_body_set_rotation move the body as before. Static and
/// kinematic bodies keep the locks and ignore them. Bodies that touch it wake.
/// The restitution of impacts is exact. Friction is exact if all or none of the linear axes and all
/// or none of the angular axes are locked, and in a plane, as with KUGEL_LOCK_PLANE; else an impact
/// may stop less slip than the coefficients say, never more. A moving body or surface that presses
/// bodies along their locked axes enters them.
/// @param locks bits of kugel_locks; 0: all axes are free.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_locks(kugel_world *world, kugel_body body, uint32_t locks);

/* Events. */

/// Report impacts and touches of a body, or not, from now on: kugel_world_impact_events,
/// kugel_world_begin_events, kugel_world_end_events. Those of two bodies are reported if either of
/// them reports its own; those with walls and surfaces as the body says. All else is unchanged:
/// motions, forces, contacts that can be asked for, sums of impulses, counts in kugel_stats, sensor
/// events, sleep. No body wakes. A contact that began unreported may end reported, and the reverse.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_contact_events(kugel_world *world, kugel_body body,
                                                     bool contact_events);

/* Disabled bodies. */

/// Disable a body, or enable it again. A disabled body keeps its handle, place and properties, and
/// takes part in nothing: it does not move, touch, report or get reported, and queries and
/// explosions skip it. Its velocity, spin, forces and torques become 0, its resting contacts end,
/// and sensors report its exit as for kugel_body_destroy. A velocity, spin, force or impulse other
/// than 0 gives KUGEL_ERROR_STATE; other properties can be set. An enabled body is awake and
/// begins at rest, like a new one: where it overlaps others, steps push them apart. Of a dynamic
/// body kugel_body_state.asleep is true while it is disabled; no event reports that. No effect if
/// the body is already as `enabled` says.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_enabled(kugel_world *world, kugel_body body, bool enabled);

/* Targets. */

/// Set the motion of a kinematic body so that it has a place and a rotation after one step of
/// dt: the place up to rounding, the rotation up to 1e-14 rad. Along a periodic axis the body
/// takes the shortest way; it turns the shorter way, at most half a turn. The motion stays after
/// that step. The call is recorded as kugel_body_set_velocity and kugel_body_set_spin.
/// @param position 3 values, m, inside closed bounds. NULL: the velocity stays as it is.
/// @param rotation unit quaternion x, y, z, w. NULL: the spin stays as it is. At least one of
/// position and rotation is not NULL.
/// @param dt s, > 0.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT: the body is not kinematic, or the velocity or the
/// spin would leave +-1e15 m/s or rad/s.
KUGEL_API kugel_status kugel_body_set_target(kugel_world *world, kugel_body body,
                                             const double *position, const double *rotation,
                                             double dt);

/* Contacts. */

/// A resting contact between two steps. Impacts are events (kugel_world_impact_events).
typedef struct kugel_resting_contact {
    kugel_target target; ///< the kind of what a touches
    uint32_t index;      ///< of the target, see kugel_target
    kugel_body a;        ///< the body
    kugel_body b;        ///< the other body; null for faces and surfaces
    double point[3];     ///< m, the point of a's surface nearest to the target
    double normal[3];    ///< unit, from a towards b or into the face or surface
    double gap;          ///< m, between the surfaces; negative: penetration
    double force; ///< N, >= 0, normal force: the mean over the last substep; in a tick shorter
                  ///< than T = sqrt(3.5e-4 r / g), r the smaller radius, about over T
    double friction[3]; ///< N, friction force on a: a mean like that of `force`
    uint32_t triangle;  ///< of a surface, as in kugel_touch; else 0
} kugel_resting_contact;

/// The resting contacts of a body; the body is `a` in each. They are sorted: contacts with other
/// bodies by id, then with surfaces, then with faces. A contact whose gap exceeds the
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
                                           size_t *count, size_t size);

/// All resting contacts, each once, sorted by the id of a and then as in kugel_body_contacts. Of
/// two bodies a has the lower id. No index is built.
/// @param capacity, count as for kugel_body_contacts.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (NULL) or _STATE (in a pair filter).
KUGEL_API kugel_status kugel_world_contacts(const kugel_world *world, size_t capacity,
                                            kugel_resting_contact *contacts, size_t *count,
                                            size_t size);

/* Many bodies at once. */

/// The arrays that kugel_world_read_arrays fills, and from which kugel_world_write_arrays reads.
/// Each may be NULL. Shapes are for n rows.
typedef struct kugel_body_arrays {
    kugel_body *bodies;  ///< [n], handles
    double *position;    ///< [3n], m
    double *velocity;    ///< [3n], m/s
    double *spin;        ///< [3n], rad/s
    double *rotation;    ///< [4n], unit quaternions x, y, z, w
    double *radius;      ///< [n], m
    bool *asleep;        ///< [n], true for a sleeping body
    uint64_t *user_data; ///< [n], see kugel_body_set_user_data
    int32_t *image;      ///< [3n], see kugel_body_set_image
    double *mass;        ///< [n], kg; 0 for static and kinematic bodies
    uint32_t *ids;       ///< [n], the ids in the handles
} kugel_body_arrays;

/// Copy all live bodies in id order.
/// @param capacity rows of each array. @return the number of live bodies, of which at most
/// `capacity` are written; 0 if an argument is NULL.
KUGEL_API uint32_t kugel_world_read_arrays(const kugel_world *world, uint32_t capacity,
                                           const kugel_body_arrays *arrays, size_t size);

/// Set values of many bodies: all of them, or none if the call fails. Row by row the effects are
/// those of kugel_body_set_position, _set_velocity, _set_spin, _set_rotation, _set_radius and
/// _set_mass, in this order, for the arrays that are not NULL. A recording has these calls. Of a
/// static body velocity and spin must be 0, of a static or kinematic one the mass; they then have
/// no effect, so that what kugel_world_read_arrays read can be written back.
/// @param count rows of each array.
/// @param arrays members `bodies`: the handles; NULL: all live bodies in id order, whose number
/// `count` must be. A body that is listed twice gets both rows. ids, asleep, user_data and image
/// must be NULL. The arrays are not changed.
/// @return KUGEL_OK, or as the functions above; the last error has the row.
KUGEL_API kugel_status kugel_world_write_arrays(kugel_world *world, uint32_t count,
                                                const kugel_body_arrays *arrays, size_t size);

/* Moves: what changed its place lately. A host that reads both lists between any two steps, and
 * writes each row over its own copy, has the present poses of all bodies and surfaces. Calls that
 * only read change no list, so several readers may use them. */

/// A body that moved or was placed. At least one of the four flags is true.
typedef struct kugel_move {
    kugel_body body;    ///< its handle
    uint64_t user_data; ///< see kugel_body_set_user_data
    double position[3]; ///< m, present value
    double rotation[4]; ///< unit quaternion x, y, z, w, present value
    /// true: the last step moved it: it was dynamic and awake, or kinematic with a velocity or spin
    bool moved;
    /// true: a call created it, set its position or rotation, or restored the world, since the
    /// end of the step before the last one. So the next read after one more step has it again.
    bool placed;
    bool stopped;     ///< true: the step before the last one moved it, the last one did not
    bool fell_asleep; ///< true: it fell asleep at the end of the last step
} kugel_move;

/// The bodies that moved or were placed, in id order. Rows of destroyed bodies do not occur. In a
/// clone all bodies count as placed. Cost: O(ids), less if most bodies are at rest.
/// @param capacity rows of `moves`, which may be NULL for 0. @return the number of such bodies, of
/// which at most `capacity` are written; 0 for a NULL world.
KUGEL_API uint32_t kugel_world_moves(const kugel_world *world, uint32_t capacity, kugel_move *moves,
                                     size_t size);

/// A surface that moved or was placed. The members are those of kugel_move.
typedef struct kugel_surface_move {
    kugel_surface surface; ///< its handle
    uint64_t user_data;    ///< see kugel_surface_set_user_data
    double position[3];    ///< m, present value
    double rotation[4];    ///< unit quaternion x, y, z, w, present value
    bool moved;            ///< true: the last step moved it: it had a velocity or spin
    bool placed;           ///< true: a call added it, placed it, or restored the world
    bool stopped;          ///< as in kugel_move
} kugel_surface_move;

/// The surfaces that moved or were placed, by index, as kugel_world_moves. Cost: O(surfaces).
KUGEL_API uint32_t kugel_world_surface_moves(const kugel_world *world, uint32_t capacity,
                                             kugel_surface_move *moves, size_t size);

/// Let the radii of all dynamic bodies grow (Lubachevsky, Stillinger 1990): in a tick of length dt
/// a radius is R (1 + growth t) at the time t, with R that of the tick's start. Masses stay, and so
/// do bodies that are asleep at the tick's start or disabled. kugel_world_def.growth is the present
/// value.
///
/// Times of impact are those of the growing surfaces. The impact law acts on the speed at which the
/// surfaces approach, so that elastic impacts add energy: growth compresses a gas. No overlap
/// arises without resting contacts; bodies that rest on each other part as fast as they grow, so
/// that a pile rises. Sensors have the radii of the tick's end. At a jammed packing impacts never
/// end: shorten the tick as impacts rise, and stop before it, or step_event_limit refuses the step.
/// @param growth 1/s, [0, 1e6]; 0: none.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, or _STATE: a surface is no plane. A step in
/// which a radius would leave the range of kugel_body_set_radius gives KUGEL_ERROR_LIMIT.
/// Cost: a tick with growth makes all neighbour lists anew. It has no cell lists and no places, and
/// ranks hold the whole world.
KUGEL_API kugel_status kugel_world_set_growth(kugel_world *world, double growth);

/* Thermostats. A temperature is k_B T, J: along each axis the mean of m v^2 relative to the centre
 * of mass. It is that of the translation of the dynamic bodies, except disabled ones. The bodies
 * wake, as for kugel_body_set_velocity; spins stay. Cost: O(ids). */

/// Multiply all velocities, relative to that of the centre of mass, by one factor, so that the
/// bodies have a temperature: the sum of m v^2 becomes 3 (n - 1) k_B T, as the centre of mass takes
/// three degrees of freedom. Its velocity stays. Called before each step it is a thermostat by
/// rescaling, which keeps the kinetic energy.
/// @param temperature J, [0, 1e15].
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (also: a velocity would leave +-1e15 m/s),
/// _OUT_OF_MEMORY, or _STATE: no two bodies move relative to each other.
KUGEL_API kugel_status kugel_world_set_temperature(kugel_world *world, double temperature);

/// Give each body, with a probability, a new velocity from Maxwell's distribution: along each axis
/// a normal one of mean 0 and variance k_B T / m. With probability 1 it starts a gas; called before
/// each step with the probability rate * dt it is Andersen's thermostat, whose mean number of
/// collisions of a body with the bath is `rate` a second. Energies fluctuate as in the canonical
/// ensemble; momentum is not kept. The random numbers of a body follow from seed, tick and id, so
/// there is no hidden state: give calls at one tick different seeds.
/// @param temperature J, [0, 1e15]. @param probability [0, 1]. @param seed any number.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (also: 38 sqrt(temperature / mass) exceeds 1e15
/// m/s for some body) or KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_world_draw_velocities(kugel_world *world, double temperature,
                                                   double probability, uint64_t seed);

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

/// kugel_explosion_def_default() for other languages. @param size that of the struct, bytes.
KUGEL_API void kugel_explosion_def_init(kugel_explosion_def *def, size_t size);

/// Defaults as documented at each field.
static inline kugel_explosion_def kugel_explosion_def_default(void)
{
    kugel_explosion_def def;
    kugel_explosion_def_init(&def, sizeof def);
    return def;
}

/// Push the dynamic bodies around a point away from it, each along the line from the point through
/// its centre; a body centred on the point is pushed along +z. Along periodic axes the shortest way
/// counts. Obstacles between the point and a body have no effect. The bodies wake. The call is
/// recorded as an impulse on each body. Cost: O(bodies in reach) if the index of queries is ready
/// (kugel_world_prepare_queries) and no face is periodic, else O(bodies); the result is the same.
/// @param count may be NULL; receives the number of bodies pushed: 0 for an impulse of 0.
/// @return KUGEL_OK, KUGEL_ERROR_UNINITIALIZED_DEF, _OUT_OF_MEMORY, or _INVALID_ARGUMENT (also: a
/// velocity would leave +-1e15 m/s). On an error no body is pushed.
KUGEL_API kugel_status kugel_world_explode(kugel_world *world, const kugel_explosion_def *def,
                                           uint32_t *count);

/// @cond
#ifndef KUGEL_PASS_SIZES /* version.h */
#define kugel_world_read_arrays(...) kugel_world_read_arrays(__VA_ARGS__, sizeof(kugel_body_arrays))
#define kugel_world_write_arrays(...)                                                              \
    kugel_world_write_arrays(__VA_ARGS__, sizeof(kugel_body_arrays))
#define kugel_world_surface_moves(...)                                                             \
    kugel_world_surface_moves(__VA_ARGS__, sizeof(kugel_surface_move))
#define kugel_world_moves(...) kugel_world_moves(__VA_ARGS__, sizeof(kugel_move))
#define kugel_body_contacts(...) kugel_body_contacts(__VA_ARGS__, sizeof(kugel_resting_contact))
#define kugel_world_contacts(...) kugel_world_contacts(__VA_ARGS__, sizeof(kugel_resting_contact))
#endif
/// @endcond

/// @}

KUGEL_END_DECLS
#endif
