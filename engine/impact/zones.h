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
 * Where a zone gives up, or a copy went another way, the step is run again without zones.
 *
 * From window to window each zone keeps the planes of cells that it owns in an array of its own, as long as zones are cut in
 * the same way; only what is around them is copied anew. Those of the world are then out of date (dense.elsewhere). */
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
    kg_dense_cell *cell; /* all planes: those that it owns or sees are in use */
    uint16_t away[KG_DENSE_MOST + 1]; /* of each plane: how many there are up to those; the layers at both ends: 1 */
    uint32_t copies_from, copies; /* rows */
    uint32_t *row;  /* by slot, of those that there are copies of: the copy's row */
    uint32_t *slot; /* of each copy; KG_ZONE_INNER is set in those that the zone's own can touch */
    bool failed;
    kg_column columns[3]; /* cells, rows, slots */
} kg_zone;
#define KG_ZONE_INNER 0x80000000u

typedef struct kg_zones {
    kg_zone *zone;
    uint32_t count;         /* how many hold the cells, or did when last there were some */
    bool planned;           /* they work in this window */
    uint32_t planes;        /* of cells */
    uint16_t owner[KG_DENSE_MOST + 1]; /* of each plane: the zone that holds it; images are held by who owns what they are of */
    uint32_t inner, depth;  /* planes of copies on each side */
    uint32_t roomy;         /* arenas are so many times as large as they should have to be */
    uint32_t wait;          /* windows until they are tried again */
    uint32_t pause;         /* so many when something goes wrong next; each window that goes well takes one off */
    double faster;          /* than all bodies when the window begins, so many times, is nobody in it */
    double way;             /* m; nobody goes further in the window */
    uint64_t windows, again; /* that went well, and not */
    kg_column columns[2];   /* zones, bodies in each plane */
} kg_zones;

/* arena.c */
/* The allocator of what a zone allocates. */
kugel_allocator kg_arena_hooks(kg_arena *arena);
/* Room for the events of some bodies, nothing in it. */
bool kg_zone_reserve_arena(kg_memory *memory, kg_zone *zone, uint32_t bodies, uint32_t roomy);

/* plan.c */
/* Are there threads, bodies enough for two, and nothing but impacts? */
bool kg_zones_may_serve(const kugel_world *world);
/* Cut the world into zones for the window of the queue, or leave them as they are, if that is the thing to do; else none are
 * planned. false when out of memory. */
bool kg_zones_plan(kugel_world *world);
static inline bool kg_zones_are_planned(const kugel_world *world) { return world->impact->zones && world->impact->zones->planned; }
void kg_zones_free(kg_memory *memory, kg_zones *zones);

/* zones.c */
/* Windows without zones after something went wrong, at least. */
enum { KG_ZONES_PAUSE = 4 };
/* From the events of the sweep, as they are noted in parts, to the window's end. KG_STEP_AGAIN: the state is no good. */
kugel_status kg_zones_run(kugel_world *world);

/* planes.c */
static inline uint32_t kg_dense_plane(const kg_dense *dense, uint32_t slot) { return kg_dense_axis(dense->place[slot].cell, 2); }
/* The world's cells become the zones'; and theirs the world's again, where they hold them: none are planned then. */
void kg_zones_take_cells(kugel_world *world);
void kg_zones_return_cells(kugel_world *world);
/* For the first sweep, which looks ahead: the plane behind those of the zone, as its owner has it. */
void kg_zone_look_ahead(const kugel_world *world, kg_zone *zone);
/* Through which cells a body is seen in the first sweep. */
static inline kugel_world *kg_zone_world(kugel_world *world, uint32_t slot)
{
    const kg_zones *zones = world->impact->zones;
    return &zones->zone[zones->owner[kg_dense_plane(&world->grid->dense, slot)]].world;
}
/* What the zone sees of the planes of others, by the rows of its copies. */
void kg_zone_see_planes(const kugel_world *world, kg_zone *zone);
/* The zone's own planes tell of bodies again, not of their copies. */
void kg_zone_settle_planes(const kugel_world *world, const kg_zone *zone);
/* Where plane z is up to date. */
const kg_dense_cell *kg_plane(const kugel_world *world, uint32_t z);
static inline size_t kg_plane_size(const kg_dense *dense) { return (size_t)dense->count[0] * dense->count[1]; }

/* copies.c */
/* Rows for the bodies around the zone, as they are. */
void kg_zone_copy_rows(const kugel_world *world, kg_zone *zone);
/* A slot's row in the zone; KG_NONE: it is too far away. Before anything moves. */
static inline uint32_t kg_zone_row(const kg_zone *zone, uint32_t sees, uint32_t slot)
{
    uint32_t away = zone->away[kg_dense_plane(&zone->grid.dense, slot)];
    return away == 0 ? slot : away <= sees ? zone->row[slot] : KG_NONE;
}
/* The slot of a row. */
static inline uint32_t kg_zone_slot(const kg_zone *zone, uint32_t row)
{
    bool copy = row >= zone->copies_from && row < zone->copies_from + zone->copies;
    return copy ? zone->slot[row - zone->copies_from] & ~KG_ZONE_INNER : row;
}
/* Did all inner copies go the way of the bodies that they stand for? */
bool kg_zone_agrees(const kugel_world *world, const kg_zone *zone);

#endif
