/* Impacts in subdomains give the states and reports of a single queue, bit for bit. This includes
 * windows in which subdomains fail: too few ghosts, too little memory, bodies that are too fast,
 * and chains of simultaneous impacts that reach a ghost. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/tasks.h"
#include "impact/subdomain_data.h"
#include "support/support_scene.h"

/* Changes a world and its subdomains (or NULL) before a tick. */
typedef void interfere(kugel_world *world, kg_subdomains *subdomains, int tick);

/* Sums of impulses have the same rows, and count each impact once. */
static void compare_sums(const kg_event_set *p, const kg_event_set *q, int tick)
{
    size_t impacts = 0;
    cr_assert_eq(p->sum_count, q->sum_count, "tick %d: %zu and %zu rows", tick, p->sum_count,
                 q->sum_count);
    for (size_t k = 0; k < q->sum_count; ++k) {
        const kugel_impulse_sum *a = &p->sums[k], *b = &q->sums[k];
        impacts += b->impacts;
        cr_assert(a->a == b->a && a->target == b->target && a->index == b->index &&
                      a->along == b->along &&
                      memcmp(a->impulse, b->impulse, sizeof a->impulse) == 0,
                  "tick %d, row %zu", tick, k);
    }
    cr_assert_eq(impacts, q->sums_dt > 0 ? q->handled_impact_count : 0);
}

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
    compare_sums(p, q, tick);
}

enum { RUNS = 4 };
/* What happened to the subdomains of all runs. */
typedef struct tally {
    uint64_t windows, failed_windows;
    uint64_t abandoned; /* ticks in which a subdomain gave up before its window's end */
    uint64_t windows_on_2_threads;
    uint32_t inner_layers; /* on two threads, in the last tick */
} tally;

static bool any_abandoned(const kg_subdomains *subdomains)
{
    bool abandoned = false;
    for (uint32_t s = 0; s < subdomains->count; ++s)
        abandoned |=
            subdomains->subdomain[s].failed && subdomains->subdomain[s].grid.cell_lists.abandon;
    return abandoned;
}

/* Step a world; count the tick when a subdomain gave up in it. */
static void step_and_count(kugel_world *world, double dt, tally *all)
{
    const kg_subdomains *subdomains = world->impact->subdomains;
    uint64_t failed = subdomains ? subdomains->failed_windows : 0;
    support_run(world, dt, 1);
    subdomains = world->impact->subdomains;
    if (subdomains && subdomains->failed_windows > failed)
        all->abandoned += any_abandoned(subdomains);
}

/* Run a scene on one and on several threads; states and reports must agree after each tick. */
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
        kugel_world_sum_impulses(alone,
                                 tick % 2); /* others take the fast path of elastic impacts */
        support_run(alone, dt, 1);
        for (int r = 0; r < RUNS; ++r) {
            if (each) each(world[r], world[r]->impact->subdomains, tick);
            kugel_world_sum_impulses(world[r], tick % 2);
            step_and_count(world[r], dt, &all);
            cr_assert_eq(kugel_world_hash(world[r]), kugel_world_hash(alone),
                         "%d threads differ in tick %d", (int)threads[r], tick);
            compare_reports(alone, world[r], tick);
        }
    }
    for (int r = 0; r < RUNS; ++r) {
        const kg_subdomains *subdomains = world[r]->impact->subdomains;
        if (subdomains) {
            all.windows += subdomains->windows;
            all.failed_windows += subdomains->failed_windows;
            if (threads[r] == 2) {
                all.windows_on_2_threads = subdomains->windows;
                all.inner_layers = subdomains->inner_layers;
            }
        }
        kugel_world_destroy(world[r]);
    }
    kugel_world_destroy(alone);
    return all;
}

static void expect_windows(const tally *t, uint64_t least)
{
    cr_assert_geq(t->windows, least, "only %g windows succeeded in subdomains", (double)t->windows);
}

static void expect_failures(const tally *t, uint64_t least)
{
    cr_assert_geq(t->failed_windows, least, "only %g windows failed in subdomains",
                  (double)t->failed_windows);
}

static void expect_abandoned(const tally *t, uint64_t least)
{
    cr_assert_geq(t->abandoned, least, "subdomains gave up in only %g ticks", (double)t->abandoned);
}

/* 19,652 bodies in about 40 cell layers. */
static support_scene gas(kugel_face face, double eta, int seed)
{
    support_random random = support_random_start("subdomains", seed);
    return support_scene_gas(17, eta, face, 5, &random);
}

Test(subdomains, of_a_gas_between_walls_agree)
{
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 41);
    tally t = compare(&scene, 1 / 60., 24, NULL);
    expect_windows(&t, 24);
    support_scene_free(&scene);
}

Test(subdomains, of_a_periodic_gas_agree)
{
    support_scene scene = gas(KUGEL_FACE_PERIODIC, 0.25, 42);
    tally t = compare(&scene, 1 / 200., 16, NULL);
    expect_windows(&t, 16);
    support_scene_free(&scene);
}

/* Each of two subdomains has ghosts on one side between walls, and on both in a periodic world. */
Test(subdomains, on_two_threads_agree)
{
    for (int periodic = 0; periodic < 2; ++periodic) {
        support_random random = support_random_start("subdomains/two", 48);
        support_scene scene =
            support_scene_tower(periodic ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL, &random);
        tally t = compare(&scene, 1 / 60., 18, NULL);
        cr_assert_geq(t.windows_on_2_threads, 16, "only %g windows succeeded in two subdomains",
                      (double)t.windows_on_2_threads);
        support_scene_free(&scene);
    }
}

/* Ticks in which the fastest bodies travel from a small part of a cell layer to more than two: the
 * ghosts that own bodies can meet lie in one to six layers. */
Test(subdomains, of_slow_and_fast_bodies_agree)
{
    uint32_t fewest = UINT32_MAX, most = 0;
    for (int k = 0; k < 8; ++k) {
        support_random random = support_random_start("subdomains/paths", 60 + (uint64_t)k);
        support_scene scene = support_scene_tower(KUGEL_FACE_WALL, &random);
        double dt = pow(2, k / 7. * 5) / 600;
        tally t = compare(&scene, dt, 20, NULL);
        if (k < 6) expect_windows(&t, 20);
        fewest = t.inner_layers < fewest ? t.inner_layers : fewest;
        most = t.inner_layers > most ? t.inner_layers : most;
        support_scene_free(&scene);
    }
    cr_assert(fewest == 1 && most >= 3, "%u to %u layers", fewest, most);
}

/* Different radii and masses, losses, friction, static and kinematic bodies, collision filters; two
 * substeps. */
Test(subdomains, of_different_bodies_agree)
{
    support_random random = support_random_start("subdomains/mixed", 43);
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
    expect_windows(&t, 16);
    support_scene_free(&scene);
}

/* Without buffer layers, ghosts go wrong. */
static void remove_buffer(kugel_world *world, kg_subdomains *subdomains, int tick)
{
    (void)world, (void)tick;
    if (subdomains) subdomains->buffer_layers = subdomains->retry_after = 0;
}

Test(subdomains, without_buffer_layers_fail_and_the_step_is_repeated)
{
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 44);
    tally t = compare(&scene, 1 / 60., 16, remove_buffer);
    expect_failures(&t, 16);
    support_scene_free(&scene);
    /* more than one impact per body and tick: errors spread through the ghosts */
    scene = gas(KUGEL_FACE_PERIODIC, 0.34, 45);
    t = compare(&scene, 1 / 40., 6, remove_buffer);
    expect_failures(&t, 6);
    support_scene_free(&scene);
}

/* The partition of four subdomains before a tick. */
typedef struct partition {
    uint32_t end_layer, count;
    uint64_t failed_windows, list_rebuilds;
    bool holds_cells;
} partition;
static partition last;
/* Ticks in which the first border moved without a failure, a list rebuild or another number. */
static uint32_t moved_borders;

/* With other numbers of threads, one window in five has no subdomains. */
static void watch_border(kugel_world *world, kg_subdomains *subdomains, int tick)
{
    if (!subdomains || !subdomains->count) return;
    if (kg_tasks_concurrency(world->tasks) != 4) {
        if (tick % 5 == 4) subdomains->retry_after = 1;
        return;
    }
    partition now = {subdomains->subdomain[0].end_layer, subdomains->count,
                     subdomains->failed_windows, world->list_rebuilds,
                     world->grid->cell_lists.in_subdomains};
    bool same_run = last.holds_cells && now.holds_cells && now.count == last.count &&
                    now.failed_windows == last.failed_windows &&
                    now.list_rebuilds == last.list_rebuilds;
    moved_borders += same_run && now.end_layer != last.end_layer;
    last = now;
}

/* A layer of bodies moves into the first quarter. Too few bodies travel far for a list rebuild, so
 * the partition changes while subdomains hold the cells. */
Test(subdomains, whose_border_moves_agree)
{
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 49);
    double quarter = scene.def.bounds.max[2] / 4;
    for (uint32_t i = 0; i < scene.count; ++i) {
        kugel_body_def *body = &scene.bodies[i];
        bool moves_down = body->position[2] > quarter && body->position[2] < quarter + 6;
        for (int k = 0; k < 3; ++k)
            body->velocity[k] = moves_down ? -8 * (k == 2) : 0.2 * body->velocity[k];
    }
    last = (partition){0}, moved_borders = 0;
    tally t = compare(&scene, 1 / 60., 60, watch_border);
    expect_windows(&t, 36);
    cr_assert_geq(moved_borders, 1, "the border did not move");
    support_scene_free(&scene);
}

static void remove_buffer_once(kugel_world *world, kg_subdomains *subdomains, int tick)
{
    (void)world;
    if (subdomains && tick == 2) subdomains->buffer_layers = 0;
}

Test(subdomains, that_failed_once_are_soon_tried_again)
{
    enum { TICKS = 20 };
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 44);
    tally t = compare(&scene, 1 / 60., TICKS, remove_buffer_once);
    expect_failures(&t, 2);
    expect_windows(&t, TICKS);
    support_scene_free(&scene);
}

static void try_always(kugel_world *world, kg_subdomains *subdomains, int tick)
{
    (void)world, (void)tick;
    if (subdomains) subdomains->retry_after = 0;
}

static bool is_heavy(uint32_t id) { return id % 8 == 3; }

/* Slow down all bodies, light ones most: impacts with heavy ones make them faster than planned. */
static void slow_down(kugel_world *world, kg_subdomains *subdomains, int tick)
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

Test(subdomains, with_bodies_that_are_too_fast_give_up)
{
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 46);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].mass = is_heavy(i) ? 1000 : 1;
    tally t = compare(&scene, 1 / 60., 24, slow_down);
    expect_abandoned(&t, 1);
    expect_windows(&t, 16);
    support_scene_free(&scene);
}

/* A lattice in which two bodies hit a third one from both sides at the same time;
 * positions are exact in binary. */
Test(subdomains, with_simultaneous_chains_give_up)
{
    enum { SIDE = 24 };
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 2.0 * SIDE, KUGEL_FACE_WALL);
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        double x[3], v[3];
        for (int k = 0; k < 3; ++k) x[k] = 2.0 * at[k] + 1, v[k] = k == 2 ? 8 * (1 - at[2] % 3) : 0;
        if (i % 7 == 0) v[2] = 0;
        support_scene_add(&scene, x, v, 0.40625, 1);
    }
    tally t = compare(&scene, 1 / 64., 16, try_always);
    expect_abandoned(&t, 1);
    support_scene_free(&scene);
}

/* A ball hits a row of three touching ones: each impact causes the next one at the same time. */
Test(subdomains, with_chains_of_successive_impacts_give_up)
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
    expect_abandoned(&t, 1);
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

Test(subdomains, that_run_out_of_memory_get_more_memory)
{
    support_scene scene = gas(KUGEL_FACE_WALL, 0.1, 47);
    tally t = compare(&scene, 1 / 60., 16, fill_memory);
    expect_failures(&t, 3);
    expect_windows(&t, 16);
    support_scene_free(&scene);
}
