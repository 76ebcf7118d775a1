/* JSON to scene. Every key is known or an error; every value is checked where it is read, and the
 * message carries the path of its key. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "scene.h"

/* Where we are in the file, for messages. */
typedef struct reader {
    const char *name;
    complaint *complaint;
} reader;

/* A place below another: "bodies[3]" + "radius". Paths are short; longer ones are cut. */
typedef struct path {
    char text[160];
} path;

bool refuse(complaint *complaint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(complaint->text, sizeof complaint->text, format, args);
    va_end(args);
    for (char *c = complaint->text; *c; ++c) {
        if (*c == '\n' || *c == '\r') *c = ' ';
    }
    return false;
}

static path below(const path *parent, const char *key)
{
    path p;
    snprintf(p.text, sizeof p.text, "%.120s%s%.36s", parent->text, parent->text[0] ? "." : "", key);
    return p;
}

static path item(const path *parent, size_t index)
{
    path p;
    snprintf(p.text, sizeof p.text, "%.130s[%zu]", parent->text, index);
    return p;
}

#define REFUSE(reader, path, ...) refuse_at(reader, path, __VA_ARGS__)
static bool __attribute__((format(printf, 3, 4))) refuse_at(const reader *r, const path *p, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return refuse(r->complaint, "%s: %s%s%s", r->name, p->text, p->text[0] ? ": " : "", what);
}

static const char *type_name(const cJSON *json)
{
    return cJSON_IsNumber(json)   ? "a number"
           : cJSON_IsString(json) ? "a string"
           : cJSON_IsArray(json)  ? "an array"
           : cJSON_IsObject(json) ? "an object"
           : cJSON_IsBool(json)   ? "true or false"
                                  : "null";
}

static bool get_number(const reader *r, const path *p, const cJSON *json, double low, double high, double *out)
{
    if (!cJSON_IsNumber(json)) return REFUSE(r, p, "must be a number, got %s", type_name(json));
    double value = json->valuedouble;
    if (!isfinite(value)) return REFUSE(r, p, "must be a finite number");
    if (value < low || value > high) return REFUSE(r, p, "must be in [%g, %g], got %g", low, high, value);
    *out = value;
    return true;
}

static bool get_positive(const reader *r, const path *p, const cJSON *json, double *out)
{
    if (!get_number(r, p, json, -1e15, 1e15, out)) return false;
    return *out > 0 || REFUSE(r, p, "must be > 0, got %g", *out);
}

static bool get_count(const reader *r, const path *p, const cJSON *json, double low, double high, uint64_t *out)
{
    double value = 0;
    if (!get_number(r, p, json, low, high, &value)) return false;
    if (value != floor(value)) return REFUSE(r, p, "must be a whole number, got %g", value);
    *out = (uint64_t)value;
    return true;
}

static bool get_bool(const reader *r, const path *p, const cJSON *json, bool *out)
{
    if (!cJSON_IsBool(json)) return REFUSE(r, p, "must be true or false, got %s", type_name(json));
    *out = cJSON_IsTrue(json);
    return true;
}

static bool get_numbers(const reader *r, const path *p, const cJSON *json, int n, double *out)
{
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != n) {
        return REFUSE(r, p, "must be an array of %d numbers", n);
    }
    for (int k = 0; k < n; ++k) {
        path at = item(p, (size_t)k);
        if (!get_number(r, &at, cJSON_GetArrayItem(json, k), -1e15, 1e15, &out[k])) return false;
    }
    return true;
}

/* Objects: the first key that is unknown or stands twice is refused. */
static bool check_keys(const reader *r, const path *p, const cJSON *object, const char *const *keys)
{
    if (!cJSON_IsObject(object)) return REFUSE(r, p, "must be an object, got %s", type_name(object));
    const cJSON *child;
    cJSON_ArrayForEach(child, object)
    {
        path at = below(p, child->string);
        bool known = false;
        for (const char *const *key = keys; *key; ++key) known = known || strcmp(*key, child->string) == 0;
        if (!known) return REFUSE(r, &at, "unknown key");
        if (cJSON_GetObjectItemCaseSensitive(object, child->string) != child) return REFUSE(r, &at, "stands twice");
    }
    return true;
}

#define GET(object, key) cJSON_GetObjectItemCaseSensitive(object, key)

/* Call a reading function for a key if it is there. */
#define OPTIONAL(object, key, call)                                                                                    \
    do {                                                                                                               \
        const cJSON *value = GET(object, key);                                                                         \
        path at = below(p, key);                                                                                       \
        if (value && !(call)) return false;                                                                            \
        (void)at;                                                                                                      \
    } while (0)
#define REQUIRED(object, key, call)                                                                                    \
    do {                                                                                                               \
        const cJSON *value = GET(object, key);                                                                         \
        path at = below(p, key);                                                                                       \
        if (!value) return REFUSE(r, &at, "is missing");                                                               \
        if (!(call)) return false;                                                                                     \
    } while (0)

static bool parse_face(const reader *r, const path *p, const cJSON *json, kugel_face *face)
{
    static const char *const names[] = {"open", "wall", "periodic"};
    for (int k = 0; k < 3 && cJSON_IsString(json); ++k) {
        if (strcmp(json->valuestring, names[k]) != 0) continue;
        *face = (kugel_face)k;
        return true;
    }
    return REFUSE(r, p, "must be \"open\", \"wall\" or \"periodic\"");
}

static bool parse_faces(const reader *r, const path *p, const cJSON *json, kugel_face faces[6])
{
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != 6) {
        return REFUSE(r, p, "must be 6 faces: x-min, x-max, y-min, y-max, z-min, z-max");
    }
    for (int k = 0; k < 6; ++k) {
        path at = item(p, (size_t)k);
        if (!parse_face(r, &at, cJSON_GetArrayItem(json, k), &faces[k])) return false;
    }
    for (int axis = 0; axis < 3; ++axis) {
        bool low = faces[2 * axis] == KUGEL_FACE_PERIODIC, high = faces[2 * axis + 1] == KUGEL_FACE_PERIODIC;
        if (low != high) return REFUSE(r, p, "periodic faces come in pairs: %c has one", "xyz"[axis]);
    }
    return true;
}

static bool parse_bounds(const reader *r, const path *p, const cJSON *json, kugel_bounds *bounds)
{
    static const char *const keys[] = {"min", "max", "faces", "restitution", "friction", NULL};
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "min", get_numbers(r, &at, value, 3, bounds->min));
    REQUIRED(json, "max", get_numbers(r, &at, value, 3, bounds->max));
    for (int k = 0; k < 6; ++k) bounds->faces[k] = KUGEL_FACE_WALL;
    OPTIONAL(json, "faces", parse_faces(r, &at, value, bounds->faces));
    OPTIONAL(json, "restitution", get_number(r, &at, value, 0, 1, &bounds->restitution));
    OPTIONAL(json, "friction", get_number(r, &at, value, 0, 1e6, &bounds->friction));
    for (int k = 0; k < 3; ++k) {
        if (bounds->min[k] < bounds->max[k]) continue;
        return REFUSE(r, p, "min %g is not below max %g along %c", bounds->min[k], bounds->max[k], "xyz"[k]);
    }
    return true;
}

static bool unit_length(const double *v, int n)
{
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += v[k] * v[k];
    return fabs(sqrt(sum) - 1) <= 1e-6;
}

static bool parse_plane(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"normal", "offset", "restitution", "friction", NULL};
    kugel_plane plane = {.friction = 0.5};
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "normal", get_numbers(r, &at, value, 3, plane.normal));
    OPTIONAL(json, "offset", get_number(r, &at, value, -1e15, 1e15, &plane.offset));
    OPTIONAL(json, "restitution", get_number(r, &at, value, 0, 1, &plane.restitution));
    OPTIONAL(json, "friction", get_number(r, &at, value, 0, 1e6, &plane.friction));
    if (!unit_length(plane.normal, 3)) return REFUSE(r, p, "normal must be a unit vector");
    arrput(scene->planes, plane);
    return true;
}

static bool parse_name(const reader *r, const path *p, const cJSON *json, ellipsoid *e)
{
    if (!cJSON_IsString(json)) return REFUSE(r, p, "must be a string, got %s", type_name(json));
    size_t length = strlen(json->valuestring);
    if (length == 0 || length >= sizeof e->name) return REFUSE(r, p, "must have 1 ... %zu bytes", sizeof e->name - 1);
    if (strpbrk(json->valuestring, ",\"\n\r")) return REFUSE(r, p, "must not hold commas, quotes or line ends");
    memcpy(e->name, json->valuestring, length + 1);
    return true;
}

static bool parse_ellipsoid(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"center", "semi_axes", "rotation", "name", NULL};
    ellipsoid e = {.rotation = {0, 0, 0, 1}};
    if (!check_keys(r, p, json, keys)) return false;
    snprintf(e.name, sizeof e.name, "%zu", (size_t)arrlen(scene->ellipsoids));
    REQUIRED(json, "center", get_numbers(r, &at, value, 3, e.center));
    REQUIRED(json, "semi_axes", get_numbers(r, &at, value, 3, e.semi_axes));
    OPTIONAL(json, "rotation", get_numbers(r, &at, value, 4, e.rotation));
    OPTIONAL(json, "name", parse_name(r, &at, value, &e));
    for (int k = 0; k < 3; ++k) {
        if (!(e.semi_axes[k] > 0)) return REFUSE(r, p, "semi_axes[%d] must be > 0, got %g", k, e.semi_axes[k]);
    }
    if (!unit_length(e.rotation, 4)) return REFUSE(r, p, "rotation must be a unit quaternion x, y, z, w");
    arrput(scene->ellipsoids, e);
    return true;
}

static bool parse_type(const reader *r, const path *p, const cJSON *json, kugel_body_type *type)
{
    static const char *const names[] = {"dynamic", "static", "kinematic"};
    for (int k = 0; k < 3 && cJSON_IsString(json); ++k) {
        if (strcmp(json->valuestring, names[k]) != 0) continue;
        *type = (kugel_body_type)k;
        return true;
    }
    return REFUSE(r, p, "must be \"dynamic\", \"static\" or \"kinematic\"");
}

static bool get_bits(const reader *r, const path *p, const cJSON *json, uint32_t *out)
{
    uint64_t bits;
    if (!get_count(r, p, json, 0, 4294967295.0, &bits)) return false;
    *out = (uint32_t)bits;
    return true;
}

/* What "defaults" and each body share. */
static bool parse_surface(const reader *r, const path *p, const cJSON *json, kugel_body_def *def)
{
    OPTIONAL(json, "radius", get_positive(r, &at, value, &def->radius));
    OPTIONAL(json, "mass", get_positive(r, &at, value, &def->mass));
    OPTIONAL(json, "restitution", get_number(r, &at, value, 0, 1, &def->restitution));
    OPTIONAL(json, "friction", get_number(r, &at, value, 0, 1e6, &def->friction));
    OPTIONAL(json, "rolling_resistance", get_number(r, &at, value, 0, 1e6, &def->rolling_resistance));
    OPTIONAL(json, "type", parse_type(r, &at, value, &def->type));
    OPTIONAL(json, "spin", get_numbers(r, &at, value, 3, def->spin));
    OPTIONAL(json, "category", get_bits(r, &at, value, &def->category));
    OPTIONAL(json, "mask", get_bits(r, &at, value, &def->mask));
    OPTIONAL(json, "sensor", get_bool(r, &at, value, &def->sensor));
    OPTIONAL(json, "gravity_scale", get_number(r, &at, value, -1e6, 1e6, &def->gravity_scale));
    return true;
}

static bool parse_defaults(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"radius", "mass", "restitution", "friction", "rolling_resistance", "type", "spin",
                                       "category", "mask", "sensor", "gravity_scale", NULL};
    return check_keys(r, p, json, keys) && parse_surface(r, p, json, &scene->defaults);
}

static bool parse_body(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"position", "velocity", "orientation", "radius", "mass", "restitution", "friction",
                                       "rolling_resistance", "type", "spin", "category", "mask", "sensor",
                                       "gravity_scale", NULL};
    kugel_body_def def = scene->defaults;
    double q[4] = {0, 0, 0, 1};
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "position", get_numbers(r, &at, value, 3, def.position));
    OPTIONAL(json, "velocity", get_numbers(r, &at, value, 3, def.velocity));
    OPTIONAL(json, "orientation", get_numbers(r, &at, value, 4, q));
    if (!unit_length(q, 4)) return REFUSE(r, p, "orientation must be a unit quaternion x, y, z, w");
    for (int k = 0; k < 4; ++k) def.orientation[k] = (float)q[k];
    if (!parse_surface(r, p, json, &def)) return false;
    arrput(scene->bodies, def);
    return true;
}

static bool parse_counts(const reader *r, const path *p, const cJSON *json, uint32_t count[3])
{
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != 3) return REFUSE(r, p, "must be an array of 3 whole numbers");
    double all = 1;
    for (int k = 0; k < 3; ++k) {
        path at = item(p, (size_t)k);
        uint64_t n;
        if (!get_count(r, &at, cJSON_GetArrayItem(json, k), 1, 1e7, &n)) return false;
        count[k] = (uint32_t)n;
        all *= (double)n;
    }
    return all <= 1e7 || REFUSE(r, p, "asks for %g bodies, more than 1e7", all);
}

static bool parse_lattice(const reader *r, const path *p, const cJSON *json, lattice *out)
{
    static const char *const keys[] = {"origin", "spacing", "count", "jitter", "seed", NULL};
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "origin", get_numbers(r, &at, value, 3, out->origin));
    REQUIRED(json, "spacing", get_numbers(r, &at, value, 3, out->spacing));
    REQUIRED(json, "count", parse_counts(r, &at, value, out->count));
    OPTIONAL(json, "jitter", get_number(r, &at, value, 0, 1e15, &out->jitter));
    OPTIONAL(json, "seed", get_count(r, &at, value, 0, 9007199254740992.0, &out->seed));
    return true;
}

static bool parse_gas(const reader *r, const path *p, const cJSON *json, gas *out)
{
    static const char *const keys[] = {"count", "packing_fraction", "speed_sigma", "seed", NULL};
    uint64_t count = 0;
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "count", get_count(r, &at, value, 1, 1e7, &count));
    REQUIRED(json, "packing_fraction", get_positive(r, &at, value, &out->packing_fraction));
    OPTIONAL(json, "speed_sigma", get_number(r, &at, value, 0, 1e12, &out->speed_sigma));
    OPTIONAL(json, "seed", get_count(r, &at, value, 0, 9007199254740992.0, &out->seed));
    out->count = (uint32_t)count;
    return true;
}

static bool parse_generator(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"lattice", "gas", NULL};
    generator g = {.lattice = {.seed = 1}, .gas = {.seed = 1}};
    if (!check_keys(r, p, json, keys)) return false;
    if (cJSON_GetArraySize(json) != 1) return REFUSE(r, p, "must hold one of \"lattice\" and \"gas\"");
    g.is_gas = GET(json, "gas");
    OPTIONAL(json, "lattice", parse_lattice(r, &at, value, &g.lattice));
    OPTIONAL(json, "gas", parse_gas(r, &at, value, &g.gas));
    arrput(scene->generators, g);
    return true;
}

static bool parse_beam(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"tick", "origin", "direction", "length", NULL};
    beam b = {.length = 1e15};
    if (!check_keys(r, p, json, keys)) return false;
    OPTIONAL(json, "tick", get_count(r, &at, value, 0, 1e12, &b.tick));
    REQUIRED(json, "origin", get_numbers(r, &at, value, 3, b.origin));
    REQUIRED(json, "direction", get_numbers(r, &at, value, 3, b.direction));
    OPTIONAL(json, "length", get_number(r, &at, value, 0, 1e15, &b.length));
    double n = sqrt(b.direction[0] * b.direction[0] + b.direction[1] * b.direction[1] + b.direction[2] * b.direction[2]);
    if (!(n > 0)) return REFUSE(r, p, "direction must not be 0");
    for (int k = 0; k < 3; ++k) b.direction[k] /= n;
    arrput(scene->beams, b);
    return true;
}

static bool parse_impulse(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"tick", "body", "impulse", NULL};
    impulse i = {0};
    uint64_t body = 0;
    if (!check_keys(r, p, json, keys)) return false;
    OPTIONAL(json, "tick", get_count(r, &at, value, 0, 1e12, &i.tick));
    REQUIRED(json, "body", get_count(r, &at, value, 0, 4294967295.0, &body));
    REQUIRED(json, "impulse", get_numbers(r, &at, value, 3, i.impulse));
    i.body = (uint32_t)body;
    arrput(scene->impulses, i);
    return true;
}

typedef bool parse_item(const reader *, const path *, const cJSON *, scene *);

static bool parse_array(const reader *r, const path *p, const cJSON *json, scene *scene, parse_item *parse)
{
    if (!cJSON_IsArray(json)) return REFUSE(r, p, "must be an array, got %s", type_name(json));
    size_t index = 0;
    const cJSON *child;
    cJSON_ArrayForEach(child, json)
    {
        path at = item(p, index++);
        if (!parse(r, &at, child, scene)) return false;
    }
    return true;
}

static bool parse_physics(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    kugel_world_def *def = &scene->world;
    uint64_t substeps = (uint64_t)def->substeps;
    OPTIONAL(json, "dt", get_positive(r, &at, value, &scene->dt));
    OPTIONAL(json, "ticks", get_count(r, &at, value, 0, 1e12, &scene->ticks));
    OPTIONAL(json, "substeps", get_count(r, &at, value, 1, 1000, &substeps));
    OPTIONAL(json, "gravity", get_numbers(r, &at, value, 3, def->gravity));
    OPTIONAL(json, "bounce_threshold", get_number(r, &at, value, 0, 1e15, &def->bounce_threshold));
    OPTIONAL(json, "slop", get_number(r, &at, value, 0, 0.5, &def->slop));
    OPTIONAL(json, "linear_damping", get_number(r, &at, value, 0, 1e6, &def->linear_damping));
    OPTIONAL(json, "angular_damping", get_number(r, &at, value, 0, 1e6, &def->angular_damping));
    OPTIONAL(json, "sleep", get_bool(r, &at, value, &def->sleep));
    OPTIONAL(json, "bounds", parse_bounds(r, &at, value, &def->bounds));
    def->substeps = (int32_t)substeps;
    return true;
}

static bool check_format(const reader *r, const path *p, const cJSON *json)
{
    const cJSON *format = GET(json, "format"), *version = GET(json, "version");
    path at = below(p, "format");
    if (!format) return REFUSE(r, &at, "is missing");
    if (!cJSON_IsString(format) || strcmp(format->valuestring, "kugel-scene") != 0) {
        return REFUSE(r, &at, "must be \"kugel-scene\"");
    }
    at = below(p, "version");
    if (!version) return REFUSE(r, &at, "is missing");
    if (!cJSON_IsNumber(version) || version->valuedouble != 1) return REFUSE(r, &at, "must be 1");
    return true;
}

static bool parse_scene(const reader *r, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"format", "version", "dt", "ticks", "substeps", "gravity", "bounce_threshold", "slop",
                                       "linear_damping", "angular_damping", "sleep", "bounds", "planes", "ellipsoids",
                                       "defaults", "bodies", "generators", "beams", "impulses", NULL};
    path root = {""}, *p = &root;
    if (!check_keys(r, p, json, keys) || !check_format(r, p, json) || !parse_physics(r, p, json, scene)) return false;
    OPTIONAL(json, "planes", parse_array(r, &at, value, scene, parse_plane));
    OPTIONAL(json, "ellipsoids", parse_array(r, &at, value, scene, parse_ellipsoid));
    OPTIONAL(json, "defaults", parse_defaults(r, &at, value, scene));
    OPTIONAL(json, "bodies", parse_array(r, &at, value, scene, parse_body));
    OPTIONAL(json, "generators", parse_array(r, &at, value, scene, parse_generator));
    OPTIONAL(json, "beams", parse_array(r, &at, value, scene, parse_beam));
    OPTIONAL(json, "impulses", parse_array(r, &at, value, scene, parse_impulse));
    if (!GET(json, "bodies") && !GET(json, "generators")) return REFUSE(r, p, "needs \"bodies\" or \"generators\"");
    return true;
}

/* Numbers too large for a double come out of the JSON reader as infinity and are refused by
 * get_number; a syntax error becomes line and column. */
static bool syntax_error(const reader *r, const char *text, const char *at)
{
    size_t line = 1, column = 1;
    for (const char *c = text; c < at; ++c) {
        if (*c == '\n') ++line, column = 1;
        else ++column;
    }
    return refuse(r->complaint, "%s:%zu:%zu: not valid JSON here", r->name, line, column);
}

bool scene_parse(scene *scene, const char *text, size_t size, const char *name, complaint *complaint)
{
    reader r = {name, complaint};
    *scene = (struct scene){.dt = 1.0 / 60, .ticks = 600, .world = kugel_world_def_default(),
                            .defaults = kugel_body_def_default()};
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithLengthOpts(text, size, &end, false);
    if (!json) return syntax_error(&r, text, end ? end : text);
    while (end < text + size && (*end == ' ' || *end == '\t' || *end == '\n' || *end == '\r')) ++end;
    bool ok = end == text + size ? parse_scene(&r, json, scene) : syntax_error(&r, text, end);
    cJSON_Delete(json);
    if (!ok) scene_free(scene);
    return ok;
}

void scene_free(scene *scene)
{
    arrfree(scene->planes);
    arrfree(scene->ellipsoids);
    arrfree(scene->bodies);
    arrfree(scene->generators);
    arrfree(scene->beams);
    arrfree(scene->impulses);
}
