/** @file
 * Worlds and bodies. SI units: metres, seconds, kilograms, radians. One thread at a time uses a
 * world. Between steps several threads may call functions that take a const world, while no thread
 * changes it. Different worlds are independent. The allocator, log, tasks and clock of a world must
 * not use the world, and no callback may destroy it.
 *
 * Handles of bodies and surfaces are numbers of 64 bits; 0 is null. The low 32 bits are the id of a
 * body or the index of a surface, bits 32 ... 56 its generation, from 1, and bits 57 and 58 the
 * kind: 0 bodies, 1 surfaces. So the handle of another kind is refused as that of a removed thing.
 * No handle of a world is given twice: after 2^25 - 1 generations an id or index is not used again.
 * A restore brings back the handles of the saved world and what it would give next.
 * Equal worlds, as a clone, a restored world or a replica, have equal handles: a handle does not
 * tell its world.
 *
 * Vectors and quaternions that must be unit are so within 1e-5. Rotations are quaternions
 * x, y, z, w; q and -q are the same.
 *
 * Ranges of all numbers passed to a world: finite, and within +-1e15 unless a narrower range is
 * given. A radius is at least 1e-12 m, a mass at least 1e-30 kg. Friction, rolling resistance,
 * damping and gravity scales are at most 1e6.
 *
 * Errors of all functions that return a kugel_status, besides those listed at the function
 * ("@return also ..."): a NULL argument that must be set, and a number out of range, give
 * KUGEL_ERROR_INVALID_ARGUMENT; the handle of a removed body or surface gives
 * KUGEL_ERROR_STALE_HANDLE; a call that may wake bodies or end contacts can give
 * KUGEL_ERROR_OUT_OF_MEMORY. A failed call changes nothing, and kugel_world_last_error describes
 * the failure unless the world is const or NULL. Of the outputs of a failed call only counts,
 * handles and results of queries are cleared.
 *
 * Calls that callbacks make on their own world: while a call that changes the world runs (with a
 * callback as the allocator, log or pair filter), calls that read the state of bodies, surfaces,
 * contacts or events and calls that change the world give KUGEL_ERROR_STATE and set no last error;
 * functions without a status return 0, NULL or false, or do nothing. Counts, handles, user data,
 * the def and the pair filter can be read. Callbacks of queries and of drawing may
 * make calls that read; calls that change the world give KUGEL_ERROR_STATE. */
#ifndef KUGEL_WORLD_H
#define KUGEL_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

KUGEL_BEGIN_DECLS

/// @defgroup worlds Worlds
/// Definition, step, bodies and their forces, bounds, statistics.
/// @{

/// Bodies, surfaces and a box, with the memory that a step needs.
typedef struct kugel_world kugel_world;

/// The handle of a body: its id and generation.
KUGEL_HANDLE(kugel_body);
#define KUGEL_NULL_BODY ((kugel_body)0) ///< the null handle

/// The handle of a surface (kugel/surface.h): its index and generation.
KUGEL_HANDLE(kugel_surface);
#define KUGEL_NULL_SURFACE ((kugel_surface)0) ///< the null handle

/// How a body moves.
KUGEL_ENUM(kugel_body_type){
    KUGEL_DYNAMIC = 0,  ///< has mass; gravity, forces and impulses move it
    KUGEL_STATIC = 1,   ///< never moves; infinite mass; velocity and spin must be 0
    KUGEL_KINEMATIC = 2 ///< moves with its given velocity and spin; infinite mass
};

/// Axes of the world along which a body does not move, or about which it does not turn, as bits
/// (kugel_body_set_locks).
KUGEL_ENUM(kugel_locks){
    KUGEL_LOCK_LINEAR_X = 1,  KUGEL_LOCK_LINEAR_Y = 2,   KUGEL_LOCK_LINEAR_Z = 4,
    KUGEL_LOCK_ANGULAR_X = 8, KUGEL_LOCK_ANGULAR_Y = 16, KUGEL_LOCK_ANGULAR_Z = 32,
    KUGEL_LOCK_ROTATION = 56, ///< all angular axes
    KUGEL_LOCK_PLANE = 28     ///< motion in a plane z = const: linear z, angular x and y
};

/// How a face of the box acts on bodies.
KUGEL_ENUM(kugel_face){
    KUGEL_FACE_OPEN = 0, ///< no effect: bodies pass through and move freely beyond
    KUGEL_FACE_WALL = 1, ///< bodies collide with it and rest on it
    /// A body that leaves here enters at the opposite face, which must be periodic, too.
    KUGEL_FACE_PERIODIC = 2};

/// Number of kinds of material: kinds are 0 ... 63. A kind names the material of bodies, surfaces
/// and walls in the table of pairs (kugel_world_set_pair_material).
#define KUGEL_KIND_COUNT 64

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
/// error names the limit and the number that is needed.
typedef struct kugel_limits {
    /// Memory of the world, bytes, with that of its steps. Indexes of queries and of contacts,
    /// which kugel_stats.memory counts, are not limited. 0: no limit, but restoring a snapshot may
    /// add at most 256 MiB, and 256 bytes for each byte of the snapshot.
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
    /// thread that steps, ten to twenty times in a substep. NULL: nothing is measured.
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
    /// Bodies that cannot meet in a tick, by the lengths of their paths (in any direction) and 64
    /// smaller radii, are in different places, and each place is as a world of its own: here and
    /// below "the world", its bodies and its surfaces are those of a place. So distant scenes do
    /// not influence each other. With a bounce_threshold of 0 or with growth the world is one
    /// place.
    ///
    /// The chosen maximum is dt sqrt(g / (0.00035 r)), rounded up, at most 1000, for gravity g, the
    /// tick dt and the smallest radius r of an awake dynamic body that is not a sensor. Without
    /// gravity it is 4. It is higher if a surface that a body may touch in the tick would turn by
    /// more than 0.02 rad in a substep. A given maximum is raised if it would turn by more than
    /// 0.05 rad.
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
    /// have been below a fifth of bounce_threshold for half a second, or for 4,000 ticks if these
    /// are shorter; while their velocities change together, for 40 times as long. With
    /// KUGEL_BOUNCE_BY_SIZE and gravity g the time is sqrt(4.905 r / g), with the radius r of the
    /// body. It is counted in 4000ths, whole ones a tick, and every eighth tick looks for sleepers:
    /// so bodies may fall asleep later than that, not sooner. If bounce_threshold is 0, no body
    /// falls asleep by itself, but kugel_body_sleep works. false: no body sleeps. Default true.
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
    uint32_t face_kinds[6]; ///< of material, of the walls, in the order of bounds.faces; default 0
    double growth;          ///< 1/s, [0, 1e6]; default 0, see kugel_world_set_growth
} kugel_world_def;

/// Properties and initial state of a body. Start from kugel_body_def_default().
typedef struct kugel_body_def {
    uint32_t cookie;      ///< set by the default function; leave unchanged
    kugel_body_type type; ///< default KUGEL_DYNAMIC
    double position[3];   ///< m, inside closed bounds (kugel_bounds); default 0
    double velocity[3];   ///< m/s; default 0
    double spin[3];       ///< rad/s; default 0
    double rotation[4];   ///< unit quaternion x, y, z, w; default identity
    double radius;        ///< m, >= 1e-12; default 0.5
    double mass;          ///< kg, >= 1e-30; default 1; ignored for static and kinematic bodies
    /// kg/m^3, >= 0. Other than 0: the mass is density 4/3 pi radius^3, and not `mass`. Default 0
    double density;
    /// [0, 1]; default 0. A pair has the larger value, unless the table has the pair of kinds
    /// (kugel_world_set_pair_material); so for the next two numbers.
    double restitution;
    double friction;           ///< [0, 1e6]; a pair has sqrt(f1 f2); default 0.5
    double rolling_resistance; ///< [0, 1e6]; a pair has the larger value; default 0
    double gravity_scale;      ///< factor of gravity, [-1e6, 1e6]; default 1
    double linear_damping;     ///< 1/s, [0, 1e6], added to that of the world; default 0
    double angular_damping;    ///< 1/s, [0, 1e6], added to that of the world; default 0
    uint32_t category;         ///< bits; default 1
    /// Bits; default all. A pair interacts if (a.category & b.mask) && (b.category & a.mask).
    uint32_t mask;
    uint32_t group; ///< bodies of one group do not interact; 0: no group; default 0
    /// true: the body reports overlaps (kugel_world_sensor_events) and exchanges no impulses with
    /// other bodies; walls and surfaces still act on it. Default false.
    bool sensor;
    bool can_sleep; ///< false: see kugel_body_set_can_sleep; default true
    /// false: see kugel_body_set_enabled; then velocity and spin must be 0. Default true
    bool enabled;
    bool contact_events; ///< false: see kugel_body_set_contact_events; default true
    uint64_t user_data;  ///< for the host, see kugel_body_set_user_data; default 0
    int32_t image[3];    ///< see kugel_body_set_image; default 0
    uint32_t kind;       ///< of material, 0 ... 63, see kugel_world_set_pair_material; default 0
    /// [-1, 1]; default 0. An impact that rebounds (restitution > 0) turns the slip of the surfaces
    /// into -tangential_restitution times itself if friction suffices: -1 is smooth, 0 stops it, 1
    /// reverses it (Walton and Braun 1986). Rolling resistance does so to the difference of spins.
    /// Simultaneous impacts that share a body have a part of both. A pair has the number that is
    /// farther from 0 (of b and -b the positive one).
    double tangential_restitution;
    uint32_t locks; ///< bits of kugel_locks, see kugel_body_set_locks; default 0
} kugel_body_def;

/// A body's state and properties, by value.
typedef struct kugel_body_state {
    kugel_body body;           ///< its handle
    kugel_body_type type;      ///< as in kugel_body_def
    double position[3];        ///< m
    double velocity[3];        ///< m/s
    double spin[3];            ///< rad/s
    double rotation[4];        ///< unit quaternion x, y, z, w
    double radius;             ///< m
    double mass;               ///< kg; 0 means infinite: static and kinematic bodies
    double restitution;        ///< as in kugel_body_def
    double friction;           ///< as in kugel_body_def
    double rolling_resistance; ///< as in kugel_body_def
    double gravity_scale;      ///< as in kugel_body_def
    double linear_damping;     ///< as in kugel_body_def
    double angular_damping;    ///< as in kugel_body_def
    uint32_t category;         ///< as in kugel_body_def
    uint32_t mask;             ///< as in kugel_body_def
    uint32_t group;            ///< as in kugel_body_def
    bool sensor;               ///< as in kugel_body_def
    bool can_sleep;            ///< as in kugel_body_def
    bool enabled;              ///< as in kugel_body_def
    bool contact_events;       ///< as in kugel_body_def
    uint32_t contacts;         ///< number of resting contacts
    /// true while the body sleeps, see kugel_world_def.sleep; a disabled dynamic body counts as
    /// asleep
    bool asleep;
    uint64_t user_data;            ///< as in kugel_body_def
    int32_t image[3];              ///< see kugel_body_set_image
    uint32_t kind;                 ///< as in kugel_body_def
    double tangential_restitution; ///< as in kugel_body_def
    uint32_t locks;                ///< as in kugel_body_def
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
    uint64_t list_refreshes; ///< refreshes of lists of bodies that left their skin, in all ticks
    uint64_t neighbor_pairs; ///< pairs in the neighbour lists at the last rebuild
    uint64_t memory;         ///< bytes allocated by the world
} kugel_stats;

/// Sums over all dynamic bodies.
typedef struct kugel_energy {
    double kinetic;     ///< J, of translation and rotation
    double potential;   ///< J, sum of -m scale g . x
    double momentum[3]; ///< kg m/s
} kugel_energy;

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

/// kugel_world_def_default() for other languages. @param size that of the struct, bytes.
KUGEL_API void kugel_world_def_init(kugel_world_def *def, size_t size);

/// Defaults as documented at each field.
static inline kugel_world_def kugel_world_def_default(void)
{
    kugel_world_def def;
    kugel_world_def_init(&def, sizeof def);
    return def;
}

/// kugel_body_def_default() for other languages. @param size that of the struct, bytes.
KUGEL_API void kugel_body_def_init(kugel_body_def *def, size_t size);

/// Defaults as documented at each field.
static inline kugel_body_def kugel_body_def_default(void)
{
    kugel_body_def def;
    kugel_body_def_init(&def, sizeof def);
    return def;
}

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
/// filter failed (kugel_pair_filter). KUGEL_ERROR_FLOATING_POINT: the host changed rounding,
/// subnormals or traps since the world was created.
KUGEL_API kugel_status kugel_world_step(kugel_world *world, double dt);

/// The error of the last call on this world that failed; valid until the next call that fails.
/// Calls that take a const world do not set it.
KUGEL_API const kugel_error *kugel_world_last_error(const kugel_world *world);

/// The def from which the world was created, with the present gravity. After a restore it is that
/// of the saved world, with the hooks, limits, threads and capacity of this one.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (NULL).
KUGEL_API kugel_status kugel_world_get_def(const kugel_world *world, kugel_world_def *def,
                                           size_t size);

/// Set gravity from the next step on; sleeping bodies wake, but those of gravity scale 0 that
/// touch no others. The
/// present value changes nothing. @param gravity 3 values, m/s^2.
KUGEL_API kugel_status kugel_world_set_gravity(kugel_world *world, const double *gravity);

/// Read counters. Cost: O(1).
KUGEL_API void kugel_world_stats(const kugel_world *world, kugel_stats *stats, size_t size);

/// Compute energies and momentum. Cost: O(bodies).
KUGEL_API void kugel_world_energy(const kugel_world *world, kugel_energy *energy, size_t size);

/// Read the durations of steps by stage; all are 0 in a world without a clock. They are not part of
/// the state: snapshots and recordings do not contain them.
/// @param last receives those of the last step. @param total receives the sums over all steps since
/// creation. Each may be NULL.
KUGEL_API void kugel_world_step_times(const kugel_world *world, kugel_step_times *last,
                                      kugel_step_times *total, size_t size);

/// The number of steps.
KUGEL_API uint64_t kugel_world_tick(const kugel_world *world);

/// The time of the world, s: the sum of dt.
KUGEL_API double kugel_world_time(const kugel_world *world);

/// The number of live bodies.
KUGEL_API uint32_t kugel_world_body_count(const kugel_world *world);

/// A 64-bit hash of the part of the canonical state that steps change, with surfaces.
/// Within one physics epoch it is the same on every platform, for every number of threads and
/// build. Of bodies it has position, velocity, spin, rotation, sleep and contacts, not their
/// properties, forces and images, nor radii that grow; of the world it has gravity, growth, the
/// table of pairs, surfaces and time, not the other settings. kugel_snapshot_difference compares
/// all of these.
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
                                      kugel_body_state *state, size_t size);

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

/// Let a body be a sensor (see kugel_body_def) or no longer, from the next step on. Resting
/// contacts with other bodies end when it becomes one (kugel_touch). Sensors report the body, or
/// the sensor its bodies, like one that a call moved (kugel_sensor_event). The body and bodies in
/// contact with it wake. No effect if the body is already as `sensor` says.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_sensor(kugel_world *world, kugel_body body, bool sensor);

/// Add a force, which acts in the next step. No effect on static and kinematic bodies. A force,
/// torque or impulse of 0 has no effect and wakes no body.
/// @param force 3 values, N; the sum of the forces on a body must stay within +-1e15.
/// @param point NULL: the centre. Else 3 values, m, on the body or anywhere else: the torque
/// (point - centre) x force is added as well, and the call is recorded as a force and a torque.
/// Along a periodic axis the shortest lever arm counts.
/// @return also KUGEL_ERROR_OUT_OF_MEMORY: the first force in a world allocates memory.
KUGEL_API kugel_status kugel_body_apply_force(kugel_world *world, kugel_body body,
                                              const double *force, const double *point);

/// Add a torque, which acts in the next step. Limits and errors as for kugel_body_apply_force.
/// @param torque 3 values, N m.
KUGEL_API kugel_status kugel_body_apply_torque(kugel_world *world, kugel_body body,
                                               const double *torque);

/// Change velocity by impulse / mass at once. Resting contacts end as for kugel_body_set_velocity.
/// No effect on static and kinematic bodies.
/// @param impulse 3 values, N s; the velocity must stay within +-1e15 m/s.
/// @param point as for kugel_body_apply_force: the angular impulse (point - centre) x impulse acts
/// as well.
KUGEL_API kugel_status kugel_body_apply_impulse(kugel_world *world, kugel_body body,
                                                const double *impulse, const double *point);

/// Change spin by impulse / inertia at once. No effect on static and kinematic bodies.
/// @param impulse 3 values, N m s; the spin must stay within +-1e15 rad/s.
KUGEL_API kugel_status kugel_body_apply_angular_impulse(kugel_world *world, kugel_body body,
                                                        const double *impulse);

/// @cond
#ifndef KUGEL_PASS_SIZES /* version.h */
#define kugel_world_get_def(...) kugel_world_get_def(__VA_ARGS__, sizeof(kugel_world_def))
#define kugel_world_stats(...) kugel_world_stats(__VA_ARGS__, sizeof(kugel_stats))
#define kugel_world_energy(...) kugel_world_energy(__VA_ARGS__, sizeof(kugel_energy))
#define kugel_world_step_times(...) kugel_world_step_times(__VA_ARGS__, sizeof(kugel_step_times))
#define kugel_body_get(...) kugel_body_get(__VA_ARGS__, sizeof(kugel_body_state))
#endif
/// @endcond

/// @}

KUGEL_END_DECLS
#endif
