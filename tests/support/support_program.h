/* Programs: random calls on a world and on its twin, which must stay equal in each bit. Between
 * steps the twin is cloned from the world, restored into a world of another def, rolled back, and
 * its caches are changed. After each step the snapshots and all events are compared. The world may
 * be recorded; its recording is then played and sought. A seed determines the program. A program
 * that fails can be shrunk by leaving out calls (support_program_shrink.c). */
#ifndef SUPPORT_PROGRAM_H
#define SUPPORT_PROGRAM_H

#include <kugel/kugel.h>

enum { SUPPORT_PROGRAM_CALLS = 96, SUPPORT_PROGRAM_BODIES = 48, SUPPORT_PROGRAM_SURFACES = 16 };

typedef enum support_op {
    /* of the world and its twin; `at`: number of the body, in the order of creation */
    SUPPORT_OP_CREATE,
    SUPPORT_OP_DESTROY,
    SUPPORT_OP_POSITION, /* beside body `other`: direction value[0..2], gap value[3] */
    SUPPORT_OP_VELOCITY,
    SUPPORT_OP_SPIN,
    SUPPORT_OP_ROTATION,
    SUPPORT_OP_MASS,
    SUPPORT_OP_RADIUS,
    SUPPORT_OP_RESTITUTION,
    SUPPORT_OP_FRICTION,
    SUPPORT_OP_ROLLING,
    SUPPORT_OP_GRAVITY_SCALE,
    SUPPORT_OP_DAMPING,
    SUPPORT_OP_KIND, /* of material: `other` */
    SUPPORT_OP_SENSOR,
    SUPPORT_OP_CAN_SLEEP,
    SUPPORT_OP_ENABLED,
    SUPPORT_OP_TYPE,
    SUPPORT_OP_FILTER,
    SUPPORT_OP_IMAGE,
    SUPPORT_OP_FORCE,
    SUPPORT_OP_TORQUE,
    SUPPORT_OP_IMPULSE,
    SUPPORT_OP_ANGULAR_IMPULSE,
    SUPPORT_OP_FORCE_AT,
    SUPPORT_OP_IMPULSE_AT,
    SUPPORT_OP_WAKE,
    SUPPORT_OP_SLEEP,
    SUPPORT_OP_TARGET,
    SUPPORT_OP_TARGET_ROTATION,
    /* of the world and its twin */
    SUPPORT_OP_PLANE, /* normal value[0..2]; gap value[3] from body `at` */
    SUPPORT_OP_GRAVITY,
    SUPPORT_OP_EXPLODE, /* at the body */
    /* kinds `at` and `other`; restitution, friction, rolling resistance value[0..2]; value[3]: 1 if
     * the pair is removed; tangential restitution value[4] */
    SUPPORT_OP_PAIR,
    SUPPORT_OP_STEP, /* of value[0] s; then both are compared */
    /* `at`: number of the surface, in the order of addition */
    SUPPORT_OP_ADD_SURFACE, /* direction value[0..2], distance value[3] from body `other` */
    SUPPORT_OP_REMOVE_SURFACE,
    SUPPORT_OP_PLACE_SURFACE, /* as SUPPORT_OP_ADD_SURFACE */
    SUPPORT_OP_SURFACE_MOTION,
    SUPPORT_OP_SURFACE_TANGENT,
    SUPPORT_OP_SURFACE_MATERIAL,
    SUPPORT_OP_SURFACE_FILTER,
    SUPPORT_OP_SURFACE_KIND, /* `other` */
    SUPPORT_OP_SURFACE_TARGET,
    /* of the twin alone: nothing of the state changes */
    SUPPORT_OP_CLONE,
    SUPPORT_OP_FOREIGN,  /* a snapshot restored into another world with `other` threads */
    SUPPORT_OP_ROLLBACK, /* save, a step of value[0] s, restore */
    SUPPORT_OP_SHORTEST_SKIN,
    SUPPORT_OP_LONGEST_SKIN,
    SUPPORT_OP_REBUILD,
    SUPPORT_OP_WINDOW, /* of value[0] s */
    SUPPORT_OP_CELLS,  /* `other`: allowed or not */
    SUPPORT_OP_SORT,
    SUPPORT_OP_QUERY,
    SUPPORT_OPS
} support_op;

typedef struct support_call {
    support_op op;
    uint32_t at, other;
    uint32_t mesh; /* of SUPPORT_OP_ADD_SURFACE: which mesh; sizes in surface.size */
    double value[8];
    kugel_body_def body;       /* of SUPPORT_OP_CREATE */
    kugel_surface_def surface; /* of SUPPORT_OP_ADD_SURFACE; no position */
} support_call;

typedef struct support_program {
    kugel_world_def def;
    int32_t keyframe_ticks; /* of the recording; -1: the world is not recorded */
    uint32_t count;
    support_call calls[SUPPORT_PROGRAM_CALLS];
} support_program;

/* How the world and its twin, or the world and its recording, differ. */
typedef struct support_program_fault {
    bool found;
    bool played;    /* true: the recording differs, else the twin */
    uint32_t call;  /* number of the step that differs; of a recording: the tick */
    char text[200]; /* the first difference */
} support_program_fault;

/* support_program_make.c */
support_program support_program_make(uint64_t seed);
/* support_program_run.c */
support_program_fault support_program_run(const support_program *program);
/* support_program_shrink.c: leave out calls and simplify settings while the program fails in the
 * same way. */
void support_program_shrink(support_program *program);
/* support_program_print.c: the program as a list of calls, on stderr. */
void support_program_print(const support_program *program);

/* support_program_calls.c */
/* The handles of the program's bodies and surfaces; 0: none. */
typedef struct support_program_names {
    kugel_body body[SUPPORT_PROGRAM_BODIES];
    kugel_surface surface[SUPPORT_PROGRAM_SURFACES];
} support_program_names;
/* Replace places relative to bodies by places in the world, which is in the present state. False if
 * the call does not apply: its body or surface does not exist. */
bool support_program_resolve(const kugel_world *world, const support_program_names *names,
                             support_call *call);
/* Make a resolved call. *made: handle of a created body or an added surface. */
kugel_status support_program_call(kugel_world *world, const support_program_names *names,
                                  const support_call *call, uint64_t *made);

#endif
