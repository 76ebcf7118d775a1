/* Runs a scene: create the world, open the outputs, step, close the outputs, print the summary. */
#define _GNU_SOURCE
#include "run.h"

#include <string.h>

#include "arrays.h"
#include "checkpoint.h"
#include "live.h"
#include "make_world.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"
#include "refusal.h"
#include "signals.h"
#include "summary.h"
#include "wall_clock.h"

typedef struct runner {
    const options *options;
    const scene *scene;
    const run_start *start;
    kugel_world *world;
    outputs outputs;
    bool started; /* true: the loop has begun */
    acts acts;
    uint64_t first_tick;
    summary summary;
} runner;

/* Apply the acts that are due at this tick, before the step. */
static int run_acts(runner *r, uint64_t tick)
{
    int code = acts_run(&r->acts, tick);
    return code ? code : outputs_note_acts(&r->outputs, r->world, &r->acts);
}

/* With the state after the servos of this tick, which act before the next step. They have acted
 * already where the acts of this tick were cut. */
static int write_checkpoint(const runner *r)
{
    kugel_world *clone = NULL;
    if (!arrlenu(r->scene->servos) || r->acts.cut) return checkpoint_write(r->options, r->world);
    if (kugel_world_clone(r->world, &clone))
        return complain(EXIT_RESOURCES, "--checkpoint: %s: out of memory", r->options->checkpoint);
    int code = acts_drive(&r->acts, clone);
    if (!code) code = checkpoint_write(r->options, clone);
    kugel_world_destroy(clone);
    return code;
}

static int one_tick(runner *r, uint64_t tick)
{
    int code = run_acts(r, tick);
    if (code || r->acts.cut) return code;
    kugel_status status = kugel_world_step(r->world, r->scene->dt);
    if (status) return complain_step(r->options, r->world, status, tick + 1);
    const step_span step = {tick + 1, (double)tick * r->scene->dt,
                            (double)(tick + 1) * r->scene->dt};
    code = outputs_add(&r->outputs, r->world, &step);
    if (!code && checkpoint_is_due(r->options, tick + 1)) code = write_checkpoint(r);
    return code;
}

static bool is_drawn(const runner *r)
{
    const options *o = r->options;
    if (o->live != LIVE_AUTO) return o->live == LIVE_ON;
    return !o->quiet && r->scene->ticks > 0 && !standard_output(o) && live_is_possible(r->world);
}

static int loop(runner *r)
{
    uint64_t tick = r->first_tick, all = r->scene->ticks;
    live live = {.on = false};
    const live_source source = {.ticks = all,
                                .keys = strcmp(r->options->scene, "-") != 0,
                                .ellipsoids = r->scene->ellipsoids,
                                .ellipsoid_count = arrlenu(r->scene->ellipsoids)};
    r->started = true;
    if (is_drawn(r)) live_begin(&live, &source, r->world);
    progress progress = progress_begin(r->options, tick, all, r->options->quiet || live.on);
    double last = wall_clock_now(), time = (double)tick * r->scene->dt;
    int code = outputs_add(&r->outputs, r->world, &(step_span){tick, time, time});
    while (tick < all && !code) {
        if (!live_wait(&live, r->world, r->scene->dt) || signals_interrupted()) break;
        bool due = checkpoint_time_is_due(r->options, &last);
        if (signals_take_checkpoint() || due) code = write_checkpoint(r);
        if (code) break;
        code = one_tick(r, tick++);
        if (!code) overlap_measure(&r->summary.deepest, r->world, tick, all);
        progress_show(&progress, tick);
        live_show(&live, r->world);
    }
    int end = signals_last();
    signals_stop_waiting(end);
    if (!code && r->options->checkpoint && (tick < all || end)) code = write_checkpoint(r);
    progress_end(&progress);
    live_end(&live, r->world, code != EXIT_DONE);
    return code;
}

static int prepare(runner *r)
{
    int code = make_world(r->options, r->start, &r->world);
    if (!code) code = checkpoint_try(r->options);
    if (!code) code = outputs_open(&r->outputs);
    if (!code) code = outputs_record(&r->outputs, r->world, r->start->text, r->start->text_size);
    if (!code && !r->start->snapshot) code = fill_world(r->options, r->start->scene, r->world);
    if (!code) code = acts_begin(&r->acts, r->world);
    if (code) return code;
    acts_note_late(&r->acts);
    outputs_note_late(&r->outputs, kugel_world_tick(r->world));
    outputs_mark(&r->outputs, r->world);
    kugel_world_energy(r->world, &r->summary.start);
    r->first_tick = kugel_world_tick(r->world);
    return code;
}

static void finish(runner *r)
{
    summary *s = &r->summary;
    s->bodies = kugel_world_body_count(r->world);
    kugel_world_stats(r->world, &s->stats);
    kugel_world_energy(r->world, &s->end);
    kugel_world_step_times(r->world, NULL, &s->times);
    s->hash = kugel_world_hash(r->world);
    summary_print(s, r->options, &r->acts);
}

int run_scene(const options *options, const run_start *start)
{
    const scene *scene = start->scene;
    runner r = {.options = options,
                .scene = scene,
                .start = start,
                .outputs = {.options = options, .scene = scene}};
    signals_watch();
    r.acts = acts_make(options->scene, scene);
    if (options->checkpoint) signals_watch_checkpoints();
    else r.acts.ends = signals_interrupted; /* a checkpoint needs all acts of its tick */
    int code = prepare(&r);
    if (!code) code = loop(&r);
    code = outputs_close(&r.outputs, r.world, code, r.started);
    if (r.world && run_is_whole(code)) finish(&r);
    kugel_world_destroy(r.world);
    acts_end(&r.acts);
    return code;
}
