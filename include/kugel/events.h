/** @file
 * The events of the last step. Arrays stay valid until the next step or the world's destruction.
 * They are sorted by (time, target kind, low id, high id), sleep events by (time, id), and are the
 * same for every thread count. */
#ifndef KUGEL_EVENTS_H
#define KUGEL_EVENTS_H

#include "world.h"

KUGEL_BEGIN_DECLS

/// @defgroup events Events
/// Impacts, resting contacts, sleep and sensors of the last step.
/// @{

/// What a body collides with or rests on, or a query meets.
typedef enum kugel_target {
    KUGEL_TARGET_BODY = 0,     ///< index is the id of body b
    KUGEL_TARGET_FACE = 1,     ///< index is 0 ... 5: x-min, x-max, y-min, y-max, z-min, z-max
    KUGEL_TARGET_PLANE = 2,    ///< index as given by kugel_world_add_plane
    KUGEL_TARGET_SURFACE = 3,  ///< index as given by kugel_world_add_surface
    KUGEL_TARGET_ELLIPSOID = 4 ///< of queries only; index as given by kugel_world_add_ellipsoid
} kugel_target;

/// An impact: a collision with approach speed > 0. For two bodies a has the lower id.
typedef struct kugel_impact {
    double time;         ///< s from the start of the tick, in [0, dt]
    kugel_target target; ///< what a hits
    uint32_t index;      ///< of the target, see kugel_target
    kugel_body a;        ///< the body
    kugel_body b;        ///< the other body; null for faces, planes and surfaces
    double point[3];     ///< m, the contact point, in a's periodic image
    /// Unit, from a towards b or into the boundary; kugel_contact and kugel_hit have the
    /// opposite normal, outward from the target.
    double normal[3];
    /// m/s, approach along the normal, >= 0. For a body with a resting contact: the speed at that
    /// time, without the acceleration of the remaining substep.
    double speed;
    /// N s along the normal, >= 0. It also stops the approach that the acceleration of the
    /// remaining substep would add.
    double impulse;
    /// The triangle of a surface that was hit, else 0. An edge or vertex has the lowest of its
    /// triangles.
    uint32_t triangle;
} kugel_impact;

/// Beginning or end of a resting contact. Gaps up to the slop of the pair count as touching. Calls
/// that destroy, move, resize or filter a body, or set its type, end its contacts: the next step
/// reports these ends at time 0, with point and normal as they were before the call, and pairs that
/// still touch begin again in it. The handle of a destroyed body is stale then. A snapshot does not
/// contain ends that no step has reported yet.
typedef struct kugel_touch {
    double time;         ///< s from the start of the tick, in [0, dt]
    kugel_target target; ///< what a touches
    uint32_t index;      ///< of the target, see kugel_target
    kugel_body a;        ///< the body
    kugel_body b;        ///< the other body; null for faces, planes and surfaces
    double point[3];     ///< m, the point of a's surface nearest to the target at that time
    double normal[3];    ///< unit, from a towards b or into the boundary, as kugel_impact's
    /// Of a surface, else 0: one number for all triangles of a flat part, so that it stays the same
    /// while a body rolls over them. On a surface at rest kugel_world_nearest at `point` finds the
    /// one touched.
    uint32_t triangle;
} kugel_touch;

/// A body that fell asleep or woke up.
typedef struct kugel_rest {
    double
        time; ///< s from the start of the tick; dt for falling asleep; 0 when a call woke the body
    kugel_body body; ///< the body
} kugel_rest;

/// A body entered or left a sensor: their surfaces touched. When a call creates, moves, resizes or
/// filters a body or sensor, or sets its type, bodies inside enter at time 0, and bodies outside
/// leave without an event. After a new filter only bodies that it admits and the old one excluded
/// enter. Sensors report no other sensors.
/// A static body in a static sensor is not reported. Cost: a static or kinematic sensor tests
/// nearby bodies; a dynamic one, and any in a world with periodic faces, tests all bodies in each
/// substep.
typedef struct kugel_sensor_event {
    double time;       ///< s from the start of the tick, in [0, dt]
    bool entered;      ///< true: entered; false: left
    kugel_body sensor; ///< the sensor
    kugel_body body;   ///< the body that entered or left
    double point[3];   ///< m, on the sensor's surface
    double normal[3];  ///< unit, from the sensor's centre towards the body's
    /// m/s, approach along the normal: >= 0 when entering, <= 0 when leaving, where zero is -0.0.
    /// It is zero when the relative velocity has the other sign: for bodies that a call placed
    /// inside or a position correction moved across the surface.
    double speed;
} kugel_sensor_event;

/// Sets the approach speed from which impacts are reported. Slower impacts still happen and count
/// in kugel_stats. The setting is not part of the canonical state: hashes, snapshots and recordings
/// leave it out, and a clone reports all impacts.
/// @param speed m/s, finite, >= 0; initially 0. Applies from the next step on.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_world_report_impacts_above(kugel_world *world, double speed);

/// The last step's impacts. @param count may be NULL; receives the length. @return NULL when count
/// is 0.
KUGEL_API const kugel_impact *kugel_world_impacts(const kugel_world *world, size_t *count);

/// Resting contacts that began in the last step, as kugel_world_impacts.
KUGEL_API const kugel_touch *kugel_world_begins(const kugel_world *world, size_t *count);

/// Resting contacts that ended, as kugel_world_impacts.
KUGEL_API const kugel_touch *kugel_world_ends(const kugel_world *world, size_t *count);

/// Bodies that fell asleep, as kugel_world_impacts.
KUGEL_API const kugel_rest *kugel_world_sleeps(const kugel_world *world, size_t *count);

/// Bodies that woke, by the step or by calls before it, as kugel_world_impacts.
KUGEL_API const kugel_rest *kugel_world_wakes(const kugel_world *world, size_t *count);

/// Bodies that entered and left sensors, as kugel_world_impacts, but sorted by (time, sensor's id,
/// body's id), entering before leaving.
KUGEL_API const kugel_sensor_event *kugel_world_sensor_events(const kugel_world *world,
                                                              size_t *count);

/// @}

KUGEL_END_DECLS
#endif
