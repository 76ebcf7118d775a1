/* Snapshots: the canonical state as bytes, little-endian; their differences and deltas. */
#ifndef KG_RECORD_SNAPSHOT_H
#define KG_RECORD_SNAPSHOT_H

#include "kugel/snapshot.h"
#include "record/def_encoding.h"
#include "world/world.h"

/*   0 "kugelsnp"   8 format u32   12 physics epoch u32   16 size in bytes u64
 *  24 XXH3-64 of all other bytes (those after it, seeded with the hash of those before it)
 *  32 tick u64   40 time f64   48 impacts in all ticks u64   56 exhausted budgets u64
 *  64 bodies u32   68 end of ids u32   72 contacts u32   76 planes u32   80 flags u32
 *  84 surfaces u32
 *  88 world def (def_encoding.h), planes, surfaces by index (snapshot_surfaces.h), then columns:
 *     contacts, if any, by kg_contact_set_key: kg_contact_fields
 *     ids: generations of [0, end) including free ids; if some are free, one bit an id, 1: live
 *     bodies by id: kg_body_fields, kg_material_fields of their materials
 *
 * A column is a mode byte and the shortest of four encodings: all values; one value for all rows;
 * up to 255 values in the order of their first use and an index byte a row; for integers, values
 * packed in the bits of the largest, lowest bit first. -0 is stored as +0: equal states give equal
 * bytes. */

#define KG_SNAPSHOT_MAGIC "kugelsnp"
enum {
    KG_SNAPSHOT_CHECKSUM = 24, /* offset */
    KG_SNAPSHOT_DEF = 88,
    KG_SNAPSHOT_HEADER = KG_SNAPSHOT_DEF + KG_WORLD_DEF_BYTES,
    KG_SNAPSHOT_LOADS = 1,  /* flag: forces and torques are among the columns */
    KG_SNAPSHOT_IMAGES = 2, /* flag: images are among the columns; since format 3 */
    KG_SNAPSHOT_NAMES = 4,  /* flag: hashes stand for meshes; since format 4 */
    KG_SNAPSHOT_OLDEST = 2, /* format that can still be read */
    KG_DICTIONARY_MAX = 255 /* values of a dictionary */
};

/* Columns (snapshot_column.c). */

/* Source of a column: row r is the member at base + i * stride with i = index[r], or r if index is
 * NULL; rows with i == KG_NONE are skipped. With `indirect`, i is replaced by indirect[i].
 * contiguous: true if base is an array of `count` items and the rows are a permutation of it. */
typedef struct kg_column_source {
    const void *base;
    size_t stride;
    const uint32_t *index, *indirect;
    uint32_t end;   /* rows including skipped ones */
    uint32_t count; /* rows without skipped ones */
    kg_field_kind kind;
    bool contiguous;
} kg_column_source;

/* A column in a snapshot; all NULL and 0 if it is not saved. */
typedef struct kg_snapshot_column {
    const uint8_t *bytes; /* mode byte first */
    size_t size;
    const uint8_t *values, *indices; /* indices: of mode 2, else NULL */
    uint32_t count;
    uint8_t mode; /* 0 all values, 1 one value, 2 dictionary, 3 packed bits */
    uint8_t bits; /* of a value in mode 3 */
    kg_field_kind kind;
} kg_snapshot_column;

static inline size_t kg_snapshot_column_bound(size_t count, kg_field_kind kind)
{
    return 1 + (count ? count : 1) * kg_field_kind_size(kind);
}

/* Write a column; returns its size, at most kg_snapshot_column_bound(source->count, kind). */
size_t kg_snapshot_column_write(uint8_t *out, const kg_column_source *source);
/* Parse a column of `count` rows; false if it exceeds the bytes. Values are not checked. */
bool kg_snapshot_column_read(const uint8_t *data, size_t size, uint32_t count, kg_field_kind kind,
                             kg_snapshot_column *view);
/* The bits of a row's value. */
uint64_t kg_snapshot_column_bits(const kg_snapshot_column *view, uint32_t row);
/* Copy all rows to an array of the column's kind. */
void kg_snapshot_column_copy(const kg_snapshot_column *view, void *to);

/* Whole snapshots. */

/* Columns in the order of the bytes: contacts, generations of ids, bodies, materials. */
enum {
    KG_VIEW_CONTACT_FIELDS,
    KG_VIEW_GENERATIONS = KG_VIEW_CONTACT_FIELDS + KG_CONTACT_FIELDS,
    KG_VIEW_BODY_FIELDS,
    KG_VIEW_MATERIAL_FIELDS = KG_VIEW_BODY_FIELDS + KG_BODY_COLUMNS,
    KG_VIEW_COLUMNS = KG_VIEW_MATERIAL_FIELDS + KG_MATERIAL_FIELDS
};

typedef struct kg_snapshot_counts {
    uint32_t bodies, id_end, contacts, planes, surfaces, flags;
} kg_snapshot_counts;

/* A parsed snapshot. */
typedef struct kg_snapshot_view {
    const uint8_t *data, *planes;
    const uint8_t *surfaces, *surfaces_end;
    const uint8_t *live; /* one bit an id, 1: live; NULL: all ids are live */
    size_t size;
    kugel_world_def def;
    uint64_t tick, impacts, budgets_exhausted;
    uint32_t format; /* of the writer */
    double time;
    kg_snapshot_counts counts;
    kg_snapshot_column columns[KG_VIEW_COLUMNS];
} kg_snapshot_view;

/* The field of a column. */
const kg_field *kg_snapshot_field(uint32_t column);
/* Rows of a column in a snapshot of these counts; 0 if it is not saved. */
uint32_t kg_snapshot_rows(const kg_snapshot_counts *counts, uint32_t column);
/* Bytes of the live bits, which follow the generations. */
size_t kg_snapshot_live_bytes(const kg_snapshot_counts *counts);
kg_snapshot_counts kg_snapshot_read_counts(const uint8_t *header);
uint64_t kg_snapshot_checksum(const uint8_t *data, size_t size);

/* Set an error of status KUGEL_ERROR_FORMAT, which is returned. */
kugel_status kg_snapshot_error(kugel_error *error, const char *what, const char *why);

/* Parse a snapshot: checksum, counts and column sizes, not values. */
kugel_status kg_snapshot_open(const void *data, size_t size, kg_snapshot_view *view,
                              kugel_error *error);
/* Check all values as the API does. */
kugel_status kg_snapshot_validate(const kg_snapshot_view *view, kugel_error *error);

size_t kg_snapshot_bound(const kugel_world *world, bool with_meshes);
/* `out` has kg_snapshot_bound bytes. Returns the size. */
size_t kg_snapshot_write(const kugel_world *world, bool with_meshes, uint8_t *out);
/* Reserve memory for the view's state; false when out of memory, the world is unchanged. */
bool kg_snapshot_reserve(kugel_world *world, const kg_snapshot_view *view);

/* Where meshes are found that a snapshot names. NULL: in the world only. */
typedef struct kg_mesh_source {
    void *user;
    /* Set *geometry to the vertices and triangles (def_encoding.h) of the mesh with this hash and
     * the def's counts, valid until the next call. An error if there is none. */
    kugel_status (*find)(void *user, uint64_t hash, const kugel_surface_def *def,
                         const uint8_t **geometry);
} kg_mesh_source;

/* Restore a validated view. With an error the world is unchanged: KUGEL_ERROR_OUT_OF_MEMORY,
 * KUGEL_ERROR_FORMAT for a mesh that no world has, KUGEL_ERROR_STATE for a named one that is not
 * found. */
kugel_status kg_snapshot_apply(kugel_world *world, const kg_snapshot_view *view,
                               const kg_mesh_source *source, kugel_error *error);
/* Check the bytes of a snapshot and restore it. */
kugel_status kg_snapshot_restore(kugel_world *world, const void *data, size_t size,
                                 const kg_mesh_source *source, kugel_error *error);

/* Differences (snapshot_difference.c). */

/* The first difference of two validated snapshots. Members from `located` on are set. */
bool kg_snapshot_difference(const kg_snapshot_view *expected, const kg_snapshot_view *found,
                            kugel_divergence *out);
/* Set the located difference of one field; `out` may be NULL. Returns true. */
bool kg_snapshot_difference_set(kugel_divergence *out, uint32_t body, const char *field,
                                double expected, double found);

/* Deltas: bytes that encode the difference of two snapshots (delta.c). */

size_t kg_delta_bound(size_t size);
/* Returns the delta's size in bytes, 0 if the capacity is too small. */
size_t kg_delta_write(const kg_snapshot_view *base, const kg_snapshot_view *to, uint8_t *out,
                      size_t capacity);
bool kg_delta_is_valid(const uint8_t *delta, size_t size, uint64_t *snapshot_size);
/* In: a valid delta; `out` holds its snapshot's size. false: the delta belongs to another base. */
bool kg_delta_apply(const kg_snapshot_view *base, const uint8_t *delta, size_t size, uint8_t *out);

#endif
