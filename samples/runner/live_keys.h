/* Keys of the terminal view: pause, single steps, pace, colours, help and the end. They delay ticks
 * and change the picture, never the results. Keys are read from standard input while it is a
 * terminal and the program is in its foreground; the terminal's mode is restored when the program
 * stops or ends. */
#ifndef RUNNER_LIVE_KEYS_H
#define RUNNER_LIVE_KEYS_H

#include <stdbool.h>

/* What colours show. */
typedef enum live_colours { COLOURS_SPEED, COLOURS_STATE, COLOURS_NONE, COLOURS } live_colours;

typedef struct live_keys {
    bool on;        /* true: keys are read */
    bool paused;    /* true: ticks run only as single steps */
    unsigned steps; /* single steps that are still to run */
    bool quit;      /* true: the run is to end */
    bool help;      /* true: each key has a line of its own */
    bool paced;     /* true: ticks are delayed; false: full speed */
    int pace;       /* if paced: 2^pace simulated seconds in a second */
    double due;     /* s of the monotonic clock: earliest start of the next tick */
    double rate;    /* simulated seconds in a second, measured; 0: unknown */
    double begun;   /* s of the monotonic clock: start of the last tick; 0: unknown */
    live_colours colours;
} live_keys;

/* In real time, where keys are read. @param wanted false: no keys are read. */
void live_keys_begin(live_keys *keys, bool wanted, live_colours colours);
/* Wait for keys, at most `seconds`, and apply them. Returns true if the picture changes. */
bool live_keys_wait(live_keys *keys, double seconds, bool foreground);
/* Seconds until the next tick may start; infinite while the run is paused. */
double live_keys_delay(const live_keys *keys);
/* Call when a tick of `dt` seconds starts. */
void live_keys_tick(live_keys *keys, double dt);
enum { LIVE_KEYS_PARTS = 9, LIVE_KEYS_TEXT = 80 };
/* Texts of the pace and the keys; the view shows as many parts as fit. */
void live_keys_text(const live_keys *keys, char part[LIVE_KEYS_PARTS][LIVE_KEYS_TEXT]);
void live_keys_end(live_keys *keys);

#endif
