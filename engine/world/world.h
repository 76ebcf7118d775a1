/* The world: the canonical state and the data of the stages. The canonical state is the def with
 * gravity, bodies, contacts, surfaces, table of pairs, tick and time. Snapshots save it, and
 * worlds with equal canonical states have equal futures, bit for bit. Other data of the step is
 * derived: it may be rebuilt at any time without changing a result. */
#ifndef KG_WORLD_WORLD_H
#define KG_WORLD_WORLD_H

#include "base/constants.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "kugel/pairs.h"
#include "kugel/query.h"
#include "world/aside.h"
#include "world/bodies.h"
#include "world/contact_index.h"
#include "world/contact_set.h"
#include "world/event_log.h"
#include "world/pairs.h"
#include "world/stopwatch.h"
#include "world/surfaces.h"
#include "world/work.h"

/* Take `count` items of scratch memory for the pointer `array`. The value is `array`: NULL, which
 * is false, when out of memory. */
#define KG_TAKE(world, array, count)                                                               \
    ((array) = kg_scratch_take(&(world)->memory, &(world)->scratch, sizeof *(array), count))

/* Properties of the bodies of all ranks. The world of a rank has only some of these bodies
 * (ranks/). */
typedef struct kg_whole {
    uint32_t body_count;
    double smallest_moving_radius; /* m, as in kg_work */
    bool any_kinematic_moves;      /* some kinematic body moves */
} kg_whole;

struct kugel_world {
    /* canonical state */
    kugel_world_def def; /* gravity is the current one */
    kg_bodies bodies;
    kg_contact_set contacts; /* without those in aside.contacts */
    kg_surfaces surfaces;
    kg_pairs pairs;
    uint64_t tick;
    double time;      /* s, rounded sum of all ticks */
    double time_rest; /* s, the sum less `time` */

    /* derived: data of the stages */
    kg_aside aside;                   /* bodies at rest that nothing meets, and their contacts */
    kg_contact_index contact_index;   /* the contacts of each body */
    kg_work work;                     /* state of a step in progress */
    kg_event_log events;              /* events of the last step */
    kg_scratch scratch;               /* empty between stages */
    struct kg_grid *grid;             /* cells and neighbour lists (grid/) */
    struct kg_sensors *sensors;       /* pairs inside sensors (sensors/) */
    struct kg_impact_stage *impact;   /* event queue (impact/) */
    struct kg_contact_stage *contact; /* solver rows (contact/) */
    struct kg_query_index *query;     /* bodies in cells for queries (query/) */
    struct kg_places *places;         /* parts that step apart (places/) */
    const kg_bodies *all_bodies;      /* while a place steps, the bodies of the world; else NULL */
    bool may_revert;                  /* a tick that succeeds may be reverted */
    bool apart;                       /* the last step was one of several places */
    bool materials_changed;           /* since the last step calls changed masses or materials */
    uint32_t rows_in_places;          /* rows of bodies in them; those that none reached follow */
    double *farthest;                 /* while a place steps, by id: see farthest.h; else NULL */

    const kg_whole *whole;                 /* NULL: this world has all bodies */
    const struct kugel_exchange *replicas; /* of a replicated world (replicas.h); else NULL */

    /* While the bodies of a divided world are created (kugel_ranks_share_creation): this rank, and
     * the number of ranks; 0: each body has a row here. */
    uint32_t creating_rank, creating_ranks;
    uint64_t created_hash; /* of the defs of all bodies that were created meanwhile */

    /* callbacks of the host that run, see guard.h */
    bool busy;        /* a call that changes the world runs */
    uint32_t readers; /* callbacks of queries and drawing; atomic */
    uint32_t inputs;  /* callbacks of sync tests */

    /* the host's: settings that change no canonical state */
    kg_memory memory;
    kugel_error error;
    kugel_pair_filter pair_filter; /* decide is NULL: no filter; see world/pair_filter.h */
    bool pair_filter_failed;       /* in the present call; threads may set it at the same time */
    bool *pair_filter_failure;     /* &pair_filter_failed, for stages that only read the world */
    struct kg_tasks *tasks;
    struct kg_recorder *recorder; /* NULL: not recording */
    kg_stopwatch stopwatch;
    uint64_t user_data;
    double report_threshold; /* m/s; slower impacts are not reported */
    bool sums_impulses;      /* kugel_world_sum_impulses */

    /* counters of kugel_stats */
    uint64_t impacts_total, budgets_exhausted, list_rebuilds, list_refreshes;
    uint64_t substeps_taken;   /* in the last step of this world; for stats only */
    uint64_t substeps_limited; /* steps of this world that needed more than KG_SUBSTEPS_MAX */
};

/* Number of bodies on all ranks. */
static inline uint32_t kg_world_body_total(const kugel_world *world)
{
    const kg_bodies *bodies = world->all_bodies ? world->all_bodies : &world->bodies;
    if (world->whole) return world->whole->body_count;
    return bodies->count + (world->aside.hidden ? world->aside.count : 0);
}

/* Between steps: walks all resting contacts. */
static inline kg_contact_walk kg_world_contacts(const kugel_world *world)
{
    return (kg_contact_walk){.sets = {&world->contacts, &world->aside.contacts}};
}

/* Between steps: number of resting contacts. */
static inline uint32_t kg_world_contact_count(const kugel_world *world)
{
    const kg_contact_set *a = &world->contacts, *b = &world->aside.contacts;
    return a->count - a->ended_count + b->count - b->ended_count;
}

/* Number of the rows of bodies that are not aside. */
static inline uint32_t kg_world_present(const kugel_world *world)
{
    return world->bodies.count - (world->aside.hidden ? 0 : world->aside.count);
}

/* True if a body or surface is a sensor. */
static inline bool kg_world_any_sensor(const kugel_world *world)
{
    return world->surfaces.sensor_count || kg_bodies_any_sensor(&world->bodies);
}

/* frame.c: acceleration of a body without supporting contacts, m/s^2. */
void kg_frame_free_acceleration(const kugel_world *world, uint32_t slot, double a[3]);
/* Set the frame of a body without supporting contacts. */
void kg_frame_set_free(kugel_world *world, uint32_t slot);
/* kg_frame_set_free for slots [from, to). `inert`: some of the bodies may have mass 0. */
void kg_frame_set_free_range(kugel_world *world, uint32_t from, uint32_t to, bool inert);

/* for_ranges.c: call each(world, from, to, argument) for ranges of slots that cover all bodies, on
 * threads where there are enough bodies. `each` may change only bodies of its range. */
typedef void kg_range_pass(kugel_world *world, uint32_t from, uint32_t to, double argument);
void kg_for_bodies(kugel_world *world, kg_range_pass *each, double argument);

/* Call each(context, i) for each i in [0, count), as tasks if the world has enough bodies for
 * threads. */
void kg_for_ranges(const kugel_world *world, uint32_t count,
                   void (*each)(void *context, uint32_t index), void *context);

/* Lets the compiler check the arguments of a format at these places. MinGW has a printf of its
 * own. */
#if defined(__MINGW32__) && !defined(__clang__)
#define KG_FORMAT(format_at, first_at) KG_ATTRIBUTE(format(gnu_printf, format_at, first_at))
#else
#define KG_FORMAT(format_at, first_at) KG_ATTRIBUTE(format(printf, format_at, first_at))
#endif

/* error.c: store an error in the world and write it to the world's log. Returns the status:
 * KUGEL_ERROR_LIMIT in place of _OUT_OF_MEMORY if the memory's limit is the reason. */
kugel_status kg_error_report(kugel_world *world, kugel_status status, const char *argument,
                             const char *format, ...) KG_FORMAT(4, 5);

/* Fill an error value; error may be NULL. Returns the status. */
kugel_status kg_error_set(kugel_error *error, kugel_status status, const char *argument,
                          const char *format, ...) KG_FORMAT(4, 5);
/* kg_error_set for a request that failed: KUGEL_ERROR_LIMIT with the number of bytes if it exceeded
 * the memory's limit, else KUGEL_ERROR_OUT_OF_MEMORY with the message. */
kugel_status kg_error_no_memory(kugel_error *error, kg_memory *memory, const char *argument,
                                const char *message);

#endif
