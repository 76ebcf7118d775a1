/* Dense cells: who is near whom in a gas, without lists.
 *
 * A box of cells, each as wide as two of the largest bodies and with room for a few slots. Bodies that touch are
 * in the same cell or in neighbouring ones, so a body that changes its motion looks at 27 of them, and
 * one that crosses from a cell to the next at nine. Where bodies are of about one size and spread evenly that
 * costs less than to make and mend lists; elsewhere, and where anything rests or falls, lists serve (grid.h).
 * A cache as they are: which of the two is used, and when, changes no result. */
#ifndef KG_GRID_DENSE_H
#define KG_GRID_DENSE_H

#include "base/memory.h"
#include "kugel/world.h"

enum { KG_DENSE_ROOM = 4, KG_DENSE_LOOSE = 16, KG_DENSE_NEAR = 27 * KG_DENSE_ROOM + KG_DENSE_LOOSE + 8, KG_DENSE_ALL = 6, KG_DENSE_LATER = 7 };
enum { KG_DENSE_WAIT = 100 }; /* substeps with lists before cells are tried again */

typedef uint32_t kg_dense_cell[KG_DENSE_ROOM]; /* entries, KG_NONE behind them */

typedef struct kg_dense_place {
    uint32_t cell;  /* x + (y << 10) + (z << 20) */
    uint32_t index; /* of it */
    uint32_t along; /* bit k: the cell lies along face k of the world */
} kg_dense_place;

typedef struct kg_dense {
    bool used;  /* the cells, not the lists, say who is near */
    bool leave; /* they do not serve any more: lists are wanted */
    bool never; /* tests of lists want lists */
    uint32_t wait; /* substeps until they are tried again */
    bool filtered; /* some bodies that are near never push each other */
    uint32_t closed, periodic; /* bit k: face k of the world is not open; is periodic */
    double largest;  /* radius, m */
    uint32_t count[3]; /* cells along each axis, with a layer around: empty, or images of those at the other end */
    double low[4], edge[4]; /* m, of cell 0 */
    double end[2][4];       /* the last cells in use along each axis: low, high */
    double stop[2][4];      /* cells that nobody leaves down, or up, either: the border of a part of the world */
    double way_most; /* m; a body that goes further in a substep should not be here */
    kg_dense_cell *cell;
    bool elsewhere; /* zones of the impact stage hold the cells, these are out of date */
    kg_dense_place *place; /* by slot */
    uint32_t loose[KG_DENSE_LOOSE], loose_count; /* slots that found their cell full: near everybody */
    uint32_t crossings; /* since `unsorted` was counted on */
    kg_column columns[2];
} kg_dense;

/* The cell's coordinate along an axis, and its index. */
enum { KG_DENSE_BITS = 10, KG_DENSE_MOST = (1 << KG_DENSE_BITS) - 1 };
static inline uint32_t kg_dense_axis(uint32_t cell, int axis) { return cell >> (KG_DENSE_BITS * axis) & KG_DENSE_MOST; }
static inline uint32_t kg_dense_index(const kg_dense *dense, uint32_t cell)
{
    return (kg_dense_axis(cell, 2) * dense->count[1] + kg_dense_axis(cell, 1)) * dense->count[0] + kg_dense_axis(cell, 0);
}

/* dense.c */
/* At the start of a substep: put all bodies into cells if that is the thing to do (used), or else not; false
 * when out of memory. */
bool kg_dense_prepare(kugel_world *world);
void kg_dense_free(kg_memory *memory, kg_dense *dense);
/* The body goes through a face of its cell, or of the periodic world. */
void kg_dense_cross(kugel_world *world, uint32_t slot, uint32_t face);
/* So many did: when many have, the columns are no longer in spatial order. */
void kg_dense_note_crossings(kugel_world *world, uint32_t count);

/* around.c */
/* Ask memory for the cells around a body. */
void kg_dense_fetch(const kg_dense *dense, uint32_t slot);
/* Entries of bodies in cells around slot's; returns their number, of at most KG_DENSE_NEAR - 8. `which`: those in the
 * nine cells ahead of it in the direction of this face; all, itself included; or so that each pair is found from
 * one of the two (KG_DENSE_LATER). */
uint32_t kg_dense_near(const kg_dense *dense, uint32_t slot, uint32_t which, uint32_t *out);
/* Add those that found no room in their cells, behind the others; how many. */
uint32_t kg_dense_add_loose(const kg_dense *dense, uint32_t slot, uint32_t which, uint32_t *out);

#endif
