/* Divides a world over the ranks, when they are created and when changes end. In: a world that is
 * equal on all ranks, which is checked, or a share of its bodies on each. Out: each rank has its
 * own bodies and the quantities of all bodies that a step needs; or the world is replicated, if it
 * is no gas. Memory: during the division a rank keeps what it had before. Afterwards it has its own
 * bodies and 8 bytes for each id of the whole world, or 16 if bodies have user data. */
#include "base/bytes.h"
#include "grid/neighbours.h"
#include "ranks/ranks.h"
#include "record/recorder.h"
#include "record/state_hash.h"
#include "resting/resting.h"
#include "world/body_rows.h"

#include <math.h>
#include <string.h>

static kugel_status refuse_world(kugel_ranks *ranks, const char *why)
{
    return kg_error_report(ranks->world, KUGEL_ERROR_INVALID_ARGUMENT, "world", "%s", why);
}

/* `apart`: each rank has other bodies, of which the hash of their creation is compared. */
static kugel_status check_equal(kugel_ranks *ranks, bool apart)
{
    kugel_world *world = ranks->world;
    kg_hash_sums sums = apart ? (kg_hash_sums){0} : kg_state_hash_sums(world);
    const uint64_t mine[3] = {kg_state_hash_of_sums(world, &sums), kg_state_hash_of_settings(world),
                              apart ? world->created_hash : kg_state_hash_of_constants(world)};
    uint64_t lowest[3] = {mine[0], mine[1], mine[2]}, highest[3] = {mine[0], mine[1], mine[2]};
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MIN, lowest, 3);
    if (!status) status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, highest, 3);
    if (status || memcmp(lowest, highest, sizeof lowest) == 0) return status;
    return refuse_world(ranks, "differs between the ranks");
}

/* Each body must have its row on one rank. */
static kugel_status check_shares(kugel_ranks *ranks)
{
    const kugel_world *world = ranks->world;
    uint64_t rows = world->bodies.count, wrong = world->creating_ranks != ranks->exchange.count ||
                                                 world->creating_rank != ranks->exchange.rank;
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_SUM, &rows, 1);
    if (!status) status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, &wrong, 1);
    if (status || (!wrong && rows == world->bodies.count + world->bodies.absent_count))
        return status;
    return refuse_world(ranks, "was created with another exchange than kugel_ranks_share_creation");
}

static bool any_kinematic_moves(const kg_bodies *bodies)
{
    bool moves = false;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        for (int k = 0; k < 3 && bodies->mass[i] == 0; ++k)
            moves |= bodies->v[k][i] != 0 || bodies->w[k][i] != 0;
    }
    return moves;
}

/* Largest acceleration by gravity, m/s^2. */
static double largest_acceleration(const kugel_world *world)
{
    const double *g = world->def.gravity;
    double scale = 0;
    for (uint32_t k = 0; k < world->bodies.material_count; ++k) {
        const kg_material *material = &world->bodies.materials[k];
        if (material->body_count) scale = kg_max(scale, fabs(material->gravity_scale));
    }
    return scale * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

/* Find the quantities of the bodies of all ranks that a step needs. */
static kugel_status find_whole(kugel_ranks *ranks)
{
    const kugel_world *world = ranks->world;
    const kg_bodies *bodies = &world->bodies;
    uint64_t least = kg_double_to_bits(kg_resting_smallest_moving_radius(bodies)),
             most[2] = {any_kinematic_moves(bodies),
                        kg_double_to_bits(kg_bodies_radii(bodies).largest)};
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MIN, &least, 1);
    if (!status) status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, most, 2);
    ranks->whole.body_count = bodies->count + bodies->absent_count;
    ranks->whole.smallest_moving_radius =
        kg_double_from_bits(least); /* the bits of doubles >= 0 have the order of the values */
    ranks->whole.any_kinematic_moves = most[0];
    ranks->largest_radius = kg_double_from_bits(most[1]);
    ranks->largest_acceleration = largest_acceleration(world);
    ranks->speed_margin = KG_RANKS_MARGIN_MIN;
    ranks->buffer = KG_RANKS_BUFFER_MIN * ranks->largest_radius;
    return status;
}

static bool reserve_numbers(kugel_ranks *ranks)
{
    kg_memory *memory = &ranks->world->memory;
    kg_column *columns = ranks->columns;
    size_t n = ranks->exchange.count;
    if (!KG_RESERVE(memory, &columns[KG_RANKS_NUMBERS], ranks->sent_bodies, 5 * n, 0) ||
        !KG_RESERVE(memory, &columns[KG_RANKS_PARTS], ranks->parts, n, 0) ||
        !KG_RESERVE(memory, &columns[KG_RANKS_TERMS], ranks->terms,
                    n * KG_PARTITION_BINS + KG_RANKS_TERMS_MIN, 0))
        return false;
    ranks->received_bodies = ranks->sent_bodies + n;
    ranks->sent_words = ranks->received_bodies + n;
    ranks->received_words = ranks->sent_words + n;
    ranks->next = ranks->received_words + n;
    return true;
}

void kg_ranks_free(kugel_ranks *ranks)
{
    kg_memory *memory = &ranks->world->memory;
    ranks->world->whole = NULL;
    ranks->world->replicas = NULL;
    kg_columns_free(memory, ranks->columns, KG_RANKS_COLUMNS);
    kg_free(memory, ranks, sizeof *ranks);
}

void kg_ranks_free_buffers(kugel_ranks *ranks)
{
    for (int k = KG_RANKS_LISTED; k < KG_RANKS_COLUMNS; ++k)
        kg_column_free(&ranks->world->memory, &ranks->columns[k]);
    kg_work_free_rows(&ranks->world->memory, &ranks->world->work);
    ranks->listed_count = 0;
}

/* An error if a rank other than 0 records its world. */
static kugel_status check_recorders(kugel_ranks *ranks)
{
    const kugel_exchange *exchange = &ranks->exchange;
    bool refused = ranks->world->recorder && exchange->rank > 0;
    kugel_status status = kg_exchange_agree(exchange, refused ? KUGEL_ERROR_STATE : KUGEL_OK);
    if (status != KUGEL_ERROR_STATE) return status;
    return kg_error_report(ranks->world, status, "recording",
                           "a recording on a rank other than 0: not supported");
}

static void end_creation(kugel_ranks *ranks)
{
    ranks->world->bodies.absent_count = ranks->world->creating_ranks = 0;
    ranks->world->created_hash = 0;
}

/* Remove the bodies of other ranks, which are listed. `apart`: append those that were received. */
static void keep_own(kugel_ranks *ranks, bool apart)
{
    kugel_world *world = ranks->world;
    world->whole = &ranks->whole;
    kg_ranks_keep_counters_on_rank_0(ranks); /* each rank has counted the whole world */
    kg_neighbours_invalidate(world);
    kg_ranks_drop_listed(ranks);
    if (apart) kg_ranks_append_received(ranks);
    kg_ranks_free_buffers(ranks);
    world->memory.is_tight = true;
    kg_body_rows_shrink(&world->memory, &world->bodies);
    world->grid->body_count = 0; /* the next step sorts the bodies in space */
}

/* Give each body to the rank of its box. `apart`: each body is on one rank; else on all ranks. */
static kugel_status divide_bodies(kugel_ranks *ranks, bool apart)
{
    kugel_status status = find_whole(ranks);
    if (!status) status = kg_ranks_repartition(ranks);
    if (status) return status;
    bool listed = kg_ranks_list_leaving(ranks);
    if (apart) status = kg_ranks_transfer_bodies(ranks, listed);
    else
        status = kg_exchange_agree(&ranks->exchange, listed ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY);
    if (status) return status;
    end_creation(ranks);
    keep_own(ranks, apart);
    return KUGEL_OK;
}

static kugel_status replicate(kugel_ranks *ranks, bool apart)
{
    kugel_status status = KUGEL_OK;
    if (apart) status = kg_ranks_replicate(ranks);
    else kg_ranks_begin_replicas(ranks);
    if (!status) end_creation(ranks);
    return status;
}

kugel_status kg_ranks_divide(kugel_ranks *ranks)
{
    const kugel_world *world = ranks->world;
    /* a rank records; the world cannot be divided; each rank has a share of the bodies */
    uint64_t any[3] = {world->recorder != NULL, !kg_ranks_can_divide(world),
                       world->creating_ranks != 0};
    kugel_status status = check_recorders(ranks);
    if (!status) status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, any, 3);
    bool apart = any[2];
    if (!status) status = check_equal(ranks, apart);
    if (!status && apart) status = check_shares(ranks);
    if (status) return status;
    ranks->recorded = any[0];
    return any[1] ? replicate(ranks, apart) : divide_bodies(ranks, apart);
}

kugel_status kg_ranks_create(kugel_world *world, const kugel_exchange *exchange, kugel_ranks **out)
{
    kugel_ranks *ranks = kg_allocate(&world->memory, sizeof *ranks);
    kugel_status status = kg_exchange_agree(exchange, ranks ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY);
    if (status) {
        kg_free(&world->memory, ranks, sizeof *ranks);
        return status;
    }
    memset(ranks, 0, sizeof *ranks);
    ranks->world = world;
    ranks->exchange = *exchange;
    status = reserve_numbers(ranks) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
    status = kg_exchange_agree(exchange, status);
    if (!status) status = kg_ranks_divide(ranks);
    if (status) {
        kg_ranks_free(ranks);
        return status;
    }
    *out = ranks;
    return KUGEL_OK;
}
