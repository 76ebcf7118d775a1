/* Ends a run by signals: after the tick, or at once if that takes too long. */
#define _GNU_SOURCE
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 2 };                    /* s */
static volatile sig_atomic_t interrupted; /* the last of SIGINT, SIGTERM and SIGHUP; 0: none */
static time_t interrupted_at;             /* s of the monotonic clock */
static void (*before_end)(void);

static void terminate_by(int signal)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t just;
    if (before_end) before_end();
    sigaction(signal, &action, NULL);
    sigemptyset(&just);
    sigaddset(&just, signal);
    raise(signal);
    sigprocmask(SIG_UNBLOCK, &just, NULL); /* blocked inside its own handler */
}

static time_t seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* The first signal ends the run after the tick. A signal PATIENCE seconds later or more ends the
 * program at once. After SIGTERM or SIGHUP an alarm ends the program in PATIENCE seconds. */
static void on_interrupt(int signal)
{
    int before = errno;
    if (!interrupted) interrupted_at = seconds();
    else if (seconds() - interrupted_at >= PATIENCE) terminate_by(signal);
    interrupted = signal;
    if (signal != SIGINT) alarm(PATIENCE);
    errno = before;
}

static void on_alarm(int unused)
{
    (void)unused;
    terminate_by(interrupted);
}

void signals_watch(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, old;
    for (int k = 0; k < 3; ++k) { /* nohup ignores SIGHUP: keep it ignored */
        if (ends[k] == SIGINT || (sigaction(ends[k], NULL, &old) == 0 && old.sa_handler != SIG_IGN))
            sigaction(ends[k], &action, NULL);
    }
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    action = (struct sigaction){.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

bool signals_interrupted(void) { return interrupted; }

void signals_before_end(void (*call)(void)) { before_end = call; }

void signals_stop_waiting(void) { alarm(0); }

void signals_pass(void)
{
    if (interrupted && interrupted != SIGINT) terminate_by(interrupted);
}
