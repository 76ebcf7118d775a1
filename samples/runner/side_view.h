/* What of a scene is drawn on a canvas: seen along y with z up where there is gravity, else along
 * -z with y up. The window holds the bodies, and the walls near them; it grows with them, up to a
 * limit, and does not shrink. */
#ifndef RUNNER_SIDE_VIEW_H
#define RUNNER_SIDE_VIEW_H

#include "canvas.h"
#include "scene.h"

typedef struct side_view {
    const scene *scene;
    int right, up, away;    /* axes of the world: 0 x, 1 y, 2 z */
    double towards;         /* 1 or -1: nearer is less of `away`, or more */
    double low[2], high[2]; /* m, of right and up */
    double limit_low[2], limit_high[2];
    double fastest; /* m/s, so far */
} side_view;

/* @param bodies[count] in their first state */
void side_view_begin(side_view *view, const scene *scene, const kugel_body_state *bodies,
                     size_t count);
/* Grow the window until the bodies are in it. */
void side_view_follow(side_view *view, const kugel_body_state *bodies, size_t count);
/* Draw on a canvas of so many columns and at most so many lines; it gets as many as the window
 * needs. false when out of memory. */
bool side_view_draw(side_view *view, const kugel_body_state *bodies, size_t count, int columns,
                    int lines, canvas *canvas);

#endif
