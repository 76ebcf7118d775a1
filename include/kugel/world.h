/** @file
 * Worlds and bodies. SI units: metres, seconds, kilograms, radians. A world is used by one thread
 * at a time; different worlds are independent. Handles are values; 0 is the null handle.
 *
 * What holds for every number that is given to a world: it is finite, and within +-1e15 where
 * nothing narrower is said; a radius is at least 1e-12, a mass 1e-30; friction, rolling resistance,
 * damping and gravity scales go up to 1e6. What holds for every function that returns a
 * kugel_status: besides what stands at it, a NULL that is not allowed and a number out of its range
 * are KUGEL_ERROR_INVALID_ARGUMENT, a body that is not (any more) in the world is
 * KUGEL_ERROR_STALE_HANDLE; then nothing has changed, and kugel_world_last_error says more, unless
 * the world is const or NULL. */
#ifndef KUGEL_WORLD_H
#define KUGEL_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

KUGEL_BEGIN_DECLS

/// Bodies, planes and a box, and all that their steps need.
typedef struct kugel_world kugel_world;

/// A body: id in the low 32 bits, generation (from 1) in the high 32 bits; 0 is null.
typedef uint64_t kugel_body;
#define KUGEL_NULL_BODY ((kugel_body)0) ///< no body

/// What moves a body.
typedef enum kugel_body_type {
    KUGEL_DYNAMIC = 0,  ///< moves, has mass, feels gravity and impulses
    KUGEL_STATIC = 1,   ///< never moves; infinite mass; velocity and spin must be 0
    KUGEL_KINEMATIC = 2 ///< moves with the velocity and spin it was given; infinite mass
} kugel_body_type;

/// What a face of the box does.
typedef enum kugel_face {
    KUGEL_FACE_OPEN = 0, ///< bodies pass and are free beyond it
    KUGEL_FACE_WALL = 1, ///< bodies bounce off it
    KUGEL_FACE_PERIODIC =
        2 ///< bodies leave here and enter at the opposite face; both must be periodic
} kugel_face;

/// The box around the world. Faces are x-min, x-max, y-min, y-max, z-min, z-max. min and max of an
/// axis whose faces are both open are not used. Every other axis needs finite min < max; a periodic
/// axis must be longer than twice the diameter of its largest body.
typedef struct kugel_bounds {
    double min[3];       ///< m
    double max[3];       ///< m
    kugel_face faces[6]; ///< default: all open
    double restitution;  ///< of the walls, in [0, 1]
    double friction;     ///< of the walls, [0, 1e6]
} kugel_bounds;

/// A fixed half space: points with normal . x >= offset are free.
typedef struct kugel_plane {
    double normal[3];   ///< unit within 1e-6; normalised on entry
    double offset;      ///< m
    double restitution; ///< in [0, 1]
    double friction;    ///< [0, 1e6]
} kugel_plane;

/// Memory for one world. `allocate` and `reallocate` return NULL when out of memory; blocks are
/// aligned as malloc's are. All NULL: malloc, realloc, free; on Linux blocks of 2 MiB and more in
/// large pages, where the system gives some, which a host that steps large worlds with its own
/// memory may want to do, too.
typedef struct kugel_allocator {
    void *(*allocate)(void *user, size_t size);                                     ///< as malloc
    void *(*reallocate)(void *user, void *block, size_t old_size, size_t new_size); ///< as realloc
    void (*free)(void *user, void *block, size_t size); ///< as free; size as it was asked for
    void *user;                                         ///< handed to the three
} kugel_allocator;

/// Messages for people: refused calls and exhausted budgets. NULL: silent.
typedef struct kugel_log {
    void (*write)(void *user, kugel_status status,
                  const char *text); ///< one message, without a line's end
    void *user;                      ///< handed to write
} kugel_log;

/// The host's threads. `run` must call task(context, i) once for each i in [0, count), in any order
/// on any threads, and return when all have returned. It is called by who steps, hashes or asks a
/// batch of rays, one call at a time. NULL with threads == 1: serial; NULL with threads > 1: a pool
/// of the library's own. No choice changes a bit of the result.
typedef struct kugel_tasks {
    void (*run)(void *user, uint32_t count, void (*task)(void *context, uint32_t index),
                void *context); ///< as said above
    void *user;                 ///< handed to run
    uint32_t threads;           ///< 1 ... 256
} kugel_tasks;

/// A clock for kugel_world_step_times: nanoseconds from any moment on, never set back. `now` is
/// called some ten times a substep, by the thread that steps. NULL: nothing is measured. It changes
/// no bit of any result.
typedef struct kugel_clock {
    uint64_t (*now)(void *user); ///< ns
    void *user;                  ///< handed to now
} kugel_clock;

/// What a world is made of. Make it with kugel_world_def_default() and change what you need.
typedef struct kugel_world_def {
    uint32_t cookie;   ///< set by the default function; not to be touched
    double gravity[3]; ///< m/s^2; default 0
    int32_t substeps;  ///< per tick, 1 ... 1000; default 4; large piles that have settled take
                       ///< fewer, down to one while gravity moves nothing by more than 0.6 % of the
    ///< smallest radius in it; hard spheres that neither fall, rest, rub nor lose
    ///< anything take one
    double bounce_threshold; ///< m/s, >= 0; slower approaches do not bounce; default 0.5
    double slop;             ///< fraction of the smaller radius, [0, 0.5]; default 0.01
    double linear_damping;   ///< 1/s, [0, 1e6]; default 0
    double angular_damping;  ///< 1/s, [0, 1e6]; default 0
    bool sleep;              ///< bodies that rest on something and have been slower than a fifth of
        ///< bounce_threshold for half a second fall asleep and stand still; with a
        ///< bounce_threshold of 0 none does; default true
    int32_t contact_iterations; ///< sweeps of the resting-contact solver in a substep, 1 ... 100;
                                ///< default 1: as many at least, of few contacts up to 16, where
                                ///< masses differ up to 24 times; 5 times that while a load lands,
                                ///< 20 times in substeps in which gravity moves a body by 1 % of
                                ///< the smallest radius and more
    int32_t impact_budget;  ///< impacts of one body in one substep, those that lose energy or are
                            ///< with a kinematic body that moves, before its impacts stick, 1 ...
                            ///< 2^30; default 256. Those that lose nothing do not count, but from
                            ///< 131,072 changes of its motion on they stick, too
    kugel_bounds bounds;    ///< default: all faces open, restitution 0, friction 0.5
    uint32_t body_capacity; ///< room made at creation, bodies, up to 2^26; default 0; the world
                            ///< grows beyond it
    kugel_allocator allocator; ///< default: malloc, realloc, free
    kugel_log log;             ///< default: silent
    kugel_tasks tasks;         ///< default: one thread
    kugel_clock clock;         ///< default: none
} kugel_world_def;

/// What a body is made of. Make it with kugel_body_def_default() and change what you need.
typedef struct kugel_body_def {
    uint32_t cookie;      ///< set by the default function; not to be touched
    kugel_body_type type; ///< default KUGEL_DYNAMIC
    double position[3];   ///< m, inside closed bounds
    double velocity[3];   ///< m/s
    double spin[3];       ///< rad/s
    float orientation[4]; ///< unit quaternion x, y, z, w; default identity
    double radius;        ///< m, 1e-12 and more; default 0.5
    double mass; ///< kg, 1e-30 and more (not used for static and kinematic bodies); default 1
    double restitution;        ///< [0, 1]; a pair takes the larger; default 0
    double friction;           ///< [0, 1e6]; a pair takes sqrt(f1 f2); default 0.5
    double rolling_resistance; ///< [0, 1e6]; a pair takes the larger; default 0
    double gravity_scale;      ///< [-1e6, 1e6]; default 1
    uint32_t category;         ///< bits; default 1
    uint32_t mask;  ///< a pair meets if (a.category & b.mask) && (b.category & a.mask); default all
    uint32_t group; ///< bodies of one group never meet; 0: of no group; default 0
    bool sensor;    ///< reports who enters and leaves (kugel_world_sensor_events), pushes and is
                    ///< pushed by no body; walls and planes hold it; default false
} kugel_body_def;

/// A body's state and constants, by value.
typedef struct kugel_body_state {
    kugel_body body;           ///< its handle
    kugel_body_type type;      ///< as in kugel_body_def, like all that says nothing else
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
    uint32_t contacts;         ///< resting contacts it takes part in
    bool asleep;               ///< see kugel_world_def.sleep
} kugel_body_state;

/// Counters of the last tick and of the world's life.
typedef struct kugel_stats {
    uint64_t tick;              ///< steps done
    double time;                ///< s, sum of dt
    uint64_t impacts;           ///< in the last tick
    uint64_t impacts_total;     ///< in all ticks
    uint64_t budgets_exhausted; ///< bodies whose impact budget ran out, all ticks
    uint64_t resting_contacts;  ///< at the end of the last tick
    uint64_t asleep;            ///< bodies
    uint64_t list_rebuilds;   ///< of grid and neighbour lists, all ticks; this and the next tell of
                              ///< caches, and may differ with the number of threads
    uint64_t list_refreshes;  ///< single bodies that used up their skin, all ticks
    uint64_t neighbour_pairs; ///< at the last rebuild
    double kinetic_energy;    ///< J, moving and spinning, dynamic bodies, computed by the call
    double potential_energy;  ///< J, -m scale g . x, dynamic bodies, computed by the call
    double momentum[3];       ///< kg m/s, dynamic bodies, computed by the call
    size_t memory;            ///< bytes held by the world
} kugel_stats;

/// Where the time of steps went, in nanoseconds of the world's clock. The stages make up the whole.
typedef struct kugel_step_times {
    uint64_t steps;   ///< that were measured; those that failed are not
    uint64_t whole;   ///< of kugel_world_step
    uint64_t grid;    ///< bodies into cells, order in memory, the skins of neighbour lists
    uint64_t pairs;   ///< neighbour lists of all bodies
    uint64_t contact; ///< resting contacts: which there are, and the impulses that hold them
    uint64_t sweep;   ///< earliest contact of every body at the start of a substep
    uint64_t impact; ///< impacts, and what their bodies meet next; lists of single bodies made anew
                     ///< on the way
    uint64_t advance; ///< everything else: in and out of the work area, moving, sleep, the order of
                      ///< events
    uint64_t record;  ///< state hash and recording, where the world is recorded
} kugel_step_times;

/// Defaults as documented at each field.
KUGEL_API kugel_world_def kugel_world_def_default(void);

/// Defaults as documented at each field.
KUGEL_API kugel_body_def kugel_body_def_default(void);

/// Check a def without using it. @param error may be NULL; filled with the first bad field's name.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT or _UNINITIALIZED_DEF.
KUGEL_API kugel_status kugel_world_def_check(const kugel_world_def *def, kugel_error *error);

/// Make an empty world. @return KUGEL_OK, or KUGEL_ERROR_UNINITIALIZED_DEF, _INVALID_ARGUMENT,
/// _OUT_OF_MEMORY, _FLOATING_POINT; then *world is NULL and def->log says why.
KUGEL_API kugel_status kugel_world_create(const kugel_world_def *def, kugel_world **world);

/// Free everything. NULL is allowed.
KUGEL_API void kugel_world_destroy(kugel_world *world);

/// Advance the world by one tick.
/// @param dt tick length in seconds; finite, > 0. Keep it constant for a bit-exact replay.
/// @return KUGEL_OK, or KUGEL_ERROR_INVALID_ARGUMENT / KUGEL_ERROR_OUT_OF_MEMORY /
/// KUGEL_ERROR_LIMIT (state would leave the finite range, or a body's speed, gravity and force
/// would take it through a periodic box more than 1e5 times) with the world as it was. The last
/// tick's events are overwritten. Forces and torques are used up by it.
KUGEL_API kugel_status kugel_world_step(kugel_world *world, double dt);

/// The error of the last call that failed on this world; valid until the next failing call. Calls
/// that take a const world leave it alone: their status says all.
KUGEL_API const kugel_error *kugel_world_last_error(const kugel_world *world);

/// Add a plane; sleeping bodies wake. @param index may be NULL; receives 0, 1, 2 ...
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT, or KUGEL_ERROR_LIMIT: there are 57 already.
KUGEL_API kugel_status kugel_world_add_plane(kugel_world *world, const kugel_plane *plane,
                                             uint32_t *index);

/// How many planes were added.
KUGEL_API uint32_t kugel_world_plane_count(const kugel_world *world);

/// A plane as it was added, its normal normalised.
/// @return KUGEL_OK, or KUGEL_ERROR_INVALID_ARGUMENT: no such plane.
KUGEL_API kugel_status kugel_world_get_plane(const kugel_world *world, uint32_t index,
                                             kugel_plane *plane);

/// What the world was made of, with the gravity that it has now.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (NULL).
KUGEL_API kugel_status kugel_world_get_def(const kugel_world *world, kugel_world_def *def);

/// Change gravity from now on; sleeping bodies wake. @param gravity 3 values, m/s^2.
KUGEL_API kugel_status kugel_world_set_gravity(kugel_world *world, const double *gravity);

/// Count and sum up. The energies and the momentum look at every body.
KUGEL_API void kugel_world_stats(const kugel_world *world, kugel_stats *stats);

/// How long steps took, stage by stage.
/// @param last of the last step, @param total of all steps since the world was made; each may be
/// NULL. All 0 in a world without a clock. No part of the state: snapshots and recordings know
/// nothing of it.
KUGEL_API void kugel_world_step_times(const kugel_world *world, kugel_step_times *last,
                                      kugel_step_times *total);

/// Steps done.
KUGEL_API uint64_t kugel_world_tick(const kugel_world *world);

/// Seconds, the sum of dt.
KUGEL_API double kugel_world_time(const kugel_world *world);

/// Live bodies.
KUGEL_API uint32_t kugel_world_body_count(const kugel_world *world);

/// XXH3 of the canonical state: the same bits on every platform, thread count and build of one
/// epoch.
KUGEL_API uint64_t kugel_world_hash(const kugel_world *world);

/// Add a body. The lowest free id is taken. @param body may be NULL; receives the handle, or
/// KUGEL_NULL_BODY.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (also: outside closed bounds, or wider than half
/// of a periodic axis), _UNINITIALIZED_DEF, _OUT_OF_MEMORY, or _LIMIT: there are 2^26 already.
KUGEL_API kugel_status kugel_body_create(kugel_world *world, const kugel_body_def *def,
                                         kugel_body *body);

/// Take a body out; what touches it wakes. Its handle is stale from then on, and stays so when the
/// id is taken again.
KUGEL_API kugel_status kugel_body_destroy(kugel_world *world, kugel_body body);

/// Does this body live in this world?
KUGEL_API bool kugel_body_is_valid(const kugel_world *world, kugel_body body);

/// The id of a handle: 0, 1, 2 ... in the order of creation while nothing is destroyed.
static inline uint32_t kugel_body_id(kugel_body body) { return (uint32_t)body; }

/// The live body with this id, or KUGEL_NULL_BODY.
KUGEL_API kugel_body kugel_world_body(const kugel_world *world, uint32_t id);

/// Ids lie in [0, kugel_world_id_end(world)); free ones among them are skipped by kugel_world_body.
KUGEL_API uint32_t kugel_world_id_end(const kugel_world *world);

/// A body's state. Counting its contacts takes a look at every contact of the world: for many
/// bodies there is kugel_world_read_states.
KUGEL_API kugel_status kugel_body_get(const kugel_world *world, kugel_body body,
                                      kugel_body_state *state);

/// kugel_body_get for all live bodies, in id order, at the cost of one pass over bodies and
/// contacts.
/// @param capacity rows of `states`, which may be NULL. @return the number of live bodies (rows
/// written are the smaller of the two).
KUGEL_API uint32_t kugel_world_read_states(const kugel_world *world, uint32_t capacity,
                                           kugel_body_state *states);

/// Bulk read of all live bodies in id order. Each array may be NULL.
/// @param capacity rows that the arrays hold. @return the number of live bodies (rows written are
/// the smaller of the two). Shapes: ids[n], position[3n] m, velocity[3n] m/s, spin[3n] rad/s.
KUGEL_API uint32_t kugel_world_read(const kugel_world *world, uint32_t capacity, uint32_t *ids,
                                    double *position, double *velocity, double *spin);

/// Put a body elsewhere, at once. @param position 3 values, m; a place outside closed bounds is
/// refused.
KUGEL_API kugel_status kugel_body_set_position(kugel_world *world, kugel_body body,
                                               const double *position);

/// Set its velocity, at once; refused for static bodies. @param velocity 3 values, m/s.
KUGEL_API kugel_status kugel_body_set_velocity(kugel_world *world, kugel_body body,
                                               const double *velocity);

/// Set its spin, at once; refused for static bodies. @param spin 3 values, rad/s.
KUGEL_API kugel_status kugel_body_set_spin(kugel_world *world, kugel_body body, const double *spin);

/// Change whom a body meets, see kugel_body_def; from the next step on. Resting contacts with
/// bodies that it does not meet any more are dropped; bodies in contact with it wake. @return also
/// KUGEL_ERROR_OUT_OF_MEMORY.
KUGEL_API kugel_status kugel_body_set_filter(kugel_world *world, kugel_body body, uint32_t category,
                                             uint32_t mask, uint32_t group);

/// Add a force for the next step. No effect on static and kinematic bodies. @param force 3 values,
/// N; the sum of all stays within +-1e15. @return also KUGEL_ERROR_OUT_OF_MEMORY: the first force
/// in a world takes memory.
KUGEL_API kugel_status kugel_body_apply_force(kugel_world *world, kugel_body body,
                                              const double *force);

/// Add a torque for the next step, likewise. @param torque 3 values, N m.
KUGEL_API kugel_status kugel_body_apply_torque(kugel_world *world, kugel_body body,
                                               const double *torque);

/// Change velocity by impulse / mass at once. No effect on static and kinematic bodies.
/// @param impulse 3 values, N s; the velocity stays within +-1e15 m/s.
KUGEL_API kugel_status kugel_body_apply_impulse(kugel_world *world, kugel_body body,
                                                const double *impulse);

/// Change spin by impulse / inertia at once, likewise. @param impulse 3 values, N m s.
KUGEL_API kugel_status kugel_body_apply_angular_impulse(kugel_world *world, kugel_body body,
                                                        const double *impulse);

KUGEL_END_DECLS
#endif
