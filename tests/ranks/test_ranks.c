/* Worlds over ranks have the hashes, counters and energies of one process, at every tick, for any
 * number of ranks and threads and any order of messages. Comparisons are exact: no tolerance. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "golden/support_golden.h"
#include "support/support_ranks.h"
#include "support/support_ranks_compare.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"

Test(ranks, gas_between_walls)
{
    support_random random = support_random_start("ranks, walls", 1);
    support_scene scene = support_scene_gas(6, 0.2, KUGEL_FACE_WALL, 5, &random);
    cr_assert(support_ranks_compare(support_make_scene, &scene, 0.01, 40, 1).partial);
    cr_assert(support_ranks_compare(support_make_scene, &scene, 0.01, 10, 2).partial,
              "with the other numbers of threads");
    support_scene_free(&scene);
}

Test(ranks, periodic_gas)
{
    support_random random = support_random_start("ranks, periodic", 2);
    support_scene scene = support_scene_gas(6, 0.3, KUGEL_FACE_PERIODIC, 5, &random);
    cr_assert(support_ranks_compare(support_make_scene, &scene, 0.01, 40, 2).partial);
    support_scene_free(&scene);
}

/* A rank of a long periodic box has bodies and ghosts at both ends of its axis, and no cells
 * between them. Bodies drift into that gap and across it, some in one tick. */
Test(ranks, bodies_drift_into_gaps)
{
    support_random random = support_random_start("ranks, gaps", 17);
    for (int drift = -1; drift <= 1; ++drift) {
        support_scene scene = support_scene_tower(KUGEL_FACE_PERIODIC, &random);
        for (uint32_t i = 0; i < scene.count; ++i) {
            kugel_body_def *body = &scene.bodies[i];
            body->velocity[2] += 30 * drift;
            if (i % 500 == 7) body->velocity[2] *= 20;
        }
        cr_assert(support_ranks_compare(support_make_scene, &scene, 0.02, 12, 17).partial);
        support_scene_free(&scene);
    }
}

/* Ticks of several impacts a body: what happens outside the first ghosts reaches own bodies. */
Test(ranks, long_ticks_are_repeated)
{
    support_random random = support_random_start("ranks, long ticks", 3);
    support_scene scene = support_scene_tower(KUGEL_FACE_PERIODIC, &random);
    support_ranks_tally all = support_ranks_compare(support_make_scene, &scene, 0.25, 6, 3);
    cr_assert(all.partial && all.repetitions > 0);
    support_scene_free(&scene);
}

/* Lossy bodies of many radii with friction, spins, static and moving obstacles, under gravity. */
Test(ranks, mixture_that_falls)
{
    support_random random = support_random_start("ranks, mixture", 4);
    const support_mix mix = {900, 40, {0.2, 0.9}, {0.5, 3}, 6, KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    scene.def.gravity[2] = -3, scene.def.substeps = 0;
    scene.def.linear_damping = 0.01;
    scene.def.bounds.faces[0] = scene.def.bounds.faces[1] = KUGEL_FACE_PERIODIC;
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_def *body = &scene.bodies[i];
        body->restitution = 0.95, body->friction = 0.2;
        support_direction(&random, 2, body->spin);
        body->gravity_scale = i % 5 ? 1 : 0.5;
        if (i % 40 == 7) body->type = KUGEL_STATIC;
        if (i % 40 == 9) body->type = KUGEL_KINEMATIC;
        if (body->type != KUGEL_STATIC) continue;
        memset(body->velocity, 0, sizeof body->velocity);
        memset(body->spin, 0, sizeof body->spin);
    }
    cr_assert(support_ranks_compare(support_make_scene, &scene, 1 / 60.0, 40, 4).partial);
    support_scene_free(&scene);
}

/* A cloud in open space that flies away together: the partition follows it. */
Test(ranks, partition_follows_bodies)
{
    support_random random = support_random_start("ranks, cloud", 5);
    support_scene scene = support_scene_gas(6, 0.1, KUGEL_FACE_OPEN, 1, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].velocity[0] += 20;
    support_ranks_tally all = support_ranks_compare(support_make_scene, &scene, 0.02, 60, 5);
    cr_assert(all.partitions > 5 && all.partial);
    support_scene_free(&scene);
}

/* A chain of touching balls transmits an impact at once, through the domains of all ranks. */
Test(ranks, chains_need_all_bodies)
{
    support_scene scene = support_scene_start();
    for (int i = 0; i < 40; ++i)
        support_scene_add(&scene, (double[3]){i, 0, 0}, (double[3]){0}, 0.5, 1);
    support_scene_add(&scene, (double[3]){-3, 0, 0}, (double[3]){2, 0, 0}, 0.5, 1);
    support_scene_add(&scene, (double[3]){90, 0, 0}, (double[3]){-1, 0, 0}, 0.5, 1);
    cr_assert(support_ranks_compare(support_make_scene, &scene, 0.1, 40, 6).whole_steps > 0);
    support_scene_free(&scene);
}

/* Light bodies are struck away at up to twice the largest speed: the tick is repeated. */
Test(ranks, faster_than_the_bound)
{
    support_random random = support_random_start("ranks, fast", 7);
    support_scene scene = support_scene_tower(KUGEL_FACE_WALL, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].mass = i % 3 ? 1e-3 : 1;
    support_ranks_tally all = support_ranks_compare(support_make_scene, &scene, 0.1, 8, 7);
    cr_assert(all.repetitions > 0 && all.partial);
    support_scene_free(&scene);
}

/* A gas with surfaces: rough ground, and bodies that move, turn and stand still. */
typedef struct vessel {
    support_scene gas;
    uint64_t seed;
} vessel;

enum { ABOVE = 4 /* m, of the gas */, BELOW = 1 };
enum { GROUND_EDGE = 9 }; /* vertices along each side */

static void add_ground(kugel_world *world, const kugel_bounds *bounds, support_random *random)
{
    double places[3 * GROUND_EDGE * GROUND_EDGE], *place = places;
    uint32_t triangles[6 * (GROUND_EDGE - 1) * (GROUND_EDGE - 1)], *corner = triangles;
    for (uint32_t k = 0; k < GROUND_EDGE * GROUND_EDGE; ++k) {
        const uint32_t at[2] = {k % GROUND_EDGE, k / GROUND_EDGE};
        for (int axis = 0; axis < 2; ++axis) {
            double length = bounds->max[axis] - bounds->min[axis];
            *place++ = bounds->min[axis] - 1 + at[axis] * (length + 2) / (GROUND_EDGE - 1);
        }
        *place++ = support_between(random, -0.6, 0);
        if (at[0] == GROUND_EDGE - 1 || at[1] == GROUND_EDGE - 1) continue;
        const uint32_t two[6] = {
            k, k + 1, k + GROUND_EDGE, k + 1, k + GROUND_EDGE + 1, k + GROUND_EDGE};
        memcpy(corner, two, sizeof two);
        corner += 6;
    }
    kugel_surface_def ground = kugel_surface_def_default();
    ground.vertices = places, ground.vertex_count = GROUND_EDGE * GROUND_EDGE;
    ground.triangles = triangles;
    ground.triangle_count = 2 * (GROUND_EDGE - 1) * (GROUND_EDGE - 1);
    ground.restitution = 0.9, ground.friction = 0.3;
    cr_assert(!kugel_surface_create(world, &ground, NULL));
}

static kugel_world *make_vessel(const void *scene, uint32_t threads)
{
    const vessel *v = scene;
    kugel_world *world = support_make_scene(&v->gas, threads);
    const kugel_bounds *bounds = &v->gas.def.bounds;
    support_random random = {v->seed * 0x9e3779b97f4a7c15u + 1};
    add_ground(world, bounds, &random);
    for (int k = 0; k < 4; ++k) {
        static const kugel_surface_shape shapes[] = {KUGEL_SURFACE_ELLIPSOID,
                                                     KUGEL_SURFACE_CAPSULE};
        kugel_surface_def body = kugel_surface_def_default();
        body.shape = shapes[k % 2];
        for (int axis = 0; axis < 3; ++axis) {
            body.size[axis] = support_between(&random, 0.5, 1.5);
            body.position[axis] = support_between(&random, bounds->min[axis], bounds->max[axis]);
        }
        body.position[2] = bounds->max[2] - ABOVE / 2.;
        if (k) support_direction(&random, 2, body.spin);
        if (k > 1) body.velocity[2] = support_between(&random, -8, -4);
        cr_assert(!kugel_surface_create(world, &body, NULL));
    }
    return world;
}

Test(ranks, gas_with_surfaces)
{
    const char *more = getenv("KUGEL_SEEDS");
    uint64_t seeds = more ? strtoull(more, NULL, 10) : SUPPORT_ROUNDS(3), partial = 0,
             replicated = 0;
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
        support_random random = support_random_start("ranks, surfaces", seed);
        kugel_face face = seed % 2 ? KUGEL_FACE_WALL : KUGEL_FACE_PERIODIC;
        vessel v = {.gas = support_scene_gas(6, 0.15, face, 5, &random), .seed = seed};
        v.gas.def.bounds.min[2] -= BELOW, v.gas.def.bounds.max[2] += ABOVE;
        for (uint32_t i = 0; i < v.gas.count; ++i) {
            v.gas.bodies[i].restitution = 0.95;
            v.gas.bodies[i].friction = seed % 3 ? 0.2 : 0;
        }
        support_ranks_tally all = support_ranks_compare(make_vessel, &v, 1 / 120.0, 30, seed);
        partial += all.partial;
        replicated += all.replicated;
        support_scene_free(&v.gas);
    }
    /* a ball between surfaces may need a tick with all bodies, or begin a contact */
    cr_assert(4 * partial > 3 * seeds && 4 * replicated < seeds);
}

Test(ranks, golden_scenes)
{
    for (int s = 0; s < GOLDEN_SCENES; ++s) {
        const golden_scene *scene = &golden_scenes[s];
        if (golden_def(scene).bounce_threshold != 0 || scene->input) continue;
        support_ranks_tally all =
            support_ranks_compare(support_make_golden, scene, scene->dt, scene->ticks, (uint64_t)s);
        cr_assert_not(all.replicated, "%s", scene->name);
    }
}

static kugel_face any_face(support_random *random)
{
    return support_below(random, 2) ? KUGEL_FACE_WALL : KUGEL_FACE_OPEN;
}

static double one_of(support_random *random, double a, double b, double c)
{
    uint32_t k = support_below(random, 3);
    return k == 0 ? a : k == 1 ? b : c;
}

static void change_world(support_random *random, support_scene *scene)
{
    kugel_world_def *def = &scene->def;
    for (int axis = 0; axis < 3; ++axis) {
        kugel_face *faces = &def->bounds.faces[2 * axis];
        faces[0] = any_face(random), faces[1] = any_face(random);
        if (support_below(random, 3) == 0) faces[0] = faces[1] = KUGEL_FACE_PERIODIC;
    }
    def->bounds.restitution = one_of(random, 1, 0.9, 0.5);
    if (support_below(random, 2)) support_direction(random, 10, def->gravity);
    def->substeps = (int32_t)support_below(random, 4);
    def->linear_damping = one_of(random, 0, 0, 0.3);
    def->angular_damping = one_of(random, 0, 0, 0.3);
    def->impact_budget = (int32_t)one_of(random, 256, 256, 8);
}

static void change_bodies(support_random *random, support_scene *scene)
{
    double restitution = one_of(random, 1, 0.95, 0.6), friction = one_of(random, 0, 0.3, 1);
    bool obstacles = support_below(random, 2), groups = support_below(random, 4) == 0;
    for (uint32_t i = 0; i < scene->count; ++i) {
        kugel_body_def *body = &scene->bodies[i];
        body->restitution = support_below(random, 5) ? restitution : 1;
        body->friction = friction;
        body->group = groups ? support_below(random, 3) : 0;
        if (friction > 0) support_direction(random, 5, body->spin);
        if (obstacles && support_below(random, 20) == 0) body->type = KUGEL_KINEMATIC;
        if (!obstacles || support_below(random, 20)) continue;
        body->type = KUGEL_STATIC;
        memset(body->velocity, 0, sizeof body->velocity);
        memset(body->spin, 0, sizeof body->spin);
    }
}

/* A gas of random size, packing, radii, masses, materials and filters, in a box of random faces,
 * compared over ranks. */
static void check_random_world(uint64_t seed, support_ranks_tally *all)
{
    support_random random = support_random_start("ranks, random", seed);
    double small = support_between(&random, 0.1, 0.5),
           packing = support_between(&random, 0.01, 0.1),
           large = support_below(&random, 2) ? small : support_between(&random, small, 1);
    uint32_t count = 20 + support_below(&random, 1500);
    double length = pow(count * 4.19 * large * large * large / packing, 1 / 3.0);
    const support_mix mix = {count, length, {small, large}, {0.5, 2}, 5, KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    change_world(&random, &scene);
    change_bodies(&random, &scene);
    support_ranks_tally of_scene = support_ranks_compare(
        support_make_scene, &scene, support_between(&random, 0.002, 0.05), 20, seed);
    all->partial |= of_scene.partial;
    all->repetitions += of_scene.repetitions;
    support_scene_free(&scene);
}

Test(ranks, random_worlds)
{
    support_ranks_tally all = {0};
    const char *more = getenv("KUGEL_SEEDS"); /* how many, for a long search */
    uint64_t seeds = more ? strtoull(more, NULL, 10) : SUPPORT_ROUNDS(12);
    for (uint64_t seed = 1; seed <= seeds; ++seed) check_random_world(seed, &all);
    cr_assert(all.partial && all.repetitions > 0);
}

typedef struct lists_run {
    kugel_world *world;
    kugel_stats stats;
} lists_run;

static void run_lists(const kugel_exchange *exchange, void *argument)
{
    lists_run *run = argument;
    kugel_ranks *ranks;
    if (kugel_ranks_create(run->world, exchange, &ranks)) abort();
    for (int t = 0; t < 40; ++t)
        if (kugel_ranks_step(ranks, 0.002)) abort();
    if (kugel_ranks_world_stats(ranks, &run->stats)) abort();
    kugel_ranks_destroy(ranks);
}

/* A gas under gravity has Verlet lists: a rank without ghosts keeps them as one process does. */
Test(ranks, lists_stay_without_ghosts)
{
    support_random random = support_random_start("ranks, lists", 1);
    support_scene scene = support_scene_gas(6, 0.05, KUGEL_FACE_WALL, 2, &random);
    scene.def.gravity[2] = -9.81;
    kugel_world *alone = support_scene_world(&scene);
    kugel_stats stats;
    lists_run run = {.world = support_scene_world(&scene)};
    support_ranks_run(1, 1, run_lists, &run);
    for (int t = 0; t < 40; ++t) cr_assert(!kugel_world_step(alone, 0.002));
    kugel_world_stats(alone, &stats);
    cr_assert_eq(run.stats.list_rebuilds, stats.list_rebuilds, "%llu, not %llu",
                 (unsigned long long)run.stats.list_rebuilds,
                 (unsigned long long)stats.list_rebuilds);
    cr_assert_lt(stats.list_rebuilds, 10);
    kugel_world_destroy(alone);
    support_scene_free(&scene);
}
