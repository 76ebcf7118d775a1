/* Parses bodies, their defaults, and generators. */
#include <math.h>
#include <string.h>

#include "arrays.h"
#include "parse.h"

static bool get_type(const reader *r, const path *p, const cJSON *json, kugel_body_type *type)
{
    static const char *const names[] = {"dynamic", "static", "kinematic", NULL};
    int index;
    if (!get_word(r, p, json, names, &index)) return false;
    *type = (kugel_body_type)index;
    return true;
}

/* A list of axes, or one word for several. */
static bool get_locks(const reader *r, const path *p, const cJSON *json, uint32_t *locks)
{
    static const char *const names[] = {"linear_x",  "linear_y",  "linear_z",
                                        "angular_x", "angular_y", "angular_z",
                                        "rotation",  "plane",     NULL};
    static const uint32_t bits[] = {1, 2, 4, 8, 16, 32, KUGEL_LOCK_ROTATION, KUGEL_LOCK_PLANE};
    int index, count = cJSON_IsArray(json) ? cJSON_GetArraySize(json) : 1;
    *locks = 0;
    for (int k = 0; k < count; ++k) {
        path at = {p, NULL, (size_t)k};
        const cJSON *word = cJSON_IsArray(json) ? cJSON_GetArrayItem(json, k) : json;
        if (!get_word(r, word == json ? p : &at, word, names, &index)) return false;
        *locks |= bits[index];
    }
    return true;
}

/* Keys shared by "defaults" and each body. */
static bool parse_material(const reader *r, const path *p, const cJSON *json, kugel_body_def *def)
{
    OPTIONAL(json, "restitution", get_number(r, &at, value, 0, 1, &def->restitution));
    OPTIONAL(json, "friction", get_number(r, &at, value, 0, 1e6, &def->friction));
    OPTIONAL(json, "rolling_resistance",
             get_number(r, &at, value, 0, 1e6, &def->rolling_resistance));
    OPTIONAL(json, "tangential_restitution",
             get_number(r, &at, value, -1, 1, &def->tangential_restitution));
    OPTIONAL(json, "type", get_type(r, &at, value, &def->type));
    OPTIONAL(json, "spin", get_numbers(r, &at, value, 3, def->spin));
    OPTIONAL(json, "category", get_bits(r, &at, value, &def->category));
    OPTIONAL(json, "mask", get_bits(r, &at, value, &def->mask));
    OPTIONAL(json, "sensor", get_bool(r, &at, value, &def->sensor));
    OPTIONAL(json, "gravity_scale", get_number(r, &at, value, -1e6, 1e6, &def->gravity_scale));
    OPTIONAL(json, "linear_damping", get_number(r, &at, value, 0, 1e6, &def->linear_damping));
    OPTIONAL(json, "angular_damping", get_number(r, &at, value, 0, 1e6, &def->angular_damping));
    OPTIONAL(json, "can_sleep", get_bool(r, &at, value, &def->can_sleep));
    OPTIONAL(json, "contact_events", get_bool(r, &at, value, &def->contact_events));
    OPTIONAL(json, "locks", get_locks(r, &at, value, &def->locks));
    return true;
}

bool parse_defaults(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"radius",
                                       "mass",
                                       "density",
                                       "restitution",
                                       "friction",
                                       "rolling_resistance",
                                       "tangential_restitution",
                                       "type",
                                       "spin",
                                       "category",
                                       "mask",
                                       "sensor",
                                       "gravity_scale",
                                       "linear_damping",
                                       "angular_damping",
                                       "can_sleep",
                                       "contact_events",
                                       "locks",
                                       "kind",
                                       NULL};
    return check_keys(r, p, json, keys) && parse_grains(r, p, json, scene, &scene->grains) &&
           parse_material(r, p, json, &scene->defaults);
}

/* Three whole numbers of 32 bits. The world refuses those along axes that are not periodic. */
static bool get_image(const reader *r, const path *p, const cJSON *json, int32_t image[3])
{
    double numbers[3];
    if (!get_numbers(r, p, json, 3, numbers)) return false;
    const cJSON *child = json->child;
    for (size_t k = 0; k < 3; ++k, child = child->next) {
        path at = {p, NULL, k};
        if (!get_number(r, &at, child, INT32_MIN, INT32_MAX, &numbers[k])) return false;
        if (numbers[k] != floor(numbers[k]))
            return refuse_at(r, &at, "must be a whole number, got %.10g", numbers[k]);
        image[k] = (int32_t)numbers[k];
    }
    return true;
}

bool parse_body(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"position",
                                       "image",
                                       "velocity",
                                       "rotation",
                                       "radius",
                                       "mass",
                                       "density",
                                       "restitution",
                                       "friction",
                                       "rolling_resistance",
                                       "tangential_restitution",
                                       "type",
                                       "spin",
                                       "category",
                                       "mask",
                                       "sensor",
                                       "gravity_scale",
                                       "linear_damping",
                                       "angular_damping",
                                       "can_sleep",
                                       "contact_events",
                                       "locks",
                                       "kind",
                                       NULL};
    kugel_body_def def = scene->defaults;
    grains grains = scene->grains;
    double q[4] = {0, 0, 0, 1}, radius = 0;
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "position", get_numbers(r, &at, value, 3, def.position));
    OPTIONAL(json, "image", get_image(r, &at, value, def.image));
    OPTIONAL(json, "velocity", get_numbers(r, &at, value, 3, def.velocity));
    OPTIONAL(json, "rotation", get_unit(r, &at, value, 4, "quaternion x, y, z, w", q));
    memcpy(def.rotation, q, sizeof def.rotation);
    OPTIONAL(json, "radius", get_positive(r, &at, value, &radius));
    if (!parse_mass(r, p, json, &grains) || !parse_material(r, p, json, &def)) return false;
    if (!GET(json, "radius"))
        radius = radii_draw(&grains.radii, scene->choices, &scene->listed_random);
    grains_set(&grains, radius, &def);
    if (def.type == KUGEL_STATIC && !GET(json, "spin"))
        memset(def.spin, 0, sizeof def.spin); /* static bodies ignore the default spin */
    if (arrlenu(scene->bodies) == MOST_BODIES) {
        return refuse_at(r, p, "more than %d bodies", MOST_BODIES);
    }
    arrput(scene->bodies, def);
    return true;
}

static bool get_counts(const reader *r, const path *p, const cJSON *json, uint32_t count[3])
{
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != 3) {
        return refuse_at(r, p, "must be an array of 3 whole numbers");
    }
    double all = 1;
    const cJSON *child = json->child;
    for (int k = 0; k < 3; ++k, child = child->next) {
        path at = {p, NULL, (size_t)k};
        uint64_t n;
        if (!get_count(r, &at, child, 1, MOST_BODIES, &n)) return false;
        count[k] = (uint32_t)n;
        all *= (double)n;
    }
    return all <= MOST_BODIES || refuse_at(r, p, "more than %d bodies: %g", MOST_BODIES, all);
}

static const char *const lattice_keys[] = {"origin", "spacing", "count",   "jitter", "seed",
                                           "radius", "mass",    "density", "kind",   NULL};
static const char *const gas_keys[] = {"count", "packing_fraction", "speed_sigma", "seed", "radius",
                                       "mass",  "density",          "kind",        NULL};

static bool parse_lattice(const reader *r, const path *p, const cJSON *json, scene *scene,
                          generator *out)
{
    lattice *lattice = &out->lattice;
    if (!check_keys(r, p, json, lattice_keys)) return false;
    REQUIRED(json, "origin", get_numbers(r, &at, value, 3, lattice->origin));
    REQUIRED(json, "spacing", get_numbers(r, &at, value, 3, lattice->spacing));
    REQUIRED(json, "count", get_counts(r, &at, value, lattice->count));
    OPTIONAL(json, "jitter", get_number(r, &at, value, 0, LARGEST, &lattice->jitter));
    OPTIONAL(json, "seed", get_count(r, &at, value, 0, 9007199254740992.0, &lattice->seed));
    return parse_grains(r, p, json, scene, &out->grains);
}

static bool parse_gas(const reader *r, const path *p, const cJSON *json, scene *scene,
                      generator *out)
{
    gas *gas = &out->gas;
    uint64_t count = 0;
    if (!check_keys(r, p, json, gas_keys)) return false;
    OPTIONAL(json, "count", get_count(r, &at, value, 1, MOST_BODIES, &count));
    OPTIONAL(json, "packing_fraction", get_positive(r, &at, value, &gas->packing_fraction));
    OPTIONAL(json, "speed_sigma", get_number(r, &at, value, 0, 1e12, &gas->speed_sigma));
    OPTIONAL(json, "seed", get_count(r, &at, value, 0, 9007199254740992.0, &gas->seed));
    if (!GET(json, "count") && !GET(json, "packing_fraction"))
        return refuse_at(r, p, "needs count or packing_fraction");
    gas->count = (uint32_t)count;
    gas->own_radius = GET(json, "radius");
    if (GET(json, "speed_sigma")) gas->temperature = 0;
    return parse_grains(r, p, json, scene, &out->grains);
}

/* Refuse keys of a lattice or gas that are beside "lattice" or "gas" instead of inside. */
static bool check_inside(const reader *r, const path *p, const cJSON *json)
{
    const char *shape = GET(json, "gas") ? "gas" : "lattice";
    const char *const *keys = GET(json, "gas") ? gas_keys : lattice_keys;
    if (!GET(json, shape)) return true;
    for (; *keys; ++keys) {
        path at = {p, *keys, 0};
        if (GET(json, *keys)) return refuse_at(r, &at, "belongs in %s", shape);
    }
    return true;
}

bool parse_generator(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"lattice", "gas", NULL};
    generator g = {.lattice = {.seed = 1},
                   .gas = {.temperature = scene->gas_temperature, .seed = 1},
                   .grains = scene->grains};
    if (!check_inside(r, p, json) || !check_keys(r, p, json, keys)) return false;
    if (cJSON_GetArraySize(json) != 1) {
        return refuse_at(r, p, "must hold one of \"lattice\" and \"gas\"");
    }
    g.is_gas = GET(json, "gas");
    OPTIONAL(json, "lattice", parse_lattice(r, &at, value, scene, &g));
    OPTIONAL(json, "gas", parse_gas(r, &at, value, scene, &g));
    arrput(scene->generators, g);
    return true;
}
