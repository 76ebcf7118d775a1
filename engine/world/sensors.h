/* Sensors: spheres that report who enters and leaves them, and push nobody.
 *
 * Swept: a body's way from one change of motion to the next is tested against the sensors near it,
 * so a bullet through a thin sensor enters and leaves it inside one step; in a periodic world
 * against those of the body's images that the way brings near. In: the work area's motions. Out:
 * events. The step keeps the pairs that are inside; between steps they are a function of the
 * places: those that overlap and have not been put there, or into its sight, by hand since
 * (kg_bodies.placed). Cost: nothing without sensors; else a look at the sensors near each body in
 * each substep. Sensors that are dynamic, or in a periodic world, are near every body. */
#ifndef KG_WORLD_SENSORS_H
#define KG_WORLD_SENSORS_H

#include "world/bodies.h"

/* A sensor and the room that it takes in this substep. */
typedef struct kg_sensor {
    uint32_t slot;
    double low[3], high[3]; /* m */
} kg_sensor;

typedef struct kg_sensors {
    kg_sensor *near;  /* by low[0] */
    uint32_t count;   /* 0: no sensors, nothing to do */
    double max_width; /* m, of them, along x */
    uint64_t *inside; /* who is, or was in this step: sensor id in the high half, body id in the
                         low; see sensors.c */
    uint32_t inside_count;
    uint32_t *table; /* open addressing: place in inside + 1, or 0 */
    uint32_t table_mask;
    double start; /* s, of the substep in the tick */
    bool failed;  /* out of memory on the way */
    kg_column columns[5];
} kg_sensors;

void kg_sensors_free(kg_memory *memory, kg_sensors *sensors);
/* Is there any sensor in the world? */
bool kg_sensors_exist(const kugel_world *world);
/* The smallest radius of what is no sensor, m: nobody is to feel sensors by it. Where all are, that
 * of all, which the caller knows. */
double kg_sensors_smallest_solid(const kugel_world *world, double of_all);
/* Does a sensor see a body that lies in it, which it did not while `before` was this one's
 * material? Cost: a look at all bodies, where there are sensors. */
bool kg_sensors_filter_admits(const kugel_world *world, uint32_t slot, const kg_material *before);
/* At the start of a step: who is inside already. false when out of memory. */
bool kg_sensors_begin(kugel_world *world);
/* Before the impacts of a substep of length h. */
bool kg_sensors_substep(kugel_world *world, double h, double start);
/* A body is about to change its motion at t of the substep: its way since its clock is looked at.
 */
void kg_sensors_sweep_body(kugel_world *world, uint32_t slot, double t);
/* At the substep's end, before bodies are moved there. */
bool kg_sensors_sweep_all(kugel_world *world, double h);
/* At the step's end: places have the last word. false when out of memory. */
bool kg_sensors_finish(kugel_world *world, double dt);

#endif
