/* The recorded calls: KG_CALLS has a row for each. Enumeration, encoder, decoder and player follow
 * from the rows.
 * An encoded call is a byte with its number, then its arguments in the order of the row, each as
 * def_encoding.h says. So the number gives the size. */
#ifndef KG_RECORD_CALLS_H
#define KG_RECORD_CALLS_H

#include "record/def_encoding.h"

/* Kinds of calls. */
typedef enum kg_call_kind {
    KG_CALL_SET,  /* changes bodies, surfaces or settings */
    KG_CALL_PUSH, /* a force, torque or impulse: an input of the next step */
    KG_CALL_STEP
} kg_call_kind;

/* Row: number, NAME, KIND, public function, arguments. The number is part of the format and is
 * never reused. The arguments are members of kg_call, in capitals.
 * CALL: a player calls the function with its world and the arguments.
 * SPECIAL: a player calls replay_NAME of player_play.c instead, with itself and the arguments.
 * PAIR_FILTER_IN_USE is recorded for no call but when the recording starts and after each snapshot,
 * because a snapshot does not contain the pair filter. */
#define KG_CALLS(CALL, SPECIAL)                                                                    \
    SPECIAL(1, STEP, STEP, kugel_world_step, NUMBER HASH)                                          \
    CALL(2, GRAVITY, SET, kugel_world_set_gravity, VECTOR)                                         \
    SPECIAL(3, BODY_CREATE, SET, kugel_body_create, BODY BODY_DEF)                                 \
    CALL(4, BODY_DESTROY, SET, kugel_body_destroy, BODY)                                           \
    CALL(5, SET_POSITION, SET, kugel_body_set_position, BODY VECTOR)                               \
    CALL(6, SET_VELOCITY, SET, kugel_body_set_velocity, BODY VECTOR)                               \
    CALL(7, SET_SPIN, SET, kugel_body_set_spin, BODY VECTOR)                                       \
    SPECIAL(8, FORCE, PUSH, kugel_body_apply_force, BODY VECTOR)                                   \
    CALL(9, TORQUE, PUSH, kugel_body_apply_torque, BODY VECTOR)                                    \
    SPECIAL(10, IMPULSE, PUSH, kugel_body_apply_impulse, BODY VECTOR)                              \
    CALL(11, ANGULAR_IMPULSE, PUSH, kugel_body_apply_angular_impulse, BODY VECTOR)                 \
    CALL(12, SET_FILTER, SET, kugel_body_set_filter, BODY CATEGORY MASK GROUP)                     \
    CALL(13, SET_MASS, SET, kugel_body_set_mass, BODY NUMBER)                                      \
    CALL(14, SET_RADIUS, SET, kugel_body_set_radius, BODY NUMBER)                                  \
    CALL(15, SET_GRAVITY_SCALE, SET, kugel_body_set_gravity_scale, BODY NUMBER)                    \
    CALL(16, SET_TYPE, SET, kugel_body_set_type, BODY TYPE NUMBER)                                 \
    CALL(17, WAKE, SET, kugel_body_wake, BODY)                                                     \
    CALL(18, SLEEP, SET, kugel_body_sleep, BODY)                                                   \
    CALL(19, SET_IMAGE, SET, kugel_body_set_image, BODY IMAGE)                                     \
    SPECIAL(20, SURFACE_CREATE, SET, kugel_surface_create, SURFACE SURFACE_DEF HASH)               \
    CALL(21, SURFACE_DESTROY, SET, kugel_surface_destroy, SURFACE)                                 \
    CALL(22, SURFACE_POSE, SET, kugel_surface_set_pose, SURFACE VECTOR ROTATION)                   \
    CALL(23, SURFACE_MOTION, SET, kugel_surface_set_motion, SURFACE VECTOR SPIN)                   \
    CALL(24, SET_ROTATION, SET, kugel_body_set_rotation, BODY ROTATION)                            \
    SPECIAL(25, PAIR_FILTER, SET, kugel_world_set_pair_filter, KEY HAS_FILTER)                     \
    SPECIAL(26, PAIR_FILTER_IN_USE, SET, kugel_player_set_pair_filter, KEY HAS_FILTER)             \
    CALL(27, SURFACE_TANGENT, SET, kugel_surface_set_tangent_velocity, SURFACE VECTOR)             \
    SPECIAL(28, SURFACE_MATERIAL, SET, kugel_surface_set_material, SURFACE VECTOR NUMBER)          \
    CALL(29, SET_SENSOR, SET, kugel_body_set_sensor, BODY FLAG)                                    \
    CALL(30, SET_CAN_SLEEP, SET, kugel_body_set_can_sleep, BODY FLAG)                              \
    CALL(31, SET_ENABLED, SET, kugel_body_set_enabled, BODY FLAG)                                  \
    SPECIAL(32, SET_MATERIAL, SET, kugel_body_set_material, BODY VECTOR NUMBER)                    \
    SPECIAL(33, SET_DAMPING, SET, kugel_body_set_damping, BODY VECTOR)                             \
    CALL(34, SURFACE_FILTER, SET, kugel_surface_set_filter, SURFACE CATEGORY MASK GROUP)           \
    SPECIAL(35, SET_KIND, SET, kugel_body_set_kind, BODY KINDS)                                    \
    SPECIAL(36, SURFACE_KIND, SET, kugel_surface_set_kind, SURFACE KINDS)                          \
    SPECIAL(37, PAIR_MATERIAL, SET, kugel_world_set_pair_material, KINDS VECTOR NUMBER FLAG)       \
    CALL(38, SET_TEMPERATURE, SET, kugel_world_set_temperature, NUMBER)                            \
    SPECIAL(39, DRAW_VELOCITIES, SET, kugel_world_draw_velocities, VECTOR KEY)                     \
    CALL(40, SET_GROWTH, SET, kugel_world_set_growth, NUMBER)                                      \
    CALL(41, SET_CONTACT_EVENTS, SET, kugel_body_set_contact_events, BODY FLAG)                    \
    CALL(42, SET_LOCKS, SET, kugel_body_set_locks, BODY MASK)

/* KG_OP_NAME: the numbers. */
#define KG_NUMBER_OF(number, name, ...) KG_OP_##name = (number),
typedef enum kg_op { KG_CALLS(KG_NUMBER_OF, KG_NUMBER_OF) KG_OP_END } kg_op;
#undef KG_NUMBER_OF

/* A call. Members that are no arguments of it are 0. */
typedef struct kg_call {
    kg_op op;
    kugel_body_type type;
    kugel_body body;       /* the handle that a new body got */
    kugel_surface surface; /* the handle that a new surface got */
    uint64_t hash;         /* of the state after a step, or of a surface's geometry */
    double number;         /* length of a step, s; mass, radius, k_B T; a number of the material */
    double vector[3];      /* gravity, position, velocity, force, ... */
    double spin[3];        /* of a surface, rad/s */
    double rotation[4];    /* of a surface or a body */
    uint32_t category, mask, group; /* mask: also locks */
    uint32_t kinds[2];              /* of material; of a body or surface kinds[0] */
    int32_t image[3];
    uint64_t key;    /* of the pair filter; a seed */
    bool has_filter; /* false: the pair filter was removed */
    bool flag;       /* a property of the body is true, or the table gets the pair */
    union {
        kugel_body_def body_def;
        kugel_surface_def surface_def; /* without arrays */
    };
} kg_call;

/* The elements of an array, as its initialiser in a kg_call. */
#define KG_ELEMENTS3(v)                                                                            \
    {                                                                                              \
        (v)[0], (v)[1], (v)[2]                                                                     \
    }
#define KG_ELEMENTS4(v)                                                                            \
    {                                                                                              \
        (v)[0], (v)[1], (v)[2], (v)[3]                                                             \
    }

kg_call_kind kg_call_kind_of(kg_op op);
/* Bytes of an encoded call; 0 if no call has the number. */
size_t kg_call_size(uint8_t op);
/* Write these bytes. */
void kg_call_encode(const kg_call *call, uint8_t *out);
/* Decode the call at `in`, where `size` bytes are left. Returns its bytes; 0 if no call has the
 * number, or the call is longer. Values are not checked: the function that repeats it does. */
size_t kg_call_decode(const uint8_t *in, size_t size, kg_call *call);

#endif
