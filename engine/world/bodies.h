/* Bodies as columns. A row is a slot; slots [0, count) are live. The grid sorts them in space
 * and permutes all columns together. Ids are stable: slot[id] is the row, id[slot] the id.
 * Results never depend on slots. */
#ifndef KG_WORLD_BODIES_H
#define KG_WORLD_BODIES_H

#include "base/memory.h"
#include "world/fields.h"

/* Contact material and filter, shared by bodies with equal values: a body stores its index, 4
 * bytes. */
typedef struct kg_material {
    double restitution, friction, rolling_resistance, gravity_scale;
    uint32_t category, mask;
    uint32_t group;      /* bodies of one group do not collide; 0: no group */
    uint32_t body_count; /* users; 0: the row is free */
    bool sensor;
} kg_material;

typedef struct kg_bodies {
    uint32_t count;               /* live */
    uint32_t absent_count;        /* live bodies without a row: another rank has it (world.h) */
    uint32_t id_end;              /* ids lie in [0, id_end) */
    uint32_t free_id_lower_bound; /* no free id is below */
    uint32_t material_count;
    bool has_load_columns;  /* force and torque have rows */
    bool has_image_columns; /* image has rows: an axis is periodic */
    bool has_forces;        /* some force or torque may differ from 0; in a step: some does */

    /* by slot */
    double *x[3];       /* m */
    double *v[3];       /* m/s */
    double *w[3];       /* rad/s */
    double *force[3];   /* N, for the next step */
    double *torque[3];  /* N m, for the next step */
    uint32_t *image[3]; /* crossings of periodic faces, as an int32_t: max less min */
    float *q[4];        /* unit quaternion x, y, z, w */
    double *radius;     /* m */
    double *mass;       /* kg; 0: infinite */
    uint32_t *material; /* index into materials */
    uint32_t *id;
    uint32_t *contact_count; /* resting contacts of the body; derived from the contact set */
    uint8_t *type;           /* kugel_body_type */
    /* 1: created, moved, resized, given another type, or newly admitted by a changed filter since
     * the last step; then it is inside no sensor yet */
    uint8_t *placed;
    uint8_t *sleep_state; /* see world/sleep_state.h */

    /* by id */
    uint32_t *slot;       /* KG_NONE: free */
    uint32_t *generation; /* of the live or last body with this id */
    uint64_t *user_data;  /* the host's; NULL while all are 0 */

    kg_material *materials;

    kg_column columns[KG_BODY_COLUMNS]; /* as kg_body_fields */
    kg_column by_id[3];
    kg_column material_column;
} kg_bodies;

/* Reserve n bodies and n ids; false when out of memory, with everything as it was. */
bool kg_bodies_reserve(kg_memory *memory, kg_bodies *bodies, size_t n);
/* Reserve forces and torques, all 0; false when out of memory. */
bool kg_bodies_reserve_loads(kg_memory *memory, kg_bodies *bodies);
/* Reserve images, all 0; false when out of memory. */
bool kg_bodies_reserve_images(kg_memory *memory, kg_bodies *bodies);
/* Reserve user data, all 0; false when out of memory. */
bool kg_bodies_reserve_user_data(kg_memory *memory, kg_bodies *bodies);
/* True of a column of kg_body_fields without rows. */
bool kg_bodies_lack_column(const kg_bodies *bodies, int k);
void kg_bodies_set_column(kg_bodies *bodies, int k, void *data);
/* Bytes of an item of column k of kg_body_fields. */
static inline size_t kg_bodies_item_size(int k)
{
    return kg_field_kind_size(kg_body_fields[k].kind);
}
/* Data of a column of kg_body_fields. */
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

/* Row of an equal material that is in use, or KG_NONE; *free_row: a free row, or KG_NONE. Bodies
 * created one after another share a material, so only the newest rows are searched. */
enum { KG_MATERIALS_SEARCHED = 32 };
uint32_t kg_bodies_find_material(const kg_bodies *bodies, const kg_material *material,
                                 uint32_t *free_row);
/* Give a body another material; false when out of memory. */
bool kg_bodies_set_material(kg_memory *memory, kg_bodies *bodies, uint32_t slot,
                            const kg_material *material);

/* Slot of a handle, or KG_NONE when it is stale. */
uint32_t kg_bodies_find(const kg_bodies *bodies, kugel_body body);
kugel_body kg_bodies_handle(const kg_bodies *bodies, uint32_t slot);
kugel_body kg_bodies_handle_of_id(const kg_bodies *bodies, uint32_t id);

/* True if some body is a sensor. */
bool kg_bodies_any_sensor(const kg_bodies *bodies);
/* The smallest radius of the bodies that are not sensors, m; `of_all` where all are sensors. */
double kg_bodies_smallest_solid_radius(const kg_bodies *bodies, double of_all);
/* True if some force or torque differs from 0. */
bool kg_bodies_any_load(const kg_bodies *bodies);
/* True if some image differs from 0. */
bool kg_bodies_any_image(const kg_bodies *bodies);

/* Copy rows order[0..n) of column k, which is not lacking. */
void kg_bodies_gather_column(const kg_bodies *bodies, int k, const uint32_t *order, size_t n,
                             void *items);
/* Row order[i] of column k becomes row i; `scratch` holds 8 bytes a body. After all columns, set
 * slot[] of rows [from, to). Tasks may permute different columns. */
void kg_bodies_permute_column(kg_bodies *bodies, int k, const uint32_t *order, void *scratch);
void kg_bodies_set_slots(kg_bodies *bodies, uint32_t from, uint32_t to);

/* True if restitution is 1 and friction 0 for all bodies except sensors. */
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

static inline bool kg_bodies_is_sensor(const kg_bodies *bodies, uint32_t slot)
{
    return kg_bodies_material(bodies, slot)->sensor;
}

/* True if the filters of both materials admit the other. */
static inline bool kg_bodies_filters_match(const kg_material *m, const kg_material *n)
{
    return (m->category & n->mask) && (n->category & m->mask) &&
           !(m->group && m->group == n->group);
}

static inline bool kg_bodies_materials_collide(const kg_material *m, const kg_material *n)
{
    return !m->sensor && !n->sensor && kg_bodies_filters_match(m, n);
}

#endif
