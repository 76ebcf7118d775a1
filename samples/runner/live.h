/* Draws the running world in the terminal: a picture, a line of numbers and a line of keys, redrawn
 * in place. The world is only read. Cost: at most 30 frames a second and about a tenth of the run
 * time; the run never waits for a slow terminal. Every frame ends with a visible cursor on the line
 * below, so that the terminal stays usable however the program ends. */
#ifndef RUNNER_LIVE_H
#define RUNNER_LIVE_H

#include "canvas.h"
#include "live_keys.h"
#include "side_view.h"

/* What is drawn. */
typedef struct live_source {
    uint64_t ticks; /* of the whole run */
    bool keys;      /* true: standard input may be read for keys, if it is a terminal */
    const ellipsoid *ellipsoids; /* that beams meet */
    size_t ellipsoid_count;
} live_source;

typedef struct live {
    bool on;      /* true: the view is drawn */
    bool braille; /* true: pictures in braille; false: in ASCII */
    live_keys keys;
    double keys_next;  /* s of the monotonic clock: time of the next reading of keys */
    uint64_t ticks;    /* ticks of the whole run */
    int drawn;         /* lines of the last frame above the cursor; 0: draw from the cursor on */
    int columns, rows; /* of the terminal in the last frame */
    double next;       /* s of the monotonic clock: earliest time of the next frame */
    int terminal;      /* file descriptor */
    char *frame;       /* frame that is being sent; NULL: none */
    size_t size, sent; /* bytes of the frame, and how many of them are written */
    kugel_body_state *bodies; /* [capacity] */
    uint32_t count, capacity;
    canvas canvas;
    side_view view;
} live;

/* True if standard output is a terminal that can show the world. */
bool live_is_possible(const kugel_world *world);
/* Draw the first state. Sets `on`, unless memory is short. With keys the run then goes on in real
 * time; without, at full speed. */
void live_begin(live *live, const live_source *source, const kugel_world *world);
/* Wait until the next tick of `dt` seconds may start. false: the user has ended the run. */
bool live_wait(live *live, const kugel_world *world, double dt);
/* Draw the state if the next frame is due. */
void live_show(live *live, const kugel_world *world);
/* Draw the last frame; after a `failed` run the previous one stays. */
void live_end(live *live, const kugel_world *world, bool failed);

#endif
