/* --check: what a right run never does.
 *
 * Escape: the centre of a dynamic body beyond a closed face. Always a violation, as is a value that
 * is not finite. Overlap of two bodies, or of a dynamic body with a wall or plane, in radii of the
 * smaller body: above 1e-5 in a pure hard-sphere scene (slop 0 and bounce_threshold 0) until
 * something comes to rest; with resting contacts above 0.02 + slop, since the solver takes
 * penetration back over some substeps. A scene may begin with overlaps: then they may part first,
 * and count once none is above the tolerance. Energy: above the lowest so far by more than 1e-6
 * (4e-3 with resting contacts) of its scale, the kinetic energy at the start plus what impulses
 * brought plus m g r (g times its scale) of all dynamic bodies. Not judged where it means nothing:
 * with kinematic bodies, with gravity along a periodic axis, and while overlaps of the start part,
 * until none is deeper than 5e-7 (2e-3) radii: their end lifts bodies.
 *
 * Cost O(bodies) a tick, with an own grid: nothing is taken from the engine but states. */
#ifndef RUNNER_CHECK_H
#define RUNNER_CHECK_H

#include "scene.h"

typedef struct checker {
    const scene *scene;
    double energy; /* J, may not be exceeded */
    double scale;  /* J, for the tolerance */
    bool judges_energy;
    bool any_rest;             /* something has come to rest so far */
    bool overlaps_parted;      /* no overlap of the start is left above the tolerance */
    bool deep_overlaps_parted; /* and none that raises the energy when it ends */
    complaint complaint;       /* of the violation */
} checker;

void check_begin(checker *checker, const scene *scene, const kugel_world *world);
/* After an impulse from outside the energy may be what it is now. */
void check_allow(checker *checker, const kugel_world *world);
/* false: an invariant is violated, `complaint` says which. */
bool check_tick(checker *checker, const kugel_world *world);

#endif
