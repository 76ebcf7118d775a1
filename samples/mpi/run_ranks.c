/* Runs a scene over ranks. Rank 0 reads the files, and all ranks get what it has read. Of a gas,
 * which is then divided, each rank makes a share of the bodies; of any other world, all bodies.
 * In: the scene. Out: files and last lines with the numbers of kugel-run, written by rank 0; each
 * rank writes its piece of a frame of a divided world, in formats that have pieces. */
#define _GNU_SOURCE
#include "run_ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "checkpoint.h"
#include "load.h"
#include "make_world.h"
#include "outputs.h"
#include "progress.h"
#include "refusal.h"
#include "share.h"
#include "signals.h"
#include "summary.h"
#include "wall_clock.h"

int check_rank_options(const options *o)
{
    if (o->live == LIVE_ON) return complain(EXIT_USAGE, "--live: not supported over ranks yet");
    if (o->forces) return complain(EXIT_USAGE, "--forces: not supported over ranks yet");
    if (strcmp(o->scene, "-") == 0 || (o->restart && strcmp(o->restart, "-") == 0))
        return complain(EXIT_USAGE, "the scene and what it restarts from must be files: only one "
                                    "rank has standard input");
    return 0;
}

typedef struct rank_run {
    const options *options;
    const scene *scene;
    const kugel_exchange *exchange;
    kugel_world *world; /* of this rank; belongs to `ranks` if that exists */
    kugel_ranks *ranks; /* NULL: not yet created */
    outputs outputs;    /* only of rank 0 */
    acts acts;
    char *folder;    /* into which all ranks write pieces of frames; NULL: whole frames only */
    bool started;    /* true: the loop has begun */
    summary summary; /* of all ranks; the times are the longest, stage by stage */
} rank_run;

static bool is_root(const rank_run *run) { return run->exchange->rank == 0; }

/* Replace the number by the largest one of all ranks. false: the exchange failed. */
static bool find_largest(const rank_run *run, uint64_t *number)
{
    const kugel_exchange *exchange = run->exchange;
    return exchange->reduce(exchange->context, KUGEL_REDUCE_MAX, number, 1) == 0;
}

/* The largest exit code of all ranks. A rank without an error prints a message about the others,
 * because only messages of rank 0 are visible. */
static int agree(const rank_run *run, int own)
{
    uint64_t worst = (uint64_t)own;
    if (!find_largest(run, &worst)) return EXIT_RESOURCES;
    if (worst && !own) complain((int)worst, "%s: another rank cannot run it", run->options->scene);
    return (int)worst;
}

static int fail(const rank_run *run, kugel_status status, uint64_t tick)
{
    char where[48];
    snprintf(where, sizeof where, "tick %llu", (unsigned long long)tick);
    return complain_refused(run->options->scene, run->world, status, where);
}

/* Open the files on rank 0. A recording begins before the bodies are made, as in kugel-run. */
static int open_outputs(rank_run *run, const run_start *start)
{
    int code = is_root(run) ? checkpoint_try(run->options) : 0;
    if (!code && is_root(run)) code = outputs_open(&run->outputs);
    if (!code && is_root(run))
        code = outputs_record(&run->outputs, run->world, start->text, start->text_size);
    return code;
}

/* Let each rank keep a share of the bodies until they are divided. All ranks keep all bodies if
 * acts name bodies, which a rank might lack, or if the world is not a gas. */
static int share_bodies(rank_run *run)
{
    const scene *s = run->scene;
    if (s->world.bounce_threshold != 0 || s->world.growth != 0 || arrlenu(s->impulses) ||
        arrlenu(s->forces) || arrlenu(s->motions))
        return 0;
    kugel_status status = kugel_ranks_share_creation(run->world, run->exchange);
    return status ? complain_refused(run->options->scene, run->world, status, "world") : 0;
}

/* Make the world of the scene or the restart: all bodies, or the share of this rank. */
static int prepare(rank_run *run, scene *scene, restart *restart, const char *text, size_t size)
{
    const options *options = run->options;
    const run_start start = {scene, text, size, restart->snapshot, restart->size, true};
    if (arrlenu(scene->servos))
        return complain(EXIT_USAGE, "%s: servo: not supported over ranks yet", options->scene);
    int code = scene_fill(scene, restart, options);
    run->acts = acts_make(options->scene, scene);
    if (!code) code = make_world(options, &start, &run->world);
    if (!code) code = open_outputs(run, &start);
    if (!code && !start.snapshot) code = share_bodies(run);
    if (!code && !start.snapshot) code = fill_world(options, scene, run->world);
    if (!code) code = acts_begin(&run->acts, run->world);
    if (!code && is_root(run)) outputs_mark(&run->outputs, run->world);
    if (!code) acts_note_late(&run->acts);
    if (!code && is_root(run)) outputs_note_late(&run->outputs, kugel_world_tick(run->world));
    return code;
}

static bool any_output(const options *o)
{
    return o->csv || o->export || o->video || o->record || o->view || o->events || o->series ||
           o->check;
}

/* Let all ranks know the folder for pieces of frames, if the export has one. */
static int share_folder(rank_run *run)
{
    const char *own = is_root(run) ? export_folder(&run->outputs.export) : NULL;
    char *folder = own ? strdup(own) : NULL;
    size_t size = own ? strlen(own) : 0;
    int code = agree(run, own && !folder ? EXIT_RESOURCES : 0);
    if (!code) code = share_bytes(run->exchange, 0, &folder, &size);
    if (!code && size) run->folder = folder;
    else free(folder);
    return code;
}

static bool is_divided(const rank_run *run)
{
    kugel_ranks_counts counts;
    kugel_ranks_get_counts(run->ranks, &counts);
    return !counts.replicated;
}

/* What is written or checked after a tick. */
typedef struct dues {
    bool checkpoint;
    bool whole;  /* something needs all bodies on rank 0 */
    bool pieces; /* each rank writes its piece of a frame */
} dues;

static dues find_dues(const rank_run *run, uint64_t tick, bool first)
{
    const options *o = run->options;
    bool frame = tick % o->every == 0, export = frame && o->export;
    dues due = {.checkpoint = !first && checkpoint_is_due(o, tick)};
    due.whole =
        due.checkpoint || (frame && (o->csv || o->video)) || o->events || o->series || o->check;
    due.pieces = export && run->folder && !due.whole && is_divided(run);
    due.whole = due.whole || (export && !due.pieces);
    return due;
}

static kugel_status gather_due(const rank_run *run, const dues *due)
{
    const options *o = run->options;
    kugel_status status = due->whole ? kugel_ranks_gather(run->ranks) : KUGEL_OK;
    if (!status && (o->events || o->series)) status = kugel_ranks_gather_impacts(run->ranks);
    return status;
}

/* A frame's piece of a rank other than 0. */
static int write_piece(const rank_run *run, const step_span *step)
{
    const options *o = run->options;
    if (export_write_piece(export_find(o->format, o->export), run->folder, run->exchange->rank,
                           run->world, step->tick, step->end))
        return 0;
    return complain(EXIT_RESOURCES, "--export: %s: cannot be written: %s", o->export,
                    strerror(errno));
}

/* Gather, write and check what is due after a tick. @param first true: before the first step. */
static int write_due(rank_run *run, uint64_t tick, bool first)
{
    double dt = run->scene->dt, end = (double)tick * dt,
           start = first ? end : (double)(tick - 1) * dt;
    step_span step = {tick, start, end};
    dues due = find_dues(run, tick, first);
    int code = 0;
    if (!any_output(run->options) && !due.checkpoint) return 0;
    kugel_status status = gather_due(run, &due);
    if (status) return fail(run, status, tick);
    run->outputs.pieces = due.pieces ? run->exchange->count : 0;
    if (is_root(run)) code = outputs_add(&run->outputs, run->world, &step);
    else if (due.pieces) code = write_piece(run, &step);
    if (is_root(run) && !code && due.checkpoint) code = checkpoint_write(run->options, run->world);
    return agree(run, code);
}

/* Run the acts of this tick on all ranks, before the step. If acts are due or forces end, every
 * rank first gets the whole world. At other ticks acts_run only counts acts on removed bodies. */
static int run_acts(rank_run *run, uint64_t tick)
{
    kugel_world *world;
    if (!acts_are_due(&run->acts, tick)) return acts_run(&run->acts, tick);
    kugel_status status = kugel_ranks_edit(run->ranks, &world);
    if (status) return fail(run, status, tick);
    int code = acts_run(&run->acts, tick);
    if (!code && is_root(run)) code = outputs_note_acts(&run->outputs, world, &run->acts);
    return agree(run, code);
}

/* Gather the world and write it on rank 0. */
static int write_checkpoint(const rank_run *run, uint64_t tick)
{
    kugel_status status = kugel_ranks_gather(run->ranks);
    if (status) return fail(run, status, tick);
    return agree(run, is_root(run) ? checkpoint_write(run->options, run->world) : 0);
}

/* Between two ticks, do what signals to any rank and the clock of rank 0 ask for, on all ranks: a
 * checkpoint, or the end. @param last of checkpoint_time_is_due; @param end out: the signal that
 * ends the run; 0: none */
static int heed_signals(const rank_run *run, uint64_t tick, double *last, int *end)
{
    const kugel_exchange *exchange = run->exchange;
    bool due = is_root(run) && checkpoint_time_is_due(run->options, last);
    uint64_t any[2] = {(uint64_t)signals_last(), signals_take_checkpoint() || due};
    if (exchange->reduce(exchange->context, KUGEL_REDUCE_MAX, any, 2)) return EXIT_RESOURCES;
    *end = (int)any[0];
    return run->options->checkpoint && (any[0] || any[1]) ? write_checkpoint(run, tick) : 0;
}

static int loop(rank_run *run)
{
    uint64_t tick = kugel_world_tick(run->world), all = run->scene->ticks;
    int end = 0;
    run->started = true;
    progress progress = progress_begin(run->options, tick, all, run->options->quiet);
    double last = wall_clock_now();
    int code = write_due(run, tick, true);
    while (!code) {
        code = heed_signals(run, tick, &last, &end);
        if (code || end || tick >= all) break;
        if ((code = run_acts(run, tick))) break;
        kugel_status status = kugel_ranks_step(run->ranks, run->scene->dt);
        ++tick;
        code = status ? complain_step(run->options, run->world, status, tick)
                      : write_due(run, tick, false);
        if (!code && is_root(run)) overlap_measure(&run->summary.deepest, run->world, tick, all);
        progress_show(&progress, tick);
    }
    signals_stop_waiting(end);
    progress_end(&progress);
    return code;
}

/* Set the number of bodies, and for each stage the time of its slowest rank. */
static int sum_bodies_and_times(rank_run *run)
{
    const kugel_exchange *exchange = run->exchange;
    summary *s = &run->summary;
    kugel_ranks_counts counts;
    kugel_ranks_get_counts(run->ranks, &counts);
    kugel_world_step_times(run->world, NULL, &s->times);
    s->bodies = counts.replicated && !is_root(run) ? 0 : counts.bodies;
    uint64_t *times = &s->times.steps;
    size_t stages = sizeof s->times / sizeof *times;
    if (exchange->reduce(exchange->context, KUGEL_REDUCE_SUM, &s->bodies, 1) ||
        exchange->reduce(exchange->context, KUGEL_REDUCE_MAX, times, stages))
        return EXIT_RESOURCES;
    return 0;
}

static int summarise(rank_run *run)
{
    kugel_status status = kugel_ranks_world_stats(run->ranks, &run->summary.stats);
    if (!status) status = kugel_ranks_world_energy(run->ranks, &run->summary.end);
    if (!status) status = kugel_ranks_hash(run->ranks, &run->summary.hash);
    return status ? fail(run, status, run->scene->ticks) : sum_bodies_and_times(run);
}

static bool any_sensor(const kugel_world *world)
{
    kugel_surface_def def;
    kugel_body_state state;
    for (uint32_t i = 0, end = kugel_world_surface_end(world); i < end; ++i)
        if (!kugel_surface_get(world, kugel_world_surface(world, i), &def, NULL) && def.sensor)
            return true;
    for (uint32_t id = 0, end = kugel_world_id_end(world); id < end; ++id)
        if (!kugel_body_get(world, kugel_world_body(world, id), &state) && state.sensor)
            return true;
    return false;
}

/* Why a world of several ranks is not divided: kugel/ranks.h. */
static const char *why_replicated(const rank_run *run)
{
    const kugel_stats *stats = &run->summary.stats;
    const kugel_world_def *def = &run->scene->world;
    if (def->bounce_threshold != 0) return "bounce_threshold is not 0";
    if (def->growth != 0) return "its bodies grow";
    if (stats->resting_contacts) return "bodies rest";
    if (stats->asleep) return "bodies are asleep";
    if (any_sensor(run->world)) return "it has sensors";
    return "the state that it goes on from has slow or driven bodies, or forces";
}

static void print_ranks(const rank_run *run)
{
    unsigned count = run->exchange->count;
    if (run->options->quiet) return;
    if (is_divided(run)) complain(EXIT_DONE, "%u rank%s, divided", count, count == 1 ? "" : "s");
    else
        complain(EXIT_DONE, "%u rank%s, replicated because %s: each has the whole world", count,
                 count == 1 ? "" : "s", why_replicated(run));
}

static int run_divided(rank_run *run)
{
    kugel_status status = kugel_ranks_create(run->world, run->exchange, &run->ranks);
    if (status) return complain_refused(run->options->scene, run->world, status, "world");
    status = kugel_ranks_world_stats(run->ranks, &run->summary.stats);
    if (!status) status = kugel_ranks_world_energy(run->ranks, &run->summary.start);
    if (status) return fail(run, status, 0);
    print_ranks(run);
    int code = share_folder(run);
    if (!code) code = loop(run);
    int failed = run_is_whole(code) ? summarise(run) : 0;
    return failed ? failed : code;
}

static int finish(rank_run *run, int code)
{
    if (is_root(run)) code = outputs_close(&run->outputs, run->world, code, run->started);
    code = agree(run, code);
    if (run_is_whole(code) && is_root(run)) summary_print(&run->summary, run->options, &run->acts);
    acts_end(&run->acts);
    free(run->folder);
    if (run->ranks) kugel_ranks_destroy(run->ranks);
    else kugel_world_destroy(run->world);
    return code;
}

static int run_text(rank_run *run, restart *restart, const char *text, size_t size, int code)
{
    scene scene = {0};
    complaint complaint;
    bool parsed = !code && scene_parse(&scene, text, size, run->options->scene, &complaint);
    run->scene = &scene;
    run->outputs = (outputs){.options = run->options, .scene = &scene};
    if (!code && !parsed) code = complain(complaint.code, "%s", complaint.text);
    if (!code) code = prepare(run, &scene, restart, text, size);
    code = agree(run, code);
    if (!code) code = run_divided(run);
    code = finish(run, code);
    if (parsed) scene_free(&scene);
    return code;
}

static int share_file(const void *exchange, int code, char **data, size_t *size)
{
    return share_bytes(exchange, code, data, size);
}

int run_ranks(const options *options, const kugel_exchange *exchange)
{
    load_share(&(load_sharing){exchange->rank == 0, share_file, exchange});
    rank_run run = {.options = options, .exchange = exchange};
    restart restart = {0};
    char *text = NULL;
    size_t size = 0;
    signals_watch();
    if (options->checkpoint) signals_watch_checkpoints();
    int code = options->restart ? restart_read(&restart, options) : 0;
    if (!code && options->scene_given) code = load_text(options->scene, &text, &size);
    code = text ? run_text(&run, &restart, text, size, code)
                : run_text(&run, &restart, restart.text, restart.text_size, code);
    restart_free(&restart);
    free(text);
    return code;
}
