/* A sensor and a body: their relative motion, and when the body overlaps the sensor on their path.
 *
 * In: motions in the work area between two changes of them. Out: times of entry and exit, in closed
 * form; in a periodic world for every image that the path can bring within reach.
 * Cost: a few dozen operations where nothing comes near. */
#ifndef KG_SENSORS_SENSOR_PAIR_H
#define KG_SENSORS_SENSOR_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "kugel/world.h"

/* Separation d (m), velocity w (m/s) and acceleration a (m/s^2) of the body relative to the sensor,
 * at the time T (s) of the substep; reach: sum of the radii, m. */
typedef struct kg_relative_motion {
    double d[3], w[3], a[3], reach, T;
} kg_relative_motion;

/* An interval of overlap with one image. */
typedef struct kg_sensor_overlap {
    kg_relative_motion in, out;
    bool continues; /* beyond the end of the path */
} kg_sensor_overlap;

/* A parabola can overlap one image twice. */
enum { KG_PERIODIC_IMAGES = 27, KG_SENSOR_OVERLAPS = 2 * KG_PERIODIC_IMAGES };

typedef struct kg_sensor_overlaps {
    kg_sensor_overlap items[KG_SENSOR_OVERLAPS]; /* by time of entry */
    int count;
} kg_sensor_overlaps;

/* Relative motion of the body's nearest image. */
kg_relative_motion kg_sensor_pair_motion(const kugel_world *world, uint32_t s, uint32_t b,
                                         double T);
bool kg_sensor_pair_overlaps(const kg_relative_motion *v);
/* Overlaps on the path from ... to, s; neither of the two changes its motion in between. */
void kg_sensor_pair_find_overlaps(const kugel_world *world, uint32_t s, uint32_t b, double from,
                                  double to, kg_sensor_overlaps *overlaps);

#endif
