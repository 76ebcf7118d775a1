/* The state of the fuzz target "calls": a world, a model of the world, and the bytes that choose
 * the calls. The model holds the handles and the values that were set last. */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include <kugel/kugel.h>

#include "failing_memory.h"
#include "input.h"

/* Worlds with the default substeps, which may be 1000, have at most FEW_BODIES and FEW_STEPS. */
enum {
    FEW_BODIES = 6,
    FEW_STEPS = 3,
    MOST_BODIES = 40,
    MOST_STALE = 16,
    MOST_SURFACES = 4,
    SURFACE_INDICES = 2 * MOST_SURFACES, /* ends that wait for a step keep their indices */
    FEW_KINDS = 4,                       /* of material that worlds have */
    MOST_STEPS = 24,
    MOST_CALLS = 200
};
#define VALUE_LIMIT 1e15

typedef struct model {
    uint32_t count;
    kugel_body_state bodies[MOST_BODIES]; /* live bodies in id order, as last read or set */
    uint32_t stale_count;
    kugel_body stale[MOST_STALE];                /* handles of removed bodies */
    uint32_t surface_triangles[SURFACE_INDICES]; /* 0: no such surface; UINT32_MAX: a shape */
    kugel_surface surfaces[SURFACE_INDICES];     /* the last handle of each index; 0: none */
    struct {
        bool given;
        kugel_pair_material material;
    } pairs[FEW_KINDS][FEW_KINDS]; /* [a][b] with a <= b */
    double gravity[3];
    uint64_t tick;
    double time;
} model;

typedef struct bytes {
    uint8_t *data;
    size_t size, room;
} bytes;

typedef struct calls {
    fuzz_input in;
    failing_memory memory;
    kugel_world *world;
    kugel_world_def def;
    model model;
    bytes now;      /* snapshot after the last call */
    uint32_t steps; /* of all worlds, at most MOST_STEPS */
    bytes saved;    /* a snapshot to restore */
    model saved_model;
    bool recording, ring;
    uint64_t recorded_ticks;
    uint64_t failures; /* failed allocations before the present call */
    uint64_t refused;  /* as kg_aside.refused, before the present call */
    bytes recorded;
} calls;

/* calls.c */
bool fuzz_is_value(double value);
bool fuzz_is_vector(const double value[3]);
/* A kind of material; KUGEL_KIND_COUNT, which is refused, for one byte in five. */
static inline uint32_t calls_kind(uint8_t byte)
{
    return byte % 5 < FEW_KINDS ? byte % 5 : KUGEL_KIND_COUNT;
}
/* Choose a live, stale, null or random handle. *body is the model's row of the body, or NULL. */
kugel_body calls_handle(calls *c, kugel_body_state **body);
/* Call before and after each call that may change the world. A call with valid arguments may fail
 * only without memory, or at a limit if `limited`; a failed call must change nothing. @return true
 * if the call succeeded. */
void calls_begin(calls *c);
bool calls_end(calls *c, kugel_status status, bool valid, bool limited, const char *what);
/* Compare the model's rows with the world's, after a call that succeeded. */
void calls_compare(calls *c, const char *what);
/* Read the model's bodies, tick and time from the world. */
void calls_adopt(calls *c);
void bytes_save(bytes *to, kugel_world *world);
void bytes_copy(bytes *to, const void *data, size_t size);
bool bytes_equal(const bytes *a, const bytes *b);
void bytes_free(bytes *b);

/* calls_bodies.c */
void calls_create_body(calls *c);
void calls_destroy_body(calls *c);
void calls_set_body(calls *c);
/* calls_world.c */
bool calls_new_world(calls *c);
void calls_drop_world(calls *c);
void calls_set_world(calls *c);
/* calls_surfaces.c */
void calls_set_surface(calls *c);
void calls_compare_surfaces(calls *c, const char *what);
/* calls_step.c */
void calls_step(calls *c);
/* True if a step may cost too many list refreshes for a test: a surface costs one for each radius
 * that it moves (tools/docs/limits.md). */
bool calls_is_too_fast(const calls *c, double dt);
/* calls_queries.c */
void calls_query(calls *c);
/* calls_saved.c */
void calls_save_or_restore(calls *c);
void calls_record(calls *c);
void calls_sync(calls *c);

#endif
