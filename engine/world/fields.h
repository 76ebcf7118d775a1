/* Tables of the columns and members of the state, one row each. State hash, snapshots, deltas and
 * differences loop over these tables. A snapshot has the columns in the order of the rows.
 * A new body column: 1. its pointer in kg_bodies and 2. KG_BODY_COLUMNS + 1 (bodies.h); 3. its row
 * in kg_body_fields and 4. its default in write_row (bodies.c); 5. if saved, the snapshot format;
 * 6. if the step changes it, a column in kg_work (work.h) and two rows in work.c; 7. if the impact
 * stage reads it, a row in KG_GHOST_COLUMNS (impact/ghosts.c), and if impacts change it, in
 * KG_GHOST_STATE there and in kg_tick_path_hash (impact/tick_paths.c).
 * tools/docs/contributing.md has each step in full. */
#ifndef KG_WORLD_FIELDS_H
#define KG_WORLD_FIELDS_H

#include "base/bytes.h"
#include "base/memory.h"

typedef enum kg_field_kind { KG_F64, KG_F32, KG_U32, KG_U8 } kg_field_kind;

/* What becomes of a column. "Hashed" means in the state hash. */
typedef enum kg_field_role {
    KG_ROLE_STATE,    /* changes in steps: hashed and saved */
    KG_ROLE_CONSTANT, /* set by calls: saved, not hashed. A step sets `placed` to 0 */
    KG_ROLE_LOAD,     /* forces and torques of the next step: saved if any is not 0, not hashed */
    /* crossings of periodic faces, which influence nothing: saved if any is not 0, not hashed */
    KG_ROLE_IMAGE,
    /* depends on the memory layout, or is derived from other state: neither hashed nor saved. A
     * restore does not write the column: record/snapshot_apply.c recomputes it, for example by
     * kg_contact_set_count. Ranks send it verbatim (body_rows.h). */
    KG_ROLE_LOCAL
} kg_field_role;

typedef struct kg_field {
    const char *name; /* in reports, as "position.x" */
    uint32_t offset;  /* bytes, of the column's pointer or of the member in its struct */
    uint8_t kind, role;
    /* of body columns KG_ROLE_CONSTANT and KG_ROLE_LOCAL: the impact stage does not read it */
    bool unread_by_impacts;
} kg_field;
#define KG_FIELD(type, name, member, kind, role)                                                   \
    {                                                                                              \
        name, offsetof(type, member), kind, role                                                   \
    }

static inline size_t kg_field_kind_size(kg_field_kind kind)
{
    return kind == KG_F64 ? 8 : kind == KG_U8 ? 1 : 4;
}

/* Store the value with these bits. */
static inline void kg_field_put(void *at, kg_field_kind kind, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    if (kind == KG_U8) *(uint8_t *)at = (uint8_t)bits;
    else if (kind == KG_F64) memcpy(at, &bits, sizeof bits);
    else memcpy(at, &low, sizeof low);
}

/* The bits of a value. A float or double of -0 has the bits of +0. */
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

#endif
