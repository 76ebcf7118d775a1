/* Takes a world over, when the ranks are created and after changes: checks what is supported, keeps
 * what the step must know of all bodies, and drops the bodies of other ranks. In: a world that is
 * equal on all ranks. Out: ranks. Memory for all bodies is needed until then; afterwards 8 bytes an
 * id stay. */
#include "grid/neighbours.h"
#include "ranks/ranks.h"
#include "record/recorder.h"
#include "record/state_hash.h"
#include "resting/resting.h"
#include "world/body_rows.h"

#include <math.h>
#include <string.h>

static kugel_status check_equal(kugel_ranks *ranks)
{
    kugel_world *world = ranks->world;
    const uint64_t mine[2] = {kugel_world_hash(world), kg_state_hash_of_settings(world)};
    uint64_t least[2] = {mine[0], mine[1]}, most[2] = {mine[0], mine[1]};
    kugel_status status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MIN, least, 2);
    if (!status) status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, most, 2);
    if (status || memcmp(least, most, sizeof least) == 0) return status;
    return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "world",
                           "differs between the ranks");
}

static bool any_driven(const kg_bodies *bodies)
{
    bool driven = false;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        for (int k = 0; k < 3 && bodies->mass[i] == 0; ++k)
            driven |= bodies->v[k][i] != 0 || bodies->w[k][i] != 0;
    }
    return driven;
}

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

static void survey_whole(kugel_ranks *ranks)
{
    const kugel_world *world = ranks->world;
    ranks->whole.body_count = world->bodies.count;
    ranks->whole.smallest_moving_radius = kg_resting_smallest_moving_radius(&world->bodies);
    ranks->whole.any_driven = any_driven(&world->bodies);
    ranks->largest_radius = kg_bodies_radii(&world->bodies).largest;
    ranks->largest_acceleration = largest_acceleration(world);
    ranks->speed_margin = KG_RANKS_MARGIN_MIN;
    ranks->buffer = KG_RANKS_BUFFER_MIN * ranks->largest_radius;
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

static kugel_status check_recorders(kugel_ranks *ranks)
{
    const kugel_exchange *exchange = &ranks->exchange;
    bool refused = ranks->world->recorder && exchange->rank > 0;
    kugel_status status = kg_exchange_agree(exchange, refused ? KUGEL_ERROR_STATE : KUGEL_OK);
    if (status != KUGEL_ERROR_STATE) return status;
    return kg_error_report(ranks->world, status, "recording",
                           "a recording on a rank other than 0: not supported");
}

/* Keep the bodies of this rank only. */
static void drop_others(kugel_ranks *ranks)
{
    kugel_world *world = ranks->world;
    world->whole = &ranks->whole;
    kg_ranks_count_once(ranks); /* what was before the division */
    kg_neighbours_invalidate(world);
    kg_ranks_drop_listed(ranks);
    kg_ranks_free_buffers(ranks);
    world->memory.is_tight = true;
    kg_body_rows_shrink(&world->memory, &world->bodies);
    world->grid->body_count = 0; /* sort in the next step */
}

kugel_status kg_ranks_divide(kugel_ranks *ranks)
{
    uint64_t any[2] = {ranks->world->recorder != NULL, !kg_ranks_can_divide(ranks->world)};
    kugel_status status = check_recorders(ranks);
    if (!status) status = check_equal(ranks);
    if (!status) status = kg_ranks_reduce(ranks, KUGEL_REDUCE_MAX, any, 2);
    if (status) return status;
    ranks->recorded = any[0];
    if (any[1]) {
        kg_ranks_begin_replicas(ranks);
        return KUGEL_OK;
    }
    survey_whole(ranks);
    if ((status = kg_ranks_repartition(ranks))) return status;
    status = kg_exchange_agree(&ranks->exchange,
                               kg_ranks_list_leaving(ranks) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY);
    if (!status) drop_others(ranks);
    return status;
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
    /* numbers by rank: the ranks need them to agree on the rest */
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
