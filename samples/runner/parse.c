/* Reads a scene: from text to a JSON tree to a scene. Unknown keys are errors; every value is
 * checked where it is read. Checks that need the world, as of a body outside closed bounds, follow
 * when bodies are created. */
#include "parse.h"

#include <string.h>

#include "arrays.h"
#include "syntax.h"

bool parse_list(const reader *r, const path *p, const cJSON *json, scene *scene, parse_item *parse)
{
    return cJSON_IsObject(json) ? parse(r, p, json, scene) : parse_array(r, p, json, scene, parse);
}

bool parse_array(const reader *r, const path *p, const cJSON *json, scene *scene, parse_item *parse)
{
    if (!cJSON_IsArray(json)) return refuse_at(r, p, "must be an array, got %s", type_name(json));
    size_t index = 0;
    const cJSON *child;
    cJSON_ArrayForEach(child, json)
    {
        path at = {p, NULL, index++};
        if (!parse(r, &at, child, scene)) return false;
    }
    return true;
}

static bool parse_physics(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    kugel_world_def *def = &scene->world;
    uint64_t substeps = (uint64_t)def->substeps, step_event_limit = 0,
             iterations = (uint64_t)def->contact_iterations, budget = (uint64_t)def->impact_budget;
    OPTIONAL(json, "dt", get_positive(r, &at, value, &scene->dt));
    OPTIONAL(json, "ticks", get_count(r, &at, value, 0, 1e12, &scene->ticks));
    OPTIONAL(json, "accumulate", get_count(r, &at, value, 1, 1e12, &scene->accumulate));
    OPTIONAL(json, "substeps", get_count(r, &at, value, 0, 1000, &substeps));
    OPTIONAL(json, "gravity", get_numbers(r, &at, value, 3, def->gravity));
    OPTIONAL(json, "bounce_threshold",
             get_number(r, &at, value, 0, LARGEST, &def->bounce_threshold));
    OPTIONAL(json, "slop", get_number(r, &at, value, 0, 0.5, &def->slop));
    OPTIONAL(json, "growth", get_number(r, &at, value, 0, 1e6, &def->growth));
    OPTIONAL(json, "linear_damping", get_number(r, &at, value, 0, 1e6, &def->linear_damping));
    OPTIONAL(json, "angular_damping", get_number(r, &at, value, 0, 1e6, &def->angular_damping));
    OPTIONAL(json, "sleep", get_bool(r, &at, value, &def->sleep));
    OPTIONAL(json, "contact_iterations", get_count(r, &at, value, 1, 100, &iterations));
    OPTIONAL(json, "impact_budget", get_count(r, &at, value, 1, 1 << 30, &budget));
    OPTIONAL(json, "step_event_limit", get_count(r, &at, value, 0, 1 << 30, &step_event_limit));
    OPTIONAL(json, "bounds", parse_bounds(r, &at, value, scene));
    def->substeps = (int32_t)substeps;
    def->contact_iterations = (int32_t)iterations;
    def->impact_budget = (int32_t)budget;
    def->step_event_limit = (int32_t)step_event_limit;
    return true;
}

/* An array, or the name of a file. */
static bool parse_bodies(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    if (cJSON_IsArray(json)) return parse_array(r, p, json, scene, parse_body);
    if (!cJSON_IsString(json))
        return refuse_at(r, p, "must be an array or the name of a file, got %s", type_name(json));
    if (!json->valuestring[0]) return refuse_at(r, p, "needs a file name");
    scene->bodies_file = strdup(json->valuestring);
    return scene->bodies_file || refuse(r->complaint, EXIT_RESOURCES, "%s: out of memory", r->name);
}

static bool is_format(const reader *r, const path *p, const cJSON *json)
{
    if (cJSON_IsString(json) && strcmp(json->valuestring, "kugel-scene") == 0) return true;
    return refuse_at(r, p, "must be \"kugel-scene\"");
}

static bool is_version(const reader *r, const path *p, const cJSON *json)
{
    if (cJSON_IsNumber(json) && json->valuedouble == 1) return true;
    return refuse_at(r, p, "must be 1, the version that this program reads");
}

static bool parse_acts(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    OPTIONAL(json, "impulses", parse_array(r, &at, value, scene, parse_impulse));
    OPTIONAL(json, "forces", parse_array(r, &at, value, scene, parse_force));
    OPTIONAL(json, "gravity_schedule", parse_array(r, &at, value, scene, parse_gravity));
    OPTIONAL(json, "motions", parse_array(r, &at, value, scene, parse_motion));
    OPTIONAL(json, "emitters", parse_array(r, &at, value, scene, parse_emitter));
    OPTIONAL(json, "drains", parse_array(r, &at, value, scene, parse_drain));
    OPTIONAL(json, "thermostat", parse_list(r, &at, value, scene, parse_thermostat));
    OPTIONAL(json, "servo", parse_list(r, &at, value, scene, parse_servo));
    return true;
}

static bool check_all_names(const reader *r, const scene *scene)
{
    const ellipsoid *e = scene->ellipsoids;
    const surface *s = scene->surfaces;
    const plane *l = scene->planes;
    return check_names(r, "planes", l ? l->name : NULL, arrlenu(l), sizeof *l) &&
           check_names(r, "ellipsoids", e ? e->name : NULL, arrlenu(e), sizeof *e) &&
           check_names(r, "surfaces", s ? s->name : NULL, arrlenu(s), sizeof *s);
}

/* "reduced_gas": the defaults of elastic hard spheres with diameter, mass and k_B T of 1. Radius
 * and mass have these defaults anyway. */
static bool parse_preset(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const names[] = {"reduced_gas", NULL};
    int index;
    if (!get_word(r, p, json, names, &index)) return false;
    scene->world.bounce_threshold = scene->world.slop = 0;
    scene->world.sleep = false;
    scene->defaults.restitution = 1, scene->defaults.friction = 0;
    scene->gas_temperature = 1;
    return true;
}

static bool parse_scene(const reader *r, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"format",
                                       "version",
                                       "preset",
                                       "dt",
                                       "ticks",
                                       "accumulate",
                                       "substeps",
                                       "gravity",
                                       "bounce_threshold",
                                       "slop",
                                       "growth",
                                       "linear_damping",
                                       "angular_damping",
                                       "sleep",
                                       "contact_iterations",
                                       "impact_budget",
                                       "step_event_limit",
                                       "bounds",
                                       "planes",
                                       "ellipsoids",
                                       "surfaces",
                                       "pairs",
                                       "defaults",
                                       "bodies",
                                       "generators",
                                       "beams",
                                       "impulses",
                                       "forces",
                                       "gravity_schedule",
                                       "motions",
                                       "emitters",
                                       "drains",
                                       "thermostat",
                                       "servo",
                                       NULL};
    const path *p = NULL;
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "format", is_format(r, &at, value));
    REQUIRED(json, "version", is_version(r, &at, value));
    OPTIONAL(json, "preset", parse_preset(r, &at, value, scene));
    if (!parse_physics(r, p, json, scene)) return false;
    OPTIONAL(json, "planes", parse_array(r, &at, value, scene, parse_plane));
    OPTIONAL(json, "ellipsoids", parse_array(r, &at, value, scene, parse_ellipsoid));
    OPTIONAL(json, "surfaces", parse_array(r, &at, value, scene, parse_surface));
    OPTIONAL(json, "pairs", parse_array(r, &at, value, scene, parse_pair));
    if (!check_all_names(r, scene)) return false;
    OPTIONAL(json, "defaults", parse_defaults(r, &at, value, scene));
    OPTIONAL(json, "bodies", parse_bodies(r, &at, value, scene));
    path bounds = {p, "bounds", 0};
    if (scene->bounds_of_file && !scene->bodies_file)
        return refuse_at(r, &bounds, "needs min and max, or a file of bodies that has a box");
    OPTIONAL(json, "generators", parse_array(r, &at, value, scene, parse_generator));
    OPTIONAL(json, "beams", parse_array(r, &at, value, scene, parse_beam));
    if (!parse_acts(r, p, json, scene)) return false;
    if (!GET(json, "bodies") && !GET(json, "generators") && !GET(json, "emitters")) {
        return refuse_at(r, p, "needs \"bodies\" or \"generators\" (or \"emitters\")");
    }
    return true;
}

bool scene_parse(scene *scene, const char *text, size_t size, const char *name,
                 complaint *complaint)
{
    reader r = {name, complaint};
    syntax_error error;
    *scene = (struct scene){.dt = 1.0 / 60,
                            .ticks = 600,
                            .world = kugel_world_def_default(),
                            .defaults = kugel_body_def_default(),
                            .listed_random = random_seed(1)};
    scene->grains.radii.low = scene->defaults.radius;
    scene->grains.mass = scene->defaults.mass;
    if (!syntax_check(text, size, &error)) {
        return refuse(complaint, EXIT_USAGE, "%s:%zu:%zu: not valid JSON: %s", name, error.line,
                      error.column, error.why);
    }
    cJSON *json = cJSON_ParseWithLength(text, size);
    if (!json) return refuse(complaint, EXIT_RESOURCES, "%s: out of memory", name);
    bool good = parse_scene(&r, json, scene);
    cJSON_Delete(json);
    if (!good) scene_free(scene);
    return good;
}

void scene_free(scene *scene)
{
    arrfree(scene->planes);
    arrfree(scene->pairs);
    arrfree(scene->ellipsoids);
    for (size_t i = 0; i < arrlenu(scene->surfaces); ++i) {
        arrfree(scene->surfaces[i].vertices);
        arrfree(scene->surfaces[i].triangles);
        free(scene->surfaces[i].mesh_file);
    }
    arrfree(scene->surfaces);
    scene_free_bodies(scene);
    free(scene->bodies_file);
    arrfree(scene->choices);
    arrfree(scene->generators);
    arrfree(scene->beams);
    arrfree(scene->impulses);
    arrfree(scene->forces);
    arrfree(scene->gravities);
    arrfree(scene->motions);
    arrfree(scene->emitters);
    arrfree(scene->drains);
    arrfree(scene->thermostats);
    arrfree(scene->servos);
}
