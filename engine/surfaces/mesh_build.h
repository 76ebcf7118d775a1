/* What the parts of building a mesh share: tolerances, scratch memory, normals of triangles.
 * In and out: the mesh, whose arrays each part fills. Each returns false when out of memory. */
#ifndef KG_SURFACES_MESH_BUILD_H
#define KG_SURFACES_MESH_BUILD_H

#include "base/constants.h"
#include "base/scratch.h"
#include "base/vec.h"
#include "surfaces/mesh.h"

typedef struct kg_mesh_builder {
    kg_memory *memory;
    kg_scratch scratch;
    kg_mesh *mesh;
    double low[3];   /* of all vertices, m */
    double weld;     /* vertices at most so far apart are one, m */
    double flat;     /* a facet's vertices are at most so far from its plane, m */
    double *normal;  /* [3 * triangle_count]; unit, of the corners' order */
    double *height;  /* [triangle_count]; over the longest edge, m; 0: dropped */
    uint8_t *joined; /* [triangle_count]; 1: a facet of this name goes on beyond a T-junction */
    uint64_t beside_left; /* triangles that searches for T-junctions may still look at */
} kg_mesh_builder;

enum {
    KG_MESH_VERTEX,
    KG_MESH_CORNER,
    KG_MESH_FACET,
    KG_MESH_AROUND,
    KG_MESH_ANSWERS,
    KG_MESH_SPOKE_START,
    KG_MESH_SPOKE,
    KG_MESH_NODE,
    KG_MESH_LEAF,
    KG_MESH_OWNER
};

/* Reserve n items of an array of the mesh, without slack. */
#define KG_MESH_RESERVE(builder, column, array, n)                                                 \
    (kg_column_reserve_exact((builder)->memory, &(builder)->mesh->columns[column],                 \
                             sizeof *(builder)->mesh->array, n, 0) &&                              \
     ((builder)->mesh->array = (builder)->mesh->columns[column].data, true))

static inline void *kg_mesh_take(kg_mesh_builder *builder, size_t item, size_t count)
{
    return kg_scratch_take(builder->memory, &builder->scratch, item, count);
}

/* Call visit for each edge `half` of a triangle that no other has and each such edge `other` that
 * runs along a part of it: from low to high, m from the start of `half`, rounded outwards. Nothing
 * more is found when beside_left is used up: many triangles are in the boxes of others. */
typedef void kg_mesh_beside(void *context, uint32_t half, uint32_t other, double low, double high);
void kg_mesh_find_beside(kg_mesh_builder *builder, uint32_t triangle, kg_mesh_beside *visit,
                         void *context);

/* In this order: corners become welded vertices; normals and heights; around, spokes, owners; tree;
 * facets; answers. */
bool kg_mesh_weld(kg_mesh_builder *builder);
void kg_mesh_measure(kg_mesh_builder *builder);
bool kg_mesh_link_edges(kg_mesh_builder *builder);
bool kg_mesh_build_tree(kg_mesh_builder *builder);
bool kg_mesh_find_facets(kg_mesh_builder *builder);
bool kg_mesh_find_answers(kg_mesh_builder *builder);

#endif
