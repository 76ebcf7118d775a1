/* Places: parts of a world whose bodies cannot meet in a tick. Each steps as a world of its own:
 * with its own substeps, sweeps and repeated ticks. So two scenes that do not touch evolve in one
 * world as each does alone, and cost what they cost apart.
 * Movers are bodies that may move in the tick, or enter a sensor. Two movers are in one place if
 * their surfaces are within their strides and KG_PLACE_LINK smaller radii of each other; the stride
 * of a body bounds its path in the tick. Bodies at rest join the place that reaches them, and join
 * two that do. A function of the state alone; rows and lists do not matter. Worlds without rest
 * (bounce threshold 0), with growth, and parts of a divided world are one place. */
#ifndef KG_PLACES_PLACES_H
#define KG_PLACES_PLACES_H

#include "world/world.h"

/* What a place keeps from tick to tick, in exchange for what the world has for one place. */
typedef struct kg_place_caches {
    struct kg_grid *grid;
    struct kg_contact_stage *contact;
    struct kg_impact_stage *impact;
    kg_work work;
    kg_contact_set contacts;
    uint32_t *ids; /* of the rows that the lists describe */
    uint32_t id_count;
    uint64_t tick;    /* the tick for which the lists are */
    bool taken;       /* a place of this tick has them */
    uint64_t used_at; /* the last tick in which a place had them */
    kg_column id_column;
} kg_place_caches;

/* A place: rows of bodies. */
typedef struct kg_place {
    uint32_t first, count;
    uint32_t contact_count;
    bool listed; /* the lists of the caches describe the rows */
    kg_place_caches *caches;
} kg_place;

/* Movers of one octave of radii in one cube. */
typedef struct kg_place_bin {
    double cell[3];          /* coordinates of the cube, whole numbers */
    double octave;           /* m, the smallest radius */
    double corner[3], width; /* m, of the cube: its lowest corner */
    int exponent;            /* radii are in [2^(exponent - 1), 2^exponent), m */
    uint32_t head;           /* the first body */
    uint32_t chain;          /* next bin of the bucket, or KG_NONE */
    double low[3], high[3];  /* m, box of the centres */
    double stride, most;     /* m: largest stride, largest radius */
} kg_place_bin;

enum {
    KG_PLACES_COLUMN_ITEMS,
    KG_PLACES_COLUMN_BINS,
    KG_PLACES_COLUMN_BUCKETS,
    KG_PLACES_COLUMN_CACHES,
    KG_PLACES_COLUMN_PLACE_OF,
    KG_PLACES_COLUMN_STRIDE,
    KG_PLACES_COLUMN_FARTHEST,
    KG_PLACES_COLUMNS
};

typedef struct kg_places {
    kg_place *items;
    uint32_t count;
    kg_place_caches **caches;
    uint32_t cache_count;
    kg_place_bin *bins;  /* of the last search */
    uint32_t *buckets;   /* hash table of them: first bin, or KG_NONE */
    uint32_t *place_of;  /* by row: its place, `count` for none; in a search its bin, or KG_NONE */
    double *stride;      /* by id, m; 0: at rest */
    double *farthest;    /* by id: the farthest from its start that the body was in this tick, m */
    bool tried;          /* `farthest` has values, from tries of this tick */
    kg_event_set events; /* of the places that have stepped */
    kg_contact_set contacts; /* the same, place after place */
    kg_column columns[KG_PLACES_COLUMNS];
} kg_places;

/* places_caches.c: grid and stages of a world or a place, zeroed. False when out of memory, with
 * what there is of them; kg_stages_free takes it. */
bool kg_stages_create(kg_memory *memory, struct kg_grid **grid, struct kg_impact_stage **impact,
                      struct kg_contact_stage **contact);
void kg_stages_free(kg_memory *memory, struct kg_grid *grid, struct kg_impact_stage *impact,
                    struct kg_contact_stage *contact);
bool kg_places_create(kg_memory *memory, kg_places **places);
void kg_places_destroy(kg_memory *memory, kg_places *places);
/* Give each place its caches. False when out of memory. */
bool kg_places_choose_caches(kugel_world *world);
/* While a place steps: note for which rows its lists are. False when out of memory. */
bool kg_places_note_rows(kugel_world *world, kg_place_caches *caches);
/* Free the caches that no place has had for a while. */
void kg_places_free_idle(kugel_world *world);

/* places_find.c: find the places of a tick of dt, s, and sort the rows by them. KG_STEP_RETRY:
 * bodies aside are wanted first. */
kugel_status kg_places_find(kugel_world *world, double dt);
/* Before the places step: no body has left its start. */
void kg_places_begin_try(kugel_world *world);
/* True if a body left its stride. */
bool kg_places_any_left(const kugel_world *world, double dt);
/* With the state at the start of the tick: KG_STEP_RETRY if the paths of the bodies join places, or
 * reach bodies at rest. */
kugel_status kg_places_check(kugel_world *world, double dt);

/* places_step.c: a tick of a world of several places, with all that kg_step_try and
 * kg_motion_commit do for a world of one. After a failure the world is as before. KG_STEP_RETRY:
 * bodies aside are wanted, or places grew together; the places have to be found again. */
kugel_status kg_places_step(kugel_world *world, double dt);

/* world_step.c: advance the world by dt (s), which the caller has checked. On an error the world is
 * as it was. */
kugel_status kg_world_step(kugel_world *world, double dt);

#endif
