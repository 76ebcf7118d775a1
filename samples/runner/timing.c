/* Prints the step times. */
#define _GNU_SOURCE
#include "timing.h"

#include <time.h>

static uint64_t monotonic(void *unused)
{
    struct timespec t;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

kugel_clock timing_clock(void) { return (kugel_clock){.now = monotonic}; }

void timing_print(FILE *out, const kugel_step_times *times)
{
    const kugel_step_times t = *times;
    const struct {
        const char *name;
        uint64_t ns;
    } rows[] = {{"grid", t.grid},     {"pairs", t.pairs},   {"contact", t.contact},
                {"sweep", t.sweep},   {"impact", t.impact}, {"advance", t.advance},
                {"record", t.record}, {"whole", t.whole}};
    double steps = t.steps ? (double)t.steps : 1, whole = t.whole ? (double)t.whole : 1;
    fprintf(out, "stage     ms a step   share\n");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        double ns = (double)rows[k].ns;
        fprintf(out, "%-8s %10.4f %6.1f %%\n", rows[k].name, ns / steps * 1e-6, 100 * ns / whole);
    }
}
