/* A sensor and a body: how they meet, and the times at which they overlap.
 * In: motions in the work area, over a time in which neither changes. Out: entry and exit of each
 * overlap; in a periodic world, of each image that the path can bring within reach.
 * Cost: a few dozen operations where no image comes near; of a surface a few distances.
 * Parameters: s is the number of the sensor, b the slot of the body; times are s in the substep. */
#ifndef KG_SENSORS_SENSOR_PAIR_H
#define KG_SENSORS_SENSOR_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "world/world.h"

/* The number of a sensor: the slot of a body, or KG_SENSOR_SURFACE + the index of a surface. */
#define KG_SENSOR_SURFACE 0x40000000u
static inline bool kg_sensor_is_surface(uint32_t s) { return s >= KG_SENSOR_SURFACE; }

/* The surface with this number. */
const kg_surface *kg_sensor_surface_of(const kugel_world *world, uint32_t s);
/* True if the body or surface with this number is a sensor. */
bool kg_sensor_is_one(const kugel_world *world, uint32_t s);
/* True if the sensor s can report the body b: b is no sensor, their filters match, and one of the
 * two can move; of surfaces the body. */
bool kg_sensor_may_report(const kugel_world *world, uint32_t s, uint32_t b);
/* Set the names of the two in an event. */
void kg_sensor_set_names(const kugel_world *world, uint32_t s, uint32_t b, kugel_sensor_event *e);

/* How a sensor and a body meet at one time. */
typedef struct kg_sensor_meeting {
    double T;         /* s in the substep */
    double point[3];  /* m, on the sensor's surface */
    double normal[3]; /* unit, from the sensor towards the body */
    double speed;     /* m/s, of approach along the normal */
    double gap;       /* m, between a surface and the body */
} kg_sensor_meeting;

/* An interval of time in which the sensor and one image of the body overlap. */
typedef struct kg_sensor_overlap {
    kg_sensor_meeting in;  /* at the entry */
    kg_sensor_meeting out; /* at the exit, or at the end of the path */
    bool continues;        /* true: they still overlap at the end of the path */
} kg_sensor_overlap;

/* A parabola can overlap one image twice. Of a surface further overlaps are left out. */
enum { KG_PERIODIC_IMAGES = 27, KG_SENSOR_OVERLAPS = 2 * KG_PERIODIC_IMAGES };

typedef struct kg_sensor_overlaps {
    kg_sensor_overlap items[KG_SENSOR_OVERLAPS]; /* [count], by time of entry */
    int count;
} kg_sensor_overlaps;

/* The meeting with the body's nearest image at T. `ends`: the length of the tick, s, when the body
 * is at its end and T is 0, else 0. */
kg_sensor_meeting kg_sensor_pair_meeting(const kugel_world *world, uint32_t s, uint32_t b, double T,
                                         double ends);
/* The same: true if they overlap by at least `depth`, m. */
bool kg_sensor_pair_overlaps(const kugel_world *world, uint32_t s, uint32_t b, double T,
                             double ends, double depth);
/* True only if they overlap at all times from `from` to `to`: a short test. */
bool kg_sensor_pair_stays(const kugel_world *world, uint32_t s, uint32_t b, double from, double to);
/* Find the overlaps between the times `from` and `to`, between which neither motion changes. */
void kg_sensor_pair_find_overlaps(const kugel_world *world, uint32_t s, uint32_t b, double from,
                                  double to, kg_sensor_overlaps *overlaps);

/* sensor_surface.c: the same for a surface. */
kg_sensor_meeting kg_sensor_surface_meeting(const kugel_world *world, const kg_surface *surface,
                                            uint32_t b, double T, double ends);
void kg_sensor_surface_find_overlaps(const kugel_world *world, const kg_surface *surface,
                                     uint32_t b, double from, double to,
                                     kg_sensor_overlaps *overlaps);
/* A box around the surface from 0 to h in the substep; false if it is unbounded. */
bool kg_sensor_surface_box(const kg_surface *surface, double h, double low[3], double high[3]);

#endif
