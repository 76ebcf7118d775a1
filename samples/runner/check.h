/* --check: invariants of a correct run: no escapes, small overlaps, no gain of energy.
 * Cost O(bodies) a tick: a step of a gas of 10,000 at packing 0.1, less in other scenes. A tick
 * that changes nothing costs a comparison. It has its own grid and reads only body states from the
 * engine; distances of surfaces are queries of the engine. */
#ifndef RUNNER_CHECK_H
#define RUNNER_CHECK_H

#include "scene.h"

/* Escape: the centre of a dynamic body beyond a closed face, or a value that is not finite.
 *
 * Overlap of two bodies that interact, or of a dynamic body with a wall, plane or surface, in radii
 * of the smaller body. Limit 1e-5 in hard-sphere scenes (slop 0, bounce_threshold 0) until a body
 * comes to rest; else 0.02 + slop, because position correction takes several substeps. Initial
 * overlaps may part first: the limit holds from the tick in which none exceeds it, so never if one
 * stays. One-sided meshes do not count, which bodies pass from behind.
 *
 * Energy: at most its lowest value so far plus 1e-6 (with resting contacts 4e-3) of its scale. The
 * scale is the initial kinetic energy, plus that of impulses, plus m g r of all dynamic bodies (g
 * times the body's gravity scale). Not checked with kinematic bodies or moving surfaces, forces, a
 * gravity schedule, emitters or drains, with gravity along a periodic axis, and while initial
 * overlaps deeper than 5e-7 (2e-3) radii part: that lifts bodies. */
typedef struct checker {
    const scene *scene;
    double energy; /* J, upper limit from now on */
    double scale;  /* J, for the tolerance */
    bool begun;    /* true: the first state has set what follows from it */
    bool checks_energy;
    bool any_rest;             /* true: a body has come to rest */
    bool overlaps_parted;      /* true: no initial overlap is above the tolerance */
    bool deep_overlaps_parted; /* true: and none is deep enough to raise the energy when it ends */
    complaint complaint;       /* describes the violation */
    /* in the order of ids, as they were made: what moves is in the columns; NULL before the first
     * tick */
    kugel_body_state *bodies;
    double *radius;     /* of the bodies, m */
    double *columns[2]; /* positions, velocities, spins: of the last change, to read to */
} checker;

/* Accept the present energy: an external impulse has changed it. */
void check_allow(checker *checker, const kugel_world *world);
/* Bodies were made or removed: read all again. */
void check_forget(checker *checker);
/* Check the present state; the first one gives the limit of the energy. false: an invariant is
 * violated and `complaint` is set. */
bool check_tick(checker *checker, const kugel_world *world);
/* The same for a run: 0, or an exit code after a message about the scene `name`. */
int check_run(checker *checker, const kugel_world *world, const char *name, uint64_t tick);
void check_end(checker *checker);

#endif
