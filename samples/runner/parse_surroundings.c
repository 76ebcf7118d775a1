/* Parses bounds, planes, pairs of kinds, ellipsoids and beams. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "parse.h"

static bool get_faces(const reader *r, const path *p, const cJSON *json, kugel_face faces[6])
{
    static const char *const names[] = {"open", "wall", "periodic", NULL};
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != 6) {
        return refuse_at(r, p, "must be an array of 6: x-min, x-max, y-min, y-max, z-min, z-max");
    }
    const cJSON *child = json->child;
    for (int k = 0; k < 6; ++k, child = child->next) {
        path at = {p, NULL, (size_t)k};
        int index;
        if (!get_word(r, &at, child, names, &index)) return false;
        faces[k] = (kugel_face)index;
    }
    for (size_t axis = 0; axis < 3; ++axis) {
        bool low = faces[2 * axis] == KUGEL_FACE_PERIODIC;
        if (low == (faces[2 * axis + 1] == KUGEL_FACE_PERIODIC)) continue;
        path at = {p, NULL, 2 * axis + low};
        return refuse_at(r, &at, "periodic faces come in pairs: %c has only one", "xyz"[axis]);
    }
    return true;
}

bool parse_bounds(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"min",      "max",   "faces", "restitution",
                                       "friction", "kinds", NULL};
    kugel_bounds *bounds = &scene->world.bounds;
    if (!check_keys(r, p, json, keys)) return false;
    scene->bounds_of_file = !GET(json, "min") && !GET(json, "max");
    scene->has_faces = GET(json, "faces");
    for (int k = 0; k < 6; ++k) bounds->faces[k] = KUGEL_FACE_WALL;
    OPTIONAL(json, "faces", get_faces(r, &at, value, bounds->faces));
    OPTIONAL(json, "restitution", get_number(r, &at, value, 0, 1, &bounds->restitution));
    OPTIONAL(json, "friction", get_number(r, &at, value, 0, 1e6, &bounds->friction));
    OPTIONAL(json, "kinds",
             get_kinds(r, &at, value, 6, "x-min, x-max, y-min, y-max, z-min, z-max",
                       scene->world.face_kinds));
    if (scene->bounds_of_file) return true;
    REQUIRED(json, "min", get_numbers(r, &at, value, 3, bounds->min));
    REQUIRED(json, "max", get_numbers(r, &at, value, 3, bounds->max));
    path max = {p, "max", 0};
    for (size_t k = 0; k < 3; ++k) {
        path at = {&max, NULL, k};
        if (bounds->min[k] < bounds->max[k]) continue;
        return refuse_at(r, &at, "must be > min, %.10g, got %.10g", bounds->min[k], bounds->max[k]);
    }
    return true;
}

bool parse_plane(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"normal",   "offset", "restitution",      "friction", "kind",
                                       "velocity", "spin",   "tangent_velocity", "name",     NULL};
    plane plane = {.friction = 0.5};
    if (!check_keys(r, p, json, keys)) return false;
    snprintf(plane.name, sizeof plane.name, "%zu", arrlenu(scene->planes));
    REQUIRED(json, "normal", get_unit(r, &at, value, 3, "vector", plane.normal));
    OPTIONAL(json, "offset", get_number(r, &at, value, -LARGEST, LARGEST, &plane.offset));
    OPTIONAL(json, "restitution", get_number(r, &at, value, 0, 1, &plane.restitution));
    OPTIONAL(json, "friction", get_number(r, &at, value, 0, 1e6, &plane.friction));
    OPTIONAL(json, "kind", get_kind(r, &at, value, &plane.kind));
    OPTIONAL(json, "velocity", get_numbers(r, &at, value, 3, plane.velocity));
    OPTIONAL(json, "spin", get_numbers(r, &at, value, 3, plane.spin));
    OPTIONAL(json, "tangent_velocity", get_numbers(r, &at, value, 3, plane.tangent));
    OPTIONAL(json, "name", get_name(r, &at, value, plane.name));
    kugel_surface_def def = kugel_surface_def_plane(plane.normal, plane.offset);
    memcpy(plane.turn, def.rotation, sizeof plane.turn);
    arrput(scene->planes, plane);
    return true;
}

static bool is_new_pair(const reader *r, const path *p, const scene *scene, const uint32_t kinds[2])
{
    for (size_t k = 0; k < arrlenu(scene->pairs); ++k) {
        const uint32_t *other = scene->pairs[k].kinds;
        if ((other[0] == kinds[0] && other[1] == kinds[1]) ||
            (other[0] == kinds[1] && other[1] == kinds[0]))
            return refuse_at(r, p, "are those of pairs[%zu]", k);
    }
    return true;
}

bool parse_pair(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {
        "kinds", "restitution", "friction", "rolling_resistance", "tangential_restitution", NULL};
    const kugel_body_def usual = kugel_body_def_default();
    pair pair = {.material = {usual.restitution, usual.friction, usual.rolling_resistance,
                              usual.tangential_restitution}};
    kugel_pair_material *m = &pair.material;
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "kinds",
             get_kinds(r, &at, value, 2, "of both sides", pair.kinds) &&
                 is_new_pair(r, &at, scene, pair.kinds));
    OPTIONAL(json, "restitution", get_number(r, &at, value, 0, 1, &m->restitution));
    OPTIONAL(json, "friction", get_number(r, &at, value, 0, 1e6, &m->friction));
    OPTIONAL(json, "rolling_resistance", get_number(r, &at, value, 0, 1e6, &m->rolling_resistance));
    OPTIONAL(json, "tangential_restitution",
             get_number(r, &at, value, -1, 1, &m->tangential_restitution));
    arrput(scene->pairs, pair);
    return true;
}

bool parse_ellipsoid(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"center", "semi_axes", "rotation", "name", NULL};
    ellipsoid e = {.rotation = {0, 0, 0, 1}};
    if (!check_keys(r, p, json, keys)) return false;
    snprintf(e.name, sizeof e.name, "%zu", arrlenu(scene->ellipsoids));
    REQUIRED(json, "center", get_numbers(r, &at, value, 3, e.center));
    REQUIRED(json, "semi_axes", get_positives(r, &at, value, 3, 3, e.semi_axes));
    OPTIONAL(json, "rotation", get_unit(r, &at, value, 4, "quaternion x, y, z, w", e.rotation));
    OPTIONAL(json, "name", get_name(r, &at, value, e.name));
    arrput(scene->ellipsoids, e);
    return true;
}

/* Normalises a vector, which must not be 0. Scaling it first avoids over- and underflow of
 * squares. */
static bool get_direction(const reader *r, const path *p, const cJSON *json, double out[3])
{
    if (!get_numbers(r, p, json, 3, out)) return false;
    double largest = 0, sum = 0;
    for (int k = 0; k < 3; ++k) largest = fabs(out[k]) > largest ? fabs(out[k]) : largest;
    if (!(largest > 0)) return refuse_at(r, p, "must not be 0");
    for (int k = 0; k < 3; ++k) {
        out[k] /= largest;
        sum += out[k] * out[k];
    }
    for (int k = 0; k < 3; ++k) out[k] /= sqrt(sum);
    return true;
}

bool parse_beam(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"tick", "origin", "direction", "length", NULL};
    beam b = {.length = LARGEST};
    if (!check_keys(r, p, json, keys)) return false;
    OPTIONAL(json, "tick", get_count(r, &at, value, 0, 1e12, &b.tick));
    REQUIRED(json, "origin", get_numbers(r, &at, value, 3, b.origin));
    REQUIRED(json, "direction", get_direction(r, &at, value, b.direction));
    OPTIONAL(json, "length", get_number(r, &at, value, 0, LARGEST, &b.length));
    arrput(scene->beams, b);
    return true;
}
