/** @file
 * Worlds and bodies. SI units: metres, seconds, kilograms, radians. One thread at a time uses a
 * world; different worlds are independent. Handles are values; 0 is the null handle.
 *
 * Ranges of all numbers passed to a world: finite, and within +-1e15 unless a narrower range is
 * given. A radius is at least 1e-12 m, a mass at least 1e-30 kg. Friction, rolling resistance,
 * damping and gravity scales are at most 1e6.
 *
 * Errors of all functions that return a kugel_status, besides those listed at the function: a NULL
 * argument that must be set and a number out of range give KUGEL_ERROR_INVALID_ARGUMENT; a handle
 * of a body that was removed gives KUGEL_ERROR_STALE_HANDLE. A failed call changes nothing, and
 * kugel_world_last_error describes the failure unless the world is const or NULL. */
#ifndef KUGEL_WORLD_H
#define KUGEL_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

KUGEL_BEGIN_DECLS

/// @defgroup worlds Worlds
/// Definition, step, bodies and their forces, bounds, planes, statistics.
/// @{

/// Bodies, planes and a box, with the memory that stepping them needs.
typedef struct kugel_world kugel_world;

/// A body: id in the low 32 bits, generation (from 1) in the high 32 bits; 0 is null.
typedef uint64_t kugel_body;
#define KUGEL_NULL_BODY ((kugel_body)0) ///< the null handle

/// How a body moves.
typedef enum kugel_body_type {
    KUGEL_DYNAMIC = 0,  ///< has mass; gravity, forces and impulses move it
    KUGEL_STATIC = 1,   ///< never moves; infinite mass; velocity and spin must be 0
    KUGEL_KINEMATIC = 2 ///< moves with its given velocity and spin; infinite mass
} kugel_body_type;

/// How a face of the box acts on bodies.
typedef enum kugel_face {
    KUGEL_FACE_OPEN = 0, ///< bodies pass through and move freely beyond it
    KUGEL_FACE_WALL = 1, ///< bodies bounce off it
    /// Bodies that leave here enter at the opposite face; both faces must be periodic.
    KUGEL_FACE_PERIODIC = 2
} kugel_face;

/// The box around the world. Faces are x-min, x-max, y-min, y-max, z-min, z-max. min and max of an
/// axis with two open faces are ignored. Every other axis needs finite min < max. A periodic axis
/// must be longer than twice the diameter of its largest body.
typedef struct kugel_bounds {
    double min[3];       ///< m
    double max[3];       ///< m
    kugel_face faces[6]; ///< default: all open
    double restitution;  ///< of the walls, in [0, 1]
    double friction;     ///< of the walls, in [0, 1e6]
} kugel_bounds;

/// A fixed half space: points with normal . x >= offset are free.
typedef struct kugel_plane {
    double normal[3];   ///< unit within 1e-6; the world normalises its copy
    double offset;      ///< m
    double restitution; ///< in [0, 1]
    double friction;    ///< in [0, 1e6]
} kugel_plane;

/// Memory for one world. Set all three functions or none. Blocks have the alignment of malloc.
/// All NULL: malloc, realloc and free; on Linux, blocks of 2 MiB and more use large pages where the
/// system has some. A host with its own allocator can do the same for large worlds.
typedef struct kugel_allocator {
    /// As malloc; NULL when out of memory.
    void *(*allocate)(void *user, size_t size);
    /// As realloc; NULL when out of memory.
    void *(*reallocate)(void *user, void *block, size_t old_size, size_t new_size);
    /// As free; `size` is the size of the last allocation or reallocation of the block.
    void (*free)(void *user, void *block, size_t size);
    void *user; ///< passed to the three functions
} kugel_allocator;

/// Messages about refused calls and exhausted impact budgets.
typedef struct kugel_log {
    /// Receives one message without a line end. NULL: no messages.
    void (*write)(void *user, kugel_status status, const char *text);
    void *user; ///< passed to write
} kugel_log;

/// Threads. The number of threads and the order of tasks change no bit of any result.
typedef struct kugel_tasks {
    /// Call task(context, i) once for each i in [0, count), in any order and on any threads, and
    /// return when all have returned. The thread that steps, hashes or casts a batch of rays makes
    /// these calls, one at a time. NULL: serial if threads == 1, else a thread pool of the library.
    void (*run)(void *user, uint32_t count, void (*task)(void *context, uint32_t index),
                void *context);
    void *user;       ///< passed to run
    uint32_t threads; ///< 1 ... 256
} kugel_tasks;

/// The clock of kugel_world_step_times. It changes no bit of any result.
typedef struct kugel_clock {
    /// Nanoseconds from any origin, never decreasing. The stepping thread calls it about ten times
    /// a substep. NULL: nothing is measured.
    uint64_t (*now)(void *user);
    void *user; ///< passed to now
} kugel_clock;

/// Value of kugel_world_def.bounce_threshold: a ratio of sizes, see there.
#define KUGEL_BOUNCE_BY_SIZE (-1.0)

/// Settings of a world. Start from kugel_world_def_default() and change what you need.
typedef struct kugel_world_def {
    uint32_t cookie;   ///< set by the default function; leave unchanged
    double gravity[3]; ///< m/s^2; default 0
    /// Substeps of a tick, 1 ... 1000. Default 0: as many as gravity g, the tick dt and the
    /// smallest radius r of a dynamic body require, dt sqrt(g / (0.00035 r)), at most 1000; 4
    /// without gravity; more if a surface would turn by more than 0.02 rad in one. Also a given
    /// number is an upper bound: large settled piles use fewer, down to one, while gravity
    /// displaces a body by at most 0.6 % of the smallest radius in a substep; frictionless, elastic
    /// spheres without gravity and resting contacts use one. Only a tick in which many bodies are
    /// crowded (impact_budget) is repeated with six times as many.
    int32_t substeps;
    /// m/s, >= 0; slower approaches do not bounce. Default KUGEL_BOUNCE_BY_SIZE: with gravity g and
    /// the smallest radius r of a dynamic body sqrt(g r / 19.62), so bounces lower than 2.5 % of r
    /// end; 0.5 m/s at 0.5 m and 9.81 m/s^2. Without gravity g is 9.81 m/s^2 here.
    double bounce_threshold;
    double slop;            ///< fraction of the smaller radius, [0, 0.5]; default 0.01
    double linear_damping;  ///< 1/s, [0, 1e6]; default 0
    double angular_damping; ///< 1/s, [0, 1e6]; default 0
    /// true: a body with a resting contact falls asleep after half a second with speeds below a
    /// fifth of bounce_threshold, and then stands still. With KUGEL_BOUNCE_BY_SIZE the time is
    /// sqrt(4.905 r / g). If bounce_threshold is 0, no body sleeps.
    /// Default true.
    bool sleep;
    /// Sweeps of the resting-contact solver in a substep, 1 ... 100; default 1. This is a minimum:
    /// few contacts use up to 16, large mass ratios up to 24 times as many, and landing loads 5
    /// times as many. Substeps in which gravity moves a body by at least 1 % of the smallest radius
    /// use 20 times as many.
    int32_t contact_iterations;
    /// Impacts of one body in one substep before its further impacts are inelastic, 1 ... 2^30;
    /// default 256. Counted are impacts that lose energy, impacts with moving kinematic bodies, and
    /// impacts at the instant of the last one, as of a body that overlaps others on two sides.
    /// After 131,072 changes of the body's motion in a substep all its impacts are inelastic. With
    /// a bounce_threshold crowding bounds them earlier: impacts after hardly any path. More than
    /// four of them make the body's impacts inelastic; more than eight raise the approach speed
    /// below which its resting contacts do not collide.
    int32_t impact_budget;
    /// Impacts, touches without an impulse and crossings of periodic faces in one step, of all
    /// bodies together, beyond which the step is refused with KUGEL_ERROR_LIMIT, 0 ... 2^30;
    /// default 0, which means 2^20, and 4096 more for each body. So a step ends at any speed,
    /// density and tick.
    int32_t step_event_limit;
    kugel_bounds bounds; ///< default: all faces open, restitution 0, friction 0.5
    /// Bodies to reserve memory for at creation, up to 2^26; default 0. The world grows beyond it.
    uint32_t body_capacity;
    kugel_allocator allocator; ///< default: malloc, realloc, free
    kugel_log log;             ///< default: no messages
    kugel_tasks tasks;         ///< default: one thread
    kugel_clock clock;         ///< default: none
} kugel_world_def;

/// Properties and initial state of a body. Start from kugel_body_def_default().
typedef struct kugel_body_def {
    uint32_t cookie;           ///< set by the default function; leave unchanged
    kugel_body_type type;      ///< default KUGEL_DYNAMIC
    double position[3];        ///< m, inside closed bounds
    double velocity[3];        ///< m/s
    double spin[3];            ///< rad/s
    float orientation[4];      ///< unit quaternion x, y, z, w; default identity
    double radius;             ///< m, >= 1e-12; default 0.5
    double mass;               ///< kg, >= 1e-30; default 1; ignored for static and kinematic bodies
    double restitution;        ///< [0, 1]; a pair uses the larger; default 0
    double friction;           ///< [0, 1e6]; a pair uses sqrt(f1 f2); default 0.5
    double rolling_resistance; ///< [0, 1e6]; a pair uses the larger; default 0
    double gravity_scale;      ///< [-1e6, 1e6]; default 1
    uint32_t category;         ///< bits; default 1
    /// Bits; default all. A pair interacts if (a.category & b.mask) && (b.category & a.mask).
    uint32_t mask;
    uint32_t group; ///< bodies of the same group do not interact; 0: no group; default 0
    /// true: the body reports overlaps (kugel_world_sensor_events) and exchanges no impulses with
    /// other bodies; walls and planes still act on it. Default false.
    bool sensor;
    uint64_t user_data; ///< the host's, see kugel_body_set_user_data; default 0
    int32_t image[3];   ///< see kugel_body_set_image; default 0
} kugel_body_def;

/// A body's state and properties, by value.
typedef struct kugel_body_state {
    kugel_body body;           ///< its handle
    kugel_body_type type;      ///< as in kugel_body_def
    double position[3];        ///< m
    double velocity[3];        ///< m/s
    double spin[3];            ///< rad/s
    float orientation[4];      ///< unit quaternion x, y, z, w
    double radius;             ///< m
    double mass;               ///< kg; 0 for static and kinematic bodies (infinite)
    double restitution;        ///< as in kugel_body_def
    double friction;           ///< as in kugel_body_def
    double rolling_resistance; ///< as in kugel_body_def
    double gravity_scale;      ///< as in kugel_body_def
    uint32_t category;         ///< as in kugel_body_def
    uint32_t mask;             ///< as in kugel_body_def
    uint32_t group;            ///< as in kugel_body_def
    bool sensor;               ///< as in kugel_body_def
    uint32_t contacts;         ///< number of its resting contacts
    bool asleep;               ///< true while it sleeps, see kugel_world_def.sleep
    uint64_t user_data;        ///< as in kugel_body_def
    int32_t image[3];          ///< see kugel_body_set_image
} kugel_body_state;

/// Counters of the last tick and of all ticks.
typedef struct kugel_stats {
    uint64_t tick;          ///< number of steps
    double time;            ///< s, sum of dt
    uint64_t impacts;       ///< in the last tick
    uint64_t impacts_total; ///< in all ticks
    uint64_t substeps;      ///< in the last step of this world; 0 before it
    /// Steps of this world whose default number of substeps was cut to 1000: bodies may overlap,
    /// and shorter ticks help. Snapshots do not contain it.
    uint64_t substeps_limited;
    uint64_t budgets_exhausted; ///< bodies that exhausted their impact budget, all ticks
    uint64_t resting_contacts;  ///< at the end of the last tick
    uint64_t asleep;            ///< number of sleeping bodies
    /// Rebuilds of the grid and all neighbour lists, all ticks. It describes a cache, as does
    /// list_refreshes, and can differ between numbers of threads.
    uint64_t list_rebuilds;
    uint64_t list_refreshes;  ///< list refreshes of single bodies that left their skin, all ticks
    uint64_t neighbour_pairs; ///< at the last rebuild
    double kinetic_energy;    ///< J, translation and rotation, dynamic bodies; O(bodies)
    double potential_energy;  ///< J, sum of -m scale g . x, dynamic bodies; O(bodies)
    double momentum[3];       ///< kg m/s, dynamic bodies; O(bodies)
    size_t memory;            ///< bytes allocated by the world
} kugel_stats;

/// Time by stage, in nanoseconds of the world's clock. The stages sum to `whole`.
typedef struct kugel_step_times {
    uint64_t steps;   ///< number of measured steps; failed steps are excluded
    uint64_t whole;   ///< kugel_world_step
    uint64_t grid;    ///< sorting bodies into cells, order in memory, skins of neighbour lists
    uint64_t pairs;   ///< building the neighbour lists of all bodies
    uint64_t contact; ///< finding resting contacts and solving their impulses
    uint64_t sweep;   ///< earliest time of impact of every body at the start of a substep
    uint64_t impact;  ///< solving impacts, next times of impact, list refreshes of single bodies
    uint64_t advance; ///< all else: copying bodies in and out, motion, sleep, sorting events
    uint64_t record;  ///< state hash and recording, while the world is being recorded
} kugel_step_times;

/// Defaults as documented at each field.
KUGEL_API kugel_world_def kugel_world_def_default(void);

/// Defaults as documented at each field.
KUGEL_API kugel_body_def kugel_body_def_default(void);

/// Check a def without using it. @param error may be NULL; receives the first bad field's name.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT or _UNINITIALIZED_DEF.
KUGEL_API kugel_status kugel_world_def_check(const kugel_world_def *def, kugel_error *error);

/// Create an empty world.
/// @return KUGEL_OK, or KUGEL_ERROR_UNINITIALIZED_DEF, _INVALID_ARGUMENT, _OUT_OF_MEMORY,
/// _FLOATING_POINT; on error *world is NULL and def->log receives the reason.
KUGEL_API kugel_status kugel_world_create(const kugel_world_def *def, kugel_world **world);

/// Free the world. NULL is allowed.
KUGEL_API void kugel_world_destroy(kugel_world *world);

/// Advance the world by one tick. The last tick's events are overwritten; applied forces and
/// torques are cleared.
/// @param dt tick length in seconds; finite, > 0. Keep it constant for a bit-exact replay.
/// @return KUGEL_OK, or with the world unchanged KUGEL_ERROR_INVALID_ARGUMENT,
/// KUGEL_ERROR_OUT_OF_MEMORY, or KUGEL_ERROR_LIMIT: the state would leave the finite range, a body
/// could cross a periodic box more than 1e5 times, or the step has more events than
/// step_event_limit. A shorter tick has fewer events.
KUGEL_API kugel_status kugel_world_step(kugel_world *world, double dt);

/// The error of the last failed call on this world; valid until the next failing call. Calls that
/// take a const world do not set it.
KUGEL_API const kugel_error *kugel_world_last_error(const kugel_world *world);

/// Add a plane; sleeping bodies wake. @param index may be NULL; receives 0, 1, 2 ...
/// The step tests the first 57 planes by a bit each; more cost a search by each body.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, KUGEL_ERROR_OUT_OF_MEMORY, or KUGEL_ERROR_LIMIT:
/// the world has 16,384 planes.
KUGEL_API kugel_status kugel_world_add_plane(kugel_world *world, const kugel_plane *plane,
                                             uint32_t *index);

/// The number of planes.
KUGEL_API uint32_t kugel_world_plane_count(const kugel_world *world);

/// A plane as it was added, with its normal normalised.
/// @return KUGEL_OK, or KUGEL_ERROR_INVALID_ARGUMENT: the index is not below the plane count.
KUGEL_API kugel_status kugel_world_get_plane(const kugel_world *world, uint32_t index,
                                             kugel_plane *plane);

/// The def that the world was created from, with its present gravity.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (NULL).
KUGEL_API kugel_status kugel_world_get_def(const kugel_world *world, kugel_world_def *def);

/// Set gravity for the following steps; sleeping bodies wake. @param gravity 3 values, m/s^2.
KUGEL_API kugel_status kugel_world_set_gravity(kugel_world *world, const double *gravity);

/// Counters and sums. Energies and momentum are computed by the call in O(bodies).
KUGEL_API void kugel_world_stats(const kugel_world *world, kugel_stats *stats);

/// Durations of steps by stage; all 0 in a world without a clock. They are not part of the state:
/// snapshots and recordings do not contain them.
/// @param last of the last step. @param total of all steps since creation. Each may be NULL.
KUGEL_API void kugel_world_step_times(const kugel_world *world, kugel_step_times *last,
                                      kugel_step_times *total);

/// The number of steps.
KUGEL_API uint64_t kugel_world_tick(const kugel_world *world);

/// Seconds, the sum of dt.
KUGEL_API double kugel_world_time(const kugel_world *world);

/// The number of live bodies.
KUGEL_API uint32_t kugel_world_body_count(const kugel_world *world);

/// XXH3 of the canonical state that steps change, with planes and surfaces: the same on every
/// platform, thread count and build of one physics epoch. Radius, mass, type, material and filter
/// of bodies are not part of it: kugel_snapshot_difference compares them as well.
KUGEL_API uint64_t kugel_world_hash(const kugel_world *world);

/// Add a body with the lowest free id.
/// @param body may be NULL; receives the handle, or KUGEL_NULL_BODY on error.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (also: outside closed bounds, or a radius not
/// below a quarter of a periodic axis), _UNINITIALIZED_DEF, _OUT_OF_MEMORY, or _LIMIT: 2^26 bodies
/// exist.
KUGEL_API kugel_status kugel_body_create(kugel_world *world, const kugel_body_def *def,
                                         kugel_body *body);

/// Remove a body; bodies in contact with it wake, and its resting contacts end (kugel_touch). Its
/// handle becomes stale and stays stale when the id is reused.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY: the ends of its contacts need memory.
KUGEL_API kugel_status kugel_body_destroy(kugel_world *world, kugel_body body);

/// true if the body exists in this world.
KUGEL_API bool kugel_body_is_valid(const kugel_world *world, kugel_body body);

/// The id of a handle: 0, 1, 2 ... in the order of creation while no body is destroyed.
static inline uint32_t kugel_body_id(kugel_body body) { return (uint32_t)body; }

/// The live body with this id, or KUGEL_NULL_BODY.
KUGEL_API kugel_body kugel_world_body(const kugel_world *world, uint32_t id);

/// All ids lie in [0, kugel_world_id_end(world)); kugel_world_body returns KUGEL_NULL_BODY for free
/// ids.
KUGEL_API uint32_t kugel_world_id_end(const kugel_world *world);

/// A body's state, in O(1).
KUGEL_API kugel_status kugel_body_get(const kugel_world *world, kugel_body body,
                                      kugel_body_state *state);

/// kugel_body_get for all live bodies in id order.
/// @param capacity rows of `states`, which may be NULL. @return the number of live bodies; at most
/// `capacity` rows are written.
KUGEL_API uint32_t kugel_world_read_states(const kugel_world *world, uint32_t capacity,
                                           kugel_body_state *states);

/// Copy all live bodies in id order. Each array may be NULL. Shapes: ids[n], position[3n] m,
/// velocity[3n] m/s, spin[3n] rad/s.
/// @param capacity rows of each array. @return the number of live bodies; at most `capacity` rows
/// are written.
KUGEL_API uint32_t kugel_world_read(const kugel_world *world, uint32_t capacity, uint32_t *ids,
                                    double *position, double *velocity, double *spin);

/// Set a body's position at once; its resting contacts end (kugel_touch).
/// @param position 3 values, m, inside closed bounds. @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_position(kugel_world *world, kugel_body body,
                                               const double *position);

/// Set the velocity at once; an error for static bodies. It restarts the time that the body must be
/// slow before it sleeps, if it has resting contacts. One with restitution ends in the next step,
/// with an impact, if its bodies approach faster than the bounce threshold and than gravity makes
/// them in two ticks: a kinematic body that is moved smoothly, tick by tick, keeps its contacts.
/// @param velocity 3 values, m/s.
KUGEL_API kugel_status kugel_body_set_velocity(kugel_world *world, kugel_body body,
                                               const double *velocity);

/// Set the spin at once; an error for static bodies. @param spin 3 values, rad/s.
KUGEL_API kugel_status kugel_body_set_spin(kugel_world *world, kugel_body body, const double *spin);

/// Set category, mask and group (see kugel_body_def) from the next step on. Resting contacts that
/// the new filter excludes end (kugel_touch); bodies in contact with it wake.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_filter(kugel_world *world, kugel_body body, uint32_t category,
                                             uint32_t mask, uint32_t group);

/// Add a force for the next step. No effect on static and kinematic bodies.
/// @param force 3 values, N; the sum of all forces stays within +-1e15.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY: the first force in a world allocates memory.
KUGEL_API kugel_status kugel_body_apply_force(kugel_world *world, kugel_body body,
                                              const double *force);

/// Add a torque for the next step. Limits and errors as for forces. @param torque 3 values, N m.
KUGEL_API kugel_status kugel_body_apply_torque(kugel_world *world, kugel_body body,
                                               const double *torque);

/// Change velocity by impulse / mass at once. Resting contacts end as for kugel_body_set_velocity.
/// No effect on static and kinematic bodies.
/// @param impulse 3 values, N s; the velocity stays within +-1e15 m/s.
KUGEL_API kugel_status kugel_body_apply_impulse(kugel_world *world, kugel_body body,
                                                const double *impulse);

/// Change spin by impulse / inertia at once. No effect on static and kinematic bodies.
/// @param impulse 3 values, N m s; the spin stays within +-1e15 rad/s.
KUGEL_API kugel_status kugel_body_apply_angular_impulse(kugel_world *world, kugel_body body,
                                                        const double *impulse);

/// @}

KUGEL_END_DECLS
#endif
