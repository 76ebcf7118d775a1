/* The pair filter for bodies and surfaces, in random worlds: it agrees bit for bit with masks that
 * say the same, on any number of threads and in places apart; it is recorded; its numbers hold.
 * Environment: KUGEL_SEED, the first seed. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/support_recording.h"
#include "support/support_mesh.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"

enum {
    WORLDS = SUPPORT_SANITIZED ? 4 : 12,
    BALLS = 40,   /* of a scene */
    SURFACES = 5, /* of a scene */
    TICKS = 150,
    REDRAWN = 50 /* ticks with the same rules */
};

static const double dt = 1 / 60., apart = 1000; /* s, m */

/* The rules of a world that has the scenes from `first` on. */
typedef struct rules {
    uint64_t seed;
    uint32_t first;
} rules;

/* Surfaces admit bodies of their scene only, and three of four of these. */
static bool admits(const rules *r, uint64_t key, uint32_t body, uint32_t surface)
{
    if (body / BALLS != surface / SURFACES) return false;
    support_random random = {r->seed + 1000 * key + (body + BALLS * r->first) +
                             100000 * (surface + SURFACES * r->first)};
    support_uniform(&random);
    return support_below(&random, 4) != 0;
}

static bool decide(void *user, uint64_t key, kugel_pair *pair)
{
    cr_assert(!pair->b != !pair->surface && pair->a);
    return pair->b || admits(user, key, kugel_body_id(pair->a), kugel_surface_index(pair->surface));
}

/* The same as masks: bodies are of category 1, surface k of category 2 << k. */
static uint32_t mask_of(const rules *r, uint64_t key, uint32_t body, uint32_t surfaces)
{
    uint32_t mask = 1;
    for (uint32_t k = 0; k < surfaces; ++k)
        if (admits(r, key, body, k)) mask |= 2u << k;
    return mask;
}

/* A bumpy floor, a plane, a box that moves, a cone that turns, and a still box. */
static kugel_surface_def surface_of(const support_mesh *floor, uint32_t k, support_random *random)
{
    kugel_surface_def def = k ? kugel_surface_def_default() : support_mesh_def(floor);
    static const kugel_surface_shape shapes[SURFACES] = {KUGEL_SURFACE_MESH, KUGEL_SURFACE_PLANE,
                                                         KUGEL_SURFACE_BOX, KUGEL_SURFACE_CONE,
                                                         KUGEL_SURFACE_BOX};
    def.shape = shapes[k];
    if (k == 1) def.position[2] = -2;
    for (int axis = 0; axis < 3 && k > 1; ++axis) {
        def.position[axis] = support_between(random, -2, 2);
        def.size[axis] = support_between(random, 1, 2);
    }
    if (k == 2) support_direction(random, 1, def.velocity);
    if (k == 3) support_direction(random, 2, def.spin);
    return def;
}

static void add_scene(kugel_world *world, uint64_t seed, uint32_t scene, const rules *masks)
{
    support_random random = {seed + 77 * scene};
    support_mesh floor = support_mesh_floor(6, 8, 0.3, &random);
    for (uint32_t k = 0; k < SURFACES; ++k) {
        kugel_surface_def def = surface_of(&floor, k, &random);
        def.position[0] += apart * scene, def.mask = 1;
        def.category = 2u << (k + SURFACES * (scene - masks->first));
        cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    }
    for (uint32_t i = 0; i < BALLS; ++i) {
        kugel_body_def def = kugel_body_def_default();
        def.radius = support_between(&random, 0.2, 0.4);
        for (int axis = 0; axis < 3; ++axis) {
            def.position[axis] = support_between(&random, -3, 3) + (axis == 2 ? 4 : 0);
            def.velocity[axis] = support_gauss(&random);
        }
        def.position[0] += apart * scene;
        cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    }
    support_mesh_free(&floor);
}

/* The world of `count` scenes: a pile or, where seed % 3 is 2, a cloud without gravity. */
static kugel_world *make(const rules *r, uint32_t count, uint32_t threads)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    if (r->seed % 3 < 2) def.gravity[2] = -10;
    def.substeps = r->seed % 3 == 1 ? 4 : 0, def.tasks.threads = threads;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    for (uint32_t k = 0; k < count; ++k) add_scene(world, r->seed, r->first + k, r);
    return world;
}

static void set_filter(kugel_world *world, rules *r, int tick)
{
    const kugel_pair_filter filter = {.decide = decide, .user = r, .key = tick / REDRAWN};
    if (tick % REDRAWN == 0) cr_assert_eq(kugel_world_set_pair_filter(world, &filter), KUGEL_OK);
}

/* As set_filter, which wakes all bodies. */
static void set_masks(kugel_world *world, const rules *r, int tick, uint32_t scenes)
{
    for (uint32_t i = 0; i < BALLS * scenes && tick % REDRAWN == 0; ++i) {
        kugel_body body = kugel_world_body(world, i);
        uint32_t mask = mask_of(r, tick / REDRAWN, i, SURFACES * scenes);
        cr_assert_eq(kugel_body_set_filter(world, body, 1, mask, 0), KUGEL_OK);
        cr_assert_eq(kugel_body_wake(world, body), KUGEL_OK);
    }
}

static void check_equal(kugel_world *a, kugel_world *b, uint64_t seed, int tick, const char *what)
{
    cr_assert_eq(kugel_world_hash(a), kugel_world_hash(b), "%s: seed %d, tick %d", what, (int)seed,
                 tick);
}

Test(pair_surfaces, excluded_surfaces_are_those_of_equal_masks)
{
    size_t met = 0, ended = 0, count;
    uint64_t first = support_random_start("pair_surfaces/masks", 1).state;
    for (uint64_t seed = first; seed < first + WORLDS; ++seed) {
        rules r = {.seed = seed};
        kugel_world *masked = make(&r, 2, 1), *filtered = make(&r, 2, 1),
                    *threaded = make(&r, 2, 3);
        for (int tick = 0; tick < TICKS; ++tick) {
            set_masks(masked, &r, tick, 2);
            set_filter(filtered, &r, tick), set_filter(threaded, &r, tick);
            support_run(masked, dt, 1), support_run(filtered, dt, 1), support_run(threaded, dt, 1);
            check_equal(filtered, masked, seed, tick, "masks");
            check_equal(filtered, threaded, seed, tick, "threads");
            const kugel_touch *touch = kugel_world_begin_events(filtered, &count);
            for (size_t k = 0; k < count; ++k) met += touch[k].target == KUGEL_TARGET_SURFACE;
            touch = kugel_world_end_events(filtered, &count);
            for (size_t k = 0; k < count; ++k)
                ended += touch[k].target == KUGEL_TARGET_SURFACE && touch[k].time == 0;
        }
        kugel_world_destroy(masked), kugel_world_destroy(filtered), kugel_world_destroy(threaded);
    }
    cr_assert(met > 20 * WORLDS && ended > WORLDS, "%zu touches, %zu ended by calls", met, ended);
}

static void read_scene(const kugel_world *world, uint32_t scene, double out[9 * BALLS])
{
    for (uint32_t i = 0; i < BALLS; ++i) {
        kugel_body_state s;
        support_state(world, i + BALLS * scene, &s);
        memcpy(&out[9 * i], s.position, sizeof s.position);
        memcpy(&out[9 * i + 3], s.velocity, sizeof s.velocity);
        memcpy(&out[9 * i + 6], s.spin, sizeof s.spin);
    }
}

Test(pair_surfaces, scenes_in_one_world_evolve_as_alone)
{
    uint64_t first = support_random_start("pair_surfaces/apart", 1).state;
    for (uint64_t seed = first; seed < first + WORLDS; ++seed) {
        rules r[3] = {{seed, 0}, {seed, 1}, {seed, 0}};
        kugel_world *alone[2] = {make(&r[0], 1, 1), make(&r[1], 1, 1)}, *both = make(&r[2], 2, 1);
        for (int tick = 0; tick < TICKS; ++tick) {
            set_filter(both, &r[2], tick);
            support_run(both, dt, 1);
            for (uint32_t k = 0; k < 2; ++k) {
                double one[9 * BALLS], other[9 * BALLS];
                set_filter(alone[k], &r[k], tick);
                support_run(alone[k], dt, 1);
                read_scene(alone[k], 0, one), read_scene(both, k, other);
                cr_assert_eq(memcmp(one, other, sizeof one), 0, "seed %d, scene %u, tick %d",
                             (int)seed, k, tick);
            }
        }
        for (int k = 0; k < 2; ++k) kugel_world_destroy(alone[k]);
        kugel_world_destroy(both);
    }
}

Test(pair_surfaces, a_recording_and_a_clone_have_the_same_bits)
{
    uint64_t first = support_random_start("pair_surfaces/recorded", 1).state;
    for (uint64_t seed = first; seed < first + WORLDS / 4; ++seed) {
        rules r = {.seed = seed};
        support_file file = {0};
        kugel_recording_def recording = support_recording_def(&file, true);
        recording.keyframe_ticks = 16;
        kugel_world *world = make(&r, 2, 1), *clone = NULL;
        cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
        for (int tick = 0; tick < TICKS; ++tick) {
            set_filter(world, &r, tick);
            if (tick == 70) cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
            if (clone) set_filter(clone, &r, tick), support_run(clone, dt, 1);
            support_run(world, dt, 1);
            if (clone) check_equal(world, clone, seed, tick, "clone");
        }
        cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
        kugel_player *player = support_open_player(&file);
        cr_assert_eq(kugel_player_set_pair_filter(player, decide, &r), KUGEL_OK);
        int ticks = 0;
        while (kugel_player_step(player, NULL) == KUGEL_PLAY_TICK) ticks += 1;
        cr_assert_eq(ticks, TICKS, "seed %d", (int)seed);
        cr_assert_eq(kugel_player_seek(player, 77), KUGEL_PLAY_TICK);
        cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_TICK);
        kugel_player_close(player), support_file_free(&file);
        kugel_world_destroy(world), kugel_world_destroy(clone);
    }
}

/* As if all balls had restitution 0.4, friction 0.125 and rolling resistance 0.01. The surfaces
 * have 0, 0.5 and 0, and mix to a friction of sqrt(0.125 * 0.5). */
static bool change(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user, (void)key;
    pair->restitution = 0.4, pair->rolling_resistance = 0.01;
    pair->friction = pair->surface ? 0.25 : 0.125;
    return true;
}

Test(pair_surfaces, a_changed_material_is_that_of_equal_bodies)
{
    const kugel_pair_filter filter = {.decide = change};
    for (uint64_t seed = 1; seed <= WORLDS / 4; ++seed) {
        rules r = {.seed = seed};
        kugel_world *made = make(&r, 1, 1), *changed = make(&r, 1, 1);
        for (uint32_t i = 0; i < BALLS; ++i)
            cr_assert_eq(
                kugel_body_set_material(made, kugel_world_body(made, i), 0.4, 0.125, 0.01, 0),
                KUGEL_OK);
        for (uint32_t k = 0; k < SURFACES; ++k) {
            kugel_surface in_made = kugel_world_surface(made, k),
                          in_changed = kugel_world_surface(changed, k);
            cr_assert_eq(kugel_surface_set_material(made, in_made, 0, 0.5, 0, 0), KUGEL_OK);
            cr_assert_eq(kugel_surface_set_material(changed, in_changed, 0, 0.5, 0, 0), KUGEL_OK);
        }
        cr_assert_eq(kugel_world_set_pair_filter(changed, &filter), KUGEL_OK);
        for (int tick = 0; tick < TICKS; ++tick) {
            support_run(made, dt, 1), support_run(changed, dt, 1);
            check_equal(made, changed, seed, tick, "material");
        }
        kugel_world_destroy(made), kugel_world_destroy(changed);
    }
}

/* Negative zeros are saved as zeros, and the snapshot is restored. */
Test(pair_surfaces, a_material_of_negative_zeros_is_saved)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    kugel_surface surface;
    kugel_body body;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, &floor, &surface), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    for (int k = 0; k < 4; ++k) {
        double m[4] = {0, 0, 0, 0};
        m[k] = -0.0;
        cr_assert_eq(kugel_surface_set_material(world, surface, m[0], m[1], m[2], m[3]), KUGEL_OK);
        cr_assert_eq(kugel_body_set_material(world, body, m[0], m[1], m[2], m[3]), KUGEL_OK);
        support_bytes saved = support_snapshot_of(world);
        cr_assert_eq(kugel_snapshot_restore(world, saved.data, saved.size), KUGEL_OK, "number %d",
                     k);
        free(saved.data);
    }
    kugel_world_destroy(world);
}

static bool fail_for_surfaces(void *user, uint64_t key, kugel_pair *pair)
{
    (void)key;
    pair->failed = pair->surface && *(const bool *)user;
    return true;
}

/* A filter that fails for surfaces refuses the step, or itself where a body rests on one. */
Test(pair_surfaces, a_filter_that_fails_ends_the_call)
{
    uint64_t first = support_random_start("pair_surfaces/failure", 1).state;
    for (uint64_t seed = first; seed < first + WORLDS / 4; ++seed) {
        rules r = {.seed = seed};
        bool fails = true;
        const kugel_pair_filter filter = {.decide = fail_for_surfaces, .user = &fails};
        kugel_world *world = make(&r, 2, 1), *plain = make(&r, 2, 1);
        cr_assert_eq(kugel_world_set_pair_filter(world, &filter), KUGEL_OK); /* no contacts yet */
        cr_assert_eq(kugel_world_step(world, dt), KUGEL_ERROR_STATE);
        check_equal(world, plain, seed, 0, "refused");
        for (int tick = 1; tick < TICKS; ++tick) {
            fails = false;
            support_run(world, dt, 1), support_run(plain, dt, 1);
            check_equal(world, plain, seed, tick, "all interact");
        }
        fails = true;
        if (seed % 3 < 2)
            cr_assert_eq(kugel_world_set_pair_filter(world, &filter), KUGEL_ERROR_STATE);
        check_equal(world, plain, seed, TICKS, "not set");
        kugel_world_destroy(world), kugel_world_destroy(plain);
    }
}
