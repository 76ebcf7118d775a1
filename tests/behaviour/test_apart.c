/* Two scenes that do not touch evolve in one world, bit for bit, as each does alone. In the first
 * test one of them is at rest: piles that sleep and static balls, a kilometre away; in the others
 * both move.
 * Environment: KUGEL_WORLDS, the number of worlds; KUGEL_SEED, the first seed. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_memory.h"
#include "support/support_mesh.h"
#include "support/support_sanitized.h"
#include "support/support_snapshot.h"
#include "support/support_worlds.h"

enum {
    WORLDS = SUPPORT_SANITIZED ? 40 : 400,
    WAIT = 600,
    RESTING = 64,
    PAIRS = SUPPORT_SANITIZED ? 100 : 2000,
    FAILURES = 20
};

static const double far = 1000; /* m */

static kugel_body add(kugel_world *world, support_random *random, const double x[3], double radius,
                      bool is_static)
{
    kugel_body_def body = kugel_body_def_default();
    kugel_body handle = 0;
    memcpy(body.position, x, sizeof body.position);
    body.radius = radius;
    body.mass = support_between(random, 0.5, 2) * (support_below(random, 4) ? 1 : 1e4);
    body.type = is_static ? KUGEL_STATIC : KUGEL_DYNAMIC;
    kugel_world_def def;
    kugel_world_get_def(world, &def);
    /* hard spheres without gravity take one substep if no material of the world is lossy */
    bool hard = def.bounce_threshold == 0 && def.gravity[2] == 0;
    body.restitution = hard ? 1 : 0;
    body.friction = hard ? 0 : 0.5;
    body.rolling_resistance = hard ? 0 : 0.1;
    body.gravity_scale = support_below(random, 3) ? 1 : 0.5;
    cr_assert_eq(kugel_body_create(world, &body, &handle), KUGEL_OK);
    return handle;
}

/* Balls on the floor, each with one on top of it or not, and static balls in the air. Returns their
 * number. */
static uint32_t add_resting(kugel_world *world, support_random *random, kugel_body *bodies)
{
    uint32_t count = 0, places = 1 + support_below(random, RESTING / 2);
    for (uint32_t k = 0; k < places; ++k) {
        double r = support_between(random, 0.05, 2), x[3] = {far + 5.0 * k, 0, r};
        bool is_static = support_below(random, 3) == 0;
        if (is_static) x[2] = support_between(random, r, 20);
        bodies[count++] = add(world, random, x, r, is_static);
        x[2] += 1.4 * r;
        if (!is_static && support_below(random, 2))
            bodies[count++] = add(world, random, x, 0.4 * r, false);
    }
    return count;
}

/* Step until they sleep; remove those that do not. Returns the number of ticks. */
static uint32_t let_sleep(kugel_world *world, const kugel_body *bodies, uint32_t count)
{
    for (uint32_t k = 0; k < WAIT; ++k) cr_assert_eq(kugel_world_step(world, 1. / 60), KUGEL_OK);
    for (uint32_t k = 0; k < count; ++k) {
        kugel_body_state state;
        cr_assert_eq(kugel_body_get(world, bodies[k], &state), KUGEL_OK);
        if (state.type == KUGEL_STATIC || state.asleep) continue;
        if (kugel_body_sleep(world, bodies[k]) != KUGEL_OK)
            cr_assert_eq(kugel_body_destroy(world, bodies[k]), KUGEL_OK);
    }
    return WAIT;
}

/* The world of this seed without its bodies, on a floor instead of in its box. */
static kugel_world *create_floor(const support_any_world *any)
{
    support_scene scene = {.def = any->scene.def, .plane_count = 1};
    for (int face = 0; face < 6; ++face) scene.def.bounds.faces[face] = KUGEL_FACE_OPEN;
    scene.planes[0] = (support_plane){.normal = {0, 0, 1}, .friction = 0.5, .restitution = 0.3};
    return support_scene_world(&scene);
}

static void add_scene(kugel_world *world, const support_any_world *any, kugel_body *bodies)
{
    for (uint32_t i = 0; i < any->scene.count; ++i)
        cr_assert_eq(kugel_body_create(world, &any->scene.bodies[i], &bodies[i]), KUGEL_OK);
}

static bool equal(const kugel_world *alone, kugel_body a, const kugel_world *beside, kugel_body b)
{
    kugel_body_state p, q;
    cr_assert_eq(kugel_body_get(alone, a, &p), KUGEL_OK);
    cr_assert_eq(kugel_body_get(beside, b, &q), KUGEL_OK);
    return memcmp(p.position, q.position, sizeof p.position) == 0 &&
           memcmp(p.velocity, q.velocity, sizeof p.velocity) == 0 &&
           memcmp(p.spin, q.spin, sizeof p.spin) == 0 && p.asleep == q.asleep;
}

/* True when the scene has the same bits alone and beside others. */
static bool evolves_alike(uint64_t seed)
{
    support_any_world any = support_any_world_make(seed);
    support_random random = {seed ^ 0xd1342543de82ef95u};
    kugel_world *alone = create_floor(&any), *beside = create_floor(&any);
    kugel_body resting[RESTING], *a = calloc(any.scene.count + 1, sizeof *a),
                                 *b = calloc(any.scene.count + 1, sizeof *b);
    bool same = true;
    cr_assert(a && b);
    support_run(alone, 1. / 60, let_sleep(beside, resting, add_resting(beside, &random, resting)));
    add_scene(alone, &any, a), add_scene(beside, &any, b);
    for (uint32_t tick = 0; tick < any.ticks && same; ++tick) {
        double dt = support_any_world_dt(&any, seed, tick);
        kugel_status status = kugel_world_step(alone, dt);
        cr_assert_eq(kugel_world_step(beside, dt), status);
        for (uint32_t i = 0; i < any.scene.count && same; ++i) {
            same = equal(alone, a[i], beside, b[i]);
            if (!same)
                fprintf(stderr, "KUGEL_SEED=%llu KUGEL_WORLDS=1: tick %u, body %u of %u\n",
                        (unsigned long long)seed, tick, i, any.scene.count);
        }
    }
    kugel_world_destroy(alone), kugel_world_destroy(beside);
    support_scene_free(&any.scene);
    free(a), free(b);
    return same;
}

/* Each of `usual` worlds, or of KUGEL_WORLDS, evolves alike; the first has the seed KUGEL_SEED. */
static void check_all(bool (*alike)(uint64_t seed), uint64_t usual)
{
    const char *worlds = getenv("KUGEL_WORLDS"), *first = getenv("KUGEL_SEED");
    uint64_t count = worlds ? strtoull(worlds, NULL, 10) : usual,
             seed = first ? strtoull(first, NULL, 10) : 1, different = 0;
    for (uint64_t k = 0; k < count; ++k) different += !alike(seed + k);
    cr_assert_eq(different, 0, "%llu of %llu", (unsigned long long)different,
                 (unsigned long long)count);
}

Test(apart, a_scene_at_rest_decides_nothing_in_another, .timeout = 600)
{
    check_all(evolves_alike, WORLDS);
}

/* A scene of another world: its bodies, smaller or larger, lighter or heavier, faster, and surfaces
 * of its own. */
typedef struct part {
    support_any_world any;
    double offset[3];     /* m */
    double size, density; /* factors of radii and distances; of masses */
    double speed;         /* m/s, of one body */
    /* numbers of surfaces: a floor of triangles, a solid that turns, a sensor, solids that move */
    uint32_t surfaces;
    kugel_body *bodies;
} part;

static part make_part(uint64_t seed, support_random *random, double offset)
{
    part p = {.any = support_any_world_make(seed), .offset = {offset, 0, 0}};
    p.size = pow(10, support_between(random, -1.5, 0.5));
    p.density = pow(10, support_between(random, -2, 2));
    p.speed = support_below(random, 4) ? 0 : support_between(random, 10, 300);
    p.surfaces = support_below(random, 6);
    p.bodies = calloc(p.any.scene.count + 1, sizeof *p.bodies);
    cr_assert(p.bodies);
    return p;
}

static void add_surfaces(kugel_world *world, const part *p)
{
    support_random random = {17};
    support_mesh mesh = support_mesh_floor(4, 20 * p->size, 0.5 * p->size, &random);
    kugel_surface_def floor = support_mesh_def(&mesh), solid = kugel_surface_def_default();
    memcpy(floor.position, p->offset, sizeof floor.position);
    memcpy(solid.position, p->offset, sizeof solid.position);
    solid.shape = KUGEL_SURFACE_ELLIPSOID;
    for (int k = 0; k < 3; ++k) solid.size[k] = p->size;
    solid.spin[2] = 3;
    if (p->surfaces > 0) cr_assert_eq(kugel_surface_create(world, &floor, NULL), KUGEL_OK);
    if (p->surfaces > 1) cr_assert_eq(kugel_surface_create(world, &solid, NULL), KUGEL_OK);
    solid.sensor = true, solid.velocity[0] = 3 * p->size;
    if (p->surfaces > 2) cr_assert_eq(kugel_surface_create(world, &solid, NULL), KUGEL_OK);
    solid.sensor = false, solid.spin[2] = 0;
    for (uint32_t k = 3; k < p->surfaces; ++k, solid.velocity[0] *= -0.1)
        cr_assert_eq(kugel_surface_create(world, &solid, NULL), KUGEL_OK);
    support_mesh_free(&mesh);
}

/* Where a body of the part is in a world with these bounds, whose faces across x are open. */
static void place(const part *p, const kugel_bounds *bounds, const double at[3], double x[3])
{
    const kugel_bounds *own = &p->any.scene.def.bounds;
    for (int k = 0; k < 3; ++k) {
        bool open = bounds->faces[2 * k] == KUGEL_FACE_OPEN;
        double share = (at[k] - own->min[k]) / (own->max[k] - own->min[k]);
        x[k] = open ? at[k] * p->size + p->offset[k]
                    : bounds->min[k] + share * (bounds->max[k] - bounds->min[k]);
    }
}

/* Add the part; bodies that the world refuses are refused by each. */
static void add_part(kugel_world *world, const part *p, kugel_body *bodies)
{
    kugel_world_def def;
    kugel_world_get_def(world, &def);
    add_surfaces(world, p);
    for (uint32_t i = 0; i < p->any.scene.count; ++i) {
        kugel_body_def body = p->any.scene.bodies[i];
        place(p, &def.bounds, p->any.scene.bodies[i].position, body.position);
        body.radius *= p->size;
        body.mass *= p->density * p->size * p->size * p->size;
        if (i == 0 && body.type == KUGEL_DYNAMIC) body.velocity[2] -= p->speed;
        bodies[i] = 0;
        (void)kugel_body_create(world, &body, &bodies[i]);
    }
}

/* The def of both: rest is possible, and scenes are apart along x. */
static kugel_world_def def_of(const support_any_world *any, support_random *random)
{
    kugel_world_def def = any->scene.def;
    bool open = support_below(random, 2);
    for (int face = 0; face < (open ? 6 : 2); ++face) def.bounds.faces[face] = KUGEL_FACE_OPEN;
    if (def.bounce_threshold == 0) def.bounce_threshold = KUGEL_BOUNCE_BY_SIZE;
    def.tasks.threads = 1;
    return def;
}

static kugel_world *create(const kugel_world_def *def, int threads)
{
    kugel_world_def own = *def;
    kugel_world *world = NULL;
    support_plane floor = {.normal = {0, 0, 1}, .offset = -1, .friction = 0.5, .restitution = 0.3};
    own.tasks.threads = threads;
    cr_assert_eq(kugel_world_create(&own, &world), KUGEL_OK);
    cr_assert_eq(support_add_plane(world, &floor, NULL), KUGEL_OK);
    return world;
}

/* Change some body of a part: force, impulse, place, velocity, sleep, or what it is. */
static void call(kugel_world *world, const kugel_body *bodies, uint32_t count, uint64_t seed,
                 uint64_t tick)
{
    support_random random = {(seed ^ tick << 40) * 0x9e3779b97f4a7c15u + 11};
    double by[3], push[3];
    if (!count || support_below(&random, 4)) return;
    kugel_body body = bodies[support_below(&random, count)];
    kugel_body_state state;
    if (kugel_body_get(world, body, &state) != KUGEL_OK) return;
    for (int k = 0; k < 3; ++k) {
        by[k] = support_between(&random, -3, 3);
        push[k] = by[k] * state.mass;
        state.position[k] += 0.01 * by[k];
    }
    switch (support_below(&random, 8)) {
    case 0:
        kugel_body_apply_force(world, body, push, NULL);
        break;
    case 1:
        kugel_body_apply_impulse(world, body, push, NULL);
        break;
    case 2:
        kugel_body_set_velocity(world, body, by);
        break;
    case 3:
        kugel_body_set_position(world, body, state.position);
        break;
    case 4:
        kugel_body_set_filter(world, body, 1 + support_below(&random, 2),
                              1 + support_below(&random, 3), 0);
        break;
    default:
        /* a static body has no mass: it can become dynamic again */
        support_change_body(world, body, state.radius, state.mass + 1e-9, &random);
    }
}

static void restore(kugel_world *world)
{
    support_bytes bytes = support_snapshot_of(world);
    cr_assert_eq(kugel_snapshot_restore(world, bytes.data, bytes.size), KUGEL_OK);
    free(bytes.data);
}

static bool all_equal(const kugel_world *alone, const kugel_body *a, const kugel_world *beside,
                      const kugel_body *b, uint32_t count)
{
    bool same = true;
    for (uint32_t i = 0; i < count && same; ++i) same = !a[i] || equal(alone, a[i], beside, b[i]);
    return same;
}

/* True when both scenes together have as many impacts, contacts and sleepers as apart. */
static bool counts_agree(kugel_world *const alone[2], const kugel_world *beside)
{
    kugel_stats a, b, both;
    kugel_world_stats(alone[0], &a), kugel_world_stats(alone[1], &b);
    kugel_world_stats(beside, &both);
    return both.impacts == a.impacts + b.impacts && both.asleep == a.asleep + b.asleep &&
           both.resting_contacts == a.resting_contacts + b.resting_contacts;
}

/* True when a body may have come near the other scene: a scene of small bodies may throw one at
 * kilometres per second. */
static bool strays(const kugel_world *alone, const kugel_body *bodies, const part *p, double dt)
{
    for (uint32_t i = 0; i < p->any.scene.count; ++i) {
        kugel_body_state state;
        if (!bodies[i] || kugel_body_get(alone, bodies[i], &state) != KUGEL_OK) continue;
        double speed = 0, gone = 0;
        for (int k = 0; k < 3; ++k) {
            speed += fabs(state.velocity[k]);
            gone += fabs(state.position[k] - p->offset[k]);
        }
        if (gone + 3 * speed * dt > 0.3 * far) return true;
    }
    return false;
}

/* True when two random scenes have the same bits alone and beside each other. */
static bool pair_evolves_alike(uint64_t seed)
{
    support_random random = {seed ^ 0xa0761d6478bd642fu};
    part parts[2] = {make_part(seed, &random, 0), make_part(~seed, &random, far)};
    kugel_world_def def = def_of(&parts[0].any, &random);
    int threads = 1 + (int)support_below(&random, 5);
    bool restores = support_below(&random, 4) == 0, calls = support_below(&random, 2), same = true;
    kugel_world *beside = create(&def, threads), *alone[2];
    kugel_body *own[2];
    for (int k = 0; k < 2; ++k) {
        own[k] = calloc(parts[k].any.scene.count + 1, sizeof *own[k]);
        cr_assert(own[k]);
        alone[k] = create(&def, 1);
        add_part(alone[k], &parts[k], own[k]);
        add_part(beside, &parts[k], parts[k].bodies);
    }
    for (uint32_t tick = 0; tick < parts[0].any.ticks && same; ++tick) {
        double dt = support_any_world_dt(&parts[0].any, seed, tick);
        kugel_status status[2];
        if (restores) restore(beside);
        for (int k = 0; k < 2; ++k) {
            uint32_t count = parts[k].any.scene.count;
            if (calls) call(alone[k], own[k], count, seed + (uint64_t)k, tick);
            if (calls) call(beside, parts[k].bodies, count, seed + (uint64_t)k, tick);
        }
        if (strays(alone[0], own[0], &parts[0], dt) || strays(alone[1], own[1], &parts[1], dt))
            break;
        for (int k = 0; k < 2; ++k) status[k] = kugel_world_step(alone[k], dt);
        kugel_status together = kugel_world_step(beside, dt);
        if (status[0] || status[1]) {
            cr_assert_neq(together, KUGEL_OK);
            break;
        }
        cr_assert_eq(together, KUGEL_OK);
        if (strays(alone[0], own[0], &parts[0], dt) || strays(alone[1], own[1], &parts[1], dt))
            break;
        cr_assert(counts_agree(alone, beside), "seed %llu, tick %u", (unsigned long long)seed,
                  tick);
        for (int k = 0; k < 2 && same; ++k) {
            same = all_equal(alone[k], own[k], beside, parts[k].bodies, parts[k].any.scene.count);
            if (!same)
                fprintf(stderr, "KUGEL_SEED=%llu KUGEL_WORLDS=1: tick %u, scene %d\n",
                        (unsigned long long)seed, tick, k);
        }
    }
    kugel_world_destroy(beside);
    for (int k = 0; k < 2; ++k) {
        kugel_world_destroy(alone[k]);
        support_scene_free(&parts[k].any.scene);
        free(own[k]), free(parts[k].bodies);
    }
    return same;
}

Test(apart, two_scenes_evolve_as_each_does_alone, .timeout = 600)
{
    check_all(pair_evolves_alike, PAIRS);
}

/* A step of several places that fails, for lack of memory or since it has too many events, leaves
 * the world as it was; the same step with memory gives the bits of a world that never failed. */
Test(apart, a_step_of_places_that_fails_changes_nothing, .timeout = 600)
{
    for (uint64_t seed = 1; seed <= FAILURES; ++seed) {
        support_random random = {seed};
        part parts[2] = {make_part(seed, &random, 0), make_part(~seed, &random, far)};
        kugel_world_def def = def_of(&parts[0].any, &random);
        kugel_world *sure = create(&def, 1), *pinched;
        support_memory memory = {0};
        def.allocator = support_allocator(&memory);
        pinched = create(&def, 1);
        for (int k = 0; k < 2; ++k) {
            add_part(sure, &parts[k], parts[k].bodies);
            add_part(pinched, &parts[k], parts[k].bodies);
        }
        uint64_t failed = 0;
        for (uint32_t tick = 0; tick < 12; ++tick) {
            uint64_t before = kugel_world_hash(pinched);
            kugel_status status = KUGEL_ERROR_OUT_OF_MEMORY;
            for (int most = 0; status == KUGEL_ERROR_OUT_OF_MEMORY; ++most) {
                support_memory_arm(&memory, most);
                status = kugel_world_step(pinched, 1. / 60);
                support_memory_arm(&memory, -1);
                failed += status != KUGEL_OK;
                cr_assert(status == KUGEL_OK || kugel_world_hash(pinched) == before,
                          "seed %llu tick %u, after %d blocks", (unsigned long long)seed, tick,
                          most);
            }
            cr_assert_eq(kugel_world_step(sure, 1. / 60), status);
            cr_assert_eq(kugel_world_hash(pinched), kugel_world_hash(sure), "seed %llu tick %u",
                         (unsigned long long)seed, tick);
        }
        cr_assert_gt(failed, 0);
        kugel_world_destroy(sure), kugel_world_destroy(pinched);
        for (int k = 0; k < 2; ++k) {
            support_scene_free(&parts[k].any.scene);
            free(parts[k].bodies);
        }
    }
}

/* Two balls, a kilometre apart, are in the way of two fast solids. Each is hit, and has the bits
 * that it has alone, whichever of their places steps first. */
Test(apart, a_moving_surface_meets_bodies_in_each_place)
{
    kugel_world *worlds[3];
    kugel_body ball[3][2];
    for (int k = 0; k < 3; ++k) { /* of the first ball, of the second, and of both */
        kugel_world_def def = kugel_world_def_default();
        def.bounce_threshold = KUGEL_BOUNCE_BY_SIZE, def.substeps = 16;
        cr_assert_eq(kugel_world_create(&def, &worlds[k]), KUGEL_OK);
        for (int i = 0; i < 2; ++i) {
            kugel_body_def body = kugel_body_def_default();
            kugel_surface_def solid = kugel_surface_def_default();
            body.position[0] = solid.position[0] = far * i;
            solid.shape = KUGEL_SURFACE_ELLIPSOID;
            for (int axis = 0; axis < 3; ++axis) solid.size[axis] = 0.1;
            solid.position[1] = -1, solid.velocity[1] = 300;
            if (k == !i) continue;
            cr_assert_eq(kugel_body_create(worlds[k], &body, &ball[k][i]), KUGEL_OK);
            cr_assert_eq(kugel_surface_create(worlds[k], &solid, NULL), KUGEL_OK);
        }
    }
    for (int tick = 0; tick < 3; ++tick) {
        for (int k = 0; k < 3; ++k) support_run(worlds[k], 1 / 60., 1);
        for (int i = 0; i < 2; ++i)
            cr_assert(equal(worlds[i], ball[i][i], worlds[2], ball[2][i]), "ball %d, tick %d", i,
                      tick);
    }
    for (uint32_t i = 0; i < 2; ++i) {
        kugel_body_state s;
        support_state(worlds[2], i, &s);
        cr_assert_geq(s.velocity[1], 299, "ball %u", i);
    }
    for (int k = 0; k < 3; ++k) kugel_world_destroy(worlds[k]);
}

/* All places together may have def.step_event_limit events in a step, and a step with more leaves
 * the world as it was. Two pairs of balls, far apart, collide in one tick. */
Test(apart, places_share_the_limit_of_events)
{
    for (int32_t limit = 1; limit <= 2; ++limit) {
        kugel_world_def def = kugel_world_def_default();
        kugel_world *world;
        kugel_body_def ball = kugel_body_def_default();
        def.step_event_limit = limit;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        for (int k = 0; k < 4; ++k) {
            ball.position[0] = far * (k / 2) + (k % 2 ? 1.01 : 0);
            ball.velocity[0] = k % 2 ? -1 : 1;
            cr_assert_eq(kugel_body_create(world, &ball, &(kugel_body){0}), KUGEL_OK);
        }
        uint64_t before = kugel_world_hash(world);
        cr_assert_eq(kugel_world_step(world, 1. / 60), limit < 2 ? KUGEL_ERROR_LIMIT : KUGEL_OK);
        cr_assert_eq(kugel_world_hash(world) == before, limit < 2);
        kugel_world_destroy(world);
    }
}

/* A heavy ball hits a light one, which flies on twice as fast, far beyond the reach of both, and
 * hits a third within the tick: their places grow together. Elastic impacts in a row: the third one
 * takes the velocity 2 M / (M + m) v of the second, and a world in which all three are one place
 * from the start, since a fourth ball links them, gives the same bits. */
Test(apart, a_ball_thrown_into_another_place_hits_there)
{
    static const double at[] = {0, 50, 145}, mass[] = {100, 1, 1}, speed = 6000;
    kugel_body_state third[2];
    for (int linked = 0; linked < 2; ++linked) {
        kugel_world_def def = kugel_world_def_default();
        kugel_world *world;
        kugel_body bodies[4];
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        for (int k = 0; k < 3 + linked; ++k) {
            kugel_body_def ball = kugel_body_def_default();
            ball.position[0] = k < 3 ? at[k] : 100, ball.position[1] = k < 3 ? 0 : 5;
            ball.mass = k < 3 ? mass[k] : 1, ball.velocity[0] = k ? 0 : speed;
            ball.restitution = 1, ball.friction = 0, ball.radius = 0.5;
            if (k == 3) ball.velocity[1] = speed; /* it flies away */
            cr_assert_eq(kugel_body_create(world, &ball, &bodies[k]), KUGEL_OK);
        }
        cr_assert_eq(kugel_world_step(world, 1. / 60), KUGEL_OK);
        cr_assert_eq(kugel_body_get(world, bodies[2], &third[linked]), KUGEL_OK);
        kugel_world_destroy(world);
    }
    cr_assert_float_eq(third[0].velocity[0], 200. / 101 * speed, 1e-9 * speed);
    cr_assert_arr_eq(third[0].position, third[1].position, sizeof third[0].position);
    cr_assert_arr_eq(third[0].velocity, third[1].velocity, sizeof third[0].velocity);
}
