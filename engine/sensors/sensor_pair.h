/* A sensor and a body: their relative motion, and the times at which they overlap.
 * In: motions in the work area, over a time in which neither changes. Out: entry and exit of each
 * overlap; in a periodic world, of each image that the path can bring within reach.
 * Cost: a few dozen operations where no image comes near.
 * Parameters: s and b are the slots of the sensor and the body; times are s in the substep. */
#ifndef KG_SENSORS_SENSOR_PAIR_H
#define KG_SENSORS_SENSOR_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "kugel/world.h"

/* The motion of a body relative to a sensor, at one time. */
typedef struct kg_relative_motion {
    double d[3];  /* m, from the sensor's centre to the body's */
    double w[3];  /* m/s, velocity */
    double a[3];  /* m/s^2, acceleration */
    double reach; /* m, sum of the radii */
    double T;     /* s in the substep */
} kg_relative_motion;

/* An interval of time in which the sensor and one image of the body overlap. */
typedef struct kg_sensor_overlap {
    kg_relative_motion in;  /* at the entry */
    kg_relative_motion out; /* at the exit, or at the end of the path */
    bool continues;         /* true: they still overlap at the end of the path */
} kg_sensor_overlap;

/* A parabola can overlap one image twice. */
enum { KG_PERIODIC_IMAGES = 27, KG_SENSOR_OVERLAPS = 2 * KG_PERIODIC_IMAGES };

typedef struct kg_sensor_overlaps {
    kg_sensor_overlap items[KG_SENSOR_OVERLAPS]; /* [count], by time of entry */
    int count;
} kg_sensor_overlaps;

/* The relative motion of the body's nearest image at T. */
kg_relative_motion kg_sensor_pair_motion(const kugel_world *world, uint32_t s, uint32_t b,
                                         double T);
/* True if the two touch or overlap. */
bool kg_sensor_pair_overlaps(const kg_relative_motion *v);
/* Find the overlaps between the times `from` and `to`, between which neither motion changes. */
void kg_sensor_pair_find_overlaps(const kugel_world *world, uint32_t s, uint32_t b, double from,
                                  double to, kg_sensor_overlaps *overlaps);

#endif
