/* The run as it goes on, drawn in the terminal: a picture of its bodies and a line of numbers,
 * redrawn in place, and left there when the run ends. It only reads the world. Frames are at most
 * 30 a second and take at most about a tenth of the time; the run does not wait for a terminal that
 * takes no more. Every frame leaves the cursor, shown, on the line below: whatever ends the program
 * leaves a usable terminal. */
#ifndef RUNNER_LIVE_H
#define RUNNER_LIVE_H

#include "canvas.h"
#include "run.h"
#include "side_view.h"

typedef struct live {
    bool on;
    bool braille, colour;
    uint64_t ticks;    /* that the run will have */
    int drawn;         /* lines of the last frame, above the cursor; 0: begin where it is */
    int columns, rows; /* of the terminal at that time */
    double next;       /* s of the monotonic clock: no frame before */
    int terminal;      /* file descriptor */
    char *frame;       /* that is on its way: size bytes, of which some are sent; NULL: none */
    size_t size, sent;
    kugel_body_state *bodies; /* [count] */
    uint32_t count;
    canvas canvas;
    side_view view;
} live;

/* Draws the start. `on` says whether it will draw: not where nobody looks, unless it was asked for.
 */
void live_begin(live *live, const options *options, const scene *scene, const kugel_world *world);
/* Draw the state, if it is time. */
void live_show(live *live, const kugel_world *world);
/* The last frame, unless it is `failed`: then what was drawn stays as it is. */
void live_end(live *live, const kugel_world *world, bool failed);

#endif
