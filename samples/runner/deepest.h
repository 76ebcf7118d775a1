/* The deepest overlap of a state, in radii of the smaller body: of two bodies that interact, or of
 * a dynamic body with a wall, plane or surface. Bodies that begin in an overlap above the limit are
 * exempt, each until its overlaps are within the limit, and for a limited number of ticks.
 * Cost: O(bodies) a state. */
#ifndef RUNNER_DEEPEST_H
#define RUNNER_DEEPEST_H

#include <kugel/kugel.h>

/* Ticks of exemptions for a layer of bodies: a cluster of n has as many layers as the cube root of
 * n. Position correction ends an overlap of 0.9 radii in at most 44 ticks. */
enum { EXEMPT_TICKS = 60 };

typedef struct deepest {
    double depth;        /* radii; 0: none */
    kugel_target target; /* what body a overlaps */
    uint32_t a, b;       /* the body's id; that of the other one, or the target's index */
} deepest;

/* All zero: the first state was not yet searched. */
typedef struct exemptions {
    uint8_t *of;    /* [end], by id; 0: none; malloc'ed */
    uint32_t end;   /* ids of the first state are below */
    uint32_t count; /* exempt bodies */
    uint32_t ticks; /* most of an exemption */
    uint64_t until; /* tick: no exemptions from then on */
    bool begins;    /* true: this is the first state */
    bool reported;
    deepest initial; /* of the first state; depth 0: no overlap was above the limit */
} exemptions;

typedef struct checker checker;
/* Find the deepest overlap of bodies that are not exempt, among the `n` bodies that the checker has
 * read. Bodies that overlap by more than `limit` in the first state become exempt. false: out of
 * memory. */
bool deepest_find(checker *checker, const kugel_world *world, uint32_t n, double limit,
                  deepest *deepest);
/* Print a note on bodies that were exempt in the first state, once. @param name of the scene. */
void deepest_report(checker *checker, const char *name);

#endif
