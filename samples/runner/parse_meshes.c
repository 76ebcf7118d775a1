/* Parses shapes of many numbers: meshes and height fields. A mesh file is read later
 * (mesh_files.h). */
#include <string.h>

#include "arrays.h"
#include "parse_shapes.h"

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

bool parse_mesh(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"vertices", "triangles", NULL};
    if (cJSON_IsString(json)) {
        if (!json->valuestring[0]) return refuse_at(r, p, "needs a file name");
        s->mesh_file = strdup(json->valuestring);
        return s->mesh_file || refuse(r->complaint, EXIT_RESOURCES, "%s: out of memory", r->name);
    }
    if (!cJSON_IsObject(json))
        return refuse_at(r, p, "must be the name of a file or an object, got %s", type_name(json));
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "vertices", get_vertices(r, &at, value, s));
    REQUIRED(json, "triangles", get_triangles(r, &at, value, s));
    return true;
}

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

static bool make_heights(const reader *r, const path *p, const cJSON *json, const double origin[3],
                         const double spacing[2], const uint32_t size[2], surface *s)
{
    double *heights = NULL;
    int count = (int)(size[0] * size[1]);
    /* another count is refused before memory is allocated */
    if (cJSON_GetArraySize(json) == count) arrsetlen(heights, (size_t)count);
    bool good = get_numbers(r, p, json, count, heights);
    if (good) {
        shape_reserve(s, KUGEL_MESH_HEIGHT_FIELD_VERTICES((size_t)size[0], size[1]),
                      KUGEL_MESH_HEIGHT_FIELD_TRIANGLES((size_t)size[0], size[1]));
        good = shape_is_made(r, p,
                             kugel_mesh_height_field(origin, spacing[0], spacing[1], size[0],
                                                     size[1], heights, s->vertices, s->triangles));
    }
    arrfree(heights);
    return good;
}

bool parse_height_field(const reader *r, const path *p, const cJSON *json, surface *s)
{
    static const char *const keys[] = {"origin", "spacing", "size", "heights", NULL};
    double origin[3] = {0, 0, 0}, spacing[2];
    uint32_t size[2];
    if (!check_keys(r, p, json, keys)) return false;
    OPTIONAL(json, "origin", get_numbers(r, &at, value, 3, origin));
    REQUIRED(json, "spacing", get_positives(r, &at, value, 2, 2, spacing));
    REQUIRED(json, "size", get_size(r, &at, value, size));
    REQUIRED(json, "heights", make_heights(r, &at, value, origin, spacing, size, s));
    return true;
}
