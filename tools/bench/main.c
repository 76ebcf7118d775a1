/* The command line, and the list of benchmarks. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "report.h"

static const struct entry {
    const char *name, *about;
    void (*run)(const bench_options *chosen);
    bool on_request; /* true: runs only when requested by name */
} entries[] = {
    {"gas", "elastic spheres in a box, all engines", bench_gas, false},
    {"pile", "a lattice falls into an open box, all engines", bench_pile, false},
    {"mesh", "spheres land on a floor of triangles and on a plane, all engines", bench_mesh, false},
    {"roll", "spheres roll over a flat floor of triangles: hops and errors of speed", bench_roll,
     false},
    {"hills", "spheres fall on uneven ground of triangles, all engines", bench_hills, false},
    {"level", "spheres fall into a bowl with a lift and a paddle, all engines", bench_level, false},
    {"small", "worlds of 1 to 500 spheres, all engines", bench_small, false},
    {"bullets", "fast small spheres into a lattice: first hits right and missed", bench_bullets,
     false},
    {"headon", "pairs of fast spheres collide", bench_headon, false},
    {"query", "rays, casts and overlaps", bench_queries, false},
    {"create", "create bodies, first step, destroy", bench_create, false},
    {"read", "read all bodies after a step", bench_reads, false},
    {"snapshot", "save and restore, recording", bench_snapshot, false},
    {"exact", "impacts a second of elastic periodic gases", bench_exact, false},
    {"lattice", "equal speeds on a perfect and on a jittered lattice", bench_lattice, false},
    {"threads", "a gas and a pile with one thread and more", bench_threads, false},
    {"mixed", "piles and gases of unlike spheres, all engines", bench_mixed, true},
    {"size", "the pile from 0.5 m to 0.1 mm, all engines", bench_size, true},
    {"ranks", "a gas and a pile over ranks in this process, and a model of as many machines",
     bench_ranks, true},
    {"solver", "the pile with other substeps and sweeps", bench_solver, true},
    {"surfaces", "many surfaces: add, restore, remove", bench_surfaces, true},
    {"rest", "one ball beside bodies that sleep or are static", bench_rest, true},
    {"awake", "many awake bodies beside bodies that sleep", bench_awake, true},
    {"local", "a scene alone and beside another one", bench_local, true},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static const char usage[] =
    "usage: kugel-bench [options]\n"
    "  --list            list the benchmarks\n"
    "  --only SCENE      run only this one\n"
    "  --quick           short runs, under a minute\n"
    "  --large           also gas and pile with 100,000 and 1,000,000 spheres, exact with "
    "1,000,000,\n"
    "                    and mixed with 100,000\n"
    "  --size N          only this number of spheres, 10 to 10,000,000\n"
    "  --peers N         other engines run scenes of up to N spheres (default: 20,000)\n"
    "  --cap S           mixed, size: another engine stops a scene after S seconds of stepping\n"
    "                    (default: 60; 0: never)\n"
    "  --mix NAME        mixed: only this pile, such as 'two 1:10', 'power 1:20', 'log 1:100';\n"
    "                    'gas': only the gases\n"
    "  --without ENGINE  leave out Bullet or ODE (not in query)\n"
    "  --per-tick X      exact: ticks of X impacts a sphere (default: 0.5, 1 and 2)\n"
    "  --eta X           exact: only this packing fraction\n"
    "  --latency US      ranks: of a message, in microseconds (default: 2)\n"
    "  --bandwidth GB    ranks: of a machine's link, in GB a second (default: 10)\n"
    "  --json FILE       also write the results as JSON\n"
    "  --markdown FILE   also write the tables as a page; of a page that is there, replace the\n"
    "                    sections of the scenes that run\n"
    "Times are medians, with minimum and spread (distance of the quartiles over the median).\n"
    "Engines alternate in blocks of steps. Whole run: mean of all steps; slowest ten: mean of\n"
    "the slowest block of ten. Depths are overlaps in radii.";

typedef struct files {
    const char *json, *markdown;
} files;

static int wrong(const char *option, const char *text, const char *needs)
{
    fprintf(stderr, "kugel-bench: --%s: must be %s, got '%s'\n", option, needs, text);
    return 2;
}

static int parse_count(const char *option, const char *text, uint32_t low, uint32_t *out)
{
    char *end = NULL;
    unsigned long value = strtoul(text, &end, 10);
    *out = (uint32_t)value;
    bool good = text[0] >= '0' && text[0] <= '9' && !*end && value >= low && value <= 10000000;
    return good ? 0
                : wrong(option, text,
                        low ? "a number from 10 to 10000000" : "a number up to 10000000");
}

static int parse_real(const char *option, const char *text, double low, double high, double *out)
{
    char *end = NULL, needs[64];
    *out = strtod(text, &end);
    snprintf(needs, sizeof needs, "a number from %g to %g", low, high);
    return end != text && !*end && *out >= low && *out <= high ? 0 : wrong(option, text, needs);
}

static int find_entry(const char *name, const struct entry **only)
{
    for (int k = 0; k < ENTRIES; ++k) {
        if (strcmp(entries[k].name, name) == 0) return *only = &entries[k], 0;
    }
    return wrong("only", name, "one of --list");
}

static void print_list(void)
{
    for (int k = 0; k < ENTRIES; ++k)
        printf("%-10s %s%s\n", entries[k].name, entries[k].about,
               entries[k].on_request ? " (with --only)" : "");
}

static int parse(int argc, char **argv, bench_options *chosen, files *files,
                 const struct entry **only)
{
    enum {
        QUICK = 256,
        LARGE,
        ONLY,
        SIZE,
        PEERS,
        WITHOUT,
        PER_TICK,
        ETA,
        CAP,
        MIX,
        LATENCY,
        BANDWIDTH,
        JSON,
        MARKDOWN,
        LIST
    };
    static const struct option longs[] = {{"quick", no_argument, NULL, QUICK},
                                          {"large", no_argument, NULL, LARGE},
                                          {"only", required_argument, NULL, ONLY},
                                          {"size", required_argument, NULL, SIZE},
                                          {"peers", required_argument, NULL, PEERS},
                                          {"per-tick", required_argument, NULL, PER_TICK},
                                          {"eta", required_argument, NULL, ETA},
                                          {"cap", required_argument, NULL, CAP},
                                          {"mix", required_argument, NULL, MIX},
                                          {"latency", required_argument, NULL, LATENCY},
                                          {"bandwidth", required_argument, NULL, BANDWIDTH},
                                          {"json", required_argument, NULL, JSON},
                                          {"without", required_argument, NULL, WITHOUT},
                                          {"list", no_argument, NULL, LIST},
                                          {"markdown", required_argument, NULL, MARKDOWN},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int code = 0;
    for (int c; !code && (c = getopt_long(argc, argv, "h", longs, NULL)) != -1;) {
        if (c == QUICK) chosen->quick = true;
        else if (c == LARGE) chosen->large = true;
        else if (c == ONLY) code = find_entry(optarg, only);
        else if (c == SIZE) code = parse_count("size", optarg, 10, &chosen->size);
        else if (c == PEERS) code = parse_count("peers", optarg, 0, &chosen->peers);
        else if (c == WITHOUT)
            code = peers_exclude(optarg)
                       ? 0
                       : wrong("without", optarg, "another engine that is built in");
        else if (c == PER_TICK)
            code = parse_real("per-tick", optarg, 0.01, 1000, &chosen->per_tick);
        else if (c == ETA) code = parse_real("eta", optarg, 0.01, 0.6, &chosen->eta);
        else if (c == CAP) code = parse_real("cap", optarg, 0, 1e6, &chosen->cap);
        else if (c == LATENCY) code = parse_real("latency", optarg, 0, 1e6, &chosen->latency);
        else if (c == BANDWIDTH)
            code = parse_real("bandwidth", optarg, 1e-6, 1e6, &chosen->bandwidth);
        else if (c == MIX)
            code = bench_has_mixture(chosen->mix = optarg)
                       ? 0
                       : wrong("mix", optarg, "a pile of 'mixed', such as 'power 1:20'");
        else if (c == JSON) files->json = optarg;
        else if (c == MARKDOWN) files->markdown = optarg;
        else if (c == LIST) print_list(), exit(0);
        else if (c == 'h') puts(usage), exit(0);
        else code = 2; /* getopt has printed the error */
    }
    if (code || optind == argc) return code;
    fprintf(stderr, "kugel-bench: %s: there are no arguments but options (--help lists them)\n",
            argv[optind]);
    return 2;
}

/* The command line as text, for the report. */
static void join(char out[256], int argc, char **argv)
{
    int used = snprintf(out, 256, "kugel-bench");
    for (int k = 1; k < argc && used < 256; ++k) {
        bool file = strcmp(argv[k], "--json") == 0 || strcmp(argv[k], "--markdown") == 0;
        if (file) ++k;
        else used += snprintf(out + used, 256 - (size_t)used, " %s", argv[k]);
    }
}

int main(int argc, char **argv)
{
    bench_options chosen = {.peers = 20000, .cap = 60, .latency = 2, .bandwidth = 10};
    files files = {0};
    const struct entry *only = NULL;
    char command[256];
    int code = parse(argc, argv, &chosen, &files, &only);
    if (code) return code;
    join(command, argc, argv);
    if ((code = report_open(files.json, files.markdown, command))) return code;
    if (!peers[1]) puts("neither Bullet nor ODE is built in: no comparison");
    for (int k = 0; k < ENTRIES; ++k) {
        if (only ? only == &entries[k] : !entries[k].on_request) entries[k].run(&chosen);
    }
    bench_stages(&chosen);
    bool written = report_close();
    if (!written)
        fprintf(stderr, "kugel-bench: a file could not be written: %s\n", strerror(errno));
    if (fflush(stdout) == 0 && !ferror(stdout)) return written ? 0 : 4;
    fprintf(stderr, "kugel-bench: standard output could not be written\n");
    return 4;
}
