/* All engines on one scene, alternating in blocks of steps, so that changes of the machine's speed
 * affect all alike. */
#ifndef COURSE_H
#define COURSE_H

#include "bench.h"

enum { BLOCK = 10, BLOCKS_MOST = 64 };

/* One engine in a comparison. */
typedef struct lane {
    const peer *peer;
    void *engine;
    double seconds[BLOCKS_MOST]; /* of a step, in the blocks that count */
    int blocks, steps;
    double all, slowest;  /* s: of all steps; of a step in the slowest block */
    double energy, worst; /* initial energy; deepest overlap so far */
} lane;

typedef struct course {
    const scene *scene;
    lane lanes[PEERS_MOST]; /* kugel's is the first */
    int count;
    double cap; /* s; another engine that has stepped for longer steps no more; 0: none */
    double *x, *v;
} course;

/* Opens kugel, and the other engines if the scene has at most `peers_most` spheres. */
course course_open(const scene *scene, uint32_t peers_most);
/* `counts`: the block counts for the median. */
void course_run_block(course *c, int steps, bool counts);
/* Reads the lane's state. */
quality course_look(course *c, lane *l);
void course_close(course *c);

#endif
