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
    double seconds[BLOCKS_MOST]; /* time of a step in each block that counts */
    int blocks, steps;
    double all;     /* s, of all steps */
    double kugel;   /* s, of kugel in the steps that this engine made */
    double slowest; /* s, of a step in the slowest block */
    double energy;  /* J, initial */
    double worst;   /* radii, largest overlap so far */
} lane;

typedef struct course {
    const scene *scene;
    lane lanes[PEERS_MOST]; /* kugel's is the first */
    int count;
    double cap; /* s, after which another engine does not step further; 0: no limit */
    double *x, *v;
} course;

/* Opens kugel, and the other engines if the scene has at most `peers_most` spheres. */
course course_open(const scene *scene, uint32_t peers_most);
/* @param counts true: the block counts for the median. */
void course_run_block(course *c, int steps, bool counts);
/* Reads the state of a lane's engine and measures it. */
quality course_look(course *c, lane *l);
void course_close(course *c);

#endif
