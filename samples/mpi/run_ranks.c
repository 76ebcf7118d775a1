/* Runs a scene over ranks: each rank reads the scene and makes its world, which is then divided.
 * In: the scene. Out: the last lines of kugel-run, with the same numbers; rank 0 writes files. */
#include "run_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "checkpoint.h"
#include "load.h"
#include "make_world.h"
#include "progress.h"
#include "refusal.h"
#include "summary.h"

int check_rank_options(const options *o)
{
    const struct {
        bool given;
        const char *flag;
    } missing[] = {{o->csv, "--csv"},       {o->events, "--events"}, {o->series, "--series"},
                   {o->record, "--record"}, {o->export, "--export"}, {o->video, "--video"},
                   {o->view, "--view"},     {o->check, "--check"},   {o->timing, "--timing"},
                   {o->live, "--live"}};
    for (size_t k = 0; k < sizeof missing / sizeof *missing; ++k) {
        if (missing[k].given)
            return complain(EXIT_USAGE, "%s: not supported over ranks yet", missing[k].flag);
    }
    if (strcmp(o->scene, "-") == 0 || (o->restart && strcmp(o->restart, "-") == 0))
        return complain(EXIT_USAGE, "the scene and what it restarts from must be files: only one "
                                    "rank has standard input");
    return 0;
}

static int check_acts(const options *options, const scene *scene)
{
    const struct {
        size_t count;
        const char *key;
    } acts[] = {{arrlenu(scene->impulses), "impulses"}, {arrlenu(scene->forces), "forces"},
                {arrlenu(scene->gravities), "gravity"}, {arrlenu(scene->motions), "motions"},
                {arrlenu(scene->emitters), "emitters"}, {arrlenu(scene->drains), "drains"}};
    for (size_t k = 0; k < sizeof acts / sizeof *acts; ++k) {
        if (acts[k].count)
            return complain(EXIT_USAGE, "%s: %s: acts are not supported over ranks yet",
                            options->scene, acts[k].key);
    }
    return 0;
}

typedef struct rank_run {
    const options *options;
    const scene *scene;
    const kugel_exchange *exchange;
    kugel_world *world; /* of this rank; belongs to `ranks` once these exist */
    kugel_ranks *ranks;
    uint32_t bodies; /* of all ranks */
} rank_run;

/* The worst exit code of all ranks. A rank that fails alone prints nothing that is seen. */
static int agree(const rank_run *run, int mine)
{
    const kugel_exchange *exchange = run->exchange;
    uint64_t worst = (uint64_t)mine;
    if (exchange->reduce(exchange->context, KUGEL_REDUCE_MAX, &worst, 1)) return EXIT_RESOURCES;
    if (worst && !mine) complain((int)worst, "%s: another rank cannot run it", run->options->scene);
    return (int)worst;
}

static int fail(const rank_run *run, kugel_status status, uint64_t tick)
{
    char where[48];
    snprintf(where, sizeof where, "tick %llu", (unsigned long long)tick);
    return complain_refused(run->options->scene, run->world, status, where);
}

/* The whole world of the scene or the restart, as on each rank. */
static int make_whole(rank_run *run, scene *scene, restart *restart)
{
    const options *options = run->options;
    const run_start start = {
        .scene = scene, .snapshot = restart->snapshot, .snapshot_size = restart->size};
    int code = scene_fill(scene, restart, options);
    if (!code) code = check_acts(options, scene);
    if (!code) code = make_world(options, &start, &run->world);
    if (!code && !start.snapshot) code = fill_world(options, scene, run->world);
    return code;
}

/* Write a checkpoint where it is due. */
static int save(const rank_run *run, uint64_t tick)
{
    if (!checkpoint_is_due(run->options, tick)) return 0;
    kugel_status status = kugel_ranks_gather(run->ranks);
    if (status) return fail(run, status, tick);
    return agree(run, run->exchange->rank ? 0 : checkpoint_write(run->options, run->world));
}

static int loop(const rank_run *run)
{
    uint64_t all = run->scene->ticks;
    int code = 0;
    progress progress = progress_begin(all, run->options->quiet);
    for (uint64_t tick = kugel_world_tick(run->world) + 1; tick <= all && !code; ++tick) {
        kugel_status status = kugel_ranks_step(run->ranks, run->scene->dt);
        code = status ? fail(run, status, tick) : save(run, tick);
        progress_show(&progress, tick);
    }
    progress_end(&progress);
    return code;
}

static double energy_of(const kugel_stats *stats)
{
    return stats->kinetic_energy + stats->potential_energy;
}

static int run_divided(const rank_run *run)
{
    kugel_stats start, end;
    uint64_t hash;
    kugel_status status = kugel_ranks_world_stats(run->ranks, &start);
    if (status) return fail(run, status, 0);
    int code = loop(run);
    if (code) return code;
    status = kugel_ranks_world_stats(run->ranks, &end);
    if (!status) status = kugel_ranks_hash(run->ranks, &hash);
    if (status) return fail(run, status, run->scene->ticks);
    if (run->exchange->rank > 0) return 0;
    summary_notes(run->options, run->scene, &end);
    summary_print(run->bodies, &end, energy_of(&start), energy_of(&end), hash);
    return 0;
}

/* Divide the world and run it; it is destroyed. */
static int divide(rank_run *run)
{
    run->bodies = kugel_world_body_count(run->world);
    kugel_status status = kugel_ranks_create(run->world, run->exchange, &run->ranks);
    int code = status ? complain_refused(run->options->scene, run->world, status, "world")
                      : run_divided(run);
    if (status) kugel_world_destroy(run->world);
    else kugel_ranks_destroy(run->ranks);
    return code;
}

static int run_text(rank_run *run, restart *restart, const char *text, size_t size, int code)
{
    scene scene = {0};
    complaint complaint;
    bool parsed = !code && scene_parse(&scene, text, size, run->options->scene, &complaint);
    run->scene = &scene;
    if (!code && !parsed) code = complain(complaint.code, "%s", complaint.text);
    if (!code) code = make_whole(run, &scene, restart);
    if (!code && run->exchange->rank == 0) code = checkpoint_try(run->options);
    code = agree(run, code);
    if (!code) code = divide(run);
    else kugel_world_destroy(run->world);
    if (parsed) scene_free(&scene);
    return code;
}

int run_ranks(const options *options, const kugel_exchange *exchange)
{
    rank_run run = {.options = options, .exchange = exchange};
    restart restart = {0};
    char *text = NULL;
    size_t size = 0;
    int code = options->restart ? restart_read(&restart, options) : 0;
    if (!code && options->scene_given) code = load_text(options->scene, &text, &size);
    code = text ? run_text(&run, &restart, text, size, code)
                : run_text(&run, &restart, restart.text, restart.text_size, code);
    restart_free(&restart);
    free(text);
    return code;
}
