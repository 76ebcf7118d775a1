/* Public functions of worlds: check, record, delegate. */
#include <string.h>

#include "base/fp_environment.h"
#include "base/tasks.h"
#include "contact/contact.h"
#include "grid/grid.h"
#include "impact/impact.h"
#include "query/query_index.h"
#include "record/recorder.h"
#include "sensors/sensors.h"
#include "step.h"
#include "world/sleep_state.h"
#include "world/validate.h"

kugel_world_def kugel_world_def_default(void)
{
    return (kugel_world_def){
        .cookie = KG_WORLD_DEF_COOKIE,
        .substeps = 4,
        .bounce_threshold = 0.5,
        .slop = 0.01,
        .sleep = true,
        .contact_iterations = 1,
        .impact_budget = 256,
        .bounds = {.restitution = 0, .friction = 0.5},
        .tasks = {.threads = 1},
    };
}

kugel_status kugel_world_def_check(const kugel_world_def *def, kugel_error *error)
{
    if (error) *error = (kugel_error){0};
    return kg_validate_world_def(def, error);
}

static void *allocate_zeroed(kg_memory *memory, size_t size)
{
    void *block = kg_allocate(memory, size);
    if (block) memset(block, 0, size);
    return block;
}

/* The parts behind the world's pointers; what could not be had stays NULL. */
static kugel_status create_parts(kugel_world *world)
{
    world->grid = allocate_zeroed(&world->memory, sizeof *world->grid);
    world->impact = allocate_zeroed(&world->memory, sizeof *world->impact);
    world->contact = allocate_zeroed(&world->memory, sizeof *world->contact);
    world->sensors = allocate_zeroed(&world->memory, sizeof *world->sensors);
    if (!world->grid || !world->impact || !world->contact || !world->sensors)
        return KUGEL_ERROR_OUT_OF_MEMORY;
    kugel_status status = kg_query_create(&world->memory, &world->query);
    if (status) return status;
    if (world->def.body_capacity &&
        !kg_bodies_reserve(&world->memory, &world->bodies, world->def.body_capacity)) {
        return KUGEL_ERROR_OUT_OF_MEMORY;
    }
    return kg_tasks_create(&world->memory, &world->def.tasks, &world->tasks);
}

static void log_refusal(const kugel_world_def *def, const kugel_error *error)
{
    if (!def || def->cookie != KG_WORLD_DEF_COOKIE || !def->log.write) return;
    def->log.write(def->log.user, error->status, error->message);
}

static kugel_status refuse_creation(const kugel_world_def *def, kugel_status status,
                                    const char *argument, const char *message)
{
    kugel_error error;
    kg_error_set(&error, status, argument, "%s: %s", argument, message);
    log_refusal(def, &error);
    return status;
}

kugel_status kugel_world_create(const kugel_world_def *def, kugel_world **world)
{
    kugel_error error = {0};
    if (!world) return refuse_creation(def, KUGEL_ERROR_INVALID_ARGUMENT, "world", "is NULL");
    *world = NULL;
    kugel_status status = kg_validate_world_def(def, &error);
    if (status) return refuse_creation(def, status, error.argument, error.message);
    if (!kg_fp_is_ieee754()) {
        return refuse_creation(def, KUGEL_ERROR_FLOATING_POINT, "floating point",
                               "rounding, contraction or subnormals are not IEEE's: was the "
                               "program linked with -ffast-math?");
    }
    kg_memory memory;
    kg_memory_init(&memory, &def->allocator);
    kugel_world *made = allocate_zeroed(&memory, sizeof *made);
    if (!made)
        return refuse_creation(def, KUGEL_ERROR_OUT_OF_MEMORY, "world",
                               "no memory for an empty world");
    made->memory = memory;
    made->def = *def;
    kg_validate_canonical_def(&made->def);
    status = create_parts(made);
    if (status) {
        kugel_world_destroy(made);
        return refuse_creation(def, status, "world", "no memory or no threads for an empty world");
    }
    *world = made;
    return KUGEL_OK;
}

void kugel_world_destroy(kugel_world *world)
{
    if (!world) return;
    kg_memory *memory = &world->memory;
    kg_recorder_destroy(world->recorder);
    kg_tasks_destroy(world->tasks);
    if (world->grid) kg_grid_free(memory, world->grid);
    if (world->impact) kg_impact_free(memory, world->impact);
    if (world->contact) kg_contact_stage_free(memory, world->contact);
    if (world->sensors) kg_sensors_free(memory, world->sensors);
    kg_free(memory, world->grid, sizeof *world->grid);
    kg_free(memory, world->sensors, sizeof *world->sensors);
    kg_free(memory, world->impact, sizeof *world->impact);
    kg_free(memory, world->contact, sizeof *world->contact);
    kg_query_destroy(memory, world->query);
    kg_column_free(memory, &world->ellipsoid_column);
    kg_event_log_free(memory, &world->events);
    kg_work_free(memory, &world->work);
    kg_contact_set_free(memory, &world->contacts);
    kg_bodies_free(memory, &world->bodies);
    kg_memory copy = *memory; /* the block that holds it goes last */
    kg_free(&copy, world, sizeof *world);
}

/* How far gravity alone can take a body along an axis in a tick, m. */
static double farthest_fall(const kugel_world *world, int axis, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    double pull = __builtin_fabs(world->def.gravity[axis]), scale = 0;
    for (uint32_t k = 0; k < bodies->material_count && pull > 0; ++k) {
        double body_scale = __builtin_fabs(bodies->materials[k].gravity_scale);
        if (bodies->materials[k].body_count && body_scale > scale) scale = body_scale;
    }
    return scale * pull * dt * dt / 2;
}

/* A body's way along an axis in a tick is |v| dt + |a| dt^2 / 2 if nothing stops it, at most
 * `limit` m. What is too much is the largest part of it. */
static kugel_status check_body_travel(kugel_world *world, uint32_t slot, int axis, double dt,
                                      double limit)
{
    const kg_bodies *bodies = &world->bodies;
    double mass = bodies->mass[slot], half = dt * dt / 2, fall = 0, push = 0;
    double run = __builtin_fabs(bodies->v[axis][slot]) * dt;
    if (mass > 0)
        fall = kg_bodies_material(bodies, slot)->gravity_scale * world->def.gravity[axis] * half;
    if (mass > 0 && bodies->has_forces) push = bodies->force[axis][slot] / mass * half;
    if (run + __builtin_fabs(fall + push) <= limit) return KUGEL_OK;
    const char *cause = "dt";
    if (__builtin_fabs(fall) > run) cause = "gravity";
    if (__builtin_fabs(push) > run && __builtin_fabs(push) > __builtin_fabs(fall)) cause = "force";
    return kg_error_report(world, KUGEL_ERROR_LIMIT, cause,
                           "body %u would cross the periodic box more than %g times",
                           bodies->id[slot], KG_CROSSINGS_LIMIT);
}

/* Bounds tell of nearly all bodies that their way is not too long; the others are looked at one by
 * one. */
static kugel_status check_axis(kugel_world *world, int axis, double dt, double limit)
{
    const kg_bodies *bodies = &world->bodies;
    const double *v = bodies->v[axis], *force = bodies->has_forces ? bodies->force[axis] : NULL;
    double fastest = (limit - farthest_fall(world, axis, dt)) / dt;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        double left =
            fastest - __builtin_fabs(v[i]); /* m/s that a force may add, on the mean of the tick */
        if (left >= 0 && (!force || __builtin_fabs(force[i]) * (dt / 2) <= left * bodies->mass[i]))
            continue;
        kugel_status status = check_body_travel(world, i, axis, dt, limit);
        if (status) return status;
    }
    return KUGEL_OK;
}

/* A body must not cross a periodic axis absurdly often in a tick: each crossing is an event. */
static kugel_status check_travel(kugel_world *world, double dt)
{
    const kugel_bounds *bounds = &world->def.bounds;
    kugel_status status = KUGEL_OK;
    for (int axis = 0; axis < 3 && !status; ++axis) {
        if (bounds->faces[2 * axis] != KUGEL_FACE_PERIODIC) continue;
        status = check_axis(world, axis, dt,
                            KG_CROSSINGS_LIMIT * (bounds->max[axis] - bounds->min[axis]));
    }
    return status;
}

kugel_status kugel_world_step(kugel_world *world, double dt)
{
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!(dt > 0) || !(dt <= KG_VALUE_LIMIT)) {
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "dt",
                               "must be > 0 and at most %g, got %g", KG_VALUE_LIMIT, dt);
    }
    kg_stopwatch_start(world);
    kugel_status status = check_travel(world, dt);
    if (status) return status;
    uint64_t exhausted = world->budgets_exhausted;
    status = kg_step(world, dt);
    if (status == KUGEL_ERROR_OUT_OF_MEMORY)
        return kg_error_report(world, status, "step", "no memory; the world is as it was");
    if (status)
        return kg_error_report(world, status, "dt", "a body would leave the range of +-%g",
                               KG_VALUE_LIMIT);
    kg_record_step(world->recorder, world, dt);
    kg_stopwatch_lap(world, KG_STAGE_RECORD);
    kg_stopwatch_stop(world);
    /* last, for the host may answer with calls, which are recorded behind the step */
    if (world->budgets_exhausted != exhausted && world->def.log.write) {
        world->def.log.write(world->def.log.user, KUGEL_OK,
                             "impact budgets were used up: some impacts did not bounce");
    }
    return KUGEL_OK;
}

const kugel_error *kugel_world_last_error(const kugel_world *world)
{
    static const kugel_error none = {0};
    return world ? &world->error : &none;
}

kugel_status kugel_world_add_plane(kugel_world *world, const kugel_plane *plane, uint32_t *index)
{
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_error error;
    kugel_status status = kg_validate_plane(plane, &error);
    if (status) return kg_error_report(world, status, error.argument, "%s", error.message);
    if (world->plane_count >= KG_PLANE_LIMIT) {
        return kg_error_report(world, KUGEL_ERROR_LIMIT, "plane", "a world has at most %d planes",
                               KG_PLANE_LIMIT);
    }
    kugel_plane unit = *plane;
    const double *n = plane->normal;
    double length = __builtin_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; ++k) unit.normal[k] = n[k] / length;
    kg_validate_canonical_plane(&unit);
    world->planes[world->plane_count] = unit;
    if (index) *index = world->plane_count;
    world->plane_count += 1;
    kg_sleep_wake_all(world);
    world->grid->valid = false;
    kg_record_plane(world->recorder, plane);
    return KUGEL_OK;
}

uint32_t kugel_world_plane_count(const kugel_world *world)
{
    return world ? world->plane_count : 0;
}

kugel_status kugel_world_get_plane(const kugel_world *world, uint32_t index, kugel_plane *plane)
{
    if (!world || !plane || index >= world->plane_count) return KUGEL_ERROR_INVALID_ARGUMENT;
    *plane = world->planes[index];
    return KUGEL_OK;
}

kugel_status kugel_world_get_def(const kugel_world *world, kugel_world_def *def)
{
    if (!world || !def) return KUGEL_ERROR_INVALID_ARGUMENT;
    *def = world->def;
    return KUGEL_OK;
}

kugel_status kugel_world_set_gravity(kugel_world *world, const double *gravity)
{
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_error error;
    kugel_status status = kg_validate_vector(gravity, "gravity", &error);
    if (status) return kg_error_report(world, status, error.argument, "%s", error.message);
    for (int k = 0; k < 3; ++k) world->def.gravity[k] = gravity[k] + 0.0;
    kg_sleep_wake_all(world);
    kg_record_gravity(world->recorder, gravity);
    return KUGEL_OK;
}

uint64_t kugel_world_tick(const kugel_world *world) { return world ? world->tick : 0; }
double kugel_world_time(const kugel_world *world) { return world ? world->time : 0; }
uint32_t kugel_world_body_count(const kugel_world *world)
{
    return world ? world->bodies.count : 0;
}
uint32_t kugel_world_id_end(const kugel_world *world) { return world ? world->bodies.id_end : 0; }

/* Sums over the dynamic bodies in id order, so that they do not depend on the columns' order. */
static void sum_energy(const kugel_world *world, kugel_stats *stats)
{
    const kg_bodies *b = &world->bodies;
    for (uint32_t id = 0; id < b->id_end; ++id) {
        uint32_t i = b->slot[id];
        if (i == KG_NONE || b->mass[i] == 0) continue;
        double m = b->mass[i], v2 = 0, w2 = 0, gx = 0;
        for (int k = 0; k < 3; ++k) {
            v2 += b->v[k][i] * b->v[k][i];
            w2 += b->w[k][i] * b->w[k][i];
            gx += world->def.gravity[k] * b->x[k][i];
            stats->momentum[k] += m * b->v[k][i];
        }
        stats->kinetic_energy += 0.5 * m * v2 + 0.2 * m * b->radius[i] * b->radius[i] * w2;
        stats->potential_energy -= m * kg_bodies_material(b, i)->gravity_scale * gx;
    }
}

void kugel_world_stats(const kugel_world *world, kugel_stats *stats)
{
    if (!stats) return;
    *stats = (kugel_stats){0};
    if (!world) return;
    stats->tick = world->tick;
    stats->time = world->time;
    stats->impacts = world->events.published.handled_impact_count;
    stats->impacts_total = world->impacts_total;
    stats->budgets_exhausted = world->budgets_exhausted;
    stats->resting_contacts = world->contacts.count;
    stats->list_rebuilds = world->list_rebuilds;
    stats->list_refreshes = world->list_refreshes;
    stats->neighbour_pairs = world->grid->neighbour_total / 2;
    stats->memory = world->memory.used + kg_query_memory(world->query);
    for (uint32_t i = 0; i < world->bodies.count; ++i)
        stats->asleep += world->bodies.sleep_state[i] == KG_ASLEEP;
    sum_energy(world, stats);
}

void kugel_world_step_times(const kugel_world *world, kugel_step_times *last,
                            kugel_step_times *total)
{
    if (last) *last = world ? world->stopwatch.last : (kugel_step_times){0};
    if (total) *total = world ? world->stopwatch.total : (kugel_step_times){0};
}
