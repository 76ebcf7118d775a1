/* Reads processor, cores and date of this machine; measures its memory bandwidth. */
#define _GNU_SOURCE
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "times.h"

/* "model name : X" of the first core, without quotes, which would break the report. */
static void read_processor(char out[128])
{
    FILE *info = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(out, 128, "unknown processor");
    while (info && fgets(line, sizeof line, info)) {
        char *name = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (!name) continue;
        name[strcspn(name, "\"\\\n")] = 0;
        snprintf(out, 128, "%.120s", name + 2);
        break;
    }
    if (info) fclose(info);
}

static void triad(double *restrict a, const double *restrict b, const double *restrict c, double k,
                  size_t n)
{
    for (size_t i = 0; i < n; ++i) a[i] = b[i] + k * c[i];
}

static double measure_bandwidth(void)
{
    enum { ITEMS = 16 << 20, ROUNDS = 5 };
    double *a = malloc(3 * sizeof *a * ITEMS), best = 0;
    if (!a) return 0;
    for (size_t i = 0; i < 3 * (size_t)ITEMS; ++i) a[i] = 1;
    for (int r = 0; r < ROUNDS; ++r) {
        double start = now();
        triad(a, a + ITEMS, a + 2 * (size_t)ITEMS, 1 + r, ITEMS);
        double rate = 3 * sizeof *a * (double)ITEMS / (now() - start);
        best = rate > best ? rate : best;
    }
    free(a);
    return best;
}

machine machine_measure(void)
{
    static machine m;
    if (m.cores) return m;
    time_t today = time(NULL);
    read_processor(m.processor);
#ifdef __clang__
    snprintf(m.compiler, sizeof m.compiler, "clang %d", __clang_major__);
#else
    snprintf(m.compiler, sizeof m.compiler, "gcc %d", __GNUC__);
#endif
    strftime(m.day, sizeof m.day, "%Y-%m-%d", localtime(&today));
    m.cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    m.bandwidth = measure_bandwidth();
    return m;
}
