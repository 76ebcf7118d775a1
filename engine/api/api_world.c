/* Public functions that create, describe and destroy worlds, and set gravity. */
#include <string.h>

#include "api/api_refuse.h"
#include "base/fp_environment.h"
#include "base/tasks.h"
#include "base/vec.h"
#include "contact/contact.h"
#include "grid/neighbours.h"
#include "impact/impact.h"
#include "kugel/body.h"
#include "places/places.h"
#include "query/query_index.h"
#include "record/recorder.h"
#include "sensors/sensors.h"
#include "world/periodic.h"
#include "world/sleep_state.h"
#include "world/validate.h"

static const kugel_world_def defaults = {
    .cookie = KG_WORLD_DEF_COOKIE,
    .bounce_threshold = KUGEL_BOUNCE_BY_SIZE,
    .slop = 0.01,
    .sleep = true,
    .contact_iterations = 1,
    .impact_budget = 256,
    .bounds = {.restitution = 0, .friction = 0.5},
    .tasks = {.threads = 1},
};

void kugel_world_def_init(kugel_world_def *def, size_t size)
{
    kg_def_write(def, size, &defaults, sizeof defaults);
}

/* Read a caller's def into *complete and check it. */
static kugel_status read_def(const kugel_world_def *def, kugel_world_def *complete,
                             kugel_error *error)
{
    *complete = defaults;
    kugel_status status = kg_validate_def(def, complete, sizeof *complete, "def", error);
    return status ? status : kg_validate_world_def(complete, error);
}

kugel_status kugel_world_def_check(const kugel_world_def *def, kugel_error *error)
{
    kugel_world_def complete;
    if (error) *error = (kugel_error){0};
    return read_def(def, &complete, error);
}

/* Create the stages. On an error the caller destroys the world, which frees those that exist. */
static kugel_status create_parts(kugel_world *world)
{
    kg_memory *memory = &world->memory;
    world->sensors = kg_allocate_zeroed(memory, sizeof *world->sensors);
    if (!kg_stages_create(memory, &world->grid, &world->impact, &world->contact) ||
        !world->sensors || !kg_places_create(memory, &world->places))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    kugel_status status = kg_query_create(&world->memory, &world->query);
    if (status) return status;
    if (kg_periodic_any(world) && !kg_bodies_reserve_images(&world->memory, &world->bodies))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    uint32_t capacity = world->def.body_capacity;
    if (capacity && !kg_bodies_reserve(&world->memory, &world->bodies, capacity, capacity))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    return kg_tasks_create(&world->memory, &world->def.tasks, &world->tasks);
}

/* Report an error to the log, as there is no world that could keep it. */
static kugel_status refuse_creation(const kugel_world_def *def, kugel_status status,
                                    const char *argument, const char *message)
{
    kugel_error error;
    kg_error_set(&error, status, argument, "%s: %s", argument, message);
    if (def->log.write) def->log.write(def->log.user, error.status, error.message);
    return status;
}

static kugel_status refuse_memory(const kugel_world_def *def, kg_memory *memory)
{
    kugel_error error;
    kg_error_no_memory(&error, memory, "world", "no memory or no threads for an empty world");
    return refuse_creation(def, error.status, error.argument, error.message);
}

kugel_status kugel_world_create(const kugel_world_def *given, kugel_world **world)
{
    kugel_error error = {0};
    kugel_world_def complete, *def = &complete;
    if (world) *world = NULL;
    kugel_status status = read_def(given, def, &error);
    if (!world) return refuse_creation(def, KUGEL_ERROR_INVALID_ARGUMENT, "world", "is NULL");
    if (status) return refuse_creation(def, status, error.argument, error.message);
    if (!kg_fp_is_ieee754()) {
        return refuse_creation(def, KUGEL_ERROR_FLOATING_POINT, "floating point",
                               "rounding, contraction or subnormals are not IEEE's, or exceptions "
                               "trap: was the program linked with -ffast-math?");
    }
    kg_memory memory;
    kg_memory_init(&memory, &def->allocator);
    if (def->limits.bytes) kg_memory_limit(&memory, def->limits.bytes, 0);
    kugel_world *made = kg_allocate_zeroed(&memory, sizeof *made);
    if (!made || !kg_contact_index_create(&made->contact_index, &memory))
        return refuse_memory(def, &memory);
    made->memory = memory;
    made->def = *def;
    made->pair_filter_failure = &made->pair_filter_failed;
    kg_validate_canonical_def(&made->def);
    status = create_parts(made);
    if (status) {
        memory = made->memory;
        kugel_world_destroy(made);
        return refuse_memory(def, &memory);
    }
    *world = made;
    return KUGEL_OK;
}

void kugel_world_destroy(kugel_world *world)
{
    if (!kg_may_destroy(world)) return;
    kg_memory *memory = &world->memory;
    kg_record_end(world->recorder);
    kg_tasks_destroy(world->tasks);
    kg_stages_free(memory, world->grid, world->impact, world->contact);
    if (world->sensors) kg_sensors_free(memory, world->sensors);
    kg_free(memory, world->sensors, sizeof *world->sensors);
    kg_query_destroy(memory, world->query);
    kg_places_destroy(memory, world->places);
    kg_contact_index_free(&world->contact_index);
    kg_surfaces_free(memory, &world->surfaces);
    kg_pairs_free(memory, &world->pairs);
    kg_event_log_free(memory, &world->events);
    kg_scratch_free(memory, &world->scratch);
    kg_work_free(memory, &world->work);
    kg_contact_set_free(memory, &world->contacts);
    kg_aside_free(memory, &world->aside);
    kg_bodies_free(memory, &world->bodies);
    kg_memory copy = *memory; /* world->memory is freed with the world */
    kg_free(&copy, world, sizeof *world);
}

const kugel_error *kugel_world_last_error(const kugel_world *world)
{
    static const kugel_error none = {0};
    return world ? &world->error : &none;
}

kugel_status kugel_world_get_def(const kugel_world *world, kugel_world_def *def, size_t size)
{
    if (!world || !def) return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_def_write(def, size, &world->def, sizeof world->def);
    return KUGEL_OK;
}

kugel_status kugel_world_set_gravity(kugel_world *world, const double *gravity)
{
    KG_CHANGE_EARLY(world);
    kugel_error error;
    if (kg_validate_vector(gravity, "gravity", &error)) return kg_refuse_error(world, &error);
    if (!kg_equal3(world->def.gravity, gravity)) {
        kugel_status status = kg_api_ensure_contacts(world);
        if (status) return status;
        for (int k = 0; k < 3; ++k) world->def.gravity[k] = gravity[k] + 0.0; /* -0 becomes +0 */
        kg_sleep_wake_pulled(world);
    }
    KG_RECORD(world, GRAVITY, .vector = KG_ELEMENTS3(gravity));
    return KUGEL_OK;
}

kugel_status kugel_world_set_growth(kugel_world *world, double growth)
{
    KG_CHANGE_EARLY(world);
    kugel_error error;
    if (kg_validate_range(growth, 0, KG_GROWTH_MAX, "growth", &error))
        return kg_refuse_error(world, &error);
    for (uint32_t k = 0; k < world->surfaces.end && growth > 0; ++k) {
        const kg_surface *s = &world->surfaces.items[k];
        if (s->used && s->shape.kind != KUGEL_SURFACE_PLANE)
            return kg_error_report(world, KUGEL_ERROR_STATE, "growth",
                                   "surface %u is no plane: radii grow where all surfaces are "
                                   "planes",
                                   k);
    }
    world->def.growth = growth + 0.0; /* -0 becomes +0 */
    kg_neighbours_invalidate(world);
    KG_RECORD(world, SET_GROWTH, .number = growth);
    return KUGEL_OK;
}

uint64_t kugel_world_tick(const kugel_world *world) { return world ? world->tick : 0; }
double kugel_world_time(const kugel_world *world) { return world ? world->time : 0; }
uint32_t kugel_world_body_count(const kugel_world *world)
{
    return world ? world->bodies.count : 0;
}
uint32_t kugel_world_id_end(const kugel_world *world) { return world ? world->bodies.id_end : 0; }
