/* Invalid input (out of range, NaN, infinity, NULL, stale handle, def without its cookie) is
 * refused with the right status and the name of the argument. The world stays unchanged. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/support_scene.h"
#include "support/support_setters.h"

static char logged[512];

static void keep_line(void *user, kugel_status status, const char *text)
{
    (void)user, (void)status;
    snprintf(logged, sizeof logged, "%s", text);
}

static void check_def(const kugel_world_def *def, kugel_status should, const char *name,
                      const char *what)
{
    kugel_error error;
    kugel_world *world = (kugel_world *)&error; /* any value but NULL */
    kugel_status status = kugel_world_def_check(def, &error);
    cr_expect_eq(status, should, "%s: check says %s", what, kugel_status_text(status));
    cr_expect(error.status == should && strstr(error.argument, name),
              "%s: the error names \"%s\", not %s", what, error.argument, name);
    cr_expect(error.message[0], "%s: no message", what);
    logged[0] = 0;
    status = kugel_world_create(def, &world);
    cr_expect_eq(status, should, "%s: create says %s", what, kugel_status_text(status));
    cr_expect_null(world, "%s: there is a world", what);
    if (should == KUGEL_ERROR_INVALID_ARGUMENT && def) {
        cr_expect(strstr(logged, name), "%s: the log says \"%s\", without %s", what, logged, name);
    }
}

#define WORLD(field, value, name)                                                                  \
    do {                                                                                           \
        kugel_world_def def = kugel_world_def_default();                                           \
        def.log.write = keep_line;                                                                 \
        def.field = value;                                                                         \
        check_def(&def, KUGEL_ERROR_INVALID_ARGUMENT, name, #field " = " #value);                  \
    } while (0)

Test(refusals, numbers_of_world_defs)
{
    WORLD(gravity[0], NAN, "gravity");
    WORLD(gravity[1], INFINITY, "gravity");
    WORLD(gravity[2], -INFINITY, "gravity");
    WORLD(gravity[2], 1e300, "gravity");
    WORLD(substeps, -1, "substeps");
    WORLD(substeps, -4, "substeps");
    WORLD(substeps, 1001, "substeps");
    WORLD(bounce_threshold, NAN, "bounce_threshold");
    WORLD(bounce_threshold, -0.1, "bounce_threshold");
    WORLD(bounce_threshold, INFINITY, "bounce_threshold");
    WORLD(slop, NAN, "slop");
    WORLD(slop, -0.01, "slop");
    WORLD(slop, 0.51, "slop");
    WORLD(linear_damping, NAN, "linear_damping");
    WORLD(linear_damping, -1, "linear_damping");
    WORLD(linear_damping, INFINITY, "linear_damping");
    WORLD(angular_damping, NAN, "angular_damping");
    WORLD(angular_damping, -1, "angular_damping");
    WORLD(angular_damping, INFINITY, "angular_damping");
    WORLD(contact_iterations, 0, "contact_iterations");
    WORLD(contact_iterations, 101, "contact_iterations");
    WORLD(impact_budget, 0, "impact_budget");
    WORLD(impact_budget, -1, "impact_budget");
    WORLD(step_event_limit, -1, "step_event_limit");
    WORLD(body_capacity, UINT32_MAX, "body_capacity");
    WORLD(tasks.threads, 0, "threads");
    WORLD(tasks.threads, 257, "threads");
    WORLD(bounds.restitution, NAN, "restitution");
    WORLD(bounds.restitution, 1.01, "restitution");
    WORLD(bounds.restitution, -0.01, "restitution");
    WORLD(bounds.friction, NAN, "friction");
    WORLD(bounds.friction, -1, "friction");
    WORLD(bounds.friction, INFINITY, "friction");
    WORLD(bounds.faces[3], (kugel_face)7, "faces");
    WORLD(bounds.faces[4], (kugel_face)-1, "faces");
    WORLD(bounds.faces[0], KUGEL_FACE_PERIODIC, "faces"); /* a single periodic face */
}

static void *no_memory(void *user, size_t size)
{
    (void)user, (void)size;
    return NULL;
}

#define SPAN(axis, low, high, name)                                                                \
    do {                                                                                           \
        kugel_world_def def = kugel_world_def_default();                                           \
        def.log.write = keep_line;                                                                 \
        def.bounds.faces[2 * axis] = KUGEL_FACE_WALL;                                              \
        def.bounds.min[axis] = low, def.bounds.max[axis] = high;                                   \
        check_def(&def, KUGEL_ERROR_INVALID_ARGUMENT, name, "bounds from " #low " to " #high);     \
    } while (0)

Test(refusals, bounds_hooks_and_world_defs_without_cookie)
{
    SPAN(0, 1, 1, "bounds");
    SPAN(1, 2, -2, "bounds");
    SPAN(2, NAN, 1, "bounds");
    SPAN(0, 0, NAN, "bounds");
    SPAN(1, -INFINITY, 0, "bounds");
    SPAN(2, 0, INFINITY, "bounds");
    WORLD(allocator.allocate, no_memory, "allocator"); /* the other two are missing */
    kugel_world_def zeroed;
    memset(&zeroed, 0, sizeof zeroed);
    check_def(&zeroed, KUGEL_ERROR_UNINITIALIZED_DEF, "def", "a zeroed def");
    kugel_world_def handmade = kugel_world_def_default();
    handmade.cookie += 1u << 16; /* a number of another kind of def */
    check_def(&handmade, KUGEL_ERROR_UNINITIALIZED_DEF, "def", "another cookie");
    check_def(NULL, KUGEL_ERROR_INVALID_ARGUMENT, "def", "NULL");
    kugel_world_def fine = kugel_world_def_default();
    cr_expect_eq(kugel_world_create(&fine, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(kugel_world_def_check(NULL, NULL), KUGEL_ERROR_INVALID_ARGUMENT,
                 "error may be NULL");
    kugel_body_def body = kugel_body_def_default(); /* a body def's cookie */
    cr_expect_neq(body.cookie, fine.cookie);
}

typedef struct place {
    kugel_world *world;
    kugel_body body, fixed, gone; /* dynamic, static, destroyed */
    uint64_t hash;
    kugel_stats stats;
} place;

static place make_place(void)
{
    place p = {0};
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 10, KUGEL_FACE_WALL);
    scene.def.bounds.faces[4] = scene.def.bounds.faces[5] = KUGEL_FACE_PERIODIC;
    for (int k = 0; k < 5; ++k)
        support_scene_add(&scene, (double[3]){1.5 + 1.5 * k, 5, 5}, (double[3]){k - 2.5, 0.3, 0},
                          0.5, 1);
    support_scene_add(&scene, (double[3]){5, 8, 5}, NULL, 0.5, 1)->type = KUGEL_STATIC;
    p.world = support_scene_world(&scene);
    support_run(p.world, 1 / 60., 10);
    p.body = kugel_world_body(p.world, 1);
    p.fixed = kugel_world_body(p.world, 5);
    p.gone = kugel_world_body(p.world, 2);
    cr_assert_eq(kugel_body_destroy(p.world, p.gone), KUGEL_OK);
    p.hash = kugel_world_hash(p.world);
    kugel_world_stats(p.world, &p.stats);
    support_scene_free(&scene);
    return p;
}

static void check(const place *p, kugel_status status, kugel_status should, const char *name,
                  const char *what)
{
    const kugel_error *error = kugel_world_last_error(p->world);
    cr_expect_eq(status, should, "%s: %s", what, kugel_status_text(status));
    cr_expect(error->status == should && strstr(error->argument, name),
              "%s: the error names \"%s\", not %s", what, error->argument, name);
    cr_expect(error->message[0], "%s: no message", what);
    cr_expect_eq(kugel_world_hash(p->world), p->hash, "%s: the world changed", what);
    kugel_stats now;
    kugel_world_stats(p->world, &now);
    cr_expect(!memcmp(&now, &p->stats, sizeof now), "%s: the counters changed", what);
}

#define BAD KUGEL_ERROR_INVALID_ARGUMENT
#define STALE KUGEL_ERROR_STALE_HANDLE
#define REFUSED(call, should, name) check(&p, call, should, name, #call)

#define BODY(field, value, name)                                                                   \
    do {                                                                                           \
        kugel_body_def def = kugel_body_def_default();                                             \
        kugel_body made = 1;                                                                       \
        def.position[0] = def.position[1] = def.position[2] = 2;                                   \
        def.field = value;                                                                         \
        check(&p, kugel_body_create(p.world, &def, &made), BAD, name,                              \
              "body " #field " = " #value);                                                        \
        cr_expect_eq(made, KUGEL_NULL_BODY, "body " #field " = " #value ": there is a handle");    \
    } while (0)

Test(refusals, body_defs)
{
    place p = make_place();
    BODY(position[0], NAN, "position");
    BODY(position[2], INFINITY, "position");
    BODY(position[0], -0.1, "position");
    BODY(position[1], 10.1, "position");
    BODY(position[2], 1e14, "position");
    BODY(velocity[1], NAN, "velocity");
    BODY(velocity[1], -INFINITY, "velocity");
    BODY(velocity[0], 1e200, "velocity");
    BODY(spin[2], NAN, "spin");
    BODY(spin[0], INFINITY, "spin");
    BODY(rotation[0], NAN, "rotation");
    BODY(rotation[3], 0, "rotation");
    BODY(rotation[1], 0.5, "rotation");
    BODY(radius, 0, "radius");
    BODY(radius, -1, "radius");
    BODY(radius, NAN, "radius");
    BODY(radius, INFINITY, "radius");
    BODY(radius, 2.6, "radius"); /* not below a quarter of the periodic axis */
    BODY(mass, 0, "mass");
    BODY(mass, -1, "mass");
    BODY(mass, NAN, "mass");
    BODY(mass, INFINITY, "mass");
    BODY(restitution, -0.1, "restitution");
    BODY(restitution, 1.1, "restitution");
    BODY(restitution, NAN, "restitution");
    BODY(friction, -0.1, "friction");
    BODY(friction, NAN, "friction");
    BODY(friction, INFINITY, "friction");
    BODY(rolling_resistance, -1, "rolling_resistance");
    BODY(rolling_resistance, NAN, "rolling_resistance");
    BODY(tangential_restitution, -1.1, "tangential_restitution");
    BODY(tangential_restitution, 1.1, "tangential_restitution");
    BODY(tangential_restitution, NAN, "tangential_restitution");
    BODY(gravity_scale, NAN, "gravity_scale");
    BODY(gravity_scale, INFINITY, "gravity_scale");
    BODY(type, (kugel_body_type)3, "type");
    BODY(type, (kugel_body_type)-1, "type");
    kugel_body_def def = kugel_body_def_default();
    def.position[0] = def.position[1] = def.position[2] = 2;
    def.type = KUGEL_STATIC;
    def.velocity[0] = 1;
    REFUSED(kugel_body_create(p.world, &def, NULL), BAD, "velocity");
    def.velocity[0] = 0, def.spin[1] = 1;
    REFUSED(kugel_body_create(p.world, &def, NULL), BAD, "spin");
    memset(&def, 0, sizeof def);
    REFUSED(kugel_body_create(p.world, &def, NULL), KUGEL_ERROR_UNINITIALIZED_DEF, "def");
    REFUSED(kugel_body_create(p.world, NULL, NULL), BAD, "def");
    kugel_world_destroy(p.world);
}

/* Each setter and force with NULL, NaN, infinity and numbers beyond every range. */
Test(refusals, vectors)
{
    typedef kugel_status (*call)(kugel_world *, kugel_body, const double *);
    static const struct {
        call function;
        char name[16];
    } calls[7] = {{kugel_body_set_position, "position"},
                  {kugel_body_set_velocity, "velocity"},
                  {kugel_body_set_spin, "spin"},
                  {support_apply_force, "force"},
                  {kugel_body_apply_torque, "torque"},
                  {support_apply_impulse, "impulse"},
                  {kugel_body_apply_angular_impulse, "impulse"}};
    static const double bad[4][3] = {
        {NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -INFINITY}, {1e300, 0, 0}};
    static const double fine[3] = {5, 5, 2};
    place p = make_place();
    for (int k = 0; k < 7; ++k) {
        REFUSED(calls[k].function(p.world, p.body, NULL), BAD, calls[k].name);
        for (int i = 0; i < 4; ++i)
            REFUSED(calls[k].function(p.world, p.body, bad[i]), BAD, calls[k].name);
        REFUSED(calls[k].function(p.world, p.gone, fine), STALE, "body");
        REFUSED(calls[k].function(p.world, KUGEL_NULL_BODY, fine), STALE, "body");
        REFUSED(calls[k].function(p.world, p.body + ((kugel_body)1 << 32), fine), STALE,
                "body"); /* another generation */
        REFUSED(calls[k].function(p.world, ((kugel_body)1 << 32) + 999, fine), STALE, "body");
        cr_expect_eq(calls[k].function(NULL, p.body, fine), BAD);
    }
    REFUSED(kugel_body_set_position(p.world, p.body, ((double[3]){-1, 5, 5})), BAD, "position");
    REFUSED(kugel_body_set_position(p.world, p.body, ((double[3]){5, 5, 11})), BAD, "position");
    REFUSED(kugel_body_set_velocity(p.world, p.fixed, fine), BAD, "body");
    REFUSED(kugel_body_set_spin(p.world, p.fixed, fine), BAD, "body");
    kugel_world_destroy(p.world);
}

Test(refusals, properties)
{
    typedef kugel_status (*call)(kugel_world *, kugel_body, double);
    static const struct {
        call function;
        char name[24];
        double bad[2];
    } calls[7] = {{kugel_body_set_mass, "mass", {0, 1e16}},
                  {kugel_body_set_radius, "radius", {0, 2.6}}, /* 2.6: of a periodic axis of 10 */
                  {support_set_restitution, "restitution", {-0.1, 1.1}},
                  {support_set_friction, "friction", {-1, 1e7}},
                  {support_set_rolling_resistance, "rolling_resistance", {-1, 1e7}},
                  {support_set_tangential_restitution, "tangential_restitution", {-1.1, 1.1}},
                  {kugel_body_set_gravity_scale, "gravity_scale", {-1e7, 1e7}}};
    place p = make_place();
    for (int k = 0; k < 7; ++k) {
        for (int i = 0; i < 2; ++i)
            REFUSED(calls[k].function(p.world, p.body, calls[k].bad[i]), BAD, calls[k].name);
        REFUSED(calls[k].function(p.world, p.body, NAN), BAD, calls[k].name);
        REFUSED(calls[k].function(p.world, p.gone, 0.5), STALE, "body");
        cr_expect_eq(calls[k].function(NULL, p.body, 0.5), BAD);
    }
    REFUSED(kugel_body_set_mass(p.world, p.fixed, 1), BAD, "body");
    REFUSED(kugel_body_set_type(p.world, p.body, (kugel_body_type)3, 1), BAD, "type");
    REFUSED(kugel_body_set_type(p.world, p.fixed, KUGEL_DYNAMIC, 0), BAD, "mass");
    REFUSED(kugel_body_set_type(p.world, p.gone, KUGEL_STATIC, 0), STALE, "body");
    REFUSED(kugel_body_wake(p.world, p.gone), STALE, "body");
    REFUSED(kugel_body_sleep(p.world, p.gone), STALE, "body");
    REFUSED(kugel_body_sleep(p.world, p.fixed), BAD, "body");
    REFUSED(kugel_body_sleep(p.world, p.body), KUGEL_ERROR_STATE, "body"); /* no contact */
    REFUSED(kugel_body_set_user_data(p.world, p.gone, 1), STALE, "body");
    kugel_world_destroy(p.world);
}

Test(refusals, pushes_at_points_and_targets)
{
    static const double fine[3] = {5, 5, 2}, bad[3] = {0, NAN, 0}, huge[3] = {1e12, 1e12, 1e12},
                        outside[3] = {5, 11, 5};
    place p = make_place();
    double value[3];
    double q[4];
    REFUSED(kugel_body_apply_force(p.world, p.body, bad, fine), BAD, "force");
    REFUSED(kugel_body_apply_force(p.world, p.body, fine, bad), BAD, "point");
    REFUSED(kugel_body_apply_force(p.world, p.body, huge, (double[3]){1e9, 0, 0}), BAD, "point");
    REFUSED(kugel_body_apply_force(p.world, p.gone, fine, fine), STALE, "body");
    REFUSED(kugel_body_apply_impulse(p.world, p.body, NULL, fine), BAD, "impulse");
    REFUSED(kugel_body_apply_impulse(p.world, p.body, fine, bad), BAD, "point");
    REFUSED(kugel_body_set_target(p.world, p.body, fine, NULL, 1), BAD, "body"); /* dynamic */
    kugel_body pusher = kugel_world_body(p.world, 3);
    cr_assert_eq(kugel_body_set_type(p.world, pusher, KUGEL_KINEMATIC, 0), KUGEL_OK);
    p.hash = kugel_world_hash(p.world);
    kugel_world_stats(p.world, &p.stats);
    REFUSED(kugel_body_set_target(p.world, pusher, bad, NULL, 1), BAD, "position");
    REFUSED(kugel_body_set_target(p.world, pusher, outside, NULL, 1), BAD, "position");
    REFUSED(kugel_body_set_target(p.world, pusher, fine, NULL, 0), BAD, "dt");
    REFUSED(kugel_body_set_target(p.world, pusher, fine, NULL, NAN), BAD, "dt");
    REFUSED(kugel_body_set_target(p.world, pusher, fine, NULL, 1e-300), BAD, "dt"); /* the speed */
    cr_assert(strstr(kugel_world_last_error(p.world)->message, "too short"));
    cr_expect_eq(kugel_body_get_position(p.world, p.gone, value), STALE);
    cr_expect_eq(kugel_body_get_velocity(p.world, p.body, NULL), BAD);
    cr_expect_eq(kugel_body_get_spin(NULL, p.body, value), BAD);
    cr_expect_eq(kugel_body_get_rotation(p.world, p.gone, q), STALE);
    kugel_world_destroy(p.world);
}

Test(refusals, handles_steps_gravity_and_null)
{
    place p = make_place();
    kugel_body_state state;
    REFUSED(kugel_body_destroy(p.world, p.gone), STALE, "body");
    REFUSED(kugel_body_destroy(p.world, KUGEL_NULL_BODY), STALE, "body");
    cr_expect_eq(kugel_body_get(p.world, p.gone, &state), STALE);
    cr_expect_eq(kugel_body_get(p.world, p.body, NULL), BAD);
    cr_expect_not(kugel_body_is_valid(p.world, p.gone));
    cr_expect(kugel_body_is_valid(p.world, p.body));
    cr_expect_eq(kugel_world_body(p.world, 2), KUGEL_NULL_BODY);
    cr_expect_eq(kugel_world_body(p.world, 77), KUGEL_NULL_BODY);
    REFUSED(kugel_world_step(p.world, 0), BAD, "dt");
    REFUSED(kugel_world_step(p.world, -1 / 60.), BAD, "dt");
    REFUSED(kugel_world_step(p.world, NAN), BAD, "dt");
    REFUSED(kugel_world_step(p.world, INFINITY), BAD, "dt");
    REFUSED(kugel_world_set_gravity(p.world, NULL), BAD, "gravity");
    REFUSED(kugel_world_set_gravity(p.world, ((double[3]){0, NAN, 0})), BAD, "gravity");
    REFUSED(kugel_world_set_gravity(p.world, ((double[3]){0, 0, INFINITY})), BAD, "gravity");
    cr_expect_eq(kugel_world_step(NULL, 1), BAD);
    cr_expect_eq(kugel_body_create(NULL, NULL, NULL), BAD);
    cr_expect_eq(kugel_body_destroy(NULL, p.body), BAD);
    cr_expect_eq(kugel_world_set_gravity(NULL, NULL), BAD);
    cr_expect_eq(kugel_body_get(NULL, p.body, &state), BAD);
    kugel_world_destroy(NULL);
    kugel_world_destroy(p.world);
}

#define PLANE(field, value, name)                                                                  \
    do {                                                                                           \
        support_plane plane = {.normal = {0, 0, 1}, .restitution = 0.5, .friction = 0.5};          \
        plane.field = value;                                                                       \
        check(&p, support_add_plane(p.world, &plane, NULL), BAD, name,                             \
              "plane " #field " = " #value);                                                       \
    } while (0)

Test(refusals, planes)
{
    place p = make_place();
    PLANE(normal[0], NAN, "normal");
    PLANE(normal[1], INFINITY, "normal");
    PLANE(normal[2], 0, "normal");
    PLANE(normal[2], 1.001, "normal");
    PLANE(offset, NAN, "position");
    PLANE(offset, -INFINITY, "position");
    PLANE(restitution, 1.5, "restitution");
    PLANE(restitution, -0.5, "restitution");
    PLANE(restitution, NAN, "restitution");
    PLANE(friction, -1, "friction");
    PLANE(friction, NAN, "friction");
    cr_expect_eq(kugel_world_surface_end(p.world), 0);
    kugel_surface_def none = kugel_surface_def_plane(NULL, 0);
    REFUSED(kugel_surface_create(p.world, &none, NULL), BAD, "normal");
    support_plane plane = {.normal = {0, 0, 1}, .offset = -50};
    for (int k = 0; k < 16384; ++k)
        cr_expect_eq(support_add_plane(p.world, &plane, NULL), KUGEL_OK);
    p.hash = kugel_world_hash(p.world);
    kugel_world_stats(p.world, &p.stats); /* planes take memory */
    REFUSED(support_add_plane(p.world, &plane, NULL), KUGEL_ERROR_LIMIT, "surface");
    kugel_world_destroy(p.world);
}

/* A step whose result is out of range is refused as a whole, and the world stays usable. The
 * counters of work (memory, list rebuilds ...) are not compared: a failed step may have reserved
 * memory and made lists. */
Test(refusals, steps_that_would_leave_the_range)
{
    support_scene scene = support_scene_start();
    support_scene_add(&scene, (double[3]){0, 0, 0}, (double[3]){1e14, 0, 0}, 0.5, 1);
    place p = {.world = support_scene_world(&scene)};
    p.hash = kugel_world_hash(p.world);
    cr_expect_eq(kugel_world_step(p.world, 1000), KUGEL_ERROR_LIMIT);
    kugel_world_stats(p.world, &p.stats);
    REFUSED(KUGEL_ERROR_LIMIT, KUGEL_ERROR_LIMIT, "dt"); /* remaining forces of the refused step */
    cr_expect_eq(kugel_world_tick(p.world), 0);
    support_run(p.world, 1 / 60., 1);
    kugel_world_destroy(p.world);
    support_scene_free(&scene);
}

/* A ball in a periodic box of 10 m, steps of 1 s: 1e5 crossings are a path of 1e6 m. */
struct travel_row {
    char name[40];
    double gravity, scale, force, velocity, mass;
    kugel_body_type type;
    kugel_status should;
    char cause[12];
};

Test(refusals, paths_through_a_periodic_box_are_limited, .timeout = 30)
{
    const kugel_status limit = KUGEL_ERROR_LIMIT;
    const struct travel_row table[] = {
        {"gravity of 1e15", 1e15, 1, 0, 0, 1, KUGEL_DYNAMIC, limit, "gravity"},
        {"gravity just too strong", -2.01e6, 1, 0, 0, 1, KUGEL_DYNAMIC, limit, "gravity"},
        {"strong by its scale", 2.01e3, -1000, 0, 0, 1, KUGEL_DYNAMIC, limit, "gravity"},
        {"weak by its scale", 2.01e6, 1e-3, 0, 0, 1, KUGEL_DYNAMIC, KUGEL_OK, ""},
        {"force of 1e15", 0, 1, 1e15, 0, 1, KUGEL_DYNAMIC, limit, "force"},
        {"small force, smaller mass", -9.81, 1, -2.01e3, 0, 1e-3, KUGEL_DYNAMIC, limit, "force"},
        {"large force, large mass", -9.81, 1, 2.01e6, 0, 1e3, KUGEL_DYNAMIC, KUGEL_OK, ""},
        {"a force against gravity", 1e9, 1, -1e9, 0, 1, KUGEL_DYNAMIC, KUGEL_OK, ""},
        {"too fast", 0, 1, 0, 1.01e6, 1, KUGEL_DYNAMIC, limit, "dt"},
        {"all together, most of it speed", 6e5, 1, 3e5, -6e5, 1, KUGEL_DYNAMIC, limit, "dt"},
        {"all together, most of it gravity", 1.2e6, 1, 6e5, 2e5, 1, KUGEL_DYNAMIC, limit,
         "gravity"},
        {"a fast kinematic body", 1e15, 1, 0, 1e4, 1, KUGEL_KINEMATIC, KUGEL_OK, ""},
        {"too fast a kinematic body", 1e15, 1, 0, 1.01e6, 1, KUGEL_KINEMATIC, limit, "dt"},
        {"a static body", 1e15, 1, 0, 0, 1, KUGEL_STATIC, KUGEL_OK, ""},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
        const struct travel_row *row = &table[k];
        support_scene scene = support_scene_start();
        support_scene_box(&scene, 10, KUGEL_FACE_PERIODIC);
        scene.def.gravity[2] = row->gravity;
        kugel_body_def *ball = support_scene_add(&scene, (double[3]){5, 5, 5},
                                                 (double[3]){0, 0, row->velocity}, 0.5, row->mass);
        ball->gravity_scale = row->scale, ball->type = row->type;
        place p = {.world = support_scene_world(&scene)};
        if (row->force != 0)
            kugel_body_apply_force(p.world, kugel_world_body(p.world, 0),
                                   (double[3]){0, 0, row->force}, NULL);
        p.hash = kugel_world_hash(p.world);
        kugel_world_stats(p.world, &p.stats);
        kugel_status status = kugel_world_step(p.world, 1);
        cr_expect_eq(status, row->should, "%s: %s", row->name, kugel_status_text(status));
        if (row->should) check(&p, status, limit, row->cause, row->name);
        kugel_world_destroy(p.world);
        support_scene_free(&scene);
    }
}

/* Paths along axes that are not periodic may be longer. */
Test(refusals, paths_along_open_axes_are_not_limited)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 10, KUGEL_FACE_PERIODIC);
    scene.def.bounds.faces[4] = scene.def.bounds.faces[5] = KUGEL_FACE_OPEN;
    scene.def.gravity[2] = 1e9;
    support_scene_add(&scene, (double[3]){5, 5, 5}, NULL, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1, 1);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
