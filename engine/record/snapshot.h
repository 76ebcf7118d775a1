/* Snapshots: the canonical state as bytes, little-endian.
 *
 *   0 "kugelsnp"   8 format u32   12 physics epoch u32   16 size of all u64
 *  24 XXH3-64 of all other bytes (those behind it, seeded with the hash of those before)
 *  32 tick u64   40 time f64   48 impacts so far u64   56 budgets used up so far u64
 *  64 bodies u32   68 end of ids u32   72 contacts u32   76 planes u32   80 flags u32   84 0 u32
 *  88 the world's def (def_encoding.h), then the planes, then columns:
 *     contacts, if any, in the order of kg_contact_set_key: a, b and other of kg_contact;
 * kg_contact_fields ids: generations of [0, end), free ones among them; if some are free: live or
 * not, one bit each bodies by id: kg_body_fields, their materials' kg_material_fields
 *
 * A column is a byte of mode and what the mode says, the shortest of: all values; one value that
 * all rows share; up to 255 values in the order of their first use, and a byte for each row; for
 * integers, the bits that the largest takes, and each value in so many bits, the lowest first.
 * Numbers are canonical (-0 is +0), rows are in the order of ids: equal states give equal bytes. */
#ifndef KG_RECORD_SNAPSHOT_H
#define KG_RECORD_SNAPSHOT_H

#include "kugel/snapshot.h"
#include "record/def_encoding.h"
#include "world/world.h"

#define KG_SNAPSHOT_MAGIC "kugelsnp"
enum {
    KG_SNAPSHOT_CHECKSUM = 24, /* where the check is */
    KG_SNAPSHOT_DEF = 88,
    KG_SNAPSHOT_HEADER = KG_SNAPSHOT_DEF + KG_WORLD_DEF_BYTES,
    KG_SNAPSHOT_LOADS = 1,  /* flag: forces and torques are among the columns */
    KG_DICTIONARY_MAX = 255 /* values of a dictionary */
};

/* ---- columns (snapshot_column.c) ---- */

/* Where values come from: row r is the member at base + index[r] * stride; rows whose index is
 * KG_NONE are passed over. index NULL: r itself. indirect: index[r] is looked up once more.
 * contiguous: the base holds `count` items side by side and the rows are these, in whatever order.
 */
typedef struct kg_column_source {
    const void *base;
    size_t stride;
    const uint32_t *index, *indirect;
    uint32_t end;   /* rows, with those passed over */
    uint32_t count; /* without them */
    kg_field_kind kind;
    bool contiguous;
} kg_column_source;

/* A column in a snapshot. */
typedef struct kg_snapshot_column {
    const uint8_t *bytes; /* from the mode on */
    size_t size;
    const uint8_t *values, *rows; /* rows: NULL unless a dictionary */
    uint32_t count;
    uint8_t mode; /* 0 all values, 1 one value, 2 dictionary, 3 packed bits */
    uint8_t bits; /* of a value in mode 3 */
    kg_field_kind kind;
} kg_snapshot_column;

static inline size_t kg_snapshot_column_bound(size_t count, kg_field_kind kind)
{
    return 1 + (count ? count : 1) * kg_field_kind_size(kind);
}

/* Write a column; returns the bytes, at most kg_snapshot_column_bound(source->count, kind). */
size_t kg_snapshot_column_write(uint8_t *out, const kg_column_source *source);
/* Read one of `count` rows; false when it does not fit the bytes. The values may be any. */
bool kg_snapshot_column_read(const uint8_t *data, size_t size, uint32_t count, kg_field_kind kind,
                             kg_snapshot_column *view);
/* The bits of a row's value. */
uint64_t kg_snapshot_column_bits(const kg_snapshot_column *view, uint32_t row);
/* Copy all rows to an array of the column's kind. */
void kg_snapshot_column_copy(const kg_snapshot_column *view, void *to);

/* ---- whole snapshots ---- */

enum {
    KG_VIEW_CONTACT_A,
    KG_VIEW_CONTACT_B,
    KG_VIEW_CONTACT_OTHER,
    KG_VIEW_CONTACT_FIELDS,
    KG_VIEW_GENERATIONS = KG_VIEW_CONTACT_FIELDS + KG_CONTACT_FIELDS,
    KG_VIEW_BODY_FIELDS,
    KG_VIEW_MATERIAL_FIELDS = KG_VIEW_BODY_FIELDS + KG_BODY_COLUMNS,
    KG_VIEW_COLUMNS = KG_VIEW_MATERIAL_FIELDS + KG_MATERIAL_FIELDS
};

/* A snapshot that was found whole. Columns that are not saved have bytes NULL. */
typedef struct kg_snapshot_view {
    const uint8_t *data, *planes;
    const uint8_t *live; /* a bit for each id; NULL: all are live */
    size_t size;
    kugel_world_def def;
    uint64_t tick, impacts, budgets_exhausted;
    double time;
    uint32_t bodies, id_end, contacts, plane_count, flags;
    kg_snapshot_column columns[KG_VIEW_COLUMNS];
} kg_snapshot_view;

/* Columns of KG_ROLE_LOCAL are not saved, those of KG_ROLE_LOAD if the flag is set. */
bool kg_snapshot_saves_field(const kg_field *field, uint32_t flags);
uint64_t kg_snapshot_hash(const uint8_t *data, size_t size);

/* Take a snapshot apart: check, sizes and lengths, not the values. The error says what is wrong. */
kugel_status kg_snapshot_open(const void *data, size_t size, kg_snapshot_view *view,
                              kugel_error *error);
/* Check all values, as calls of the API would have (snapshot_validate.c). */
kugel_status kg_snapshot_validate(const kg_snapshot_view *view, kugel_error *error);

size_t kg_snapshot_bound(const kugel_world *world);
/* In: room as kg_snapshot_bound says. Returns the size. */
size_t kg_snapshot_write(const kugel_world *world, uint8_t *out);
/* Memory for all that the view holds, which is then never short of it; false leaves the world as it
 * was. */
bool kg_snapshot_reserve(kugel_world *world, const kg_snapshot_view *view);
/* Make the world that of a validated view; KUGEL_ERROR_OUT_OF_MEMORY leaves it as it was. */
kugel_status kg_snapshot_apply(kugel_world *world, const kg_snapshot_view *view);

#endif
