/* Reports which bodies enter and leave sensors, which exchange no impulses with other bodies.
 * In: motions in the work area. Out: sensor events, unsorted. A path between two changes of motion
 * is swept against the sensors near it. At the start of a step a body is inside a sensor if the two
 * overlap and no call has changed either since the last step (kg_bodies.placed); of those changed,
 * world->events.left has the pairs that were inside before. Cost: nothing without sensors; else a
 * search of the sensors near each body in each substep. Every body is tested against all dynamic
 * sensors and, if x is periodic, against the boxes of all sensors. */
#ifndef KG_SENSORS_SENSORS_H
#define KG_SENSORS_SENSORS_H

#include "world/world.h"

/* A sensor, and a box around its path in this substep. */
typedef struct kg_sensor {
    uint32_t slot;
    double low[3], high[3]; /* m */
} kg_sensor;

enum { KG_SENSOR_COLUMN_ITEMS, KG_SENSOR_COLUMN_INSIDE, KG_SENSOR_COLUMN_TABLE, KG_SENSOR_COLUMNS };

typedef struct kg_sensors {
    kg_sensor *items; /* [count], by low[0] */
    uint32_t count;   /* number of sensors in this step */
    double max_width; /* m, largest extent of a box along x */
    double until;     /* s in the substep; range of the boxes: for paths up to this time */
    /* [inside_count], keys (key_of in sensors.c) of the pairs that are inside or, with a flag, have
     * left in this step */
    uint64_t *inside;
    uint32_t inside_count;
    uint32_t *table;     /* hash table with open addressing: index into inside + 1; 0: free */
    uint32_t table_mask; /* size of the table - 1; the size is a power of two */
    double start;        /* s in the tick, start of the substep */
    bool failed;         /* true: out of memory in this step */
    kg_column columns[KG_SENSOR_COLUMNS];
} kg_sensors;

void kg_sensors_free(kg_memory *memory, kg_sensors *sensors);
/* Before a call changes or destroys a body or sensor: note its exits from the sensors, or those of
 * the bodies in it. A caller that does not destroy it sets `placed` then. Cost: O(bodies) in a
 * world with sensors. */
bool kg_sensors_note_exits(kugel_world *world, uint32_t slot);
/* Before a step: find which of those noted are inside again, or still. */
void kg_sensors_settle_exits(kugel_world *world);
/* Between steps: true if a body is in a sensor, and the sensor reports it. */
bool kg_sensors_contain(const kugel_world *world, uint32_t sensor, uint32_t body);

/* At the start of a step: finds the pairs that are inside. Sets the frames of all bodies to
 * KG_FRAME_INERTIAL, as kg_sensors_finish does, since a position at time 0 needs no acceleration.
 * kg_sensors_note_exits and the functions below return false when out of memory. */
bool kg_sensors_begin(kugel_world *world);
/* Before the impacts of a substep of h s that starts at `start` s in the tick: sets the boxes of
 * the sensors. */
bool kg_sensors_begin_substep(kugel_world *world, double h, double start);
/* Before a body or sensor changes its motion at t s in the substep: sweeps its path since its
 * clock. When out of memory it sets `failed`. */
void kg_sensors_sweep_body(kugel_world *world, uint32_t slot, double t);
/* At the end of a substep of h s, before bodies advance: sweeps all paths to the end. */
bool kg_sensors_sweep_all(kugel_world *world, double h);
/* At the end of a step of dt s: adds the events that the sweeps missed by rounding. */
bool kg_sensors_finish(kugel_world *world, double dt);

#endif
