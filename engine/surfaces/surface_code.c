/* The one table of code for meshes and shapes. */
#include "surfaces/surface_code.h"

const kg_surface_code kg_surface_code_all = {
    .build = kg_mesh_build,
    .find_near = kg_mesh_find_near,
    .find_near_path = kg_mesh_find_near_path,
    .find_closest = kg_mesh_find_closest,
    .is_over = kg_mesh_is_over,
    .separates = kg_mesh_separates,
    .edge_distance = kg_mesh_edge_distance,
    .distance = kg_mesh_distance,
    .feature_distance = kg_mesh_feature_distance,
    .feature_normal = kg_mesh_feature_normal,
    .part_clearance = kg_mesh_part_clearance,
    .sweep_part = kg_mesh_sweep_part,
    .parts_on_path = kg_mesh_parts_on_path,
    .facet_triangle = kg_mesh_facet_triangle,
    .nearest_on_triangle = kg_mesh_nearest_on_triangle,
    .outline = kg_shape_outline,
    .shape_distance = kg_shape_distance,
    .shape_sweep = kg_shape_sweep,
};
