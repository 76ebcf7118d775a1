/* Pictures on a text screen. A canvas has 2 x 4 dots in each character cell, as braille has. Dot
 * (0, 0) is at the top left; coordinates are in dots, the centre of a dot is at + 0.5. Discs hide
 * what lies behind them; lines lie behind all discs. */
#ifndef RUNNER_CANVAS_H
#define RUNNER_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CANVAS_SPEEDS = 5 };
/* What a dot shows. INK_SPEED is the first of CANVAS_SPEEDS inks, from slow to fast. */
enum { INK_NONE, INK_LINE, INK_STILL, INK_SPEED };

typedef struct canvas {
    int columns, lines; /* cells */
    int width, height;  /* dots */
    float *depth;       /* depth of the visible disc, INFINITY without one; [width * height] */
    uint8_t *ink;       /* [width * height] */
} canvas;

/* Clear the canvas and set its size, at least 1 x 1. false: out of memory, the canvas is freed. */
bool canvas_reset(canvas *canvas, int columns, int lines);
void canvas_free(canvas *canvas);
void canvas_line(canvas *canvas, double x0, double y0, double x1, double y1, bool dashed);
/* Draw a disc; large discs get a dark rim. @param depth of the centre, in dots: smaller values hide
 * larger ones. @param shade share of dots that stay dark, in [0, 1]. */
void canvas_disc(canvas *canvas, double x, double y, double radius, double depth, double shade,
                 uint8_t ink);
/* Print one line of cells, without trailing blanks and newline. @param braille true: braille in
 * UTF-8; false: ASCII. */
void canvas_print(const canvas *canvas, int line, bool braille, bool colour, FILE *to);

#endif
