/* Impacts in subdomains are those of one queue, bit for bit: states and reports; also where
 * subdomains see too little, run out of memory, meet chains of impacts or bodies that are too fast,
 * and give up. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/tasks.h"
#include "impact/subdomain.h"
#include "support/support_scene.h"

/* What happens to a world, and to its subdomains where it has any, before a tick. */
typedef void interfere(kugel_world *world, kg_subdomains *subdomains, int tick);

static void compare_reports(const kugel_world *alone, const kugel_world *world, int tick)
{
    const kg_event_set *p = &alone->events.published, *q = &world->events.published;
    cr_assert_eq(p->handled_impact_count, q->handled_impact_count, "tick %d: %zu and %zu impacts",
                 tick, p->handled_impact_count, q->handled_impact_count);
    cr_assert_eq(p->impact_count, q->impact_count, "tick %d: %zu and %zu reports", tick,
                 p->impact_count, q->impact_count);
    for (size_t k = 0; k < p->impact_count; ++k) {
        const kugel_impact *a = &p->impacts[k], *b = &q->impacts[k];
        bool same = a->time == b->time && a->speed == b->speed && a->impulse == b->impulse &&
                    a->a == b->a && a->b == b->b && a->target == b->target && a->index == b->index;
        cr_assert(same, "tick %d, report %zu", tick, k);
    }
    cr_assert_eq(alone->budgets_exhausted, world->budgets_exhausted);
}

enum { RUNS = 4 };
typedef struct tally {
    uint64_t windows, again;
    uint64_t two; /* windows, with two threads */
} tally;

static tally compare(support_scene *scene, double dt, int ticks, interfere *each)
{
    static const uint32_t threads[RUNS] = {2, 3, 4, 6};
    tally all = {0};
    scene->def.tasks.threads = 1;
    kugel_world *alone = support_scene_world(scene), *world[RUNS];
    kugel_world_report_impacts_above(alone, 2);
    for (int r = 0; r < RUNS; ++r) {
        scene->def.tasks.threads = threads[r];
        world[r] = support_scene_world(scene);
        kugel_world_report_impacts_above(world[r], 2);
    }
    for (int tick = 0; tick < ticks; ++tick) {
        if (each) each(alone, NULL, tick);
        support_run(alone, dt, 1);
        for (int r = 0; r < RUNS; ++r) {
            if (each) each(world[r], world[r]->impact->subdomains, tick);
            support_run(world[r], dt, 1);
            cr_assert_eq(kugel_world_hash(world[r]), kugel_world_hash(alone),
                         "%d threads differ in tick %d", (int)threads[r], tick);
            compare_reports(alone, world[r], tick);
        }
    }
    for (int r = 0; r < RUNS; ++r) {
        const kg_subdomains *subdomains = world[r]->impact->subdomains;
        if (subdomains) all.windows += subdomains->windows, all.again += subdomains->failed_windows;
        if (subdomains && r == 0) all.two = subdomains->windows;
        kugel_world_destroy(world[r]);
    }
    kugel_world_destroy(alone);
    return all;
}

/* 19,652 bodies in some 40 planes of cells. */
static support_scene gas(kugel_face face, double eta, int seed)
{
    support_random random = support_random_start("zones", seed);
    return support_scene_gas(17, eta, face, 5, &random);
}

Test(subdomains, walls)
{
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 41);
    tally t = compare(&scene, 1 / 60., 24, NULL);
    cr_assert_geq(t.windows, 24, "%g windows in zones: the test sees little", (double)t.windows);
    support_scene_free(&scene);
}

Test(subdomains, periodic)
{
    support_scene scene = gas(KUGEL_FACE_PERIODIC, 0.25, 42);
    tally t = compare(&scene, 1 / 200., 16, NULL);
    cr_assert_geq(t.windows, 16, "%g windows in zones: the test sees little", (double)t.windows);
    support_scene_free(&scene);
}

/* Each of two subdomains has copies on one side between walls, on both where the ends are joined.
 */
Test(subdomains, two)
{
    for (int periodic = 0; periodic < 2; ++periodic) {
        support_random random = support_random_start("zones/two", 48);
        support_scene scene =
            support_scene_tower(periodic ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL, &random);
        tally t = compare(&scene, 1 / 60., 18, NULL);
        cr_assert_geq(t.two, 16, "%g windows in two zones: the test sees little", (double)t.two);
        support_scene_free(&scene);
    }
}

/* Radii, masses, losses, friction; bodies that nothing moves, and some that meet only some; two
 * substeps. */
Test(subdomains, unlike_bodies)
{
    support_random random = support_random_start("zones/mixed", 43);
    support_mix mix = {.count = 16000,
                       .length = 42,
                       .radius = {0.3, 0.5},
                       .mass = {0.5, 2},
                       .sigma = 4,
                       .face = KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    scene.def.substeps = 2;
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_def *body = &scene.bodies[i];
        body->restitution = 0.9, body->friction = 0.3;
        if (i % 62 == 0) body->type = KUGEL_KINEMATIC;
        if (i % 62 == 31)
            body->type = KUGEL_STATIC,
            body->velocity[0] = body->velocity[1] = body->velocity[2] = 0;
        if (i % 17 == 0) body->category = 2, body->mask = 1;
    }
    tally t = compare(&scene, 1 / 60., 16, NULL);
    cr_assert_geq(t.windows, 16, "%g windows in zones: the test sees little", (double)t.windows);
    support_scene_free(&scene);
}

/* Copies of nothing but what a subdomain's own bodies can touch: they go wrong, and that is seen.
 */
static void see_little(kugel_world *world, kg_subdomains *subdomains, int tick)
{
    (void)world, (void)tick;
    if (subdomains) subdomains->buffer_layers = subdomains->retry_after = 0;
}

Test(subdomains, that_see_too_little_are_found_out)
{
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 44);
    tally t = compare(&scene, 1 / 60., 16, see_little);
    cr_assert_geq(t.again, 16, "%g steps run again: the test sees little", (double)t.again);
    support_scene_free(&scene);
    scene = gas(KUGEL_FACE_PERIODIC, 0.34,
                45); /* more than one impact a sphere and tick: errors get through */
    t = compare(&scene, 1 / 40., 6, see_little);
    cr_assert_geq(t.again, 6, "%g steps run again: the test sees little", (double)t.again);
    support_scene_free(&scene);
}

/* What four subdomains were like before a tick, and how often their first border moved from tick to
 * tick while they held the cells and nothing else came between: no step run again, no cells filled
 * anew, as many subdomains. */
typedef struct cut {
    uint32_t end, count;
    uint64_t again, rebuilds;
    bool elsewhere;
} cut;
static cut last;
static uint32_t moves;

/* With other numbers of threads, subdomains at times have to do without a window. */
static void watch_border(kugel_world *world, kg_subdomains *subdomains, int tick)
{
    if (!subdomains || !subdomains->count) return;
    if (kg_tasks_concurrency(world->tasks) != 4) {
        if (tick % 5 == 4) subdomains->retry_after = 1;
        return;
    }
    cut now = {subdomains->subdomain[0].end_layer, subdomains->count, subdomains->failed_windows,
               world->list_rebuilds, world->grid->cell_lists.in_subdomains};
    bool only_cut = last.elsewhere && now.elsewhere && now.count == last.count &&
                    now.again == last.again && now.rebuilds == last.rebuilds;
    moves += only_cut && now.end != last.end;
    last = now;
}

/* A layer moves into the first quarter: too few go far for the world to be put in order again, and
 * subdomains that hold the cells give them back to be cut anew. */
Test(subdomains, whose_border_moves)
{
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 49);
    double quarter = scene.def.bounds.max[2] / 4;
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_def *body = &scene.bodies[i];
        bool moves_down = body->position[2] > quarter && body->position[2] < quarter + 6;
        for (int k = 0; k < 3; ++k)
            body->velocity[k] = moves_down ? -8 * (k == 2) : 0.2 * body->velocity[k];
    }
    last = (cut){0}, moves = 0;
    tally t = compare(&scene, 1 / 60., 60, watch_border);
    cr_assert_geq(t.windows, 36, "%g windows in zones: the test sees little", (double)t.windows);
    cr_assert_geq(moves, 1, "the border stayed: the test sees little");
    support_scene_free(&scene);
}

static void see_little_once(kugel_world *world, kg_subdomains *subdomains, int tick)
{
    (void)world;
    if (subdomains && tick == 2) subdomains->buffer_layers = 0;
}

Test(subdomains, that_went_wrong_once_are_soon_tried_again)
{
    enum { TICKS = 20 };
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 44);
    tally t = compare(&scene, 1 / 60., TICKS, see_little_once);
    cr_assert_geq(t.again, 2, "%g steps run again: the test sees little", (double)t.again);
    cr_assert_geq(t.windows, TICKS, "%g windows in zones", (double)t.windows);
    support_scene_free(&scene);
}

static void try_always(kugel_world *world, kg_subdomains *subdomains, int tick)
{
    (void)world, (void)tick;
    if (subdomains) subdomains->retry_after = 0;
}

static bool is_heavy(uint32_t id) { return id % 8 == 3; }

/* Everybody is slow, and light ones, which move least, get twice the speed of heavy ones. */
static void calm_down(kugel_world *world, kg_subdomains *subdomains, int tick)
{
    try_always(world, subdomains, tick);
    if (tick % 6 != 3) return;
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id) {
        double v[3];
        for (uint32_t k = 0; k < 3; ++k)
            v[k] = ((id >> k & 1) ? -1 : 1) * (is_heavy(id) ? 3 : 0.01);
        cr_assert_eq(kugel_body_set_velocity(world, kugel_world_body(world, id), v), KUGEL_OK);
    }
}

Test(subdomains, that_meet_bodies_too_fast_give_up)
{
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 46);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].mass = is_heavy(i) ? 1000 : 1;
    tally t = compare(&scene, 1 / 60., 24, calm_down);
    cr_assert_geq(t.again, 1, "nobody was too fast");
    cr_assert_geq(t.windows, 16, "%g windows in zones: that was never made good",
                  (double)t.windows);
    support_scene_free(&scene);
}

/* Equal speeds on a perfect lattice: all impacts at a few instants, in chains. */
Test(subdomains, that_meet_chains_give_up)
{
    enum { SIDE = 24 };
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 2.0 * SIDE, KUGEL_FACE_WALL);
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        double x[3], v[3];
        for (int k = 0; k < 3; ++k)
            x[k] = 2.0 * at[k] + 1, v[k] = k == 2 ? (at[2] & 1 ? -8 : 8) : 0;
        if (i % 7 == 0) v[2] = 0;
        support_scene_add(&scene, x, v, 0.5, 1);
    }
    tally t = compare(&scene, 1 / 60., 16, try_always);
    cr_assert_geq(t.windows + t.again, 16, "zones were not tried");
    support_scene_free(&scene);
}

/* Rows of three that touch, everywhere, and a fourth ball that hits each: the push goes on at the
 * same instant. */
Test(subdomains, that_meet_chains_one_impact_after_the_other_give_up)
{
    enum { SIDE = 18, HIGH = 15 };
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 6.0 * HIGH, KUGEL_FACE_WALL);
    for (int i = 0; i < SIDE * SIDE * HIGH; ++i) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        double x[3] = {5.0 * at[0] + 1, 5.0 * at[1] + 1, 6.0 * at[2] + 1 + 0.125 * (at[0] & 1)};
        for (int k = 0; k < 4; ++k, x[2] += k == 1 ? 1.0625 + at[1] / 32. : 1)
            support_scene_add(&scene, x, (double[3]){0, 0, k ? 0 : 8}, 0.5, 1);
    }
    tally t = compare(&scene, 1 / 60., 5, try_always);
    cr_assert_geq(t.again, 1, "nothing went on beyond a zone");
    support_scene_free(&scene);
}

static void fill_memory(kugel_world *world, kg_subdomains *subdomains, int tick)
{
    try_always(world, subdomains, tick);
    for (uint32_t s = 0; subdomains && s < subdomains->count && tick % 3 == 1; ++s) {
        subdomains->subdomain[s].arena.used = subdomains->subdomain[s].arena.size;
        subdomains->subdomain[s].stage.columns[KG_COLUMN_HEAP].capacity = 1;
    }
}

Test(subdomains, that_run_out_of_memory_get_more)
{
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 47);
    tally t = compare(&scene, 1 / 60., 16, fill_memory);
    cr_assert_geq(t.again, 3, "memory was never short");
    cr_assert_geq(t.windows, 16, "%g windows in zones: that was never made good",
                  (double)t.windows);
    support_scene_free(&scene);
}
