/* kugel-run: runs a scene. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrays.h"
#include "builtin.h"
#include "run.h"

static const char usage[] =
    "usage: kugel-run SCENE.json | SAMPLE-NAME | -   [options]\n"
    "  --list            the samples, a line each\n"
    "  --ticks N         steps to run            --dt S         tick length, s\n"
    "  --substeps N      substeps a tick         --threads N    1 ... 256; changes no bit of the result\n"
    "  --seed N          seed of the first generator, N + 1 of the second ...\n"
    "  --csv FILE        trajectory: tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n"
    "  --every K         every K-th tick in --csv\n"
    "  --events FILE     tick,time,kind,a,b,px,py,pz,nx,ny,nz,speed,impulse\n"
    "  --record FILE     binary recording for kugel-replay; --no-states keeps inputs and hashes only\n"
    "  --check           end with exit code 3 when an invariant is violated\n"
    "  --quiet           no progress bar         --help-scene   every key of a scene\n"
    "FILE may be - for standard output. The last lines on standard output are bodies, ticks, impacts, energy\n"
    "at the start and at the end, and the state hash. Exit codes: 0 done, 2 usage or bad input, 3 invariant\n"
    "violated, 4 out of memory or I/O failure.\n";

int complain(int code, const char *format, ...)
{
    va_list args;
    fputs("kugel-run: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return code;
}

/* What the command line changes in the scene. */
typedef struct overrides {
    bool ticks_given, dt_given, substeps_given, seed_given;
    uint64_t ticks, substeps, seed;
    double dt;
} overrides;

static bool whole_number(const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
    char *end;
    if (text[0] < '0' || text[0] > '9') return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return !*end && !errno && *out >= low && *out <= high;
}

enum { TICKS = 256, DT, SUBSTEPS, THREADS, SEED, CSV, EVENTS, RECORD, EVERY, CHECK, QUIET, NO_STATES, LIST, HELP_SCENE, VERSION };
static const struct option longs[] = {
    {"ticks", required_argument, NULL, TICKS},     {"dt", required_argument, NULL, DT},
    {"substeps", required_argument, NULL, SUBSTEPS}, {"threads", required_argument, NULL, THREADS},
    {"seed", required_argument, NULL, SEED},       {"csv", required_argument, NULL, CSV},
    {"events", required_argument, NULL, EVENTS},   {"record", required_argument, NULL, RECORD},
    {"every", required_argument, NULL, EVERY},     {"check", no_argument, NULL, CHECK},
    {"quiet", no_argument, NULL, QUIET},           {"no-states", no_argument, NULL, NO_STATES},
    {"list", no_argument, NULL, LIST},             {"help", no_argument, NULL, 'h'},
    {"help-scene", no_argument, NULL, HELP_SCENE}, {"version", no_argument, NULL, VERSION},
    {NULL, 0, NULL, 0}};

static void print_list(void)
{
    for (const builtin *b = builtins; b->name; ++b) printf("%-16s %s\n", b->name, b->description);
    exit(fflush(stdout) ? EXIT_RESOURCES : EXIT_DONE);
}

static int parse_dt(const char *text, overrides *change)
{
    char *end;
    change->dt = strtod(text, &end);
    change->dt_given = true;
    if (end != text && !*end && isfinite(change->dt) && change->dt > 0) return 0;
    return complain(EXIT_USAGE, "--dt: must be a finite number > 0, got '%s'", text);
}

static int parse_count(const char *name, const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
    if (whole_number(text, low, high, out)) return 0;
    return complain(EXIT_USAGE, "%s: must be a whole number in [%llu, %llu], got '%s'", name, (unsigned long long)low,
                    (unsigned long long)high, text);
}

static int parse_option(int c, options *options, overrides *change)
{
    uint64_t threads;
    int code = 0;
    switch (c) {
    case TICKS: change->ticks_given = true; return parse_count("--ticks", optarg, 0, 1000000000000, &change->ticks);
    case SUBSTEPS: change->substeps_given = true; return parse_count("--substeps", optarg, 1, 1000, &change->substeps);
    case SEED: change->seed_given = true; return parse_count("--seed", optarg, 0, UINT64_MAX, &change->seed);
    case EVERY: return parse_count("--every", optarg, 1, 1000000000000, &options->every);
    case DT: return parse_dt(optarg, change);
    case THREADS:
        code = parse_count("--threads", optarg, 1, 256, &threads);
        options->threads = (uint32_t)threads;
        return code;
    case CSV: options->csv = optarg; return 0;
    case EVENTS: options->events = optarg; return 0;
    case RECORD: options->record = optarg; return 0;
    case CHECK: options->check = true; return 0;
    case QUIET: options->quiet = true; return 0;
    case NO_STATES: options->states = false; return 0;
    case LIST: print_list(); return 0;
    case HELP_SCENE: fputs(scene_help, stdout); exit(0);
    case VERSION: puts("kugel-run " KUGEL_VERSION_STRING); exit(0);
    default: fputs(usage, stdout); exit(0);
    }
}

static int parse(int argc, char **argv, options *options, overrides *change)
{
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", longs, NULL)) != -1;) {
        if (c == ':') return complain(EXIT_USAGE, "%s: needs a value", argv[optind - 1]);
        if (c == '?') return complain(EXIT_USAGE, "%s: unknown option (--help tells all)", argv[optind - 1]);
        int code = parse_option(c, options, change);
        if (code) return code;
    }
    if (argc - optind != 1) return complain(EXIT_USAGE, "give one scene file or sample name (--list names the samples)");
    options->scene = argv[optind];
    int to_stdout = 0;
    const char *outputs[3] = {options->csv, options->events, options->record};
    for (int k = 0; k < 3; ++k) to_stdout += outputs[k] && strcmp(outputs[k], "-") == 0;
    if (to_stdout > 1) return complain(EXIT_USAGE, "-: only one output can go to standard output");
    return 0;
}

/* Edits (Levenshtein 1966) between two short words. */
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    int row[LONGEST + 1], n = (int)strlen(b);
    if (n > LONGEST) return LONGEST;
    for (int j = 0; j <= n; ++j) row[j] = j;
    for (int i = 0; a[i]; ++i) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 1; j <= n; ++j) {
            int change = diagonal + (a[i] != b[j - 1]);
            diagonal = row[j];
            int insert = row[j] + 1, remove = row[j - 1] + 1;
            row[j] = change < insert ? change : insert;
            row[j] = row[j] < remove ? row[j] : remove;
        }
    }
    return row[n];
}

static int no_such_scene(const char *name)
{
    const builtin *nearest = NULL;
    int least = 4;
    for (const builtin *b = builtins; b->name; ++b) {
        int d = distance(name, b->name);
        if (d < least) least = d, nearest = b;
    }
    if (nearest) return complain(EXIT_USAGE, "%s: no such file or sample; did you mean %s?", name, nearest->name);
    return complain(EXIT_USAGE, "%s: no such file or sample (--list names the samples)", name);
}

static int read_all(FILE *file, const char *name, char **text, size_t *size)
{
    size_t room = 1 << 16, used = 0;
    char *data = malloc(room);
    while (data) {
        used += fread(data + used, 1, room - used, file);
        if (used < room) break;
        char *more = realloc(data, room *= 2);
        if (!more) free(data);
        data = more;
    }
    if (!data) return complain(EXIT_RESOURCES, "%s: out of memory", name);
    if (ferror(file)) {
        free(data);
        return complain(EXIT_RESOURCES, "%s: cannot be read: %s", name, strerror(errno));
    }
    *text = data;
    *size = used;
    return 0;
}

/* The scene's text: a file, standard input, or a sample of that name. */
static int load(const char *name, char **text, size_t *size)
{
    for (const builtin *b = builtins; b->name; ++b) {
        if (strcmp(b->name, name) != 0) continue;
        *text = strdup(b->json);
        *size = strlen(b->json);
        return *text ? 0 : complain(EXIT_RESOURCES, "out of memory");
    }
    struct stat info;
    bool standard = strcmp(name, "-") == 0;
    if (!standard && stat(name, &info) != 0 && errno == ENOENT) return no_such_scene(name);
    FILE *file = standard ? stdin : fopen(name, "rb");
    if (!file) return complain(EXIT_USAGE, "%s: cannot be opened: %s", name, strerror(errno));
    int code = read_all(file, name, text, size);
    if (!standard) fclose(file);
    return code;
}

static int run(options *options, const overrides *change)
{
    char *text = NULL;
    size_t size = 0;
    scene scene;
    complaint complaint;
    int code = load(options->scene, &text, &size);
    if (code) return code;
    if (!scene_parse(&scene, text, size, options->scene, &complaint)) {
        free(text);
        return complain(EXIT_USAGE, "%s", complaint.text);
    }
    if (change->ticks_given) scene.ticks = change->ticks;
    if (change->dt_given) scene.dt = change->dt;
    if (change->substeps_given) scene.world.substeps = (int32_t)change->substeps;
    if (change->seed_given) options->seed = &change->seed;
    if (!scene_generate(&scene, options->seed, options->scene, &complaint)) code = complain(EXIT_USAGE, "%s", complaint.text);
    else code = run_scene(options, &scene, options->scene, text, size);
    scene_free(&scene);
    free(text);
    return code;
}

int main(int argc, char **argv)
{
    options options = {.every = 1, .threads = 1, .states = true};
    overrides change = {0};
    int code = parse(argc, argv, &options, &change);
    if (!code) code = run(&options, &change);
    if (fflush(stdout) != 0 && !code) code = complain(EXIT_RESOURCES, "standard output: %s", strerror(errno));
    return code;
}
