/* Parses the drives of a scene: thermostats and servos. */
#include "arrays.h"
#include "parse.h"

bool parse_thermostat(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"kind", "temperature", "rate",  "seed",
                                       "tick", "ticks",       "every", NULL};
    static const char *const kinds[] = {"rescale", "andersen", NULL};
    path rate = {p, "rate", 0};
    thermostat t = {.seed = 1};
    int kind = 0;
    if (!check_keys(r, p, json, keys) || !get_span(r, p, json, &t.span)) return false;
    OPTIONAL(json, "kind", get_word(r, &at, value, kinds, &kind));
    REQUIRED(json, "temperature", get_number(r, &at, value, 0, LARGEST, &t.temperature));
    t.is_andersen = kind == 1;
    if (t.is_andersen) REQUIRED(json, "rate", get_positive(r, &at, value, &t.rate));
    else if (GET(json, "rate")) return refuse_at(r, &rate, "needs \"kind\": \"andersen\"");
    OPTIONAL(json, "seed", get_count(r, &at, value, 0, 9007199254740992.0, &t.seed));
    arrput(scene->thermostats, t);
    return true;
}

/* "force", or "pressure" and "area". */
static bool get_force(const reader *r, const path *p, const cJSON *json, double *force)
{
    path at_force = {p, "force", 0};
    double area = 0;
    if (!GET(json, "pressure")) {
        path at_area = {p, "area", 0};
        if (GET(json, "area")) return refuse_at(r, &at_area, "needs a pressure");
        if (!GET(json, "force")) return refuse_at(r, p, "needs a force or a pressure");
        OPTIONAL(json, "force", get_number(r, &at, value, -LARGEST, LARGEST, force));
        return true;
    }
    if (GET(json, "force")) return refuse_at(r, &at_force, "replaces pressure: give one of them");
    REQUIRED(json, "pressure", get_number(r, &at, value, -LARGEST, LARGEST, force));
    REQUIRED(json, "area", get_positive(r, &at, value, &area));
    *force *= area;
    return true;
}

/* What the servo moves, and where to. Planes of a restarted world come from its recording, so the
 * index of a plane is checked when the run begins. */
static bool get_target(const reader *r, const path *p, const cJSON *json, const scene *scene,
                       servo *s)
{
    path direction = {p, "direction", 0}, plane = {p, "plane", 0};
    bool is_plane = GET(json, "plane");
    s->target.kind = is_plane ? MOVES_PLANE : MOVES_SURFACE;
    if (is_plane && GET(json, "surface"))
        return refuse_at(r, &plane, "replaces surface: give one of them");
    if (is_plane && GET(json, "direction"))
        return refuse_at(r, &direction, "is the normal of the plane: leave it out");
    OPTIONAL(json, "plane", get_moved(r, &at, value, scene, &s->target));
    if (is_plane) return true;
    REQUIRED(json, "surface", get_moved(r, &at, value, scene, &s->target));
    REQUIRED(json, "direction", get_unit(r, &at, value, 3, "vector", s->direction));
    return true;
}

bool parse_servo(const reader *r, const path *p, const cJSON *json, scene *scene)
{
    static const char *const keys[] = {"plane", "surface", "direction", "force", "pressure", "area",
                                       "mass",  "drag",    "speed",     "tick",  "ticks",    NULL};
    servo s = {.speed = LARGEST};
    if (!check_keys(r, p, json, keys) || !get_span(r, p, json, &s.span) ||
        !get_target(r, p, json, scene, &s) || !get_force(r, p, json, &s.force))
        return false;
    OPTIONAL(json, "mass", get_positive(r, &at, value, &s.mass));
    OPTIONAL(json, "drag", get_positive(r, &at, value, &s.drag));
    OPTIONAL(json, "speed", get_positive(r, &at, value, &s.speed));
    if (!GET(json, "mass") && !GET(json, "drag")) return refuse_at(r, p, "needs a mass or a drag");
    arrput(scene->servos, s);
    return true;
}
