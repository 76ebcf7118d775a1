/* Fills: vessels that are gently filled with balls, layer by layer, and then left alone. In: a
 * seed, which determines vessel, size, materials and places. Out: how deep the balls overlap in the
 * end, how much they still sink, and how many are awake. */
#ifndef SUPPORT_FILL_H
#define SUPPORT_FILL_H

#include "support/support_scene.h"

typedef enum support_vessel {
    SUPPORT_BOX,      /* a square box of walls */
    SUPPORT_PERIODIC, /* a floor, periodic to all sides */
    SUPPORT_FUNNEL,   /* a box with four slopes for a floor */
    SUPPORT_DRUM,     /* a standing drum: a mesh of 24 sides with a flat floor */
    SUPPORT_VESSELS
} support_vessel;

typedef struct support_fill {
    support_vessel vessel;
    double width;         /* inner width in diameters of the largest ball */
    double layers;        /* height of the settled fill in such diameters, about */
    double radius;        /* m, the larger one */
    double ratio;         /* smaller to larger radius; 1: one size */
    double friction;      /* of the balls */
    double wall_friction; /* of the vessel */
    double restitution;
    double slope;    /* rad, of a funnel */
    uint64_t places; /* seed of the places */
} support_fill;

typedef struct support_fill_figures {
    uint32_t count;   /* balls */
    double deep;      /* deepest overlap in the end, in smaller radii, of balls and vessel */
    double deepest;   /* the same, the largest after the first 10 s */
    double sunk;      /* fall of the mean height in the last 10 s, in larger radii */
    uint32_t awake;   /* balls awake in the end */
    uint32_t tops;    /* balls that spin about their contacts with friction, in the end */
    double asleep_at; /* s after the fill at which all slept; 0: some are awake */
    double seconds;   /* processor time of all steps */
} support_fill_figures;

/* A random fill of at most `layers` layers and `width` diameters. */
support_fill support_fill_make(uint64_t seed, double width, double layers);
/* Fill the vessel and step it for 30 s. The run ends when all balls sleep. */
support_fill_figures support_fill_run(const support_fill *fill);
/* True when the balls may stay awake: without friction a periodic pile slides on its floor with the
 * momentum that the impacts gave to it. */
bool support_fill_may_stay_awake(const support_fill *fill);
/* True when a ball is deeper than 1 % of a radius, when the fill sinks, or when it is awake
 * although it may not be. Up to one ball in KG_SLEEP_RESTLESS_ONE_IN may be awake: single balls may
 * roll. Tops keep the balls in contact with them awake: they slip at no contact with friction, so
 * only torsional friction brakes them, for a minute where friction is low. Without a contact with
 * friction nothing does. */
bool support_fill_fails(const support_fill *fill, const support_fill_figures *figures);
/* Make the fill smaller and simpler while it fails. */
void support_fill_shrink(support_fill *fill);
void support_fill_print(const support_fill *fill, const support_fill_figures *figures);
/* Run `count` random fills (KUGEL_WORLDS) from `seed` on (KUGEL_SEED). Prints those that fail, the
 * first one also smaller, and asserts that none does. */
void support_fill_check(const char *test, uint64_t seed, uint64_t count, double width,
                        double layers);

#endif
