/* The columns and members of the state, one table row each. State hash, snapshots, deltas and
 * differences walk these tables; the row order is the byte order of a snapshot.
 * A new body column: 1. its pointer in kg_bodies (bodies.h); 2. KG_BODY_COLUMNS + 1 (below);
 * 3. its row in kg_body_fields (bodies.c); 4. its default in write_row (bodies.c); 5. if it is
 * saved, KUGEL_SNAPSHOT_FORMAT + 1, and KG_SNAPSHOT_OLDEST (record/snapshot.h) raised to it; 6. a
 * row in KG_GHOST_COLUMNS (impact/ghosts.c) if the impact stage reads it. Numbers are range checked
 * by kind; an integer with a narrower range also needs a check in snapshot_validate.c. */
#ifndef KG_WORLD_FIELDS_H
#define KG_WORLD_FIELDS_H

#include "base/bytes.h"
#include "base/memory.h"

typedef enum kg_field_kind { KG_F64, KG_F32, KG_U32, KG_U8 } kg_field_kind;

typedef enum kg_field_role {
    KG_ROLE_STATE, /* changes in steps: hashed and saved */
    /* set by calls: saved, not hashed. `placed` is also cleared by each step */
    KG_ROLE_CONSTANT,
    KG_ROLE_LOAD, /* forces and torques of the next step: saved if any is not 0 */
    /* crossings of periodic faces, which influence nothing: saved if any is not 0, not hashed */
    KG_ROLE_IMAGE,
    /* depends on the memory layout, or is derived from other state: neither hashed nor saved */
    KG_ROLE_LOCAL
} kg_field_role;

typedef struct kg_field {
    const char *name; /* in reports: "position.x" */
    uint32_t offset;  /* bytes, of the column's pointer or of the member */
    uint8_t kind, role;
} kg_field;
#define KG_FIELD(type, name, member, kind, role)                                                   \
    {                                                                                              \
        name, offsetof(type, member), kind, role                                                   \
    }

static inline size_t kg_field_kind_size(kg_field_kind kind)
{
    return kind == KG_F64 ? 8 : kind == KG_U8 ? 1 : 4;
}

/* Store a value by its bits. */
static inline void kg_field_put(void *at, kg_field_kind kind, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    if (kind == KG_U8) *(uint8_t *)at = (uint8_t)bits;
    else if (kind == KG_F64) memcpy(at, &bits, sizeof bits);
    else memcpy(at, &low, sizeof low);
}

/* A value's bits, those of floats with -0 as +0. */
static inline uint64_t kg_field_bits(const void *at, kg_field_kind kind)
{
    double f64;
    float f32;
    uint32_t u32;
    switch (kind) {
    case KG_F64:
        memcpy(&f64, at, sizeof f64);
        return kg_canonical_bits(f64);
    case KG_F32:
        memcpy(&f32, at, sizeof f32);
        f32 += 0.0f; /* -0 becomes +0 */
        memcpy(&u32, &f32, sizeof u32);
        return u32;
    case KG_U32:
        memcpy(&u32, at, sizeof u32);
        return u32;
    default:
        return *(const uint8_t *)at;
    }
}

enum { KG_BODY_COLUMNS = 30, KG_MATERIAL_FIELDS = 8, KG_CONTACT_FIELDS = 10 };

/* Without a length, so that a definition with another number of rows does not compile. */
extern const kg_field kg_body_fields[];     /* offset: of a pointer in kg_bodies */
extern const kg_field kg_material_fields[]; /* offset: in kg_material */
extern const kg_field kg_contact_fields[];  /* offset: in kg_contact */

#endif
