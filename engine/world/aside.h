/* Bodies at rest that nothing meets are set aside: their rows are behind all others, their contacts
 * in a set of their own. A step walks neither. What moves looks into the cells of the bodies aside
 * wherever it gets a new list or a long path; a tick that meets one of them is repeated with it.
 * Which bodies are aside changes no result. Between steps bodies.count counts them, too; in a step
 * it does not.
 * Cost: as many rows and contacts as are set aside or given back; a look costs the cells that it
 * passes. */
#ifndef KG_WORLD_ASIDE_H
#define KG_WORLD_ASIDE_H

#include "base/compiler.h"
#include "world/contact_set.h"

enum { KG_ASIDE_EXPONENT = 128, KG_ASIDE_COLUMNS_BY_ID = 5 };

typedef struct kg_aside {
    uint32_t count;          /* bodies aside: the last rows */
    bool hidden;             /* in a step: bodies.count does not count them */
    uint32_t wanted_count;   /* bodies that are wanted: to be given back */
    uint32_t returned_count; /* the first ones of them, whose rows are back, but no contacts */
    bool rows_changed;       /* rows or contacts moved since the last step */
    /* Sums of the hashes of the rows and contacts aside, if `hashed` (world/row_hash.h) */
    atomic_uint_least64_t body_hashes, contact_hashes;
    atomic_bool hashed;
    uint64_t refused; /* how often no memory was found to set bodies aside: no error */
    uint64_t version; /* increases when bodies are set aside, or all are forgotten */
    uint64_t tick;    /* of the world when bodies were last set aside */
    /* of these bodies and of those returned, sorted by key; `ended`: also those given back */
    kg_contact_set contacts;
    /* Level e has the bodies with radii in [2^(e - 1), 2^e), m. Their number; levels without bodies
     * are outside of [low, high] */
    uint32_t level_count[2 * KG_ASIDE_EXPONENT];
    int low, high;
    double box_low[3], box_high[3]; /* m, contain all bodies aside */
    uint32_t *bucket; /* hash table of the cells of all levels: first id, or KG_NONE */
    uint32_t bucket_mask;

    /* by id */
    uint32_t *next;       /* the next body of the bucket, or KG_NONE */
    uint32_t *member;     /* the next body of those that contacts connect with it, a ring */
    uint8_t *wanted;      /* 1: it is wanted */
    uint32_t *wanted_ids; /* the wanted ones first */
    uint32_t *met_at; /* number of the tick (modulo 2^32) in which something that moves was near */
    uint32_t id_capacity; /* rows of these columns */

    kg_column columns[KG_ASIDE_COLUMNS_BY_ID], bucket_column;
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
/* Give back the wanted bodies and those connected with them. False when out of memory, with nothing
 * changed but what is wanted. */
bool kg_aside_give_back(struct kugel_world *world);
/* Between steps: give back all bodies, and remove the contacts that calls ended. False when out of
 * memory. */
bool kg_aside_give_back_all(struct kugel_world *world);
/* The same for those that touch one of these boundaries. */
bool kg_aside_give_back_on(struct kugel_world *world, uint32_t first_boundary, uint32_t count);
/* Between steps, for calls: give back the rows of the wanted bodies, or of one, and of those
 * connected with them. Their contacts follow with the next step. */
void kg_aside_return_rows(struct kugel_world *world);
void kg_aside_return_body(struct kugel_world *world, uint32_t id);
/* Between steps: exchange the row of `slot`, which is removed or was just added at the end, with
 * the last of those that are not aside. Returns its new slot. */
uint32_t kg_aside_move_to_end(struct kugel_world *world, uint32_t slot);
/* Between steps: end a contact of the set of those aside. */
void kg_aside_end_contact(struct kugel_world *world, kg_contact *contact);
/* A step begins: give back what moving surfaces reach in dt, s, and hide the others. False when out
 * of memory. */
bool kg_aside_hide(struct kugel_world *world, double dt);
void kg_aside_show(struct kugel_world *world);

/* aside_cells.c: bodies aside by their places. */
/* A box, m, and a share of the radius by which bodies aside count as larger. */
typedef struct kg_aside_box {
    double low[3], high[3], wider;
} kg_aside_box;

/* Want a body aside. Threads may call this at the same time, and the next one. */
void kg_aside_want_body(kg_aside *aside, uint32_t id);
/* Want the bodies aside that reach into a box; true if there are any. */
bool kg_aside_want(struct kugel_world *world, const kg_aside_box *box);
/* Make space for this many bodies; false when out of memory. */
bool kg_aside_cells_reserve(struct kugel_world *world, uint32_t bodies);
/* Before aside.count changes: add or remove a row. */
void kg_aside_cells_add(struct kugel_world *world, uint32_t slot);
void kg_aside_cells_remove(struct kugel_world *world, uint32_t slot);

#endif
