/* The public function that pushes bodies away from a point. For each body in reach, in order of
 * ids, it calls kugel_body_apply_impulse, which is recorded. All bodies are checked before the
 * first call, so either all are pushed or none. */
#include "api/api_body.h"
#include "base/sort.h"
#include "base/vec.h"
#include "query/query.h"
#include "world/periodic.h"
#include "world/validate.h"

static const kugel_explosion_def defaults = {
    .cookie = KG_COOKIE(4, kugel_explosion_def), .radius = 1, .mask = 0xffffffffu};

void kugel_explosion_def_init(kugel_explosion_def *def, size_t size)
{
    kg_def_write(def, size, &defaults, sizeof defaults);
}

/* Read a caller's def into *def and check it. */
static kugel_status read_def(const kugel_explosion_def *given, kugel_explosion_def *def,
                             kugel_error *error)
{
    *def = defaults;
    kugel_status status = kg_validate_def(given, def, sizeof *def, "def", error);
    if (!status) status = kg_validate_vector(def->center, "def.center", error);
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
    const kg_material *m = kg_bodies_material(b, i);
    if (b->mass[i] == 0 || m->disabled || !(m->category & def->mask) || def->impulse == 0)
        return false;
    double d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = kg_periodic_nearest_image(world, k, b->x[k][i] - def->center[k]);
    double distance = kg_max(kg_length3(d) - b->radius[i], 0), beyond = distance - def->radius;
    if (beyond > 0 && !(beyond < def->falloff)) return false;
    kg_normalize3(d, d, up);
    kg_scale3(impulse, d, def->impulse * (beyond > 0 ? 1 - beyond / def->falloff : 1));
    return true;
}

typedef struct blast {
    kugel_world *world;
    kugel_explosion_def def; /* complete */
    uint32_t *ids;           /* [count] of the bodies that are pushed */
    uint32_t count;
} blast;

/* Read and check the def, give back the bodies aside that are in reach, and take memory for all
 * ids. */
static kugel_status begin(blast *b, const kugel_explosion_def *given)
{
    kugel_world *world = b->world;
    kugel_error error;
    KG_CHANGE_LOCAL(world);
    if (read_def(given, &b->def, &error)) return kg_refuse_error(world, &error);
    kugel_status status = kg_api_meet(world, b->def.center, b->def.radius + b->def.falloff, false);
    if (!status && !KG_TAKE(world, b->ids, (size_t)world->bodies.count + 1))
        status = kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "def",
                                 "no memory for a list of bodies");
    return status;
}

static void note_pushed(void *context, uint32_t slot)
{
    blast *b = context;
    double impulse[3];
    if (impulse_on(b->world, &b->def, slot, impulse))
        b->ids[b->count++] = b->world->bodies.id[slot];
}

static uint64_t id_of(const void *item, int part)
{
    (void)part;
    return *(const uint32_t *)item;
}

/* Sort the bodies, and check that each velocity after its impulse is within +-KG_VALUE_LIMIT. */
static kugel_status check(blast *b)
{
    kugel_world *world = b->world;
    const kg_bodies *bodies = &world->bodies;
    double impulse[3];
    KG_CHANGE_LOCAL(world);
    if (!kg_sort_items(&world->memory, &world->scratch, b->ids, sizeof *b->ids, b->count, 1, id_of))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "def",
                               "no memory for a list of bodies");
    for (uint32_t n = 0; n < b->count; ++n) {
        uint32_t i = bodies->slot[b->ids[n]];
        impulse_on(world, &b->def, i, impulse);
        for (int k = 0; k < 3; ++k) {
            if (kg_abs(bodies->v[k][i] + 1 / bodies->mass[i] * impulse[k]) <= KG_VALUE_LIMIT)
                continue;
            return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "def.impulse",
                                   "brings a body beyond +-%g", KG_VALUE_LIMIT);
        }
    }
    return KUGEL_OK;
}

static kugel_status push(const blast *b, uint32_t *count)
{
    const kg_bodies *bodies = &b->world->bodies;
    kugel_status status = KUGEL_OK;
    for (uint32_t n = 0; n < b->count && !status; ++n) {
        double impulse[3];
        impulse_on(b->world, &b->def, bodies->slot[b->ids[n]], impulse);
        status = kugel_body_apply_impulse(b->world, kg_bodies_handle_of_id(bodies, b->ids[n]),
                                          impulse, NULL);
        if (count) *count += !status;
    }
    return status;
}

kugel_status kugel_world_explode(kugel_world *world, const kugel_explosion_def *def,
                                 uint32_t *count)
{
    blast b = {.world = world};
    if (count) *count = 0;
    kugel_status status = kg_refuse_change(world);
    if (status) return status;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    status = begin(&b, def);
    if (!status)
        kg_query_visit_near(world, b.def.center, b.def.radius + b.def.falloff, note_pushed, &b);
    if (!status) status = check(&b);
    if (!status) status = push(&b, count);
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return status;
}
