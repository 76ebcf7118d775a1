/* The public function that pushes bodies away from a point. For each body in reach, in order of
 * ids, it calls kugel_body_apply_impulse, which is recorded. All bodies are checked before the
 * first call, so either all are pushed or none. */
#include "api/api_body.h"
#include "base/vec.h"
#include "kugel/body.h"
#include "world/periodic.h"
#include "world/validate.h"

#define EXPLOSION_DEF_COOKIE 0x6b756765u

kugel_explosion_def kugel_explosion_def_default(void)
{
    return (kugel_explosion_def){.cookie = EXPLOSION_DEF_COOKIE, .radius = 1, .mask = 0xffffffffu};
}

static kugel_status check_def(const kugel_explosion_def *def, kugel_error *error)
{
    if (!def) return kg_error_set(error, KUGEL_ERROR_INVALID_ARGUMENT, "def", "is NULL");
    if (def->cookie != EXPLOSION_DEF_COOKIE)
        return kg_error_set(error, KUGEL_ERROR_UNINITIALIZED_DEF, "def",
                            "was not made by kugel_explosion_def_default");
    kugel_status status = kg_validate_vector(def->center, "def.center", error);
    if (!status) status = kg_validate_range(def->radius, 0, KG_VALUE_LIMIT, "def.radius", error);
    if (!status) status = kg_validate_range(def->falloff, 0, KG_VALUE_LIMIT, "def.falloff", error);
    if (!status)
        status =
            kg_validate_range(def->impulse, -KG_VALUE_LIMIT, KG_VALUE_LIMIT, "def.impulse", error);
    return status;
}

/* The impulse on a body, N s; false if it has none. */
static bool impulse_on(const kugel_world *world, const kugel_explosion_def *def, uint32_t i,
                       double impulse[3])
{
    static const double up[3] = {0, 0, 1};
    const kg_bodies *b = &world->bodies;
    if (b->mass[i] == 0 || !(kg_bodies_material(b, i)->category & def->mask)) return false;
    double d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = kg_periodic_nearest_image(world, k, b->x[k][i] - def->center[k]);
    double distance = kg_max(kg_length3(d) - b->radius[i], 0), beyond = distance - def->radius;
    if (beyond > 0 && !(beyond < def->falloff)) return false;
    kg_normalize3(d, d, up);
    kg_scale3(impulse, d, def->impulse * (beyond > 0 ? 1 - beyond / def->falloff : 1));
    return true;
}

/* Check the def, and that each velocity after its impulse is within +-KG_VALUE_LIMIT. */
static kugel_status check(kugel_world *world, const kugel_explosion_def *def)
{
    double impulse[3];
    kugel_error error;
    KG_CHANGE_LOCAL(world);
    if (check_def(def, &error)) return kg_refuse_error(world, &error);
    kugel_status status = kg_api_meet(world, def->center, def->radius + def->falloff, false);
    if (status) return status;
    const kg_bodies *b = &world->bodies;
    for (uint32_t i = 0; i < b->count; ++i) {
        if (!impulse_on(world, def, i, impulse)) continue;
        for (int k = 0; k < 3; ++k) {
            if (kg_abs(b->v[k][i] + 1 / b->mass[i] * impulse[k]) <= KG_VALUE_LIMIT) continue;
            return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "def.impulse",
                                   "brings a body beyond +-%g", KG_VALUE_LIMIT);
        }
    }
    return KUGEL_OK;
}

kugel_status kugel_world_explode(kugel_world *world, const kugel_explosion_def *def,
                                 uint32_t *count)
{
    double impulse[3];
    if (count) *count = 0;
    kugel_status status = check(world, def);
    for (uint32_t id = 0; !status && id < world->bodies.id_end; ++id) {
        uint32_t i = world->bodies.slot[id];
        if (i == KG_NONE || !impulse_on(world, def, i, impulse)) continue;
        status = kugel_body_apply_impulse(world, kg_bodies_handle(&world->bodies, i), impulse);
        if (count) *count += !status;
    }
    return status;
}
