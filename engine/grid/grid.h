/* The broad phase: cells in blocks, and for every body the list of those it can meet.
 *
 * Each body has a list origin; while its centre stays within `skin` of it, its list holds every
 * body whose own skin can bring them together. A body that uses up its skin in the middle of a step
 * is given a list origin anew by itself (kg_list_refresh), so any speed and any length of a tick
 * are exact. All of this is a cache of the state: which candidates are listed never changes a
 * result, because a prediction is a pure function of two bodies' stored motion. */
#ifndef KG_GRID_GRID_H
#define KG_GRID_GRID_H

#include "grid/cell_lists.h"
#include "grid/lattice.h"
#include "world/world.h"

/* 4 x 4 x 4 cells; head[] starts the list of bodies in a cell, linked by kg_list_origin.next. While
 * lists of all bodies are made it is the row of each cell's first body. */
typedef struct kg_block {
    int32_t at[3];
    uint32_t count; /* bodies, at the list rebuild */
    bool crowded;   /* there were too many around it for list_build.c */
    uint32_t head[KG_BLOCK_CELLS];
} kg_block;

typedef struct kg_list_origin {
    double x[3];
    float radius;  /* m, rounded up */
    uint32_t next; /* in its cell */
} kg_list_origin;

/* One cache line of a body's list; node i < body count is the first of slot i. Places beyond the
 * count hold some live slot, so that all may be read without looking. */
enum { KG_NODE_NEIGHBOURS = 14, KG_NODE_HAS_IMAGES = 1, KG_NODE_HAS_RESTING = 2 };
typedef struct kg_list_node {
    uint16_t count;
    uint16_t flags; /* some neighbour has an image, or rests; never less than true */
    uint32_t next;  /* next node of this body, or KG_NONE */
    uint32_t neighbour[KG_NODE_NEIGHBOURS];
} kg_list_node;

/* A neighbour: slot in 26 bits, resting flag, periodic image in 5 bits (13: none). */
#define KG_NEIGHBOUR_SLOT 0x03ffffffu
#define KG_NEIGHBOUR_RESTING 0x04000000u
#define KG_NEIGHBOUR_IMAGE_SHIFT 27
#define KG_IMAGE_NONE 13u
#define KG_NEIGHBOUR_NO_IMAGE                                                                      \
    (KG_IMAGE_NONE << KG_NEIGHBOUR_IMAGE_SHIFT) /* of one that is seen where it is */

/* At most so many bodies are oversized bodies, each so many times as large as all that are none,
 * among so many bodies at least. */
enum { KG_OVERSIZED_MAX = 32, KG_OVERSIZED_RATIO = 4, KG_OVERSIZED_MIN_BODIES = 256 };

typedef struct kg_grid {
    kg_lattice lattice;
    double skin; /* m */
    double smallest_radius,
        smallest_solid_radius; /* radii, m, at the list rebuild; and of what is no sensor */
    double usual_radius; /* m, radius: what is larger is an oversized body (oversized_bodies.c) */
    double reach; /* edge of a cell at least: 2 (largest radius but oversized bodies' + skin) */
    uint32_t oversized[KG_OVERSIZED_MAX], oversized_count; /* slots */
    bool valid;                                            /* cells and lists describe the bodies */
    bool any_immovable; /* some body has no mass: two such never push each other */
    bool has_filters;   /* some pair of materials does not meet, or some body is a sensor */

    kg_block *blocks;
    uint32_t block_count;
    uint32_t *table; /* open addressing: block + 1, or 0 */
    uint32_t table_mask;

    /* by slot */
    kg_list_origin *origin;
    uint32_t *cell;   /* block * 64 + cell in it */
    float *clearance; /* m, see inactive.c; 0 and below: active, or not known. Looked at oftener
                         than all else here */
    kg_boundary_set *near_boundaries; /* boundaries within the skin's reach */

    kg_list_node *nodes;
    uint32_t node_count, free_node;
    uint32_t body_count;           /* at the list rebuild */
    uint64_t neighbour_total;      /* at the list rebuild */
    uint64_t refreshes_at_rebuild; /* world's count at the list rebuild */
    uint32_t rebuilds_since_sort;  /* rebuilds since the columns were put in spatial order */

    uint32_t *unlisted; /* slots that outrun the lists: tested against everybody */
    uint32_t unlisted_count;

    kg_cell_lists cell_lists; /* instead of lists, where used */

    uint32_t *added; /* neighbours that the last list refresh brought into a body's list */
    uint32_t added_count;

    uint32_t *sorted_slots; /* slots by block and cell while lists of all bodies are made */

    kg_column columns[10];
} kg_grid;

/* Cost of a list refresh, in tests against one body. */
enum { KG_LIST_COST = 60 };

/* grid_blocks.c */
bool kg_grid_reserve(kg_memory *memory, kg_grid *grid, size_t bodies);
bool kg_grid_reserve_clearance(kg_memory *memory, kg_grid *grid, size_t bodies, size_t keep);
/* Rows for so many bodies and ghosts of some, in cell lists; the first `keep` stay. false when out
 * of memory. */
bool kg_cell_lists_reserve_rows(kg_memory *memory, kg_grid *grid, size_t rows, size_t keep);
void kg_grid_free(kg_memory *memory, kg_grid *grid);
void kg_grid_clear_blocks(kg_grid *grid);
/* The block at these coordinates, made if missing; KG_NONE when out of memory. */
uint32_t kg_grid_find_or_add_block(kg_memory *memory, kg_grid *grid, const int32_t at[3]);
/* The block, or KG_NONE when there is none. */
uint32_t kg_grid_find_block(const kg_grid *grid, const int32_t at[3]);
/* Put a slot into the cell of its list origin; false when out of memory. */
bool kg_grid_link_body(kg_memory *memory, kg_grid *grid, uint32_t slot);
void kg_grid_unlink_body(kg_grid *grid, uint32_t slot);

/* list_rebuild.c, grid_prepare.c, list_refresh.c, list_origins.c, neighbour_lists.c */
/* Set the list origin of every body where it is at `now`, s in a substep of length h, and make all
 * lists; false when out of memory. */
bool kg_list_rebuild(kugel_world *world, double now, double h);
/* Before a substep of length h: keep the lists where they hold, mend them where few bodies have
 * left their skins, rebuild them otherwise; false when out of memory. */
bool kg_grid_prepare(kugel_world *world, double h);
/* Set the list origin of one body to `place` and make its list anew; grid->added is what it did not
 * hold before. false when out of memory. */
bool kg_list_refresh(kugel_world *world, uint32_t slot, const double place[3]);
/* The list origin of a body at `now` of a substep of length h: where it is, a fast one ahead of
 * itself, so that its list lasts longer. */
void kg_list_origin_choose(const kugel_world *world, uint32_t slot, double now, double h,
                           double place[3]);
/* Is the body one of the few that are much larger than all others? */
static inline bool kg_grid_is_oversized(const kugel_world *world, uint32_t slot)
{
    return world->grid->oversized_count && world->bodies.radius[slot] > world->grid->usual_radius;
}

/* Mark or unmark the neighbours of a resting pair, if they are listed. */
void kg_grid_mark_resting(kg_grid *grid, uint32_t a, uint32_t b, bool resting);

/* true unless both are immovable or their materials do not collide. */
bool kg_grid_may_collide(const kugel_world *world, uint32_t a, uint32_t b);
/* From now on, to the end of the substep at most, the body is tested against everybody and every
 * boundary; false when out of memory. */
bool kg_grid_set_unlisted(kugel_world *world, uint32_t slot);
/* No more, if it is given a new list origin at once. */
void kg_grid_clear_unlisted(kg_grid *grid, uint32_t slot);

/* inactive.c */
/* Longest way of an inactive body in a substep, m; but a resting pair must not collide. */
double kg_grid_inactive_motion(const kugel_world *world, double h);
/* Which bodies could come to touch anything in the substep if no contact held them: others need no
 * look. `first` of the tick: velocities and forces may be any. */
void kg_grid_find_falling_active(kugel_world *world, double h, bool first);
/* Which bodies can meet something in the substep, as they move now? The others need no look, and
 * their way is taken off their clearance. */
void kg_grid_spend_clearance(kugel_world *world, double h);
/* The body changed its motion or its contacts: what was known of its clearance is gone. */
static inline void kg_grid_reset_clearance(kg_grid *grid, uint32_t slot)
{
    grid->clearance[slot] = -1;
}
/* A body was moved by this much, m, on top of its motion. */
static inline void kg_grid_note_displacement(kg_grid *grid, uint32_t slot, double displacement,
                                             double inactive_motion)
{
    if (displacement > inactive_motion) kg_grid_reset_clearance(grid, slot);
    else grid->clearance[slot] -= (float)(displacement * (1 + 1e-6));
}
/* Must the body be looked at in this substep? */
static inline bool kg_grid_is_active(const kg_grid *grid, uint32_t slot)
{
    return !(grid->clearance[slot] > 0);
}

/* list_rebuild.c: does any material or sensor keep bodies from pushing each other? */
bool kg_grid_has_filters(const kg_bodies *bodies);

/* spatial_sort.c */
/* Put the bodies' columns into spatial order when that has been lost; false when out of memory. */
bool kg_grid_sort_bodies(kugel_world *world);

/* The flag of near[] says that the body has no list. */
#define KG_NEAR_UNLISTED KG_BOUNDARY_SET_FLAG
static inline bool kg_grid_is_unlisted(const kg_grid *grid, uint32_t slot)
{
    return grid->near_boundaries[slot] & KG_NEAR_UNLISTED;
}

/* What a neighbour's image code adds to b - a. */
static inline void kg_image_offset(const kg_lattice *lattice, uint32_t image, double offset[3])
{
    for (int k = 0; k < 3; ++k) offset[k] = lattice->shift[image][k];
}

#endif
