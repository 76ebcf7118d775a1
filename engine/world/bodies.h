/* Bodies as columns (structure of arrays). The row of a body is its slot, in [0, count). The grid
 * sorts the rows in space and permutes all columns alike. The id of a body never changes: slot[id]
 * is the row, id[slot] the id. Results never depend on slots. */
#ifndef KG_WORLD_BODIES_H
#define KG_WORLD_BODIES_H

#include "base/constants.h"
#include "base/memory.h"
#include "world/fields.h"

/* Rows of kg_body_fields: pointers by slot in kg_bodies. Rows of kg_material_fields: members of
 * kg_material. */
enum { KG_BODY_COLUMNS = 32, KG_MATERIAL_FIELDS = 16 };

/* Contact material, gravity scale, damping, filter and flags. Bodies with equal values share a row;
 * a body stores the row's index. */
typedef struct kg_material {
    double restitution, friction, rolling_resistance, tangential_restitution, gravity_scale;
    double linear_damping, angular_damping; /* 1/s, added to those of the world */
    uint32_t kind;                          /* in the table of pairs (pairs.h) */
    uint32_t category, mask;
    uint32_t group;      /* bodies of one group do not collide; 0: no group */
    uint32_t body_count; /* bodies that use the row; 0: the row is free */
    uint8_t locks;       /* KUGEL_LOCK_...: see locks.h */
    bool sensor;         /* the body collides with no body; it has sensor events instead */
    bool stays_awake;    /* the body does not fall asleep by itself */
    /* the body meets nothing; a dynamic one is asleep without contacts, and no call wakes it */
    bool disabled;
    bool quiet; /* its contacts report no events; see kg_bodies_report */
} kg_material;

/* The numbers of a material: the first rows of kg_material_fields. */
enum {
    KG_RESTITUTION,
    KG_FRICTION,
    KG_ROLLING_RESISTANCE,
    KG_TANGENTIAL_RESTITUTION,
    KG_CONTACT_NUMBERS, /* those of pairs and boundaries */
    KG_GRAVITY_SCALE = KG_CONTACT_NUMBERS,
    KG_LINEAR_DAMPING,
    KG_ANGULAR_DAMPING,
    KG_MATERIAL_NUMBERS,
    KG_KIND = KG_MATERIAL_NUMBERS /* the row behind them */
};
typedef struct kg_range {
    double low, high;
} kg_range;
/* Their ranges, for bodies, boundaries and pair filters alike. */
extern const kg_range kg_material_ranges[KG_MATERIAL_NUMBERS];

extern const kg_field kg_body_fields[KG_BODY_COLUMNS]; /* offset: of a pointer in kg_bodies */
extern const kg_field kg_material_fields[KG_MATERIAL_FIELDS]; /* offset: in kg_material */

typedef struct kg_bodies {
    uint32_t count;               /* bodies with a row */
    uint32_t absent_count;        /* bodies that have their row on another rank (world.h) */
    uint32_t id_end;              /* ids are in [0, id_end); some are free */
    uint32_t free_id_lower_bound; /* at most the lowest free id */
    uint32_t material_count;      /* rows of materials; some are free */
    /* between steps: the bodies that sleep, and those that calls have woken since the last step */
    uint32_t asleep_count, woken_count;
    bool has_load_columns;  /* force and torque have rows */
    bool has_image_columns; /* image has rows */
    bool has_forces;        /* some force or torque may differ from 0; in a step: some does */

    /* by slot */
    double *x[3];      /* m */
    double *v[3];      /* m/s */
    double *w[3];      /* rad/s */
    double *force[3];  /* N, for the next step */
    double *torque[3]; /* N m, for the next step */
    /* int32_t bits: crossings of the periodic max face less those of the min face */
    uint32_t *image[3];
    double *q[4];       /* unit quaternion x, y, z, w */
    double *radius;     /* m */
    double *mass;       /* kg; 0: infinite */
    uint32_t *material; /* index into materials */
    uint32_t *id;
    uint32_t *contact_count; /* resting contacts of the body; derived from the contact set */
    uint32_t *moved_at;      /* see world/moves.h */
    uint32_t *placed_at;
    uint8_t *type; /* kugel_body_type */
    /* 1: since the last step the body was created, moved, resized or given another type, or a
     * change of filter admits it; in the next step it begins outside of all sensors */
    uint8_t *placed;
    uint32_t *sleep_state; /* see world/sleep_state.h */

    /* by id */
    uint32_t *slot;       /* KG_NONE: free */
    uint32_t *generation; /* of the present or last body with this id */
    uint64_t *user_data;  /* the host's; NULL while all are 0 */

    kg_material *materials;

    kg_column columns[KG_BODY_COLUMNS]; /* in the order of kg_body_fields */
    kg_column by_id[3];
    kg_column material_column;
} kg_bodies;

/* Reserve rows and ids; false when out of memory, with all values as they were. */
bool kg_bodies_reserve(kg_memory *memory, kg_bodies *bodies, size_t rows, size_t ids);
/* Bytes of the columns that lack so many rows and ids; with loads and images if these are true. */
uint64_t kg_bodies_growth(const kg_bodies *bodies, size_t rows, size_t ids, bool loads,
                          bool images);
/* Reserve forces and torques, all 0; false when out of memory. */
bool kg_bodies_reserve_loads(kg_memory *memory, kg_bodies *bodies);
/* Reserve images, all 0; false when out of memory. */
bool kg_bodies_reserve_images(kg_memory *memory, kg_bodies *bodies);
/* Reserve user data, all 0; false when out of memory. */
bool kg_bodies_reserve_user_data(kg_memory *memory, kg_bodies *bodies);
/* True if column k of kg_body_fields has no rows. */
bool kg_bodies_lack_column(const kg_bodies *bodies, int k);
void kg_bodies_set_column(kg_bodies *bodies, int k, void *data);
/* Bytes of an item of column k of kg_body_fields. */
static inline size_t kg_bodies_item_size(int k)
{
    return kg_field_kind_size(kg_body_fields[k].kind);
}
/* Data of the column of a row of kg_body_fields. */
void *kg_bodies_column(const kg_bodies *bodies, const kg_field *field);
void kg_bodies_free(kg_memory *memory, kg_bodies *bodies);

/* Add a checked body; on KUGEL_OK *slot is its row. */
kugel_status kg_bodies_add(kg_memory *memory, kg_bodies *bodies, const kugel_body_def *def,
                           uint32_t *slot);
/* Add the id and material of a checked body whose row another rank has. */
kugel_status kg_bodies_add_absent(kg_memory *memory, kg_bodies *bodies, const kugel_body_def *def,
                                  uint32_t *id);
/* Remove a row: the last row takes its place. */
void kg_bodies_remove(kg_bodies *bodies, uint32_t slot);

/* Row of an equal material that is in use, or KG_NONE. *free_row: a free row, or KG_NONE. Only the
 * last KG_MATERIALS_SEARCHED rows are searched: bodies created one after another mostly share a
 * material. */
enum { KG_MATERIALS_SEARCHED = 32 };
uint32_t kg_bodies_find_material(const kg_bodies *bodies, const kg_material *material,
                                 uint32_t *free_row);
/* Give a body another material; false when out of memory. */
bool kg_bodies_set_material(kg_memory *memory, kg_bodies *bodies, uint32_t slot,
                            const kg_material *material);

/* Slot of a handle, or KG_NONE when it is stale. */
uint32_t kg_bodies_find(const kg_bodies *bodies, kugel_body body);
static inline kugel_body kg_bodies_handle_of_id(const kg_bodies *bodies, uint32_t id)
{
    return (kugel_body)bodies->generation[id] << 32 | id;
}
static inline kugel_body kg_bodies_handle(const kg_bodies *bodies, uint32_t slot)
{
    return kg_bodies_handle_of_id(bodies, bodies->id[slot]);
}

/* True if some body is a sensor. */
bool kg_bodies_any_sensor(const kg_bodies *bodies);
/* True if a material in use has damping. */
bool kg_bodies_any_damping(const kg_bodies *bodies);
/* True if a material in use has locks. */
bool kg_bodies_any_locks(const kg_bodies *bodies);
/* True if some force or torque differs from 0. */
bool kg_bodies_any_load(const kg_bodies *bodies);
/* True for a body with a force or a torque. */
static inline bool kg_bodies_has_load(const kg_bodies *bodies, uint32_t slot)
{
    bool has = false;
    for (int k = 0; k < 3 && bodies->has_forces; ++k)
        has = has || bodies->force[k][slot] != 0 || bodies->torque[k][slot] != 0;
    return has;
}
/* True if some image differs from 0. */
bool kg_bodies_any_image(const kg_bodies *bodies);

/* Copy rows order[0 ... n - 1] of column k, which has rows, to `items`. */
void kg_bodies_gather_column(const kg_bodies *bodies, int k, const uint32_t *order, size_t n,
                             void *items);
/* Row order[i] of column k becomes row i; `scratch` has 8 bytes for each body. Tasks may permute
 * different columns. After all columns call kg_bodies_set_slots. */
void kg_bodies_permute_column(kg_bodies *bodies, int k, const uint32_t *order, void *scratch);
/* Set slot[id] for the rows [from, to). */
void kg_bodies_set_slots(kg_bodies *bodies, uint32_t from, uint32_t to);

/* True if impacts of two bodies with this material may lose energy. */
static inline bool kg_material_is_lossy(const kg_material *m)
{
    return m->restitution != 1 || m->friction != 0 || m->rolling_resistance != 0;
}

/* True if no body but a sensor has a lossy material. */
bool kg_bodies_are_lossless(const kg_bodies *bodies);

/* Radii of all bodies, m; 0 for an empty world. */
typedef struct kg_radii {
    double smallest, largest;
} kg_radii;

kg_radii kg_bodies_radii(const kg_bodies *bodies);

static inline const kg_material *kg_bodies_material(const kg_bodies *bodies, uint32_t slot)
{
    return &bodies->materials[bodies->material[slot]];
}

static inline int32_t kg_bodies_image(const kg_bodies *bodies, uint32_t slot, int axis)
{
    return bodies->has_image_columns ? (int32_t)bodies->image[axis][slot] : 0;
}

static inline uint64_t kg_bodies_user_data(const kg_bodies *bodies, uint32_t slot)
{
    return bodies->user_data ? bodies->user_data[bodies->id[slot]] : 0;
}

/* True if velocity and spin are 0. */
static inline bool kg_bodies_is_motionless(const kg_bodies *bodies, uint32_t slot)
{
    for (int k = 0; k < 3; ++k) {
        if (bodies->v[k][slot] != 0 || bodies->w[k][slot] != 0) return false;
    }
    return true;
}

static inline bool kg_bodies_is_sensor(const kg_bodies *bodies, uint32_t slot)
{
    return kg_bodies_material(bodies, slot)->sensor;
}

static inline bool kg_bodies_is_disabled(const kg_bodies *bodies, uint32_t slot)
{
    return kg_bodies_material(bodies, slot)->disabled;
}

/* True if impacts and touches of body a with body b are reported; with a boundary if b is
 * KG_NONE. */
static inline bool kg_bodies_report(const kg_bodies *bodies, uint32_t a, uint32_t b)
{
    return !kg_bodies_material(bodies, a)->quiet ||
           (b != KG_NONE && !kg_bodies_material(bodies, b)->quiet);
}

/* True if the filter of each material admits the other material, and neither is disabled. */
static inline bool kg_bodies_filters_match(const kg_material *m, const kg_material *n)
{
    return (m->category & n->mask) && (n->category & m->mask) &&
           !(m->group && m->group == n->group) && !m->disabled && !n->disabled;
}

/* True if bodies of these materials collide: the filters match, and neither is a sensor. */
static inline bool kg_bodies_materials_collide(const kg_material *m, const kg_material *n)
{
    return !m->sensor && !n->sensor && kg_bodies_filters_match(m, n);
}

#endif
