/* Messages between ranks through the host's exchange. Memory for what arrives is reserved on all
 * ranks before anything is sent, so that no body is lost when one rank has no memory. */
#include <string.h>

#include "ranks/ranks.h"
#include "world/work.h"

/* Statuses of a step are negative: they come after the others. */
enum { FIRST_STEP_STATUS = 1000 };

kugel_status kg_ranks_reduce(kugel_ranks *ranks, kugel_reduction operation, uint64_t *values,
                             size_t count)
{
    const kugel_exchange *exchange = &ranks->exchange;
    return exchange->reduce(exchange->context, operation, values, count) ? KUGEL_ERROR_IO
                                                                         : KUGEL_OK;
}

kugel_status kg_ranks_agree(const kugel_exchange *exchange, kugel_status mine)
{
    int number = (int)mine;
    uint64_t worst = (uint64_t)(number < 0 ? FIRST_STEP_STATUS - number : number);
    if (exchange->reduce(exchange->context, KUGEL_REDUCE_MAX, &worst, 1)) return KUGEL_ERROR_IO;
    return worst < FIRST_STEP_STATUS ? (kugel_status)worst
                                     : (kugel_status)(FIRST_STEP_STATUS - (int)worst);
}

bool kg_ranks_list_body(kugel_ranks *ranks, uint32_t slot, uint32_t rank, bool inner)
{
    uint32_t n = ranks->listed_count;
    if (!KG_RESERVE(&ranks->world->memory, &ranks->columns[KG_RANKS_LISTED], ranks->listed,
                    (size_t)n + 1, n))
        return false;
    ranks->listed[n] = (kg_listed_body){slot, rank, inner};
    ranks->listed_count = n + 1;
    return true;
}

void kg_ranks_count_words(kugel_ranks *ranks, uint32_t words)
{
    memset(ranks->sent_words, 0, ranks->exchange.count * sizeof *ranks->sent_words);
    for (uint32_t k = 0; k < ranks->listed_count; ++k)
        ranks->sent_words[ranks->listed[k].rank] += words;
}

static size_t sum(const kugel_ranks *ranks, const uint64_t *words)
{
    size_t all = 0;
    for (uint32_t r = 0; r < ranks->exchange.count; ++r) all += words[r];
    return all;
}

size_t kg_ranks_received_words(const kugel_ranks *ranks)
{
    return sum(ranks, ranks->received_words);
}

bool kg_ranks_reserve_sent(kugel_ranks *ranks)
{
    ranks->next[0] = 0;
    for (uint32_t r = 1; r < ranks->exchange.count; ++r)
        ranks->next[r] = ranks->next[r - 1] + ranks->sent_words[r - 1];
    return KG_RESERVE(&ranks->world->memory, &ranks->columns[KG_RANKS_SENT], ranks->sent,
                      sum(ranks, ranks->sent_words), 0);
}

static kugel_status reserve_received(kugel_ranks *ranks, uint32_t row)
{
    kugel_world *world = ranks->world;
    size_t words = kg_ranks_received_words(ranks), rows = row ? words / row : 0;
    if (rows > KG_BODY_LIMIT - world->bodies.count) return KUGEL_ERROR_LIMIT;
    bool ok =
        KG_RESERVE(&world->memory, &ranks->columns[KG_RANKS_RECEIVED], ranks->received, words, 0) &&
        (!rows ||
         (kg_bodies_reserve(&world->memory, &world->bodies, world->bodies.count + rows) &&
          KG_RESERVE(&world->memory, &ranks->columns[KG_RANKS_INNER], ranks->inner, rows, 0)));
    return ok ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

kugel_status kg_ranks_transfer(kugel_ranks *ranks, kugel_status prepared, uint32_t row)
{
    const kugel_exchange *exchange = &ranks->exchange;
    if (exchange->numbers(exchange->context, ranks->sent_words, ranks->received_words))
        return KUGEL_ERROR_IO;
    kugel_status status = prepared ? prepared : reserve_received(ranks, row);
    if ((status = kg_ranks_agree(&ranks->exchange, status))) return status;
    if (exchange->words(exchange->context, ranks->sent, ranks->sent_words, ranks->received,
                        ranks->received_words))
        return KUGEL_ERROR_IO;
    ranks->counts.words_sent += sum(ranks, ranks->sent_words);
    return KUGEL_OK;
}
