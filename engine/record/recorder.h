/* Recording of public calls. All functions accept a NULL recorder. Failures do not reach the
 * caller: the recording ends with a whole chunk and keeps its status. */
#ifndef KG_RECORD_RECORDER_H
#define KG_RECORD_RECORDER_H

#include "kugel/pairs.h"
#include "world/surfaces.h"

typedef struct kg_recorder kg_recorder;

/* Ops of a recording: a byte of type, then fixed fields. The numbers are part of the format. */
typedef enum kg_op {
    KG_OP_STEP = 1,         /* dt f64, state hash after it u64 */
    KG_OP_PLANE = 2,        /* plane (def_encoding.h) */
    KG_OP_GRAVITY = 3,      /* 3 f64 */
    KG_OP_BODY_CREATE = 4,  /* assigned handle u64, def (def_encoding.h) */
    KG_OP_BODY_DESTROY = 5, /* handle u64 */
    KG_OP_SET_POSITION = 6, /* this and the following: handle u64, 3 f64 */
    KG_OP_SET_VELOCITY = 7,
    KG_OP_SET_SPIN = 8,
    KG_OP_FORCE = 9,
    KG_OP_TORQUE = 10,
    KG_OP_IMPULSE = 11,
    KG_OP_ANGULAR_IMPULSE = 12,
    KG_OP_SET_FILTER = 13, /* handle, then category, mask and group as f64 */
    /* handle, then numbers as f64, the unused ones 0 */
    KG_OP_SET_MASS = 14,
    KG_OP_SET_RADIUS = 15,
    KG_OP_SET_RESTITUTION = 16,
    KG_OP_SET_FRICTION = 17,
    KG_OP_SET_ROLLING_RESISTANCE = 18,
    KG_OP_SET_GRAVITY_SCALE = 19,
    KG_OP_SET_TYPE = 20, /* type, mass */
    KG_OP_WAKE = 21,     /* this and KG_OP_SLEEP: no number is used */
    KG_OP_SLEEP = 22,
    KG_OP_SET_IMAGE = 23, /* 3 whole numbers */
    /* assigned index u32, def (def_encoding.h), hash of the geometry of a mesh u64, or sizes of a
     * shape 3 f64 */
    KG_OP_ADD_SURFACE = 24,
    KG_OP_REMOVE_SURFACE = 25,    /* index u32 */
    KG_OP_PLACE_SURFACE = 26,     /* index u32, position 3 f64, rotation 4 f64 */
    KG_OP_MOVE_SURFACE = 27,      /* index u32, velocity 3 f64, spin 3 f64 */
    KG_OP_SET_ORIENTATION = 28,   /* handle u64, 4 f32 */
    KG_OP_PAIR_FILTER = 29,       /* key u64, then 1 or 0 as u64: set or removed by a call */
    KG_OP_PAIR_FILTER_IN_USE = 30 /* the same, of a filter in use: repeated after a snapshot */
} kg_op;

/* Bytes of the op at `op` after its type byte; 0 for an unknown type, or if it exceeds `size`, the
 * bytes from there on. */
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
void kg_record_orientation(kg_recorder *recorder, kugel_body body, const float orientation[4]);
void kg_record_pair_filter(kg_recorder *recorder, const kugel_pair_filter *filter);
/* True while calls are recorded: there is a recording, and it has not failed. */
bool kg_recorder_is_active(const kg_recorder *recorder);
/* True when the record of the next step reads the bodies: a state, a keyframe. */
bool kg_record_step_reads_bodies(const kg_recorder *recorder);
/* After a successful step; `hash`: of the world's state. */
void kg_record_step(kg_recorder *recorder, kugel_world *world, double dt, uint64_t hash);

/* Write the recording's first chunks. On failure *out is NULL. */
kugel_status kg_recorder_create(kugel_world *world, const kugel_recording_def *def,
                                kg_recorder **out);
/* Write the remaining data and the closing chunk; returns the recording's status. */
kugel_status kg_recorder_finish(kg_recorder *recorder);
/* Write the ring's content as a recording; KUGEL_ERROR_STATE without a ring. */
kugel_status kg_recorder_dump(kg_recorder *recorder,
                              bool (*write)(void *user, const void *data, size_t size), void *user);
kugel_status kg_recorder_status(const kg_recorder *recorder);
void kg_recorder_destroy(kg_recorder *recorder);

#endif
