/* Parses the acts of a scene: impulses, forces, gravity changes, motions, emitters, drains. */
#include <string.h>

#include "arrays.h"
#include "motions.h"
#include "nearest.h"
#include "parse.h"

bool get_span(const reader *r, const path *p, const cJSON *json, span *span)
{
    *span = (struct span){.ticks = UINT64_MAX, .every = 1};
    OPTIONAL(json, "tick", get_count(r, &at, value, 0, 1e12, &span->tick));
    OPTIONAL(json, "ticks", get_count(r, &at, value, 1, 1e12, &span->ticks));
    OPTIONAL(json, "every", get_count(r, &at, value, 1, 1e12, &span->every));
    return true;
}

bool parse_impulse(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"tick", "body", "impulse", NULL};
    impulse i = {0};
    if (!check_keys(r, p, json, keys)) return false;
    OPTIONAL(json, "tick", get_count(r, &at, value, 0, 1e12, &i.tick));
    REQUIRED(json, "body", get_bits(r, &at, value, &i.body));
    REQUIRED(json, "impulse", get_numbers(r, &at, value, 3, i.impulse));
    arrput(scene->impulses, i);
    return true;
}

bool parse_force(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"tick", "ticks", "every", "body", "force", "torque", NULL};
    force f = {0};
    if (!check_keys(r, p, json, keys) || !get_span(r, p, json, &f.span)) return false;
    REQUIRED(json, "body", get_bits(r, &at, value, &f.body));
    OPTIONAL(json, "force", get_numbers(r, &at, value, 3, f.force));
    OPTIONAL(json, "torque", get_numbers(r, &at, value, 3, f.torque));
    if (!GET(json, "force") && !GET(json, "torque"))
        return refuse_at(r, p, "needs a force or a torque");
    arrput(scene->forces, f);
    return true;
}

bool parse_gravity(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"tick", "gravity", NULL};
    gravity_change g = {0};
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "tick", get_count(r, &at, value, 0, 1e12, &g.tick));
    REQUIRED(json, "gravity", get_numbers(r, &at, value, 3, g.gravity));
    arrput(scene->gravities, g);
    return true;
}

/* The index of the item with the name of `json`. Names are `stride` bytes apart.
 * @param what kind of items. */
static bool find_name(const reader *r, const path *p, const cJSON *json, const char *what,
                      const char *names, size_t count, size_t stride, uint32_t *index)
{
    for (*index = 0; *index < count; ++*index)
        if (strcmp(names + *index * stride, json->valuestring) == 0) return true;
    nearest n = nearest_to(json->valuestring);
    for (size_t i = 0; i < count; ++i) nearest_offer(&n, names + i * stride);
    return refuse_at(r, p, "no %s has the name \"%.64s\"%s%s%s", what, json->valuestring,
                     n.name ? "; did you mean \"" : "", n.name ? n.name : "", n.name ? "\"?" : "");
}

bool get_moved(const reader *r, const path *p, const cJSON *json, const scene *scene, mover *mover)
{
    const surface *surfaces = scene->surfaces;
    const plane *planes = scene->planes;
    const char *what = mover_names[mover->kind];
    if (cJSON_IsNumber(json)) return get_bits(r, p, json, &mover->index);
    if (!cJSON_IsString(json))
        return refuse_at(r, p, "must be the name or the index of a %s, got %s", what,
                         type_name(json));
    return mover->kind == MOVES_PLANE
               ? find_name(r, p, json, what, planes ? planes->name : NULL, arrlenu(planes),
                           sizeof *planes, &mover->index)
               : find_name(r, p, json, what, surfaces ? surfaces->name : NULL, arrlenu(surfaces),
                           sizeof *surfaces, &mover->index);
}

static bool get_mover(const reader *r, const path *p, const cJSON *json, const scene *scene,
                      mover *mover)
{
    int found = -1;
    for (int k = MOVES_BODY; k <= MOVES_PLANE; ++k) {
        path at = {p, mover_names[k], 0};
        if (!GET(json, mover_names[k])) continue;
        if (found >= 0)
            return refuse_at(r, &at, "replaces %s: give one of them", mover_names[found]);
        found = k;
    }
    mover->kind = found < 0 ? MOVES_BODY : (mover_kind)found;
    if (mover->kind == MOVES_BODY) REQUIRED(json, "body", get_bits(r, &at, value, &mover->index));
    else REQUIRED(json, mover_names[found], get_moved(r, &at, value, scene, mover));
    return true;
}

/* A key that takes the place of another one. */
static bool replaces(const reader *r, const path *p, const cJSON *json, const char *key,
                     const char *other)
{
    path at = {p, key, 0};
    return !GET(json, key) || !GET(json, other) ||
           refuse_at(r, &at, "replaces %s: give one of them", other);
}

/* Check the keys of a motion, one by one and together. */
static bool check_motion(const reader *r, const path *p, const cJSON *json, const scene *scene,
                         const motion *m)
{
    path ticks = {p, "ticks", 0}, rotation = {p, "rotation", 0}, spin = {p, "spin", 0};
    path tangent = {p, "tangent_velocity", 0};
    if (!replaces(r, p, json, "position", "velocity") || !replaces(r, p, json, "rotation", "spin"))
        return false;
    if (m->has_tangent && m->mover.kind == MOVES_BODY)
        return refuse_at(r, &tangent, "is for surfaces and planes");
    if (!m->has_velocity && !m->has_spin && !m->has_position && !m->has_rotation && !m->has_tangent)
        return refuse_at(r, p, "needs a velocity, a spin, a position or a rotation%s",
                         m->mover.kind == MOVES_BODY ? "" : ", or a tangent_velocity");
    if (GET(json, "ticks") && !m->has_position && !m->has_rotation)
        return refuse_at(r, &ticks, "needs a position or a rotation");
    if (m->mover.kind != MOVES_SURFACE || m->mover.index >= arrlenu(scene->surfaces)) return true;
    if (surface_can_turn(&scene->surfaces[m->mover.index])) return true;
    return !(m->has_spin || m->has_rotation) ||
           refuse_at(r, m->has_spin ? &spin : &rotation,
                     "a solid shape spins about its middle: from must be -to");
}

bool parse_motion(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"tick", "body",     "surface",  "plane", "velocity",
                                       "spin", "position", "rotation", "ticks", "tangent_velocity",
                                       NULL};
    motion m = {.ticks = 1};
    if (!check_keys(r, p, json, keys) || !get_mover(r, p, json, scene, &m.mover)) return false;
    OPTIONAL(json, "tick", get_count(r, &at, value, 0, 1e12, &m.tick));
    OPTIONAL(json, "velocity", get_numbers(r, &at, value, 3, m.velocity));
    OPTIONAL(json, "spin", get_numbers(r, &at, value, 3, m.spin));
    OPTIONAL(json, "position", get_numbers(r, &at, value, 3, m.position));
    OPTIONAL(json, "rotation", get_unit(r, &at, value, 4, "quaternion x, y, z, w", m.rotation));
    OPTIONAL(json, "ticks", get_count(r, &at, value, 1, 1e12, &m.ticks));
    OPTIONAL(json, "tangent_velocity", get_numbers(r, &at, value, 3, m.tangent));
    m.has_tangent = GET(json, "tangent_velocity");
    m.has_velocity = GET(json, "velocity");
    m.has_spin = GET(json, "spin");
    m.has_position = GET(json, "position");
    m.has_rotation = GET(json, "rotation");
    if (!check_motion(r, p, json, scene, &m)) return false;
    arrput(scene->motions, m);
    return true;
}

/* The corners "min" and "max" of a box. */
static bool get_box(const reader *r, const path *p, const cJSON *json, double min[3], double max[3])
{
    path max_path = {p, "max", 0};
    REQUIRED(json, "min", get_numbers(r, &at, value, 3, min));
    REQUIRED(json, "max", get_numbers(r, &at, value, 3, max));
    for (size_t k = 0; k < 3; ++k) {
        path at = {&max_path, NULL, k};
        if (min[k] <= max[k]) continue;
        return refuse_at(r, &at, "must be >= min, %.10g, got %.10g", min[k], max[k]);
    }
    return true;
}

bool parse_emitter(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"tick",     "ticks", "every",    "min",    "max",
                                       "position", "count", "velocity", "spread", "seed",
                                       "radius",   "mass",  "density",  "kind",   NULL};
    path position = {p, "position", 0};
    emitter e = {.count = 1, .seed = 1, .grains = scene->grains};
    if (!check_keys(r, p, json, keys) || !get_span(r, p, json, &e.span)) return false;
    if (!GET(json, "position")) {
        if (!get_box(r, p, json, e.min, e.max)) return false;
    } else if (GET(json, "min") || GET(json, "max")) {
        return refuse_at(r, &position, "replaces min and max: give one of them");
    } else {
        REQUIRED(json, "position", get_numbers(r, &at, value, 3, e.min));
        for (int k = 0; k < 3; ++k) e.max[k] = e.min[k];
    }
    OPTIONAL(json, "count", get_count(r, &at, value, 1, MOST_BODIES, &e.count));
    OPTIONAL(json, "velocity", get_numbers(r, &at, value, 3, e.velocity));
    OPTIONAL(json, "spread", get_number(r, &at, value, 0, 1e12, &e.spread));
    OPTIONAL(json, "seed", get_count(r, &at, value, 0, 9007199254740992.0, &e.seed));
    if (!parse_grains(r, p, json, scene, &e.grains)) return false;
    arrput(scene->emitters, e);
    return true;
}

static bool parse_drain_plane(const reader *r, const path *p, const cJSON *json, drain *d)
{
    static const char *const keys[] = {"normal", "offset", NULL};
    if (!check_keys(r, p, json, keys)) return false;
    REQUIRED(json, "normal", get_unit(r, &at, value, 3, "vector", d->normal));
    OPTIONAL(json, "offset", get_number(r, &at, value, -LARGEST, LARGEST, &d->offset));
    return true;
}

bool parse_drain(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"tick", "ticks", "every", "min", "max", "plane", NULL};
    path plane = {p, "plane", 0};
    drain d = {.is_plane = false};
    if (!check_keys(r, p, json, keys) || !get_span(r, p, json, &d.span)) return false;
    d.is_plane = GET(json, "plane");
    if (d.is_plane && (GET(json, "min") || GET(json, "max")))
        return refuse_at(r, &plane, "replaces min and max: give one of them");
    OPTIONAL(json, "plane", parse_drain_plane(r, &at, value, &d));
    if (!d.is_plane && !get_box(r, p, json, d.min, d.max)) return false;
    arrput(scene->drains, d);
    return true;
}
