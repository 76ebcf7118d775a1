/* RANKS: a gas over 1 to 64 ranks, as threads of this process. Processor time, messages and bytes
 * of the ranks are measured; the time of a tick on as many machines is a model of them:
 *     compute + latency * (collectives * ceil(log2 ranks) + messages) + bytes / bandwidth
 * with the largest value of any rank. Weak: as many spheres for each rank. Strong: as many in all.
 */
#include <kugel/ranks.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "report.h"
#include "times.h"

enum { RANKS_MOST = 64 };

/* What a rank sent in its ticks, and its processor time outside the exchange. */
typedef struct traffic {
    double seconds, exchange_seconds;
    uint64_t collectives, messages, words;
} traffic;

typedef struct group group;

typedef struct member {
    group *group;
    kugel_exchange exchange;
    kugel_world *world;
    traffic traffic;
    kugel_ranks_counts counts;
    uint64_t hash;
} member;

struct group {
    uint32_t count;
    int ticks;
    double dt;
    pthread_barrier_t barrier;
    const uint64_t *values[RANKS_MOST], *words[RANKS_MOST]; /* that ranks offer in a call */
    member members[RANKS_MOST];
};

static void offer(member *m, const uint64_t *values, const uint64_t *words)
{
    m->group->values[m->exchange.rank] = values;
    m->group->words[m->exchange.rank] = words;
    pthread_barrier_wait(&m->group->barrier);
}

static void end_call(member *m, double start)
{
    pthread_barrier_wait(&m->group->barrier);
    m->traffic.exchange_seconds += thread_time() - start;
}

static uint64_t reduced(kugel_reduction operation, uint64_t a, uint64_t b)
{
    if (operation == KUGEL_REDUCE_SUM) return a + b;
    return (a < b) == (operation == KUGEL_REDUCE_MIN) ? a : b;
}

static kugel_status reduce(void *context, kugel_reduction operation, uint64_t *values, size_t count)
{
    member *m = context;
    double start = thread_time();
    uint64_t *result = malloc((count + 1) * sizeof *result);
    if (!result) abort();
    offer(m, values, NULL);
    for (size_t i = 0; i < count; ++i) {
        result[i] = m->group->values[0][i];
        for (uint32_t r = 1; r < m->group->count; ++r)
            result[i] = reduced(operation, result[i], m->group->values[r][i]);
    }
    m->traffic.collectives += 1;
    m->traffic.words += count;
    end_call(m, start);
    memcpy(values, result, count * sizeof *result);
    free(result);
    return KUGEL_OK;
}

static kugel_status numbers(void *context, const uint64_t *sent, uint64_t *received)
{
    member *m = context;
    double start = thread_time();
    offer(m, sent, NULL);
    for (uint32_t r = 0; r < m->group->count; ++r)
        received[r] = m->group->values[r][m->exchange.rank];
    m->traffic.collectives += 1;
    m->traffic.words += m->group->count;
    end_call(m, start);
    return KUGEL_OK;
}

static kugel_status words(void *context, const uint64_t *sent, const uint64_t *sent_words,
                          uint64_t *received, const uint64_t *received_words)
{
    member *m = context;
    double start = thread_time();
    uint32_t me = m->exchange.rank;
    offer(m, sent, sent_words);
    for (uint32_t r = 0; r < m->group->count; received += received_words[r++]) {
        const uint64_t *from = m->group->values[r], *lengths = m->group->words[r];
        for (uint32_t k = 0; k < me; ++k) from += lengths[k];
        if (lengths[me]) memcpy(received, from, lengths[me] * sizeof *received);
        if (r == me || !sent_words[r]) continue;
        m->traffic.messages += 1;
        m->traffic.words += sent_words[r];
    }
    end_call(m, start);
    return KUGEL_OK;
}

static void *run_rank(void *argument)
{
    member *m = argument;
    kugel_ranks *ranks;
    if (kugel_ranks_create(m->world, &m->exchange, &ranks)) abort();
    if (kugel_ranks_step(ranks, m->group->dt)) abort(); /* makes what is kept between ticks */
    m->traffic = (traffic){0};
    double start = thread_time();
    for (int k = 0; k < m->group->ticks; ++k) {
        if (kugel_ranks_step(ranks, m->group->dt)) abort();
    }
    m->traffic.seconds = thread_time() - start - m->traffic.exchange_seconds;
    traffic ticks = m->traffic;
    if (kugel_ranks_hash(ranks, &m->hash)) abort();
    m->traffic = ticks;
    kugel_ranks_get_counts(ranks, &m->counts);
    kugel_ranks_destroy(ranks);
    return NULL;
}

/* The largest traffic of any rank a tick, and the ghosts of all ranks. */
static traffic run_ranks(const scene *s, uint32_t count, int ticks, uint64_t *ghosts,
                         uint64_t *hash)
{
    pthread_t threads[RANKS_MOST];
    traffic most = {0};
    group *g = calloc(1, sizeof *g);
    if (!g || pthread_barrier_init(&g->barrier, NULL, count)) abort();
    g->count = count, g->ticks = ticks, g->dt = s->dt;
    for (uint32_t r = 0; r < count; ++r) {
        member *m = &g->members[r];
        *m = (member){.group = g, .world = peer_kugel.open(s)};
        m->exchange = (kugel_exchange){r, count, m, reduce, numbers, words};
        if (pthread_create(&threads[r], NULL, run_rank, m)) abort();
    }
    *ghosts = 0;
    for (uint32_t r = 0; r < count; ++r) {
        pthread_join(threads[r], NULL);
        const traffic *t = &g->members[r].traffic;
        most.seconds = fmax(most.seconds, t->seconds);
        if (t->collectives > most.collectives) most.collectives = t->collectives;
        if (t->messages > most.messages) most.messages = t->messages;
        if (t->words > most.words) most.words = t->words;
        *ghosts += g->members[r].counts.ghosts;
    }
    *hash = g->members[0].hash;
    pthread_barrier_destroy(&g->barrier);
    free(g);
    return most;
}

/* Processor time of a tick in one process. */
static double run_alone(const scene *s, int ticks, uint64_t *hash)
{
    kugel_world *world = peer_kugel.open(s);
    peer_kugel.step(world, s->dt);
    double start = thread_time();
    for (int k = 0; k < ticks; ++k) peer_kugel.step(world, s->dt);
    double seconds = (thread_time() - start) / ticks;
    *hash = kugel_world_hash(world);
    peer_kugel.close(world);
    return seconds;
}

/* `alone`: seconds of one process with the spheres of one rank (weak) or all (strong); 0: measure
 * them. Returns them. */
static double measure(const bench_options *chosen, const char *kind, uint32_t n, uint32_t count,
                      double alone)
{
    scene s = scene_gas(n, 0.1, false);
    int ticks = chosen->quick ? 2 : 10;
    uint64_t ghosts, hash, hash_alone;
    double one = run_alone(&s, ticks, &hash_alone);
    if (alone == 0) alone = one;
    traffic t = run_ranks(&s, count, ticks, &ghosts, &hash);
    double per = 1.0 / ticks, hops = ceil(log2(count)), bytes = 8 * per * (double)t.words,
           seconds =
               per * t.seconds +
               1e-6 * chosen->latency * per * ((double)t.collectives * hops + (double)t.messages) +
               1e-9 * bytes / chosen->bandwidth;
    bool weak = strcmp(kind, "weak") == 0;
    ROW(TEXT(kind), NUMBER(n), NUMBER(count), NUMBER((double)ghosts / n), NUMBER(bytes),
        NUMBER(per * (double)t.messages), NUMBER(per * (double)t.collectives), NUMBER(alone),
        NUMBER(per * t.seconds), NUMBER(seconds), NUMBER(alone / seconds * (weak ? count : 1)),
        TEXT(hash == hash_alone ? "yes" : "NO"));
    scene_free(&s);
    return alone;
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
             most = chosen->quick ? 4 : RANKS_MOST;
    report_table("RANKS",
                 "a gas over ranks; the most of any rank in a tick; model: with messages of "
                 "--latency and --bandwidth",
                 columns, sizeof columns / sizeof *columns);
    double alone = 0;
    for (uint32_t count = 1; count <= most; count *= 2)
        alone = measure(chosen, "strong", strong, count, alone);
    alone = 0;
    for (uint32_t count = 1; count <= most; count *= 2)
        alone = measure(chosen, "weak", weak * count, count, alone);
}
