/* Recording of public calls. The kg_record_ functions do nothing without a recorder (NULL). If
 * recording fails, the recorded call still succeeds; nothing more is recorded, and
 * kg_recorder_status returns the failure. */
#ifndef KG_RECORD_RECORDER_H
#define KG_RECORD_RECORDER_H

#include "kugel/pairs.h"
#include "world/surfaces.h"

typedef struct kg_recorder kg_recorder;

/* Types of ops. An op is one recorded call: a byte with the type, then the fields listed here. The
 * numbers of the types are part of the format. */
typedef enum kg_op {
    KG_OP_STEP = 1,         /* dt f64, state hash after the step u64 */
    KG_OP_PLANE = 2,        /* plane (def_encoding.h) */
    KG_OP_GRAVITY = 3,      /* 3 f64 */
    KG_OP_BODY_CREATE = 4,  /* assigned handle u64, def (def_encoding.h) */
    KG_OP_BODY_DESTROY = 5, /* handle u64 */
    /* all from here to KG_OP_SET_IMAGE: handle u64, 3 f64; numbers that a call lacks are 0 */
    KG_OP_SET_POSITION = 6,
    KG_OP_SET_VELOCITY = 7,
    KG_OP_SET_SPIN = 8,
    KG_OP_FORCE = 9,
    KG_OP_TORQUE = 10,
    KG_OP_IMPULSE = 11,
    KG_OP_ANGULAR_IMPULSE = 12,
    KG_OP_SET_FILTER = 13, /* category, mask, group */
    KG_OP_SET_MASS = 14,   /* this to KG_OP_SET_GRAVITY_SCALE: one number */
    KG_OP_SET_RADIUS = 15,
    KG_OP_SET_RESTITUTION = 16,
    KG_OP_SET_FRICTION = 17,
    KG_OP_SET_ROLLING_RESISTANCE = 18,
    KG_OP_SET_GRAVITY_SCALE = 19,
    KG_OP_SET_TYPE = 20,  /* type, mass */
    KG_OP_WAKE = 21,      /* no number */
    KG_OP_SLEEP = 22,     /* no number */
    KG_OP_SET_IMAGE = 23, /* 3 integers */
    /* assigned index u32, def (def_encoding.h); then, for a mesh, the hash of its geometry u64; for
     * a solid shape, its geometry (1 vertex, 1 triangle) */
    KG_OP_ADD_SURFACE = 24,
    KG_OP_REMOVE_SURFACE = 25,  /* index u32 */
    KG_OP_PLACE_SURFACE = 26,   /* index u32, position 3 f64, rotation 4 f64 */
    KG_OP_MOVE_SURFACE = 27,    /* index u32, velocity 3 f64, spin 3 f64 */
    KG_OP_SET_ORIENTATION = 28, /* handle u64, 4 f64 */
    KG_OP_PAIR_FILTER = 29,     /* key u64, u64 1: a call set the filter, 0: a call removed it */
    /* not a call: the filter in use when the recording started or a snapshot was written, because a
     * snapshot does not contain it; key u64, u64 1 */
    KG_OP_PAIR_FILTER_IN_USE = 30
} kg_op;

/* Bytes of the fields of the op at `op`, where `size` bytes are left. 0 if the type is unknown or
 * the op exceeds these bytes. */
size_t kg_record_op_size(const uint8_t *op, size_t size);

void kg_record_plane(kg_recorder *recorder, const kugel_plane *plane);
void kg_record_add_surface(kg_recorder *recorder, const kg_surface *surface, uint32_t index);
void kg_record_remove_surface(kg_recorder *recorder, uint32_t index);
void kg_record_place_surface(kg_recorder *recorder, uint32_t index, const double position[3],
                             const double rotation[4]);
void kg_record_move_surface(kg_recorder *recorder, uint32_t index, const double velocity[3],
                            const double spin[3]);
void kg_record_gravity(kg_recorder *recorder, const double gravity[3]);
void kg_record_body_create(kg_recorder *recorder, const kugel_body_def *def, kugel_body body);
void kg_record_body_destroy(kg_recorder *recorder, kugel_body body);
void kg_record_body_value(kg_recorder *recorder, kg_op op, kugel_body body, const double value[3]);
void kg_record_orientation(kg_recorder *recorder, kugel_body body, const double orientation[4]);
void kg_record_pair_filter(kg_recorder *recorder, const kugel_pair_filter *filter);
/* True if there is a recording that has not failed: calls are recorded. */
bool kg_recorder_is_active(const kg_recorder *recorder);
/* True if recording the next step reads the bodies: for a state, a keyframe or a ring segment. */
bool kg_record_step_reads_bodies(const kg_recorder *recorder);
/* Record a successful step; `hash`: the state hash after the step. */
void kg_record_step(kg_recorder *recorder, kugel_world *world, double dt, uint64_t hash);

/* Create a recorder and write the recording's first chunks. On failure *out is NULL. */
kugel_status kg_recorder_create(kugel_world *world, const kugel_recording_def *def,
                                kg_recorder **out);
/* Mark the present state as tick 0. False if the recording has a step or a mark. */
bool kg_recorder_mark(kg_recorder *recorder);
/* Write the remaining data and the closing chunk; returns the recording's status. */
kugel_status kg_recorder_finish(kg_recorder *recorder);
/* Write the ring's content as a recording; KUGEL_ERROR_STATE without a ring. */
kugel_status kg_recorder_dump(kg_recorder *recorder,
                              bool (*write)(void *user, const void *data, size_t size), void *user);
kugel_status kg_recorder_status(const kg_recorder *recorder);
void kg_recorder_destroy(kg_recorder *recorder);

#endif
