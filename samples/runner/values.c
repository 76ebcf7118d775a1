/* Reads and checks JSON values. */
#include "values.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "nearest.h"

/* Writes "bodies[3].radius"; a long key is truncated. @return the length */
static size_t format_path(const path *p, char *text, size_t room)
{
    if (!p) return text[0] = 0, 0;
    size_t used = format_path(p->parent, text, room);
    if (!p->key) snprintf(text + used, room - used, "[%zu]", p->index);
    else snprintf(text + used, room - used, "%s%.40s", used ? "." : "", p->key);
    return strlen(text);
}

bool refuse_at(const reader *r, const path *p, const char *format, ...)
{
    char where[160], what[240];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    format_path(p, where, sizeof where);
    return refuse(r->complaint, EXIT_USAGE, "%s: %s%s%s", r->name, where, where[0] ? ": " : "",
                  what);
}

const char *type_name(const cJSON *json)
{
    return cJSON_IsNumber(json)   ? "a number"
           : cJSON_IsString(json) ? "a string"
           : cJSON_IsArray(json)  ? "an array"
           : cJSON_IsObject(json) ? "an object"
           : cJSON_IsBool(json)   ? "true or false"
                                  : "null";
}

bool get_number(const reader *r, const path *p, const cJSON *json, double low, double high,
                double *out)
{
    if (!cJSON_IsNumber(json)) return refuse_at(r, p, "must be a number, got %s", type_name(json));
    double value = json->valuedouble; /* infinite when the text overflows a double */
    if (!isfinite(value)) return refuse_at(r, p, "must be a finite number");
    if (value < low || value > high) {
        return refuse_at(r, p, "must be in [%.10g, %.10g], got %.10g", low, high, value);
    }
    *out = value;
    return true;
}

bool get_positive(const reader *r, const path *p, const cJSON *json, double *out)
{
    double value = 0;
    if (!get_number(r, p, json, -HUGE_VAL, HUGE_VAL, &value)) return false;
    if (!(value > 0)) return refuse_at(r, p, "must be > 0, got %.10g", value);
    return get_number(r, p, json, 0, LARGEST, out);
}

bool get_count(const reader *r, const path *p, const cJSON *json, double low, double high,
               uint64_t *out)
{
    double value = 0;
    if (!get_number(r, p, json, low, high, &value)) return false;
    if (value != floor(value)) return refuse_at(r, p, "must be a whole number, got %.10g", value);
    *out = (uint64_t)value;
    return true;
}

bool get_bits(const reader *r, const path *p, const cJSON *json, uint32_t *out)
{
    uint64_t bits = 0;
    if (!get_count(r, p, json, 0, UINT32_MAX, &bits)) return false;
    *out = (uint32_t)bits;
    return true;
}

bool get_kind(const reader *r, const path *p, const cJSON *json, uint32_t *out)
{
    uint64_t kind = 0;
    if (!get_count(r, p, json, 0, KUGEL_KIND_COUNT - 1, &kind)) return false;
    *out = (uint32_t)kind;
    return true;
}

bool get_kinds(const reader *r, const path *p, const cJSON *json, int n, const char *names,
               uint32_t *out)
{
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != n)
        return refuse_at(r, p, "must be an array of %d kinds: %s", n, names);
    const cJSON *child = json->child;
    for (int k = 0; k < n; ++k, child = child->next) {
        path at = {p, NULL, (size_t)k};
        if (!get_kind(r, &at, child, &out[k])) return false;
    }
    return true;
}

bool get_bool(const reader *r, const path *p, const cJSON *json, bool *out)
{
    if (!cJSON_IsBool(json)) {
        return refuse_at(r, p, "must be true or false, got %s", type_name(json));
    }
    *out = cJSON_IsTrue(json);
    return true;
}

bool get_numbers(const reader *r, const path *p, const cJSON *json, int n, double *out)
{
    if (!cJSON_IsArray(json)) {
        return refuse_at(r, p, "must be an array of %d numbers, got %s", n, type_name(json));
    }
    int size = cJSON_GetArraySize(json);
    if (size != n) return refuse_at(r, p, "must be an array of %d numbers, got %d", n, size);
    const cJSON *child = json->child;
    for (int k = 0; k < n; ++k, child = child->next) {
        path at = {p, NULL, (size_t)k};
        if (!get_number(r, &at, child, -LARGEST, LARGEST, &out[k])) return false;
    }
    return true;
}

bool get_positives(const reader *r, const path *p, const cJSON *json, int n, int positive,
                   double *out)
{
    if (!get_numbers(r, p, json, n, out)) return false;
    for (int k = 0; k < positive; ++k) {
        path at = {p, NULL, (size_t)k};
        if (!(out[k] > 0)) return refuse_at(r, &at, "must be > 0, got %.10g", out[k]);
    }
    return true;
}

bool get_unit(const reader *r, const path *p, const cJSON *json, int n, const char *what,
              double *out)
{
    double sum = 0;
    if (!get_numbers(r, p, json, n, out)) return false;
    for (int k = 0; k < n; ++k) sum += out[k] * out[k];
    if (fabs(sqrt(sum) - 1) <= 1e-6) return true;
    return refuse_at(r, p, "must be a unit %s, its length is %.10g", what, sqrt(sum));
}

bool get_word(const reader *r, const path *p, const cJSON *json, const char *const *words, int *out)
{
    char list[128] = "";
    for (int k = 0; words[k]; ++k) {
        if (cJSON_IsString(json) && strcmp(json->valuestring, words[k]) == 0) return *out = k, true;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s\"%s\"", k ? ", " : "", words[k]);
    }
    if (!cJSON_IsString(json)) {
        return refuse_at(r, p, "must be one of %s, got %s", list, type_name(json));
    }
    return refuse_at(r, p, "must be one of %s, got \"%.40s\"", list, json->valuestring);
}

/* Refuses commas and quotes, because names appear in comma-separated rows. */
bool get_name(const reader *r, const path *p, const cJSON *json, char name[SCENE_NAME])
{
    if (!cJSON_IsString(json)) return refuse_at(r, p, "must be a string, got %s", type_name(json));
    size_t length = strlen(json->valuestring);
    if (length == 0 || length >= SCENE_NAME) {
        return refuse_at(r, p, "must have 1 ... %d bytes, got %zu", SCENE_NAME - 1, length);
    }
    for (const char *c = json->valuestring; *c; ++c) {
        if ((unsigned char)*c >= ' ' && *c != ',' && *c != '"' && *c != 127) continue;
        return refuse_at(r, p, "must not hold commas, quotes or control characters");
    }
    memcpy(name, json->valuestring, length + 1);
    return true;
}

/* Order by name, then index. */
static int compare_names(const void *a, const void *b)
{
    const char *const *p = a, *const *q = b;
    int order = strcmp(*p, *q);
    return order ? order : (*p > *q) - (*p < *q);
}

bool check_names(const reader *r, const char *list, const char *names, size_t count, size_t stride)
{
    const char **sorted = NULL;
    size_t first = 0, again = count;
    for (size_t i = 0; i < count; ++i) arrput(sorted, names + i * stride);
    if (count > 1) qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < count; ++i) {
        size_t index = (size_t)(sorted[i] - names) / stride;
        if (index >= again || strcmp(sorted[i - 1], sorted[i]) != 0) continue;
        again = index;
        first = (size_t)(sorted[i - 1] - names) / stride;
    }
    arrfree(sorted);
    if (again == count) return true;
    path items = {NULL, list, 0}, item = {&items, NULL, again}, at = {&item, "name", 0};
    return refuse_at(r, &at, "%s is the name or the index of %s[%zu] as well",
                     names + again * stride, list, first);
}

/* The path of the object to which a key belongs, for keys that are often misplaced at the top or in
 * a generator; NULL for other keys. */
static const char *home_of(const path *object, const char *key)
{
    bool generates = object && object->key &&
                     (strcmp(object->key, "gas") == 0 || strcmp(object->key, "lattice") == 0);
    if (object && !generates) return NULL;
    static const struct {
        const char *home, *keys[18];
    } homes[] = {{"defaults.",
                  {"radius", "mass", "density", "restitution", "friction", "rolling_resistance",
                   "tangential_restitution", "type", "spin", "category", "mask", "sensor",
                   "gravity_scale", "can_sleep", "contact_events", "locks"}},
                 {"bounds.", {"faces", "min", "max"}},
                 {"generators[0].", {"gas", "lattice"}},
                 {"generators[0].gas.", {"packing_fraction", "speed_sigma"}},
                 {"surfaces[0].",
                  {"mesh", "heightfield", "box", "capsule", "cylinder", "cone", "disc", "rectangle",
                   "ellipsoid"}}};
    for (size_t i = 0; i < sizeof homes / sizeof *homes; ++i) {
        for (const char *const *k = homes[i].keys; *k; ++k)
            if (strcmp(*k, key) == 0) return homes[i].home;
    }
    return NULL;
}

static bool refuse_key(const reader *r, const path *at, const char *key, const char *nearest)
{
    const char *home = home_of(at->parent, key);
    if (home) return refuse_at(r, at, "unknown key; did you mean %s%s?", home, key);
    if (nearest) return refuse_at(r, at, "unknown key; did you mean %s?", nearest);
    return refuse_at(r, at, "unknown key");
}

bool check_keys(const reader *r, const path *p, const cJSON *object, const char *const *keys)
{
    if (!cJSON_IsObject(object)) {
        return refuse_at(r, p, "must be an object, got %s", type_name(object));
    }
    const cJSON *child;
    cJSON_ArrayForEach(child, object)
    {
        path at = {p, child->string[0] ? child->string : "\"\"", 0};
        nearest n = nearest_to(child->string);
        bool known = false;
        for (const char *const *key = keys; *key; ++key) {
            known = known || strcmp(*key, child->string) == 0;
            nearest_offer(&n, *key);
        }
        if (!known) return refuse_key(r, &at, child->string, n.name);
        if (GET(object, child->string) != child) return refuse_at(r, &at, "appears twice");
    }
    return true;
}
