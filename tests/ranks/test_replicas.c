/* Worlds with resting contacts over ranks, which replicate them: the hashes, counters and energies
 * of one process at every tick. Comparisons are exact: no tolerance. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "golden/support_golden.h"
#include "support/support_ranks_compare.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"

/* A dense lattice of `edge`^3 bodies on the ground, some of which move. */
static support_scene lattice(int edge, double spacing, kugel_face face, support_random *random)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, edge * spacing, face);
    kugel_world_def def = kugel_world_def_default();
    def.bounds = scene.def.bounds;
    for (int k = 0; k < 6; ++k) def.bounds.faces[k] = k == 5 ? KUGEL_FACE_OPEN : face;
    if (face == KUGEL_FACE_PERIODIC) def.bounds.faces[4] = KUGEL_FACE_WALL;
    def.bounds.friction = 0.3;
    def.gravity[2] = -9.81;
    scene.def = def;
    for (int i = 0; i < edge * edge * edge; ++i) {
        double at[3] = {i % edge, i / edge % edge, i / edge / edge}, velocity[3] = {0};
        for (int k = 0; k < 3; ++k) at[k] = (at[k] + 0.5) * spacing;
        if (i % 7 == 0) support_direction(random, 0.3, velocity);
        kugel_body_def *body = support_scene_add(&scene, at, velocity, 0.5, 1);
        body->restitution = 0;
        body->friction = 0.5;
        if (i % 5 == 0) body->rolling_resistance = 0.1;
    }
    return scene;
}

static void check_lattice(double spacing, kugel_face face, uint64_t seed)
{
    support_random random = support_random_start("replicas", seed);
    support_scene scene = lattice(8, spacing, face, &random);
    support_ranks_tally all = support_ranks_compare(support_make_scene, &scene, 1 / 60.0, 40, seed);
    cr_assert(all.replicated);
    support_scene_free(&scene);
}

Test(replicas, lattice_between_walls) { check_lattice(0.9995, KUGEL_FACE_WALL, 1); }
Test(replicas, periodic_lattice) { check_lattice(1.0005, KUGEL_FACE_PERIODIC, 2); }

Test(replicas, golden_scenes)
{
    for (int s = 0; s < GOLDEN_SCENES; s += SUPPORT_SANITIZED ? 5 : 1) {
        const golden_scene *scene = &golden_scenes[s];
        if (golden_def(scene).bounce_threshold == 0 || scene->input) continue;
        support_ranks_tally all =
            support_ranks_compare(support_make_golden, scene, scene->dt, scene->ticks, (uint64_t)s);
        cr_assert(all.replicated, "%s", scene->name);
    }
}

/* A gas in which two balls without restitution meet: they begin to rest on each other, and from
 * then on all ranks have all bodies. */
Test(replicas, contact_begins_in_a_gas)
{
    support_random random = support_random_start("replicas, gas", 3);
    support_scene scene = support_scene_gas(5, 0.2, KUGEL_FACE_PERIODIC, 5, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].restitution = i % 10 ? 1 : 0;
    support_ranks_tally all = support_ranks_compare(support_make_scene, &scene, 0.01, 30, 3);
    cr_assert(all.replicated && all.whole_steps > 0);
    support_scene_free(&scene);
}

/* A world of any kind: what divided worlds lack, one or more at a time. */
typedef struct any_world {
    support_scene scene;
    bool has_shape, shape_moves, has_filter, has_force;
} any_world;

/* Some pairs pass through each other; a function of the ids. */
static bool admit_most(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user, (void)pair;
    return key % 5 != 0;
}

static kugel_world *make_any(const void *of, uint32_t threads)
{
    const any_world *any = of;
    kugel_world *world = support_make_scene(&any->scene, threads);
    kugel_surface_def shape = kugel_surface_def_default();
    shape.shape = KUGEL_SURFACE_ELLIPSOID;
    for (int k = 0; k < 3; ++k) shape.size[k] = 2 + k, shape.position[k] = 3;
    if (any->shape_moves) shape.spin[2] = 1;
    if (any->has_shape) cr_assert(!kugel_surface_create(world, &shape, NULL));
    if (any->has_filter)
        cr_assert(!kugel_world_set_pair_filter(world, &(kugel_pair_filter){.decide = admit_most}));
    const double force[3] = {1, -2, 0};
    for (uint32_t id = 0; id < 5 && any->has_force; ++id)
        cr_assert(!kugel_body_apply_force(world, kugel_world_body(world, id), force, NULL));
    return world;
}

static bool one_in(support_random *random, uint32_t n) { return support_below(random, n) == 0; }

static void change_body(kugel_body_def *body, bool sensors, support_random *random)
{
    body->restitution = one_in(random, 3) ? 0.5 : 0;
    body->friction = one_in(random, 4) ? 0 : 0.5;
    body->rolling_resistance = one_in(random, 4) ? 0.1 : 0;
    body->sensor = sensors && one_in(random, 10);
    if (one_in(random, 30)) body->type = KUGEL_KINEMATIC;
}

static bool check_any(uint64_t seed)
{
    support_random random = support_random_start("replicas, random", seed);
    double small = support_between(&random, 0.2, 0.5), large = one_in(&random, 2) ? small : 0.6;
    uint32_t count = 10 + support_below(&random, 100);
    double length = pow(count * 4.19 * large * large * large / 0.1, 1 / 3.0);
    const support_mix mix = {count, length, {small, large}, {0.5, 2}, 2, KUGEL_FACE_WALL};
    any_world any = {.scene = support_scene_mixed(&mix, &random)};
    kugel_world_def def = kugel_world_def_default();
    bool sensors = one_in(&random, 2);
    def.bounds = any.scene.def.bounds;
    def.bounds.friction = 0.3, def.bounds.restitution = 0;
    if (one_in(&random, 3)) def.bounds.faces[0] = def.bounds.faces[1] = KUGEL_FACE_PERIODIC;
    def.gravity[2] = one_in(&random, 8) ? 0 : -9.81;
    def.sleep = one_in(&random, 2);
    if (one_in(&random, 4)) def.bounce_threshold = 0;
    any.scene.def = def;
    any.has_shape = one_in(&random, 2), any.shape_moves = one_in(&random, 2);
    any.has_filter = one_in(&random, 3), any.has_force = one_in(&random, 3);
    for (uint32_t i = 0; i < count; ++i) change_body(&any.scene.bodies[i], sensors, &random);
    support_ranks_tally all = support_ranks_compare(make_any, &any, 1 / 60.0, 30, seed);
    support_scene_free(&any.scene);
    return all.replicated;
}

Test(replicas, random_worlds)
{
    const char *more = getenv("KUGEL_SEEDS"); /* how many, for a long search */
    uint64_t seeds = more ? strtoull(more, NULL, 10) : SUPPORT_ROUNDS(6), replicated = 0;
    for (uint64_t seed = 1; seed <= seeds; ++seed) replicated += check_any(seed);
    cr_assert_gt(replicated, seeds / 2);
}
