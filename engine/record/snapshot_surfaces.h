/* The surfaces in the bytes of a snapshot, a record each, in order of their indices. A record
 * holds: index u32, number of its first triangle in the world u32, def (def_encoding.h),
 * kg_surface.placed u32, geometry.
 * The geometry of a mesh is vertices, 3 f64 each, and triangles, 3 u32 each; with the flag
 * KG_SNAPSHOT_NAMES it is a hash u64. A solid shape has none. Restoring builds each mesh, unless
 * the surface with the same index in the world has the same geometry. */
#ifndef KG_RECORD_SNAPSHOT_SURFACES_H
#define KG_RECORD_SNAPSHOT_SURFACES_H

#include "record/snapshot.h"

enum { KG_SURFACE_RECORD_HEADER = 8 + KG_SURFACE_DEF_BYTES + 4 };

typedef struct kg_surface_record {
    uint32_t index, first_triangle, placed;
    kugel_surface_def def; /* without arrays */
    bool named;            /* true: the geometry is a hash; vertices and triangles are NULL */
    const uint8_t *head, *geometry, *vertices, *triangles; /* addresses in the snapshot */
} kg_surface_record;

/* Bytes of the geometry in a record. `names`: a mesh is stored as the hash of its geometry only
 * (KG_SNAPSHOT_NAMES). */
uint64_t kg_surface_record_geometry_bytes(const kugel_surface_def *def, bool names);
/* Read the record at *at and move *at to the next record; false after the last one. The first
 * record is at view->surfaces. */
bool kg_snapshot_surfaces_next(const kg_snapshot_view *view, const uint8_t **at,
                               kg_surface_record *record);
/* Hash of the geometry of a record. */
uint64_t kg_surface_record_hash(const kg_surface_record *record);
/* True if all coordinates are in range and not -0, and all triangles consist of existing vertices;
 * else *error is set. */
bool kg_surface_record_arrays_valid(const kg_surface_record *record, kugel_error *error);

/* Bytes of all records. */
size_t kg_snapshot_surfaces_size(const kg_surfaces *set, bool names);
/* Write all records; returns the end of the bytes. */
uint8_t *kg_snapshot_surfaces_write(const kg_surfaces *set, bool names, uint8_t *at);
/* Find view->surfaces_end; false if the records exceed the bytes of the snapshot. */
bool kg_snapshot_surfaces_open(kg_snapshot_view *view);
/* Check the values of all records. */
kugel_status kg_snapshot_surfaces_check(const kg_snapshot_view *view, kugel_error *error);
/* An index of the records that needs no allocation, to find the surface that has a triangle. The
 * records are divided into `count` ranges. Range k begins at at[k]; the numbers of its triangles in
 * the world lie in [low[k], high[k]). */
typedef struct kg_surface_directory {
    const uint8_t *at[256];
    uint32_t low[256], high[256], count;
} kg_surface_directory;
void kg_snapshot_surfaces_index(const kg_snapshot_view *view, kg_surface_directory *directory);
/* True if a boundary is a feature of a surface of the view. */
bool kg_snapshot_surfaces_have(const kg_snapshot_view *view, const kg_surface_directory *directory,
                               kg_boundary feature);
/* True if the surfaces of two views differ; `out` is set as in kg_snapshot_difference. */
bool kg_snapshot_surfaces_differ(const kg_snapshot_view *p, const kg_snapshot_view *q,
                                 kugel_divergence *out);

/* Restoring (snapshot_surfaces_restore.c). */

/* A mesh that a view needs and the world lacks, and the index of its surface. */
typedef struct kg_built_surface {
    uint32_t index;
    uint64_t geometry_hash;
    kg_mesh mesh;
} kg_built_surface;

/* All these meshes, in order of the indices. */
typedef struct kg_built_surfaces {
    kg_built_surface *items;
    uint32_t count;
    kg_column column;
} kg_built_surfaces;

/* Build the meshes that the world lacks and reserve memory for its surfaces. Returns the statuses
 * of kg_snapshot_apply; on an error `built` is empty. */
kugel_status kg_snapshot_surfaces_build(kugel_world *world, const kg_snapshot_view *view,
                                        const kg_mesh_source *source, kg_built_surfaces *built,
                                        kugel_error *error);
/* Replace the world's surfaces by those of the view. User data stay where no mesh was built, and
 * become 0 elsewhere. Cannot fail. Empties `built`. */
void kg_snapshot_surfaces_apply(kugel_world *world, const kg_snapshot_view *view,
                                kg_built_surfaces *built);
/* Free the meshes. */
void kg_snapshot_surfaces_drop(kugel_world *world, kg_built_surfaces *built);

#endif
