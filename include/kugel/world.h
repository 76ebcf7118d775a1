/** @file
 * Worlds and bodies. SI units: metres, seconds, kilograms, radians. One thread at a time uses a
 * world, except for functions whose comment says that several threads may call them. Different
 * worlds are independent. Handles are values; 0 is the null handle. The allocator, log, tasks and
 * clock of a world must not use the world, and no callback may destroy it.
 *
 * Ranges of all numbers passed to a world: finite, and within +-1e15 unless a narrower range is
 * given. A radius is at least 1e-12 m, a mass at least 1e-30 kg. Friction, rolling resistance,
 * damping and gravity scales are at most 1e6.
 *
 * Errors of all functions that return a kugel_status, besides those listed at the function
 * ("@return also ..."): a NULL argument that must be set, and a number out of range, give
 * KUGEL_ERROR_INVALID_ARGUMENT; the handle of a removed body gives KUGEL_ERROR_STALE_HANDLE. A
 * failed call changes nothing, and kugel_world_last_error describes the failure unless the world is
 * const or NULL.
 *
 * Calls that callbacks make on their own world: while a call that changes the world runs (with a
 * callback as the allocator, log or pair filter), calls that read bodies, surfaces, contacts or
 * events and calls that change the world give KUGEL_ERROR_STATE and set no last error; functions
 * without a status return 0, NULL or false, or do nothing. Callbacks of queries and of drawing may
 * make calls that read; calls that change the world give KUGEL_ERROR_STATE. */
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

/// Bodies, planes, surfaces and a box, with the memory that a step needs.
typedef struct kugel_world kugel_world;

/// A body: id in the low 32 bits, generation (from 1) in the high 32 bits; 0 is null. No handle is
/// given twice: after 2^27 - 1 generations an id is not used again.
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
    KUGEL_FACE_OPEN = 0, ///< no effect: bodies pass through and move freely beyond
    KUGEL_FACE_WALL = 1, ///< bodies collide with it and rest on it
    /// A body that leaves here enters at the opposite face, which must be periodic, too.
    KUGEL_FACE_PERIODIC = 2
} kugel_face;

/// The box around the world. An axis with two open faces ignores min and max; every other axis
/// needs finite min < max. A periodic axis must be longer than twice the diameter of the largest
/// body. Closed bounds are the ranges min ... max of walls and periodic faces.
typedef struct kugel_bounds {
    double min[3];       ///< m
    double max[3];       ///< m
    kugel_face faces[6]; ///< x-min, x-max, y-min, y-max, z-min, z-max; default: all open
    double restitution;  ///< of the walls, in [0, 1]
    double friction;     ///< of the walls, in [0, 1e6]
} kugel_bounds;

/// A fixed plane with a solid half space behind it: the points with normal . x >= offset are free.
/// Start from kugel_plane_default(): without friction a ball slides for ever.
typedef struct kugel_plane {
    double normal[3];   ///< unit within 1e-6; the world normalises its copy
    double offset;      ///< m
    double restitution; ///< in [0, 1]
    double friction;    ///< in [0, 1e6]
} kugel_plane;

/// The allocator of a world. Set all three functions or none. Blocks need the alignment of malloc.
/// None: malloc, realloc and free. Then, on Linux, blocks of at least 2 MiB use large pages where
/// the system has some; a host with its own allocator can do the same for large worlds.
typedef struct kugel_allocator {
    /// As malloc; NULL when out of memory.
    void *(*allocate)(void *user, size_t size);
    /// As realloc; NULL when out of memory.
    void *(*reallocate)(void *user, void *block, size_t old_size, size_t new_size);
    /// As free; `size` is the size of the last allocation or reallocation of the block.
    void (*free)(void *user, void *block, size_t size);
    void *user; ///< passed to the three functions
} kugel_allocator;

/// Limits of a world, for snapshots and recordings from strangers: a kilobyte can describe millions
/// of bodies. A call that would exceed a limit changes nothing and gives KUGEL_ERROR_LIMIT; its
/// error names the limit and the number that is needed. Queries give KUGEL_ERROR_OUT_OF_MEMORY.
typedef struct kugel_limits {
    /// Memory of the world, bytes, with that of its steps. Indexes of queries and of contacts are
    /// not counted. 0: no limit, but restoring a snapshot may add at most 256 MiB, and 256 bytes
    /// for each byte of the snapshot.
    uint64_t bytes;
    uint32_t bodies; ///< number of bodies; 0: 2^26
} kugel_limits;

/// Messages about refused calls and exhausted impact budgets.
typedef struct kugel_log {
    /// Receives one message, without a line end. NULL: no messages.
    void (*write)(void *user, kugel_status status, const char *text);
    void *user; ///< passed to write
} kugel_log;

/// The threads of a world. The number of threads and the order of tasks change no bit of any
/// result.
typedef struct kugel_tasks {
    /// Call task(context, i) once for each i in [0, count), in any order and on any threads, and
    /// return when all calls have returned. The world calls `run` on the thread of a call: a step,
    /// a hash, a batch of rays, adding a mesh, restoring a snapshot with meshes, cloning. It makes
    /// one call at a time. NULL: serial if `threads` is 1, else a thread pool of the library.
    void (*run)(void *user, uint32_t count, void (*task)(void *context, uint32_t index),
                void *context);
    void *user;       ///< passed to run
    uint32_t threads; ///< number of threads, 1 ... 256; default 1
} kugel_tasks;

/// The clock of kugel_world_step_times. It changes no bit of any result.
typedef struct kugel_clock {
    /// Returns nanoseconds since any fixed time, which must not decrease. It is called on the
    /// thread that steps, about ten times in a substep. NULL: nothing is measured.
    uint64_t (*now)(void *user);
    void *user; ///< passed to now
} kugel_clock;

/// Value of kugel_world_def.bounce_threshold: thresholds follow from sizes and from the
/// accelerations that pull bodies together.
#define KUGEL_BOUNCE_BY_SIZE (-1.0)

/// Settings of a world. Start from kugel_world_def_default() and change what you need.
typedef struct kugel_world_def {
    uint32_t cookie;   ///< set by the default function; leave unchanged
    double gravity[3]; ///< m/s^2; default 0
    /// Maximum number of substeps in a tick, 1 ... 1000; 0, the default: the world chooses it.
    ///
    /// Bodies that cannot meet in a tick, by their paths and 64 smaller radii, are in different
    /// places, and each place is as a world of its own: here and below "the world", its bodies and
    /// its surfaces are those of a place. So distant scenes do not influence each other. With a
    /// bounce_threshold of 0 the world is one place.
    ///
    /// The chosen maximum is dt sqrt(g / (0.00035 r)), rounded up, at most 1000, for gravity g, the
    /// tick dt and the smallest radius r of a dynamic body that is not a sensor. Without gravity it
    /// is 4. It is higher if a surface that a body may touch in the tick would turn by more than
    /// 0.02 rad in a substep. A given maximum is raised if it would turn by more than 0.05 rad.
    ///
    /// A tick uses fewer substeps than the given or chosen maximum where that suffices. Large
    /// settled piles, and bodies at rest without rolling resistance of which none touches two
    /// things and to none of which something that moves comes near, use fewer, down to one, while g
    /// h^2, for substeps of length h, is at most 0.6 % of the smallest radius. One substep is
    /// enough for a world with bounce_threshold 0 in which lossless bodies (restitution 1, friction
    /// 0) only collide: it has no gravity, damping, forces, pair filter, resting contacts, and no
    /// moving kinematic bodies or surfaces. A tick in which a body reaches a count of sixteen
    /// crowded impacts (impact_budget), or more than eight with one nine times as heavy or light,
    /// is repeated with three times the maximum; one in which a body with more than eight is
    /// pressed at a speed that would take it by a tenth of the radius in a substep, with six times
    /// the maximum.
    int32_t substeps;
    /// m/s, >= 0. A pair that would rebound more slowly than this rests instead. Default
    /// KUGEL_BOUNCE_BY_SIZE: a pair rests if it would rebound more slowly than sqrt(a r / 19.62),
    /// with its smaller radius r and the acceleration a that pulls it together: to less than 2.5 %
    /// of r. For 0.5 m and 9.81 m/s^2 that is 0.5 m/s. Without a pull, as in worlds without gravity
    /// and forces, pairs leave with their restitution at any speed. A body that rests on other
    /// bodies counts as pulled by all that accelerates it. Where the text says bounce_threshold,
    /// the default is sqrt(g r / 19.62) with gravity g and the smaller radius r of the pair, or the
    /// radius r of the body, and r per second without gravity.
    double bounce_threshold;
    /// Gap below which a pair counts as touching, as a share of the smaller radius, [0, 0.5];
    /// default 0.01.
    double slop;
    double linear_damping;  ///< 1/s, [0, 1e6]; default 0
    double angular_damping; ///< 1/s, [0, 1e6]; default 0
    /// true: bodies that resting contacts connect, directly or through others, fall asleep together
    /// and then stand still. They must rest on something motionless, and the speeds of all must
    /// have been below a fifth of bounce_threshold for half a second, or for 250 ticks if these are
    /// shorter. With KUGEL_BOUNCE_BY_SIZE and gravity g the time is sqrt(4.905 r / g), with the
    /// radius r of the body. It is counted in 250ths, whole ones a tick, and every eighth tick
    /// looks for sleepers: so bodies may fall asleep later than that, not sooner. If
    /// bounce_threshold is 0, no body falls asleep by itself, but kugel_body_sleep works. false: no
    /// body sleeps. Default true.
    bool sleep;
    /// Minimum number of sweeps of the resting-contact solver in a substep, 1 ... 100; default 1.
    /// One sweep is made where it solves all contacts. Else more are made where contacts need them:
    /// at least up to 16 in a world of few contacts, and at most five times the minimum, ten times
    /// in settled piles, times up to 48 for large mass ratios.
    int32_t contact_iterations;
    /// Number of impacts of a body in a substep after which its further impacts are inelastic,
    /// 1 ... 2^30; default 256.
    ///
    /// The budget counts impacts that lose energy, impacts with moving kinematic bodies or moving
    /// surfaces, and impacts at the same time as the body's last one, as of a body that overlaps
    /// others on two sides. After 131,072 changes of a body's motion in a substep its lossless
    /// impacts are inelastic, too.
    ///
    /// With a bounce_threshold > 0, an impact that loses energy is crowded if the bodies have
    /// approached by less than 1 % of the smaller radius since their motions last changed. In a
    /// substep the count of a body grows with each crowded impact and falls with each other impact
    /// that loses energy. Above a count of four, its impacts are inelastic. Above eight, the
    /// approach speed rises below which its resting contacts do not collide.
    int32_t impact_budget;
    /// Maximum number of events in a step, 0 ... 2^30: impacts, touches without an impulse and
    /// crossings of periodic faces of all bodies together. A step with more events is refused with
    /// KUGEL_ERROR_LIMIT. So every step ends, at any speed, density and tick length. Default 0:
    /// 2^20, and 4096 more for each body.
    int32_t step_event_limit;
    kugel_bounds bounds; ///< default: all faces open, restitution 0, friction 0.5
    /// Number of bodies for which creation reserves memory, at most 2^26; default 0. The world
    /// grows beyond this number.
    uint32_t body_capacity;
    kugel_limits limits;       ///< default: 0, see kugel_limits
    kugel_allocator allocator; ///< default: malloc, realloc, free
    kugel_log log;             ///< default: no messages
    kugel_tasks tasks;         ///< default: one thread
    kugel_clock clock;         ///< default: none
} kugel_world_def;

/// Properties and initial state of a body. Start from kugel_body_def_default().
typedef struct kugel_body_def {
    uint32_t cookie;           ///< set by the default function; leave unchanged
    kugel_body_type type;      ///< default KUGEL_DYNAMIC
    double position[3];        ///< m, inside closed bounds (kugel_bounds); default 0
    double velocity[3];        ///< m/s; default 0
    double spin[3];            ///< rad/s; default 0
    double orientation[4];     ///< unit quaternion x, y, z, w, within 1e-5; default identity
    double radius;             ///< m, >= 1e-12; default 0.5
    double mass;               ///< kg, >= 1e-30; default 1; ignored for static and kinematic bodies
    double restitution;        ///< [0, 1]; a pair has the larger value; default 0
    double friction;           ///< [0, 1e6]; a pair has sqrt(f1 f2); default 0.5
    double rolling_resistance; ///< [0, 1e6]; a pair has the larger value; default 0
    double gravity_scale;      ///< factor of gravity, [-1e6, 1e6]; default 1
    uint32_t category;         ///< bits; default 1
    /// Bits; default all. A pair interacts if (a.category & b.mask) && (b.category & a.mask).
    uint32_t mask;
    uint32_t group; ///< bodies of one group do not interact; 0: no group; default 0
    /// true: the body reports overlaps (kugel_world_sensor_events) and exchanges no impulses with
    /// other bodies; walls, planes and surfaces still act on it. Default false.
    bool sensor;
    uint64_t user_data; ///< for the host, see kugel_body_set_user_data; default 0
    int32_t image[3];   ///< see kugel_body_set_image; default 0
} kugel_body_def;

/// A body's state and properties, by value.
typedef struct kugel_body_state {
    kugel_body body;           ///< its handle
    kugel_body_type type;      ///< as in kugel_body_def
    double position[3];        ///< m
    double velocity[3];        ///< m/s
    double spin[3];            ///< rad/s
    double orientation[4];     ///< unit quaternion x, y, z, w
    double radius;             ///< m
    double mass;               ///< kg; 0 means infinite: static and kinematic bodies
    double restitution;        ///< as in kugel_body_def
    double friction;           ///< as in kugel_body_def
    double rolling_resistance; ///< as in kugel_body_def
    double gravity_scale;      ///< as in kugel_body_def
    uint32_t category;         ///< as in kugel_body_def
    uint32_t mask;             ///< as in kugel_body_def
    uint32_t group;            ///< as in kugel_body_def
    bool sensor;               ///< as in kugel_body_def
    uint32_t contacts;         ///< number of resting contacts
    bool asleep;               ///< true while the body sleeps, see kugel_world_def.sleep
    uint64_t user_data;        ///< as in kugel_body_def
    int32_t image[3];          ///< see kugel_body_set_image
} kugel_body_state;

/// Counters of the last tick and of all ticks.
typedef struct kugel_stats {
    uint64_t tick;          ///< number of steps
    double time;            ///< s, sum of dt
    uint64_t impacts;       ///< impacts in the last tick
    uint64_t impacts_total; ///< impacts in all ticks
    uint64_t substeps; ///< most substeps of a place in the last step of this world; 0 before it
    /// Steps of this world that needed more than 1000 substeps and used 1000 (3000 or 6000 if the
    /// tick was repeated, see kugel_world_def.substeps): bodies may overlap, and shorter ticks
    /// help. Snapshots do not contain this counter.
    uint64_t substeps_limited;
    uint64_t budgets_exhausted; ///< times that a body exhausted its impact budget, in all ticks
    uint64_t resting_contacts;  ///< resting contacts at the end of the last tick
    uint64_t asleep;            ///< number of sleeping bodies
    /// Rebuilds of the grid and all neighbour lists, in all ticks. This number and list_refreshes
    /// describe caches and may differ between numbers of threads.
    uint64_t list_rebuilds;
    uint64_t list_refreshes;  ///< refreshes of lists of bodies that left their skin, in all ticks
    uint64_t neighbour_pairs; ///< pairs in the neighbour lists at the last rebuild
    double kinetic_energy;    ///< J, translation and rotation, dynamic bodies; O(bodies)
    double potential_energy;  ///< J, sum of -m scale g . x, dynamic bodies; O(bodies)
    double momentum[3];       ///< kg m/s, dynamic bodies; O(bodies)
    size_t memory;            ///< bytes allocated by the world
} kugel_stats;

/// Time by stage, in nanoseconds of the world's clock. The stages sum to `whole`.
typedef struct kugel_step_times {
    uint64_t steps;   ///< number of measured steps; failed steps are excluded
    uint64_t whole;   ///< all of kugel_world_step
    uint64_t grid;    ///< sorting bodies into cells and in memory, skins of neighbour lists;
                      ///< sensors at the start of the tick
    uint64_t pairs;   ///< building the neighbour lists of all bodies
    uint64_t contact; ///< finding resting contacts and solving their impulses
    uint64_t sweep;   ///< predicting the first events of each window of time; boxes of sensors
    uint64_t impact;  ///< handling impacts, predicting next ones, list refreshes of single bodies
    uint64_t advance; ///< the rest: copying bodies in and out, motion, paths through sensors,
                      ///< sleep, sorting events
    uint64_t record;  ///< state hash and recording, while the world is being recorded
} kugel_step_times;

/// Defaults as documented at each field.
KUGEL_API kugel_world_def kugel_world_def_default(void);

/// Defaults as documented at each field.
KUGEL_API kugel_body_def kugel_body_def_default(void);

/// Check a def as kugel_world_create does.
/// @param error may be NULL; names the first invalid field.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT or _UNINITIALIZED_DEF.
KUGEL_API kugel_status kugel_world_def_check(const kugel_world_def *def, kugel_error *error);

/// Create an empty world. On an error def->log receives the reason.
/// @param world receives the world; NULL on error.
/// @return KUGEL_OK, or KUGEL_ERROR_UNINITIALIZED_DEF, _INVALID_ARGUMENT, _OUT_OF_MEMORY, _LIMIT
/// (limits.bytes) or _FLOATING_POINT.
KUGEL_API kugel_status kugel_world_create(const kugel_world_def *def, kugel_world **world);

/// Free the world and all that belongs to it. NULL is allowed.
KUGEL_API void kugel_world_destroy(kugel_world *world);

/// Advance the world by one tick. The events of the last tick are overwritten; applied forces and
/// torques are cleared.
/// @param dt length of the tick, s, > 0. A bit-exact replay needs the same sequence of lengths.
/// @return KUGEL_OK, or with the world unchanged KUGEL_ERROR_INVALID_ARGUMENT,
/// KUGEL_ERROR_OUT_OF_MEMORY or KUGEL_ERROR_LIMIT: the state would leave its range, a body could
/// cross a periodic box more than 1e5 times, the step has more events than step_event_limit (a
/// shorter tick has fewer), or more than 65,536 pairs of bodies, and 32 more for each body, overlap
/// by half the sum of their radii: hundreds of bodies are at one place. KUGEL_ERROR_STATE: the pair
/// filter failed (kugel_pair_filter). KUGEL_ERROR_FLOATING_POINT: the host changed rounding or
/// subnormals since the world was created.
KUGEL_API kugel_status kugel_world_step(kugel_world *world, double dt);

/// The error of the last call on this world that failed; valid until the next call that fails.
/// Calls that take a const world do not set it.
KUGEL_API const kugel_error *kugel_world_last_error(const kugel_world *world);

/// The floor z >= 0: normal (0, 0, 1), offset 0, restitution 0, friction 0.5.
KUGEL_API kugel_plane kugel_plane_default(void);

/// Add a plane; sleeping bodies that touch it wake. The step has a fast test for the first 57
/// planes; all further planes are searched for each body.
/// @param index may be NULL; receives 0, 1, 2 ...
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, KUGEL_ERROR_OUT_OF_MEMORY, or KUGEL_ERROR_LIMIT:
/// the world has 16,384 planes.
KUGEL_API kugel_status kugel_world_add_plane(kugel_world *world, const kugel_plane *plane,
                                             uint32_t *index);

/// The number of planes.
KUGEL_API uint32_t kugel_world_plane_count(const kugel_world *world);

/// A plane as it was added, with a normalised normal. @param plane receives the plane.
/// @return KUGEL_OK, or KUGEL_ERROR_INVALID_ARGUMENT: the index is not below the plane count.
KUGEL_API kugel_status kugel_world_get_plane(const kugel_world *world, uint32_t index,
                                             kugel_plane *plane);

/// The def from which the world was created, with the present gravity. After a restore it is that
/// of the saved world, with the hooks, limits, threads and capacity of this one.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (NULL).
KUGEL_API kugel_status kugel_world_get_def(const kugel_world *world, kugel_world_def *def);

/// Set gravity from the next step on; sleeping bodies wake, but those of gravity scale 0. The
/// present value changes nothing. @param gravity 3 values, m/s^2.
KUGEL_API kugel_status kugel_world_set_gravity(kugel_world *world, const double *gravity);

/// Read counters and sums. Energies and momentum are computed by the call in O(bodies).
KUGEL_API void kugel_world_stats(const kugel_world *world, kugel_stats *stats);

/// Read the durations of steps by stage; all are 0 in a world without a clock. They are not part of
/// the state: snapshots and recordings do not contain them.
/// @param last receives those of the last step. @param total receives the sums over all steps since
/// creation. Each may be NULL.
KUGEL_API void kugel_world_step_times(const kugel_world *world, kugel_step_times *last,
                                      kugel_step_times *total);

/// The number of steps.
KUGEL_API uint64_t kugel_world_tick(const kugel_world *world);

/// The time of the world, s: the sum of dt.
KUGEL_API double kugel_world_time(const kugel_world *world);

/// The number of live bodies.
KUGEL_API uint32_t kugel_world_body_count(const kugel_world *world);

/// A 64-bit hash of the part of the canonical state that steps change, with planes and surfaces.
/// Within one physics epoch it is the same on every platform, for every number of threads and
/// build. It leaves out radius, mass, type, material, filter, forces and images of bodies;
/// kugel_snapshot_difference compares them, too.
KUGEL_API uint64_t kugel_world_hash(const kugel_world *world);

/// Add a body. It gets the lowest free id.
/// @param body may be NULL; receives the handle, or KUGEL_NULL_BODY on error.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (also: the position is outside closed bounds, or
/// the radius is not below a quarter of a periodic axis), _UNINITIALIZED_DEF, _OUT_OF_MEMORY, or
/// _LIMIT: 2^26 bodies exist, or limits.bodies.
KUGEL_API kugel_status kugel_body_create(kugel_world *world, const kugel_body_def *def,
                                         kugel_body *body);

/// Remove a body. Its resting contacts end (kugel_touch), and bodies in contact with it wake. Its
/// handle becomes stale and stays stale when the id is reused.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY: the ends of its contacts need memory.
KUGEL_API kugel_status kugel_body_destroy(kugel_world *world, kugel_body body);

/// True if the body exists in this world.
KUGEL_API bool kugel_body_is_valid(const kugel_world *world, kugel_body body);

/// The id in a handle: 0, 1, 2 ... in the order of creation until a body is destroyed.
static inline uint32_t kugel_body_id(kugel_body body) { return (uint32_t)body; }

/// The handle of the body with this id, or KUGEL_NULL_BODY if the id is free.
KUGEL_API kugel_body kugel_world_body(const kugel_world *world, uint32_t id);

/// All ids of bodies are below this number; some of them may be free (kugel_world_body).
KUGEL_API uint32_t kugel_world_id_end(const kugel_world *world);

/// A body's state and properties, in O(1). @param state receives them.
KUGEL_API kugel_status kugel_body_get(const kugel_world *world, kugel_body body,
                                      kugel_body_state *state);

/// kugel_body_get for all live bodies, in id order.
/// @param capacity rows of `states`, which may be NULL. @return the number of live bodies, of which
/// at most `capacity` are written.
KUGEL_API uint32_t kugel_world_read_states(const kugel_world *world, uint32_t capacity,
                                           kugel_body_state *states);

/// Copy all live bodies, in id order. Each array may be NULL. Shapes: ids[n], position[3n] m,
/// velocity[3n] m/s, spin[3n] rad/s.
/// @param capacity rows of each array. @return the number of live bodies, of which at most
/// `capacity` are written.
KUGEL_API uint32_t kugel_world_read(const kugel_world *world, uint32_t capacity, uint32_t *ids,
                                    double *position, double *velocity, double *spin);

/// Set a body's position at once. Its resting contacts end (kugel_touch).
/// @param position 3 values, m, inside closed bounds. @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_position(kugel_world *world, kugel_body body,
                                               const double *position);

/// Set the velocity at once. A body with resting contacts must then be slow again for the whole
/// time of kugel_world_def.sleep before it sleeps. A resting contact with restitution ends in the
/// next step, with an impact, if its bodies approach faster than the bounce threshold and than the
/// speed that gravity gives them in two ticks. So a kinematic body that is moved smoothly, tick by
/// tick, keeps its contacts. A sleeping body sleeps on at velocity 0, and at spin 0.
/// @param velocity 3 values, m/s. @return also KUGEL_ERROR_INVALID_ARGUMENT for a static body.
KUGEL_API kugel_status kugel_body_set_velocity(kugel_world *world, kugel_body body,
                                               const double *velocity);

/// Set the spin at once. @param spin 3 values, rad/s.
/// @return also KUGEL_ERROR_INVALID_ARGUMENT for a static body.
KUGEL_API kugel_status kugel_body_set_spin(kugel_world *world, kugel_body body, const double *spin);

/// Set category, mask and group (see kugel_body_def) from the next step on. Resting contacts that
/// the new filter excludes end (kugel_touch). The body and bodies in contact with it wake.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_filter(kugel_world *world, kugel_body body, uint32_t category,
                                             uint32_t mask, uint32_t group);

/// Add a force, which acts in the next step. No effect on static and kinematic bodies. A force,
/// torque or impulse of 0 has no effect and wakes no body.
/// @param force 3 values, N; the sum of the forces on a body must stay within +-1e15.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY: the first force in a world allocates memory.
KUGEL_API kugel_status kugel_body_apply_force(kugel_world *world, kugel_body body,
                                              const double *force);

/// Add a torque, which acts in the next step. Limits and errors as for kugel_body_apply_force.
/// @param torque 3 values, N m.
KUGEL_API kugel_status kugel_body_apply_torque(kugel_world *world, kugel_body body,
                                               const double *torque);

/// Change velocity by impulse / mass at once. Resting contacts end as for kugel_body_set_velocity.
/// No effect on static and kinematic bodies.
/// @param impulse 3 values, N s; the velocity must stay within +-1e15 m/s.
KUGEL_API kugel_status kugel_body_apply_impulse(kugel_world *world, kugel_body body,
                                                const double *impulse);

/// Change spin by impulse / inertia at once. No effect on static and kinematic bodies.
/// @param impulse 3 values, N m s; the spin must stay within +-1e15 rad/s.
KUGEL_API kugel_status kugel_body_apply_angular_impulse(kugel_world *world, kugel_body body,
                                                        const double *impulse);

/// @}

KUGEL_END_DECLS
#endif
