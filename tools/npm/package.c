/* The engine's interface for the JavaScript package: worlds and bodies. In: world pointers,
 * handles, doubles in `numbers`. Out: statuses, handles, doubles in `numbers` or arrays. The order
 * of the doubles is that of the names in values.mjs. The engine checks all values. */
#include <stdlib.h>
#include <string.h>

#include "package.h"

static double numbers[64];
static kugel_error error; /* of a failed world creation */

double *EXPORT(js_numbers)(void) { return numbers; }
void *EXPORT(js_allocate)(size_t size) { return malloc(size ? size : 1); }
void EXPORT(js_free)(void *block) { free(block); }
uint32_t EXPORT(js_epoch)(void) { return KUGEL_PHYSICS_EPOCH; }
const char *EXPORT(js_version)(void) { return KUGEL_VERSION_STRING; }

/* Reads or writes the doubles of `numbers` in order. */
typedef struct cursor {
    double *at;
    bool put;
} cursor;

static void real(cursor *c, double *value)
{
    if (c->put) *c->at = *value;
    else *value = *c->at;
    c->at += 1;
}

static void reals(cursor *c, double *values, int count)
{
    for (int k = 0; k < count; ++k) real(c, &values[k]);
}

/* Reads or writes an integer. A value out of range becomes one that the engine refuses. */
static int32_t whole(cursor *c, int32_t value)
{
    double v = value;
    real(c, &v);
    return v >= -2147483648.0 && v <= 2147483647.0 ? (int32_t)v : INT32_MIN;
}

static uint32_t bits(cursor *c, uint32_t value)
{
    double v = value;
    real(c, &v);
    return v >= 0 && v <= 4294967295.0 ? (uint32_t)v : 0;
}

static void world_def(cursor *c, kugel_world_def *def)
{
    reals(c, def->gravity, 3);
    def->substeps = whole(c, def->substeps);
    real(c, &def->bounce_threshold);
    real(c, &def->slop);
    real(c, &def->linear_damping);
    real(c, &def->angular_damping);
    def->sleep = whole(c, def->sleep) != 0;
    def->contact_iterations = whole(c, def->contact_iterations);
    def->impact_budget = whole(c, def->impact_budget);
    def->step_event_limit = whole(c, def->step_event_limit);
    reals(c, def->bounds.min, 3);
    reals(c, def->bounds.max, 3);
    for (int f = 0; f < 6; ++f)
        def->bounds.faces[f] = (kugel_face)whole(c, (int32_t)def->bounds.faces[f]);
    real(c, &def->bounds.restitution);
    real(c, &def->bounds.friction);
    for (int f = 0; f < 6; ++f) def->face_kinds[f] = bits(c, def->face_kinds[f]);
    real(c, &def->growth);
    def->limits.bytes = bits(c, (uint32_t)def->limits.bytes); /* memory has 2^32 bytes at most */
    def->limits.bodies = bits(c, def->limits.bodies);
}

void EXPORT(js_world_defaults)(void)
{
    kugel_world_def def = kugel_world_def_default();
    cursor c = {numbers, true};
    world_def(&c, &def);
    *c.at = 0; /* user data */
}

kugel_world *EXPORT(js_world_create)(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world = NULL;
    cursor c = {numbers, false};
    world_def(&c, &def);
    if (kugel_world_def_check(&def, &error) != KUGEL_OK) return NULL;
    error.status = kugel_world_create(&def, &world);
    if (error.status)
        strncpy(error.message, kugel_status_text(error.status), sizeof error.message - 1);
    else kugel_world_set_user_data(world, (uint64_t)*c.at);
    return world;
}

int EXPORT(js_world_set_user_data)(kugel_world *world, double user_data)
{
    return kugel_world_set_user_data(world, (uint64_t)user_data);
}

double EXPORT(js_world_get_user_data)(const kugel_world *world)
{
    return (double)kugel_world_get_user_data(world);
}

void EXPORT(js_world_destroy)(kugel_world *world) { kugel_world_destroy(world); }
int EXPORT(js_world_step)(kugel_world *world, double dt) { return kugel_world_step(world, dt); }
uint64_t EXPORT(js_world_hash)(const kugel_world *world) { return kugel_world_hash(world); }
double EXPORT(js_world_tick)(const kugel_world *world) { return (double)kugel_world_tick(world); }
double EXPORT(js_world_time)(const kugel_world *world) { return kugel_world_time(world); }
uint32_t EXPORT(js_world_count)(const kugel_world *world) { return kugel_world_body_count(world); }
uint32_t EXPORT(js_world_id_end)(const kugel_world *world) { return kugel_world_id_end(world); }

/* NULL: the error of the failed creation. */
const kugel_error *EXPORT(js_error)(const kugel_world *world)
{
    return world ? kugel_world_last_error(world) : &error;
}
const char *EXPORT(js_status_text)(int status) { return kugel_status_text((kugel_status)status); }

int EXPORT(js_world_set_gravity)(kugel_world *world)
{
    return kugel_world_set_gravity(world, numbers);
}

/* Writes kinetic, potential, momentum[3]. */
void EXPORT(js_world_energy)(const kugel_world *world)
{
    kugel_energy e;
    kugel_world_energy(world, &e);
    numbers[0] = e.kinetic, numbers[1] = e.potential;
    memcpy(numbers + 2, e.momentum, sizeof e.momentum);
}

/* Writes tick, time, impacts, impacts_total, resting_contacts, asleep, budgets_exhausted, memory,
 * substeps, substeps_limited, list_rebuilds, list_refreshes, neighbor_pairs. */
void EXPORT(js_world_stats)(const kugel_world *world)
{
    kugel_stats s;
    kugel_world_stats(world, &s);
    const double values[] = {(double)s.tick,
                             s.time,
                             (double)s.impacts,
                             (double)s.impacts_total,
                             (double)s.resting_contacts,
                             (double)s.asleep,
                             (double)s.budgets_exhausted,
                             (double)s.memory,
                             (double)s.substeps,
                             (double)s.substeps_limited,
                             (double)s.list_rebuilds,
                             (double)s.list_refreshes,
                             (double)s.neighbor_pairs};
    memcpy(numbers, values, sizeof values);
}

/* Arrays of `capacity` rows. */
uint32_t EXPORT(js_world_read)(const kugel_world *world, uint32_t capacity, uint32_t *ids,
                               double *position, double *velocity, double *spin)
{
    const kugel_body_arrays arrays = {
        .ids = ids, .position = position, .velocity = velocity, .spin = spin};
    return kugel_world_read_arrays(world, capacity, &arrays);
}

/* The members that a body has, too. */
static void body_properties(cursor *c, kugel_body_def *def)
{
    reals(c, def->position, 3);
    reals(c, def->velocity, 3);
    reals(c, def->spin, 3);
    reals(c, def->rotation, 4);
    real(c, &def->radius);
    real(c, &def->mass);
    real(c, &def->restitution);
    real(c, &def->friction);
    real(c, &def->rolling_resistance);
    real(c, &def->tangential_restitution);
    real(c, &def->gravity_scale);
    real(c, &def->linear_damping);
    real(c, &def->angular_damping);
    def->type = (kugel_body_type)whole(c, (int32_t)def->type);
    def->category = bits(c, def->category);
    def->mask = bits(c, def->mask);
    def->group = bits(c, def->group);
    def->kind = bits(c, def->kind);
    def->sensor = whole(c, def->sensor) != 0;
    def->can_sleep = whole(c, def->can_sleep) != 0;
    def->enabled = whole(c, def->enabled) != 0;
    def->contact_events = whole(c, def->contact_events) != 0;
    def->locks = bits(c, def->locks);
    for (int k = 0; k < 3; ++k) def->image[k] = whole(c, def->image[k]);
    double user_data = (double)def->user_data;
    real(c, &user_data);
    def->user_data = (uint64_t)user_data;
}

static void body_def(cursor *c, kugel_body_def *def)
{
    body_properties(c, def);
    real(c, &def->density);
}

void EXPORT(js_body_defaults)(void)
{
    kugel_body_def def = kugel_body_def_default();
    body_def(&(cursor){numbers, true}, &def);
}

/* Returns the handle; 0: refused. */
js_body EXPORT(js_body_create)(kugel_world *world)
{
    kugel_body_def def = kugel_body_def_default();
    kugel_body body = KUGEL_NULL_BODY;
    body_def(&(cursor){numbers, false}, &def);
    kugel_body_create(world, &def, &body);
    return js_handle_from(body);
}

/* Create a body of each of `count` rows of doubles. bodies[count] receives the handles; it may be
 * where the rows are. Returns the number of bodies that were created before one was refused. */
uint32_t EXPORT(js_bodies_create)(kugel_world *world, uint32_t count, double *rows, js_body *bodies)
{
    kugel_body_def def = kugel_body_def_default();
    cursor c = {rows, false};
    for (uint32_t k = 0; k < count; ++k) {
        kugel_body body;
        body_def(&c, &def);
        if (kugel_body_create(world, &def, &body)) return k;
        bodies[k] = js_handle_from(body);
    }
    return count;
}

bool EXPORT(js_body_is_valid)(const kugel_world *world, js_body body)
{
    return kugel_body_is_valid(world, js_handle_of(body));
}

/* Values that world.mjs selects by their index: position, velocity, spin, rotation. */
int EXPORT(js_body_get_value)(const kugel_world *world, js_body body, uint32_t what)
{
    static kugel_status (*const gets[])(const kugel_world *, kugel_body, double *) = {
        kugel_body_get_position, kugel_body_get_velocity, kugel_body_get_spin,
        kugel_body_get_rotation};
    return what < sizeof gets / sizeof *gets ? gets[what](world, js_handle_of(body), numbers)
                                             : KUGEL_ERROR_INVALID_ARGUMENT;
}

int EXPORT(js_body_destroy)(kugel_world *world, js_body body)
{
    return kugel_body_destroy(world, js_handle_of(body));
}

/* Writes the body's properties, then the number of contacts and whether it sleeps. */
int EXPORT(js_body_get)(const kugel_world *world, js_body body)
{
    kugel_body_state s;
    kugel_status status = kugel_body_get(world, js_handle_of(body), &s);
    if (status) return status;
    kugel_body_def def = {.type = s.type,
                          .radius = s.radius,
                          .mass = s.mass,
                          .restitution = s.restitution,
                          .friction = s.friction,
                          .rolling_resistance = s.rolling_resistance,
                          .tangential_restitution = s.tangential_restitution,
                          .gravity_scale = s.gravity_scale,
                          .linear_damping = s.linear_damping,
                          .angular_damping = s.angular_damping,
                          .category = s.category,
                          .mask = s.mask,
                          .group = s.group,
                          .kind = s.kind,
                          .sensor = s.sensor,
                          .can_sleep = s.can_sleep,
                          .enabled = s.enabled,
                          .contact_events = s.contact_events,
                          .locks = s.locks,
                          .user_data = s.user_data};
    memcpy(def.position, s.position, sizeof def.position);
    memcpy(def.velocity, s.velocity, sizeof def.velocity);
    memcpy(def.spin, s.spin, sizeof def.spin);
    memcpy(def.rotation, s.rotation, sizeof def.rotation);
    memcpy(def.image, s.image, sizeof def.image);
    cursor c = {numbers, true};
    body_properties(&c, &def);
    c.at[0] = s.contacts;
    c.at[1] = s.asleep;
    return KUGEL_OK;
}

/* Calls that world.mjs selects by their index in this list. */
int EXPORT(js_body_change)(kugel_world *world, js_body body, uint32_t what)
{
    static kugel_status (*const changes[])(kugel_world *, kugel_body, const double *) = {
        kugel_body_set_position, kugel_body_set_velocity, kugel_body_set_spin,
        kugel_body_apply_torque, kugel_body_apply_angular_impulse};
    return what < sizeof changes / sizeof *changes
               ? changes[what](world, js_handle_of(body), numbers)
               : KUGEL_ERROR_INVALID_ARGUMENT;
}

/* Calls with a number, which world.mjs selects by their index in this list. */
int EXPORT(js_body_set)(kugel_world *world, js_body body, uint32_t what, double value)
{
    static kugel_status (*const sets[])(kugel_world *, kugel_body, double) = {
        kugel_body_set_mass, kugel_body_set_radius, kugel_body_set_gravity_scale};
    return what < sizeof sets / sizeof *sets ? sets[what](world, js_handle_of(body), value)
                                             : KUGEL_ERROR_INVALID_ARGUMENT;
}

int EXPORT(js_body_set_material)(kugel_world *world, js_body body, double restitution,
                                 double friction, double rolling_resistance,
                                 double tangential_restitution)
{
    return kugel_body_set_material(world, js_handle_of(body), restitution, friction,
                                   rolling_resistance, tangential_restitution);
}

int EXPORT(js_body_set_damping)(kugel_world *world, js_body body, double linear, double angular)
{
    return kugel_body_set_damping(world, js_handle_of(body), linear, angular);
}

int EXPORT(js_body_set_kind)(kugel_world *world, js_body body, uint32_t kind)
{
    return kugel_body_set_kind(world, js_handle_of(body), kind);
}

int EXPORT(js_body_set_locks)(kugel_world *world, js_body body, uint32_t locks)
{
    return kugel_body_set_locks(world, js_handle_of(body), locks);
}

int EXPORT(js_world_set_growth)(kugel_world *world, double growth)
{
    return kugel_world_set_growth(world, growth);
}

int EXPORT(js_world_set_temperature)(kugel_world *world, double temperature)
{
    return kugel_world_set_temperature(world, temperature);
}

int EXPORT(js_world_draw_velocities)(kugel_world *world, double temperature, double probability,
                                     double seed)
{
    return kugel_world_draw_velocities(world, temperature, probability, (uint64_t)seed);
}

/* In: restitution, friction, rolling resistance, tangential restitution. */
int EXPORT(js_world_set_pair_material)(kugel_world *world, uint32_t kind_a, uint32_t kind_b,
                                       int given)
{
    const kugel_pair_material material = {numbers[0], numbers[1], numbers[2], numbers[3]};
    return kugel_world_set_pair_material(world, kind_a, kind_b, given ? &material : NULL);
}

/* Out: the same. */
int EXPORT(js_world_get_pair_material)(const kugel_world *world, uint32_t kind_a, uint32_t kind_b)
{
    kugel_pair_material m;
    bool given = kugel_world_get_pair_material(world, kind_a, kind_b, &m);
    numbers[0] = m.restitution, numbers[1] = m.friction, numbers[2] = m.rolling_resistance;
    numbers[3] = m.tangential_restitution;
    return given;
}

/* Calls with a bool, which world.mjs selects by their index in this list. */
int EXPORT(js_body_set_flag)(kugel_world *world, js_body body, uint32_t what, int value)
{
    static kugel_status (*const sets[])(kugel_world *, kugel_body, bool) = {
        kugel_body_set_sensor, kugel_body_set_can_sleep, kugel_body_set_enabled,
        kugel_body_set_contact_events};
    return what < sizeof sets / sizeof *sets ? sets[what](world, js_handle_of(body), value != 0)
                                             : KUGEL_ERROR_INVALID_ARGUMENT;
}

/* In: point[3]. Out: velocity[3]. */
int EXPORT(js_body_get_velocity_at)(const kugel_world *world, js_body body)
{
    const double point[3] = {numbers[0], numbers[1], numbers[2]};
    return kugel_body_velocity_at(world, js_handle_of(body), point, numbers);
}

int EXPORT(js_body_set_type)(kugel_world *world, js_body body, int type, double mass)
{
    return kugel_body_set_type(world, js_handle_of(body), (kugel_body_type)type, mass);
}

int EXPORT(js_body_wake)(kugel_world *world, js_body body)
{
    return kugel_body_wake(world, js_handle_of(body));
}

int EXPORT(js_body_sleep)(kugel_world *world, js_body body)
{
    return kugel_body_sleep(world, js_handle_of(body));
}

/* In: position[3], rotation[4], dt. */
int EXPORT(js_body_set_target)(kugel_world *world, js_body body, bool moves, bool turns)
{
    return kugel_body_set_target(world, js_handle_of(body), moves ? numbers : NULL,
                                 turns ? numbers + 3 : NULL, numbers[7]);
}

/* In: rotation[4]. */
int EXPORT(js_body_set_rotation)(kugel_world *world, js_body body)
{
    return kugel_body_set_rotation(world, js_handle_of(body), numbers);
}

/* In: force or impulse[3], point[3]. */
int EXPORT(js_body_push)(kugel_world *world, js_body body, bool is_impulse, bool has_point)
{
    const double *point = has_point ? numbers + 3 : NULL;
    return is_impulse ? kugel_body_apply_impulse(world, js_handle_of(body), numbers, point)
                      : kugel_body_apply_force(world, js_handle_of(body), numbers, point);
}

/* In: category, mask, group. */
int EXPORT(js_body_set_filter)(kugel_world *world, js_body body)
{
    return kugel_body_set_filter(world, js_handle_of(body), (uint32_t)numbers[0],
                                 (uint32_t)numbers[1], (uint32_t)numbers[2]);
}

int EXPORT(js_body_set_user_data)(kugel_world *world, js_body body, double user_data)
{
    return kugel_body_set_user_data(world, js_handle_of(body), (uint64_t)user_data);
}

/* -1: the body does not exist. */
double EXPORT(js_body_get_user_data)(const kugel_world *world, js_body body)
{
    uint64_t user_data;
    kugel_status status = kugel_body_get_user_data(world, js_handle_of(body), &user_data);
    return status ? -1 : (double)user_data;
}

void EXPORT(js_world_get_def)(const kugel_world *world)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world_get_def(world, &def);
    cursor c = {numbers, true};
    world_def(&c, &def);
    *c.at = (double)kugel_world_get_user_data(world);
}

void EXPORT(js_explosion_defaults)(void)
{
    kugel_explosion_def def = kugel_explosion_def_default();
    cursor c = {numbers, true};
    reals(&c, def.center, 3);
    real(&c, &def.radius);
    real(&c, &def.falloff);
    real(&c, &def.impulse);
    bits(&c, def.mask);
}

/* Returns the number of bodies pushed, or a negative status. */
int EXPORT(js_world_explode)(kugel_world *world)
{
    kugel_explosion_def def = kugel_explosion_def_default();
    cursor c = {numbers, false};
    reals(&c, def.center, 3);
    real(&c, &def.radius);
    real(&c, &def.falloff);
    real(&c, &def.impulse);
    def.mask = bits(&c, def.mask);
    uint32_t count = 0;
    kugel_status status = kugel_world_explode(world, &def, &count);
    return status ? -(int)status : (int)count;
}

/* Returns the size, or without a buffer an upper bound of it; 0: refused. */
size_t EXPORT(js_snapshot_save)(const kugel_world *world, bool meshes, void *buffer,
                                size_t capacity)
{
    size_t size;
    return kugel_snapshot_save(world, meshes, buffer, capacity, &size) == KUGEL_OK ? size : 0;
}

int EXPORT(js_snapshot_restore)(kugel_world *world, const void *data, size_t size)
{
    return kugel_snapshot_restore(world, data, size);
}
