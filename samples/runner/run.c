/* Runs a scene: create the world, open the outputs, step, close the outputs, print the summary. */
#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <export.h>

#include "arrays.h"
#include "check.h"
#include "live.h"
#include "progress.h"
#include "rows.h"
#include "schedule.h"
#include "timing.h"
#include "viewing.h"

typedef struct runner {
    const options *options;
    const scene *scene;
    const char *text; /* of the scene, stored in the recording */
    size_t text_size;
    kugel_world *world;
    double start_energy; /* J */
    exporter csv, export, video;
    atomic_file events, record, page;
    event_rows rows; /* of the events */
    viewing viewing;
    int why;      /* errno of the recording's failed write */
    bool started; /* true: the loop has begun */
    schedule beams, impulses;
    checker checker;
} runner;

/* SIGINT, SIGTERM and SIGHUP end the run after the tick. A closed pipe (SIGPIPE) and the file size
 * limit (SIGXFSZ) become write errors. */
enum { PATIENCE = 2 }; /* s */
static volatile sig_atomic_t interrupted;
static time_t interrupted_at; /* s of the monotonic clock */

static void terminate_by(int signal)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t just;
    sigaction(signal, &action, NULL);
    sigemptyset(&just);
    sigaddset(&just, signal);
    raise(signal);
    sigprocmask(SIG_UNBLOCK, &just, NULL); /* blocked inside its own handler */
}

static time_t seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* The first signal ends the run after the tick. A second one after PATIENCE seconds ends it at
 * once; so does any repeated signal when it is not SIGINT. */
static void on_interrupt(int signal)
{
    int before = errno;
    if (!interrupted) interrupted_at = seconds();
    else if (seconds() - interrupted_at >= PATIENCE) terminate_by(signal);
    interrupted = signal;
    if (signal != SIGINT) alarm(PATIENCE);
    errno = before;
}

static void on_alarm(int unused)
{
    (void)unused;
    terminate_by(interrupted);
}

static void watch_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, old;
    for (int k = 0; k < 3; ++k) { /* nohup ignores SIGHUP: keep it ignored */
        if (ends[k] == SIGINT || (sigaction(ends[k], NULL, &old) == 0 && old.sa_handler != SIG_IGN))
            sigaction(ends[k], &action, NULL);
    }
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    action = (struct sigaction){.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

void run_pass_signal(void)
{
    if (interrupted && interrupted != SIGINT) terminate_by(interrupted);
}

/* Print why a call was refused. `where` is the object's key path, so that "def.radius" becomes
 * "bodies[3].radius". An argument as a whole, like "plane" or "dt", has no key. */
static int fail(const runner *r, kugel_status status, const char *where)
{
    const kugel_error *error = kugel_world_last_error(r->world);
    bool resources = status == KUGEL_ERROR_OUT_OF_MEMORY || status == KUGEL_ERROR_IO;
    const char *dot = strchr(error->argument, '.');
    return complain(resources ? EXIT_RESOURCES : EXIT_USAGE, "%s: %s%s: %s", r->options->scene,
                    where, dot ? dot : "",
                    error->message[0] ? error->message : kugel_status_text(status));
}

static int make_world(runner *r)
{
    kugel_world_def def = r->scene->world;
    kugel_error error;
    def.tasks.threads = r->options->threads;
    if (r->options->timing) def.clock = timing_clock();
    def.body_capacity = (uint32_t)arrlenu(r->scene->bodies);
    if (kugel_world_def_check(&def, &error) != KUGEL_OK) {
        const char *dot = strchr(error.argument, '.');
        return complain(EXIT_USAGE, "%s: %s: %s", r->options->scene, dot ? dot + 1 : error.argument,
                        error.message);
    }
    kugel_status status = kugel_world_create(&def, &r->world);
    if (status == KUGEL_OK) return 0;
    return complain(EXIT_RESOURCES, "%s: %s", r->options->scene, kugel_status_text(status));
}

/* Trajectories are exports; events, recording and page are files. */
enum { EXPORTS = 3, FILES = 3 };
static const char *const export_flags[EXPORTS] = {"--csv", "--export", "--video"};
static const char *const file_flags[FILES] = {"--events", "--record", "--view"};

static exporter *export_of(runner *r, int k)
{
    exporter *const exporters[EXPORTS] = {&r->csv, &r->export, &r->video};
    return exporters[k];
}

static atomic_file *file_of(runner *r, int k)
{
    atomic_file *const files[FILES] = {&r->events, &r->record, &r->page};
    return files[k];
}

/* Name of the recording's output in messages. */
static const char *recorded_to(const runner *r)
{
    static char text[256];
    bool record = r->record.file;
    snprintf(text, sizeof text, "%s: %s", record ? "--record" : "--view",
             record ? r->record.name : r->page.name);
    return text;
}

static int open_outputs(runner *r)
{
    const options *o = r->options;
    const char *trajectories[EXPORTS] = {o->csv, o->export, o->video};
    const char *formats[EXPORTS] = {"csv", o->format, "video"};
    const char *files[FILES] = {o->events, o->record, o->view};
    for (int k = 0; k < EXPORTS; ++k) {
        const char *name = trajectories[k];
        if (!name || export_open(export_of(r, k), export_find(formats[k], name), name)) continue;
        return complain(EXIT_RESOURCES, "%s: %s: %s", export_flags[k], name,
                        export_problem(export_of(r, k)));
    }
    for (int k = 0; k < FILES; ++k) {
        if (!files[k] || atomic_file_open(file_of(r, k), files[k])) continue;
        return complain(EXIT_RESOURCES, "%s: %s: %s", file_flags[k], files[k], strerror(errno));
    }
    if (r->page.file && !viewing_open(&r->viewing))
        return complain(EXIT_RESOURCES, "--view: %s: %s", r->page.name, strerror(errno));
    r->rows.to = r->events.file;
    if (r->events.file) fputs(events_head, r->events.file);
    return 0;
}

static bool write_recording(void *user, const void *data, size_t size)
{
    runner *r = user;
    FILE *file = r->record.file;
    bool written = !file || (fwrite(data, 1, size, file) == size && fflush(file) == 0);
    written = written && viewing_take(&r->viewing, data, size);
    if (!written && !r->why) r->why = errno;
    return written;
}

static int recording_failed(const runner *r, kugel_status status)
{
    const char *why = status == KUGEL_ERROR_IO ? strerror(r->why) : kugel_status_text(status);
    return complain(EXIT_RESOURCES, "%s: cannot be written: %s", recorded_to(r), why);
}

static int start_recording(runner *r)
{
    if (!r->options->record && !r->options->view) return 0;
    kugel_recording_def def = kugel_recording_def_default();
    def.write = write_recording;
    def.user = r;
    def.annotation = r->text;
    def.annotation_size = r->text_size;
    def.states = r->options->states && r->options->record; /* a page needs no states */
    def.ring_ticks = r->options->last;
    kugel_status status = kugel_world_recording_start(r->world, &def);
    if (status) return recording_failed(r, status);
    if (!r->options->last) atomic_file_publish(&r->record); /* whole chunks at any time */
    return 0;
}

static int fill_world(runner *r)
{
    const scene *scene = r->scene;
    char where[48];
    for (size_t i = 0; i < arrlenu(scene->planes); ++i) {
        kugel_status status = kugel_world_add_plane(r->world, &scene->planes[i], NULL);
        snprintf(where, sizeof where, "planes[%zu]", i);
        if (status) return fail(r, status, where);
    }
    for (size_t i = 0; i < arrlenu(scene->bodies); ++i) {
        kugel_status status = kugel_body_create(r->world, &scene->bodies[i], NULL);
        scene_body_path(scene, i, where);
        if (status) return fail(r, status, where);
    }
    for (size_t i = 0; i < arrlenu(scene->impulses); ++i) {
        uint32_t body = scene->impulses[i].body;
        if (kugel_world_body(r->world, body)) continue;
        return complain(EXIT_USAGE, "%s: impulses[%zu].body: body %u does not exist",
                        r->options->scene, i, body);
    }
    return 0;
}

static int shoot_beams(runner *r, uint64_t tick)
{
    double time = (double)tick * r->scene->dt;
    for (size_t i; schedule_next(&r->beams, tick, &i);) {
        if (!r->events.file || write_beam(r->events.file, r->scene, r->world, i, tick, time))
            continue;
        return complain(EXIT_RESOURCES, "%s: beams[%zu]: out of memory", r->options->scene, i);
    }
    return 0;
}

static int apply_impulses(runner *r, uint64_t tick)
{
    bool pushed = false;
    for (size_t i; schedule_next(&r->impulses, tick, &i); pushed = true) {
        const impulse *push = &r->scene->impulses[i];
        kugel_body body = kugel_world_body(r->world, push->body);
        kugel_status status = kugel_body_apply_impulse(r->world, body, push->impulse);
        char where[48];
        snprintf(where, sizeof where, "impulses[%zu]", i);
        if (status) return fail(r, status, where);
    }
    if (pushed) check_allow(&r->checker, r->world);
    return 0;
}

static int cannot_write(const char *flag, const char *name, const char *why)
{
    return complain(EXIT_RESOURCES, "%s: %s: cannot be written: %s", flag, name, why);
}

static int write_frames(runner *r, uint64_t tick)
{
    double time = (double)tick * r->scene->dt;
    for (int k = 0; k < EXPORTS && tick % r->options->every == 0; ++k) {
        exporter *to = export_of(r, k);
        if (!export_add(to, r->world, tick, time))
            return cannot_write(export_flags[k], to->file.name, export_problem(to));
    }
    return 0;
}

/* Stop at the first write error, not at the end of the run. */
static int check_outputs(runner *r)
{
    kugel_status status = kugel_world_recording_status(r->world);
    if (status) return recording_failed(r, status);
    for (int k = 0; k < FILES; ++k) {
        if (!atomic_file_good(file_of(r, k)))
            return cannot_write(file_flags[k], file_of(r, k)->name, strerror(errno));
    }
    return 0;
}

/* Write rows and check the state after `tick` steps. */
static int write_and_check(runner *r, uint64_t tick)
{
    int code = write_frames(r, tick);
    if (!code) code = check_outputs(r);
    if (code || !r->options->check || check_tick(&r->checker, r->world)) return code;
    return complain(r->checker.complaint.code, "%s: tick %llu: %s", r->options->scene,
                    (unsigned long long)tick, r->checker.complaint.text);
}

static int one_tick(runner *r, uint64_t tick)
{
    int code = shoot_beams(r, tick); /* beams and impulses act on the present state */
    if (!code) code = apply_impulses(r, tick);
    if (code) return code;
    char where[48];
    snprintf(where, sizeof where, "tick %llu", (unsigned long long)tick + 1);
    kugel_status status = kugel_world_step(r->world, r->scene->dt);
    if (status) return fail(r, status, where);
    const step_span step = {tick + 1, (double)tick * r->scene->dt,
                            (double)(tick + 1) * r->scene->dt};
    if (r->events.file && !write_events(&r->rows, r->world, &step))
        return complain(EXIT_RESOURCES, "%s: %s: out of memory", r->options->scene, where);
    return write_and_check(r, tick + 1);
}

static int loop(runner *r)
{
    uint64_t tick = 0, all = r->scene->ticks;
    live live;
    r->started = true;
    check_begin(&r->checker, r->scene, r->world);
    live_begin(&live, r->options, r->scene, r->world);
    progress progress = progress_begin(all, r->options->quiet || live.on);
    int code = write_and_check(r, 0);
    while (tick < all && !interrupted && !code) {
        code = one_tick(r, tick++);
        progress_show(&progress, tick);
        live_show(&live, r->world);
    }
    alarm(0);
    if (!code && !interrupted) code = shoot_beams(r, tick); /* at the last state */
    progress_end(&progress);
    live_end(&live, r->world, code != EXIT_DONE);
    return code;
}

/* Close the recording and write the page. */
static int end_recording(runner *r, bool keep)
{
    if (!r->world || (!r->record.file && !r->page.file)) return EXIT_DONE;
    kugel_status status = KUGEL_OK;
    if (r->options->last && keep) status = kugel_world_recording_dump(r->world, write_recording, r);
    kugel_status stopped = kugel_world_recording_stop(r->world);
    if (!keep) return EXIT_DONE;
    if (status || stopped) return recording_failed(r, status ? status : stopped);
    return r->page.file ? viewing_write(&r->viewing, r->options->scene, &r->page) : EXIT_DONE;
}

/* Close output k, or remove it. */
static int finish(runner *r, int k, bool keep)
{
    exporter *to = k < EXPORTS ? export_of(r, k) : NULL;
    atomic_file *file = to ? &to->file : file_of(r, k - EXPORTS);
    const char *name = file->name, *flag = to ? export_flags[k] : file_flags[k - EXPORTS];
    if (!keep) {
        if (to) export_abandon(to);
        else atomic_file_abandon(file);
        return EXIT_DONE;
    }
    if (to ? export_finish(to) : atomic_file_finish(file)) return EXIT_DONE;
    return cannot_write(flag, name, to ? export_problem(to) : strerror(errno));
}

static bool is_whole(int code) { return code == EXIT_DONE || code == EXIT_INVARIANT; }

/* A failed run keeps the ticks of --last, unless writing the recording failed. */
static bool keeps_last(const runner *r)
{
    return r->options->last && r->started && kugel_world_recording_status(r->world) == KUGEL_OK;
}

/* A violated invariant or an interrupt keeps the files up to that tick. An error removes all but
 * the file of --last. The first error is the run's exit code. */
static int close_outputs(runner *r, int code)
{
    bool keep = is_whole(code), last = keeps_last(r);
    int failed = end_recording(r, keep || last);
    if (failed) keep = last = false;
    viewing_close(&r->viewing);
    for (int k = 0; k < EXPORTS + FILES; ++k) {
        bool recording = k > EXPORTS; /* recording and page follow the events */
        int closed = finish(r, k, keep || (last && recording));
        if (!closed) continue;
        if (!failed) failed = closed;
        keep = false, last = last && !recording;
    }
    return is_whole(code) && failed ? failed : code;
}

static double energy_now(const runner *r, kugel_stats *stats)
{
    kugel_world_stats(r->world, stats);
    return stats->kinetic_energy + stats->potential_energy;
}

/* Programs read these five lines. */
static void print_summary(const runner *r)
{
    kugel_stats stats;
    double end_energy = energy_now(r, &stats);
    printf("bodies %u\n", kugel_world_body_count(r->world));
    printf("ticks %llu\n", (unsigned long long)stats.tick);
    printf("impacts %llu\n", (unsigned long long)stats.impacts_total);
    printf("energy %.17g %.17g\n", r->start_energy, end_energy);
    printf("hash 0x%016llx\n", (unsigned long long)kugel_world_hash(r->world));
}

/* Report exhausted budgets: no row shows them. */
static void report_budgets(const runner *r)
{
    kugel_stats stats;
    kugel_world_stats(r->world, &stats);
    if (!stats.budgets_exhausted) return;
    complain(EXIT_DONE,
             "%s: note: impact budgets of a substep were exhausted %llu times: some impacts had no "
             "bounce, and bodies may overlap; more substeps, a shorter dt or a larger "
             "impact_budget than %d follow more impacts",
             r->options->scene, (unsigned long long)stats.budgets_exhausted,
             r->scene->world.impact_budget);
}

static int prepare(runner *r)
{
    kugel_stats stats;
    int code = make_world(r);
    if (!code) code = open_outputs(r);
    if (!code) code = start_recording(r);
    if (!code) code = fill_world(r);
    if (!code) r->start_energy = energy_now(r, &stats);
    return code;
}

int run_scene(const options *options, const scene *scene, const char *text, size_t size)
{
    runner r = {.options = options, .scene = scene, .text = text, .text_size = size};
    watch_signals();
    r.beams = schedule_make(scene->beams, arrlenu(scene->beams), sizeof *scene->beams);
    r.impulses = schedule_make(scene->impulses, arrlenu(scene->impulses), sizeof *scene->impulses);
    int code = prepare(&r);
    if (!code) code = loop(&r);
    code = close_outputs(&r, code);
    bool ran = r.world && (code == EXIT_DONE || code == EXIT_INVARIANT);
    if (ran) report_budgets(&r);
    if (ran && options->timing) timing_print(stderr, r.world);
    if (ran) print_summary(&r);
    check_end(&r.checker);
    kugel_world_destroy(r.world);
    resting_free(&r.rows.resting);
    schedule_free(&r.beams);
    schedule_free(&r.impulses);
    return code;
}
