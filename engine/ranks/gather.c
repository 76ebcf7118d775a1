/* Gathers all bodies, or the impacts of the last tick, on rank 0, for reading between steps. In:
 * the bodies and impacts of each rank. Out, on rank 0: copies of the other ranks' bodies in rows
 * behind its own, until kg_ranks_drop_gathered; the other ranks' impacts among its own, until the
 * next tick. Counters of other ranks are added to those of rank 0 and cleared, so their sums stay
 * the same. Order of copies: by rank, then by slot there. Cost: memory for all bodies and impacts
 * on rank 0. */
#include <string.h>

#include "events/events_sort.h"
#include "query/query_index.h"
#include "ranks/ranks.h"

/* On ranks other than 0, list all own bodies for rank 0. */
static bool list_own(kugel_ranks *ranks)
{
    bool ok = true;
    ranks->listed_count = 0;
    for (uint32_t i = 0; i < ranks->own_count && ranks->exchange.rank > 0 && ok; ++i)
        ok = kg_ranks_list_body(ranks, i, 0, false);
    return ok;
}

/* Words of an impact, rounded up: on some targets its size is a multiple of 4 bytes, not of 8. */
enum { IMPACT_WORDS = (sizeof(kugel_impact) + sizeof(uint64_t) - 1) / sizeof(uint64_t) };

static void pack_impacts(const kg_event_set *events, uint64_t *words)
{
    for (size_t k = 0; k < events->impact_count; ++k, words += IMPACT_WORDS) {
        words[IMPACT_WORDS - 1] = 0;
        memcpy(words, &events->impacts[k], sizeof *events->impacts);
    }
}

/* Append impacts, for which memory is reserved, to those of the world. */
static void append_impacts(kugel_world *world, const uint64_t *words, size_t count)
{
    for (size_t k = 0; k < count; ++k, words += IMPACT_WORDS) {
        kugel_impact impact;
        memcpy(&impact, words, sizeof impact);
        (void)kg_event_set_add_impact(&world->memory, &world->events.published, &impact);
    }
}

/* Copy the own impacts to ranks->sent and, on ranks other than 0, send them to rank 0. *received:
 * number of impacts in ranks->received. */
static kugel_status send_impacts(kugel_ranks *ranks, size_t *received)
{
    const kugel_exchange *exchange = &ranks->exchange;
    kg_event_set *events = &ranks->world->events.published;
    size_t own = events->impact_count * IMPACT_WORDS;
    memset(ranks->sent_words, 0, exchange->count * sizeof *ranks->sent_words);
    ranks->sent_words[0] = exchange->rank > 0 ? own : 0;
    if (exchange->numbers(exchange->context, ranks->sent_words, ranks->received_words))
        return KUGEL_ERROR_IO;
    size_t words = kg_ranks_total(ranks, ranks->received_words);
    *received = words / IMPACT_WORDS;
    bool ok = kg_ranks_lend_words(ranks, own, words) &&
              (!words || kg_event_set_reserve_impacts(&ranks->world->memory, events, *received));
    kugel_status status = kg_exchange_agree(exchange, ok ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY);
    if (status) return status;
    pack_impacts(events, ranks->sent);
    return kg_ranks_exchange_words(ranks);
}

/* Add the received impacts to the own ones and sort all. False when out of memory: the own impacts
 * are then as before. */
static bool add_impacts(kugel_ranks *ranks, size_t received)
{
    kg_event_set *events = &ranks->world->events.published;
    size_t own = events->impact_count;
    append_impacts(ranks->world, ranks->received, received);
    if (!received || kg_events_sort_impacts(ranks->world, events)) return true;
    events->impact_count = 0;
    append_impacts(ranks->world, ranks->sent, own);
    return false;
}

kugel_status kg_ranks_gather_impacts(kugel_ranks *ranks)
{
    size_t received;
    if (!ranks->impacts_apart) return KUGEL_OK;
    kugel_status status = send_impacts(ranks, &received);
    if (status) return status;
    bool ok = add_impacts(ranks, received);
    status = kg_exchange_agree(&ranks->exchange, ok ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY);
    ranks->impacts_apart &= status != KUGEL_OK;
    return status;
}

kugel_status kg_ranks_gather(kugel_ranks *ranks)
{
    if (ranks->world->replicas || ranks->gathered) return KUGEL_OK;
    ranks->own_count = ranks->world->bodies.count;
    kugel_status status = kg_ranks_transfer_bodies(ranks, list_own(ranks));
    if (!status) status = kg_ranks_sum_counters(ranks);
    if (status) return status;
    kg_ranks_keep_counters_on_rank_0(ranks);
    kg_ranks_append_received(ranks);
    ranks->gathered = true;
    kg_query_invalidate(ranks->world);
    return KUGEL_OK;
}

void kg_ranks_drop_gathered(kugel_ranks *ranks)
{
    if (!ranks->gathered) return;
    kg_ranks_drop_ghosts(ranks);
    ranks->gathered = false;
    kg_query_invalidate(ranks->world);
}
