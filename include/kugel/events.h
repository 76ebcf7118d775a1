/** @file
 * What happened in the last step. Arrays are valid until the next step or the world's end, sorted
 * by (time, target kind, low id, high id), the same for any thread count. Bodies that fall asleep
 * or wake are sorted by (time, id). */
#ifndef KUGEL_EVENTS_H
#define KUGEL_EVENTS_H

#include "world.h"

KUGEL_BEGIN_DECLS

/// What a body met.
typedef enum kugel_target {
    KUGEL_TARGET_BODY = 0, ///< index is the id of body b
    KUGEL_TARGET_FACE = 1, ///< index is 0 ... 5: x-min, x-max, y-min, y-max, z-min, z-max
    KUGEL_TARGET_PLANE = 2 ///< index as given by kugel_world_add_plane
} kugel_target;

/// A collision with approach speed > 0. For two bodies a has the lower id.
typedef struct kugel_impact {
    double time;         ///< s from the start of the tick, in [0, dt]
    kugel_target target; ///< what a met
    uint32_t index;      ///< of the target, see kugel_target
    kugel_body a;        ///< the body that met it
    kugel_body b;        ///< the other body; null for faces and planes
    double point[3];     ///< m, where they touch (in a's periodic image)
    double normal[3]; ///< unit, from a towards b or into the face or plane: where a pushes. That of
                      ///< a kugel_contact or kugel_hit is the target's outward one, the opposite
    double speed;     ///< m/s, approach along the normal, >= 0. Of a bounce of what a contact holds
        ///< that of the moment, without what its acceleration still adds in the substep
    double impulse; ///< N s along the normal, >= 0; stops at least what is to come of the approach,
                    ///< too
} kugel_impact;

/// Beginning or end of a resting contact. Gaps up to the slop of the pair count as touching.
/// Contacts that a call drops (a body is destroyed, moved by hand or given a filter) leave no
/// event, and begin anew where they still touch.
typedef struct kugel_touch {
    double time;         ///< s from the start of the tick, in [0, dt]
    kugel_target target; ///< what a touches
    uint32_t index;      ///< of the target, see kugel_target
    kugel_body a;        ///< the body that touches it
    kugel_body b;        ///< the other body; null for faces and planes
    double point[3];     ///< m, of a's surface the point nearest to the target at that time
    double normal[3];    ///< unit, from a towards b or into the face or plane, as kugel_impact's
} kugel_touch;

/// A body that fell asleep or woke up.
typedef struct kugel_rest {
    double
        time; ///< s from the start of the tick, in [0, dt]; falling asleep: dt; woken by a call: 0
    kugel_body body; ///< which
} kugel_rest;

/// A body entered or left a sensor: their surfaces touched. Bodies that lie inside when they or the
/// sensor are created or moved by hand, or that a filter lets it see, enter at time 0; those that
/// are taken out so leave no event. A static body in a static sensor is never reported. A static or
/// kinematic sensor costs by who is near it; a dynamic one, and any in a world with periodic faces,
/// looks at every body in each substep.
typedef struct kugel_sensor_event {
    double time;       ///< s from the start of the tick, in [0, dt]
    bool entered;      ///< false: left
    kugel_body sensor; ///< which sensor
    kugel_body body;   ///< who entered or left
    double point[3];   ///< m, on the sensor's surface
    double normal[3];  ///< unit, from the sensor's centre towards the body's
    double speed;      ///< m/s, approach along the normal: >= 0 when entering, <= 0 when leaving. 0
        ///< where the motion says the opposite or nothing: a body that was put inside and
        ///< lies still or moves outwards, or that a contact pushed across; -0.0 when
        ///< leaving, so the sign bit always tells
} kugel_sensor_event;

/// Report an impact only where its approach speed is at least `speed`: for hosts that want the loud
/// ones and not thousands of others. Slower ones happen and count in kugel_stats as ever. It is no
/// part of the state: hashes, snapshots and recordings do not know it, and a clone reports all.
/// @param speed m/s, finite, >= 0; at first 0. Holds from the next step on.
/// @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT.
KUGEL_API kugel_status kugel_world_report_impacts_above(kugel_world *world, double speed);

/// The last step's impacts. @param count receives the length. @return NULL when count is 0.
KUGEL_API const kugel_impact *kugel_world_impacts(const kugel_world *world, size_t *count);

/// Resting contacts that began in the last step, as kugel_world_impacts.
KUGEL_API const kugel_touch *kugel_world_begins(const kugel_world *world, size_t *count);

/// Resting contacts that ended, as kugel_world_impacts.
KUGEL_API const kugel_touch *kugel_world_ends(const kugel_world *world, size_t *count);

/// Bodies that fell asleep, as kugel_world_impacts.
KUGEL_API const kugel_rest *kugel_world_sleeps(const kugel_world *world, size_t *count);

/// Bodies that woke, by the step or by calls before it, as kugel_world_impacts.
KUGEL_API const kugel_rest *kugel_world_wakes(const kugel_world *world, size_t *count);

/// Who entered and left sensors, as kugel_world_impacts, but by (time, sensor's id, body's id),
/// entering before leaving.
KUGEL_API const kugel_sensor_event *kugel_world_sensor_events(const kugel_world *world,
                                                              size_t *count);

KUGEL_END_DECLS
#endif
