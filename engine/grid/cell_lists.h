/* Cell lists: neighbours in a gas without lists per body.
 * A box of cells, each at least as wide as the diameter of the largest body in them. Touching
 * bodies are in the same or in adjacent cells: a body tests 27 cells after a change of its motion,
 * and nine after a step to the next cell. Bodies more than twice as large as the smallest are
 * oversized and are listed apart (oversized.c). Used where nearly all bodies are of similar size
 * and evenly spread, and nothing rests or falls; Verlet lists are used elsewhere. The choice
 * changes no result. */
#ifndef KG_GRID_CELL_LISTS_H
#define KG_GRID_CELL_LISTS_H

#include "base/memory.h"
#include "world/bodies.h"

enum {
    KG_CELL_CAPACITY = 4,
    KG_CELL_OVERFLOW_MAX = 16,
    KG_NEAR_PARTS = 2, /* number of kg_cell in a near cell */
    KG_CELL_NEIGHBOURS_MAX = (27 + KG_NEAR_PARTS) * KG_CELL_CAPACITY + KG_CELL_OVERFLOW_MAX + 8,
    /* values of `which` in kg_gather_neighbours; 0 ... 5: the nine cells beyond this face of the
     * body's cell */
    KG_CELL_GATHER_ALL = 6, /* all 27 cells, the slot included */
    KG_CELL_GATHER_HALF = 7 /* half of them: one body of each pair gathers the other */
};
enum { KG_CELL_RETRY_AFTER = 100 }; /* substeps until cell lists are tried again */

typedef uint32_t kg_cell[KG_CELL_CAPACITY]; /* neighbours, then KG_NONE */
/* The oversized bodies that bodies in a cell can touch; each is in any one of the parts. */
typedef kg_cell kg_near_cell[KG_NEAR_PARTS];

typedef struct kg_body_cell {
    uint32_t cell;  /* x + (y << 10) + (z << 20) */
    uint32_t index; /* index of the cell */
    /* bit k: the cell is the last one inside the outer layers towards face k. For an oversized body
     * all of these, KG_CELL_OVERSIZED, and from KG_CELL_OVERSIZED_SHIFT on its index in
     * `oversized`. */
    uint32_t boundary_faces;
} kg_body_cell;
enum { KG_CELL_FACES = 63, KG_CELL_OVERSIZED = 64, KG_CELL_OVERSIZED_SHIFT = 7 };

typedef struct kg_oversized {
    uint32_t slot;
    uint32_t next; /* index of another oversized body in the same cell, or KG_NONE */
} kg_oversized;

enum {
    KG_CELL_LIST_COLUMN_CELLS,
    KG_CELL_LIST_COLUMN_BODY_CELLS,
    KG_CELL_LIST_COLUMN_NEAR,
    KG_CELL_LIST_COLUMN_OVERSIZED,
    KG_CELL_LIST_COLUMN_FIRST,
    KG_CELL_LIST_COLUMNS
};

typedef struct kg_cell_lists {
    bool used;               /* cell lists replace Verlet lists */
    bool abandon;            /* at the end of the window Verlet lists replace them */
    bool path_exceeded;      /* a body could move farther than motion_limit */
    bool disabled;           /* set by tests: never used */
    uint32_t retry_after;    /* substeps until they are tried again */
    bool has_filters;        /* some pairs do not collide */
    uint32_t closed_faces;   /* bit k: face k of the world is a wall or periodic */
    uint32_t periodic_faces; /* bit k: face k of the world is periodic */
    double largest_radius;   /* m, of the bodies that are not oversized */
    /* cells along each axis, with an outer layer at both ends: it holds images of the opposite
     * cells along a periodic axis, and is empty along others */
    uint32_t count[3];
    double low[4];          /* m, lower end of cell 0 */
    double edge[4];         /* m, width of a cell */
    double last_cell[2][4]; /* [0]: first, [1]: last cell inside the outer layers */
    /* m, length of the stretch without cells along each axis of a rank; 0: none. It belongs to the
     * cell below it */
    double gap[4];
    double cell_above_gap[4]; /* the first cell above the gap; 0 without a gap */
    /* [0]: lowest, [1]: highest cell along each axis; bodies do not move outwards from these
     * borders of the halo of a subdomain. -1: no border */
    double border_cell[2][4];
    double motion_limit; /* m; a body that moves farther in a window abandons the cell lists */
    kg_cell *cell;
    /* true while the subdomains of the impact stage hold the cells; `cell` is out of date then */
    bool in_subdomains;
    kg_body_cell *body_cell; /* by slot */
    uint32_t rows;           /* bodies in the cells: slots below it */
    /* slots of the bodies that did not fit into their cells; they are candidates of the bodies
     * around them */
    uint32_t overflow[KG_CELL_OVERFLOW_MAX], overflow_count;
    kg_oversized *oversized;
    uint32_t oversized_count;
    double largest_oversized;  /* m, radius */
    bool few_oversized;        /* true when each oversized body tests all other ones */
    uint32_t *first_oversized; /* by cell: index of an oversized body in it, or KG_NONE */
    kg_near_cell *near_cell;   /* by cell, if bodies are oversized */
    uint32_t crossings;        /* cell crossings since they last increased rebuilds_since_sort */
    kg_column columns[KG_CELL_LIST_COLUMNS];
} kg_cell_lists;

/* The cells, to be read. ISO C converts a pointer to arrays to one to constant arrays only by a
 * cast. */
static inline const kg_cell *kg_cells(const kg_cell_lists *cell_lists)
{
    return (const kg_cell *)cell_lists->cell;
}

enum { KG_CELL_COORDINATE_BITS = 10, KG_CELL_COORDINATE_MAX = (1 << KG_CELL_COORDINATE_BITS) - 1 };
/* Coordinate along an axis of a cell in the form of kg_body_cell.cell. */
static inline uint32_t kg_cell_coordinate(uint32_t cell, int axis)
{
    return cell >> (KG_CELL_COORDINATE_BITS * axis) & KG_CELL_COORDINATE_MAX;
}
/* Index of a cell in the form of kg_body_cell.cell. */
static inline uint32_t kg_cell_index(const kg_cell_lists *cell_lists, uint32_t cell)
{
    return (kg_cell_coordinate(cell, 2) * cell_lists->count[1] + kg_cell_coordinate(cell, 1)) *
               cell_lists->count[0] +
           kg_cell_coordinate(cell, 0);
}

/* cell_lists.c */
/* Append to a cell; false when it is full. */
bool kg_cell_add(kg_cell cell, uint32_t neighbour);
/* Remove from a cell; false when it does not have the neighbour. */
bool kg_cell_remove(kg_cell cell, uint32_t neighbour);
/* At the start of a substep: sort all bodies into cells where cell lists are suitable. false when
 * out of memory. */
bool kg_cell_lists_prepare(kugel_world *world);
void kg_cell_lists_free(kg_memory *memory, kg_cell_lists *cell_lists);
/* Between steps, in valid cells without oversized bodies: remove the rows from `count` on. The next
 * step adds the rows that were appended since. */
void kg_cell_lists_truncate(kugel_world *world, uint32_t count);
/* Between steps, in valid cells without oversized bodies: remove one row; the last row takes its
 * place. */
void kg_cell_lists_remove_row(kugel_world *world, uint32_t slot);
/* Move a body to the next cell, beyond a face of its cell or of the periodic world. */
void kg_cell_lists_cross_face(kugel_world *world, uint32_t slot, uint32_t face);
/* Count crossings; after many the columns need sorting. */
void kg_cell_lists_add_crossings(kugel_world *world, uint32_t count);

/* Abandon the cell lists when the body can cross too many cells in `time`, s. */
void kg_cell_lists_check_path(kugel_world *world, uint32_t slot, double time);

/* oversized.c: bodies too large for the cells, which therefore hold none of them. The near cells of
 * such a body are those with bodies that it can touch while its centre is in its own cell. */
static inline bool kg_cell_lists_is_oversized(const kg_cell_lists *cell_lists, uint32_t slot)
{
    return cell_lists->oversized_count &&
           cell_lists->body_cell[slot].boundary_faces & KG_CELL_OVERSIZED;
}
/* Collect the oversized bodies; false when out of memory. `*suits` is true when they have at most
 * `max_near_cells` near cells in total, and each near cell is less than half a periodic length away
 * from its body. */
bool kg_oversized_find(kugel_world *world, double max_near_cells, bool *suits);
/* Add an oversized body to its near cells, or remove it from them. A full near cell abandons the
 * cell lists. */
void kg_oversized_update(kugel_world *world, uint32_t slot, bool adding);
/* Call visit(context, cells, count, image) for rows of cells with bodies that an oversized body can
 * touch between two times (s). Range: the body is oversized and moves on a straight path in its own
 * cell, as a body in cells (kg_cell_lists_is_in_cell); the
 * bodies in the cells have radii up to `radius` (m). `image`: periodic image of the bodies in the
 * row. */
typedef void kg_oversized_visit(void *context, const kg_cell *cells, uint32_t count,
                                uint32_t image);
void kg_oversized_visit_path(const kugel_world *world, uint32_t slot, double radius, double from,
                             double until, kg_oversized_visit *visit, void *context);

/* cell_box.c */
/* True if a place is in the cell of a body, up to rounding. Range of the cells: a body may be asked
 * for its neighbours while its centre is in its cell; the end of that is an event. A place
 * beyond the last cells, or beyond those of the halo of a subdomain, counts as in them. */
bool kg_cell_lists_is_in_cell(const kg_cell_lists *cell_lists, uint32_t slot, const double x[3]);
/* Choose number and width of the cells; false when they are not suitable. radii: the smallest and
 * the largest of all bodies, m. */
bool kg_cell_box_choose(kugel_world *world, kg_radii radii);
/* The cell of a place, as kg_body_cell.cell. */
uint32_t kg_cell_box_cell_at(const kg_cell_lists *cell_lists, const double x[3]);

/* cell_lists_gather.c */
/* Prefetch the cells around a body. */
void kg_cell_lists_prefetch(const kg_cell_lists *cell_lists, uint32_t slot);
/* Write the neighbours in the 27 cells around a slot, itself included; returns their number, at
 * most KG_CELL_NEIGHBOURS_MAX - 8. */
uint32_t kg_cell_lists_neighbours(const kg_cell_lists *cell_lists, uint32_t slot, uint32_t *out);
/* Write the neighbours among the overflow bodies; returns their number. All overflow bodies are
 * neighbours of an oversized body. */
uint32_t kg_gather_overflow(const kg_cell_lists *cell_lists, uint32_t slot, uint32_t which,
                            uint32_t *out);
/* kg_gather_overflow, followed by the oversized bodies near the body's cell. */
uint32_t kg_gather_rare(const kg_cell_lists *cell_lists, uint32_t slot, uint32_t which,
                        uint32_t *out);

#endif
