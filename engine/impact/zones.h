/* Impacts on threads: a gas in dense cells is cut into zones of cells along z, and each zone handles its own impacts, at once
 * with the others, for one window of time.
 *
 * A zone works on the rows of its own bodies in place. Of the bodies around it, it has copies, in rows behind all
 * bodies: `inner` planes of cells that its own can come to touch, and `depth` more that keep those right for a while.
 * Nobody looks beyond. Afterwards each inner copy is compared with the body that it stands for, bit for bit: its way from
 * impact to impact must have been the same. Where that holds everywhere, what happened is the one chronological result:
 * take the first impact of that result that some zone did not find, or found without its being there. Up to then both its
 * bodies went as their zones say. One is the zone's own; the other, as nobody is fast enough to come from further away, its own
 * or an inner copy, which went the same way. A prediction is a pure function of two motions, so the zone found it.
 * Impacts at one instant that share bodies may be a chain of any length: a zone that sees one with a copy in it gives up,
 * whether they are due together or one brings about the next.
 * Where a zone gives up, or a copy went another way, the step is run again without zones. */
#ifndef KG_IMPACT_ZONES_H
#define KG_IMPACT_ZONES_H

#include "impact/impact.h"

/* What a zone allocates: a piece may not call the host's allocator. What is given back is lost until all is. */
typedef struct kg_arena {
    unsigned char *base;
    size_t size, used;
    bool is_short; /* something did not fit */
} kg_arena;

typedef struct kg_zone {
    kugel_world world; /* rows of bodies are everybody's; queue, cells and events are its own */
    kg_grid grid;
    kg_impact_stage stage;
    kg_event_log events;
    kg_arena arena;
    uint32_t first, end; /* planes of cells that it owns */
    uint16_t away[KG_DENSE_MOST + 1]; /* of each plane: how many there are up to those; the layers at both ends: 1 */
    uint32_t copies_from, copies; /* rows */
    uint32_t *row;  /* by slot: the body's row in this zone, KG_NONE for one too far away */
    uint32_t *slot; /* of each copy; KG_ZONE_INNER is set in those that the zone's own can touch */
    bool failed;
    kg_column columns[3]; /* cells, rows, slots */
} kg_zone;
#define KG_ZONE_INNER 0x80000000u

typedef struct kg_zones {
    kg_zone *zone;
    uint32_t count;         /* in this window */
    uint32_t planes;        /* of cells */
    uint32_t inner, depth;  /* planes of copies on each side */
    uint32_t roomy;         /* arenas are so many times as large as they should have to be */
    uint32_t wait;          /* windows until they are tried again */
    uint32_t pause;         /* so many when something goes wrong next; each window that goes well takes one off */
    double faster;          /* than all bodies when the window begins, so many times, is nobody in it */
    double way;             /* m; nobody goes further in the window */
    uint64_t windows, again; /* that went well, and not */
    kg_column columns[2];   /* zones, bodies in each plane */
} kg_zones;

/* zones.c */
/* Are there threads, bodies enough for two, and nothing but impacts? */
bool kg_zones_may_serve(const kugel_world *world);
/* Cut the world into zones for the window of the queue, if that is the thing to do; else their count is 0. `fastest`: m/s,
 * of all bodies. false when out of memory. */
bool kg_zones_plan(kugel_world *world, double fastest);
/* From the events of the sweep, as they are noted in parts, to the window's end. KG_STEP_AGAIN: the state is no good. */
kugel_status kg_zones_run(kugel_world *world);
static inline bool kg_zones_are_planned(const kugel_world *world) { return world->impact->zones && world->impact->zones->count; }
static inline void kg_zones_drop(kugel_world *world)
{
    if (world->impact->zones) world->impact->zones->count = 0;
}
void kg_zones_free(kg_memory *memory, kg_zones *zones);

/* copies.c */
/* A zone's rows, copies and cells, from the bodies' motions and cells. */
void kg_zone_copy(const kugel_world *world, kg_zone *zone);
/* Did all inner copies go the way of the bodies that they stand for? */
bool kg_zone_agrees(const kugel_world *world, const kg_zone *zone);
/* The zone's own cells become the world's. */
void kg_zone_return_cells(const kugel_world *world, const kg_zone *zone);

#endif
