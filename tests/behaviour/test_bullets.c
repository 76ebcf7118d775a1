/* BULLETS and HEADON of BASELINES.md: fast small spheres against many, each first hit known in closed
 * form; 1000 of 1000 right. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/support_scene.h"

enum { BULLETS = 1000, SIDE = 22, TARGETS = SIDE * SIDE * SIDE };

/* The bullet's first hit among all targets, all flying straight. */
typedef struct first_hit {
    uint32_t target; /* row in the scene; UINT32_MAX: none */
    long double time;
    long double margin; /* m: how far from a graze the nearest decision before it was */
} first_hit;

static first_hit find_first(const support_scene *scene, uint32_t bullet, uint32_t targets)
{
    first_hit best = {UINT32_MAX, 1e9L, 1};
    const kugel_body_def *b = &scene->bodies[bullet];
    for (uint32_t i = 0; i < targets; ++i) {
        const kugel_body_def *t = &scene->bodies[i];
        long double dd = 0, dv = 0, vv = 0, reach = (long double)b->radius + t->radius;
        for (int k = 0; k < 3; ++k) {
            long double d = (long double)t->position[k] - b->position[k],
                        v = (long double)t->velocity[k] - b->velocity[k];
            dd += d * d, dv += d * v, vv += v * v;
        }
        if (dv >= 0) continue;
        long double nearest2 = dd - dv * dv / vv,
                    graze = fabsl(reach - sqrtl(nearest2 > 0 ? nearest2 : 0));
        if (graze < best.margin) best.margin = graze;
        long double disc = dv * dv - vv * (dd - reach * reach);
        if (disc < 0) continue;
        long double time = (dd - reach * reach) / (-dv + sqrtl(disc));
        if (time < best.time) best.time = time, best.target = i;
    }
    return best;
}

/* 10,648 targets of radius 0.5, a thousand bullets of radius 0.05 at 500 m/s. Targets meet bullets only
 * when they fly apart (`together` false: each its own way), bullets meet targets only. Bullets weigh
 * nothing beside targets, which therefore stay on their lines. */
static support_scene shooting(double speed, bool together, support_random *random)
{
    support_scene scene = {.def =
                               kugel_world_def_default()}; /* with the default threshold and slop */
    double common[3];
    support_direction(random, speed, common);
    for (uint32_t i = 0; i < TARGETS; ++i) {
        uint32_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        double x[3], v[3];
        support_direction(random, speed, v);
        for (int k = 0; k < 3; ++k) x[k] = 1.5 * at[k], v[k] = together ? common[k] : v[k];
        kugel_body_def *def = support_scene_add(&scene, x, v, 0.5, 1e9);
        if (!together) def->mask = 2;
    }
    while (scene.count < TARGETS + BULLETS) {
        double x[3], aim[3], v[3], length = 0;
        support_direction(random, 45, x); /* from all sides, 22 m and more outside */
        for (int k = 0; k < 3; ++k) {
            x[k] += 0.75 * (SIDE - 1);
            aim[k] = support_between(random, 0, 1.5 * (SIDE - 1));
            length += (aim[k] - x[k]) * (aim[k] - x[k]);
        }
        for (int k = 0; k < 3; ++k) v[k] = 500 * (aim[k] - x[k]) / sqrt(length);
        kugel_body_def *def = support_scene_add(&scene, x, v, 0.05, 1e-3);
        def->category = 2, def->mask = 1;
        /* grazes within a micrometre and late hits make no clear question: another bullet */
        first_hit hit = find_first(&scene, scene.count - 1, TARGETS);
        if (hit.target == UINT32_MAX || hit.margin < 1e-6L || hit.time > 0.3L) scene.count -= 1;
    }
    return scene;
}

static void check_bullets(double speed, bool together)
{
    support_random random = support_random_start("bullets", 600 + (uint64_t)speed);
    support_scene scene = shooting(speed, together, &random);
    kugel_world *world = support_scene_world(&scene);
    uint8_t *seen = calloc(BULLETS, 1);
    uint32_t right = 0, wrong = 0;
    const double dt = 1 / 60.;
    for (int tick = 0; tick < 19; ++tick) {
        support_run(world, dt, 1);
        size_t count;
        const kugel_impact *impacts = kugel_world_impacts(world, &count);
        for (size_t k = 0; k < count; ++k) {
            uint32_t target = kugel_body_id(impacts[k].a), bullet = kugel_body_id(impacts[k].b);
            if (bullet < TARGETS || seen[bullet - TARGETS]++) continue;
            first_hit hit = find_first(&scene, bullet, TARGETS);
            double time = tick * dt + impacts[k].time;
            /* places round to 1e-14 m, so times to 1e-16 s; grazes at 1e-6 m magnify that 1e3-fold */
            bool good = hit.target == target && fabsl(hit.time - time) < 1e-9L;
            right += good, wrong += !good;
        }
    }
    cr_assert(right == BULLETS && wrong == 0,
              "targets at %g m/s: %u of %d first hits right, %u wrong, %u missed", speed, right,
              BULLETS, wrong, BULLETS - right - wrong);
    free(seen);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(bullets, targets_still) { check_bullets(0, true); }
Test(bullets, targets_move_together_at_30) { check_bullets(30, true); }
Test(bullets, targets_move_together_at_120) { check_bullets(120, true); }
Test(bullets, targets_move_apart_at_30) { check_bullets(30, false); }
Test(bullets, targets_move_apart_at_120) { check_bullets(120, false); }

/* Pairs of bullets fired at each other in lanes of their own, offset by up to 99 % of a graze: none
 * passes; the time is known. All have met after 0.2 s; lanes are 250 m apart, so no ricochet is there
 * in time to spoil it. */
Test(bullets, head_on)
{
    support_random random = support_random_start("bullets/head_on", 610);
    support_scene scene = {.def = kugel_world_def_default()};
    double when[BULLETS];
    for (int k = 0; k < BULLETS; ++k) {
        double lane[3] = {0, 250.0 * (k % 40), 250.0 * (k / 40)}, x[3], v[3] = {500, 0, 0},
               back[3] = {-500, 0, 0};
        double apart = support_between(&random, 1, 200),
               offset = support_between(&random, 0, 0.099),
               turn = support_between(&random, 0, 6.28);
        support_scene_add(&scene, lane, v, 0.05, 1);
        x[0] = apart, x[1] = lane[1] + offset * cos(turn), x[2] = lane[2] + offset * sin(turn);
        support_scene_add(&scene, x, back, 0.05, 1);
        when[k] = (apart - sqrt(0.01 - offset * offset)) / 1000;
    }
    kugel_world *world = support_scene_world(&scene);
    uint8_t met[BULLETS] = {0};
    for (int tick = 0; tick < 14; ++tick) {
        support_run(world, 1 / 60., 1);
        size_t count;
        const kugel_impact *impacts = kugel_world_impacts(world, &count);
        for (size_t i = 0; i < count; ++i) {
            uint32_t a = kugel_body_id(impacts[i].a), b = kugel_body_id(impacts[i].b);
            double time = tick / 60. + impacts[i].time;
            if (a / 2 == b / 2 && fabs(time - when[a / 2]) < 1e-9) met[a / 2] = 1;
        }
    }
    int passed = 0;
    for (int k = 0; k < BULLETS; ++k) passed += !met[k];
    cr_assert_eq(passed, 0, "%d of %d pairs passed through each other", passed, BULLETS);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
