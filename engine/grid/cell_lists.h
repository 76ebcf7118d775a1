/* Cell lists: who is near whom in a gas, without lists.
 *
 * A box of cells, each as wide as two of the largest bodies and with room for a few slots. Bodies
 * that touch are in the same cell or in neighbouring ones, so a body that changes its motion looks
 * at 27 of them, and one that crosses from a cell to the next at nine. Where bodies are of about
 * one size and spread evenly that costs less than to make and mend lists; elsewhere, and where
 * anything rests or falls, lists serve (grid.h). A cache as they are: which of the two is used, and
 * when, changes no result. */
#ifndef KG_GRID_CELL_LISTS_H
#define KG_GRID_CELL_LISTS_H

#include "base/memory.h"
#include "kugel/world.h"

enum {
    KG_CELL_CAPACITY = 4,
    KG_CELL_OVERFLOW_MAX = 16,
    KG_CELL_NEIGHBOURS_MAX = 27 * KG_CELL_CAPACITY + KG_CELL_OVERFLOW_MAX + 8,
    KG_CELL_GATHER_ALL = 6,
    KG_CELL_GATHER_HALF = 7
};
enum { KG_CELL_RETRY_AFTER = 100 }; /* substeps with lists before cells are tried again */

typedef uint32_t kg_cell[KG_CELL_CAPACITY]; /* neighbours, KG_NONE behind them */

typedef struct kg_body_cell {
    uint32_t cell;           /* x + (y << 10) + (z << 20) */
    uint32_t index;          /* of it */
    uint32_t boundary_faces; /* bit k: the cell lies along face k of the world */
} kg_body_cell;

typedef struct kg_cell_lists {
    bool used;                             /* the cells, not the lists, say who is near */
    bool abandon;                          /* they do not serve any more: lists are wanted */
    bool disabled;                         /* tests of lists want lists */
    uint32_t retry_after;                  /* substeps until they are tried again */
    bool has_filters;                      /* some bodies that are near never push each other */
    uint32_t closed_faces, periodic_faces; /* bit k: face k of the world is not open; is periodic */
    double largest_radius;                 /* radius, m */
    uint32_t count[3]; /* cells along each axis, with a layer around: empty, or images of those at
                          the other end */
    double low[4], edge[4];   /* m, of cell 0 */
    double last_cell[2][4];   /* the last cells in use along each axis: low, high */
    double border_cell[2][4]; /* cells that nobody leaves down, or up, either: the border of a part
                                 of the world */
    double motion_limit;      /* m; a body that goes further in a substep should not be here */
    kg_cell *cell;
    bool in_subdomains; /* subdomains of the impact stage hold the cells, these are out of date */
    kg_body_cell *body_cell; /* by slot */
    uint32_t overflow[KG_CELL_OVERFLOW_MAX],
        overflow_count; /* slots that found their cell full: near everybody */
    uint32_t crossings; /* since `rebuilds_since_sort` was counted on */
    kg_column columns[2];
} kg_cell_lists;

/* The cell's coordinate along an axis, and its index. */
enum { KG_CELL_COORDINATE_BITS = 10, KG_CELL_COORDINATE_MAX = (1 << KG_CELL_COORDINATE_BITS) - 1 };
static inline uint32_t kg_cell_coordinate(uint32_t cell, int axis)
{
    return cell >> (KG_CELL_COORDINATE_BITS * axis) & KG_CELL_COORDINATE_MAX;
}
static inline uint32_t kg_cell_index(const kg_cell_lists *cell_lists, uint32_t cell)
{
    return (kg_cell_coordinate(cell, 2) * cell_lists->count[1] + kg_cell_coordinate(cell, 1)) *
               cell_lists->count[0] +
           kg_cell_coordinate(cell, 0);
}

/* cell_lists.c */
/* At the start of a substep: put all bodies into cells if that is the thing to do (used), or else
 * not; false when out of memory. */
bool kg_cell_lists_prepare(kugel_world *world);
void kg_cell_lists_free(kg_memory *memory, kg_cell_lists *cell_lists);
/* The body goes through a face of its cell, or of the periodic world. */
void kg_cell_lists_cross_face(kugel_world *world, uint32_t slot, uint32_t face);
/* So many did: when many have, the columns are no longer in spatial order. */
void kg_cell_lists_add_crossings(kugel_world *world, uint32_t count);

/* Abandons the cell lists when the body can cross too many cells in this time, s. */
void kg_cell_lists_check_travel(kugel_world *world, uint32_t slot, double time);

/* cell_lists_gather.c */
/* Ask memory for the cells around a body. */
void kg_cell_lists_prefetch(const kg_cell_lists *cell_lists, uint32_t slot);
/* Neighbours of bodies in cells around slot's; returns their number, of at most
 * KG_CELL_NEIGHBOURS_MAX - 8. `which`: those in the nine cells ahead of it in the direction of this
 * face; all, itself included; or so that each pair is found from one of the two
 * (KG_CELL_GATHER_HALF). */
uint32_t kg_cell_lists_neighbours(const kg_cell_lists *cell_lists, uint32_t slot, uint32_t which,
                                  uint32_t *out);
/* Add those that found no room in their cells, behind the others; how many. */
uint32_t kg_gather_overflow(const kg_cell_lists *cell_lists, uint32_t slot, uint32_t which,
                            uint32_t *out);

#endif
