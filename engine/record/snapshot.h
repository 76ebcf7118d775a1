/* Snapshots: the canonical state as bytes, little-endian. Differences and deltas of snapshots. */
#ifndef KG_RECORD_SNAPSHOT_H
#define KG_RECORD_SNAPSHOT_H

#include "kugel/snapshot.h"
#include "record/def_encoding.h"
#include "world/world.h"

/*   0 "kugelsnp"   8 format u32   12 physics epoch u32   16 size in bytes u64
 *  24 checksum u64: XXH3-64 of the bytes from 32 on, seeded with the XXH3-64 of bytes 0 ... 23
 *  32 tick u64   40 time f64   48 impacts in all ticks u64   56 exhausted budgets u64
 *  64 bodies u32   68 end of ids u32   72 contacts u32   76 flags u32
 *  80 surfaces u32   84 indices of surfaces u32   88 rest of the time f64   96 ends u32
 * 100 exits u32   104 pairs u32   108 world def (def_encoding.h)
 *     pairs of the table, by the higher kind, then by the lower (def_encoding.h)
 *     states of the indices of surfaces, u32 each (world/indices.h)
 *     ends of contacts and exits from sensors that no step has reported (def_encoding.h),
 *     surfaces by index (snapshot_surfaces.h), then columns:
 *     contacts, if any, in order of kg_contact_set_key: kg_contact_fields
 *     ids from 0 to the end of ids: generations; then, if any id is free, one bit per id, 1: live
 *     bodies, if any, in order of ids: kg_body_fields, kg_material_fields of each body's material
 *
 * A column is a mode byte (KG_MODE_...) and the encoded values. If all rows have one value, the
 * mode is KG_MODE_CONSTANT, else the mode that takes the fewest bytes. -0 is stored as +0: equal
 * states give equal bytes. */

#define KG_SNAPSHOT_MAGIC "kugelsnp"
enum {
    KG_SNAPSHOT_CHECKSUM = 24, /* offset of the checksum */
    KG_SNAPSHOT_DEF = 108,     /* offset of the world def */
    KG_SNAPSHOT_HEADER = KG_SNAPSHOT_DEF + KG_WORLD_DEF_BYTES,
    KG_SNAPSHOT_LOADS = 1,  /* flag: forces and torques are among the columns */
    KG_SNAPSHOT_IMAGES = 2, /* flag: images are among the columns */
    KG_SNAPSHOT_NAMES = 4,  /* flag: a mesh is stored as the hash of its geometry */
    KG_SNAPSHOT_FLAGS = KG_SNAPSHOT_LOADS | KG_SNAPSHOT_IMAGES | KG_SNAPSHOT_NAMES,
    KG_DICTIONARY_MAX = 255 /* maximum number of values in a dictionary */
};

/* Columns (snapshot_column.c). */

/* Mode byte of a column, and what follows it. */
enum {
    KG_MODE_RAW = 0,        /* a value for each row */
    KG_MODE_CONSTANT = 1,   /* one value, which all rows have */
    KG_MODE_DICTIONARY = 2, /* count of values u8, distinct values by first use, index u8 per row */
    KG_MODE_PACKED = 3      /* of integers: bits of a value u8, values, lowest bit first */
};

/* Source of a column. Row r is the value at base + i * stride, where i is index[r], or r if index
 * is NULL. A row with i == KG_NONE is skipped. With `indirect`, indirect[i] replaces i. A source of
 * contacts has their sets and the offset of a field instead. */
typedef struct kg_column_source {
    kg_contact_walk *contacts; /* NULL: a source of other rows */
    size_t offset;
    const void *base;
    size_t stride;
    const uint32_t *index, *indirect;
    uint32_t end;   /* rows including skipped ones */
    uint32_t count; /* rows without skipped ones */
    kg_field_kind kind;
    bool contiguous; /* true: the rows are a permutation of an array of `count` items at base */
} kg_column_source;

/* A column in the bytes of a snapshot; all members are NULL or 0 if the column is not saved. */
typedef struct kg_snapshot_column {
    const uint8_t *bytes; /* begin with the mode byte */
    size_t size;          /* bytes */
    const uint8_t *values;
    const uint8_t *indices; /* KG_MODE_DICTIONARY: for each row an index into values; else NULL */
    uint32_t count;
    uint8_t mode; /* KG_MODE_... */
    uint8_t bits; /* KG_MODE_PACKED: bits of a value; else 0 */
    kg_field_kind kind;
} kg_snapshot_column;

/* Upper bound of the size of a column, bytes. */
static inline size_t kg_snapshot_column_bound(size_t count, kg_field_kind kind)
{
    return 1 + (count ? count : 1) * kg_field_kind_size(kind);
}

/* Write a column; returns its size, at most kg_snapshot_column_bound(source->count, kind). */
size_t kg_snapshot_column_write(uint8_t *out, const kg_column_source *source);
/* Parse a column of `count` rows. False if the mode is invalid, the column exceeds `size` bytes, or
 * an index exceeds the dictionary. Values are not checked. */
bool kg_snapshot_column_read(const uint8_t *data, size_t size, uint32_t count, kg_field_kind kind,
                             kg_snapshot_column *view);
/* The bits of the value of a row. */
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
    uint32_t bodies, id_end, contacts, surfaces, flags, ends, exits, surface_indices, pairs;
} kg_snapshot_counts;

/* A parsed snapshot. */
typedef struct kg_snapshot_view {
    const uint8_t *data, *pairs, *surface_indices, *ends, *exits;
    const uint8_t *surfaces, *surfaces_end;
    const uint8_t *live; /* one bit per id, 1: live; NULL: all ids are live */
    size_t size;
    kugel_world_def def;
    uint64_t tick, impacts, budgets_exhausted;
    double time, time_rest;
    uint32_t physics_epoch; /* of the writer */
    kg_snapshot_counts counts;
    kg_snapshot_column columns[KG_VIEW_COLUMNS];
} kg_snapshot_view;

/* The field of a column. */
const kg_field *kg_snapshot_field(uint32_t column);
/* Number of rows of a column in a snapshot with these counts; 0 if the column is not saved. */
uint32_t kg_snapshot_rows(const kg_snapshot_counts *counts, uint32_t column);
/* Pair k of the table; k is below the count of pairs. */
kg_pair_row kg_snapshot_pair(const kg_snapshot_view *view, uint32_t k);
/* State of an index of surfaces (world/indices.h); 0 if it was never given. */
uint32_t kg_snapshot_surface_state(const kg_snapshot_view *view, uint32_t index);
/* Bytes of the live bits, which follow the generations; 0 if all ids are live. */
size_t kg_snapshot_live_bytes(const kg_snapshot_counts *counts);
kg_snapshot_counts kg_snapshot_read_counts(const uint8_t *header);
/* The checksum that belongs at offset KG_SNAPSHOT_CHECKSUM of these bytes. */
uint64_t kg_snapshot_checksum(const uint8_t *data, size_t size);

/* Set *error to status KUGEL_ERROR_FORMAT and return this status. `error` may be NULL. */
kugel_status kg_snapshot_error(kugel_error *error, const char *what, const char *why);

/* Parse a snapshot: checks the checksum, the counts and the sizes of all parts, but no values. */
kugel_status kg_snapshot_open(const void *data, size_t size, kg_snapshot_view *view,
                              kugel_error *error);
/* Check all values as the public functions that set them do. */
kugel_status kg_snapshot_validate(const kg_snapshot_view *view, kugel_error *error);

/* Upper bound of the size of a snapshot of the world, bytes. */
size_t kg_snapshot_bound(const kugel_world *world, bool with_meshes);
/* Write a snapshot to `out`, which has space for kg_snapshot_bound bytes. Returns its size. */
size_t kg_snapshot_write(const kugel_world *world, bool with_meshes, uint8_t *out);
/* Reserve the memory that restoring the view needs. False on any failure. The world's state stays
 * unchanged. */
bool kg_snapshot_reserve(kugel_world *world, const kg_snapshot_view *view);

/* A source of meshes, for a snapshot that stores hashes instead of meshes. */
typedef struct kg_mesh_source {
    void *user;
    /* Set *geometry to the encoded vertices and triangles (def_encoding.h) of the mesh that has
     * this hash and the counts of `def`; valid until the next call. Sets *error if it has none. */
    kugel_status (*find)(void *user, uint64_t hash, const kugel_surface_def *def,
                         const uint8_t **geometry, kugel_error *error);
} kg_mesh_source;

/* Restore a validated view. A mesh that the snapshot stores as a hash is taken from the world, or
 * from `source` if the world lacks it. On an error the world is unchanged:
 * KUGEL_ERROR_OUT_OF_MEMORY; KUGEL_ERROR_FORMAT: a mesh is invalid; KUGEL_ERROR_STATE: the world
 * lacks a mesh and `source` is NULL; or the status that source->find returned. */
kugel_status kg_snapshot_apply(kugel_world *world, const kg_snapshot_view *view,
                               const kg_mesh_source *source, kugel_error *error);
/* Check the bytes of a snapshot and restore it. */
kugel_status kg_snapshot_restore(kugel_world *world, const void *data, size_t size,
                                 const kg_mesh_source *source, kugel_error *error);

/* Differences (snapshot_difference.c). */

/* True if two validated snapshots differ. The members of `out` (NULL allowed) from `located` on are
 * then set to the first difference. */
bool kg_snapshot_difference(const kg_snapshot_view *expected, const kg_snapshot_view *found,
                            kugel_divergence *out);
/* Set the members of `out` from `located` on to a difference of one field. Returns true. `out` may
 * be NULL. */
bool kg_snapshot_difference_set(kugel_divergence *out, uint32_t body, const char *field,
                                double expected, double found);

/* Deltas: bytes that encode the difference of two snapshots (delta.c). */

/* Upper bound of a delta's size for a new snapshot of `size` bytes. */
size_t kg_delta_bound(size_t size);
/* Write the delta from `base` to `to`. Returns its size, bytes; 0 if the capacity is too small. */
size_t kg_delta_write(const kg_snapshot_view *base, const kg_snapshot_view *to, uint8_t *out,
                      size_t capacity);
/* True if the delta's checksum matches and its format is known. Sets *snapshot_size to the size of
 * the new snapshot. */
bool kg_delta_is_valid(const uint8_t *delta, size_t size, uint64_t *snapshot_size);
/* Decode a valid delta to `out`, which has space for the new snapshot. False if the delta belongs
 * to another base, or its content does not give a snapshot. */
bool kg_delta_apply(const kg_snapshot_view *base, const uint8_t *delta, size_t size, uint8_t *out);

#endif
