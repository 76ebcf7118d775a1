/* The side view of a world on a canvas. With gravity one looks along y with z up, else along -z
 * with y up. The window holds the bodies and nearby walls; it grows with the bodies up to a limit
 * and never shrinks. */
#ifndef RUNNER_SIDE_VIEW_H
#define RUNNER_SIDE_VIEW_H

#include "canvas.h"
#include "ellipsoid.h"
#include "surface_view.h"

typedef struct side_view {
    kugel_world_def def;         /* of the first state: bounds, gravity */
    const ellipsoid *ellipsoids; /* of the scene, which beams meet; set after side_view_begin */
    size_t ellipsoid_count;
    surface_view surfaces;
    int right, up, away;    /* axes of the world: 0 x, 1 y, 2 z */
    double towards;         /* 1 or -1: distance grows with towards * (coordinate along `away`) */
    double low[2], high[2]; /* m, the window along right and up */
    double limit_low[2], limit_high[2]; /* m, the largest window */
    double fastest;                     /* m/s, largest speed so far */
    bool by_state; /* true: inks show moving, resting or sleeping; false: speeds */
} side_view;

/* @param bodies[count] in their initial state. false: the world is not valid. */
bool side_view_begin(side_view *view, const kugel_world *world, const kugel_body_state *bodies,
                     size_t count);
void side_view_end(side_view *view);
/* Grow the window until it holds the bodies. */
void side_view_follow(side_view *view, const kugel_body_state *bodies, size_t count);
/* Draw on a canvas of `columns` and as many lines as the window needs, at most `lines`. false: out
 * of memory. */
bool side_view_draw(side_view *view, const kugel_world *world, const kugel_body_state *bodies,
                    size_t count, int columns, int lines, canvas *canvas);

#endif
