/* Sensor stage: spheres without contacts that report which bodies enter and leave them.
 *
 * In: motions in the work area. Out: sensor events. Each path between two changes of motion is
 * swept against the sensors near it: a bullet enters and leaves a thin sensor within one step.
 * State: none of its own. Between steps the pairs inside follow from the positions: those that
 * overlap and have not been placed since the last step (kg_bodies.placed).
 * Cost: nothing without sensors; else a search among the sensors near each body in each substep.
 * Dynamic sensors, and all sensors of a periodic world, are tested against every body. */
#ifndef KG_SENSORS_SENSORS_H
#define KG_SENSORS_SENSORS_H

#include "world/world.h"

/* A sensor and the box that it covers in this substep. */
typedef struct kg_sensor {
    uint32_t slot;
    double low[3], high[3]; /* m */
} kg_sensor;

enum { KG_SENSOR_COLUMN_ITEMS, KG_SENSOR_COLUMN_INSIDE, KG_SENSOR_COLUMN_TABLE, KG_SENSOR_COLUMNS };

typedef struct kg_sensors {
    kg_sensor *items;      /* [count], by low[0] */
    uint32_t count;        /* of sensors in this step */
    double max_width;      /* m, largest extent of a box along x */
    uint64_t *inside;      /* [inside_count], keys of the pairs inside in this step; sensors.c */
    uint32_t inside_count; /* with pairs that left in this step */
    uint32_t *table;       /* open addressing: index into inside + 1; 0: free */
    uint32_t table_mask;
    double start; /* s, beginning of the substep in the tick */
    bool failed;  /* out of memory in this step */
    kg_column columns[KG_SENSOR_COLUMNS];
} kg_sensors;

void kg_sensors_free(kg_memory *memory, kg_sensors *sensors);
/* `slot` is a sensor or a body whose material was `before`. True if a sensor now reports a body
 * inside that it did not report with that material. Cost: a pass over all bodies where there are
 * sensors. */
bool kg_sensors_filter_admits(const kugel_world *world, uint32_t slot, const kg_material *before);

/* Start of a step: find the pairs inside. Returns false when out of memory, as do all below. */
bool kg_sensors_begin(kugel_world *world);
/* Before the impacts of a substep of length h that starts at `start` in the tick, s. */
bool kg_sensors_begin_substep(kugel_world *world, double h, double start);
/* Before a body changes its motion at t of the substep: sweep its path since its clock. */
void kg_sensors_sweep_body(kugel_world *world, uint32_t slot, double t);
/* End of a substep, before bodies advance: sweep all paths. */
bool kg_sensors_sweep_all(kugel_world *world, double h);
/* End of a step: add the events that rounding left out, and sort all. */
bool kg_sensors_finish(kugel_world *world, double dt);

#endif
