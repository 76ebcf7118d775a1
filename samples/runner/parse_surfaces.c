/* Parses surfaces: shape, material, place and motion. */
#include <stdio.h>
#include <string.h>
#include <surface_place.h>

#include "arrays.h"
#include "parse_shapes.h"

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

static bool get_shape(const reader *r, const path *p, const cJSON *json, surface *s)
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
    return shapes[found].parse(r, &at, GET(json, shapes[found].key), s);
}

static bool get_material(const reader *r, const path *p, const cJSON *json, kugel_surface_def *def)
{
    OPTIONAL(json, "restitution", get_number(r, &at, value, 0, 1, &def->restitution));
    OPTIONAL(json, "friction", get_number(r, &at, value, 0, 1e6, &def->friction));
    OPTIONAL(json, "rolling_resistance",
             get_number(r, &at, value, 0, 1e6, &def->rolling_resistance));
    OPTIONAL(json, "category", get_bits(r, &at, value, &def->category));
    OPTIONAL(json, "mask", get_bits(r, &at, value, &def->mask));
    return true;
}

/* out = a b: the rotation b, then a. */
static void multiply(const double a[4], const double b[4], double out[4])
{
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[3] * b[k] + b[3] * a[k] + a[i] * b[j] - a[j] * b[i];
    }
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* Compose the place of the surface with that of its shape, which a solid shape's axis sets. */
static bool get_place(const reader *r, const path *p, const cJSON *json, kugel_surface_def *def)
{
    double position[3] = {0}, rotation[4] = {0, 0, 0, 1}, inner[4];
    kugel_surface_def outer = {.rotation = {0}};
    path spin = {p, "spin", 0};
    OPTIONAL(json, "position", get_numbers(r, &at, value, 3, position));
    OPTIONAL(json, "rotation", get_unit(r, &at, value, 4, "quaternion x, y, z, w", rotation));
    OPTIONAL(json, "velocity", get_numbers(r, &at, value, 3, def->velocity));
    OPTIONAL(json, "spin", get_numbers(r, &at, value, 3, def->spin));
    bool central = def->position[0] == 0 && def->position[1] == 0 && def->position[2] == 0;
    if (!central && (def->spin[0] != 0 || def->spin[1] != 0 || def->spin[2] != 0))
        return refuse_at(r, &spin, "a solid shape spins about its middle: from must be -to");
    memcpy(outer.position, position, sizeof position);
    memcpy(outer.rotation, rotation, sizeof rotation);
    memcpy(inner, def->rotation, sizeof inner);
    surface_place(&outer, def->position, def->position);
    multiply(rotation, inner, def->rotation);
    return true;
}

static bool fill(const reader *r, const path *p, const cJSON *json, surface *s)
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
                                       "category",
                                       "mask",
                                       "position",
                                       "rotation",
                                       "velocity",
                                       "spin",
                                       "name",
                                       NULL};
    uint64_t sides = 2;
    if (!check_keys(r, p, json, keys) || !get_shape(r, p, json, s)) return false;
    OPTIONAL(json, "sides", get_count(r, &at, value, 1, 2, &sides));
    OPTIONAL(json, "name", get_name(r, &at, value, s->name));
    path side = {p, "sides", 0};
    if (GET(json, "sides") && s->def.shape != KUGEL_SURFACE_MESH)
        return refuse_at(r, &side, "a solid shape has one side");
    s->def.one_sided = sides == 1;
    return get_material(r, p, json, &s->def) && get_place(r, p, json, &s->def);
}

bool parse_surface(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    size_t index = arrlenu(scene->surfaces);
    surface s = {.def = kugel_surface_def_default()};
    snprintf(s.name, sizeof s.name, "%zu", index);
    arrput(scene->surfaces, s); /* scene_free frees its arrays, also after an error */
    return fill(r, p, json, &scene->surfaces[index]);
}
