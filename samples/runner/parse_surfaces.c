/* Parses surfaces: shape, material, place and motion. */
#include <stdio.h>
#include <string.h>
#include <surface_place.h>

#include "arrays.h"
#include "parse_shapes.h"
#include "rotation.h"

static const struct {
    const char *key;
    parse_shape *parse;
} shapes[] = {{"mesh", parse_mesh},
              {"heightfield", parse_height_field},
              {"box", parse_box},
              {"capsule", parse_capsule},
              {"cylinder", parse_cylinder},
              {"cone", parse_cone},
              {"disc", parse_disc},
              {"rectangle", parse_rectangle},
              {"ellipsoid", parse_ellipsoid_surface}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Maximum number of triangles of all shapes in a scene. A run with so many takes 330 MB. Meshes and
 * height fields are not counted: a file has numbers for each of their triangles. */
enum { MOST_SHAPE_TRIANGLES = 1 << 21 };

static bool count_triangles(const reader *r, const path *p, const surface *s, scene *scene)
{
    scene->shape_triangles += arrlenu(s->triangles) / 3;
    return scene->shape_triangles <= MOST_SHAPE_TRIANGLES ||
           refuse_at(r, p,
                     "makes %llu triangles with the shapes before it, more than %d: use fewer "
                     "segments, or solid shapes",
                     (unsigned long long)scene->shape_triangles, MOST_SHAPE_TRIANGLES);
}

static bool get_shape(const reader *r, const path *p, const cJSON *json, surface *s, scene *scene)
{
    int found = -1;
    for (int k = 0; k < SHAPES; ++k) {
        if (!GET(json, shapes[k].key)) continue;
        if (found >= 0)
            return refuse_at(r, p, "has two shapes, %s and %s", shapes[found].key, shapes[k].key);
        found = k;
    }
    if (found < 0)
        return refuse_at(r, p,
                         "needs a shape: mesh, heightfield, box, capsule, cylinder, cone, disc, "
                         "rectangle or ellipsoid");
    path at = {p, shapes[found].key, 0};
    bool is_listed = shapes[found].parse == parse_mesh || shapes[found].parse == parse_height_field;
    return shapes[found].parse(r, &at, GET(json, shapes[found].key), s) &&
           (is_listed || count_triangles(r, &at, s, scene));
}

static bool get_material(const reader *r, const path *p, const cJSON *json, kugel_surface_def *def)
{
    OPTIONAL(json, "restitution", get_number(r, &at, value, 0, 1, &def->restitution));
    OPTIONAL(json, "friction", get_number(r, &at, value, 0, 1e6, &def->friction));
    OPTIONAL(json, "rolling_resistance",
             get_number(r, &at, value, 0, 1e6, &def->rolling_resistance));
    OPTIONAL(json, "tangential_restitution",
             get_number(r, &at, value, -1, 1, &def->tangential_restitution));
    OPTIONAL(json, "kind", get_kind(r, &at, value, &def->kind));
    OPTIONAL(json, "sensor", get_bool(r, &at, value, &def->sensor));
    OPTIONAL(json, "category", get_bits(r, &at, value, &def->category));
    OPTIONAL(json, "mask", get_bits(r, &at, value, &def->mask));
    return true;
}

/* Compose the pose of the surface with the pose of its shape in it, which the axis of a solid shape
 * sets. */
static bool get_place(const reader *r, const path *p, const cJSON *json, surface *s)
{
    kugel_surface_def *def = &s->def, outer = {.rotation = {0, 0, 0, 1}}, turned;
    double along[3] = {0};
    path spin = {p, "spin", 0};
    OPTIONAL(json, "position", get_numbers(r, &at, value, 3, outer.position));
    OPTIONAL(json, "rotation", get_unit(r, &at, value, 4, "quaternion x, y, z, w", outer.rotation));
    OPTIONAL(json, "velocity", get_numbers(r, &at, value, 3, def->velocity));
    OPTIONAL(json, "spin", get_numbers(r, &at, value, 3, def->spin));
    OPTIONAL(json, "tangent_velocity", get_numbers(r, &at, value, 3, along));
    turned = outer;
    memset(turned.position, 0, sizeof turned.position);
    surface_place(&turned, def->position, s->offset);
    if (!surface_can_turn(s) && (def->spin[0] != 0 || def->spin[1] != 0 || def->spin[2] != 0))
        return refuse_at(r, &spin, "a solid shape spins about its middle: from must be -to");
    surface_place(&outer, def->position, def->position);
    memcpy(s->turn, def->rotation, sizeof s->turn);
    rotation_undo(s->turn, along, def->tangent_velocity); /* into the frame of the shape */
    rotation_multiply(outer.rotation, s->turn, def->rotation);
    return true;
}

static bool fill(const reader *r, const path *p, const cJSON *json, surface *s, scene *scene)
{
    static const char *const keys[] = {"mesh",
                                       "heightfield",
                                       "box",
                                       "capsule",
                                       "cylinder",
                                       "cone",
                                       "disc",
                                       "rectangle",
                                       "ellipsoid",
                                       "sides",
                                       "restitution",
                                       "friction",
                                       "rolling_resistance",
                                       "tangential_restitution",
                                       "kind",
                                       "sensor",
                                       "category",
                                       "mask",
                                       "position",
                                       "rotation",
                                       "velocity",
                                       "spin",
                                       "tangent_velocity",
                                       "name",
                                       NULL};
    uint64_t sides = 2;
    if (!check_keys(r, p, json, keys) || !get_shape(r, p, json, s, scene)) return false;
    OPTIONAL(json, "sides", get_count(r, &at, value, 1, 2, &sides));
    OPTIONAL(json, "name", get_name(r, &at, value, s->name));
    path side = {p, "sides", 0};
    if (GET(json, "sides") && s->def.shape != KUGEL_SURFACE_MESH)
        return refuse_at(r, &side, "a solid shape has one side");
    s->def.one_sided = sides == 1;
    return get_material(r, p, json, &s->def) && get_place(r, p, json, s);
}

bool parse_surface(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    size_t index = arrlenu(scene->surfaces);
    surface s = {.def = kugel_surface_def_default()};
    snprintf(s.name, sizeof s.name, "%zu", index);
    arrput(scene->surfaces, s); /* scene_free frees its arrays, also after an error */
    return fill(r, p, json, &scene->surfaces[index], scene);
}
