/* Fast small spheres against many: the scenes BULLETS and HEADON of tools/docs/benchmark.md. Each
 * first hit has a closed form; 1000 of 1000 must be right (200 under sanitizers). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/support_sanitized.h"
#include "support/support_scene.h"

enum { BULLETS = SUPPORT_ROUNDS(1000) };

typedef struct range {
    uint32_t side; /* there are side^3 targets */
    double moving; /* speed of the targets, m/s */
    bool together; /* true: all targets have the same velocity */
    double speed;  /* speed of the bullets, m/s */
} range;

/* Latest time of a hit, s. */
static double latest(const range *r) { return 150 / r->speed; }
static uint32_t targets_of(const range *r) { return r->side * r->side * r->side; }

/* The first hit of a bullet that moves straight on. */
typedef struct first_hit {
    uint32_t target;    /* row in the scene; UINT32_MAX: no hit */
    long double time;   /* s */
    long double margin; /* m, by which the most grazing of all targets is hit or missed */
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

/* Targets of radius 0.5 and a thousand bullets of radius 0.05. Targets collide with bullets, and
 * with each other unless they have the same velocity; bullets collide with targets only. Bullets
 * have negligible mass, so that targets keep their velocity. */
static support_scene shooting(const range *r, support_random *random)
{
    const uint32_t side = r->side, targets = targets_of(r);
    support_scene scene = {.def = kugel_world_def_default()}; /* default threshold and slop */
    double common[3];
    support_direction(random, r->moving, common);
    for (uint32_t i = 0; i < targets; ++i) {
        uint32_t at[3] = {i % side, i / side % side, i / side / side};
        double x[3], v[3];
        support_direction(random, r->moving, v);
        for (int k = 0; k < 3; ++k) x[k] = 1.5 * at[k], v[k] = r->together ? common[k] : v[k];
        kugel_body_def *def = support_scene_add(&scene, x, v, 0.5, 1e9);
        def->restitution = r->speed > 500 ? 0 : 1;
        if (!r->together) def->mask = 2;
    }
    while (scene.count < targets + BULLETS) {
        double x[3], aim[3], v[3], length = 0;
        support_direction(random, 45, x); /* from all directions, 22 m and more outside */
        for (int k = 0; k < 3; ++k) {
            x[k] += 0.75 * (side - 1);
            aim[k] = support_between(random, 0, 1.5 * (side - 1));
            length += (aim[k] - x[k]) * (aim[k] - x[k]);
        }
        for (int k = 0; k < 3; ++k) v[k] = r->speed * (aim[k] - x[k]) / sqrt(length);
        kugel_body_def *def = support_scene_add(&scene, x, v, 0.05, 1e-3);
        /* inelastic: otherwise fast bullets rebound for very long */
        def->restitution = r->speed > 500 ? 0 : 1;
        def->category = 2, def->mask = 1;
        /* Grazing hits (within a micrometre) and late hits are ambiguous: try another bullet. */
        first_hit hit = find_first(&scene, scene.count - 1, targets);
        if (hit.target == UINT32_MAX || hit.margin < 1e-6L || hit.time > latest(r))
            scene.count -= 1;
    }
    return scene;
}

static void check_bullets(range r)
{
    support_random random = support_random_start("bullets", 600 + (uint64_t)r.moving);
    support_scene scene = shooting(&r, &random);
    const uint32_t targets = targets_of(&r);
    kugel_world *world = support_scene_world(&scene);
    uint8_t *seen = calloc(BULLETS, 1); /* true: has hit something */
    uint32_t right = 0, wrong = 0;
    const double dt = 1 / 60.;
    for (int tick = 0; tick * dt < latest(&r); ++tick) {
        support_run(world, dt, 1);
        size_t count;
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        for (size_t k = 0; k < count; ++k) {
            uint32_t target = kugel_body_id(impacts[k].a), bullet = kugel_body_id(impacts[k].b);
            if (bullet < targets || seen[bullet - targets]) continue;
            seen[bullet - targets] = 1;
            first_hit hit = find_first(&scene, bullet, targets);
            double time = tick * dt + impacts[k].time;
            /* positions round to 1e-14 m, so times round to 1e-14 m / speed; grazing hits at 1e-6 m
             * enlarge that a thousandfold */
            bool good = hit.target == target && fabsl(hit.time - time) < 5e-7L / r.speed;
            right += good, wrong += !good;
        }
    }
    cr_assert(
        right == BULLETS && wrong == 0,
        "bullets at %g m/s, targets at %g m/s: %u of %d first hits right, %u wrong, %u missed",
        r.speed, r.moving, right, BULLETS, wrong, BULLETS - right - wrong);
    free(seen);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(bullets, targets_still) { check_bullets((range){22, 0, true, 500}); }
Test(bullets, targets_move_together_at_30) { check_bullets((range){22, 30, true, 500}); }
Test(bullets, targets_move_together_at_120) { check_bullets((range){22, 120, true, 500}); }
Test(bullets, targets_move_apart_at_30) { check_bullets((range){22, 30, false, 500}); }
Test(bullets, targets_move_apart_at_120) { check_bullets((range){22, 120, false, 500}); }

/* A flight takes a small part of a substep, so bullets are unlisted bodies. */
Test(bullets, at_50_km_s)
{
    check_bullets((range){8, 0, true, 5e4});
    check_bullets((range){8, 120, false, 5e4});
    check_bullets((range){8, 12000, false, 5e4});
}
Test(bullets, at_5000_km_s)
{
    check_bullets((range){8, 0, true, 5e6});
    check_bullets((range){8, 120, false, 5e6});
    check_bullets((range){8, 1.2e6, false, 5e6});
}

/* Pairs of bullets collide head-on in separate lanes, offset by up to 99 % of the sum of radii.
 * Every pair must collide at the time of the closed form. All pairs collide within 100 m; lanes are
 * 250 m apart, so that rebounding bullets do not interfere. */
static void check_head_on(double speed)
{
    support_random random = support_random_start("bullets/head_on", 610);
    support_scene scene = {.def = kugel_world_def_default()};
    double when[BULLETS];
    for (int k = 0; k < BULLETS; ++k) {
        double lane[3] = {0, 250.0 * (k % 40), 250.0 * (k / 40)}, x[3], v[3] = {speed, 0, 0},
               back[3] = {-speed, 0, 0};
        double apart = support_between(&random, 1, 200),
               offset = support_between(&random, 0, 0.099),
               turn = support_between(&random, 0, 6.28);
        support_scene_add(&scene, lane, v, 0.05, 1);
        x[0] = apart, x[1] = lane[1] + offset * cos(turn), x[2] = lane[2] + offset * sin(turn);
        support_scene_add(&scene, x, back, 0.05, 1);
        when[k] = (apart - sqrt(0.01 - offset * offset)) / (2 * speed);
    }
    kugel_world *world = support_scene_world(&scene);
    uint8_t met[BULLETS] = {0};
    for (int tick = 0; tick / 60. < 100 / speed + 1 / 60.; ++tick) {
        support_run(world, 1 / 60., 1);
        size_t count;
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        for (size_t i = 0; i < count; ++i) {
            uint32_t a = kugel_body_id(impacts[i].a), b = kugel_body_id(impacts[i].b);
            double time = tick / 60. + impacts[i].time;
            if (a / 2 == b / 2 && fabs(time - when[a / 2]) < 5e-7 / speed) met[a / 2] = 1;
        }
    }
    int passed = 0;
    for (int k = 0; k < BULLETS; ++k) passed += !met[k];
    cr_assert_eq(passed, 0, "%d of %d pairs at %g m/s passed through each other", passed, BULLETS,
                 speed);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(bullets, head_on) { check_head_on(500); }
Test(bullets, head_on_at_50_km_s) { check_head_on(5e4); }
Test(bullets, head_on_at_5000_km_s) { check_head_on(5e6); }
