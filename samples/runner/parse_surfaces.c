/* Parses surfaces: a solid shape becomes sizes and a place, others vertices and triangles; a mesh
 * file is read later (mesh_files.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <surface_place.h>

#include "arrays.h"
#include "parse.h"

/* Space for a shape, which a kugel_mesh_ function fills. */
static void reserve(surface *s, size_t vertices, size_t triangles)
{
    arrsetlen(s->vertices, 3 * vertices);
    arrsetlen(s->triangles, 3 * triangles);
}

/* What the parser does not see: numbers whose sums overflow. */
static bool is_made(const reader *r, const path *p, kugel_status status)
{
    return status == KUGEL_OK || refuse_at(r, p, "is no shape: %s", kugel_status_text(status));
}

static bool get_segments(const reader *r, const path *p, const cJSON *json, uint32_t *segments)
{
    uint64_t count = 0;
    if (!get_count(r, p, json, KUGEL_MESH_SEGMENTS_MIN, KUGEL_MESH_SEGMENTS_MAX, &count))
        return false;
    *segments = (uint32_t)count;
    return true;
}

static bool differ(const reader *r, const path *p, const double from[3], const double to[3])
{
    path at = {p, "to", 0};
    return memcmp(from, to, 3 * sizeof *from) != 0 ||
           refuse_at(r, &at, "must differ from \"from\"");
}

/* An end of a cone: a radius, which may be 0. */
static bool get_radii(const reader *r, const path *p, const cJSON *json, double radii[2])
{
    if (!get_numbers(r, p, json, 2, radii)) return false;
    for (size_t k = 0; k < 2; ++k) {
        path at = {p, NULL, k};
        if (radii[k] < 0) return refuse_at(r, &at, "must be >= 0, got %.10g", radii[k]);
    }
    return radii[0] > 0 || radii[1] > 0 || refuse_at(r, p, "must not both be 0");
}

/* ---- shapes; `p` is the path of the shape's key ---- */

typedef bool parse_shape(const reader *r, const path *p, const cJSON *json, surface *s);

static bool get_half(const reader *r, const path *p, const cJSON *json, double half[3])
{
    if (!get_numbers(r, p, json, 3, half)) return false;
    for (size_t k = 0; k < 3; ++k) {
        path at = {p, NULL, k};
        if (!(half[k] > 0)) return refuse_at(r, &at, "must be > 0, got %.10g", half[k]);
    }
    return true;
}

static bool parse_box(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"half", NULL};
    double half[3];
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "half", get_half(r, &at, value, half));
    reserve(s, KUGEL_MESH_BOX_VERTICES, KUGEL_MESH_BOX_TRIANGLES);
    return is_made(r, p, kugel_mesh_box(half, s->vertices, s->triangles));
}

static bool get_edges(const reader *r, const path *p, const cJSON *json, double edges[2][3])
{
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != 2)
        return refuse_at(r, p, "must be an array of 2 vectors");
    const cJSON *child = json->child;
    for (size_t k = 0; k < 2; ++k, child = child->next) {
        path at = {p, NULL, k};
        if (!get_numbers(r, &at, child, 3, edges[k])) return false;
    }
    return true;
}

static bool parse_rectangle(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"corner", "edges", NULL};
    double corner[3] = {0, 0, 0}, edges[2][3];
    if (!check_keys(r, p, json, keys)) return false;
    OPTIONAL(json, "corner", get_numbers(r, &at, value, 3, corner));
    REQUIRED(json, "edges", get_edges(r, &at, value, edges));
    reserve(s, KUGEL_MESH_RECTANGLE_VERTICES, KUGEL_MESH_RECTANGLE_TRIANGLES);
    return is_made(r, p,
                   kugel_mesh_rectangle(corner, edges[0], edges[1], s->vertices, s->triangles));
}

static bool get_direction(const reader *r, const path *p, const cJSON *json, double normal[3])
{
    if (!get_numbers(r, p, json, 3, normal)) return false;
    return normal[0] != 0 || normal[1] != 0 || normal[2] != 0 || refuse_at(r, p, "must not be 0");
}

static bool parse_disc(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"center", "normal", "radius", "segments", NULL};
    double center[3] = {0, 0, 0}, normal[3] = {0, 0, 1}, radius;
    uint32_t n = 32;
    if (!check_keys(r, p, json, keys)) return false;
    OPTIONAL(json, "center", get_numbers(r, &at, value, 3, center));
    OPTIONAL(json, "normal", get_direction(r, &at, value, normal));
    REQUIRED(json, "radius", get_positive(r, &at, value, &radius));
    OPTIONAL(json, "segments", get_segments(r, &at, value, &n));
    reserve(s, KUGEL_MESH_DISC_VERTICES(n), KUGEL_MESH_DISC_TRIANGLES(n));
    return is_made(r, p, kugel_mesh_disc(center, normal, radius, n, s->vertices, s->triangles));
}

/* ---- solid shapes ---- */

static bool get_solid(const reader *r, const path *p, const cJSON *json, bool *solid)
{
    path segments = {p, "segments", 0};
    OPTIONAL(json, "solid", get_bool(r, &at, value, solid));
    return !*solid || !GET(json, "segments") ||
           refuse_at(r, &segments, "a solid shape is round, without segments");
}

/* Put the middle of the axis at the origin of the shape's frame, with z along the axis: the turn
 * from z to the axis about their normal. */
static void place_on_axis(surface *s, const double from[3], const double to[3])
{
    double axis[3], length = 0, norm = 0, *q = s->def.rotation;
    for (int k = 0; k < 3; ++k) {
        axis[k] = to[k] - from[k], length += axis[k] * axis[k];
        s->def.position[k] = 0.5 * from[k] + 0.5 * to[k];
    }
    length = sqrt(length);
    if (!(length > 0)) return;
    q[0] = -axis[1] / length, q[1] = axis[0] / length, q[2] = 0, q[3] = 1 + axis[2] / length;
    for (int k = 0; k < 4; ++k) norm += q[k] * q[k];
    if (norm < 1e-20) q[0] = 1, q[3] = 0, norm = 1; /* downwards */
    for (int k = 0; k < 4; ++k) q[k] /= sqrt(norm);
    s->def.size[s->def.shape == KUGEL_SURFACE_CONE ? 2 : 1] = 0.5 * length;
}

static bool parse_ellipsoid_surface(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"semi_axes", NULL};
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "semi_axes", get_half(r, &at, value, s->def.size));
    s->def.shape = KUGEL_SURFACE_ELLIPSOID;
    return true;
}

/* ---- round shapes ---- */

static bool parse_capsule(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"from", "to", "radius", "segments", "solid", NULL};
    double from[3], to[3], radius;
    uint32_t n = 32;
    bool solid = false;
    path segments = {p, "segments", 0};
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "from", get_numbers(r, &at, value, 3, from));
    REQUIRED(json, "to", get_numbers(r, &at, value, 3, to));
    REQUIRED(json, "radius", get_positive(r, &at, value, &radius));
    OPTIONAL(json, "segments", get_segments(r, &at, value, &n));
    if (n % 4) return refuse_at(r, &segments, "must be a multiple of 4, got %u", n);
    if (!get_solid(r, p, json, &solid)) return false;
    if (solid) {
        s->def.shape = KUGEL_SURFACE_CAPSULE;
        s->def.size[0] = radius;
        place_on_axis(s, from, to);
        return true;
    }
    reserve(s, KUGEL_MESH_CAPSULE_VERTICES(n), KUGEL_MESH_CAPSULE_TRIANGLES(n));
    return is_made(r, p, kugel_mesh_capsule(from, to, radius, n, s->vertices, s->triangles));
}

/* The rest of a cone or a cylinder, whose radii are read. */
static bool parse_round(const reader *r, const path *p, const cJSON *json, const double radii[2],
                        surface *s)
{
    static const char *const words[] = {"none", "from", "to", "both", NULL};
    double from[3], to[3];
    uint32_t n = 32, count = 0;
    int caps = KUGEL_MESH_CAPS_BOTH;
    bool solid = false;
    path ends = {p, "caps", 0};
    REQUIRED(json, "from", get_numbers(r, &at, value, 3, from));
    REQUIRED(json, "to", get_numbers(r, &at, value, 3, to) && differ(r, p, from, to));
    OPTIONAL(json, "segments", get_segments(r, &at, value, &n));
    OPTIONAL(json, "caps", get_word(r, &at, value, words, &caps));
    if (!get_solid(r, p, json, &solid)) return false;
    if (solid && caps != KUGEL_MESH_CAPS_BOTH)
        return refuse_at(r, &ends, "of a solid shape must be both");
    if (solid) {
        s->def.shape = KUGEL_SURFACE_CONE;
        s->def.size[0] = radii[0], s->def.size[1] = radii[1];
        place_on_axis(s, from, to);
        return true;
    }
    reserve(s, KUGEL_MESH_CONE_VERTICES(n), KUGEL_MESH_CONE_TRIANGLES(n));
    kugel_status status = kugel_mesh_cone(from, to, radii[0], radii[1], n, (kugel_mesh_caps)caps,
                                          s->vertices, s->triangles, &count);
    arrsetlen(s->triangles, 3 * (size_t)count);
    return is_made(r, p, status);
}

static bool parse_cylinder(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"from", "to", "radius", "segments", "caps", "solid", NULL};
    double radius;
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "radius", get_positive(r, &at, value, &radius));
    return parse_round(r, p, json, (const double[]){radius, radius}, s);
}

static bool parse_cone(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"from", "to", "radii", "segments", "caps", "solid", NULL};
    double radii[2];
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "radii", get_radii(r, &at, value, radii));
    return parse_round(r, p, json, radii, s);
}

/* ---- height fields ---- */

enum { MOST_HEIGHTS = 1 << 26 };

static bool get_size(const reader *r, const path *p, const cJSON *json, uint32_t size[2])
{
    double numbers[2];
    uint64_t count = 0;
    if (!get_numbers(r, p, json, 2, numbers)) return false;
    for (size_t k = 0; k < 2; ++k) {
        path at = {p, NULL, k};
        if (!get_count(r, &at, cJSON_GetArrayItem(json, (int)k), 2, MOST_HEIGHTS, &count))
            return false;
        size[k] = (uint32_t)count;
    }
    if ((uint64_t)size[0] * size[1] <= MOST_HEIGHTS) return true;
    return refuse_at(r, p, "more than 2^26 heights");
}

static bool get_spacing(const reader *r, const path *p, const cJSON *json, double spacing[2])
{
    if (!get_numbers(r, p, json, 2, spacing)) return false;
    for (size_t k = 0; k < 2; ++k) {
        path at = {p, NULL, k};
        if (!(spacing[k] > 0)) return refuse_at(r, &at, "must be > 0, got %.10g", spacing[k]);
    }
    return true;
}

static bool make_heights(const reader *r, const path *p, const cJSON *json, const double origin[3],
                         const double spacing[2], const uint32_t size[2], surface *s)
{
    double *heights = NULL;
    int count = (int)(size[0] * size[1]);
    /* another count is refused before memory is allocated */
    if (cJSON_GetArraySize(json) == count) arrsetlen(heights, (size_t)count);
    bool good = get_numbers(r, p, json, count, heights);
    if (good) {
        reserve(s, KUGEL_MESH_HEIGHT_FIELD_VERTICES((size_t)size[0], size[1]),
                KUGEL_MESH_HEIGHT_FIELD_TRIANGLES((size_t)size[0], size[1]));
        good = is_made(r, p,
                       kugel_mesh_height_field(origin, spacing[0], spacing[1], size[0], size[1],
                                               heights, s->vertices, s->triangles));
    }
    arrfree(heights);
    return good;
}

static bool parse_height_field(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"origin", "spacing", "size", "heights", NULL};
    double origin[3] = {0, 0, 0}, spacing[2];
    uint32_t size[2];
    if (!check_keys(r, p, json, keys)) return false;
    OPTIONAL(json, "origin", get_numbers(r, &at, value, 3, origin));
    REQUIRED(json, "spacing", get_spacing(r, &at, value, spacing));
    REQUIRED(json, "size", get_size(r, &at, value, size));
    REQUIRED(json, "heights", make_heights(r, &at, value, origin, spacing, size, s));
    return true;
}

/* ---- meshes ---- */

static bool get_vertices(const reader *r, const path *p, const cJSON *json, surface *s)
{
    if (!cJSON_IsArray(json)) return refuse_at(r, p, "must be an array, got %s", type_name(json));
    size_t count = 0;
    const cJSON *child;
    cJSON_ArrayForEach(child, json)
    {
        path at = {p, NULL, count++};
        if (!get_numbers(r, &at, child, 3, arraddnptr(s->vertices, 3))) return false;
    }
    return count >= 3 || refuse_at(r, p, "needs at least 3 vertices, got %zu", count);
}

static bool get_triangle(const reader *r, const path *p, const cJSON *json, surface *s)
{
    double numbers[3], most = (double)(arrlenu(s->vertices) / 3) - 1;
    uint64_t index = 0;
    if (!get_numbers(r, p, json, 3, numbers)) return false;
    const cJSON *child = json->child;
    for (size_t k = 0; k < 3; ++k, child = child->next) {
        path at = {p, NULL, k};
        if (!get_count(r, &at, child, 0, most, &index)) return false;
        arrput(s->triangles, (uint32_t)index);
    }
    return true;
}

static bool get_triangles(const reader *r, const path *p, const cJSON *json, surface *s)
{
    if (!cJSON_IsArray(json)) return refuse_at(r, p, "must be an array, got %s", type_name(json));
    size_t count = 0;
    const cJSON *child;
    cJSON_ArrayForEach(child, json)
    {
        path at = {p, NULL, count++};
        if (!get_triangle(r, &at, child, s)) return false;
    }
    return count >= 1 || refuse_at(r, p, "needs a triangle");
}

static bool parse_mesh(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"vertices", "triangles", NULL};
    if (cJSON_IsString(json)) {
        if (!json->valuestring[0]) return refuse_at(r, p, "needs a file name");
        s->mesh_file = strdup(json->valuestring);
        return s->mesh_file || refuse(r->complaint, EXIT_RESOURCES, "%s: out of memory", r->name);
    }
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "vertices", get_vertices(r, &at, value, s));
    REQUIRED(json, "triangles", get_triangles(r, &at, value, s));
    return true;
}

/* ---- the surface ---- */

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

/* The shape may have a place of its own, within that of the surface. */
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
    arrput(scene->surfaces, s); /* it is freed with the scene */
    return fill(r, p, json, &scene->surfaces[index]);
}
