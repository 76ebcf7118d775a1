/* Public functions of ranks. */
#include "api/api_refuse.h"
#include "api/api_step.h"
#include "base/bytes.h"
#include "base/sized.h"
#include "ranks/ranks.h"
#include "world/work.h"

/* Read a caller's exchange into *to. NULL if it is not complete. */
static const kugel_exchange *read_exchange(const kugel_exchange *given, size_t size,
                                           kugel_exchange *to)
{
    if (!given) return NULL;
    kg_copy_sized(to, sizeof *to, given, size);
    return to->reduce && to->numbers && to->words && to->rank < to->count ? to : NULL;
}

static kugel_status refuse_exchange(kugel_world *world)
{
    return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "exchange",
                           "needs three functions and a rank below their number");
}

kugel_status kugel_ranks_share_creation(kugel_world *world, const kugel_exchange *given,
                                        size_t size)
{
    KG_CHANGE(world);
    kugel_exchange complete;
    const kugel_exchange *exchange = read_exchange(given, size, &complete);
    if (!exchange) return refuse_exchange(world);
    if (world->bodies.id_end)
        return kg_error_report(world, KUGEL_ERROR_STATE, "world", "had bodies before");
    world->creating_rank = exchange->rank;
    world->creating_ranks = exchange->count;
    return KUGEL_OK;
}

kugel_status kugel_ranks_create(kugel_world *world, const kugel_exchange *given,
                                kugel_ranks **ranks, size_t size)
{
    if (ranks) *ranks = NULL;
    KG_CHANGE_EARLY(world);
    if (!ranks) return kg_refuse_null(world, "ranks");
    kugel_exchange complete;
    const kugel_exchange *exchange = read_exchange(given, size, &complete);
    if (!exchange) return refuse_exchange(world);
    kugel_status status = kg_ranks_create(world, exchange, ranks);
    if (status == KUGEL_ERROR_OUT_OF_MEMORY || status == KUGEL_ERROR_IO)
        return kg_error_report(world, status, "ranks", "the world was not divided: %s",
                               kugel_status_text(status));
    return status;
}

void kugel_ranks_destroy(kugel_ranks *ranks)
{
    if (!ranks || !kg_may_destroy(ranks->world)) return;
    kugel_world *world = ranks->world;
    kg_ranks_free(ranks);
    kugel_world_destroy(world);
}

static kugel_status refuse(kugel_ranks *ranks, kugel_status status, const char *what)
{
    return kg_error_report(ranks->world, status, "ranks", "%s: %s", what,
                           kugel_status_text(status));
}

/* End changes if kugel_ranks_edit has begun them. */
static kugel_status end_edit(kugel_ranks *ranks)
{
    kugel_status status = kg_ranks_end_edit(ranks);
    if (status == KUGEL_ERROR_OUT_OF_MEMORY || status == KUGEL_ERROR_IO)
        return refuse(ranks, status, "the world was not divided");
    return status;
}

/* The worst status of all ranks, and whether they have the same dt. */
static kugel_status agree_on_step(const kugel_exchange *exchange, kugel_status mine, double dt,
                                  bool *same)
{
    uint64_t bits = kg_double_to_bits(dt), values[3] = {(uint64_t)mine, bits, ~bits};
    *same = true;
    if (exchange->reduce(exchange->context, KUGEL_REDUCE_MAX, values, 3)) return KUGEL_ERROR_IO;
    *same = values[1] == ~values[2];
    return (kugel_status)values[0];
}

kugel_status kugel_ranks_step(kugel_ranks *ranks, double dt)
{
    if (!ranks) return KUGEL_ERROR_INVALID_ARGUMENT;
    KG_CHANGE_EARLY(ranks->world);
    kugel_world *world = ranks->world;
    kg_stopwatch_start(world);
    kugel_status ended = end_edit(ranks);
    if (ended) return ended;
    bool same;
    kugel_status mine = kg_api_check_step(world, dt),
                 status = agree_on_step(&ranks->exchange, mine, dt, &same);
    if (mine) return status;
    if (!status && !same)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "dt",
                               "differs between the ranks");
    if (status) return kg_error_report(world, status, "dt", "another rank refuses the step");
    status = kg_ranks_step(ranks, dt);
    if (!status) status = kg_ranks_record(ranks, dt);
    if (!status) {
        kg_stopwatch_lap(world, KG_STAGE_RECORD);
        kg_stopwatch_stop(world);
        return KUGEL_OK;
    }
    if (status == KUGEL_ERROR_IO)
        return kg_error_report(world, status, "exchange", "failed to send or receive");
    return kg_api_report_step(world, status, dt);
}

kugel_status kugel_ranks_hash(kugel_ranks *ranks, uint64_t *hash)
{
    if (!ranks || !hash) return KUGEL_ERROR_INVALID_ARGUMENT;
    KG_CHANGE_EARLY(ranks->world);
    kugel_status status = end_edit(ranks);
    return status ? status : kg_ranks_hash(ranks, hash);
}

static kugel_status read_stats(kugel_ranks *ranks, kugel_stats *stats)
{
    KG_CHANGE_EARLY(ranks->world);
    kugel_status status = end_edit(ranks);
    if (status) return status;
    kg_api_read_stats(ranks->world, stats);
    return kg_ranks_sum_stats(ranks, stats);
}

kugel_status kugel_ranks_world_stats(kugel_ranks *ranks, kugel_stats *stats, size_t size)
{
    kugel_stats read = {0};
    if (!ranks || !stats) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = read_stats(ranks, &read);
    kg_copy_sized(stats, size, &read, sizeof read);
    return status;
}

static kugel_status read_energy(kugel_ranks *ranks, kugel_energy *energy)
{
    KG_CHANGE_EARLY(ranks->world);
    kugel_status status = end_edit(ranks);
    if (status) return status;
    if (!ranks->world->replicas) return kg_ranks_sum_energy(ranks, energy);
    kg_api_read_energy(ranks->world, energy);
    return KUGEL_OK;
}

kugel_status kugel_ranks_world_energy(kugel_ranks *ranks, kugel_energy *energy, size_t size)
{
    kugel_energy read = {0};
    if (!ranks || !energy) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = read_energy(ranks, &read);
    kg_copy_sized(energy, size, &read, sizeof read);
    return status;
}

kugel_status kugel_ranks_gather(kugel_ranks *ranks)
{
    if (!ranks) return KUGEL_ERROR_INVALID_ARGUMENT;
    KG_CHANGE_EARLY(ranks->world);
    kugel_status status = ranks->gathered ? KUGEL_OK : end_edit(ranks);
    if (status) return status;
    status = kg_ranks_gather(ranks);
    return status ? refuse(ranks, status, "the bodies were not gathered") : KUGEL_OK;
}

kugel_status kugel_ranks_gather_impacts(kugel_ranks *ranks)
{
    if (!ranks) return KUGEL_ERROR_INVALID_ARGUMENT;
    KG_CHANGE_EARLY(ranks->world);
    kugel_status status = kg_ranks_gather_impacts(ranks);
    return status ? refuse(ranks, status, "the impacts were not gathered") : KUGEL_OK;
}

kugel_status kugel_ranks_edit(kugel_ranks *ranks, kugel_world **world)
{
    if (world) *world = NULL;
    if (!ranks) return KUGEL_ERROR_INVALID_ARGUMENT;
    KG_CHANGE_EARLY(ranks->world);
    if (!world) return kg_refuse_null(ranks->world, "world");
    kugel_status status = kg_ranks_edit(ranks);
    if (status) return refuse(ranks, status, "the bodies could not be sent to all ranks");
    *world = ranks->world;
    return KUGEL_OK;
}

void kugel_ranks_get_counts(const kugel_ranks *ranks, kugel_ranks_counts *counts, size_t size)
{
    kugel_ranks_counts read = {0};
    if (ranks) {
        read = ranks->counts;
        read.replicated = ranks->world->replicas != NULL;
        read.bodies = ranks->gathered ? ranks->own_count : ranks->world->bodies.count;
    }
    if (counts) kg_copy_sized(counts, size, &read, sizeof read);
}

const kugel_world *kugel_ranks_world(const kugel_ranks *ranks)
{
    return ranks ? ranks->world : NULL;
}
