/* Piles: a jittered lattice of balls dropped into an open box, and what is measured of its fall and
 * rest. */
#ifndef SUPPORT_PILE_H
#define SUPPORT_PILE_H

#include "support/support_scene.h"

/* side x side x layers balls (radius 0.5 m, mass 1 kg, friction 0.5) with a spacing of 1.1 m, each
 * up to 0.04 m off along each axis, in a box with a rough floor and walls, under gravity. */
support_scene support_pile(uint32_t side, uint32_t layers, double restitution,
                           support_random *random);

/* Deepest that a ball is in one of the box's five closed faces, in radii. */
double support_pile_in_walls(const support_scene *pile, const kugel_world *world);

/* Overlaps of balls and walls, in radii; the tick counts from 1. */
typedef struct support_pile_figures {
    double worst; /* in any tick of the first 600 */
    uint32_t worst_tick;
    double mean, most; /* in tick 600; the mean over the overlapping pairs of balls */
    double energy;     /* J a ball, moving and spinning, in tick 600 */
    uint32_t awake;    /* balls in tick 1200; 0 and no more steps where all sleep before */
} support_pile_figures;

/* Drop it and watch it for 1200 ticks of 1/60 s; look for overlaps every `every` ticks. Prints the
 * figures. */
support_pile_figures support_pile_watch(const support_scene *pile, uint32_t every);

#endif
