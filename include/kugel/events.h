/** @file
 * The events of the last step. Arrays are valid until the next step, until a snapshot is restored,
 * until the world is destroyed, or until a call asks for rows of another size (version.h). Impacts
 * and touches are sorted by (time, target, id of a, index, triangle), sleep events by (time, id).
 * Arrays are the same for every number of threads. */
#ifndef KUGEL_EVENTS_H
#define KUGEL_EVENTS_H

#include "world.h"

KUGEL_BEGIN_DECLS

/// @defgroup events Events
/// Impacts, resting contacts, sleep and sensors of the last step.
/// @{

/// Kinds of what a body collides with or rests on, and of what a query finds.
KUGEL_ENUM(kugel_target){
    KUGEL_TARGET_BODY = 0,   ///< index is the id of the body
    KUGEL_TARGET_FACE = 1,   ///< index is 0 ... 5: x-min, x-max, y-min, y-max, z-min, z-max
    KUGEL_TARGET_SURFACE = 2 ///< index from kugel_surface_create
};

/// An impact: a collision of a with a target that it approaches. Of two bodies a has the lower id.
typedef struct kugel_impact {
    double time;         ///< s from the start of the tick, in [0, dt]
    kugel_target target; ///< the kind of what a hits
    uint32_t index;      ///< of the target, see kugel_target
    kugel_body a;        ///< the body
    kugel_body b;        ///< the other body; null for faces and surfaces
    double point[3];     ///< m, the contact point, in a's periodic image
    /// Unit, from a towards b or into the face or surface. In kugel_contact and kugel_hit
    /// the normal is the opposite: outward from the target.
    double normal[3];
    /// m/s, approach speed along the normal, >= 0. For a body with a resting contact it is the
    /// speed at that time, without the acceleration of the remaining substep: 0 if only that
    /// acceleration makes the bodies approach.
    double speed;
    /// N s along the normal, >= 0. The impulse also stops the approach that the acceleration of the
    /// remaining substep would add.
    double impulse;
    /// Of a surface: the triangle that was hit; of an edge or vertex the lowest of its triangles.
    /// Else 0.
    uint32_t triangle;
} kugel_impact;

/// The beginning or end of a resting contact. A gap up to the slop of the pair counts as touching.
/// Calls that destroy, move or resize a body, or set its type, end its contacts; calls that place
/// or remove a surface end the contacts with it; calls that set a filter end the contacts that it
/// excludes. The next step reports these ends at time 0, with point and normal as they were before
/// the call; the handle of a destroyed body is then stale, and the index of a removed surface free
/// (kugel_world_surface). Pairs that still touch begin again in
/// that step. Snapshots and clones have the ends that no step has reported yet.
typedef struct kugel_touch {
    double time;         ///< s from the start of the tick, in [0, dt]
    kugel_target target; ///< the kind of what a touches
    uint32_t index;      ///< of the target, see kugel_target
    kugel_body a;        ///< the body
    kugel_body b;        ///< the other body; null for faces and surfaces
    double point[3];     ///< m, the point of a's surface nearest to the target at that time
    double normal[3];    ///< unit, from a towards b or into the face or surface
    /// Of a surface: the number of the touched part, else 0. All triangles of a flat part have the
    /// same number, so it stays while a body rolls over them. A flat part and one of its edges or
    /// vertices may have one number: a body that touches both has two contacts, each with its own
    /// begin and end. On a surface at rest, kugel_world_nearest at `point` finds the touched
    /// triangle.
    uint32_t triangle;
} kugel_touch;

/// A body that fell asleep or woke up.
typedef struct kugel_rest {
    /// s from the start of the tick. Of a body that fell asleep: dt. Of one that woke: 0 if a call
    /// woke it, else the start of a substep, or dt.
    double time;
    kugel_body body; ///< the body
} kugel_rest;

/// A body entered or left a sensor. A body is inside while it touches or overlaps the sensor.
/// Sensors do not report other sensors, and a static sensor does not report static bodies.
/// Solid surfaces can be sensors (kugel_surface_def.sensor); they report no static bodies. As for
/// collisions, periodic axes do not repeat them.
///
/// Entries and exits of a pair alternate, whatever ends the overlap. Where calls create, move,
/// resize or destroy a body or a sensor, or set its type or filter, the next step reports at time 0
/// the bodies that are in a sensor and were not before these calls, and those that were and are
/// not. Such an exit has point and normal as they were before the call, and may have the stale
/// handle of what was destroyed. A body that was inside and still is makes no event. Snapshots and
/// clones keep what no step has reported yet.
///
/// Cost: such a call tests the body against all sensors, or the sensor against all bodies. In a
/// step each body is tested against the sensors near it in each substep. A dynamic sensor and a
/// plane are tested against all bodies.
typedef struct kugel_sensor_event {
    double time;       ///< s from the start of the tick, in [0, dt]
    bool entered;      ///< true: entered; false: left
    kugel_body sensor; ///< the sensor; null if it is a surface
    kugel_body body;   ///< the body that entered or left
    double point[3];   ///< m, on the sensor's surface
    /// Unit, from the sensor's centre towards the body's; of a surface outward, at `point`.
    double normal[3];
    /// m/s, approach speed along the normal: >= 0 when entering; < 0 or -0.0 when leaving. It is
    /// zero if the relative velocity has the other sign, as for a body that a call placed inside or
    /// a position correction moved across the surface.
    double speed;
    kugel_surface surface; ///< the sensor, if it is a surface; else null
} kugel_sensor_event;

/// What a body and a target exchanged in a step: the sum over its impacts and, in each substep, its
/// resting contact. Divided by dt it is the mean force, over many steps the mean force of that
/// time. So the sum over all bodies on a floor is what the floor bore.
typedef struct kugel_impulse_sum {
    kugel_target target; ///< the kind of what a pushes
    uint32_t index;      ///< of the target, see kugel_target
    kugel_body a;        ///< the body; of two bodies the one with the lower id
    kugel_body b;        ///< the other body; null for faces and surfaces
    double impulse[3];   ///< N s, on the target; a received the opposite
    /// N m s, on the target: of a body about its centre, else about the origin of the world. About
    /// a point p it is this less p x impulse.
    double angular_impulse[3];
    double along;     ///< N s, sum of the normal impulses
    double friction;  ///< N s, sum of the magnitudes of the friction impulses
    uint32_t impacts; ///< number of impacts
} kugel_impulse_sum;

/// Sum the impulses of each pair from the next step on, or no longer. The setting is not part of
/// the canonical state: it changes no result, and hashes, snapshots, clones and recordings leave it
/// out. Initially off. Cost of a step: one row for each contact and substep, and for each impact.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT (NULL).
KUGEL_API kugel_status kugel_world_sum_impulses(kugel_world *world, bool on);

/// What bodies and targets exchanged in the last step. First a row for each pair that met awake,
/// sorted by (id of a, target, index). Then a row for each resting contact of sleeping bodies, in
/// the order of kugel_world_contacts: its forces times the length of the step. These are the forces
/// of the last step awake, which hold the weight to about a thousandth; the little velocity that
/// falling asleep takes has no row. No rows if the step did not sum impulses. A rank of a divided
/// world has the rows whose body a is its own.
/// @param capacity rows of `sums`, which may be NULL for 0.
/// @param count receives the number of all rows; at most `capacity` are written.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT (NULL) or _STATE (in a pair filter).
KUGEL_API kugel_status kugel_world_impulse_sums(const kugel_world *world, size_t capacity,
                                                kugel_impulse_sum *sums, size_t *count,
                                                size_t size);

/// Set the approach speed from which impacts are reported. Slower impacts still happen and count in
/// kugel_stats. The setting is not part of the canonical state: hashes, snapshots and recordings
/// leave it out, and a clone reports all impacts.
/// @param speed m/s, >= 0; initially 0. Applies from the next step on.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_world_report_impacts_above(kugel_world *world, double speed);

/// The last step's impacts. @param count may be NULL; receives the length. @return NULL when count
/// is 0, as it is where no memory is left for rows of another size (version.h).
KUGEL_API const kugel_impact *kugel_world_impact_events(const kugel_world *world, size_t *count,
                                                        size_t size);

/// The resting contacts that began in the last step. Count and result as for
/// kugel_world_impact_events.
KUGEL_API const kugel_touch *kugel_world_begin_events(const kugel_world *world, size_t *count,
                                                      size_t size);

/// The resting contacts that ended in the last step or by calls before it. Count and result as for
/// kugel_world_impact_events.
KUGEL_API const kugel_touch *kugel_world_end_events(const kugel_world *world, size_t *count,
                                                    size_t size);

/// The bodies that fell asleep in the last step. Count and result as for kugel_world_impact_events.
KUGEL_API const kugel_rest *kugel_world_sleep_events(const kugel_world *world, size_t *count,
                                                     size_t size);

/// The bodies that woke in the last step or by calls before it. Count and result as for
/// kugel_world_impact_events.
KUGEL_API const kugel_rest *kugel_world_wake_events(const kugel_world *world, size_t *count,
                                                    size_t size);

/// The bodies that are in a sensor now, sorted by id: those that it would have reported.
/// @param capacity of `bodies`, which may be NULL if it is 0. @param count receives the number of
/// all bodies in the sensor; it may exceed the capacity. Cost as for kugel_world_explode.
/// @return KUGEL_OK, KUGEL_ERROR_INVALID_ARGUMENT if the body is not a sensor, or
/// KUGEL_ERROR_STALE_HANDLE.
KUGEL_API kugel_status kugel_world_sensor_bodies(const kugel_world *world, kugel_body sensor,
                                                 size_t capacity, kugel_body *bodies,
                                                 size_t *count);

/// The bodies that entered and left sensors in the last step, sorted by (time, sensor's id, body's
/// id), surfaces by index behind the other sensors, those of one pair as they happened. Count and
/// result as for kugel_world_impact_events.
KUGEL_API const kugel_sensor_event *kugel_world_sensor_events(const kugel_world *world,
                                                              size_t *count, size_t size);

/// @cond
#ifndef KUGEL_PASS_SIZES /* version.h */
#define kugel_world_impact_events(...) kugel_world_impact_events(__VA_ARGS__, sizeof(kugel_impact))
#define kugel_world_begin_events(...) kugel_world_begin_events(__VA_ARGS__, sizeof(kugel_touch))
#define kugel_world_end_events(...) kugel_world_end_events(__VA_ARGS__, sizeof(kugel_touch))
#define kugel_world_sleep_events(...) kugel_world_sleep_events(__VA_ARGS__, sizeof(kugel_rest))
#define kugel_world_wake_events(...) kugel_world_wake_events(__VA_ARGS__, sizeof(kugel_rest))
#define kugel_world_impulse_sums(...)                                                              \
    kugel_world_impulse_sums(__VA_ARGS__, sizeof(kugel_impulse_sum))
#define kugel_world_sensor_events(...)                                                             \
    kugel_world_sensor_events(__VA_ARGS__, sizeof(kugel_sensor_event))
#endif
/// @endcond

/// @}

KUGEL_END_DECLS
#endif
