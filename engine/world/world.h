/* The world: what the floors above share. The state that counts (canonical) is: bodies, planes, the
 * resting contacts, gravity, tick and time. Everything else is a cache of it that a step may
 * rebuild at any moment without changing a bit of any result. */
#ifndef KG_WORLD_WORLD_H
#define KG_WORLD_WORLD_H

#include "base/constants.h"
#include "base/memory.h"
#include "kugel/query.h"
#include "world/bodies.h"
#include "world/contact_set.h"
#include "world/event_log.h"
#include "world/stopwatch.h"
#include "world/work.h"

struct kugel_world {
    kugel_world_def def; /* as checked; gravity follows kugel_world_set_gravity */
    kg_memory memory;
    kugel_error error;

    /* canonical */
    kg_bodies bodies;
    kg_contact_set contacts;
    kugel_plane planes[KG_PLANE_LIMIT];
    uint32_t plane_count;
    uint64_t tick;
    double time;

    /* the step's */
    kg_work work;                     /* the state on its way through a step */
    kg_event_log events;              /* of the last step */
    struct kg_grid *grid;             /* cells and neighbour lists (grid/) */
    struct kg_sensors *sensors;       /* pairs inside sensors (sensors/) */
    struct kg_impact_stage *impact;   /* event queue (impact/) */
    struct kg_contact_stage *contact; /* solver rows (contact/) */
    struct kg_query_index *query;     /* bodies in cells for queries (query/) */
    struct kg_tasks *tasks;
    struct kg_recorder *recorder; /* NULL: not recording */

    /* what rays can meet besides bodies: no state */
    double report_threshold; /* m/s; slower impacts are not reported; no part of the state */
    kugel_ellipsoid *ellipsoids;
    uint32_t ellipsoid_count;
    kg_column ellipsoid_column;

    kg_stopwatch stopwatch; /* no state */

    /* counters for kugel_stats */
    uint64_t impacts_total, budgets_exhausted, list_rebuilds, list_refreshes;
};

/* frame.c: the acceleration of a body while no contact holds it; true when it is the world's
 * gravity. */
bool kg_frame_free_acceleration(const kugel_world *world, uint32_t slot, double a[3]);
/* No contact holds the body: its frame is that of its own acceleration. */
void kg_frame_set_free(kugel_world *world, uint32_t slot);
/* The same for slots [from, to); `inert`: some of them may be without mass. */
void kg_frame_set_free_range(kugel_world *world, uint32_t from, uint32_t to, bool inert);

/* for_ranges.c: call each(world, from, to, argument) for ranges that cover all bodies, at once
 * where there are threads and enough bodies. `each` changes the bodies of its range only. */
typedef void kg_range_pass(kugel_world *world, uint32_t from, uint32_t to, double argument);
void kg_for_bodies(kugel_world *world, kg_range_pass *each, double argument);

/* Call each(context, i) for each i in [0, count), at once where there are threads and enough
 * bodies. */
void kg_for_ranges(const kugel_world *world, uint32_t count,
                   void (*each)(void *context, uint32_t index), void *context);

/* Note an error and hand its status back; the log hook hears of it. Returns the status. */
kugel_status kg_error_report(kugel_world *world, kugel_status status, const char *argument,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Fill an error value; error may be NULL. Returns the status. */
kugel_status kg_error_set(kugel_error *error, kugel_status status, const char *argument,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
