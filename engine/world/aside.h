/* Bodies at rest that nothing meets are set aside: their rows are behind all others, their contacts
 * in a set of their own. A step walks neither. What moves looks into the cells of the bodies aside
 * wherever it gets a new list or a long path; a tick that meets one of them is repeated with it.
 * Which bodies are aside changes no result. Between steps bodies.count counts them, too; in a step
 * it does not.
 * Cost: as many rows and contacts as are set aside or given back; a look costs the cells that it
 * passes. */
#ifndef KG_WORLD_ASIDE_H
#define KG_WORLD_ASIDE_H

#include "world/contact_set.h"

enum { KG_ASIDE_EXPONENT = 128, KG_ASIDE_COLUMNS_BY_ID = 6 };

typedef struct kg_aside {
    uint32_t count;          /* bodies aside: the last rows */
    bool hidden;             /* in a step: bodies.count does not count them */
    uint32_t wanted_count;   /* bodies that are wanted: to be given back */
    bool rows_changed;       /* rows or contacts moved since the last step */
    kg_contact_set contacts; /* of these bodies, sorted by key; `ended`: given back */
    uint32_t contact_count;  /* those that are not given back */
    /* Level e has the bodies with radii in [2^(e - 1), 2^e), m. Their number; levels without bodies
     * are outside of [low, high] */
    uint32_t level_count[2 * KG_ASIDE_EXPONENT];
    int low, high;
    uint32_t *bucket; /* hash table of the cells of all levels: first id, or KG_NONE */
    uint32_t bucket_mask;

    /* by id */
    uint32_t *next;          /* the next body of the bucket, or KG_NONE */
    uint32_t *member;        /* the next body of those that contacts connect with it, a ring */
    uint32_t *first_contact; /* of those in `contacts` with this dynamic body, or KG_NONE */
    uint8_t *wanted;         /* 1: it is wanted */
    uint32_t *wanted_ids;    /* the wanted ones first */
    uint32_t *met_at; /* number of the tick (modulo 2^32) in which something that moves was near */
    /* by item of `contacts` */
    uint32_t *next_contact; /* the next one of the same body, or KG_NONE */
    uint32_t id_capacity;   /* rows of the columns by id */

    kg_column columns[KG_ASIDE_COLUMNS_BY_ID], bucket_column, next_contact_column;
} kg_aside;

struct kugel_world;

void kg_aside_free(kg_memory *memory, kg_aside *aside);
/* Forget all bodies aside, since the world gets others. */
void kg_aside_clear(kg_aside *aside);
/* Reserve the columns by id for all ids; false when out of memory. */
bool kg_aside_reserve(struct kugel_world *world);
/* Set aside the rows i of the present ones with chosen[i]. root[i]: a row of those that contacts
 * connect with it, the same for all of them. False when out of memory, with nothing changed. */
bool kg_aside_add(struct kugel_world *world, const uint8_t *chosen, const uint32_t *root);
/* A box, m, and a share of the radius by which bodies aside count as larger. */
typedef struct kg_aside_box {
    double low[3], high[3], wider;
} kg_aside_box;
/* Want the bodies aside that reach into a box; true if there are any. Threads may call this at the
 * same time. */
bool kg_aside_want(struct kugel_world *world, const kg_aside_box *box);
/* Give back the wanted bodies and those connected with them. False when out of memory, with nothing
 * changed but what is wanted. */
bool kg_aside_give_back(struct kugel_world *world);
/* Between steps: give back all bodies, and remove the contacts that calls ended; or give back those
 * that touch a boundary, or one. False when out of memory. */
bool kg_aside_give_back_all(struct kugel_world *world);
bool kg_aside_give_back_on(struct kugel_world *world, uint32_t first_boundary, uint32_t count);
bool kg_aside_give_back_body(struct kugel_world *world, uint32_t id);
/* Between steps: make the last of the rows that are not aside the one of `slot`, and the first of
 * those aside a place for a row that is removed or was added. */
uint32_t kg_aside_move_to_end(struct kugel_world *world, uint32_t slot);
uint32_t kg_aside_take_new_row(struct kugel_world *world, uint32_t slot);
/* A step begins: give back what moving surfaces reach in dt, s, and hide the others. False when out
 * of memory. */
bool kg_aside_hide(struct kugel_world *world, double dt);
void kg_aside_show(struct kugel_world *world);

#endif
