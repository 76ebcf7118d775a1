/* Parsers for the shapes of surfaces. Each reads the value of the shape's key, whose path is `p`,
 * into the surface, or stores a complaint and returns false. */
#ifndef RUNNER_PARSE_SHAPES_H
#define RUNNER_PARSE_SHAPES_H

#include "parse.h"

typedef bool parse_shape(const reader *r, const path *p, const cJSON *json, surface *s);

/* parse_shapes.c */
parse_shape parse_box, parse_rectangle, parse_disc, parse_capsule, parse_cylinder, parse_cone,
    parse_ellipsoid_surface;
/* parse_meshes.c */
parse_shape parse_mesh, parse_height_field;

/* Resize the surface's arrays, which a kugel_mesh_ function then fills. */
void shape_reserve(surface *s, size_t vertices, size_t triangles);
/* Check the result of a kugel_mesh_ function: sums of valid numbers may overflow. false: a
 * complaint. */
bool shape_is_made(const reader *r, const path *p, kugel_status status);

#endif
