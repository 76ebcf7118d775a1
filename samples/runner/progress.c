/* Draws the progress bar, or prints lines of progress. */
#define _GNU_SOURCE
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "wall_clock.h"

enum { WIDTH = 40, STEPS = 200 };

progress progress_begin(const options *options, uint64_t tick, uint64_t all, bool quiet)
{
    bool on = !quiet && all > 0, terminal = isatty(STDERR_FILENO);
    return (progress){.all = all,
                      .drawn = on && terminal ? 0 : -1,
                      .every = on && !terminal ? options->log_every : 0,
                      .time = wall_clock_now(),
                      .tick = tick};
}

static void draw(progress *progress, uint64_t tick)
{
    static const char full[] = "########################################";
    int steps = (int)((double)tick / (double)progress->all * STEPS), filled = steps * WIDTH / STEPS;
    if (steps == progress->drawn) return;
    progress->drawn = steps;
    fprintf(stderr, "\r[%.*s%*s] tick %llu of %llu", filled, full, WIDTH - filled, "",
            (unsigned long long)tick, (unsigned long long)progress->all);
}

/* Rate and time left are those of the ticks since the last line. */
static void print_line(progress *progress, uint64_t tick)
{
    double now = wall_clock_now(), passed = now - progress->time;
    if (passed < progress->every) return;
    double rate = (double)(tick - progress->tick) / passed;
    complain(EXIT_DONE, "tick %llu of %llu, %.4g ticks/s, %.0f s left", (unsigned long long)tick,
             (unsigned long long)progress->all, rate, (double)(progress->all - tick) / rate);
    progress->time = now;
    progress->tick = tick;
}

void progress_show(progress *progress, uint64_t tick)
{
    if (progress->drawn >= 0) draw(progress, tick);
    if (progress->every > 0) print_line(progress, tick);
}

void progress_end(progress *progress)
{
    if (progress->drawn > 0) fputs("\r\033[K", stderr);
    progress->drawn = -1;
    progress->every = 0;
}
