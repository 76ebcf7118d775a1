/* Data of subdomains, shared by the files that implement subdomains; other files use
 * subdomains.h. */
#ifndef KG_IMPACT_SUBDOMAIN_DATA_H
#define KG_IMPACT_SUBDOMAIN_DATA_H

#include "impact/subdomains.h"

/* A subdomain handles its own bodies in their rows; ghosts have rows behind all bodies. Ghosts come
 * from `inner_layers` cell layers that own bodies can reach in the window, and from `buffer_layers`
 * more, which delay errors from outside. Farther bodies are not visible.
 * A chain of simultaneous impacts may have any length. A subdomain fails when a chain includes a
 * ghost.
 * While the partition stays the same, subdomains store the cell layers that they own
 * (cell_lists.in_subdomains); the cells of the world are out of date then. */

/* Memory of a subdomain: tasks may not call the host's allocator. Freed memory is not reused. */
typedef struct kg_arena {
    unsigned char *base;
    size_t size, used;
    bool out_of_space; /* true when an allocation did not fit */
} kg_arena;

typedef struct kg_subdomain {
    /* Shares the rows of bodies with the whole world; its queue, cells and events are its own. */
    kugel_world world;
    kg_grid grid;
    kg_impact_stage stage;
    kg_event_log events;
    kg_arena arena;
    uint32_t first_layer, end_layer; /* own cell layers: [first_layer, end_layer) */
    uint32_t visible_layers;         /* layers of ghosts on each side, inner and buffer */
    /* Cells of all layers; only own and visible layers are used. */
    kg_cell *cell;
    /* By layer: distance to the own layers, in layers; 0 for own layers, 1 for the layers at both
     * ends. */
    uint16_t layer_distance[KG_CELL_COORDINATE_MAX + 1];
    uint32_t first_ghost; /* first row of a ghost */
    uint32_t ghosts;      /* number of ghosts */
    uint32_t *ghost_row;  /* by slot, for bodies that have a ghost: row of the ghost */
    /* By ghost: slot of the original, with KG_GHOST_INNER if own bodies can reach the ghost. */
    uint32_t *ghost_slot;
    bool failed;
    kg_column columns[3]; /* cells, ghost_row, ghost_slot */
} kg_subdomain;
#define KG_GHOST_INNER 0x80000000u

typedef struct kg_subdomains {
    kg_subdomain *subdomain;
    uint32_t count;  /* subdomains of the current or of the last partition */
    bool planned;    /* true when subdomains handle this window */
    uint32_t layers; /* cell layers */
    uint16_t owner[KG_CELL_COORDINATE_MAX + 1]; /* by layer: index of its subdomain */
    uint32_t inner_layers, buffer_layers;       /* ghost layers on each side */
    uint32_t arena_scale;                       /* factor on the estimated size of arenas */
    uint32_t retry_after;                       /* windows until subdomains are tried again */
    /* Value of retry_after after the next failure; each window that succeeds lowers it by 1. */
    uint32_t retry_delay;
    /* Speed bound of the window over the largest speed at its start. */
    double speed_margin;
    double max_path;                  /* m, limit of a body's path in the window */
    uint64_t windows, failed_windows; /* counts of these, for tests only */
    kg_column columns[2];             /* subdomains; bodies below each layer */
} kg_subdomains;

/* Least number of windows without subdomains after a failure. */
enum { KG_SUBDOMAINS_RETRY_MIN = 1 };

/* arena.c */
/* Allocator over the arena. It has no `reallocate`, which kg_memory never calls. */
kugel_allocator kg_arena_allocator(kg_arena *arena);
/* Reserve memory for the events of `bodies` bodies; a larger block replaces the old one, which
 * empties the arena. False when out of memory. */
bool kg_arena_reserve(kg_memory *memory, kg_subdomain *subdomain, uint32_t bodies,
                      uint32_t arena_scale);

/* cell_layers.c */
static inline uint32_t kg_cell_layer_of(const kg_cell_lists *cell_lists, uint32_t slot)
{
    return kg_cell_coordinate(cell_lists->body_cell[slot].cell, 2);
}
/* Copy the cells of the world to their owners. */
void kg_cell_layers_distribute(kugel_world *world);
/* Copy the layer above the subdomain's own layers, which the prediction pass reads. */
void kg_cell_layers_copy_next(const kugel_world *world, kg_subdomain *subdomain);
/* Copy the visible layers of other subdomains, with the rows of ghosts as slots. */
void kg_cell_layers_copy_halo(const kugel_world *world, kg_subdomain *subdomain);
/* Replace ghost rows in the subdomain's own layers by slots. */
void kg_cell_layers_restore_slots(const kugel_world *world, const kg_subdomain *subdomain);
/* Cells of layer z: in its subdomain while the subdomains hold the cells, else in the world. */
const kg_cell *kg_cell_layer(const kugel_world *world, uint32_t z);
static inline size_t kg_cell_layer_size(const kg_cell_lists *cell_lists)
{
    return (size_t)cell_lists->count[0] * cell_lists->count[1];
}

/* ghosts.c */
/* Copy the bodies in visible layers of other subdomains to ghost rows. */
void kg_ghosts_copy(const kugel_world *world, kg_subdomain *subdomain);
/* Row of a slot in the subdomain; KG_NONE when it is invisible. Valid until bodies move. */
static inline uint32_t kg_subdomain_row(const kg_subdomain *subdomain, uint32_t slot)
{
    uint32_t distance =
        subdomain->layer_distance[kg_cell_layer_of(&subdomain->grid.cell_lists, slot)];
    if (distance == 0) return slot;
    return distance <= subdomain->visible_layers ? subdomain->ghost_row[slot] : KG_NONE;
}
/* Slot of a row of the subdomain: that of the original for a ghost, else the row itself. */
static inline uint32_t kg_subdomain_slot(const kg_subdomain *subdomain, uint32_t row)
{
    bool ghost = row >= subdomain->first_ghost && row < subdomain->first_ghost + subdomain->ghosts;
    return ghost ? subdomain->ghost_slot[row - subdomain->first_ghost] & ~KG_GHOST_INNER : row;
}
/* True when all inner ghosts have the paths, states and cells of their originals. */
bool kg_ghosts_agree(const kugel_world *world, const kg_subdomain *subdomain);

#endif
