/* Pictures on a text screen: a canvas of dots, 2 x 4 to a character cell as braille has them, about
 * square. Dot (0, 0) is at the top left; places are in dots, a dot's centre is at + 0.5. Discs hide
 * what lies behind them, lines lie behind all discs. */
#ifndef RUNNER_CANVAS_H
#define RUNNER_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CANVAS_SPEEDS = 5 };
/* What a dot shows; from INK_SPEED on, CANVAS_SPEEDS inks from slow to fast. */
enum { INK_NONE, INK_LINE, INK_STILL, INK_SPEED };

typedef struct canvas {
    int columns, lines; /* cells */
    int width, height;  /* dots */
    float *depth;       /* of the disc that is seen there; INFINITY: none. [width * height] */
    uint8_t *ink;       /* [width * height] */
} canvas;

/* Empty it and give it this size, at least 1 x 1. false when out of memory; then it is freed. */
bool canvas_reset(canvas *canvas, int columns, int lines);
void canvas_free(canvas *canvas);
void canvas_line(canvas *canvas, double x0, double y0, double x1, double y1, bool dashed);
/* @param depth of the centre, in dots: what is smaller hides what is larger. @param shade [0, 1]:
 * the part of its dots that stay dark. A dark rim parts it from its neighbours where it is large
 * enough. */
void canvas_disc(canvas *canvas, double x, double y, double radius, double depth, double shade,
                 uint8_t ink);
/* A line of cells as text, without an end and without blanks at its end; in UTF-8 when `braille`,
 * else ASCII. */
void canvas_print(const canvas *canvas, int line, bool braille, bool colour, FILE *to);

#endif
