/* Runs a scene over ranks: each rank reads the scene and makes its world, which is then divided.
 * In: the scene. Out: the last lines of kugel-run, with the same numbers. */
#include "run_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "arrays.h"
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
    } missing[] = {{o->csv, "--csv"},         {o->events, "--events"}, {o->series, "--series"},
                   {o->record, "--record"},   {o->export, "--export"}, {o->video, "--video"},
                   {o->view, "--view"},       {o->check, "--check"},   {o->timing, "--timing"},
                   {o->restart, "--restart"}, {o->live, "--live"}};
    for (size_t k = 0; k < sizeof missing / sizeof *missing; ++k) {
        if (missing[k].given)
            return complain(EXIT_USAGE, "%s: not supported over ranks yet", missing[k].flag);
    }
    if (strcmp(o->scene, "-") == 0)
        return complain(EXIT_USAGE, "the scene must be a file or a sample: only one rank has "
                                    "standard input");
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

/* The whole world of the scene, as on each rank. */
static int make_whole(const options *options, scene *scene, kugel_world **world)
{
    restart none = {0};
    const run_start start = {.scene = scene};
    int code = scene_fill(scene, &none, options);
    if (!code) code = check_acts(options, scene);
    if (!code) code = make_world(options, &start, world);
    return code ? code : fill_world(options, scene, *world);
}

/* The worst exit code of all ranks. A rank that fails alone prints nothing that is seen. */
static int agree(const kugel_exchange *exchange, const options *options, int mine)
{
    uint64_t worst = (uint64_t)mine;
    if (exchange->reduce(exchange->context, KUGEL_REDUCE_MAX, &worst, 1)) return EXIT_RESOURCES;
    if (worst && !mine) complain((int)worst, "%s: another rank cannot run it", options->scene);
    return (int)worst;
}

static double energy_of(const kugel_stats *stats)
{
    return stats->kinetic_energy + stats->potential_energy;
}

static int fail(const options *options, const kugel_ranks *ranks, kugel_status status,
                uint64_t tick)
{
    char where[48];
    snprintf(where, sizeof where, "tick %llu", (unsigned long long)tick);
    return complain_refused(options->scene, kugel_ranks_world(ranks), status, where);
}

static int loop(const options *options, const scene *scene, kugel_ranks *ranks)
{
    int code = 0;
    progress progress = progress_begin(scene->ticks, options->quiet);
    for (uint64_t tick = 1; tick <= scene->ticks && !code; ++tick) {
        kugel_status status = kugel_ranks_step(ranks, scene->dt);
        if (status) code = fail(options, ranks, status, tick);
        progress_show(&progress, tick);
    }
    progress_end(&progress);
    return code;
}

static int run_divided(const options *options, const scene *scene, kugel_ranks *ranks,
                       uint32_t bodies, bool prints)
{
    kugel_stats start, end;
    uint64_t hash;
    kugel_status status = kugel_ranks_world_stats(ranks, &start);
    if (status) return fail(options, ranks, status, 0);
    int code = loop(options, scene, ranks);
    if (code) return code;
    status = kugel_ranks_world_stats(ranks, &end);
    if (!status) status = kugel_ranks_hash(ranks, &hash);
    if (status) return fail(options, ranks, status, scene->ticks);
    if (!prints) return 0;
    summary_notes(options, scene, &end);
    summary_print(bodies, &end, energy_of(&start), energy_of(&end), hash);
    return 0;
}

static int run_scene_text(const options *options, const kugel_exchange *exchange, scene *scene,
                          int code)
{
    kugel_world *world = NULL;
    kugel_ranks *ranks;
    if (!code) code = make_whole(options, scene, &world);
    if ((code = agree(exchange, options, code))) {
        kugel_world_destroy(world);
        return code;
    }
    uint32_t bodies = kugel_world_body_count(world);
    kugel_status status = kugel_ranks_create(world, exchange, &ranks);
    if (status) {
        code = complain_refused(options->scene, world, status, "world");
        kugel_world_destroy(world);
        return code;
    }
    code = run_divided(options, scene, ranks, bodies, exchange->rank == 0);
    kugel_ranks_destroy(ranks);
    return code;
}

int run_ranks(const options *options, const kugel_exchange *exchange)
{
    scene scene = {0};
    complaint complaint;
    char *text = NULL;
    size_t size = 0;
    int code = load_text(options->scene, &text, &size);
    if (!code && !scene_parse(&scene, text, size, options->scene, &complaint))
        code = complain(complaint.code, "%s", complaint.text);
    bool parsed = !code;
    code = run_scene_text(options, exchange, &scene, code);
    if (parsed) scene_free(&scene);
    free(text);
    return code;
}
