/* The code for meshes and for solid shapes other than planes. A surface has it from its def, and a
 * step calls it through the surface: so a program that makes planes only does not link it.
 * In, out, cost: of each member those of the function after which it is named. */
#ifndef KG_SURFACES_SURFACE_CODE_H
#define KG_SURFACES_SURFACE_CODE_H

#include "surfaces/mesh_closest.h"
#include "surfaces/shape.h"

typedef struct kg_surface_code {
    /* kg_mesh_NAME */
    bool (*build)(kg_memory *memory, kg_tasks *tasks, kg_mesh *mesh, const double *vertices,
                  uint32_t vertex_count, const uint32_t *triangles, uint32_t triangle_count,
                  bool one_sided);
    bool (*find_near)(const kg_mesh *mesh, const double low[3], const double high[3], double reach,
                      kg_mesh_visit *visit, void *context);
    bool (*find_near_path)(const kg_mesh *mesh, const double from[3], const double to[3],
                           double reach, kg_mesh_visit *visit, void *context);
    bool (*find_closest)(const kg_mesh *mesh, const double x[3], double limit,
                         kg_mesh_closest *closest);
    bool (*is_over)(const kg_mesh *mesh, uint32_t triangle, const double x[3], double height,
                    const double normal[3]);
    bool (*separates)(const kg_mesh *mesh, const double from[3], const double to[3]);
    double (*edge_distance)(const kg_mesh *mesh, uint32_t triangle, uint32_t k, const double x[3]);
    double (*distance)(const kg_mesh *mesh, uint32_t triangle, const double x[3], double point[3]);
    double (*feature_distance)(const kg_mesh *mesh, uint32_t feature, const double x[3],
                               double depth, double normal[3]);
    double (*feature_normal)(const kg_mesh *mesh, uint32_t feature, const double x[3],
                             double normal[3]);
    double (*part_clearance)(const kg_mesh *mesh, uint32_t triangle, uint32_t part,
                             const double x[3], double radius, double enough);
    double (*sweep_part)(const kg_mesh *mesh, uint32_t triangle, uint32_t part,
                         const kg_mesh_path *path, double last, double normal[3]);
    uint32_t (*parts_on_path)(const kg_mesh *mesh, uint32_t triangle, const kg_mesh_path *path,
                              double from, double until);
    uint32_t (*facet_triangle)(const kg_mesh *mesh, uint32_t triangle, const double x[3]);
    void (*nearest_on_triangle)(const kg_mesh *mesh, uint32_t triangle, const double x[3],
                                double reach, kg_mesh_last_sharp *last, kg_mesh_nearest *nearest);
    /* kg_shape_NAME */
    bool (*outline)(kg_memory *memory, const kg_shape *shape, kg_mesh *mesh);
    double (*shape_distance)(const kg_shape *shape, const double x[3], double outward[3]);
    double (*shape_sweep)(const kg_shape *shape, const kg_mesh_path *path, double normal[3]);
} kg_surface_code;

extern const kg_surface_code kg_surface_code_all;

#endif
