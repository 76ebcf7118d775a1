/* The columns and members of the state, one table row each. State hash, snapshots, deltas and
 * differences walk these tables; the row order is the byte order of a snapshot.
 * A new body column: 1. its pointer in kg_bodies (bodies.h); 2. KG_BODY_COLUMNS + 1 (below);
 * 3. its row in kg_body_fields (bodies.c); 4. its default in write_row (bodies.c);
 * 5. KUGEL_SNAPSHOT_FORMAT + 1 (snapshot.h) if it is saved. Numbers are range checked by kind; an
 * integer with a narrower range also needs a check in snapshot_validate.c. */
#ifndef KG_WORLD_FIELDS_H
#define KG_WORLD_FIELDS_H

#include <stddef.h>
#include <stdint.h>

typedef enum kg_field_kind { KG_F64, KG_F32, KG_U32, KG_U8 } kg_field_kind;

typedef enum kg_field_role {
    KG_ROLE_STATE, /* changes in steps: hashed and saved */
    /* set by calls: saved, not hashed. `placed` is also cleared by each step */
    KG_ROLE_CONSTANT,
    KG_ROLE_LOAD, /* forces and torques of the next step: saved if any is not 0 */
    KG_ROLE_LOCAL /* depends on the world's memory layout: neither hashed nor saved */
} kg_field_role;

typedef struct kg_field {
    const char *name; /* in reports: "position.x" */
    uint32_t offset;  /* bytes, of the column's pointer or of the member */
    uint8_t kind, role;
} kg_field;

static inline size_t kg_field_kind_size(kg_field_kind kind)
{
    return kind == KG_F64 ? 8 : kind == KG_U8 ? 1 : 4;
}

enum { KG_BODY_COLUMNS = 26, KG_MATERIAL_FIELDS = 8, KG_CONTACT_FIELDS = 7 };

extern const kg_field kg_body_fields[KG_BODY_COLUMNS]; /* offset: of a pointer in kg_bodies */
extern const kg_field kg_material_fields[KG_MATERIAL_FIELDS]; /* offset: in kg_material */
extern const kg_field kg_contact_fields[KG_CONTACT_FIELDS];   /* offset: in kg_contact */

#endif
