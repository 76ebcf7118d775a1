/* Impacts on threads: a gas in cell lists is cut into subdomains of cells along z, and each
 * subdomain handles its own impacts, at once with the others, for one window of time. */
#ifndef KG_IMPACT_SUBDOMAINS_H
#define KG_IMPACT_SUBDOMAINS_H

#include "impact/impact.h"

/* A subdomain works on the rows of its own bodies in place. Of the bodies around it, it has ghosts,
 * in rows behind all bodies: `inner_layers` cell layers that its own can come to touch, and
 * `buffer_layers` more that keep those right for a while. Farther bodies are not visible.
 * Afterwards each inner ghost is compared with the body that it stands for, bit for bit: its way
 * from impact to impact must have been the same. Where that holds everywhere, what happened is the
 * one chronological result: take the first impact of that result that some subdomain did not find,
 * or found without its being there. Up to then both its bodies went as their subdomains say. One is
 * the subdomain's own; the other, as no body is fast enough to come from farther away, its own or
 * an inner ghost, which went the same way. A prediction is a pure function of two motions, so the
 * subdomain found it. Impacts at one instant that share bodies may be a chain of any length: a
 * subdomain that sees one with a ghost in it gives up, whether they are due together or one brings
 * about the next. Where a subdomain gives up, or a ghost went another way, the step is run again
 * without subdomains.
 *
 * From window to window each subdomain keeps the cell layers that it owns in an array of its own,
 * as long as subdomains are cut in the same way; only what is around them is copied anew. Those of
 * the world are then out of date (cell_lists.in_subdomains). */

/* What a subdomain allocates: a task range may not call the host's allocator. What is given back is
 * lost until all is. */
typedef struct kg_arena {
    unsigned char *base;
    size_t size, used;
    bool out_of_space; /* something did not fit */
} kg_arena;

typedef struct kg_subdomain {
    kugel_world world; /* shares the rows of bodies; has its own queue, cells and events */
    kg_grid grid;
    kg_impact_stage stage;
    kg_event_log events;
    kg_arena arena;
    uint32_t first_layer, end_layer; /* cell layers that it owns */
    kg_cell *cell;                   /* all layers: those that it owns or sees are in use */
    uint16_t layer_distance[KG_CELL_COORDINATE_MAX + 1]; /* of each layer: how many there are up to
                                                            those; the layers at both ends: 1 */
    uint32_t first_ghost, ghosts;                        /* rows */
    uint32_t *ghost_row;  /* by slot, of those that there are ghosts of: the ghost's row */
    uint32_t *ghost_slot; /* of each ghost; KG_GHOST_INNER is set in those that the subdomain's own
                             can touch */
    bool failed;
    kg_column columns[3]; /* cells, rows, slots */
} kg_subdomain;
#define KG_GHOST_INNER 0x80000000u

typedef struct kg_subdomains {
    kg_subdomain *subdomain;
    uint32_t count;  /* how many hold the cells, or did when last there were some */
    bool planned;    /* they work in this window */
    uint32_t layers; /* of cells */
    uint16_t owner[KG_CELL_COORDINATE_MAX + 1]; /* subdomain that owns each layer */
    uint32_t inner_layers, buffer_layers;       /* layers of ghosts on each side */
    uint32_t arena_scale; /* arenas are so many times as large as they should have to be */
    uint32_t retry_after; /* windows until they are tried again */
    uint32_t retry_delay; /* so many when something goes wrong next; each window that goes well
                             takes one off */
    double speed_margin;  /* limit of speeds in the window over the largest speed at its start */
    double max_travel;    /* m; limit of a body's path in the window */
    uint64_t windows, failed_windows; /* that went well, and not */
    kg_column columns[2];             /* subdomains, bodies in each layer */
} kg_subdomains;

/* arena.c */
/* The allocator of what a subdomain allocates. */
kugel_allocator kg_arena_allocator(kg_arena *arena);
/* Room for the events of some bodies, nothing in it. */
bool kg_arena_reserve(kg_memory *memory, kg_subdomain *subdomain, uint32_t bodies,
                      uint32_t arena_scale);

/* subdomain_plan.c */
/* Are there threads, bodies enough for two, and nothing but impacts? */
bool kg_subdomains_are_allowed(const kugel_world *world);
/* Cut the world into subdomains for the window of the queue, or leave them as they are, if that is
 * the thing to do; else none are planned. false when out of memory. */
bool kg_subdomains_plan(kugel_world *world);
static inline bool kg_subdomains_are_planned(const kugel_world *world)
{
    return world->impact->subdomains && world->impact->subdomains->planned;
}
void kg_subdomains_free(kg_memory *memory, kg_subdomains *subdomains);

/* subdomains.c */
/* Windows without subdomains after something went wrong, at least. */
enum { KG_SUBDOMAINS_RETRY_MIN = 4 };
/* From the events of the sweep, as they are noted in parts, to the window's end. KG_STEP_RETRY: the
 * state is no good. */
kugel_status kg_subdomains_run(kugel_world *world);

/* cell_layers.c */
static inline uint32_t kg_cell_layer_of(const kg_cell_lists *cell_lists, uint32_t slot)
{
    return kg_cell_coordinate(cell_lists->body_cell[slot].cell, 2);
}
/* The world's cells become the subdomains'; and theirs the world's again, where they hold them:
 * none are planned then. */
void kg_cell_layers_distribute(kugel_world *world);
void kg_cell_layers_collect(kugel_world *world);
/* For the first sweep, which looks ahead: the layer behind those of the subdomain, as its owner has
 * it. */
void kg_cell_layers_copy_next(const kugel_world *world, kg_subdomain *subdomain);
/* Through which cells a body is seen in the first sweep. */
static inline kugel_world *kg_subdomain_world(kugel_world *world, uint32_t slot)
{
    const kg_subdomains *subdomains = world->impact->subdomains;
    return &subdomains
                ->subdomain[subdomains->owner[kg_cell_layer_of(&world->grid->cell_lists, slot)]]
                .world;
}
/* What the subdomain sees of the layers of others, by the rows of its ghosts. */
void kg_cell_layers_copy_halo(const kugel_world *world, kg_subdomain *subdomain);
/* The subdomain's own layers tell of bodies again, not of their ghosts. */
void kg_cell_layers_restore_slots(const kugel_world *world, const kg_subdomain *subdomain);
/* Where layer z is up to date. */
const kg_cell *kg_cell_layer(const kugel_world *world, uint32_t z);
static inline size_t kg_cell_layer_size(const kg_cell_lists *cell_lists)
{
    return (size_t)cell_lists->count[0] * cell_lists->count[1];
}

/* ghosts.c */
/* Rows for the bodies around the subdomain, as they are. */
void kg_ghosts_copy(const kugel_world *world, kg_subdomain *subdomain);
/* A slot's row in the subdomain; KG_NONE: it is too far away. Before anything moves. */
static inline uint32_t kg_subdomain_row(const kg_subdomain *subdomain, uint32_t visible_layers,
                                        uint32_t slot)
{
    uint32_t distance =
        subdomain->layer_distance[kg_cell_layer_of(&subdomain->grid.cell_lists, slot)];
    return distance == 0 ? slot : distance <= visible_layers ? subdomain->ghost_row[slot] : KG_NONE;
}
/* The slot of a row. */
static inline uint32_t kg_subdomain_slot(const kg_subdomain *subdomain, uint32_t row)
{
    bool ghost = row >= subdomain->first_ghost && row < subdomain->first_ghost + subdomain->ghosts;
    return ghost ? subdomain->ghost_slot[row - subdomain->first_ghost] & ~KG_GHOST_INNER : row;
}
/* Did all inner ghosts go the way of the bodies that they stand for? */
bool kg_ghosts_agree(const kugel_world *world, const kg_subdomain *subdomain);

#endif
