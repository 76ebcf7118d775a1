/* Reuse of the contact order changes no result: a world that orders all contacts in every tick goes
 * through the same states, with one thread and with several. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "contact/contact.h"
#include "grid/grid.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"

typedef struct heap {
    const char *name;
    kugel_face sides;
    double radius[2], mass[2], rolling, pull; /* gravity scale of every third body; 0: 1 for all */
    uint32_t ticks;
    bool sleep, disturbed;
    uint32_t least;   /* least number of ticks that reuse the order */
    int wide, tall;   /* balls along an edge and layers; 0: 10 and 5 */
    uint32_t threads; /* of the world that reuses the order */
} heap;

static int wide(const heap *h) { return h->wide ? h->wide : 10; }

static support_scene make(const heap *h, support_random *random)
{
    support_scene scene = {.def = kugel_world_def_default()};
    int n = wide(h);
    support_scene_box(&scene, 1.2 * n, h->sides);
    scene.def.bounds.faces[4] = KUGEL_FACE_WALL, scene.def.bounds.faces[5] = KUGEL_FACE_OPEN;
    scene.def.bounds.friction = 0.4;
    scene.def.gravity[2] = -9.81;
    scene.def.sleep = h->sleep;
    for (int i = 0; i < n * n * (h->tall ? h->tall : 5); ++i) {
        double x[3] = {0.8 + i % n * 1.15, 0.8 + i / n % n * 1.15, 0.7 + i / (n * n) * 1.15};
        for (int k = 0; k < 3; ++k) x[k] += support_between(random, -0.03, 0.03);
        double r = support_between(random, h->radius[0], h->radius[1]),
               m = support_between(random, h->mass[0], h->mass[1]);
        kugel_body_def *body = support_scene_add(&scene, x, NULL, r, m);
        if (h->pull > 0 && i % 3 == 0) body->gravity_scale = h->pull;
        body->restitution = 0.2, body->friction = 0.5, body->rolling_resistance = h->rolling;
    }
    return scene;
}

/* Changes by the host between steps, the same in both worlds. */
static void disturb(kugel_world *world, uint32_t tick)
{
    kugel_body body = kugel_world_body(world, tick % 500);
    if (tick % 30 == 10)
        cr_assert_eq(kugel_body_set_velocity(world, body, (double[3]){3, 1, 4}), KUGEL_OK);
    if (tick % 90 == 40) {
        kugel_body_def def = kugel_body_def_default();
        def.radius = 0.5, def.position[0] = 6, def.position[1] = 6, def.position[2] = 14;
        kugel_body_state gone;
        cr_assert_eq(kugel_body_get(world, body, &gone), KUGEL_OK);
        cr_assert_eq(kugel_body_destroy(world, body), KUGEL_OK);
        cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    }
    if (tick % 90 == 70)
        cr_assert_eq(kugel_body_set_position(world, body, (double[3]){6, 6, 13}), KUGEL_OK);
}

/* Each contact is in the order once, and the set is sorted by key. */
static void check_order(const kugel_world *world, uint32_t tick)
{
    for (uint32_t k = 1; k < world->contacts.count; ++k) {
        cr_assert_lt(kg_contact_set_key(&world->contacts.items[k - 1]),
                     kg_contact_set_key(&world->contacts.items[k]), "tick %u: contact %u", tick, k);
    }
}

static void check(const heap *h)
{
    support_random random = support_random_start(h->name, 8);
    support_scene scene = make(h, &random);
    kugel_world *rebuilt = support_scene_world(&scene);
    if (h->threads) scene.def.tasks.threads = h->threads;
    kugel_world *reusing = support_scene_world(&scene);
    uint32_t reused = 0;
    for (uint32_t tick = 0; tick < h->ticks; ++tick) {
        if (h->disturbed) disturb(reusing, tick), disturb(rebuilt, tick);
        rebuilt->grid->valid = false;
        support_run(reusing, 1 / 60., 1);
        support_run(rebuilt, 1 / 60., 1);
        cr_assert_eq(kugel_world_hash(reusing), kugel_world_hash(rebuilt), "%s: tick %u", h->name,
                     tick);
        cr_assert(!rebuilt->contact->order_reused);
        check_order(reusing, tick);
        reused += reusing->contact->order_reused;
    }
    fprintf(stderr, "%s: kept in %u of %u ticks, %u contacts\n", h->name, reused, h->ticks,
            reusing->contacts.count);
    cr_assert_geq(reused, h->least, "%s: kept in %u ticks", h->name, reused);
    kugel_world_destroy(reusing), kugel_world_destroy(rebuilt);
    support_scene_free(&scene);
}

Test(contact_order_reuse, reuse_changes_no_state)
{
    static const heap heaps[] = {
        {.name = "keep/even",
         .sides = KUGEL_FACE_WALL,
         .radius = {0.5, 0.5},
         .mass = {1, 1},
         .ticks = 250,
         .least = 180},
        {.name = "keep/periodic",
         .sides = KUGEL_FACE_PERIODIC,
         .radius = {0.35, 0.55},
         .mass = {1, 1},
         .rolling = 0.01,
         .ticks = 200,
         .least = 130},
        {.name = "keep/disturbed",
         .sides = KUGEL_FACE_WALL,
         .radius = {0.4, 0.5},
         .mass = {1, 1},
         .ticks = 250,
         .disturbed = true,
         .least = 180},
        {.name = "keep/asleep",
         .sides = KUGEL_FACE_WALL,
         .radius = {0.5, 0.5},
         .mass = {1, 1},
         .rolling = 0.05,
         .ticks = 400,
         .sleep = true,
         .disturbed = true,
         .least = 40},
        {.name = "keep/pulled",
         .sides = KUGEL_FACE_WALL,
         .radius = {0.4, 0.5},
         .mass = {1, 1},
         .pull = 20,
         .ticks = 120,
         .least = 60},
        {.name = "keep/masses",
         .sides = KUGEL_FACE_WALL,
         .radius = {0.5, 0.5},
         .mass = {1, 9},
         .ticks = 150,
         .least = 100},
        {.name = "keep/threads",
         .sides = KUGEL_FACE_WALL,
         .radius = {0.5, 0.5},
         .mass = {1, 1},
         .ticks = SUPPORT_SANITIZED ? 60 : 120,
         .least = SUPPORT_SANITIZED ? 20 : 60,
         .wide = 24,
         .tall = 9,
         .threads = 3},
    };
    for (size_t k = 0; k < sizeof heaps / sizeof *heaps; k += SUPPORT_SANITIZED ? 3 : 1)
        check(&heaps[k]);
}

/* The force that stops a heavy ball within 1e-11 s is out of the range of floats. */
Test(contact_order_reuse, a_force_that_overflows_is_kept_as_it_is_saved)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -10, scene.def.bounce_threshold = 1e15, scene.def.substeps = 1;
    scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}, .friction = 0.5};
    support_scene_add(&scene, (double[3]){0, 0, 1}, NULL, 1, 1e15)->friction = 0.5;
    kugel_world *world[2] = {support_scene_world(&scene), support_scene_world(&scene)};
    for (int tick = 0; tick < 10; ++tick) {
        world[1]->grid->valid = false;
        for (int k = 0; k < 2; ++k) {
            const double v[3] = {0, 0, -1e14};
            kugel_body ball = kugel_world_body(world[k], 0);
            if (tick == 5) cr_assert_eq(kugel_body_set_velocity(world[k], ball, v), KUGEL_OK);
            support_run(world[k], 1e-11, 1);
        }
        cr_assert_eq(kugel_world_hash(world[0]), kugel_world_hash(world[1]), "tick %d", tick);
    }
    cr_assert(world[0]->contact->order_reused);
    kugel_world_destroy(world[0]), kugel_world_destroy(world[1]);
    support_scene_free(&scene);
}
