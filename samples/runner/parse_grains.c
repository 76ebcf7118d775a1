/* Parses radii, masses and kinds: numbers, distributions of radii, densities. */
#include "arrays.h"
#include "parse.h"

static bool get_range(const reader *r, const path *p, const cJSON *json, radius_kind kind,
                      radii *out)
{
    double part[3] = {0};
    path high = {p, NULL, 1}, exponent = {p, NULL, 2};
    if (!get_positives(r, p, json, kind == RADIUS_POWER ? 3 : 2, 2, part)) return false;
    if (part[1] < part[0])
        return refuse_at(r, &high, "must be >= %.10g, got %.10g", part[0], part[1]);
    if (part[2] < -100 || part[2] > 100)
        return refuse_at(r, &exponent, "must be in [-100, 100], got %.10g", part[2]);
    *out = (radii){.kind = kind, .low = part[0], .high = part[1], .exponent = part[2]};
    return true;
}

static bool get_choices(const reader *r, const path *p, const cJSON *json, scene *scene, radii *out)
{
    if (!cJSON_IsArray(json) || !json->child)
        return refuse_at(r, p, "must be an array of [radius, weight]");
    *out = (radii){.kind = RADIUS_CHOICES, .first = arrlenu(scene->choices)};
    double all = 0;
    const cJSON *child;
    cJSON_ArrayForEach(child, json)
    {
        path at = {p, NULL, out->count++};
        double part[2];
        if (!get_positives(r, &at, child, 2, 2, part)) return false;
        all += part[1];
        radius_choice choice = {part[0], all};
        arrput(scene->choices, choice);
    }
    return true;
}

static bool get_radii(const reader *r, const path *p, const cJSON *json, scene *scene, radii *out)
{
    static const char *const keys[] = {"uniform", "log_uniform", "power", "choices", NULL};
    if (cJSON_IsNumber(json)) {
        *out = (radii){.kind = RADIUS_FIXED};
        return get_positive(r, p, json, &out->low);
    }
    if (!cJSON_IsObject(json))
        return refuse_at(r, p, "must be a number or a distribution, got %s", type_name(json));
    if (!check_keys(r, p, json, keys)) return false;
    if (cJSON_GetArraySize(json) != 1)
        return refuse_at(r, p, "must hold one of uniform, log_uniform, power and choices");
    OPTIONAL(json, "uniform", get_range(r, &at, value, RADIUS_UNIFORM, out));
    OPTIONAL(json, "log_uniform", get_range(r, &at, value, RADIUS_LOG_UNIFORM, out));
    OPTIONAL(json, "power", get_range(r, &at, value, RADIUS_POWER, out));
    OPTIONAL(json, "choices", get_choices(r, &at, value, scene, out));
    return true;
}

bool parse_mass(const reader *r, const path *p, const cJSON *json, grains *grains)
{
    path density = {p, "density", 0};
    if (GET(json, "mass") && GET(json, "density"))
        return refuse_at(r, &density, "replaces mass: give one of them");
    if (GET(json, "mass")) grains->density = 0;
    grains->given = grains->given || GET(json, "mass") || GET(json, "density");
    OPTIONAL(json, "mass", get_positive(r, &at, value, &grains->mass));
    OPTIONAL(json, "density", get_positive(r, &at, value, &grains->density));
    OPTIONAL(json, "kind", get_kind(r, &at, value, &grains->kind));
    return true;
}

bool parse_grains(const reader *r, const path *p, const cJSON *json, scene *scene, grains *grains)
{
    OPTIONAL(json, "radius", get_radii(r, &at, value, scene, &grains->radii));
    return parse_mass(r, p, json, grains);
}
