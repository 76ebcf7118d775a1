/* A step of all ranks: attempts with more and more ghosts, until all ranks agree on the result.
 * Exactness: tools/docs/architecture.md, "Why the results are exact". In: equal dt. Out: the state
 * and the reports of one process. Cost: a tick of the own bodies and ghosts, some ten messages to
 * each neighbour and as many reductions. */
#include "impact/subdomains.h"
#include "ranks/ranks.h"
#include "step.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"

/* Limits of what is adapted, and attempts after which all bodies go to all ranks. */
enum { ATTEMPTS = 6, TICKS_BETWEEN_PARTITIONS = 16 };
static const double buffer_growth = 1.5, buffer_decay = 0.99;
static const double margin_decay = 0.9; /* as in impact/subdomain_plan.c */

/* Which ranks have how many bodies, and how fast the fastest one is. */
static kugel_status survey(kugel_ranks *ranks, double *max_speed, uint64_t *most_bodies)
{
    const kg_bodies *bodies = &ranks->world->bodies;
    double most = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        double speed_squared = 0;
        for (int k = 0; k < 3; ++k) speed_squared += bodies->v[k][i] * bodies->v[k][i];
        most = speed_squared > most ? speed_squared : most;
    }
    uint64_t values[2] = {kg_double_to_bits(most), bodies->count}; /* bits of doubles >= 0 sort */
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, values, 2);
    *max_speed = sqrt(kg_double_from_bits(values[0]));
    *most_bodies = values[1];
    return status;
}

/* Give each body to the rank of its box; find new boxes first where one rank has too many. */
static kugel_status distribute(kugel_ranks *ranks, uint64_t most_bodies)
{
    uint64_t share = ranks->whole.body_count / ranks->exchange.count;
    kugel_status status = KUGEL_OK;
    ranks->ticks_since_partition += 1;
    if (ranks->ticks_since_partition >= TICKS_BETWEEN_PARTITIONS &&
        most_bodies > share + share / 8 + 16)
        status = kg_ranks_repartition(ranks);
    return status ? status : kg_ranks_migrate(ranks);
}

/* The limit of a body's speed in its frames, m/s, for the largest speed at the start. */
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

/* What an attempt of all ranks lacked. */
typedef struct verdict {
    bool differs, too_fast, needs_everything;
} verdict;

/* True when the attempt lacked nothing. */
static bool is_exact(const verdict *lack)
{
    return !lack->differs && !lack->too_fast && !lack->needs_everything;
}

/* Compare the results of ranks whose ticks succeeded. */
static kugel_status judge(kugel_ranks *ranks, double limit, verdict *lack)
{
    bool same;
    kugel_status status = kg_ranks_compare_ghosts(ranks, &same);
    if (status) return status;
    bool slow = ranks->world->impact->max_speed_squared <= limit * limit;
    uint64_t values[2] = {!same, !slow};
    status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, values, 2);
    lack->differs = values[0], lack->too_fast = values[1];
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

/* Run the tick once. A failure with ghosts around may be due to what the ghosts lack: the tick then
 * needs all bodies, and what fails with these fails in one process too. */
static kugel_status attempt(kugel_ranks *ranks, double dt, double limit, verdict *lack)
{
    *lack = (verdict){0};
    kugel_status status = kg_step_try(ranks->world, dt);
    if (!status && ranks->world->events.pending.begin_count) status = KG_STEP_INEXACT;
    status = kg_exchange_agree(&ranks->exchange, status);
    if (status == KUGEL_ERROR_OUT_OF_MEMORY || status == KUGEL_ERROR_IO) return status;
    if (status && !ranks->everywhere) lack->needs_everything = true;
    else if (!status && !ranks->everywhere) status = judge(ranks, limit, lack);
    if (status || !is_exact(lack)) return lack->needs_everything ? KUGEL_OK : status;
    return check_events(ranks);
}

/* Provide what the last attempt lacked. */
static void adapt(kugel_ranks *ranks, const verdict *lack, int attempts)
{
    ranks->counts.repetitions += 1;
    if (lack->too_fast) ranks->speed_margin *= 2;
    if (lack->differs) ranks->buffer *= buffer_growth;
    if (!lack->needs_everything && attempts < ATTEMPTS) return;
    ranks->everywhere = true;
    ranks->counts.whole_steps += 1;
}

/* Attempts cost twice a tick each: after one that sufficed, the next may have slightly less. */
static void relax(kugel_ranks *ranks)
{
    double least = KG_RANKS_BUFFER_MIN * ranks->largest_radius;
    ranks->buffer = kg_max(least, buffer_decay * ranks->buffer);
    ranks->speed_margin =
        KG_RANKS_MARGIN_MIN + margin_decay * (ranks->speed_margin - KG_RANKS_MARGIN_MIN);
}

static kugel_status run_attempts(kugel_ranks *ranks, double dt, double max_speed)
{
    verdict lack;
    ranks->everywhere = false;
    for (int attempts = 1;; ++attempts) {
        double limit = speed_limit(ranks, max_speed, dt);
        ranks->travel = limit * dt + 0.5 * ranks->largest_acceleration * dt * dt;
        kugel_status status = kg_ranks_add_ghosts(ranks);
        if (status) return status;
        status = begin_attempt(ranks) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
        if ((status = kg_exchange_agree(&ranks->exchange, status))) {
            drop_ghosts(ranks);
            return status;
        }
        status = attempt(ranks, dt, limit, &lack);
        bool done = status || is_exact(&lack);
        kg_step_end(ranks->world, dt, status || !done);
        drop_ghosts(ranks);
        if (done) return status;
        adapt(ranks, &lack, attempts);
    }
}

static kugel_status step_replica(kugel_ranks *ranks, double dt)
{
    kugel_status status = kg_step(ranks->world, dt);
    ranks->impacts_apart &= status != KUGEL_OK;
    return status;
}

kugel_status kg_ranks_step(kugel_ranks *ranks, double dt)
{
    double max_speed;
    uint64_t most_bodies;
    if (ranks->world->replicas) return step_replica(ranks, dt);
    kugel_status status = survey(ranks, &max_speed, &most_bodies);
    if (!status)
        status = kg_exchange_agree(&ranks->exchange, kg_grid_sort_bodies(ranks->world)
                                                         ? KUGEL_OK
                                                         : KUGEL_ERROR_OUT_OF_MEMORY);
    if (!status) status = distribute(ranks, most_bodies);
    if (!status) status = run_attempts(ranks, dt, max_speed);
    if (!status) {
        ranks->impacts_apart = true;
        relax(ranks);
    }
    if (status != KG_STEP_INEXACT) return status;
    status = kg_ranks_replicate(ranks); /* a resting contact begins */
    return status ? status : step_replica(ranks, dt);
}
