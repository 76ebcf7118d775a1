/* A sensor and a body: how they see one another, and when the body is within reach on their common way.
 *
 * In: the work area's motions between two changes of them. Out: the times, in closed form; in a periodic world
 * of every image of the body that the way can bring near. Cost: a few dozen flops where nothing comes near. */
#ifndef KG_WORLD_SENSOR_PAIR_H
#define KG_WORLD_SENSOR_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "kugel/world.h"

/* From the sensor to the body at the time T of both: separation, relative velocity and acceleration. */
typedef struct kg_sight {
    double d[3], w[3], a[3], reach, T;
} kg_sight;

/* A time within reach, of one image. */
typedef struct kg_stay {
    kg_sight in, out;
    bool lasts; /* to the end of the way and on */
} kg_stay;

/* A bent way can come within reach of one image twice. */
enum { KG_IMAGES = 27, KG_STAYS = 2 * KG_IMAGES };

typedef struct kg_stays {
    kg_stay items[KG_STAYS]; /* by their beginnings */
    int count;
} kg_stays;

/* The body's nearest image. */
kg_sight kg_look(const kugel_world *world, uint32_t s, uint32_t b, double T);
bool kg_sight_overlaps(const kg_sight *v);
/* On the way from ... to; neither of the two changes its motion in between. */
void kg_find_stays(const kugel_world *world, uint32_t s, uint32_t b, double from, double to, kg_stays *stays);

#endif
