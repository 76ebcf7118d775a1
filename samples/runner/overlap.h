/* The deepest overlap of resting contacts, for a note at the end of a run: bodies in less space
 * than their volume. In: the world at a few ticks of a run. Cost: O(bodies and contacts) each
 * time. */
#ifndef RUNNER_OVERLAP_H
#define RUNNER_OVERLAP_H

#include "scene.h"

/* All zero: none yet. */
typedef struct overlap {
    bool parted;  /* true: an earlier state had no deep overlap, so a later one is not initial */
    double depth; /* in radii of the smaller body; 0: none */
    uint64_t tick;
    uint32_t body;
    kugel_target target;
    uint32_t index; /* id of the other body, or index of the target */
} overlap;

/* Measure the world after `tick` of `all` ticks, if this is one of the ticks to measure: up to 17
 * in a run, evenly spread, with the first and the last. Until a state has no overlap deeper than
 * 0.1 radii, overlaps may stem from the start: they count only at the end of the run. */
void overlap_measure(overlap *deepest, const kugel_world *world, uint64_t tick, uint64_t all);
/* Print a note if the deepest overlap exceeds 0.1 radii, far more than those of bodies that have
 * space. */
void overlap_report(const overlap *deepest, const char *name, const scene *scene);

#endif
