/* Recording of public calls. Without a recorder (NULL) nothing is done. If recording fails, the
 * recorded call still succeeds; nothing more is recorded, and kg_recorder_status returns the
 * failure. */
#ifndef KG_RECORD_RECORDER_H
#define KG_RECORD_RECORDER_H

#include "kugel/record.h"
#include "record/calls.h"

typedef struct kg_recorder kg_recorder;

/* What the calls of a world need, as pointers in the first member of a recorder: a program that
 * never records does not link the functions. */
typedef struct kg_recorder_functions {
    void (*call)(kg_recorder *recorder, const kg_call *call);
    void (*add_surface)(kg_recorder *recorder, const kg_surface *surface, kugel_surface handle);
    void (*step)(kg_recorder *recorder, kugel_world *world, double dt);
    void (*destroy)(kg_recorder *recorder);
} kg_recorder_functions;
static inline const kg_recorder_functions *kg_recorder_functions_of(const kg_recorder *recorder)
{
    return *(const kg_recorder_functions *const *)(const void *)recorder;
}

/* Record a call of this name (calls.h); the other arguments initialise a kg_call. */
#define KG_RECORD(world, name, ...)                                                                \
    do {                                                                                           \
        if ((world)->recorder)                                                                     \
            kg_record_call((world)->recorder, &(kg_call){.op = KG_OP_##name, __VA_ARGS__});        \
    } while (0)
static inline void kg_record_call(kg_recorder *recorder, const kg_call *call)
{
    if (recorder) kg_recorder_functions_of(recorder)->call(recorder, call);
}
/* Record that a surface was added, and its mesh unless the recording has it. */
static inline void kg_record_add_surface(kg_recorder *recorder, const kg_surface *surface,
                                         kugel_surface handle)
{
    if (recorder) kg_recorder_functions_of(recorder)->add_surface(recorder, surface, handle);
}
/* Record a successful step. */
static inline void kg_record_step(kg_recorder *recorder, kugel_world *world, double dt)
{
    if (recorder) kg_recorder_functions_of(recorder)->step(recorder, world, dt);
}
static inline void kg_record_end(kg_recorder *recorder)
{
    if (recorder) kg_recorder_functions_of(recorder)->destroy(recorder);
}

/* True if there is a recording that has not failed: calls are recorded. */
bool kg_recorder_is_active(const kg_recorder *recorder);
/* True if recording the next step reads the bodies: for a state, a keyframe or a ring segment. */
bool kg_recorder_step_reads_bodies(const kg_recorder *recorder);
/* Record a successful step; `hash`: the state hash after the step. */
void kg_recorder_step(kg_recorder *recorder, kugel_world *world, double dt, uint64_t hash);

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
