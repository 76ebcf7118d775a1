/* A sensor and a body: their relative motion, and when the body is within reach on their common
 * way.
 *
 * In: the work area's motions between two changes of them. Out: the times, in closed form; in a
 * periodic world of every image of the body that the way can bring near. Cost: a few dozen flops
 * where nothing comes near. */
#ifndef KG_WORLD_SENSOR_PAIR_H
#define KG_WORLD_SENSOR_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "kugel/world.h"

/* From the sensor to the body at the time T of both: separation, relative velocity and
 * acceleration. */
typedef struct kg_relative_motion {
    double d[3], w[3], a[3], reach, T;
} kg_relative_motion;

/* A time within reach, of one image. */
typedef struct kg_sensor_overlap {
    kg_relative_motion in, out;
    bool continues; /* to the end of the way and on */
} kg_sensor_overlap;

/* A bent way can come within reach of one image twice. */
enum { KG_PERIODIC_IMAGES = 27, KG_SENSOR_OVERLAPS = 2 * KG_PERIODIC_IMAGES };

typedef struct kg_sensor_overlaps {
    kg_sensor_overlap items[KG_SENSOR_OVERLAPS]; /* by their beginnings */
    int count;
} kg_sensor_overlaps;

/* The body's nearest image. */
kg_relative_motion kg_sensor_pair_motion(const kugel_world *world, uint32_t s, uint32_t b,
                                         double T);
bool kg_sensor_pair_overlaps(const kg_relative_motion *v);
/* On the way from ... to; neither of the two changes its motion in between. */
void kg_sensor_pair_find_overlaps(const kugel_world *world, uint32_t s, uint32_t b, double from,
                                  double to, kg_sensor_overlaps *overlaps);

#endif
