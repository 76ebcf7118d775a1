/* The surfaces of a snapshot, by index. A record is: index u32, first triangle u32, def
 * (def_encoding.h), then vertices f64 and triangles u32, or for a mesh in a snapshot with
 * KG_SNAPSHOT_NAMES the hash of its geometry u64. A mesh is built again when it is restored, unless
 * the world has a surface of the same geometry at its index. */
#ifndef KG_RECORD_SNAPSHOT_SURFACES_H
#define KG_RECORD_SNAPSHOT_SURFACES_H

#include "record/snapshot.h"

enum { KG_SURFACE_RECORD_HEADER = 8 + KG_SURFACE_DEF_BYTES };

typedef struct kg_surface_record {
    uint32_t index, first_triangle;
    kugel_surface_def def; /* without arrays */
    bool named;            /* true: a hash stands for vertices and triangles, which are NULL */
    const uint8_t *head, *geometry, *vertices, *triangles;
} kg_surface_record;

/* Bytes of the geometry in a record. */
uint64_t kg_surface_record_geometry_bytes(const kugel_surface_def *def, bool names);
/* Write that of a surface; returns its end. */
uint8_t *kg_surface_record_put_geometry(const kg_surface *surface, bool names, uint8_t *at);
/* Read the record at *at, which begins at view->surfaces, and move *at to its end; false after the
 * last. */
bool kg_snapshot_surfaces_next(const kg_snapshot_view *view, const uint8_t **at,
                               kg_surface_record *record);
uint64_t kg_surface_record_hash(const kg_surface_record *record);
/* True if all numbers of vertices and triangles are those of a mesh. */
bool kg_surface_record_arrays_valid(const kg_surface_record *record, kugel_error *error);

/* Bytes of all records. */
size_t kg_snapshot_surfaces_size(const kg_surfaces *set, bool names);
/* Write the records; returns their end. */
uint8_t *kg_snapshot_surfaces_write(const kg_surfaces *set, bool names, uint8_t *at);
/* Set the view's end of the surfaces; false if they exceed its bytes. */
bool kg_snapshot_surfaces_open(kg_snapshot_view *view);
kugel_status kg_snapshot_surfaces_check(const kg_snapshot_view *view, kugel_error *error);
/* Ranges of records, to find that of a triangle without memory: where a range begins, and the
 * numbers of triangles that its surfaces have, within [low, high). */
typedef struct kg_surface_directory {
    const uint8_t *at[256];
    uint32_t low[256], high[256], count;
} kg_surface_directory;
void kg_snapshot_surfaces_index(const kg_snapshot_view *view, kg_surface_directory *directory);
/* True if a boundary is a feature of a surface of the view. */
bool kg_snapshot_surfaces_have(const kg_snapshot_view *view, const kg_surface_directory *directory,
                               kg_boundary feature);
bool kg_snapshot_surfaces_differ(const kg_snapshot_view *p, const kg_snapshot_view *q,
                                 kugel_divergence *out);

/* Restoring (snapshot_surfaces_restore.c). */

/* Meshes of a view that a world lacks, by index. */
typedef struct kg_built_surface {
    uint32_t index;
    uint64_t geometry_hash;
    kg_mesh mesh;
} kg_built_surface;

typedef struct kg_built_surfaces {
    kg_built_surface *items;
    uint32_t count;
    kg_column column;
} kg_built_surfaces;

/* Build what the world lacks and reserve the set. On failure nothing is built, with the statuses of
 * kg_snapshot_apply. */
kugel_status kg_snapshot_surfaces_build(kugel_world *world, const kg_snapshot_view *view,
                                        const kg_mesh_source *source, kg_built_surfaces *built,
                                        kugel_error *error);
/* Give the world the view's surfaces; `built` is empty then. Cannot fail. */
void kg_snapshot_surfaces_apply(kugel_world *world, const kg_snapshot_view *view,
                                kg_built_surfaces *built);
void kg_snapshot_surfaces_drop(kugel_world *world, kg_built_surfaces *built);

#endif
