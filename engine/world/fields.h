/* Fields: tables of the columns and members of the state. State hash, snapshots and differences
 * read these tables, so a new column of state is one row here (bodies.c, contact_set.c) and a
 * value where a body is created. The order of rows is that of the bytes in a snapshot: a change
 * is a new format. */
#ifndef KG_WORLD_FIELDS_H
#define KG_WORLD_FIELDS_H

#include <stddef.h>
#include <stdint.h>

typedef enum kg_field_kind { KG_F64, KG_F32, KG_U32, KG_U8 } kg_field_kind;

typedef enum kg_field_role {
    KG_ROLE_STATE,    /* changes in steps: hashed and saved */
    KG_ROLE_CONSTANT, /* given to the body at its creation: saved */
    KG_ROLE_LOAD,     /* forces and torques for the next step: saved while some are not 0 */
    KG_ROLE_LOCAL     /* depends on this world's memory: neither hashed nor saved */
} kg_field_role;

typedef struct kg_field {
    const char *name; /* in reports: "position.x" */
    uint32_t offset;  /* of the pointer to the column, or of the member */
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
