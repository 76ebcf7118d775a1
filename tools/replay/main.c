#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay.h"

static const char usage[] =
    "usage: kugel-replay verify FILE [--threads N]   run again, compare every tick: 0 identical, 1 different\n"
    "       kugel-replay info FILE                   what the recording says of itself\n"
    "       kugel-replay diff A B                    first difference of two recordings: 0 none, 1 some\n"
    "       kugel-replay export FILE --format csv|xyz -o OUT\n"
    "       kugel-replay seek FILE TICK              the state after TICK, as rows of the csv\n"
    "FILE and OUT may be - for standard input and output. Exit codes: 0 done, 1 difference, 2 usage or bad\n"
    "input, 4 out of memory or I/O failure.\n";

int complain(int code, const char *format, ...)
{
    va_list args;
    fputs("kugel-replay: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return code;
}

void progress(uint64_t done, uint64_t all)
{
    enum { WIDTH = 40 };
    if (!isatty(STDERR_FILENO) || all == 0) return;
    int filled = (int)(done * WIDTH / all);
    if (done < all && (int)((done - 1) * WIDTH / all) == filled) return;
    fprintf(stderr, "\r[%.*s%.*s] %3d %%", filled, "########################################", WIDTH - filled,
            "........................................", (int)(done * 100 / all));
    if (done >= all) fputs("\r\033[K", stderr);
}

void print_divergence(const kugel_divergence *d, const char *expected, const char *found)
{
    printf("different at tick %llu: ", (unsigned long long)d->tick);
    if (!d->located) {
        printf("state hash 0x%016llx %s, 0x%016llx %s\n", (unsigned long long)d->expected_hash, expected,
               (unsigned long long)d->found_hash, found);
        return;
    }
    if (strcmp(d->field, "body") == 0) {
        printf("body %u exists only %s\n", d->body, d->expected != 0 ? expected : found);
        return;
    }
    printf("body %u, %s, %.17g (0x%016llx) %s, %.17g (0x%016llx) %s\n", d->body, d->field, d->expected,
           (unsigned long long)d->expected_bits, expected, d->found, (unsigned long long)d->found_bits, found);
}

struct options {
    uint32_t threads;
    const char *format, *out;
};

static int parse(int argc, char **argv, struct options *options)
{
    static const struct option longs[] = {{"threads", required_argument, NULL, 't'},
                                          {"format", required_argument, NULL, 'f'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":o:h", longs, NULL)) != -1;) {
        char *end;
        switch (c) {
        case 't':
            options->threads = (uint32_t)strtoul(optarg, &end, 10);
            if (*end || options->threads < 1 || options->threads > 256) {
                return complain(EXIT_USAGE, "--threads: must be 1 ... 256, got '%s'", optarg);
            }
            break;
        case 'f': options->format = optarg; break;
        case 'o': options->out = optarg; break;
        case 'h': fputs(usage, stdout); exit(0);
        case 'v': puts("kugel-replay " KUGEL_VERSION_STRING); exit(0);
        case ':': return complain(EXIT_USAGE, "%s: needs a value", argv[optind - 1]);
        default: return complain(EXIT_USAGE, "%s: unknown option", argv[optind - 1]);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct options options = {.threads = 1};
    int code = parse(argc, argv, &options);
    if (code) return code;
    int n = argc - optind;
    char **args = argv + optind;
    if (n < 1) return complain(EXIT_USAGE, "which command? verify, info, diff, export, seek (--help tells more)");
    const char *command = args[0];
    bool two = strcmp(command, "diff") == 0 || strcmp(command, "seek") == 0;
    bool known = two || strcmp(command, "verify") == 0 || strcmp(command, "info") == 0 || strcmp(command, "export") == 0;
    if (strcmp(command, "view") == 0) return complain(EXIT_USAGE, "view: not available yet");
    if (!known) return complain(EXIT_USAGE, "%s: unknown command; there are verify, info, diff, export, seek", command);
    if (n != (two ? 3 : 2)) return complain(EXIT_USAGE, "%s: takes %d argument%s, got %d", command, two ? 2 : 1, two ? "s" : "", n - 1);
    switch (command[0]) {
    case 'v': return command_verify(args[1], options.threads);
    case 'i': return command_info(args[1]);
    case 'd': return command_diff(args[1], args[2]);
    case 'e': return command_export(args[1], options.format, options.out);
    default: return command_seek(args[1], args[2]);
    }
}
