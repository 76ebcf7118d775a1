/* The loop: inputs of the tick, rows, step, rows. */
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "arrays.h"

static volatile sig_atomic_t interrupted;
static void on_interrupt(int signal) { interrupted = signal; }

static bool write_recording(void *user, const void *data, size_t size)
{
    FILE *file = user;
    return fwrite(data, 1, size, file) == size && fflush(file) == 0;
}

static int fail(const runner *r, kugel_status status, const char *where)
{
    const kugel_error *error = kugel_world_last_error(r->world);
    int code = status == KUGEL_ERROR_OUT_OF_MEMORY || status == KUGEL_ERROR_IO ? EXIT_RESOURCES : EXIT_USAGE;
    return complain(code, "%s: %s%s%s: %s", r->name, where, where[0] ? ": " : "", error->argument, error->message);
}

static int make_world(runner *r)
{
    kugel_world_def def = r->scene->world;
    kugel_error error;
    def.tasks.threads = r->options->threads;
    kugel_status status = kugel_world_def_check(&def, &error);
    if (status) return complain(EXIT_USAGE, "%s: %s: %s", r->name, error.argument, error.message);
    status = kugel_world_create(&def, &r->world);
    if (status) return complain(EXIT_RESOURCES, "%s: %s", r->name, kugel_status_text(status));
    return 0;
}

static int start_recording(runner *r)
{
    kugel_recording_def def = kugel_recording_def_default();
    if (!r->options->record) return 0;
    def.write = write_recording;
    def.user = r->record->file;
    def.annotation = r->text;
    def.annotation_size = r->text_size;
    def.states = r->options->states;
    kugel_status status = kugel_world_recording_start(r->world, &def);
    return status ? fail(r, status, "--record") : 0;
}

static int fill_world(runner *r)
{
    const scene *scene = r->scene;
    char where[64];
    for (size_t i = 0; i < arrlenu(scene->planes); ++i) {
        kugel_status status = kugel_world_add_plane(r->world, &scene->planes[i], NULL);
        snprintf(where, sizeof where, "planes[%zu]", i);
        if (status) return fail(r, status, where);
    }
    for (size_t i = 0; i < arrlenu(scene->bodies); ++i) {
        kugel_status status = kugel_body_create(r->world, &scene->bodies[i], NULL);
        snprintf(where, sizeof where, "bodies[%zu]", i);
        if (status) return fail(r, status, where);
    }
    for (size_t i = 0; i < arrlenu(scene->impulses); ++i) {
        if (kugel_world_body(r->world, scene->impulses[i].body)) continue;
        return complain(EXIT_USAGE, "%s: impulses[%zu].body: there is no body %u", r->name, i, scene->impulses[i].body);
    }
    return 0;
}

static int open_outputs(runner *r)
{
    struct {
        output *out;
        const char *name, *option;
    } outputs[3] = {{r->csv, r->options->csv, "--csv"}, {r->events, r->options->events, "--events"},
                    {r->record, r->options->record, "--record"}};
    for (int k = 0; k < 3; ++k) {
        if (!outputs[k].name || output_open(outputs[k].out, outputs[k].name)) continue;
        return complain(EXIT_RESOURCES, "%s: %s: %s", outputs[k].option, outputs[k].name, strerror(errno));
    }
    if (r->csv->file) fputs(csv_head, r->csv->file);
    if (r->events->file) fputs(events_head, r->events->file);
    return 0;
}

static void shoot_beams(const runner *r, uint64_t tick, double time)
{
    for (size_t i = 0; i < arrlenu(r->scene->beams) && r->events->file; ++i) {
        if (r->scene->beams[i].tick == tick) write_beam(r->events->file, r->scene, r->world, i, tick, time);
    }
}

static int apply_impulses(const runner *r, uint64_t tick, bool *pushed)
{
    *pushed = false;
    for (size_t i = 0; i < arrlenu(r->scene->impulses); ++i) {
        const impulse *push = &r->scene->impulses[i];
        if (push->tick != tick) continue;
        kugel_status status = kugel_body_apply_impulse(r->world, kugel_world_body(r->world, push->body), push->impulse);
        if (status) return fail(r, status, "impulses");
        *pushed = true;
    }
    return 0;
}

static void progress(const runner *r, uint64_t tick)
{
    enum { WIDTH = 40 };
    uint64_t all = r->scene->ticks;
    static const char full[] = "########################################", empty[] = "                                        ";
    if (r->options->quiet || !isatty(STDERR_FILENO) || all == 0) return;
    int filled = (int)(tick * WIDTH / all);
    if (tick < all && tick % (all / 200 + 1)) return;
    fprintf(stderr, "\r[%.*s%.*s] tick %llu of %llu", filled, full, WIDTH - filled, empty, (unsigned long long)tick,
            (unsigned long long)all);
    if (tick == all || interrupted) fputs("\r\033[K", stderr);
}

static bool trajectory(runner *r, uint64_t tick, double time)
{
    return !r->csv->file || tick % r->options->every || write_csv(r->csv->file, r->world, tick, time);
}

static int one_tick(runner *r, uint64_t tick, checker *checker)
{
    double dt = r->scene->dt;
    bool pushed;
    shoot_beams(r, tick, (double)tick * dt); /* beams and impulses act on the state as it is */
    int code = apply_impulses(r, tick, &pushed);
    if (code) return code;
    if (pushed && r->options->check) check_allow(checker, r->world);
    kugel_status status = kugel_world_step(r->world, dt);
    if (status) return fail(r, status, "step");
    if (r->events->file) write_events(r->events->file, r->scene, r->world, tick + 1, (double)tick * dt);
    if (!trajectory(r, tick + 1, (double)(tick + 1) * dt)) return complain(EXIT_RESOURCES, "%s: out of memory", r->name);
    if (r->options->record && kugel_world_recording_status(r->world)) {
        return complain(EXIT_RESOURCES, "--record: %s: %s", r->options->record,
                        kugel_status_text(kugel_world_recording_status(r->world)));
    }
    if (!r->options->check || check_tick(checker, r->scene, r->world)) return 0;
    return complain(EXIT_INVARIANT, "%s: tick %llu: %s", r->name, (unsigned long long)(tick + 1), checker->what);
}

static int loop(runner *r)
{
    checker checker;
    int code = 0;
    check_begin(&checker, r->scene, r->world);
    if (r->options->check && !check_tick(&checker, r->scene, r->world)) {
        return complain(EXIT_INVARIANT, "%s: tick 0: %s", r->name, checker.what);
    }
    if (!trajectory(r, 0, 0)) return complain(EXIT_RESOURCES, "%s: out of memory", r->name);
    uint64_t tick = 0;
    for (; tick < r->scene->ticks && !interrupted && !code; ++tick) {
        code = one_tick(r, tick, &checker);
        progress(r, tick + 1);
    }
    if (!code && !interrupted) shoot_beams(r, tick, (double)tick * r->scene->dt); /* at the last state */
    return code;
}

static void summary(const runner *r, double energy)
{
    kugel_stats stats;
    kugel_world_stats(r->world, &stats);
    printf("bodies %u\nticks %llu\nimpacts %llu\nenergy %.17g %.17g\nhash 0x%016llx\n", kugel_world_body_count(r->world),
           (unsigned long long)stats.tick, (unsigned long long)stats.impacts_total, energy,
           stats.kinetic_energy + stats.potential_energy, (unsigned long long)kugel_world_hash(r->world));
}

/* Close what was written. A violated invariant or an interrupt leaves whole files up to that tick; an
 * error leaves none. */
static int close_outputs(runner *r, int code)
{
    output *outputs[3] = {r->csv, r->events, r->record};
    if (r->world && r->record->file && kugel_world_recording_stop(r->world) && !code) {
        code = complain(EXIT_RESOURCES, "--record: %s: cannot be written", r->options->record);
    }
    for (int k = 0; k < 3; ++k) {
        if (code && code != EXIT_INVARIANT) output_abandon(outputs[k]);
        else if (!output_finish(outputs[k])) code = complain(EXIT_RESOURCES, "%s: %s", outputs[k]->name, strerror(errno));
    }
    return code;
}

static int prepare(runner *r)
{
    int code = make_world(r);
    if (!code) code = open_outputs(r);
    if (!code) code = start_recording(r);
    if (!code) code = fill_world(r);
    return code;
}

int run_scene(const options *options, const scene *scene, const char *name, const char *text, size_t size)
{
    output csv = {0}, events = {0}, record = {0};
    runner r = {options, scene, name, text, size, NULL, &csv, &events, &record};
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    int code = prepare(&r);
    if (!code) {
        kugel_stats start;
        kugel_world_stats(r.world, &start);
        code = loop(&r);
        code = close_outputs(&r, code);
        if (!code || code == EXIT_INVARIANT) summary(&r, start.kinetic_energy + start.potential_energy);
    } else {
        close_outputs(&r, code);
    }
    kugel_world_destroy(r.world);
    return code;
}
