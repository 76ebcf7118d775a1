/* The impact stage: every collision inside a substep, earliest first.
 *
 * Events are taken in the total order (time, kind, low id, high id). A body carries its own clock
 * and is moved only by its own events; a prediction is a pure function of two stored motions, so
 * neither the neighbour lists nor the moment at which a pair was looked at can change a result. */
#ifndef KG_IMPACT_IMPACT_H
#define KG_IMPACT_IMPACT_H

#include "grid/neighbours.h"

enum {
    /* In the order in which events of one time are taken. The list of a body outside its skin is
     * renewed before any impact of that time: bodies that contacts pushed out of their skins begin
     * a substep so, and their lists may lack impacts. */
    KG_EVENT_SKIN =
        0, /* a body has used up its skin, or leaves its cell by face b: no change of state */
    KG_EVENT_BODY = 1,     /* two bodies meet; b is a neighbour entry */
    KG_EVENT_BOUNDARY = 2, /* a body meets wall or plane number b */
    KG_EVENT_CROSSING = 3  /* a centre crosses periodic face b */
};

typedef struct kg_event {
    double time; /* s, in the substep */
    uint32_t a, b;
    uint32_t stamp_a, stamp_b;
    uint32_t kind;
    uint32_t next; /* in its bucket or in the free list */
} kg_event;

/* The heap's items carry their time: most comparisons need no more. */
typedef struct kg_heap_item {
    double time;
    uint32_t event, spare;
} kg_heap_item;

/* What the filter of cell lists reads of a body (quantised_motions.c). */
typedef struct kg_quantised_motion {
    uint32_t x[3]; /* at the window's beginning, in units of the world, modulo 2^32 */
    uint32_t spare;
    float v[3];   /* a window; not numbers: the body is never left out */
    float radius; /* in largest radii, as velocities */
} kg_quantised_motion;

typedef struct kg_quantised_motions {
    kg_quantised_motion *motions;         /* by slot */
    double from, window, per_window;      /* s: when it begins, how long it is; 1/s */
    double low[4], per_unit[4], scale[4]; /* m, 1/m; of velocity s/m, of the radius 1/m */
    double max_speed[4], max_position[4]; /* m/s, m */
    float units[3], radii[3];             /* of a radius; of a unit */
    bool used;                            /* the records describe this window's bodies */
} kg_quantised_motions;

/* Events of some bodies, while a sweep goes on, on a cache line of its own. */
typedef struct kg_queue_part {
    _Alignas(KG_CACHE_LINE) uint32_t count; /* those beyond the part's room are lost */
} kg_queue_part;

/* Calendar queue: buckets of the substep's time, the current one kept as a heap. */
typedef struct kg_impact_stage {
    kg_event *events; /* pool */
    uint32_t event_count, free_event;
    uint32_t *bucket;   /* heads, of those that hold something */
    uint64_t *occupied; /* bit k of word i: bucket 64 i + k does */
    bool prefetches;    /* memory is asked for what comes next */
    uint32_t bucket_count, current;
    double per_second;    /* buckets per second */
    double from, until;   /* s in the substep: the window that the queue is filled for */
    double window_length; /* s, about as long as lists last; 0: not known yet */
    kg_heap_item *heap;
    uint32_t heap_count;
    uint64_t pushed;                     /* in this window: sizes the calendar of the next */
    double h;                            /* s, of the substep */
    double length_unit, per_length_unit; /* m, some length of the size of bodies, and its inverse:
                                            see neighbour_filter.c */
    double substep_start;                /* s in the tick, for event times */
    kg_quantised_motions quantised;
    kg_queue_part *parts; /* part i has the pool's places from i * part_capacity on */
    uint32_t part_count, part_capacity;
    uint32_t part_count_max;          /* events in one, in the last sweep */
    uint32_t bodies_per_part;         /* slots of each; 0: events go into the queue */
    struct kg_subdomains *subdomains; /* see subdomains.h; NULL until they are used */
    bool subdomains_disabled;         /* no subdomains in this step */
    uint32_t
        first_ghost; /* in a subdomain: rows from here on are ghosts of others' bodies; else 0 */
    uint64_t
        *path_hash; /* by slot, in subdomains: tells the way from impact to impact; else NULL */
    kg_column columns[9];
} kg_impact_stage;

enum {
    KG_COLUMN_EVENTS,
    KG_COLUMN_BUCKETS,
    KG_COLUMN_HEAP,
    KG_COLUMN_SIMULTANEOUS,
    KG_COLUMN_GROUPS,
    KG_COLUMN_PARTS,
    KG_COLUMN_QUANTISED,
    KG_COLUMN_OCCUPIED,
    KG_COLUMN_PATH_HASH
};

/* Does the row stand for a body of another subdomain? */
static inline bool kg_is_ghost(const kg_impact_stage *stage, uint32_t row)
{
    return stage->first_ghost && row >= stage->first_ghost;
}

/* No status of the host's: the step is to be run again, from the state before it. */
#define KG_STEP_RETRY ((kugel_status)-1)

/* Bring all bodies through [0, h]; `start` is the substep's start in the tick. KG_STEP_RETRY, or
 * out of memory. */
kugel_status kg_impact_run(kugel_world *world, double h, double start);
void kg_impact_free(kg_memory *memory, kg_impact_stage *stage);

/* queue.c */
/* An empty queue for [from, until]; what is due later is not kept unless the substep ends there. */
bool kg_queue_begin(kg_memory *memory, kg_impact_stage *stage, double from, double until,
                    uint32_t bodies);
/* Until the parts are closed, events are only noted: those of `bodies` slots in each part, at once.
 * false when out of memory. Closing brings them into the queue, but none of a part that was cut.
 * The queue must be empty. */
bool kg_queue_open_parts(kugel_world *world, uint32_t parts, uint32_t bodies);
void kg_queue_close_parts(kugel_world *world);
struct kg_subdomain;
/* What the parts of another stage hold of bodies that the subdomain sees; the parts stay as they
 * are. false when out of memory. */
bool kg_queue_import(kugel_world *world, const kg_impact_stage *from,
                     const struct kg_subdomain *subdomain, uint32_t visible_layers);
bool kg_queue_part_overflowed(const kugel_world *world, uint32_t part);
/* The first event of a bucket, or KG_NONE. */
static inline uint32_t kg_queue_head(const kg_impact_stage *stage, uint32_t bucket)
{
    return stage->occupied[bucket / 64] >> bucket % 64 & 1 ? stage->bucket[bucket] : KG_NONE;
}
/* Room for one event; false when out of memory. */
bool kg_queue_push(kugel_world *world, const kg_event *event);
/* The same with its bodies as they move now; b as in an event of this kind. */
bool kg_queue_push_predicted(kugel_world *world, double time, uint32_t a, uint32_t b,
                             uint32_t kind);
/* The earliest event still true, or false at the end of the substep; *ok turns false without
 * memory. */
bool kg_queue_pop(kugel_world *world, kg_event *event, bool *ok);
/* Is another impact due at exactly this time (that of the last event popped)? */
bool kg_queue_has_simultaneous(const kugel_world *world, double time);
/* The next true impact at exactly this time, in the order of ids, or false. */
bool kg_queue_pop_at(kugel_world *world, double time, kg_event *event);
/* Have its bodies kept the motions that the event was predicted from? */
bool kg_queue_is_valid(const kugel_world *world, const kg_event *event);

/* predict.c */
/* Time of the next contact of slots i and j (an entry of i's list), or KG_NEVER. */
double kg_predict_pair(const kugel_world *world, uint32_t i, uint32_t neighbour, double h);
double kg_predict_boundary(const kugel_world *world, uint32_t i, uint32_t boundary, double h);
double kg_predict_crossing(const kugel_world *world, uint32_t i, uint32_t face, double h);
/* A time up to which the body, within its skin at `from`, surely stays within it. */
double kg_predict_skin_exit(const kugel_world *world, uint32_t i, double from, double h);
/* Queue what can happen with these boundaries. */
bool kg_predict_boundaries(kugel_world *world, uint32_t i, kg_boundary_set near, double h);

/* Predictions for one neighbour structure; each queues what it finds. false when out of memory. */
typedef struct kg_predictor {
    /* Before the first sweep of a window that begins at `from`. */
    bool (*begin_window)(kugel_world *world, double from, double h);
    /* First sweep of slots [from, to): each pair once. */
    bool (*sweep)(kugel_world *world, uint32_t from, uint32_t to, double now, double h);
    /* A body changed its motion at `now`. */
    bool (*body)(kugel_world *world, uint32_t i, double now, double h);
    /* Two bodies with mass collided at `now`. */
    bool (*pair)(kugel_world *world, uint32_t i, uint32_t j, double now, double h);
    /* A body left its skin or its cell; it crossed a periodic face. */
    bool (*skin_exit)(kugel_world *world, const kg_event *event, double h);
    bool (*crossing)(kugel_world *world, const kg_event *event, double h);
    /* true: a window is made to hold one impact a body, and ends early when the queue is full. */
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
/* Entries of a chunk of body i's list that it could meet before `until`: bit k for entry k. A
 * superset: the prediction decides. */
uint32_t kg_filter_neighbours(const kugel_world *world, uint32_t i, const kg_list_node *node,
                              double until);

/* quantised_motions.c */
/* Records of all bodies in cell lists, for the window; false when out of memory. */
bool kg_quantised_motions_begin(kugel_world *world);

/* predict_cell_lists.c */
/* Of `count` entries, 64 at most, those that body i could meet between now and the end of the
 * window: bit k for entry k. A superset; behind the entries there are 8 more that may be looked at,
 * and no bit counts there. */
uint64_t kg_filter_quantised(const kugel_world *world, uint32_t i, const uint32_t *neighbour,
                             uint32_t count, double now);

/* window_sweep.c */
/* Queue everything that can happen in [from, the window's end]; where subdomains are planned then
 * it stays in the parts. false when out of memory. */
bool kg_window_sweep(kugel_world *world, double from, double h);

/* impact_stage.c */
/* What an event does, and what its bodies can meet then. */
kugel_status kg_impact_handle_event(kugel_world *world, const kg_event *event, double h);
/* After a change of motion: queue everything that the body can meet now. */
bool kg_impact_repredict(kugel_world *world, uint32_t i, double now, double h);
/* The same for two that have met. */
bool kg_impact_repredict_pair(kugel_world *world, uint32_t i, uint32_t j, double now, double h);

/* resolve.c, simultaneous_groups.c, elastic.c: OUT_OF_MEMORY is the only error. */
/* Do all bodies move freely and in straight lines, and lose nothing whatever they meet? For a
 * substep (work.all_lossless). */
bool kg_elastic_applies_to_world(const kugel_world *world);
/* One impact. */
kugel_status kg_resolve(kugel_world *world, const kg_event *event);
/* An impact and all others at exactly its time, and the predictions after them. */
kugel_status kg_simultaneous_resolve(kugel_world *world, const kg_event *first, double h);
void kg_resolve_crossing(kugel_world *world, uint32_t i, uint32_t face, double t);
/* Move a body's clock to t. */
void kg_resolve_advance_to(kg_motion *motion, double t);

#endif
