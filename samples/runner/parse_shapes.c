/* Parses shapes of surfaces: boxes, rectangles, discs, and round shapes, which become vertices and
 * triangles or a solid shape with sizes and a place. */
#include <math.h>

#include "arrays.h"
#include "parse_shapes.h"

void shape_reserve(surface *s, size_t vertices, size_t triangles)
{
    arrsetlen(s->vertices, 3 * vertices);
    arrsetlen(s->triangles, 3 * triangles);
}

bool shape_is_made(const reader *r, const path *p, kugel_status status)
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

static bool is_one_point(const double from[3], const double to[3])
{
    return from[0] == to[0] && from[1] == to[1] && from[2] == to[2]; /* also 0 and -0 */
}

static bool differ(const reader *r, const path *p, const double from[3], const double to[3])
{
    path at = {p, "to", 0};
    return !is_one_point(from, to) || refuse_at(r, &at, "must differ from \"from\"");
}

/* The radii of the ends of a cone; one of them may be 0. */
static bool get_radii(const reader *r, const path *p, const cJSON *json, double radii[2])
{
    if (!get_numbers(r, p, json, 2, radii)) return false;
    for (size_t k = 0; k < 2; ++k) {
        path at = {p, NULL, k};
        if (radii[k] < 0) return refuse_at(r, &at, "must be >= 0, got %.10g", radii[k]);
    }
    return radii[0] > 0 || radii[1] > 0 || refuse_at(r, p, "must not both be 0");
}

static bool get_solid(const reader *r, const path *p, const cJSON *json, bool *solid)
{
    path segments = {p, "segments", 0};
    OPTIONAL(json, "solid", get_bool(r, &at, value, solid));
    return !*solid || !GET(json, "segments") ||
           refuse_at(r, &segments, "a solid shape is round, without segments");
}

bool parse_box(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"center", "half", "solid", NULL};
    double center[3] = {0, 0, 0}, half[3];
    bool solid = false;
    if (!check_keys(r, p, json, keys) || !get_solid(r, p, json, &solid)) return false;
    OPTIONAL(json, "center", get_numbers(r, &at, value, 3, center));
    REQUIRED(json, "half", get_positives(r, &at, value, 3, 3, half));
    if (solid) {
        s->def.shape = KUGEL_SURFACE_BOX;
        memcpy(s->def.size, half, sizeof half);
        memcpy(s->def.position, center, sizeof center);
        return true;
    }
    shape_reserve(s, KUGEL_MESH_BOX_VERTICES, KUGEL_MESH_BOX_TRIANGLES);
    if (!shape_is_made(r, p, kugel_mesh_box(half, s->vertices, s->triangles))) return false;
    for (size_t i = 0; i < arrlenu(s->vertices); ++i) s->vertices[i] += center[i % 3];
    return true;
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
    const double *a = edges[0], *b = edges[1];
    double area2 = 0, product2 = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) *
                                 (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    for (size_t k = 0; k < 3; ++k) {
        double part = a[k] * b[(k + 1) % 3] - a[(k + 1) % 3] * b[k];
        area2 += part * part;
    }
    /* parallel up to the rounding of the products */
    return area2 > 1e-24 * product2 || refuse_at(r, p, "must not be 0 or parallel");
}

bool parse_rectangle(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"corner", "edges", NULL};
    double corner[3] = {0, 0, 0}, edges[2][3];
    if (!check_keys(r, p, json, keys)) return false;
    OPTIONAL(json, "corner", get_numbers(r, &at, value, 3, corner));
    REQUIRED(json, "edges", get_edges(r, &at, value, edges));
    shape_reserve(s, KUGEL_MESH_RECTANGLE_VERTICES, KUGEL_MESH_RECTANGLE_TRIANGLES);
    return shape_is_made(
        r, p, kugel_mesh_rectangle(corner, edges[0], edges[1], s->vertices, s->triangles));
}

static bool get_direction(const reader *r, const path *p, const cJSON *json, double normal[3])
{
    if (!get_numbers(r, p, json, 3, normal)) return false;
    return normal[0] != 0 || normal[1] != 0 || normal[2] != 0 || refuse_at(r, p, "must not be 0");
}

bool parse_disc(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"center", "normal", "radius", "segments", NULL};
    double center[3] = {0, 0, 0}, normal[3] = {0, 0, 1}, radius;
    uint32_t n = 32;
    if (!check_keys(r, p, json, keys)) return false;
    OPTIONAL(json, "center", get_numbers(r, &at, value, 3, center));
    OPTIONAL(json, "normal", get_direction(r, &at, value, normal));
    REQUIRED(json, "radius", get_positive(r, &at, value, &radius));
    OPTIONAL(json, "segments", get_segments(r, &at, value, &n));
    shape_reserve(s, KUGEL_MESH_DISC_VERTICES(n), KUGEL_MESH_DISC_TRIANGLES(n));
    return shape_is_made(r, p,
                         kugel_mesh_disc(center, normal, radius, n, s->vertices, s->triangles));
}

/* Set position and rotation of a solid shape: the origin of its frame is the middle of the axis,
 * and its z axis points from `from` to `to`. Set its half length. */
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

bool parse_ellipsoid_surface(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"semi_axes", NULL};
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "semi_axes", get_positives(r, &at, value, 3, 3, s->def.size));
    s->def.shape = KUGEL_SURFACE_ELLIPSOID;
    return true;
}

bool parse_capsule(const reader *r, const path *p, const cJSON *json, surface *s)
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
    if (is_one_point(from, to)) s->without_area = 2 * n; /* the side has no length */
    shape_reserve(s, KUGEL_MESH_CAPSULE_VERTICES(n), KUGEL_MESH_CAPSULE_TRIANGLES(n));
    return shape_is_made(r, p, kugel_mesh_capsule(from, to, radius, n, s->vertices, s->triangles));
}

/* Read the keys that cones and cylinders share, and make the shape with these radii. */
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
    shape_reserve(s, KUGEL_MESH_CONE_VERTICES(n), KUGEL_MESH_CONE_TRIANGLES(n));
    kugel_status status = kugel_mesh_cone(from, to, radii[0], radii[1], n, (kugel_mesh_caps)caps,
                                          s->vertices, s->triangles, &count);
    arrsetlen(s->triangles, 3 * (size_t)count);
    return shape_is_made(r, p, status);
}

bool parse_cylinder(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"from", "to", "radius", "segments", "caps", "solid", NULL};
    double radius;
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "radius", get_positive(r, &at, value, &radius));
    return parse_round(r, p, json, (const double[]){radius, radius}, s);
}

bool parse_cone(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"from", "to", "radii", "segments", "caps", "solid", NULL};
    double radii[2];
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "radii", get_radii(r, &at, value, radii));
    return parse_round(r, p, json, radii, s);
}
