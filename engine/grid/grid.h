/* The broad phase: cells in blocks, and for every body the list of those it can meet.
 *
 * Each body has an anchor; while its centre stays within `skin` of it, its list holds every body whose
 * own skin can bring them together. A body that uses up its skin in the middle of a step is anchored
 * anew by itself (kg_grid_regrid), so any speed and any length of a tick are exact.
 * All of this is a cache of the state: which candidates are listed never changes a result, because a
 * prediction is a pure function of two bodies' stored motion. */
#ifndef KG_GRID_GRID_H
#define KG_GRID_GRID_H

#include "grid/dense.h"
#include "grid/lattice.h"
#include "world/world.h"

/* 4 x 4 x 4 cells; head[] starts the list of bodies in a cell, linked by kg_anchor.next. While lists of all bodies are
 * made it is the row of each cell's first body. */
typedef struct kg_block {
    int32_t at[3];
    uint32_t count; /* bodies, at the rebuild */
    bool crowded;   /* there were too many around it for pairs.c */
    uint32_t head[KG_BLOCK_CELLS];
} kg_block;

typedef struct kg_anchor {
    double x[3];
    float radius; /* m, rounded up */
    uint32_t next; /* in its cell */
} kg_anchor;

/* One cache line of a body's list; chunk i < body count is the first of slot i. Places beyond the count
 * hold some live slot, so that all may be read without looking. */
enum { KG_CHUNK_ENTRIES = 14, KG_CHUNK_IMAGES = 1, KG_CHUNK_RESTING = 2 };
typedef struct kg_chunk {
    uint16_t count;
    uint16_t flags; /* some entry has an image, or rests; never less than true */
    uint32_t next;  /* next chunk of this body, or KG_NONE */
    uint32_t entry[KG_CHUNK_ENTRIES];
} kg_chunk;

/* An entry: slot in 26 bits, resting flag, periodic image in 5 bits (13: none). */
#define KG_ENTRY_SLOT 0x03ffffffu
#define KG_ENTRY_RESTING 0x04000000u
#define KG_ENTRY_IMAGE_SHIFT 27
#define KG_IMAGE_NONE 13u
#define KG_ENTRY_AS_IS (KG_IMAGE_NONE << KG_ENTRY_IMAGE_SHIFT) /* of one that is seen where it is */

/* At most so many bodies are giants, each so many times as large as all that are none, among so many bodies at least. */
enum { KG_GIANTS = 32, KG_GIANT_RATIO = 4, KG_GIANT_LEAST = 256 };

typedef struct kg_grid {
    kg_lattice lattice;
    double skin;  /* m */
    double smallest, solid; /* radii, m, at the rebuild; and of what is no sensor */
    double usual; /* m, radius: what is larger is a giant (giants.c) */
    double reach; /* edge of a cell at least: 2 (largest radius but giants' + skin) */
    uint32_t giants[KG_GIANTS], giant_count; /* slots */
    bool valid;   /* cells and lists describe the bodies */
    bool immovable; /* some body has no mass: two such never push each other */
    bool filtered; /* some pair of materials does not meet, or some body is a sensor */

    kg_block *blocks;
    uint32_t block_count;
    uint32_t *table; /* open addressing: block + 1, or 0 */
    uint32_t table_mask;

    /* by slot */
    kg_anchor *anchor;
    uint32_t *cell; /* block * 64 + cell in it */
    float *room;    /* m, see quiet.c; 0 and below: busy, or not known. Looked at oftener than all else here */
    kg_boundary_set *near; /* boundaries within the skin's reach */

    kg_chunk *chunks;
    uint32_t chunk_count, free_chunk;
    uint32_t body_count; /* at the rebuild */
    uint64_t entries;    /* at the rebuild */
    uint64_t regrids;    /* world's count at the rebuild */
    uint32_t unsorted;   /* rebuilds since the columns were put in spatial order */

    uint32_t *far; /* slots that outrun the lists: tested against everybody */
    uint32_t far_count;

    kg_dense dense; /* instead of lists, where used */

    uint32_t *fresh; /* entries that the last regrid brought into a body's list */
    uint32_t fresh_count;

    uint32_t *rows; /* slots by block and cell while lists of all bodies are made */

    kg_column columns[10];
} kg_grid;

/* cells.c */
bool kg_grid_reserve(kg_memory *memory, kg_grid *grid, size_t bodies);
bool kg_grid_reserve_room(kg_memory *memory, kg_grid *grid, size_t bodies, size_t keep);
/* Rows for so many bodies and copies of some, in dense cells; the first `keep` stay. false when out of memory. */
bool kg_dense_reserve_rows(kg_memory *memory, kg_grid *grid, size_t rows, size_t keep);
void kg_grid_free(kg_memory *memory, kg_grid *grid);
void kg_grid_clear_blocks(kg_grid *grid);
/* The block at these coordinates, made if missing; KG_NONE when out of memory. */
uint32_t kg_grid_block(kg_memory *memory, kg_grid *grid, const int32_t at[3]);
/* The block, or KG_NONE when there is none. */
uint32_t kg_grid_find(const kg_grid *grid, const int32_t at[3]);
/* Put a slot into the cell of its anchor; false when out of memory. */
bool kg_grid_link(kg_memory *memory, kg_grid *grid, uint32_t slot);
void kg_grid_unlink(kg_grid *grid, uint32_t slot);

/* rebuild.c, prepare.c, regrid.c, anchors.c, neighbours.c */
/* Anchor every body where it is at `now`, s in a substep of length h, and make all lists; false when out
 * of memory. */
bool kg_grid_rebuild(kugel_world *world, double now, double h);
/* Before a substep of length h: keep the lists where they hold, mend them where few bodies have left
 * their skins, rebuild them otherwise; false when out of memory. */
bool kg_grid_prepare(kugel_world *world, double h);
/* Anchor one body at `place` and make its list anew; grid->fresh is what it did not hold before. false when
 * out of memory. */
bool kg_grid_regrid(kugel_world *world, uint32_t slot, const double place[3]);
/* Where to anchor a body at `now` of a substep of length h: where it is, a fast one ahead of itself, so that
 * its list lasts longer. */
void kg_anchor_place(const kugel_world *world, uint32_t slot, double now, double h, double place[3]);
/* Is the body one of the few that are much larger than all others? */
static inline bool kg_grid_is_giant(const kugel_world *world, uint32_t slot)
{
    return world->grid->giant_count && world->bodies.radius[slot] > world->grid->usual;
}

/* Mark or unmark the entries of a resting pair, if they are listed. */
void kg_grid_mark(kg_grid *grid, uint32_t a, uint32_t b, bool resting);

/* Can the two ever push each other? */
bool kg_grid_may_meet(const kugel_world *world, uint32_t a, uint32_t b);
/* From now on, to the end of the substep at most, the body is tested against everybody and every boundary; false
 * when out of memory. */
bool kg_grid_set_far(kugel_world *world, uint32_t slot);
/* No more, if it is anchored anew at once. */
void kg_grid_unset_far(kg_grid *grid, uint32_t slot);

/* quiet.c */
/* Longest way of a quiet body in a substep, m; but a resting pair must not collide. */
double kg_grid_quiet_way(const kugel_world *world, double h);
/* Which bodies could come to touch anything in the substep if no contact held them: others need no look. `first` of the
 * tick: velocities and forces may be any. */
void kg_grid_find_falling_busy(kugel_world *world, double h, bool first);
/* Which bodies can meet something in the substep, as they move now? The others need no look, and their way is taken
 * off their room. */
void kg_grid_spend_room(kugel_world *world, double h);
/* The body changed its motion or its contacts: what was known of its room is gone. */
static inline void kg_grid_forget_room(kg_grid *grid, uint32_t slot) { grid->room[slot] = -1; }
/* A body was moved by this much, m, on top of its motion. */
static inline void kg_grid_pushed(kg_grid *grid, uint32_t slot, double way, double quiet_way)
{
    if (way > quiet_way) kg_grid_forget_room(grid, slot);
    else grid->room[slot] -= (float)(way * (1 + 1e-6));
}
/* Must the body be looked at in this substep? */
static inline bool kg_grid_is_busy(const kg_grid *grid, uint32_t slot) { return !(grid->room[slot] > 0); }

/* rebuild.c: does any material or sensor keep bodies from pushing each other? */
bool kg_grid_any_filter(const kg_bodies *bodies);

/* order.c */
/* Put the bodies' columns into spatial order when that has been lost; false when out of memory. */
bool kg_grid_sort_bodies(kugel_world *world);

/* The flag of near[] says that the body is far. */
#define KG_NEAR_FAR KG_BOUNDARY_SET_FLAG
static inline bool kg_grid_is_far(const kg_grid *grid, uint32_t slot) { return grid->near[slot] & KG_NEAR_FAR; }

/* What an entry's image code adds to b - a. */
static inline void kg_image_offset(const kg_lattice *lattice, uint32_t image, double offset[3])
{
    for (int k = 0; k < 3; ++k) offset[k] = lattice->shift[image][k];
}

#endif
