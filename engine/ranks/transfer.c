/* Messages between ranks through the host's exchange. In: a list of bodies to send. Out: rows of
 * the bodies that other ranks sent. Order of rows: by sender, then by slot there. Memory for them
 * is reserved on all ranks before anything is sent, so that no body is lost if a rank has no
 * memory. */
#include <string.h>

#include "grid/neighbours.h"
#include "ranks/ranks.h"
#include "world/body_rows.h"
#include "world/work.h"

kugel_status kg_ranks_reduce(kugel_ranks *ranks, kugel_reduction operation, uint64_t *values,
                             size_t count)
{
    const kugel_exchange *exchange = &ranks->exchange;
    return exchange->reduce(exchange->context, operation, values, count) ? KUGEL_ERROR_IO
                                                                         : KUGEL_OK;
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

bool kg_ranks_list_for_all(kugel_ranks *ranks)
{
    bool ok = true;
    ranks->listed_count = 0;
    for (uint32_t i = 0; i < ranks->world->bodies.count; ++i) {
        for (uint32_t rank = 0; rank < ranks->exchange.count && ok; ++rank)
            ok = rank == ranks->exchange.rank || kg_ranks_list_body(ranks, i, rank, true);
    }
    return ok;
}

uint64_t kg_ranks_total(const kugel_ranks *ranks, const uint64_t *numbers)
{
    uint64_t all = 0;
    for (uint32_t r = 0; r < ranks->exchange.count; ++r) all += numbers[r];
    return all;
}

/* Words that hold a byte for each of n bodies. */
static size_t words_of_inner(size_t n) { return (n + sizeof(uint64_t) - 1) / sizeof(uint64_t); }

/* Set words[r] to the length of the message that carries bodies[r] bodies to or from rank r;
 * returns the sum. A message is a byte for each body, 1: an inner ghost, then the rows. */
static size_t count_words(const kugel_ranks *ranks, const uint64_t *bodies, uint64_t *words)
{
    for (uint32_t r = 0; r < ranks->exchange.count; ++r)
        words[r] = words_of_inner(bodies[r]) + kg_body_rows_words(&ranks->world->bodies, bodies[r]);
    return kg_ranks_total(ranks, words);
}

static void count_listed(kugel_ranks *ranks)
{
    memset(ranks->sent_bodies, 0, ranks->exchange.count * sizeof *ranks->sent_bodies);
    for (uint32_t k = 0; k < ranks->listed_count; ++k)
        ranks->sent_bodies[ranks->listed[k].rank] += 1;
}

bool kg_ranks_lend_words(kugel_ranks *ranks, size_t sent, size_t received)
{
    ranks->sent = kg_work_lend(&ranks->world->memory, &ranks->world->work, sent + received);
    if (ranks->sent) ranks->received = ranks->sent + sent;
    return ranks->sent;
}

static kugel_status reserve(kugel_ranks *ranks)
{
    kugel_world *world = ranks->world;
    kg_memory *memory = &world->memory;
    size_t sent = ranks->listed_count, received = kg_ranks_total(ranks, ranks->received_bodies);
    size_t sent_words = count_words(ranks, ranks->sent_bodies, ranks->sent_words),
           received_words = count_words(ranks, ranks->received_bodies, ranks->received_words);
    if (received > KG_BODY_LIMIT - world->bodies.count) return KUGEL_ERROR_LIMIT;
    size_t all = world->bodies.count + received;
    bool ok =
        KG_RESERVE(memory, &ranks->columns[KG_RANKS_SENT_SLOTS], ranks->sent_slots, sent, 0) &&
        KG_RESERVE(memory, &ranks->columns[KG_RANKS_SENT_INNER], ranks->sent_inner, sent, 0) &&
        KG_RESERVE(memory, &ranks->columns[KG_RANKS_INNER], ranks->inner, received, 0) &&
        (!received || kg_bodies_reserve(memory, &world->bodies, all, all)) &&
        kg_ranks_lend_words(ranks, sent_words, received_words);
    return ok ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* Fill sent_slots and sent_inner: the list, ordered by rank. */
static void sort_by_rank(kugel_ranks *ranks)
{
    ranks->next[0] = 0;
    for (uint32_t r = 1; r < ranks->exchange.count; ++r)
        ranks->next[r] = ranks->next[r - 1] + ranks->sent_bodies[r - 1];
    for (uint32_t k = 0; k < ranks->listed_count; ++k) {
        uint64_t at = ranks->next[ranks->listed[k].rank]++;
        ranks->sent_slots[at] = ranks->listed[k].slot;
        ranks->sent_inner[at] = ranks->listed[k].inner;
    }
}

static void pack_listed(kugel_ranks *ranks)
{
    size_t first = 0;
    sort_by_rank(ranks);
    uint64_t *to = ranks->sent;
    for (uint32_t r = 0; r < ranks->exchange.count; ++r) {
        size_t n = ranks->sent_bodies[r];
        if (!n) continue;
        to[words_of_inner(n) - 1] = 0;
        memcpy(to, ranks->sent_inner + first, n);
        kg_body_rows_write(&ranks->world->bodies, ranks->sent_slots + first, n,
                           to + words_of_inner(n));
        to += ranks->sent_words[r];
        first += n;
    }
}

kugel_status kg_ranks_exchange_words(kugel_ranks *ranks)
{
    const kugel_exchange *exchange = &ranks->exchange;
    if (exchange->words(exchange->context, ranks->sent, ranks->sent_words, ranks->received,
                        ranks->received_words))
        return KUGEL_ERROR_IO;
    ranks->counts.words_sent += kg_ranks_total(ranks, ranks->sent_words);
    return KUGEL_OK;
}

kugel_status kg_ranks_transfer_bodies(kugel_ranks *ranks, bool listed)
{
    const kugel_exchange *exchange = &ranks->exchange;
    count_listed(ranks);
    if (exchange->numbers(exchange->context, ranks->sent_bodies, ranks->received_bodies))
        return KUGEL_ERROR_IO;
    kugel_status status =
        kg_exchange_agree(exchange, listed ? reserve(ranks) : KUGEL_ERROR_OUT_OF_MEMORY);
    if (status) return status;
    pack_listed(ranks);
    return kg_ranks_exchange_words(ranks);
}

void kg_ranks_append_received(kugel_ranks *ranks)
{
    const uint64_t *from = ranks->received;
    size_t first = 0;
    for (uint32_t r = 0; r < ranks->exchange.count; ++r) {
        size_t n = ranks->received_bodies[r];
        if (!n) continue;
        memcpy(ranks->inner + first, from, n);
        kg_body_rows_append(&ranks->world->bodies, from + words_of_inner(n), n);
        from += ranks->received_words[r];
        first += n;
    }
    if (first) kg_neighbours_note_added_rows(ranks->world);
}
