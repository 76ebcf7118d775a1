/* Two scenes that do not touch evolve in one world, bit for bit, as each does alone. Here one of
 * them is at rest: piles that sleep and static balls, a kilometre away, of any size and mass.
 * Environment: KUGEL_WORLDS, the number of worlds; KUGEL_SEED, the first seed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_sanitized.h"
#include "support/support_worlds.h"

enum { WORLDS = SUPPORT_SANITIZED ? 40 : 400, WAIT = 600, RESTING = 64 };

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
    body.rolling_resistance = 0.1;
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
    scene.planes[0] = (kugel_plane){.normal = {0, 0, 1}, .friction = 0.5, .restitution = 0.3};
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

Test(apart, a_scene_at_rest_decides_nothing_in_another, .timeout = 600)
{
    const char *worlds = getenv("KUGEL_WORLDS"), *first = getenv("KUGEL_SEED");
    uint64_t count = worlds ? strtoull(worlds, NULL, 10) : WORLDS,
             seed = first ? strtoull(first, NULL, 10) : 1, different = 0;
    for (uint64_t k = 0; k < count; ++k) different += !evolves_alike(seed + k);
    cr_assert_eq(different, 0, "%llu of %llu worlds", (unsigned long long)different,
                 (unsigned long long)count);
}
