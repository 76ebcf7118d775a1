/* --check: tests the invariants of a correct run: no escapes, small overlaps, no gain of energy.
 * The check uses cell lists of its own and reads body states from the engine; distances to surfaces
 * are queries of the engine. Cost O(bodies) a tick; a comparison if no body has moved. */
#ifndef RUNNER_CHECK_H
#define RUNNER_CHECK_H

#include "deepest.h"
#include "scene.h"
#include "sphere_pairs.h"

/* Escape: the centre of a dynamic body is beyond a closed face, or a value is not finite.
 *
 * Overlap of two bodies that interact, or of a dynamic body with a wall, plane or surface, in radii
 * of the smaller body. The limit is 1e-5 in hard-sphere scenes (slop 0, bounce_threshold 0) until a
 * body comes to rest; else 0.02 + slop, because position correction takes several substeps. A body
 * that begins in a deeper overlap is exempt until its overlaps have ended (deepest.h).
 * One-sided meshes are left out, because bodies pass them from behind.
 *
 * Energy: at most its lowest value so far plus a tolerance: 1e-6 of the scale, or 4e-3 with resting
 * contacts. The scale is the initial kinetic energy, plus the kinetic energy after each impulse,
 * plus m g r of all dynamic bodies (g times the body's gravity scale). The energy is not checked
 * with kinematic bodies, moving surfaces, forces, a gravity schedule, emitters, drains, or gravity
 * along a periodic axis. Nor is it checked while initial overlaps that are deeper than half the
 * tolerance, in radii, part, because parting lifts bodies; this lasts no longer than
 * exemptions. */
typedef struct checker {
    const scene *scene;
    double energy;             /* J, the lowest energy since the last check_allow */
    double scale;              /* J, for the tolerance */
    bool begun;                /* true: the first state has set the energy and the scale */
    bool checks_energy;        /* true: nothing in the scene adds energy */
    bool any_rest;             /* true: a body has come to rest */
    exemptions exempt;         /* bodies that began in overlaps */
    bool deep_overlaps_parted; /* true: a state without an overlap that lifts bodies was seen */
    complaint complaint;       /* describes the violation */
    kugel_body_state *bodies; /* by id, as first read; only constant values are used; may be NULL */
    double *radius;           /* of the bodies, m */
    sphere_pairs pairs;       /* of these radii, for overlaps */
    double *columns[2];       /* positions, velocities, spins: [0] last state, [1] buffer */
} checker;

/* The box that closed faces, or walls only, enclose; infinite where such a face is missing. */
typedef struct check_box {
    double min[3], max[3];
} check_box;
check_box check_box_of(const kugel_bounds *bounds, bool walls_only);

/* Accept the present energy, after an external impulse has changed it. */
void check_allow(checker *checker, const kugel_world *world);
/* Call after bodies were made or removed: the next check reads all bodies again. */
void check_forget(checker *checker);
/* Check the present state; the first state sets the limit of the energy. false: `complaint` is set,
 * to a violated invariant or to out of memory. */
bool check_tick(checker *checker, const kugel_world *world);
/* As check_tick, with a message about the scene `name`. @return 0, or an exit code. */
int check_run(checker *checker, const kugel_world *world, const char *name, uint64_t tick);
void check_end(checker *checker);

#endif
