/* The command line of kugel-replay. */
#include <errno.h>
#include <nearest.h>
#include <signal.h>
#include <standard_streams.h>
#include <stdlib.h>
#include <string.h>
#include <wrong_option.h>

#include "replay.h"

static const char usage[] =
    "usage: kugel-replay verify FILE         run again, compare every tick\n"
    "       kugel-replay info FILE           what the recording says of itself; --scene: its "
    "scene alone\n"
    "       kugel-replay play FILE           the run in the terminal; ? lists the keys\n"
    "       kugel-replay diff A B            first difference of two recordings\n"
    "       kugel-replay export FILE --format "
    "csv|xyz|npy|vtp|lammps|gsd|contacts|network|video|png\n"
    "              -o OUT\n"
    "                                        (or OUT ends in .csv, .xyz, .npy, .pvd, .lammpstrj, "
    ".gsd,\n"
    "                                        .contacts.csv, .contacts.pvd, .mp4, .webm, .gif; "
    ".png: a picture\n"
    "                                        of the last frame)\n"
    "       kugel-replay seek FILE TICK      the state after TICK steps, as rows of the csv\n"
    "       kugel-replay view FILE -o PAGE.html     a page that plays it in a browser, alone\n"
    "       kugel-replay rewrite FILE -o OUT        unpacked, for JavaScript, without states\n"
    "  --every K     export every K-th tick\n"
    "  --tick N      export tick N alone, or play from tick N on\n"
    "  --camera X,Y,Z or X,Y,Z,TX,TY,TZ    --size WxH    --colours id|speed|radius|none\n"
    "                of videos and pictures, as kugel-run\n"
    "  --threads N   of the played world, 1 ... 256; changes no bit of the result\n"
    "  --memory MIB  limit of the played world; default 256, and 256 times the file's size\n"
    "  --help        --version\n"
    "FILE and OUT may be - for standard input and output. Exit codes: 0 done, 1 difference found,\n"
    "2 usage or bad input, 4 out of memory or I/O failure.\n";

enum { VERIFY, INFO, DIFF, EXPORT, SEEK, VIEW, REWRITE, PLAY, COMMANDS };
static const struct {
    const char *name;
    int arguments;
} commands[COMMANDS] = {{"verify", 1}, {"info", 1}, {"diff", 2},    {"export", 1},
                        {"seek", 2},   {"view", 1}, {"rewrite", 1}, {"play", 1}};

enum { DONE = -1, GO_ON = -2 };

/* Check that all output was written. */
static int close_stdout(int code)
{
    bool bad = ferror(stdout) != 0;
    bad = fflush(stdout) != 0 || bad;
    if (!bad || code == EXIT_RESOURCES) return code;
    return complain(EXIT_RESOURCES, "standard output: %s", strerror(errno));
}

static int parse_count(const char *flag, const char *text, unsigned long long most, uint64_t *count)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || n < 1 || n > most) {
        return complain(EXIT_USAGE, "%s: must be 1 ... %llu, got '%s'", flag, most, text);
    }
    *count = n;
    return GO_ON;
}

/* @param wanted NULL, or what the option's value must be. */
static int got(const char *flag, const char *wanted)
{
    return wanted ? complain(EXIT_USAGE, "%s: must be %s, got '%s'", flag, wanted, optarg) : GO_ON;
}

static int parse(int argc, char **argv, settings *options)
{
    static const struct option longs[] = {{"threads", required_argument, NULL, 't'},
                                          {"memory", required_argument, NULL, 'm'},
                                          {"format", required_argument, NULL, 'f'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {"every", required_argument, NULL, 'e'},
                                          {"tick", required_argument, NULL, 'k'},
                                          {"camera", required_argument, NULL, 'C'},
                                          {"size", required_argument, NULL, 'S'},
                                          {"colours", required_argument, NULL, 'B'},
                                          {"scene", no_argument, NULL, 's'},
                                          {NULL, 0, NULL, 0}};
    char wrong[256];
    opterr = 0;
    int code = GO_ON;
    for (int c; code == GO_ON && (c = getopt_long(argc, argv, ":o:h", longs, NULL)) != -1;) {
        switch (c) {
        case 't':
            code = parse_count("--threads", optarg, 256, &options->threads);
            break;
        case 'm':
            code = parse_count("--memory", optarg, 1 << 30, &options->memory);
            break;
        case 'f':
            options->format = optarg;
            break;
        case 'e':
            code = parse_count("--every", optarg, 1000000000000, &options->every);
            break;
        case 'k':
            options->tick = optarg;
            break;
        case 's':
            options->scene = true;
            break;
        case 'C':
            code = got("--camera", picture_look_camera(&options->look, optarg));
            break;
        case 'S':
            code = got("--size", picture_look_size(&options->look, optarg));
            break;
        case 'B':
            code = got("--colours", picture_look_colours(&options->look, optarg));
            break;
        case 'o':
            if (options->out) return complain(EXIT_USAGE, "-o: is given twice");
            options->out = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return DONE;
        case 'v':
            puts("kugel-replay " KUGEL_VERSION_STRING);
            return DONE;
        case ':':
            return complain(EXIT_USAGE, "%s: needs a value", argv[optind - 1]);
        default:
            wrong_option(argv, longs, wrong, sizeof wrong);
            return complain(EXIT_USAGE, "%s", wrong);
        }
    }
    return code;
}

static int unknown_command(const char *name, const char *known)
{
    nearest n = nearest_to(name);
    for (int k = 0; k < COMMANDS; ++k) nearest_offer(&n, commands[k].name);
    if (!n.name) return complain(EXIT_USAGE, "%s: unknown command; %s", name, known);
    return complain(EXIT_USAGE, "%s: unknown command; did you mean %s?", name, n.name);
}

static int run(int count, char **args, const settings *options)
{
    const char *known = "there are verify, info, diff, export, seek, view, rewrite, play";
    if (count < 1) return complain(EXIT_USAGE, "which command? %s (--help tells more)", known);
    int which = 0;
    while (which < COMMANDS && strcmp(args[0], commands[which].name) != 0) ++which;
    if (which == COMMANDS) return unknown_command(args[0], known);
    int wanted = commands[which].arguments;
    if (count - 1 != wanted) {
        return complain(EXIT_USAGE, "%s: takes %d argument%s, got %d", args[0], wanted,
                        wanted == 1 ? "" : "s", count - 1);
    }
    if (options->format && which != EXPORT)
        return complain(EXIT_USAGE, "%s: takes no --format", args[0]);
    if (options->every != 1 && which != EXPORT)
        return complain(EXIT_USAGE, "%s: takes no --every", args[0]);
    if (options->scene && which != INFO)
        return complain(EXIT_USAGE, "%s: takes no --scene", args[0]);
    if (options->tick && which != EXPORT && which != PLAY)
        return complain(EXIT_USAGE, "%s: takes no --tick", args[0]);
    if (options->tick && options->every != 1)
        return complain(EXIT_USAGE, "export: takes --tick or --every, not both");
    if (options->out && which != EXPORT && which != VIEW && which != REWRITE)
        return complain(EXIT_USAGE, "%s: takes no -o", args[0]);
    if (options->out &&
        atomic_file_same(options->out, strcmp(args[1], "-") == 0 ? "/dev/stdin" : args[1]))
        return complain(EXIT_USAGE, "-o: %s is the recording as well", options->out);
    switch (which) {
    case VERIFY:
        return command_verify(args[1], options);
    case INFO:
        return command_info(args[1], options);
    case DIFF:
        return command_diff(args[1], args[2], options);
    case EXPORT:
        return command_export(args[1], options);
    case SEEK:
        return command_seek(args[1], args[2], options);
    case VIEW:
        return command_view(args[1], options);
    case PLAY:
        return command_play(args[1], options);
    default:
        return command_rewrite(args[1], options);
    }
}

int main(int argc, char **argv)
{
    settings options = {.threads = 1, .every = 1};
    if (!standard_streams_reserve()) return EXIT_RESOURCES;
    signal(SIGPIPE, SIG_IGN); /* a closed pipe and a file that may not grow are write errors */
    signal(SIGXFSZ, SIG_IGN);
    int code = parse(argc, argv, &options);
    if (code == GO_ON) code = run(argc - optind, argv + optind, &options);
    return close_stdout(code == DONE ? 0 : code);
}
