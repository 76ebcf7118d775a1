/* Piles: a jittered lattice of balls dropped into an open box, and measurements of its fall and
 * rest. */
#ifndef SUPPORT_PILE_H
#define SUPPORT_PILE_H

#include "support/support_scene.h"

/* side x side x layers balls (radius 0.5 m, mass 1 kg, friction 0.5) with a spacing of 1.1 m and a
 * jitter of 0.04 m along each axis, under gravity, in a box without a lid, of friction 0.5.
 * `restitution`: of the balls; that of the box is 0, so impacts with it have that of the balls. */
support_scene support_pile(uint32_t side, uint32_t layers, double restitution,
                           support_random *random);

/* Deepest overlap of a ball with one of the five closed faces, in radii. */
double support_pile_in_walls(const support_scene *pile, const kugel_world *world);

/* Overlaps of balls and walls, in radii; ticks count from 1. */
typedef struct support_pile_figures {
    double worst; /* largest overlap of the first 600 ticks */
    uint32_t worst_tick;
    double mean;    /* mean over overlapping pairs of balls in tick 600 */
    double most;    /* largest overlap in tick 600 */
    double energy;  /* kinetic energy in tick 600, J a ball */
    uint32_t awake; /* balls awake in tick 1800 */
} support_pile_figures;

/* Drop the pile and step it for at most 1800 ticks of 1/60 s; measure overlaps every `every` ticks.
 * Prints the figures. */
support_pile_figures support_pile_watch(const support_scene *pile, uint32_t every);

#endif
