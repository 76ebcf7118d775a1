/* Reports which bodies enter and leave sensors, which exchange no impulses with other bodies.
 * In: motions in the work area. Out: sensor events, unsorted. A path between two changes of motion
 * is swept against the sensors near it. At the start of a step a body is inside a sensor if the two
 * overlap and no call has changed either since the last step (kg_bodies.placed); of those changed,
 * world->events.left has the pairs that were inside before. Cost: nothing without sensors; else a
 * search of the sensors near each body in each substep, in a tree. Every body is tested against all
 * dynamic sensors and planes. Sensors have the numbers of sensor_pair.h. */
#ifndef KG_SENSORS_SENSORS_H
#define KG_SENSORS_SENSORS_H

#include "surfaces/mesh_tree.h"
#include "world/world.h"

typedef struct kg_sensor {
    uint32_t number;
    uint32_t visit; /* of kg_sensors.visits, the last one of this sensor */
} kg_sensor;

enum {
    KG_SENSOR_COLUMN_ITEMS,
    KG_SENSOR_COLUMN_BOXES,
    KG_SENSOR_COLUMN_NODES,
    KG_SENSOR_COLUMN_INSIDE,
    KG_SENSOR_COLUMN_TABLE,
    KG_SENSOR_COLUMNS
};

typedef struct kg_sensors {
    kg_sensor *items; /* [count] */
    uint32_t count;   /* number of sensors in this step */
    /* A tree of boxes around the paths in this substep: boxed_count items; then those without a
     * box, which every body tests. Items have indices into `items`. */
    kg_tree_builder boxes;
    uint32_t boxed_count;
    uint32_t visits; /* number of searches in the tree in this step */
    double until;    /* s in the substep; range of the boxes: for paths up to this time */
    /* [inside_count], keys (key_of in sensors.c) of the pairs that are inside or, with a flag, have
     * left in this step */
    uint64_t *inside;
    uint32_t inside_count;
    uint32_t *table;     /* hash table with open addressing: index into inside + 1; 0: free */
    uint32_t table_mask; /* size of the table - 1; the size is a power of two */
    double start;        /* s in the tick, start of the substep */
    double ends;         /* in kg_sensors_finish: s, length of the tick; else 0 */
    bool failed;         /* true: out of memory in this step */
    kg_column columns[KG_SENSOR_COLUMNS];
} kg_sensors;

void kg_sensors_free(kg_memory *memory, kg_sensors *sensors);
/* Before a call changes or destroys a body or sensor: note its exits from the sensors, or those of
 * the bodies in it. A caller that does not destroy it sets `placed` then. Cost: O(bodies) in a
 * world with sensors. */
bool kg_sensors_note_exits(kugel_world *world, uint32_t slot);
/* The same before a call changes or removes a surface, by its index. */
bool kg_sensors_note_surface_exits(kugel_world *world, uint32_t index);
/* Before a step: true if surfaces that are sensors may report bodies at rest, since one moves or
 * calls have changed a body or a surface. */
bool kg_sensors_may_report_resting(const kugel_world *world);
/* Before a step: find which of those noted are inside again, or still. */
void kg_sensors_settle_exits(kugel_world *world);
/* Between steps: true if a body, by slot, is in a sensor, and the sensor reports it. */
bool kg_sensors_contain(const kugel_world *world, uint32_t sensor, uint32_t body);

/* At the start of a step: finds the pairs that are inside. Sets the frames of all bodies to
 * KG_FRAME_INERTIAL, as kg_sensors_finish does, since a position at time 0 needs no acceleration.
 * kg_sensors_note_exits and the functions below return false when out of memory. */
bool kg_sensors_begin(kugel_world *world);
/* Before the impacts of a substep of h s that starts at `start` s in the tick: sets the boxes of
 * the sensors. */
void kg_sensors_begin_substep(kugel_world *world, double h, double start);
/* Before a body or sensor changes its motion at t s in the substep: sweeps its path since its
 * clock. When out of memory it sets `failed`. */
void kg_sensors_sweep_body(kugel_world *world, uint32_t slot, double t);
/* At the end of a substep of h s, before bodies advance: sweeps all paths to the end. */
bool kg_sensors_sweep_all(kugel_world *world, double h);
/* At the end of a step of dt s: adds the events that the sweeps missed by rounding. */
bool kg_sensors_finish(kugel_world *world, double dt);

#endif
