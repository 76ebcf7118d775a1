/* Parsers for the parts of a scene. Each reads the JSON value whose path is `p` into the scene, or
 * stores a complaint and returns false. */
#ifndef RUNNER_PARSE_H
#define RUNNER_PARSE_H

#include "scene.h"
#include "values.h"

typedef bool parse_item(const reader *r, const path *p, const cJSON *json, scene *scene);

/* Parse each item of an array. */
bool parse_array(const reader *r, const path *p, const cJSON *json, scene *scene,
                 parse_item *parse);

/* An object is a list of one item. */
bool parse_list(const reader *r, const path *p, const cJSON *json, scene *scene, parse_item *parse);

/* parse_bodies.c */
bool parse_defaults(const reader *r, const path *p, const cJSON *json, scene *scene);
parse_item parse_body, parse_generator;

/* parse_grains.c */

/* The keys "radius", "mass", "density" and "kind". */
bool parse_grains(const reader *r, const path *p, const cJSON *json, scene *scene, grains *grains);
/* The keys "mass", "density" and "kind". */
bool parse_mass(const reader *r, const path *p, const cJSON *json, grains *grains);

/* parse_surfaces.c */
parse_item parse_surface;

/* parse_surroundings.c */
bool parse_bounds(const reader *r, const path *p, const cJSON *json, scene *scene);
parse_item parse_plane, parse_pair, parse_ellipsoid, parse_beam;

/* parse_acts.c */
parse_item parse_impulse, parse_force, parse_gravity, parse_motion, parse_emitter, parse_drain;
/* The name or the index of a surface or plane, as the kind of the mover is. A restarted world may
 * have more than the scene, so an index is checked when the run begins. */
bool get_moved(const reader *r, const path *p, const cJSON *json, const scene *scene, mover *mover);
/* "tick", "ticks" and "every" of an act. */
bool get_span(const reader *r, const path *p, const cJSON *json, span *span);

/* parse_drives.c */
parse_item parse_thermostat, parse_servo;

#endif
