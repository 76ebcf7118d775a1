/* The state that the steps of building a mesh share: tolerances, scratch memory, normals.
 * In and out: the mesh; each step fills some of its arrays and returns false when out of memory. */
#ifndef KG_SURFACES_MESH_BUILD_H
#define KG_SURFACES_MESH_BUILD_H

#include "base/constants.h"
#include "base/scratch.h"
#include "base/tasks.h"
#include "base/vec.h"
#include "surfaces/mesh.h"

typedef struct kg_mesh_builder {
    kg_memory *memory;
    kg_tasks *tasks; /* NULL: none */
    kg_scratch scratch;
    kg_mesh *mesh;
    double low[3];   /* of all vertices, m */
    double weld;     /* tolerance: vertices at most this far apart are one, m */
    double flat;     /* tolerance: maximum distance of a facet's vertices from its plane, m */
    double *normal;  /* [3 * triangle_count]; unit, from the front */
    double *height;  /* [triangle_count]; over the longest edge, m; 0: dropped */
    uint8_t *joined; /* [triangle_count]; by facet; 1: the facet continues across a T-junction */
    uint64_t t_junction_tests_left; /* triangles that searches for T-junctions may still test */
} kg_mesh_builder;

enum {
    KG_MESH_VERTEX,
    KG_MESH_CORNER,
    KG_MESH_FACET,
    KG_MESH_RADIAL_NEXT,
    KG_MESH_COLLIDABLE,
    KG_MESH_ADJACENT_START,
    KG_MESH_ADJACENT,
    KG_MESH_NODE,
    KG_MESH_LEAF,
    KG_MESH_OWNER,
    KG_MESH_EDGE_OWNER
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

/* Number of triangles of a task: some tens of microseconds of work. */
enum { KG_MESH_RANGE = 2048 };

/* Call task(context, i) for each range of KG_MESH_RANGE triangles of the mesh. */
static inline void kg_mesh_run(const kg_mesh_builder *builder, kg_task *task, void *context)
{
    uint32_t count = builder->mesh->triangle_count;
    kg_tasks_run(builder->tasks, (count + KG_MESH_RANGE - 1) / KG_MESH_RANGE, task, context);
}

/* mesh_junctions.c: find the open edges that run along an open edge of `triangle`. For each pair of
 * such half-edges call visit(context, half, other, low, high). `other` covers `half` from low to
 * high, m from the start of `half`, rounded outwards. Searches find nothing once
 * t_junction_tests_left is 0, which bounds their cost where triangles overlap. */
typedef void kg_mesh_t_junction_visit(void *context, uint32_t half, uint32_t other, double low,
                                      double high);
void kg_mesh_find_t_junctions(kg_mesh_builder *builder, uint32_t triangle,
                              kg_mesh_t_junction_visit *visit, void *context);

/* The steps, in their order. */
bool kg_mesh_weld(kg_mesh_builder *builder);          /* corner: welded vertices */
bool kg_mesh_drop_repeated(kg_mesh_builder *builder); /* collidable, height: 0 if repeated */
bool kg_mesh_link_edges(kg_mesh_builder *builder);    /* radial_next, adjacent, owners */
bool kg_mesh_build_tree(kg_mesh_builder *builder);
bool kg_mesh_find_facets(kg_mesh_builder *builder);
bool kg_mesh_find_collidable_parts(kg_mesh_builder *builder);

#endif
