/* Ends a run by signals: after the tick, or at once if that takes too long. Notes SIGUSR1. */
#define _GNU_SOURCE
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 2 };                    /* s */
static volatile sig_atomic_t interrupted; /* the last of SIGINT, SIGTERM and SIGHUP; 0: none */
static int ended_by;                      /* the signal that ended the loop; 0: none */
static time_t interrupted_at;             /* s of the monotonic clock */
static volatile sig_atomic_t checkpoint_asked, patient;
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
 * program at once. After SIGTERM or SIGHUP an alarm ends the program in PATIENCE seconds. With
 * checkpoints only a second SIGINT ends the program at once: batch systems repeat SIGTERM. */
static void on_interrupt(int signal)
{
    int before = errno;
    if (!interrupted) interrupted_at = seconds();
    else if ((!patient || signal == SIGINT) && seconds() - interrupted_at >= PATIENCE)
        terminate_by(signal);
    interrupted = signal;
    if (!patient && signal != SIGINT) alarm(PATIENCE);
    errno = before;
}

static void on_alarm(int unused)
{
    (void)unused;
    terminate_by(interrupted);
}

static void on_checkpoint(int unused)
{
    (void)unused;
    checkpoint_asked = true;
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

void signals_watch_checkpoints(void)
{
    struct sigaction action = {.sa_handler = on_checkpoint, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    patient = true;
}

bool signals_interrupted(void) { return interrupted; }

int signals_last(void) { return interrupted; }

bool signals_take_checkpoint(void)
{
    if (!checkpoint_asked) return false;
    checkpoint_asked = false;
    return true;
}

void signals_before_end(void (*call)(void)) { before_end = call; }

void signals_stop_waiting(int end)
{
    alarm(0);
    ended_by = end;
}

void signals_pass(void)
{
    if (ended_by && ended_by != SIGINT) terminate_by(ended_by);
}
