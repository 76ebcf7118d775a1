/* Threads that read one another's data between two barriers. */
#include "support/support_ranks.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_random.h"

/* Data of a rank that the other ranks read during a call. */
typedef struct offer {
    const uint64_t *values; /* numbers, or the words for all ranks one after the other */
    const uint64_t *words;  /* [rank]: number of words for it */
} offer;

typedef struct group {
    uint32_t count;
    pthread_barrier_t barrier;
    offer offers[SUPPORT_RANKS_MAX];
    support_rank_work *work;
    void *argument;
} group;

typedef struct member {
    group *group;
    kugel_exchange exchange;
    support_random random;
} member;

static void pause_sometimes(member *m)
{
    for (uint32_t k = support_below(&m->random, 4); k > 0; --k) sched_yield();
}

/* Sets a random order of all ranks. */
static void shuffle(member *m, uint32_t order[SUPPORT_RANKS_MAX])
{
    for (uint32_t k = 0; k < m->group->count; ++k) {
        uint32_t at = support_below(&m->random, k + 1);
        order[k] = order[at];
        order[at] = k;
    }
}

/* Publishes the data of this rank and waits for all ranks to do so. */
static void publish(member *m, const uint64_t *values, const uint64_t *words)
{
    pause_sometimes(m);
    m->group->offers[m->exchange.rank] = (offer){values, words};
    pthread_barrier_wait(&m->group->barrier);
    pause_sometimes(m);
}

static uint64_t reduced(kugel_reduction operation, uint64_t a, uint64_t b)
{
    if (operation == KUGEL_REDUCE_SUM) return a + b;
    return (a < b) == (operation == KUGEL_REDUCE_MIN) ? a : b;
}

static kugel_status reduce(void *context, kugel_reduction operation, uint64_t *values, size_t count)
{
    member *m = context;
    uint32_t order[SUPPORT_RANKS_MAX];
    uint64_t *result = malloc((count + 1) * sizeof *result);
    if (!result) abort(); /* else the other ranks would wait without end */
    publish(m, values, NULL);
    shuffle(m, order);
    for (uint32_t k = 0; k < m->group->count; ++k) {
        const uint64_t *from = m->group->offers[order[k]].values;
        for (size_t i = 0; i < count; ++i)
            result[i] = k ? reduced(operation, result[i], from[i]) : from[i];
    }
    pthread_barrier_wait(&m->group->barrier);
    memcpy(values, result, count * sizeof *result);
    free(result);
    return KUGEL_OK;
}

static kugel_status numbers(void *context, const uint64_t *sent, uint64_t *received)
{
    member *m = context;
    publish(m, sent, NULL);
    for (uint32_t r = 0; r < m->group->count; ++r)
        received[r] = m->group->offers[r].values[m->exchange.rank];
    pthread_barrier_wait(&m->group->barrier);
    return KUGEL_OK;
}

static uint64_t sum_before(const uint64_t *words, uint32_t rank)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < rank; ++r) sum += words[r];
    return sum;
}

static kugel_status words(void *context, const uint64_t *sent, const uint64_t *sent_words,
                          uint64_t *received, const uint64_t *received_words)
{
    member *m = context;
    uint32_t order[SUPPORT_RANKS_MAX], me = m->exchange.rank;
    publish(m, sent, sent_words);
    shuffle(m, order);
    for (uint32_t k = 0; k < m->group->count; ++k) {
        const offer *from = &m->group->offers[order[k]];
        if (!received_words[order[k]]) continue;
        memcpy(received + sum_before(received_words, order[k]),
               from->values + sum_before(from->words, me), from->words[me] * sizeof *received);
        pause_sometimes(m);
    }
    pthread_barrier_wait(&m->group->barrier);
    return KUGEL_OK;
}

static void *run_rank(void *argument)
{
    member *m = argument;
    m->group->work(&m->exchange, m->group->argument);
    return NULL;
}

void support_ranks_run(uint32_t count, uint64_t seed, support_rank_work *work, void *argument)
{
    group group = {.count = count, .work = work, .argument = argument};
    member members[SUPPORT_RANKS_MAX];
    pthread_t threads[SUPPORT_RANKS_MAX];
    if (count > SUPPORT_RANKS_MAX || pthread_barrier_init(&group.barrier, NULL, count)) abort();
    for (uint32_t r = 0; r < count; ++r) {
        members[r] = (member){&group, {r, count, &members[r], reduce, numbers, words}, {seed + r}};
        if (pthread_create(&threads[r], NULL, run_rank, &members[r])) abort();
    }
    for (uint32_t r = 0; r < count; ++r) pthread_join(threads[r], NULL);
    pthread_barrier_destroy(&group.barrier);
}
