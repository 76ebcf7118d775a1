/* Reads the command line with getopt_long and checks it; the text of --help. */
#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <math.h>
#include <page.h>
#include <stdlib.h>
#include <string.h>

#include <export.h>

#include "builtin.h"
#include "wrong_option.h"

const char usage[] =
    "usage: kugel-run SCENE.json | SAMPLE-NAME | -  [options]\n"
    "       kugel-run --restart FILE@TICK  [options]\n"
    "  --list            list the samples\n"
    "  --ticks N         steps to run            --dt S         tick length, s\n"
    "  --substeps N      substeps a tick         --threads N    1 ... 256; does not change the "
    "result\n"
    "  --seed N          seed of the first generator, N + 1 of the second ...\n"
    "  --checkpoint FILE  a snapshot of the world, in place of the last one, when a signal ends "
    "the run\n"
    "                    and at SIGUSR1; FILE@N: also after each N-th tick\n"
    "  --checkpoint-every S  a checkpoint also every S seconds of wall time\n"
    "  --restart FILE@TICK  go on from tick TICK of a recording; a scene given as well sets what "
    "follows\n"
    "  --restart FILE    go on from a checkpoint; needs the scene\n"
    "  --memory MIB      limit of the world; default none, but for --restart 256 and 256 times the "
    "file\n"
    "  --csv FILE        trajectory: tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n"
    "  --export FILE     --format csv, xyz, npy, vtp, lammps, gsd, contacts, network or png,\n"
    "                    for other programs; or FILE ends in .csv, .xyz, .npy, .pvd, .lammpstrj, "
    ".gsd,\n"
    "                    .contacts.csv, .contacts.pvd (contacts and their lines) or .png (a "
    "picture of\n"
    "                    the last frame)\n"
    "  --video FILE      a video, .mp4, .webm or .gif; needs ffmpeg, as .png does\n"
    "  --camera X,Y,Z    of videos and pictures: direction towards the eye, default "
    "0.36,-0.86,0.36;\n"
    "                    X,Y,Z,TX,TY,TZ: places of the eye and of its target, m\n"
    "  --size WxH        of videos and pictures, pixels, default 960x720\n"
    "  --colours BY      of videos and pictures: id, speed, radius or none\n"
    "  --every K         every K-th tick in --csv, --export and --video\n"
    "  --events FILE     tick,time,kind,a,b,px,py,pz,nx,ny,nz,speed,impulse\n"
    "  --series FILE     a row a tick: energies, momentum, pressures, contacts, sleeping bodies, "
    "impacts\n"
    "  --forces FILE     mean force and torque on each wall and surface over \"accumulate\" "
    "ticks:\n"
    "                    tick,time,target,fx,fy,fz,mx,my,mz,normal,friction,impacts\n"
    "  --record FILE     binary recording for kugel-replay; --no-states stores inputs and "
    "hashes only\n"
    "  --last N          record only the last N to 2 N ticks; written when the run ends, also "
    "after an error\n"
    "  --view PAGE.html  a page that plays the run in a browser, without a server\n"
    "  --check           stop with exit code 3 when an invariant is violated\n"
    "  --live MODE       draw the run in the terminal: on, off, or auto (if standard output is a "
    "terminal);\n"
    "                    in real time; keys: space pauses, . steps, - and + change the pace, q "
    "quits, ? lists all\n"
    "  --timing          time of each stage of the step, on standard error\n"
    "  --log-every S     if standard error is no terminal, a line there every S seconds, default "
    "60,\n"
    "                    0: none\n"
    "  --quiet           no picture, no progress bar, no such lines\n"
    "  --help-scene      every key of a scene\n"
    "  --version\n"
    "FILE may be - for standard output. The last lines on standard output are bodies, ticks, "
    "impacts,\n"
    "energy at the start and at the end, and the state hash. Exit codes: 0 done, 2 usage or bad "
    "input,\n"
    "3 invariant violated, 4 out of memory or I/O failure; 143 ended by SIGTERM, 129 by SIGHUP.\n";

enum {
    TICKS = 256,
    DT,
    SUBSTEPS,
    THREADS,
    SEED,
    RESTART,
    CHECKPOINT,
    MEMORY,
    CSV,
    EVENTS,
    SERIES,
    FORCES,
    RECORD,
    EXPORT,
    FORMAT,
    VIDEO,
    CAMERA,
    SIZE,
    COLOURS_BY,
    VIEW,
    LAST,
    EVERY,
    CHECKPOINT_EVERY,
    LOG_EVERY,
    CHECK,
    QUIET,
    LIVE,
    TIMING,
    NO_STATES,
    LIST,
    HELP_SCENE,
    VERSION
};

static const struct option longs[] = {
    {"ticks", required_argument, NULL, TICKS},
    {"dt", required_argument, NULL, DT},
    {"substeps", required_argument, NULL, SUBSTEPS},
    {"threads", required_argument, NULL, THREADS},
    {"seed", required_argument, NULL, SEED},
    {"restart", required_argument, NULL, RESTART},
    {"checkpoint", required_argument, NULL, CHECKPOINT},
    {"memory", required_argument, NULL, MEMORY},
    {"csv", required_argument, NULL, CSV},
    {"events", required_argument, NULL, EVENTS},
    {"series", required_argument, NULL, SERIES},
    {"forces", required_argument, NULL, FORCES},
    {"record", required_argument, NULL, RECORD},
    {"export", required_argument, NULL, EXPORT},
    {"format", required_argument, NULL, FORMAT},
    {"video", required_argument, NULL, VIDEO},
    {"camera", required_argument, NULL, CAMERA},
    {"size", required_argument, NULL, SIZE},
    {"colours", required_argument, NULL, COLOURS_BY},
    {"view", required_argument, NULL, VIEW},
    {"last", required_argument, NULL, LAST},
    {"every", required_argument, NULL, EVERY},
    {"checkpoint-every", required_argument, NULL, CHECKPOINT_EVERY},
    {"log-every", required_argument, NULL, LOG_EVERY},
    {"check", no_argument, NULL, CHECK},
    {"quiet", no_argument, NULL, QUIET},
    {"live", required_argument, NULL, LIVE},
    {"timing", no_argument, NULL, TIMING},
    {"no-states", no_argument, NULL, NO_STATES},
    {"list", no_argument, NULL, LIST},
    {"help", no_argument, NULL, 'h'},
    {"help-scene", no_argument, NULL, HELP_SCENE},
    {"version", no_argument, NULL, VERSION},
    {NULL, 0, NULL, 0}};

static int get_count(const char *flag, const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    *out = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
    if (end && !*end && !errno && *out >= low && *out <= high) return 0;
    return complain(EXIT_USAGE, "%s: must be a whole number in [%llu, %llu], got '%s'", flag,
                    (unsigned long long)low, (unsigned long long)high, text);
}

static int get_dt(const char *text, double *dt)
{
    char *end;
    *dt = strtod(text, &end);
    if (end != text && !*end && isfinite(*dt) && *dt > 0 && *dt <= LARGEST) return 0;
    if (end != text && !*end && *dt > LARGEST && isfinite(*dt))
        return complain(EXIT_USAGE, "--dt: must be at most %g, got '%s'", LARGEST, text);
    return complain(EXIT_USAGE, "--dt: must be a finite number > 0, got '%s'", text);
}

/* @param zero true: 0 is allowed */
static int get_seconds(const char *flag, const char *text, bool zero, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (end != text && !*end && isfinite(*out) && (*out > 0 || (zero && *out == 0))) return 0;
    return complain(EXIT_USAGE, "%s: must be a number of seconds %s 0, got '%s'", flag,
                    zero ? ">=" : ">", text);
}

static int get_file(const char *flag, const char *text, const char **out)
{
    *out = text;
    return text[0] ? 0 : complain(EXIT_USAGE, "%s: needs a file name", flag);
}

/* Parse FILE@NUMBER; `text` is cut at the @. @param number its name in messages. */
static int get_file_at(const char *flag, const char *number, char *text, uint64_t low,
                       const char **file, uint64_t *out)
{
    char *at = strrchr(text, '@'), what[40];
    if (!at || at == text || !at[1])
        return complain(EXIT_USAGE, "%s: must be FILE@%s, got '%s'", flag, number, text);
    *at = 0;
    *file = text;
    snprintf(what, sizeof what, "%s: %s", flag, number);
    return get_count(what, at + 1, low, 1000000000000, out);
}

/* True of FILE@TICK. True also of FILE@, so that get_file_at refuses it. */
static bool names_tick(const char *text)
{
    const char *at = strrchr(text, '@');
    return at && !at[1 + strspn(at + 1, "0123456789")];
}

/* FILE@TICK of a recording, or FILE of a checkpoint. */
static int get_restart(char *text, options *o)
{
    o->restart_is_recording = !text[0] || names_tick(text);
    if (o->restart_is_recording)
        return get_file_at("--restart", "TICK", text, 0, &o->restart, &o->restart_tick);
    o->restart = text;
    return 0;
}

/* FILE@N, or FILE without an @. */
static int get_checkpoint(char *text, options *o)
{
    int code = strchr(text, '@')
                   ? get_file_at("--checkpoint", "N", text, 1, &o->checkpoint, &o->checkpoint_ticks)
                   : get_file("--checkpoint", text, &o->checkpoint);
    if (!code && atomic_file_is_stdout(o->checkpoint))
        code = complain(EXIT_USAGE, "--checkpoint: cannot go to standard output");
    if (!code && names_tick(o->checkpoint))
        code = complain(EXIT_USAGE, "--checkpoint: %s: --restart would read it as FILE@TICK",
                        o->checkpoint);
    return code;
}

static int get_live(const char *text, live_mode *mode)
{
    static const char *const names[] = {[LIVE_AUTO] = "auto", [LIVE_ON] = "on", [LIVE_OFF] = "off"};
    for (int k = 0; k < 3; ++k) {
        if (strcmp(text, names[k]) != 0) continue;
        *mode = (live_mode)k;
        return 0;
    }
    return complain(EXIT_USAGE, "--live: must be auto, on or off, got '%s'", text);
}

static int get_video(const char *text, options *o)
{
    const export_format *video = export_find("video", text);
    if (atomic_file_is_stdout(text))
        return complain(EXIT_USAGE, "--video: cannot go to standard output");
    if (export_wrong_ending(video, text))
        return complain(EXIT_USAGE, "--video: %s: must end in %s", text,
                        export_wrong_ending(video, text));
    return get_file("--video", text, &o->video);
}

static int get_look(int c, const char *text, options *o)
{
    const char *wanted = c == SIZE     ? picture_look_size(&o->look, text)
                         : c == CAMERA ? picture_look_camera(&o->look, text)
                                       : picture_look_colours(&o->look, text);
    o->look_given = true;
    if (!wanted) return 0;
    return complain(EXIT_USAGE, "--%s: must be %s, got '%s'",
                    c == SIZE     ? "size"
                    : c == CAMERA ? "camera"
                                  : "colours",
                    wanted, text);
}

static int parse_option(int c, options *o, command *command)
{
    uint64_t threads, last;
    int code = 0;
    switch (c) {
    case TICKS:
        o->ticks_given = true;
        return get_count("--ticks", optarg, 0, 1000000000000, &o->ticks);
    case SUBSTEPS:
        o->substeps_given = true;
        return get_count("--substeps", optarg, 0, 1000, &o->substeps);
    case SEED:
        o->seed_given = true;
        return get_count("--seed", optarg, 0, UINT64_MAX, &o->seed);
    case EVERY:
        return get_count("--every", optarg, 1, 1000000000000, &o->every);
    case DT:
        o->dt_given = true;
        return get_dt(optarg, &o->dt);
    case THREADS:
        code = get_count("--threads", optarg, 1, 256, &threads);
        o->threads = (uint32_t)threads;
        return code;
    case LAST:
        code = get_count("--last", optarg, 1, 1000000000, &last);
        o->last = (uint32_t)last;
        return code;
    case RESTART:
        return get_restart(optarg, o);
    case CHECKPOINT:
        return get_checkpoint(optarg, o);
    case CHECKPOINT_EVERY:
        return get_seconds("--checkpoint-every", optarg, false, &o->checkpoint_every);
    case LOG_EVERY:
        return get_seconds("--log-every", optarg, true, &o->log_every);
    case MEMORY:
        return get_count("--memory", optarg, 1, 1 << 30, &o->memory);
    case CSV:
        return get_file("--csv", optarg, &o->csv);
    case EVENTS:
        return get_file("--events", optarg, &o->events);
    case SERIES:
        return get_file("--series", optarg, &o->series);
    case FORCES:
        return get_file("--forces", optarg, &o->forces);
    case RECORD:
        return get_file("--record", optarg, &o->record);
    case EXPORT:
        return get_file("--export", optarg, &o->export);
    case FORMAT:
        o->format = optarg;
        return 0;
    case VIDEO:
        return get_video(optarg, o);
    case CAMERA:
    case SIZE:
    case COLOURS_BY:
        return get_look(c, optarg, o);
    case VIEW:
        if (!view_available()) {
            return complain(EXIT_USAGE, "--view: this program was built without the viewer, "
                                        "which needs clang, lld and wasi-libc");
        }
        return get_file("--view", optarg, &o->view);
    case CHECK:
        o->check = true;
        return 0;
    case QUIET:
        o->quiet = true;
        return 0;
    case LIVE:
        return get_live(optarg, &o->live);
    case TIMING:
        o->timing = true;
        return 0;
    case NO_STATES:
        o->states = false;
        return 0;
    case LIST:
        *command = COMMAND_LIST;
        return 0;
    case HELP_SCENE:
        *command = COMMAND_HELP_SCENE;
        return 0;
    case VERSION:
        *command = COMMAND_VERSION;
        return 0;
    default:
        *command = COMMAND_HELP;
        return 0;
    }
}

/* The files of a run: outputs, inputs, and standard output, where the summary goes. */
enum { CHECKPOINTS, OUTPUTS = 9, SCENE = OUTPUTS, START, STANDARD_OUTPUT, FILES };
static const char *const file_flags[FILES] = {
    "--checkpoint", "--csv",   "--events", "--series",  "--forces",  "--record",
    "--export",     "--video", "--view",   "the scene", "--restart", "standard output"};

static const char *input_name(const char *name)
{
    return name && strcmp(name, "-") == 0 ? "/dev/stdin" : name;
}

/* The path of file k; NULL if it is not requested. */
static const char *file_name(const options *o, int k)
{
    const char *const outputs[OUTPUTS] = {o->checkpoint, o->csv,    o->events, o->series, o->forces,
                                          o->record,     o->export, o->video,  o->view};
    if (k < OUTPUTS) return outputs[k];
    if (k == START) return input_name(o->restart);
    if (k == STANDARD_OUTPUT) return "/dev/stdout";
    return !o->scene_given || builtin_find(o->scene) ? NULL : input_name(o->scene);
}

/* True of a checkpoint that replaces the checkpoint from which the run starts. */
static bool may_be_same(const options *o, int i, int j)
{
    return i == START && j == CHECKPOINTS && !o->restart_is_recording;
}

/* Refuses two outputs in one file, and an output that would overwrite an input. */
static int check_files(const options *o)
{
    if (o->other_writes) return 0;
    for (int i = 0; i < FILES; ++i) {
        for (int j = 0; j < i; ++j) {
            const char *a = file_name(o, i), *b = file_name(o, j);
            if (!a || !b || may_be_same(o, i, j) || !atomic_file_same(a, b)) continue;
            if (i == STANDARD_OUTPUT && atomic_file_is_stdout(b)) continue;
            return complain(EXIT_USAGE, "%s: %s is %s as well", file_flags[j], b, file_flags[i]);
        }
    }
    return 0;
}

int check_input(const options *o, const char *what, const char *name)
{
    for (int k = 0; k < OUTPUTS && !o->other_writes; ++k) {
        const char *out = file_name(o, k);
        if (out && atomic_file_same(out, name))
            return complain(EXIT_USAGE, "%s: %s is %s as well", file_flags[k], out, what);
    }
    return 0;
}

/* Refuse options whose values come from the file of --restart. */
static int check_restart(const options *o)
{
    if (!o->restart) return 0;
    if (o->scene_given && strcmp(o->scene, "-") == 0 && strcmp(o->restart, "-") == 0)
        return complain(EXIT_USAGE, "--restart: standard input is the scene as well");
    if (!o->seed_given && !o->substeps_given) return 0;
    return complain(EXIT_USAGE, "%s: has no use with --restart, whose file decides",
                    o->seed_given ? "--seed" : "--substeps");
}

const char *standard_output(const options *o)
{
    for (int k = 0; k < OUTPUTS; ++k) {
        if (file_name(o, k) && atomic_file_is_stdout(file_name(o, k))) return file_flags[k];
    }
    return NULL;
}

static int check_export(const options *o)
{
    if (!o->export) return o->format ? complain(EXIT_USAGE, "--format: needs --export FILE") : 0;
    const export_format *format = export_find(o->format, o->export);
    if (!format && o->format)
        return complain(EXIT_USAGE, "--format: must be one of %s, got '%s'", export_names,
                        o->format);
    if (!format)
        return complain(EXIT_USAGE, "--export: %s: needs --format, one of %s", o->export,
                        export_names);
    if (atomic_file_is_stdout(o->export) && !export_streams(format))
        return complain(EXIT_USAGE, "--export: %s cannot go to standard output", o->format);
    const char *endings = export_wrong_ending(format, o->export);
    return endings ? complain(EXIT_USAGE, "--export: %s: must end in %s", o->export, endings) : 0;
}

/* Print notes on options that have no effect without an output. */
static void note_unused(const options *o)
{
    if (o->every > 1 && !o->csv && !o->export && !o->video)
        complain(EXIT_DONE, "--every: note: has no use without --csv, --export or --video");
    if (o->look_given && !o->export && !o->video)
        complain(EXIT_DONE, "--camera, --size, --colours: note: have no use without --export or "
                            "--video");
    if (!o->states && !o->record)
        complain(EXIT_DONE, "--no-states: note: has no use without --record");
}

options options_default(void)
{
    return (options){.every = 1, .threads = 1, .states = true, .log_every = 60};
}

int parse_options(int argc, char **argv, options *options, command *command)
{
    opterr = 0;
    *command = COMMAND_RUN;
    uint64_t files = 0; /* file options seen so far, a bit each */
    for (int c, k = 0; (c = getopt_long(argc, argv, ":h", longs, &k)) != -1;) {
        char wrong[256];
        if (c == ':') return complain(EXIT_USAGE, "%s: needs a value", argv[optind - 1]);
        if (c == '?') {
            wrong_option(argv, longs, wrong, sizeof wrong);
            return complain(EXIT_USAGE, "%s", wrong);
        }
        if (c >= RESTART && c <= VIEW && files >> (c - RESTART) & 1)
            return complain(EXIT_USAGE, "--%s: is given twice", longs[k].name);
        if (c >= RESTART && c <= VIEW) files |= (uint64_t)1 << (c - RESTART);
        int code = parse_option(c, options, command);
        if (code) return code;
        if (*command != COMMAND_RUN) return 0;
    }
    int given = argc - optind;
    if (given > 1 || (given == 0 && !options->restart)) {
        return complain(EXIT_USAGE,
                        "give one scene file or sample name (--list names the samples)");
    }
    options->scene_given = given;
    options->scene = given ? argv[optind] : options->restart;
    if (options->last && !options->record && !options->view) {
        return complain(EXIT_USAGE, "--last: needs --record or --view");
    }
    if (options->checkpoint_every > 0 && !options->checkpoint)
        return complain(EXIT_USAGE, "--checkpoint-every: needs --checkpoint FILE");
    note_unused(options);
    int code = check_restart(options);
    if (!code) code = check_files(options);
    if (!code) code = check_export(options);
    const char *output = options->live == LIVE_ON ? standard_output(options) : NULL;
    if (!code && output)
        code = complain(EXIT_USAGE, "--live: standard output is used by %s", output);
    return code;
}
