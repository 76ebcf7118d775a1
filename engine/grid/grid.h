/* The broad phase: a uniform grid of cells per level of sizes, and a Verlet list per body.
 * A list is made at its list origin. While two bodies stay within `skin` of their list origins, the
 * list of each body holds the other body if the two can touch, rest on or support each other. A
 * body that leaves its skin in a substep gets a new list alone (kg_list_refresh), so results are
 * exact at any speed and any tick length. List origins of bodies that move together drift with them
 * (list_origins.c). The grid is derived: more candidates change no result. Stages use neighbours.h.
 * Functions that allocate return false when out of memory. */
#ifndef KG_GRID_GRID_H
#define KG_GRID_GRID_H

#include "base/vec.h"
#include "grid/cell_lists.h"
#include "grid/lattice.h"
#include "world/world.h"

/* A block: 4 x 4 x 4 cells of one level. */
typedef struct kg_block {
    int32_t at[3]; /* coordinates, in blocks */
    uint16_t level;
    bool lacks_halo; /* true: list_build.c did not copy the block and the cells around it */
    uint32_t head[KG_BLOCK_CELLS]; /* first body of each cell, linked by kg_list_origin.next */
} kg_block;

/* The place and the radius with which the list of a body was made. */
typedef struct kg_list_origin {
    double x[3];   /* m */
    float radius;  /* m, kg_list_radius */
    uint32_t next; /* next body in its cell, or KG_NONE */
} kg_list_origin;

/* One cache line of a body's list. Node i is the first node of slot i; nodes above the last slot
 * are further nodes. Unused places hold a valid slot, so that vector code may read them. */
enum {
    KG_NODE_NEIGHBOURS = 14,
    /* flags */
    KG_NODE_HAS_IMAGES = 1, /* some neighbour is a periodic image */
    KG_NODE_HAS_RESTING = 2 /* some neighbour is in resting contact with the body, or was */
};
typedef struct kg_list_node {
    uint16_t count;
    uint16_t flags;
    uint32_t next; /* next node of this body, or KG_NONE */
    uint32_t neighbour[KG_NODE_NEIGHBOURS];
} kg_list_node;

/* A neighbour: slot in 26 bits, resting flag, code of the periodic image in 5 bits
 * (kg_lattice.shift). */
#define KG_NEIGHBOUR_SLOT 0x03ffffffu
#define KG_NEIGHBOUR_RESTING 0x04000000u
#define KG_NEIGHBOUR_IMAGE_SHIFT 27
#define KG_IMAGE_NONE 13u
#define KG_NEIGHBOUR_NO_IMAGE (KG_IMAGE_NONE << KG_NEIGHBOUR_IMAGE_SHIFT)

/* A triangle, a whole facet or a solid shape near a body. The distance is a convex function of the
 * body's place, so the tangent at the list origin bounds it from below: at an offset d from the
 * list origin the distance is at least distance + slope . d - slack |d|. */
typedef struct kg_near_triangle {
    /* of the triangle or shape; with KG_WHOLE_FACET (world/boundary.h) of the facet */
    uint32_t number;
    float distance; /* m, at the list origin */
    float slope[3]; /* unit or 0, from the nearest point to the list origin */
    /* margin of the bound, m per metre moved: KG_NEAR_SLACK for the rounding of the slope. 1 where
     * the slope is 0, as on a moving surface: a distance changes by at most the path moved. */
    float slack;
} kg_near_triangle;

/* Relative rounding error of slopes and distances in floats, with a margin. */
#define KG_NEAR_SLACK 1e-6

/* The near triangles of a body: grid->near_triangles from `first` on. */
typedef struct kg_triangle_span {
    uint32_t first, count;
    uint32_t capacity; /* places from `first` on that belong to the body */
} kg_triangle_span;

/* Maximum number of levels; the last one also holds all smaller bodies. */
enum { KG_LEVELS_MAX = 24 };

enum {
    KG_GRID_COLUMN_NODES,
    /* number of columns by slot, with the nodes (rows_by_slot in grid_blocks.c) */
    KG_GRID_COLUMNS_BY_SLOT = 4,
    KG_GRID_COLUMN_CLEARANCE = KG_GRID_COLUMNS_BY_SLOT,
    KG_GRID_COLUMN_BLOCKS,
    KG_GRID_COLUMN_TABLE,
    KG_GRID_COLUMN_UNLISTED,
    KG_GRID_COLUMN_ADDED,
    KG_GRID_COLUMN_NEAR_SPAN,
    KG_GRID_COLUMN_NEAR_TRIANGLES,
    KG_GRID_COLUMNS
};

typedef struct kg_grid {
    /* cells of each level, from the largest bodies to the smallest (levels.c); all levels share the
     * periodic lengths and images */
    kg_lattice lattice[KG_LEVELS_MAX];
    float level_radius[KG_LEVELS_MAX]; /* m, largest kg_list_radius of the level */
    uint32_t level_count;
    double skin;         /* m */
    double longest_path; /* m; a longer path in a window makes a body unlisted (neighbours.c) */
    /* List origins may drift (list_origins.c). Without a drift, drift and drift_path are 0. */
    double drift[3];        /* m/s, velocity of all list origins */
    double drift_from;      /* s, time in the substep at which `origin` holds */
    double drift_path;      /* m, path of an origin from drift_from to the substep's end */
    double smallest_radius; /* m, at the list rebuild */
    double usual_reach;     /* m, distance within which two bodies of mean radius are neighbours */
    bool valid;             /* true when cells and lists describe the bodies */
    bool edited;            /* a call made them invalid since the last step */
    bool any_immovable;     /* some body is immovable (mass 0) */
    bool has_filters;       /* some pairs may not collide, or some body is a sensor */

    kg_block *blocks;
    uint32_t block_count;
    uint32_t *table; /* hash table with open addressing: block + 1, or 0 */
    uint32_t table_mask;

    /* by slot */
    kg_list_origin *origin;
    uint32_t *cell; /* block * 64 + cell in the block */
    /* m, see inactive.c; 0 or less: active. In range for the present substep */
    float *clearance;
    kg_boundary_set *near_boundaries; /* boundaries that the body can meet in its skin */

    /* by slot, in a world with surfaces: triangles that the body can meet in its skin */
    kg_triangle_span *near_span;
    kg_near_triangle *near_triangles; /* spans of all bodies, each sorted by distance */
    /* s, from the start of the substep: the time for which the spans hold while surfaces move */
    double near_lasts;
    double near_substep; /* s, length of that substep */
    uint32_t near_triangle_count;
    /* span of all triangles, shared by the unlisted bodies that collide with all surfaces; count 0:
     * not made yet */
    kg_triangle_span all_triangles;

    kg_list_node *nodes;
    uint32_t node_count;           /* nodes below it are in use or in the free list */
    uint32_t free_node;            /* first of the free list, or KG_NONE */
    uint32_t body_count;           /* at the list rebuild */
    uint64_t neighbour_total;      /* at the list rebuild */
    uint32_t near_triangle_total;  /* at the list rebuild */
    uint64_t refreshes_at_rebuild; /* world->list_refreshes at the list rebuild */
    /* list rebuilds since the columns were sorted; kg_cell_lists_add_crossings increases it, too */
    uint32_t rebuilds_since_sort;
    uint32_t exit_count; /* at a substep's start: bodies that will leave their skins in it */
    bool any_outside;    /* at a substep's start: some body is outside its skin */

    uint32_t *unlisted; /* slots of the unlisted bodies (neighbours.c) */
    uint32_t unlisted_count;
    bool has_too_many_pairs;  /* the last substep had more than kg_grid_pair_limit */
    bool any_listing_changes; /* before a window: some body becomes unlisted or gets a list again */

    kg_cell_lists cell_lists; /* replace the Verlet lists while cell_lists.used is true */

    uint32_t *added; /* neighbours that the last list refresh added */
    uint32_t added_count;

    kg_column columns[KG_GRID_COLUMNS];
} kg_grid;

/* Largest distance, m, of a body from the place that its list origin had at drift_from, while its
 * list holds. */
static inline double kg_grid_list_displacement(const kg_grid *grid)
{
    return grid->skin + grid->drift_path;
}

/* kg_grid_list_displacement with a margin above the rounding of positions, m. Boundaries and
 * surfaces that a body can reach on a path of this length count as near. */
static inline double kg_grid_widened_list_displacement(const kg_grid *grid)
{
    return kg_grid_list_displacement(grid) * 1.0625;
}

/* True if a place that a body has in the substep is in the range of its list. */
static inline bool kg_grid_is_in_list_range(const kg_grid *grid, uint32_t slot, const double x[3])
{
    return kg_squared_distance3(x, grid->origin[slot].x) <=
           kg_grid_widened_list_displacement(grid) * kg_grid_widened_list_displacement(grid);
}

/* Cost of a list refresh, in tests against one body. */
enum { KG_LIST_COST = 60 };

/* grid_blocks.c */
/* Reserve the columns by slot. */
bool kg_grid_reserve(kg_memory *memory, kg_grid *grid, size_t bodies);
bool kg_grid_reserve_clearance(kg_memory *memory, kg_grid *grid, size_t bodies, size_t keep);
/* Reserve rows of cell lists for bodies and ghosts; the first `keep` rows keep their content. */
bool kg_cell_lists_reserve_rows(kg_memory *memory, kg_grid *grid, size_t rows, size_t keep);
void kg_grid_free(kg_memory *memory, kg_grid *grid);
/* The block of a level at these coordinates, or KG_NONE. */
uint32_t kg_grid_find_block(const kg_grid *grid, uint32_t level, const int32_t at[3]);
/* Insert a slot into the cell of its list origin; false when out of memory. */
bool kg_grid_link_body(kg_memory *memory, kg_grid *grid, uint32_t slot);
void kg_grid_unlink_body(kg_grid *grid, uint32_t slot);

/* list_rebuild.c, grid_prepare.c, list_refresh.c, list_origins.c, neighbour_lists.c */
/* Set all list origins at `now`, s in a substep of length h, and build all lists. */
bool kg_list_rebuild(kugel_world *world, double now, double h);
/* Before a substep of length h: keep the lists, refresh those of bodies outside their skins, or
 * rebuild all. */
bool kg_grid_prepare(kugel_world *world, double h);
/* Set the list origin of a body to `place` and refresh its list. Sets grid->added to the neighbours
 * that only the new list holds. */
bool kg_list_refresh(kugel_world *world, uint32_t slot, const double place[3]);
/* The list origin for a body at `now` in a substep of length h: the body's position, moved ahead if
 * the body is fast, so that the list lasts longer. */
void kg_list_origin_choose(const kugel_world *world, uint32_t slot, double now, double h,
                           double place[3]);
/* Mark or unmark two bodies as a resting pair in the lists of both. */
void kg_grid_mark_resting(kg_grid *grid, uint32_t a, uint32_t b, bool resting);

/* True if at least one of two bodies is movable, and their materials and the pair filter let them
 * collide. */
bool kg_grid_may_collide(const kugel_world *world, uint32_t a, uint32_t b);
/* Maximum number of deep pairs at the start of a substep. */
static inline uint64_t kg_grid_pair_limit(const kugel_world *world)
{
    return KG_PAIRS_BASE + (uint64_t)KG_PAIRS_PER_BODY * kg_world_body_total(world);
}
/* True if the centres are nearer to each other than half the sum of the radii. Pairs across
 * periodic faces do not count. */
static inline bool kg_grid_is_deep_pair(const kugel_world *world, uint32_t a, uint32_t b)
{
    const kg_motion *ma = &world->work.motion[a], *mb = &world->work.motion[b];
    double reach = 0.5 * (ma->radius + mb->radius);
    return kg_squared_distance3(ma->x, mb->x) < reach * reach;
}
/* Make a body unlisted: until its next refresh all bodies and all boundaries are its candidates. */
bool kg_grid_set_unlisted(kugel_world *world, uint32_t slot);
/* Remove a body from the unlisted ones; a list refresh must follow at once. */
void kg_grid_clear_unlisted(kg_grid *grid, uint32_t slot);

/* inactive.c */
/* Largest motion of an inactive body in a substep of length h, m. */
double kg_grid_inactive_motion(const kugel_world *world, double h);
/* Make active the bodies that could touch something in the substep if no contact supported them. */
void kg_grid_find_falling_active(kugel_world *world, double h);
/* Make active the bodies that can meet something in the substep with their present motion. Reduce
 * the clearance of each other body by its own motion and by that of an inactive neighbour. */
void kg_grid_spend_clearance(kugel_world *world, double h);
/* Make a body active: its measured clearance no longer holds. */
static inline void kg_grid_reset_clearance(kg_grid *grid, uint32_t slot)
{
    grid->clearance[slot] = -1;
}
/* Reduce a clearance by a length, both m. The result is rounded down, so that many short lengths
 * count. */
static inline void kg_grid_reduce_clearance(float *clearance, float length)
{
    *clearance = (*clearance - length) * (1 - 0x1p-23f);
}
/* Account for a displacement (m) of a body in addition to its motion. inactive_motion: from
 * kg_grid_inactive_motion. */
static inline void kg_grid_note_displacement(kg_grid *grid, uint32_t slot, double displacement,
                                             double inactive_motion)
{
    if (displacement > inactive_motion) kg_grid_reset_clearance(grid, slot);
    else kg_grid_reduce_clearance(&grid->clearance[slot], (float)(displacement * (1 + 1e-6)));
}
/* True when the body can meet something in this substep. */
static inline bool kg_grid_is_active(const kg_grid *grid, uint32_t slot)
{
    return !(grid->clearance[slot] > 0);
}

/* Upper bound, m, of the paths of a surface's points within `reach` (m) of a point while near
 * triangles hold, with what the predictions of paths relative to it neglect. */
double kg_near_surface_path(const kg_grid *grid, const kg_surface *surface, const double point[3],
                            double reach);
/* near_moving.c: choose how long near triangles hold that are found now. */
void kg_near_time_choose(kugel_world *world);
/* near_triangles.c */
/* Find the near triangles of all bodies from their list origins. */
bool kg_near_triangles_find_all(kugel_world *world);
/* near_moving.c: where surfaces move or got another motion, find the near triangles of the bodies
 * near them again, unless those found hold for a substep of length h. */
bool kg_near_triangles_prepare(kugel_world *world, double h);
/* Find the near triangles of one body. */
bool kg_near_triangles_find(kugel_world *world, uint32_t slot);
/* Call visit(context, number) for the triangles that the centre of a body can cross on its path
 * from work.start to its position at the end of a substep of length h (s), and for some beside it.
 * In the frame of each surface the path counts as straight. Surfaces that do not collide with the
 * body are left out. The search uses no lists. */
typedef void kg_near_triangle_visit(void *context, uint32_t number);
void kg_near_triangles_visit_path(const kugel_world *world, uint32_t slot, double h,
                                  kg_near_triangle_visit *visit, void *context);

/* list_rebuild.c: true when some materials do not collide or some body is a sensor. */
bool kg_grid_has_filters(const kugel_world *world);

/* spatial_sort.c */
/* Sort the columns by space after several list rebuilds, or after many bodies were added. */
bool kg_grid_sort_bodies(kugel_world *world);

/* set_aside.c: want the bodies aside (world/aside.h) that a body can meet in its skin, if it moves,
 * or on its path up to `until`, s in the substep. */
void kg_grid_want_near_origin(kugel_world *world, uint32_t slot);
void kg_grid_want_on_path(kugel_world *world, uint32_t slot, double until);
/* The same for all bodies that move, if some woke since their lists were made. */
void kg_grid_want_near_woken(kugel_world *world);

/* Flag in near_boundaries: the body has no list. */
#define KG_NEAR_UNLISTED KG_BOUNDARY_SET_FLAG
static inline bool kg_grid_is_unlisted(const kg_grid *grid, uint32_t slot)
{
    return grid->near_boundaries[slot] & KG_NEAR_UNLISTED;
}

/* Offset of a neighbour's periodic image, m: added to the separation of the two bodies. */
static inline void kg_image_offset(const kg_lattice *lattice, uint32_t image, double offset[3])
{
    for (int k = 0; k < 3; ++k) offset[k] = lattice->shift[image][k];
}

#endif
