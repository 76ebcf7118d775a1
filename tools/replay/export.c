/* export and seek: states of the played world in other formats, or as csv rows. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <export.h>

#include "replay.h"

/* The time that is written. While all ticks since time 0 have the same length, it is the number of
 * the tick times this length, as kugel-run prints it. Otherwise, also if the recording begins at a
 * later time, it is the time of the world. */
typedef struct tick_clock {
    double dt;   /* s, length of the first tick */
    double time; /* s, of the tick before */
    bool even;   /* all ticks since time 0 have this length */
} tick_clock;

static double time_of(tick_clock *tick_clock, const kugel_world *world, uint64_t tick)
{
    double time = kugel_world_time(world);
    if (tick == 1) tick_clock->dt = time;
    tick_clock->even =
        tick == 0 ? time == 0 : tick_clock->even && tick_clock->time + tick_clock->dt == time;
    tick_clock->time = time;
    return tick_clock->even ? (double)tick * tick_clock->dt : time;
}

static int failed(const char *name, const exporter *e)
{
    const char *shown = atomic_file_is_stdout(name) ? "standard output" : name;
    return complain(EXIT_RESOURCES, "%s: cannot be written: %s", shown, export_problem(e));
}

/* At a signal that ends the program, the program first removes what it has written. A second signal
 * ends it at once. */

static volatile sig_atomic_t pending_signal;

static void on_stop(int signal) { pending_signal = signal; }

static void watch_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_RESTART | SA_RESETHAND}, old;
    for (int k = 0; k < 3; ++k) {
        if (sigaction(ends[k], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ends[k], &action, NULL);
    }
}

/* A recording with a pair filter is read, not played: positions, velocities and spins are the
 * recorded ones. The player only makes the recorded calls, which give time, radii and masses. */
static int add(replay_file *r, exporter *to, uint64_t tick, double time)
{
    kugel_recorded recorded, *state = NULL;
    const kugel_world *world = kugel_player_world(r->player);
    if (r->info.pair_filter && tick > 0) {
        state = &recorded;
        kugel_status status = kugel_player_recorded(r->player, tick, state);
        if (status == KUGEL_ERROR_OUT_OF_MEMORY)
            return complain(EXIT_RESOURCES, "%s: out of memory", r->name);
        if (status || !state->has_state)
            return complain(EXIT_USAGE, "%s: the state of tick %llu is missing", r->name,
                            (unsigned long long)tick);
    }
    if (export_add_recorded(to, world, state, tick, time)) return 0;
    return failed(to->file.name, to);
}

static bool is_periodic(const kugel_world *world)
{
    kugel_world_def def;
    if (kugel_world_get_def(world, &def) != KUGEL_OK) return false;
    for (int axis = 0; axis < 3; ++axis)
        if (def.bounds.faces[2 * axis] == KUGEL_FACE_PERIODIC) return true;
    return false;
}

/* Returns an exit code: 0 if `format` can be written. */
static int prepare(replay_file *r, const export_format *format)
{
    if (!r->info.pair_filter) return 0;
    if (!r->info.states)
        return complain(EXIT_USAGE,
                        "%s: its pair filter is code of the program that recorded it, and it has "
                        "no states that could be written without playing it",
                        r->name);
    if (export_has_contacts(format))
        return complain(EXIT_USAGE,
                        "%s: its pair filter is code of the program that recorded it, and states "
                        "have no contacts",
                        r->name);
    play_without_pair_filter(r);
    if (kugel_player_seek(r->player, 0) != KUGEL_PLAY_TICK) return report_play_error(r);
    if (!is_periodic(kugel_player_world(r->player)) || !export_has_images(format)) return 0;
    return complain(EXIT_USAGE,
                    "%s: its pair filter is code of the program that recorded it, and states have "
                    "no images across periodic faces; use --format csv",
                    r->name);
}

/* @param only NULL, or the only tick to write. */
static int write_all(replay_file *r, exporter *to, uint64_t every, const uint64_t *only)
{
    tick_clock tick_clock = {0};
    uint64_t last = only ? *only : r->info.ticks;
    for (uint64_t tick = 0; tick <= last && !pending_signal; ++tick) {
        if (kugel_player_seek(r->player, tick) != KUGEL_PLAY_TICK) return report_play_error(r);
        const kugel_world *world = kugel_player_world(r->player);
        double time = time_of(&tick_clock, world, tick);
        bool frame = only ? tick == last : tick % every == 0;
        int code = frame ? add(r, to, tick, time) : 0;
        if (code) return code;
        progress(tick, last);
    }
    progress_end();
    return 0;
}

static int find_format(const settings *options, const export_format **format)
{
    if (!options->out) return complain(EXIT_USAGE, "export: needs -o OUT");
    *format = export_find(options->format, options->out);
    if (!*format && options->format)
        return complain(EXIT_USAGE, "--format: must be one of %s, got '%s'", export_names,
                        options->format);
    if (!*format) return complain(EXIT_USAGE, "export: needs --format, one of %s", export_names);
    if (atomic_file_is_stdout(options->out) && !export_streams(*format))
        return complain(EXIT_USAGE, "-o: %s cannot go to standard output", options->format);
    const char *endings = export_wrong_ending(*format, options->out);
    return endings ? complain(EXIT_USAGE, "-o: %s: must end in %s", options->out, endings) : 0;
}

int command_export(const char *file, const settings *options)
{
    const export_format *format = NULL;
    replay_file r;
    exporter to;
    uint64_t only;
    int code = find_format(options, &format);
    if (!code) code = replay_file_open(&r, file, options);
    if (code) return code;
    watch_signals();
    if (options->tick) code = parse_tick(&r, "--tick", options->tick, &only);
    if (!code) code = prepare(&r, format);
    if (code) {
        replay_file_close(&r);
        return code;
    }
    if (!export_open(&to, format, options->out, &options->look)) {
        code = failed(options->out, &to);
    } else {
        code = write_all(&r, &to, options->every, options->tick ? &only : NULL);
        if (!code && r.info.damaged) code = report_if_incomplete(&r);
        if (code || pending_signal) export_abandon(&to);
        else if (!export_finish(&to)) code = failed(options->out, &to);
    }
    replay_file_close(&r);
    if (pending_signal) signal(pending_signal, SIG_DFL), raise(pending_signal);
    return code;
}

/* Run to the tick with a progress bar, and write its state as csv rows. */
static int seek(replay_file *r, uint64_t tick)
{
    tick_clock tick_clock = {0};
    exporter to;
    double time = 0;
    const export_format *csv = export_find("csv", "-");
    int code = prepare(r, csv);
    if (code) return code;
    for (uint64_t t = 0; t <= tick; ++t) {
        if (kugel_player_seek(r->player, t) != KUGEL_PLAY_TICK) return report_play_error(r);
        time = time_of(&tick_clock, kugel_player_world(r->player), t);
        progress(t, tick);
    }
    progress_end();
    if (!export_open(&to, csv, "-", NULL)) return failed("standard output", &to);
    code = add(r, &to, tick, time);
    if (code) return export_abandon(&to), code;
    return export_finish(&to) ? 0 : failed("standard output", &to);
}

int parse_tick(const replay_file *r, const char *flag, const char *text, uint64_t *tick)
{
    char *end;
    errno = 0;
    *tick = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno)
        return complain(EXIT_USAGE, "%s: '%s' is not a tick", flag, text);
    if (*tick <= r->info.ticks) return 0;
    return complain(EXIT_USAGE, "%s: there is no tick %llu, the last is %llu", r->name,
                    (unsigned long long)*tick, (unsigned long long)r->info.ticks);
}

int command_seek(const char *file, const char *text, const settings *options)
{
    replay_file r;
    uint64_t tick;
    int code = replay_file_open(&r, file, options);
    if (code) return code;
    code = parse_tick(&r, "seek", text, &tick);
    if (!code) code = seek(&r, tick);
    replay_file_close(&r);
    return code;
}
