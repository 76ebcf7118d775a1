/* A step of all ranks: the tick is run, and run again with more ghosts, until the ghosts of all
 * ranks agree with their originals. Why the result is exact: tools/docs/architecture.md, "Why the
 * results are exact". In: the same dt on all ranks. Out: the state and the events of a step by one
 * process. Cost: a tick of the own bodies and ghosts, some ten messages to each neighbour and as
 * many reductions. */
#include "impact/paths.h"
#include "ranks/ranks.h"
#include "places/places.h"
#include "step.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"

/* ATTEMPTS: attempts of a tick after which all ranks get all bodies. */
enum { ATTEMPTS = 6, TICKS_BETWEEN_PARTITIONS = 16 };
/* Factors of the buffer after an attempt that failed, and after a tick. */
static const double buffer_growth = 1.5, buffer_decay = 0.99;
static const double margin_decay = 0.9; /* as speed_margin_decay in impact/subdomain_plan.c */

/* The largest speed of all bodies, m/s, and the largest number of bodies on a rank. */
static kugel_status find_maxima(kugel_ranks *ranks, double *max_speed, uint64_t *max_bodies)
{
    const kg_bodies *bodies = &ranks->world->bodies;
    double max_speed_squared = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        double speed_squared = 0;
        for (int k = 0; k < 3; ++k) speed_squared += bodies->v[k][i] * bodies->v[k][i];
        max_speed_squared = kg_max(speed_squared, max_speed_squared);
    }
    /* for doubles >= 0, the order of the bits is the order of the values */
    uint64_t values[2] = {kg_double_to_bits(max_speed_squared), bodies->count};
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, values, 2);
    *max_speed = sqrt(kg_double_from_bits(values[0]));
    *max_bodies = values[1];
    return status;
}

/* Move each body to the rank whose box contains it. If a rank has too many bodies, find new boxes
 * first. */
static kugel_status distribute(kugel_ranks *ranks, uint64_t max_bodies)
{
    uint64_t share = ranks->whole.body_count / ranks->exchange.count;
    kugel_status status = KUGEL_OK;
    ranks->ticks_since_partition += 1;
    if (ranks->ticks_since_partition >= TICKS_BETWEEN_PARTITIONS &&
        max_bodies > share + share / 8 + 16)
        status = kg_ranks_repartition(ranks);
    return status ? status : kg_ranks_migrate(ranks);
}

/* The speed bound, m/s: the speed, in its falling frames, that a body is assumed not to exceed in
 * the tick. max_speed: the largest speed of all bodies at the start of the tick. */
static double speed_limit(const kugel_ranks *ranks, double max_speed, double dt)
{
    return ranks->speed_margin * (max_speed + ranks->largest_acceleration * dt);
}

static bool begin_attempt(kugel_ranks *ranks)
{
    kg_impact_stage *stage = ranks->world->impact;
    stage->first_ghost = ranks->own_count;
    stage->partial = ranks->world->bodies.count < ranks->whole.body_count;
    return ranks->everywhere || kg_ranks_begin_comparison(ranks);
}

static void drop_ghosts(kugel_ranks *ranks)
{
    kg_impact_stage *stage = ranks->world->impact;
    stage->first_ghost = KG_NONE;
    stage->partial = false;
    stage->paths = KG_PATHS_NONE;
    kg_ranks_drop_ghosts(ranks);
}

/* Why an attempt of all ranks may be wrong. */
typedef struct defects {
    bool differs;          /* an inner ghost and its original had different paths */
    bool too_fast;         /* a body exceeded the speed bound */
    bool needs_everything; /* the tick failed, perhaps because bodies were missing */
} defects;

/* True if an attempt has no defect. */
static bool is_exact(const defects *found)
{
    return !found->differs && !found->too_fast && !found->needs_everything;
}

/* Compare ghosts with their originals, and speeds with the bound, after an attempt that
 * succeeded. */
static kugel_status find_defects(kugel_ranks *ranks, double limit, defects *found)
{
    bool same;
    kugel_status status = kg_ranks_compare_ghosts(ranks, &same);
    if (status) return status;
    bool slow = ranks->world->impact->max_speed_squared <= limit * limit;
    uint64_t values[2] = {!same, !slow};
    status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, values, 2);
    found->differs = values[0], found->too_fast = values[1];
    return status;
}

/* The limit of events applies to all ranks together. */
static kugel_status check_events(kugel_ranks *ranks)
{
    uint64_t all = ranks->world->events.pending.handled_event_count;
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_SUM, &all, 1);
    if (status) return status;
    return all > kg_impact_event_limit(ranks->world) ? KG_STEP_EVENT_LIMIT : KUGEL_OK;
}

/* Run the tick once. If it fails while bodies are missing on ranks, their absence may be the cause:
 * the next attempt has all bodies on all ranks. If it fails with all bodies, it fails in one
 * process, too. */
static kugel_status attempt(kugel_ranks *ranks, double dt, double limit, defects *found)
{
    *found = (defects){0};
    kugel_status status = kg_step_try(ranks->world, dt);
    if (!status && ranks->world->work.contacts.count) status = KG_STEP_INEXACT; /* one began */
    status = kg_exchange_agree(&ranks->exchange, status);
    if (status == KUGEL_ERROR_OUT_OF_MEMORY || status == KUGEL_ERROR_IO) return status;
    if (status && !ranks->everywhere) found->needs_everything = true;
    else if (!status && !ranks->everywhere) status = find_defects(ranks, limit, found);
    if (status || !is_exact(found)) return found->needs_everything ? KUGEL_OK : status;
    return check_events(ranks);
}

/* Prepare the next attempt: remove the defects of the last one. */
static void adapt(kugel_ranks *ranks, const defects *found, int attempts)
{
    ranks->counts.repetitions += 1;
    if (found->too_fast) ranks->speed_margin *= 2;
    if (found->differs) ranks->buffer *= buffer_growth;
    if (!found->needs_everything && attempts < ATTEMPTS) return;
    ranks->everywhere = true;
    ranks->counts.whole_steps += 1;
}

/* After a tick, reduce buffer and speed margin a little: fewer ghosts make ticks faster, until one
 * must be repeated. */
static void relax(kugel_ranks *ranks)
{
    double min_buffer = KG_RANKS_BUFFER_MIN * ranks->largest_radius;
    ranks->buffer = kg_max(min_buffer, buffer_decay * ranks->buffer);
    ranks->speed_margin =
        KG_RANKS_MARGIN_MIN + margin_decay * (ranks->speed_margin - KG_RANKS_MARGIN_MIN);
}

static kugel_status run_attempts(kugel_ranks *ranks, double dt, double max_speed)
{
    defects found;
    ranks->everywhere = false;
    for (int attempts = 1;; ++attempts) {
        double limit = speed_limit(ranks, max_speed, dt);
        ranks->stride = limit * dt + 0.5 * ranks->largest_acceleration * dt * dt;
        kugel_status status = kg_ranks_add_ghosts(ranks);
        if (status) return status;
        status = begin_attempt(ranks) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
        if ((status = kg_exchange_agree(&ranks->exchange, status))) {
            drop_ghosts(ranks);
            return status;
        }
        status = attempt(ranks, dt, limit, &found);
        bool done = status || is_exact(&found);
        kg_step_end(ranks->world, dt, done && !status);
        drop_ghosts(ranks);
        if (done) return status;
        adapt(ranks, &found, attempts);
    }
}

static kugel_status step_replica(kugel_ranks *ranks, double dt)
{
    kugel_status status = kg_world_step(ranks->world, dt);
    ranks->impacts_apart &= status != KUGEL_OK;
    return status;
}

kugel_status kg_ranks_step(kugel_ranks *ranks, double dt)
{
    double max_speed;
    uint64_t max_bodies;
    if (ranks->world->replicas) return step_replica(ranks, dt);
    kugel_status status = find_maxima(ranks, &max_speed, &max_bodies);
    if (!status)
        status = kg_exchange_agree(&ranks->exchange, kg_grid_sort_bodies(ranks->world)
                                                         ? KUGEL_OK
                                                         : KUGEL_ERROR_OUT_OF_MEMORY);
    if (!status) status = distribute(ranks, max_bodies);
    if (!status) status = run_attempts(ranks, dt, max_speed);
    if (!status) {
        ranks->impacts_apart = true;
        relax(ranks);
    }
    if (status != KG_STEP_INEXACT) return status;
    status = kg_ranks_replicate(ranks); /* a resting contact begins */
    return status ? status : step_replica(ranks, dt);
}
