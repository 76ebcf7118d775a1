/* Draws the progress bar. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 40, STEPS = 200 };

progress progress_begin(uint64_t all, bool quiet)
{
    bool on = !quiet && all > 0 && isatty(STDERR_FILENO);
    return (progress){.all = all, .drawn = on ? 0 : -1};
}

void progress_show(progress *progress, uint64_t tick)
{
    static const char full[] = "########################################";
    int steps = (int)((double)tick / (double)progress->all * STEPS), filled = steps * WIDTH / STEPS;
    if (progress->drawn < 0 || steps == progress->drawn) return;
    progress->drawn = steps;
    fprintf(stderr, "\r[%.*s%*s] tick %llu of %llu", filled, full, WIDTH - filled, "",
            (unsigned long long)tick, (unsigned long long)progress->all);
}

void progress_end(progress *progress)
{
    if (progress->drawn > 0) fputs("\r\033[K", stderr);
    progress->drawn = -1;
}
