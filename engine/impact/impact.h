/* The impact stage: handles all events inside a substep in chronological order.
 * The order of events is total: (time, kind, low id, high id). Each body has its own clock, and
 * only its own events move it. A prediction is a pure function of two stored motions. So results
 * depend neither on the neighbour structure nor on when a pair is tested. */
#ifndef KG_IMPACT_IMPACT_H
#define KG_IMPACT_IMPACT_H

#include "grid/neighbours.h"

enum {
    /* Kinds in the order in which events of one time are handled. List refreshes come first: a body
     * that contacts moved out of its skin starts a substep with an outdated list. */
    /* Body a leaves its Verlet skin, or its cell through face b; states do not change. */
    KG_EVENT_SKIN = 0,
    KG_EVENT_BODY = 1,     /* bodies a and b collide; b is a neighbour */
    KG_EVENT_BOUNDARY = 2, /* body a collides with boundary b */
    KG_EVENT_CROSSING = 3  /* the centre of a crosses periodic face b */
};

typedef struct kg_event {
    double time; /* s from the start of the substep */
    uint32_t a, b;
    uint32_t stamp_a, stamp_b;
    uint32_t kind;
    uint32_t next; /* the next event of its bucket or of the free list */
} kg_event;

/* Times stand in the heap items: most comparisons read nothing else. */
typedef struct kg_heap_item {
    double time;
    uint32_t event, spare;
} kg_heap_item;

/* A motion as the filter of cell lists reads it (quantised_motions.c). */
typedef struct kg_quantised_motion {
    uint32_t x[3]; /* at the start of the window, in units of the world, modulo 2^32 */
    uint32_t spare;
    float v[3];   /* in largest radii per window; NaN: the body always passes the filter */
    float radius; /* in largest radii */
} kg_quantised_motion;

typedef struct kg_quantised_motions {
    kg_quantised_motion *motions;    /* by slot */
    double from, window, per_window; /* start of the window, s; its length, s; 1 / length, 1/s */
    double low[4], per_unit[4], scale[4]; /* m; 1/m; s/m for velocities and 1/m for the radius */
    double max_speed[4], max_position[4]; /* m/s, m */
    float units[3], radii[3];             /* units in a radius; radii in a unit */
    bool used;                            /* true when the motions are those of this window */
} kg_quantised_motions;

/* Events that a sweep predicted for a range of bodies; one cache line each. */
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
    KG_IMPACT_COLUMNS
};

/* State of the impact stage: a calendar queue over the window, and scratch memory. */
typedef struct kg_impact_stage {
    kg_event *events; /* event pool */
    uint32_t event_count, free_event;
    uint32_t *bucket;   /* first event of each occupied bucket */
    uint64_t *occupied; /* bit k of word i: bucket 64 i + k is occupied */
    bool prefetches;    /* true when upcoming events are prefetched */
    uint32_t bucket_count, current;
    double per_second;    /* buckets per second */
    double from, until;   /* s in the substep: the window of the queue */
    double window_length; /* s, of the next window; 0: the whole substep */
    kg_heap_item *heap;
    uint32_t heap_count;
    uint64_t pushed; /* events pushed in this window; sizes the next calendar */
    double h;        /* s, length of the substep */
    /* Smallest diameter, m, and its inverse; the unit of length in neighbour_filter.c. */
    double length_unit, per_length_unit;
    double substep_start; /* s, start of the substep in the tick */
    kg_quantised_motions quantised;
    kg_queue_part *parts; /* part i occupies events[i * part_capacity ...] */
    uint32_t part_count, part_capacity;
    uint32_t part_count_max;          /* most events of a part in the last sweep */
    uint32_t bodies_per_part;         /* slots per part; 0: events go to the queue */
    struct kg_subdomains *subdomains; /* NULL until a window is divided; see subdomains.h */
    bool subdomains_disabled;         /* true while a step is repeated without subdomains */
    /* In a subdomain: first row of a ghost. 0 in a world. */
    uint32_t first_ghost;
    /* By row, in subdomains: hash of the body's motions at its events. Else NULL. */
    uint64_t *path_hash;
    kg_scratch scratch; /* of simultaneous impacts; each subdomain has its own */
    kg_column columns[KG_IMPACT_COLUMNS];
} kg_impact_stage;

/* True when the row is a ghost: a copy of another subdomain's body. */
static inline bool kg_is_ghost(const kg_impact_stage *stage, uint32_t row)
{
    return stage->first_ghost && row >= stage->first_ghost;
}

/* Internal status: repeat the step from the state before it. */
#define KG_STEP_RETRY ((kugel_status)-1)

/* Advance all bodies from 0 to h (s). `start`: start of the substep in the tick, s. Returns
 * KG_STEP_RETRY or KUGEL_ERROR_OUT_OF_MEMORY. */
kugel_status kg_impact_run(kugel_world *world, double h, double start);
void kg_impact_free(kg_memory *memory, kg_impact_stage *stage);

/* queue.c */
/* Empty the queue for the window [from, until], s. Events after the window are dropped unless it
 * ends the substep. False when out of memory. */
bool kg_queue_begin(kg_memory *memory, kg_impact_stage *stage, double from, double until,
                    uint32_t bodies);
/* Write events to parts of the pool, one for each `bodies` slots, until the parts are closed.
 * Different tasks may fill different parts. The queue must be empty. False when out of memory.
 * Closing moves the events to the queue, except those of overflowed parts. */
bool kg_queue_open_parts(kugel_world *world, uint32_t parts, uint32_t bodies);
void kg_queue_close_parts(kugel_world *world);
struct kg_subdomain;
/* Push the events in the parts of `from` whose bodies have rows in the subdomain. False when out of
 * memory. */
bool kg_queue_import(kugel_world *world, const kg_impact_stage *from,
                     const struct kg_subdomain *subdomain, uint32_t visible_layers);
bool kg_queue_part_overflowed(const kugel_world *world, uint32_t part);
/* First event of a bucket; KG_NONE when it is empty. */
static inline uint32_t kg_queue_head(const kg_impact_stage *stage, uint32_t bucket)
{
    return stage->occupied[bucket / 64] >> bucket % 64 & 1 ? stage->bucket[bucket] : KG_NONE;
}
/* Push an event. False when out of memory. */
bool kg_queue_push(kugel_world *world, const kg_event *event);
/* Push an event for the current motions of its bodies; b as in an event of this kind. */
bool kg_queue_push_predicted(kugel_world *world, double time, uint32_t a, uint32_t b,
                             uint32_t kind);
/* Pop the earliest valid event. False at the end of the window, and, with *ok false, when out of
 * memory. */
bool kg_queue_pop(kugel_world *world, kg_event *event, bool *ok);
/* True when the next event is an impact at exactly `time`, the time of the last event popped. */
bool kg_queue_has_simultaneous(const kugel_world *world, double time);
/* Pop the next valid impact at exactly `time`, in order of ids. False when there is none. */
bool kg_queue_pop_at(kugel_world *world, double time, kg_event *event);
/* True when the motions that the event was predicted from are unchanged. */
bool kg_queue_is_valid(const kugel_world *world, const kg_event *event);

/* predict.c */
/* Time of impact of slot i and a neighbour of its list, s, or KG_NEVER. The same for boundaries and
 * periodic faces. */
double kg_predict_pair(const kugel_world *world, uint32_t i, uint32_t neighbour, double h);
double kg_predict_boundary(const kugel_world *world, uint32_t i, uint32_t boundary, double h);
double kg_predict_crossing(const kugel_world *world, uint32_t i, uint32_t face, double h);
/* Lower bound of the time at which the body leaves its skin, s; it is inside at `from`. */
double kg_predict_skin_exit(const kugel_world *world, uint32_t i, double from, double h);
/* Push the next events of the body with the boundaries in `near`. False when out of memory. */
bool kg_predict_boundaries(kugel_world *world, uint32_t i, kg_boundary_set near, double h);

/* Predictions for one neighbour structure. Each function pushes events, and returns false when out
 * of memory. */
typedef struct kg_predictor {
    /* Called before the first sweep of a window that begins at `from`, s. */
    bool (*begin_window)(kugel_world *world, double from, double h);
    /* First sweep: events of slots [from, to), each pair once. */
    bool (*sweep)(kugel_world *world, uint32_t from, uint32_t to, double now, double h);
    /* The motion of body i changed at `now`. */
    bool (*body)(kugel_world *world, uint32_t i, double now, double h);
    /* Two dynamic bodies collided at `now`. */
    bool (*pair)(kugel_world *world, uint32_t i, uint32_t j, double now, double h);
    /* A body left its skin or its cell; a body crossed a periodic face. */
    bool (*skin_exit)(kugel_world *world, const kg_event *event, double h);
    bool (*crossing)(kugel_world *world, const kg_event *event, double h);
    /* True when a window is sized for one impact per body, and ends early when the queue is
     * full. */
    bool window_by_impacts;
} kg_predictor;
extern const kg_predictor kg_list_predictor;
extern const kg_predictor kg_cell_predictor;

static inline const kg_predictor *kg_predictor_of(const kugel_world *world)
{
    static const kg_predictor *const predictors[KG_NEIGHBOUR_STRUCTURES] = {
        [KG_VERLET_LISTS] = &kg_list_predictor, [KG_CELL_LISTS] = &kg_cell_predictor};
    return predictors[kg_neighbours_structure(world)];
}

/* neighbour_filter.c */
/* Neighbours in the list node that body i may collide with before `until`, s: bit k for neighbour
 * k. A superset of the actual ones. */
uint32_t kg_filter_neighbours(const kugel_world *world, uint32_t i, const kg_list_node *node,
                              double until);

/* quantised_motions.c */
/* Quantise the motions of all bodies in cell lists for the window. False when out of memory. */
bool kg_quantised_motions_begin(kugel_world *world);

/* predict_cell_lists.c */
/* Neighbours, of at most 64, that body i may collide with between `now` and the end of the window:
 * bit k for neighbour k. A superset of the actual ones. Reads up to 8 items beyond `count`. */
uint64_t kg_filter_quantised(const kugel_world *world, uint32_t i, const uint32_t *neighbour,
                             uint32_t count, double now);

/* window_sweep.c */
/* Push all events in [from, end of the window]. If subdomains are planned, the events stay in the
 * parts. False when out of memory. */
bool kg_window_sweep(kugel_world *world, double from, double h);

/* impact_stage.c */
/* Apply an event and predict the next events of its bodies. */
kugel_status kg_impact_handle_event(kugel_world *world, const kg_event *event, double h);
/* Push the next events of a body whose motion changed at `now`. False when out of memory. */
bool kg_impact_repredict(kugel_world *world, uint32_t i, double now, double h);
/* The same for two bodies that collided. */
bool kg_impact_repredict_pair(kugel_world *world, uint32_t i, uint32_t j, double now, double h);

/* resolve.c, simultaneous_groups.c, elastic.c: KUGEL_ERROR_OUT_OF_MEMORY is the only error. */
/* True when in this substep all bodies move freely on straight lines and all possible impacts are
 * lossless (work.all_lossless). */
bool kg_elastic_applies_to_world(const kugel_world *world);
/* Resolve one impact. */
kugel_status kg_resolve(kugel_world *world, const kg_event *event);
/* Resolve an impact and all others at exactly its time, and predict the next events. */
kugel_status kg_simultaneous_resolve(kugel_world *world, const kg_event *first, double h);
void kg_resolve_crossing(kugel_world *world, uint32_t i, uint32_t face, double t);
/* Advance a motion to time t, s. */
void kg_resolve_advance_to(kg_motion *motion, double t);

#endif
