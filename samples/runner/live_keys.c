/* See live_keys.h. */
#define _GNU_SOURCE
#include "live_keys.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

#include "signals.h"
#include "wall_clock.h"

enum { SLOWEST = -8, FASTEST = 10 }; /* powers of two of real time */
static const double max_lag = 0.25;  /* s; a slow run makes up for at most this delay */

static struct termios before;
static volatile sig_atomic_t immediate; /* 1: keys arrive without a newline and an echo */

static void restore_mode(void)
{
    if (immediate) tcsetattr(STDIN_FILENO, TCSANOW, &before);
    immediate = 0;
}

static void on_stop(int unused)
{
    int error = errno;
    (void)unused;
    restore_mode();
    raise(SIGSTOP);
    errno = error;
}

static bool enter_mode(void)
{
    if (tcgetattr(STDIN_FILENO, &before) != 0) return false;
    struct termios mode = before;
    mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    mode.c_cc[VMIN] = 0;
    mode.c_cc[VTIME] = 0;
    immediate = tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) == 0;
    return immediate;
}

void live_keys_begin(live_keys *keys, bool wanted, live_colours colours)
{
    *keys = (live_keys){.on = wanted && isatty(STDIN_FILENO), .paced = true, .colours = colours};
    if (!keys->on) return;
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
    sigaction(SIGTSTP, &action, NULL);
    signals_before_end(restore_mode);
}

/* Halves the pace. Full speed becomes the largest power of two below the measured rate. */
static void slow_down(live_keys *keys)
{
    int exponent = 0;
    if (!keys->paced && keys->rate > 0) frexp(keys->rate, &exponent);
    keys->pace = keys->paced ? keys->pace - 1 : exponent - 1;
    if (keys->pace < SLOWEST) keys->pace = SLOWEST;
    if (keys->pace > FASTEST) keys->pace = FASTEST;
    keys->paced = true;
    keys->due = 0;
}

static void speed_up(live_keys *keys)
{
    keys->paced = keys->paced && keys->pace < FASTEST;
    keys->pace += keys->paced;
    keys->due = 0;
}

static bool press(live_keys *keys, char key)
{
    switch (key) {
    case ' ':
        keys->paused = !keys->paused;
        keys->steps = 0;
        keys->begun = 0;
        return true;
    case '.':
        keys->steps += keys->paused;
        keys->paused = true;
        return true;
    case '-':
        return slow_down(keys), true;
    case '+':
    case '=': /* the same key without shift */
        return speed_up(keys), true;
    case 'r':
        keys->paced = true, keys->pace = 0, keys->due = 0;
        return true;
    case 'f':
        keys->paced = false;
        return true;
    case '?':
    case 'h':
        keys->help = !keys->help;
        return true;
    case 'q':
        keys->quit = true;
        return true;
    case 'c':
        keys->colours = (keys->colours + 1) % COLOURS;
        return true;
    }
    return false;
}

bool live_keys_wait(live_keys *keys, double seconds, bool foreground)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    bool reads = keys->on && foreground && (immediate || enter_mode()), changed = false;
    char typed[16];
    int ready = poll(&in, reads, (int)ceil(1e3 * seconds));
    if (ready <= 0 || !reads) return false;
    ssize_t count = read(STDIN_FILENO, typed, sizeof typed);
    for (ssize_t i = 0; i < count; ++i) changed = press(keys, typed[i]) || changed;
    if (count == 0) keys->on = keys->paused = false; /* the terminal is gone */
    return changed;
}

double live_keys_delay(const live_keys *keys)
{
    if (keys->paused && !keys->steps) return INFINITY;
    return keys->paced && !keys->steps ? fmax(keys->due - wall_clock_now(), 0) : 0;
}

void live_keys_tick(live_keys *keys, double dt)
{
    double start = wall_clock_now(), took = start - keys->begun;
    if (keys->begun > 0 && took > 0 && !keys->paused)
        keys->rate = keys->rate > 0 ? 0.9 * keys->rate + 0.1 * dt / took : dt / took;
    keys->begun = start;
    double due = keys->due > 0 ? keys->due : start;
    keys->due = fmax(due, start - max_lag) + ldexp(dt, -keys->pace);
    if (keys->steps) keys->steps -= 1;
}

static void pace_text(const live_keys *keys, char text[LIVE_KEYS_TEXT])
{
    int pace = keys->pace;
    if (keys->paused) snprintf(text, LIVE_KEYS_TEXT, "paused");
    else if (!keys->paced) snprintf(text, LIVE_KEYS_TEXT, "full speed");
    else if (pace < 0) snprintf(text, LIVE_KEYS_TEXT, "1/%d of real time", 1 << -pace);
    else if (pace == 0) snprintf(text, LIVE_KEYS_TEXT, "real time");
    else snprintf(text, LIVE_KEYS_TEXT, "%d x real time", 1 << pace);
}

void live_keys_text(const live_keys *keys, char part[LIVE_KEYS_PARTS][LIVE_KEYS_TEXT])
{
    static const char *const colours[COLOURS] = {"speed", "state", "none"};
    static const struct {
        const char *brief, *full;
    } texts[LIVE_KEYS_PARTS] = {
        [2] = {".: step", ".: one tick, then pause"},
        [3] = {"-: slower", "-: half as fast"},
        [4] = {"+: faster", "+: twice as fast, up to full speed"},
        [5] = {"q: quit", "q: quit after this tick, as Ctrl-C does: files are complete"},
        [6] = {"?: help", "?: end this help"},
        [8] = {"", "r: real time  f: full speed"},
    };
    for (int k = 2; k < LIVE_KEYS_PARTS; ++k)
        snprintf(part[k], LIVE_KEYS_TEXT, "%s",
                 k == 7       ? ""
                 : keys->help ? texts[k].full
                              : texts[k].brief);
    pace_text(keys, part[0]);
    snprintf(part[1], LIVE_KEYS_TEXT, "space: %s", keys->paused ? "go on" : "pause");
    snprintf(part[7], LIVE_KEYS_TEXT, "c: colours (%s)", colours[keys->colours]);
}

void live_keys_end(live_keys *keys)
{
    restore_mode();
    keys->on = false;
}
