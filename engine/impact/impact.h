/* The impact stage: handles all events inside a substep in chronological order.
 * The order of events is total: (time, kind, low id, high id, periodic image). Each body has its
 * own clock, and only its own events advance it. A prediction is a pure function of two stored
 * motions, of the impacts that the two bodies have had in the substep, and of data that no impact
 * changes. So results depend neither on the neighbour structure nor on when a pair is tested. */
#ifndef KG_IMPACT_IMPACT_H
#define KG_IMPACT_IMPACT_H

#include "grid/neighbours.h"

/* Kinds of events, in the order in which events of one time are handled. Exits come first, since a
 * body that the contact solve moved out of its skin begins the impacts with an outdated list. */
enum {
    /* Body a leaves its Verlet skin, or its cell through face b; states do not change. */
    KG_EVENT_EXIT = 0,
    KG_EVENT_BODY = 1,     /* bodies a and b collide; b is a neighbour */
    KG_EVENT_BOUNDARY = 2, /* body a collides with boundary b */
    KG_EVENT_CROSSING = 3  /* the centre of a crosses periodic face b */
};

typedef struct kg_event {
    double time;                   /* s from the start of the substep */
    uint32_t a, b;                 /* as the kind says; a: slot */
    uint32_t version_a, version_b; /* motion versions of the bodies at the prediction */
    uint32_t kind;
    uint32_t next; /* the next event of its bucket or of the free list */
} kg_event;

/* An item of the heap. It holds the time, since most comparisons read nothing else. */
typedef struct kg_heap_item {
    double time;
    uint32_t event, spare;
} kg_heap_item;

/* A motion as the filter of cell lists reads it (quantised_motions.c). */
typedef struct kg_quantised_motion {
    uint32_t x[3]; /* at the start of the window, in position units, modulo 2^32 */
    uint32_t spare;
    float v[3];   /* in largest radii per window; NaN: the body always passes the filter */
    float radius; /* in largest radii */
} kg_quantised_motion;

typedef struct kg_quantised_motions {
    kg_quantised_motion *motions; /* by slot */
    double from;                  /* s, start of the window */
    double window;                /* s, its length */
    double per_window;            /* 1/s, inverse length */
    double low[4];                /* m, position 0 */
    double per_unit[4];           /* 1/m, position units in a metre */
    double scale[4];              /* s/m, factor of velocities; [3]: 1/m, factor of radii */
    double max_speed[4];          /* m/s, largest quantised velocity */
    double max_position[4];       /* m, largest quantised distance from `low` */
    float units[3];               /* position units in a largest radius */
    float radii[3];               /* largest radii in a position unit */
    bool used;                    /* true when the motions are those of this window */
} kg_quantised_motions;

/* Number of events that a prediction pass found for a range of bodies; one cache line each. */
typedef struct kg_queue_part {
    /* may exceed the capacity; the events beyond it are dropped */
    _Alignas(KG_CACHE_LINE) uint32_t count;
} kg_queue_part;

enum {
    KG_COLUMN_EVENTS,
    KG_COLUMN_BUCKETS,
    KG_COLUMN_HEAP,
    KG_COLUMN_SIMULTANEOUS,
    KG_COLUMN_PARTS,
    KG_COLUMN_QUANTISED,
    KG_COLUMN_OCCUPIED,
    KG_COLUMN_PATH_HASH,
    KG_COLUMN_COMPARED,
    KG_IMPACT_COLUMNS
};

/* Which paths are hashed. */
typedef enum kg_paths {
    KG_PATHS_NONE,
    KG_PATHS_WINDOW, /* those of a window, in the stage of a subdomain */
    KG_PATHS_TICK    /* those of a tick, in the stage of a rank */
} kg_paths;

/* State of the impact stage: a calendar queue over the window, and scratch memory. */
typedef struct kg_impact_stage {
    kg_event *events;     /* event pool */
    uint32_t event_count; /* size of the pool in events, free ones included */
    uint32_t free_event;  /* first of the free list, or KG_NONE */
    uint32_t *bucket;     /* first event of each occupied bucket */
    uint64_t *occupied;   /* bit k of word i: bucket 64 i + k is occupied */
    bool prefetches;      /* true when upcoming events are prefetched */
    uint32_t bucket_count;
    uint32_t current;     /* first bucket whose events are not in the heap yet */
    double per_second;    /* buckets per second */
    double from, until;   /* s in the substep: the window of the queue */
    double window_length; /* s, of the next window; 0: the whole substep */
    kg_heap_item *heap;
    uint32_t heap_count;
    uint64_t pushed;        /* events pushed in this window; sets the size of the next calendar */
    double h;               /* s, length of the substep */
    double length_unit;     /* m, smallest diameter; for neighbour_filter.c */
    double per_length_unit; /* 1/m, its inverse */
    double substep_start;   /* s, start of the substep in the tick */
    kg_quantised_motions quantised;
    kg_queue_part *parts; /* part i occupies events[i * part_capacity ...] */
    uint32_t part_count, part_capacity;
    uint32_t part_count_max;  /* largest number of events of a part in the last pass; 0: none yet */
    uint32_t bodies_per_part; /* slots per part; 0: events go to the queue */
    struct kg_subdomains *subdomains; /* NULL until a window is divided; see subdomains.h */
    uint32_t first_ghost;             /* first row of a ghost; KG_NONE: there are no ghosts */
    bool partial;                     /* true when bodies that ghosts can meet may be missing */
    kg_paths paths;
    /* by row: hash of the motions at the events of the window or tick; 0: no event yet */
    uint64_t *path_hash;
    uint64_t *compared;       /* KG_PATHS_TICK: bit k of word i: row 64 i + k is hashed */
    double max_speed_squared; /* m^2/s^2, of own bodies; kept for KG_PATHS_TICK */
    kg_scratch scratch;       /* of simultaneous impacts; each subdomain has its own */
    kg_column columns[KG_IMPACT_COLUMNS];
} kg_impact_stage;

/* Maximum number of events of a step: impacts, touches without an impulse and crossings of periodic
 * faces. These follow from the state. List refreshes and crossings of cells do not, and are not
 * counted. */
static inline uint64_t kg_impact_event_limit(const kugel_world *world)
{
    uint64_t by_default =
        KG_STEP_EVENTS_BASE + (uint64_t)KG_STEP_EVENTS_PER_BODY * kg_world_body_total(world);
    return world->def.step_event_limit ? (uint64_t)world->def.step_event_limit : by_default;
}
static inline bool kg_impact_exceeds_limit(const kugel_world *world)
{
    return world->events.pending.handled_event_count > kg_impact_event_limit(world);
}

/* Handle all events from 0 to h (s). Each body is advanced to its last event; kg_motion_advance
 * advances it to h. `start`: start of the substep in the tick, s. Errors: KG_STEP_RETRY,
 * KG_STEP_EVENT_LIMIT, KG_STEP_INEXACT, KUGEL_ERROR_OUT_OF_MEMORY. */
kugel_status kg_impact_run(kugel_world *world, double h, double start);
void kg_impact_free(kg_memory *memory, kg_impact_stage *stage);

/* window_predict.c */
/* Prediction pass: push all events of the window. If subdomains are planned, the events stay in the
 * parts of the pool. False when out of memory. */
bool kg_window_predict(kugel_world *world);

/* impact_stage.c */
/* Apply an event and predict the next events of its bodies. */
kugel_status kg_impact_handle_event(kugel_world *world, const kg_event *event);
/* Resolve one impact and predict the next events of its bodies. */
kugel_status kg_impact_resolve_and_predict(kugel_world *world, const kg_event *event);
/* Push the next events of a body whose motion changed at `now`. False when out of memory. */
bool kg_impact_repredict(kugel_world *world, uint32_t i, double now);

/* elastic.c */
/* True when in this substep all bodies move freely on straight lines and all possible impacts are
 * lossless (work.all_lossless). */
bool kg_elastic_applies_to_world(const kugel_world *world);

/* resolve.c, simultaneous_clusters.c. Errors: KUGEL_ERROR_OUT_OF_MEMORY and, in a partial world,
 * KG_STEP_INEXACT. */
/* Apply one impact to its bodies; a pair without restitution begins to rest. */
kugel_status kg_collision_resolve(kugel_world *world, const kg_event *event);
/* Resolve an impact and all others at exactly its time, and predict the next events. */
kugel_status kg_impact_resolve_simultaneous(kugel_world *world, const kg_event *first);
/* Count an event against step_event_limit. kg_collision_resolve calls it itself. */
void kg_resolve_count_event(kugel_world *world, const kg_event *event);
/* Move body i through a periodic face at t, s. */
void kg_resolve_crossing(kugel_world *world, uint32_t i, uint32_t face, double t);
/* Advance a motion to time t, s. */
void kg_resolve_advance_to(kg_motion *motion, double t);

#endif
