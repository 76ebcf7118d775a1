/* RANKS: a gas over 1 to 64 ranks, as threads of this process, and a settled pile over up to 16.
 * Processor time, messages and bytes of the ranks are measured. The time of a tick if each rank has
 * its own machine is a model:
 *     compute + latency * (collectives * ceil(log2 ranks) + messages) + bytes / bandwidth
 * with the largest value of any rank. Weak scaling has a constant number of spheres for each rank;
 * strong scaling and the pile have a constant number in total. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "report.h"
#include "support/support_ranks.h"
#include "times.h"

/* Messages of a rank, and its processor time outside (`seconds`) and inside the exchange, s. */
typedef struct traffic {
    double seconds, exchange_seconds;
    uint64_t collectives, messages, words;
} traffic;

typedef struct member {
    const kugel_exchange *inner;
    kugel_world *world;
    traffic traffic;
    kugel_ranks_counts counts;
    uint64_t hash;
} member;

typedef struct run {
    int ticks;
    double dt;
    member members[SUPPORT_RANKS_MAX];
} run;

/* An exchange that counts calls and words, and measures their time. */

static kugel_status reduce(void *context, kugel_reduction operation, uint64_t *values, size_t count)
{
    member *m = context;
    double start = thread_time();
    kugel_status status = m->inner->reduce(m->inner->context, operation, values, count);
    m->traffic.collectives += 1;
    m->traffic.words += count;
    m->traffic.exchange_seconds += thread_time() - start;
    return status;
}

static kugel_status numbers(void *context, const uint64_t *sent, uint64_t *received)
{
    member *m = context;
    double start = thread_time();
    kugel_status status = m->inner->numbers(m->inner->context, sent, received);
    m->traffic.collectives += 1;
    m->traffic.words += m->inner->count;
    m->traffic.exchange_seconds += thread_time() - start;
    return status;
}

static kugel_status words(void *context, const uint64_t *sent, const uint64_t *sent_words,
                          uint64_t *received, const uint64_t *received_words)
{
    member *m = context;
    double start = thread_time();
    kugel_status status =
        m->inner->words(m->inner->context, sent, sent_words, received, received_words);
    for (uint32_t r = 0; r < m->inner->count; ++r) {
        if (r == m->inner->rank || !sent_words[r]) continue;
        m->traffic.messages += 1;
        m->traffic.words += sent_words[r];
    }
    m->traffic.exchange_seconds += thread_time() - start;
    return status;
}

static void run_rank(const kugel_exchange *inner, void *argument)
{
    run *r = argument;
    member *m = &r->members[inner->rank];
    const kugel_exchange counting = {inner->rank, inner->count, m, reduce, numbers, words};
    kugel_ranks *ranks;
    m->inner = inner;
    if (kugel_ranks_create(m->world, &counting, &ranks)) abort();
    if (kugel_ranks_step(ranks, r->dt)) abort(); /* makes data that are kept between ticks */
    m->traffic = (traffic){0};
    double start = thread_time();
    for (int k = 0; k < r->ticks; ++k) {
        if (kugel_ranks_step(ranks, r->dt)) abort();
    }
    m->traffic.seconds = thread_time() - start - m->traffic.exchange_seconds;
    traffic of_ticks = m->traffic;
    if (kugel_ranks_hash(ranks, &m->hash)) abort();
    m->traffic = of_ticks;
    kugel_ranks_get_counts(ranks, &m->counts);
    kugel_ranks_destroy(ranks);
}

/* The largest traffic of any rank; the ghosts of all ranks; the final hash. */
static traffic run_ranks(kugel_world *start, double dt, uint32_t count, int ticks, uint64_t *ghosts,
                         uint64_t *hash)
{
    traffic most = {0};
    run *r = calloc(1, sizeof *r);
    if (!r) abort();
    r->ticks = ticks, r->dt = dt;
    for (uint32_t k = 0; k < count; ++k) {
        if (kugel_world_clone(start, &r->members[k].world)) abort();
    }
    support_ranks_run(count, 1, run_rank, r);
    *ghosts = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const traffic *t = &r->members[k].traffic;
        most.seconds = fmax(most.seconds, t->seconds);
        if (t->collectives > most.collectives) most.collectives = t->collectives;
        if (t->messages > most.messages) most.messages = t->messages;
        if (t->words > most.words) most.words = t->words;
        *ghosts += r->members[k].counts.ghosts;
    }
    *hash = r->members[0].hash;
    free(r);
    return most;
}

/* Processor time of a tick in one process, s. */
static double run_alone(kugel_world *start, double dt, int ticks, uint64_t *hash)
{
    kugel_world *world;
    if (kugel_world_clone(start, &world)) abort();
    peer_kugel.step(world, dt);
    double begin = thread_time();
    for (int k = 0; k < ticks; ++k) peer_kugel.step(world, dt);
    double seconds = (thread_time() - begin) / ticks;
    *hash = kugel_world_hash(world);
    kugel_world_destroy(world);
    return seconds;
}

/* The model's time of a tick, s. */
static double model(const bench_options *chosen, const traffic *tick, double count)
{
    double waits = (double)tick->collectives * ceil(log2(count)) + (double)tick->messages;
    return tick->seconds + 1e-6 * chosen->latency * waits +
           1e-9 * 8 * (double)tick->words / chosen->bandwidth;
}

/* Measures a world on `count` ranks. *alone: processor time of a tick in one process, s; 0: the
 * call measures it. */
static void measure_on(const bench_options *chosen, const char *scaling, kugel_world *start,
                       double dt, uint32_t count, double *alone)
{
    bool weak = strcmp(scaling, "weak") == 0;
    int ticks = chosen->quick ? 2 : 10;
    uint64_t ghosts, hash, hash_alone;
    double seconds = run_alone(start, dt, ticks, &hash_alone), n = kugel_world_body_count(start);
    if (*alone == 0) *alone = seconds;
    traffic all = run_ranks(start, dt, count, ticks, &ghosts, &hash);
    double per = 1.0 / ticks, modelled = per * model(chosen, &all, count);
    ROW(TEXT(scaling), NUMBER(n), NUMBER(count), NUMBER((double)ghosts / n),
        NUMBER(per * 8 * (double)all.words), NUMBER(per * (double)all.messages),
        NUMBER(per * (double)all.collectives), NUMBER(*alone), NUMBER(per * all.seconds),
        NUMBER(modelled), NUMBER(*alone / modelled * (weak ? count : 1)),
        TEXT(hash == hash_alone ? "yes" : "NO"));
}

/* A gas of n spheres on 1, 2, 4 ... ranks; weak: n for each rank. */
static void measure_gas(const bench_options *chosen, bool weak, uint32_t n, uint32_t most)
{
    double alone = 0;
    for (uint32_t count = 1; count <= most; count *= 2) {
        scene s = scene_gas(weak ? n * count : n, 0.1, false);
        kugel_world *start = peer_kugel.open(&s);
        measure_on(chosen, weak ? "weak" : "strong", start, s.dt, count, &alone);
        kugel_world_destroy(start);
        scene_free(&s);
    }
}

/* A settled pile of n spheres on 1, 2, 4 ... ranks. */
static void measure_pile(const bench_options *chosen, uint32_t n, uint32_t most)
{
    double alone = 0;
    scene s = scene_pile(n);
    kugel_world *start = peer_kugel.open(&s);
    for (int k = 0; k < (chosen->quick ? 20 : 400); ++k) peer_kugel.step(start, s.dt);
    for (uint32_t count = 1; count <= most; count *= 2)
        measure_on(chosen, "pile", start, s.dt, count, &alone);
    kugel_world_destroy(start);
    scene_free(&s);
}

void bench_ranks(const bench_options *chosen)
{
    static const column columns[] = {
        {"scaling", "scaling", "%-6s", 1},
        {"n", "n", "%8.0f", 1},
        {"ranks", "ranks", "%3.0f", 1},
        {"ghosts a body", "ghosts_a_body", "%5.2f", 1},
        {"kB a tick", "bytes", "%8.1f", 1e-3},
        {"messages", "messages", "%6.1f", 1},
        {"collectives", "collectives", "%5.1f", 1},
        {"ms of one process", "seconds_alone", "%8.3f", 1e3},
        {"compute ms", "seconds_compute", "%8.3f", 1e3},
        {"model ms", "seconds_model", "%8.3f", 1e3},
        {"speedup", "speedup", "%6.2f", 1},
        {"same state", "same", "%-3s", 1},
    };
    uint32_t strong = chosen->size    ? chosen->size
                      : chosen->quick ? 4000
                                      : 64000,
             weak = chosen->size    ? chosen->size / 10
                    : chosen->quick ? 500
                                    : 4000,
             pile = chosen->size    ? chosen->size / 2
                    : chosen->quick ? 2000
                                    : 32000,
             most = chosen->quick ? 4 : 64;
    report_table(
        "RANKS",
        "a gas and a pile over ranks, as threads of one process; the most of any rank in a tick. "
        "Model: compute, messages of 2 us (latency) and bytes at 10 GB/s (bandwidth). Strong: all "
        "spheres on so many ranks; weak: so many for each rank, the speedup times the ranks; pile: "
        "at rest, on each rank",
        columns, sizeof columns / sizeof *columns);
    measure_gas(chosen, false, strong, most);
    measure_gas(chosen, true, weak, most);
    measure_pile(chosen, pile, 4);
}
