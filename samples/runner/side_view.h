/* The side view of a world on a canvas: along y with z up if there is gravity, else along -z with y
 * up. The window holds the bodies and nearby walls. It grows with the bodies up to a limit and does
 * not shrink. */
#ifndef RUNNER_SIDE_VIEW_H
#define RUNNER_SIDE_VIEW_H

#include "canvas.h"
#include "scene.h"
#include "surface_view.h"

typedef struct side_view {
    const scene *scene;
    const kugel_world *world;
    surface_view surfaces;
    int right, up, away;    /* axes of the world: 0 x, 1 y, 2 z */
    double towards;         /* 1 or -1: sign of `away` for growing distance */
    double low[2], high[2]; /* m, along right and up */
    double limit_low[2], limit_high[2];
    double fastest; /* m/s, largest speed so far */
    bool by_state;  /* inks show moving, resting and sleeping bodies instead of speeds */
} side_view;

/* @param bodies[count] in their initial state */
void side_view_begin(side_view *view, const scene *scene, const kugel_world *world,
                     const kugel_body_state *bodies, size_t count);
void side_view_end(side_view *view);
/* Grow the window until it holds the bodies. */
void side_view_follow(side_view *view, const kugel_body_state *bodies, size_t count);
/* Draw on a canvas of `columns` and at most `lines` lines, as many as the window needs. false: out
 * of memory. */
bool side_view_draw(side_view *view, const kugel_body_state *bodies, size_t count, int columns,
                    int lines, canvas *canvas);

#endif
