/* Cell lists find every pair that can touch: worlds with and without them have equal hashes, also
 * when one structure replaces the other in a step. */
#include <criterion/criterion.h>
#include <math.h>

#include "geometry/sweep_linear.h"
#include "grid/cell_lists_gather.h"
#include "impact/quantised_motions.h"
#include "support/support_caches.h"
#include "support/support_scene.h"
#include "world/periodic.h"

/* Step one world with Verlet lists only and one that may use cell lists. @return ticks that ended
 * with cell lists. */
static int compare(const support_scene *scene, double dt, int ticks)
{
    kugel_world *cells = support_scene_world(scene), *lists = support_scene_world(scene);
    int used = 0;
    support_caches_allow_cell_lists(lists, false);
    for (int tick = 0; tick < ticks; ++tick) {
        support_caches_retry_cell_lists(cells);
        if (tick % 5 == 4) support_caches_rebuild_lists(cells);
        if (tick % 7 == 3) support_caches_set_window(cells, 0.3 * dt);
        support_run(cells, dt, 1);
        support_run(lists, dt, 1);
        used += support_caches_use_cell_lists(cells);
        cr_assert_eq(kugel_world_hash(cells), kugel_world_hash(lists), "tick %d", tick);
    }
    cr_assert(!support_caches_use_cell_lists(lists));
    kugel_world_destroy(cells);
    kugel_world_destroy(lists);
    return used;
}

static void compare_gas(uint32_t cells, double eta, kugel_face face, double dt, int least)
{
    support_random random = support_random_start("dense/gas", 1000 * cells + (uint64_t)(100 * eta));
    support_scene scene = support_scene_gas(cells, eta, face, 5, &random);
    int used = compare(&scene, dt, 30);
    cr_assert(used >= least, "cells in %d of 30 ticks", used);
    support_scene_free(&scene);
}

Test(cell_lists, periodic) { compare_gas(5, 0.3, KUGEL_FACE_PERIODIC, 0.02, 30); }
Test(cell_lists, thin) { compare_gas(5, 0.01, KUGEL_FACE_PERIODIC, 0.1, 30); }
Test(cell_lists, walls) { compare_gas(5, 0.2, KUGEL_FACE_WALL, 0.02, 30); }
Test(cell_lists, expanding) { compare_gas(4, 0.25, KUGEL_FACE_OPEN, 0.01, 5); }
Test(cell_lists, five_cells) { compare_gas(3, 0.3, KUGEL_FACE_PERIODIC, 0.02, 30); }
Test(cell_lists, three_cells_are_too_few) { compare_gas(2, 0.3, KUGEL_FACE_PERIODIC, 0.02, 0); }
Test(cell_lists, long_ticks) { compare_gas(4, 0.25, KUGEL_FACE_PERIODIC, 0.15, 30); }

/* Radii that differ by a factor of two, friction, kinematic and static bodies, filters. */
Test(cell_lists, mixed)
{
    support_random random = support_random_start("dense/mixed", 2);
    support_mix mix = {.count = 400,
                       .length = 16,
                       .radius = {0.3, 0.59},
                       .mass = {1, 20},
                       .sigma = 5,
                       .face = KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    for (uint32_t i = 0; i < scene.count; ++i) {
        scene.bodies[i].friction = 0.3;
        if (i % 3 == 0) scene.bodies[i].category = 2, scene.bodies[i].mask = ~4u;
        if (i % 3 == 1) scene.bodies[i].category = 4, scene.bodies[i].mask = ~2u;
        if (i % 40 == 7) scene.bodies[i].type = KUGEL_KINEMATIC, scene.bodies[i].velocity[0] *= 0.1;
        if (i % 40 == 8) scene.bodies[i].type = KUGEL_STATIC;
        for (int k = 0; k < 3 && i % 40 == 8; ++k) scene.bodies[i].velocity[k] = 0;
    }
    scene.def.bounds.friction = 0.2;
    cr_assert(compare(&scene, 0.02, 40) > 30);
    support_scene_free(&scene);
}

/* Bodies without restitution begin to rest within a step: Verlet lists take over at once. */
Test(cell_lists, some_begin_to_rest)
{
    support_random random = support_random_start("dense/rest", 3);
    support_scene scene = support_scene_gas(4, 0.25, KUGEL_FACE_PERIODIC, 1, &random);
    for (uint32_t i = 0; i < scene.count; i += 2) scene.bodies[i].restitution = 0;
    int used = compare(&scene, 0.01, 40);
    cr_assert(used > 0 && used < 40, "cells in %d of 40 ticks", used);
    support_scene_free(&scene);
}

/* More bodies in a cell than fit: a few go to the overflow, many abandon the cell lists. */
static int compare_heaps(int heaps)
{
    support_random random = support_random_start("dense/heaps", 4);
    support_mix mix = {.count = 400,
                       .length = 20,
                       .radius = {0.5, 0.5},
                       .mass = {1, 1},
                       .sigma = 5,
                       .face = KUGEL_FACE_PERIODIC};
    support_scene scene = support_scene_mixed(&mix, &random);
    for (uint32_t i = 0; i < 7 * (uint32_t)heaps; ++i) { /* overlapping */
        double x = scene.bodies[i / 7 * 7].position[0], step = x < 10 ? 0.05 : -0.05;
        for (int k = 1; k < 3; ++k)
            scene.bodies[i].position[k] = scene.bodies[i / 7 * 7].position[k];
        scene.bodies[i].position[0] = x + step * (i % 7);
    }
    int used = compare(&scene, 0.01, 20);
    support_scene_free(&scene);
    return used;
}

Test(cell_lists, few_heaps) { cr_assert_eq(compare_heaps(3), 20); }
Test(cell_lists, many_heaps) { cr_assert(compare_heaps(30) < 20); }

/* Four in each of many cells side by side: more than 64 around a body. */
Test(cell_lists, more_than_64_around_a_body)
{
    support_random random = support_random_start("dense/crowd", 7);
    const double edge = 1.80005;
    support_mix mix = {.count = 501,
                       .length = 12 * edge,
                       .radius = {0.45, 0.45},
                       .mass = {1, 1},
                       .sigma = 0.3,
                       .face = KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, &random);
    for (uint32_t i = 0; i < 500; ++i) {
        const double at[3] = {i % 10 + 0.5, i / 10 % 10 + 0.5, 2 * (i / 100) + 1.0};
        for (int k = 0; k < 3; ++k) scene.bodies[i].position[k] = 3 * edge + 0.5 * edge * at[k];
    }
    scene.bodies[500].radius = 0.9; /* cells are as wide as it */
    for (int k = 0; k < 3; ++k) scene.bodies[500].position[k] = 18;
    kugel_world *world = support_scene_world(&scene);
    uint32_t around[KG_CELL_NEIGHBOURS_MAX], most = 0;
    support_run(world, 1e-9, 1);
    for (uint32_t i = 0; i < world->bodies.count && support_caches_use_cell_lists(world); ++i) {
        uint32_t count = kg_cell_lists_neighbours(&world->grid->cell_lists, i, around);
        most = count > most ? count : most;
    }
    cr_assert_gt(most, 64);
    cr_assert_eq(compare(&scene, 0.01, 20), 20);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A body that would cross too many cells. */
Test(cell_lists, a_bullet)
{
    support_random random = support_random_start("dense/bullet", 5);
    support_scene scene = support_scene_gas(4, 0.1, KUGEL_FACE_PERIODIC, 5, &random);
    scene.bodies[3].velocity[0] = 20000;
    scene.bodies[3].mass = 1e-6;
    cr_assert(compare(&scene, 0.02, 5) < 5);
    support_scene_free(&scene);
}

typedef struct unlike {
    uint32_t small, large;
    double length, radius[2]; /* m; of the large ones, the small ones have 0.4 to 0.5 */
    kugel_face face;
} unlike;

static bool overlaps_large(const support_scene *scene, uint32_t large, const kugel_body_def *body)
{
    double length =
        scene->def.bounds.faces[0] == KUGEL_FACE_PERIODIC ? scene->def.bounds.max[0] : 0;
    for (uint32_t i = 0; i < large; ++i) {
        double d2 = 0, reach = scene->bodies[i].radius + body->radius;
        for (int k = 0; k < 3; ++k) {
            double d = kg_nearest_image(scene->bodies[i].position[k] - body->position[k], length);
            d2 += d * d;
        }
        if (d2 < reach * reach) return true;
    }
    return false;
}

/* Large spheres and, between them, at most `small` small ones, all of one mean speed. */
static support_scene unlike_gas(const unlike *u, support_random *random)
{
    support_mix large = {.count = u->large,
                         .length = u->length,
                         .radius = {u->radius[0], u->radius[1]},
                         .mass = {30, 60},
                         .sigma = 2,
                         .face = u->face},
                small = {.count = u->small,
                         .length = u->length,
                         .radius = {0.4, 0.5},
                         .mass = {1, 2},
                         .sigma = 5,
                         .face = u->face};
    support_scene scene = support_scene_mixed(&large, random),
                  others = support_scene_mixed(&small, random);
    for (uint32_t i = 0; i < others.count; ++i) {
        const kugel_body_def *b = &others.bodies[i];
        if (!overlaps_large(&scene, u->large, b))
            support_scene_add(&scene, b->position, b->velocity, b->radius, b->mass);
    }
    support_scene_free(&others);
    return scene;
}

static void compare_unlike(const unlike *u, uint64_t seed, double dt, int least)
{
    support_random random = support_random_start("dense/unlike", seed);
    support_scene scene = unlike_gas(u, &random);
    int used = compare(&scene, dt, 30);
    cr_assert(used >= least, "cells in %d of 30 ticks", used);
    support_scene_free(&scene);
}

Test(cell_lists, oversized_bodies_in_a_periodic_box)
{
    compare_unlike(&(unlike){1200, 5, 20, {2, 3}, KUGEL_FACE_PERIODIC}, 21, 0.02, 30);
    compare_unlike(&(unlike){1200, 5, 20, {1.1, 2}, KUGEL_FACE_PERIODIC}, 22, 0.1, 30);
}
Test(cell_lists, oversized_bodies_between_walls)
{
    compare_unlike(&(unlike){1200, 5, 20, {2, 3}, KUGEL_FACE_WALL}, 23, 0.02, 30);
}
Test(cell_lists, oversized_bodies_in_an_expanding_gas)
{
    compare_unlike(&(unlike){900, 5, 16, {1.5, 3}, KUGEL_FACE_OPEN}, 24, 0.02, 5);
}
/* So many that they meet each other in nearly every tick. */
Test(cell_lists, oversized_bodies_that_meet)
{
    compare_unlike(&(unlike){1500, 14, 20, {1.3, 2.2}, KUGEL_FACE_PERIODIC}, 25, 0.3, 20);
}
/* So many that each finds the others by their cells. */
static void compare_many(const unlike *u, uint64_t seed, double dt, int least)
{
    support_random random = support_random_start("dense/unlike", seed);
    support_scene scene = unlike_gas(u, &random);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, dt, 1);
    cr_assert(support_caches_use_cell_lists(world));
    cr_assert(!world->grid->cell_lists.few_oversized);
    int used = compare(&scene, dt, 10);
    cr_assert(used >= least, "cells in %d of 10 ticks", used);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(cell_lists, many_oversized_bodies_in_a_periodic_box)
{
    compare_many(&(unlike){9000, 360, 38, {1.2, 1.3}, KUGEL_FACE_PERIODIC}, 31, 0.1, 10);
    compare_many(&(unlike){11000, 400, 42, {1.2, 1.4}, KUGEL_FACE_PERIODIC}, 32, 0.1, 10);
}
Test(cell_lists, many_oversized_bodies_between_walls)
{
    compare_many(&(unlike){9000, 360, 38, {1, 1.5}, KUGEL_FACE_WALL}, 33, 0.1, 10);
}

/* Near cells would meet themselves across the box. */
Test(cell_lists, an_oversized_body_as_wide_as_its_box)
{
    compare_unlike(&(unlike){300, 1, 10, {2.4, 2.49}, KUGEL_FACE_PERIODIC}, 26, 0.02, 0);
}

/* Small bodies inside large ones, and more in one cell than fit. */
Test(cell_lists, oversized_bodies_that_overlap_small_ones)
{
    support_random random = support_random_start("dense/unlike", 27);
    const unlike u = {900, 3, 20, {2, 3}, KUGEL_FACE_PERIODIC};
    support_scene scene = unlike_gas(&u, &random);
    for (uint32_t i = 0; i < 12; ++i) {
        for (int k = 0; k < 3; ++k)
            scene.bodies[40 + i].position[k] =
                fmin(20, fmax(0, scene.bodies[i % 2].position[k] + 0.03 * support_gauss(&random)));
    }
    for (uint32_t i = 0; i < 6; ++i)
        scene.bodies[60 + i].position[1] = scene.bodies[60].position[1] + 0.01 * i;
    cr_assert_geq(compare(&scene, 0.02, 20), 15);
    support_scene_free(&scene);
}

/* One immovable, one kinematic, pairs that do not collide, friction, and a plane. */
Test(cell_lists, oversized_bodies_of_all_types)
{
    support_random random = support_random_start("dense/unlike", 28);
    const unlike u = {1000, 6, 20, {1.5, 3}, KUGEL_FACE_WALL};
    support_scene scene = unlike_gas(&u, &random);
    for (uint32_t i = 0; i < scene.count; ++i) {
        scene.bodies[i].friction = 0.3;
        if (i % 3 == 0) scene.bodies[i].category = 2, scene.bodies[i].mask = ~4u;
        if (i % 3 == 1) scene.bodies[i].category = 4, scene.bodies[i].mask = ~2u;
    }
    scene.bodies[0].type = KUGEL_STATIC;
    for (int k = 0; k < 3; ++k) scene.bodies[0].velocity[k] = 0;
    scene.bodies[1].type = KUGEL_KINEMATIC;
    cr_assert_geq(compare(&scene, 0.02, 30), 25);
    support_scene_free(&scene);
}

/* Small bodies that reach a large one from six sides at the same moment, again and again. */
Test(cell_lists, an_oversized_body_in_simultaneous_impacts)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 16, KUGEL_FACE_WALL);
    support_scene_add(&scene, (double[]){8, 8, 8}, (double[]){0, 0, 0}, 2, 64);
    for (int s = 0; s < 6; ++s) {
        double x[3] = {8, 8, 8}, v[3] = {0, 0, 0};
        x[s / 2] += s & 1 ? 4 : -4;
        v[s / 2] = s & 1 ? -3 : 3;
        support_scene_add(&scene, x, v, 0.5, 1);
    }
    cr_assert_eq(compare(&scene, 0.05, 100), 100);
    support_scene_free(&scene);
}

/* Pairs of a small and an oversized body that touch anywhere in their cells: the small one finds
 * the other in its own cell, with the nearest image, and once. */
Test(cell_lists, every_small_body_finds_the_oversized_ones_in_reach)
{
    support_random random = support_random_start("dense/unlike", 29);
    const unlike u = {1200, 6, 24, {1.5, 4}, KUGEL_FACE_PERIODIC};
    support_scene scene = unlike_gas(&u, &random);
    kugel_world *world = support_scene_world(&scene);
    uint32_t found = 0;
    for (int tick = 0; tick < 10; ++tick) {
        support_run(world, 0.05, 1);
        cr_assert(support_caches_use_cell_lists(world));
        const kg_cell_lists *c = &world->grid->cell_lists;
        cr_assert_eq(c->oversized_count, 6);
        for (uint32_t i = 0; i < world->bodies.count; ++i) {
            if (kg_cell_lists_is_oversized(c, i)) continue;
            uint32_t all[KG_CELL_NEIGHBOURS_MAX], count = kg_cell_lists_neighbours(c, i, all);
            for (uint32_t o = 0; o < 6; ++o) {
                uint32_t j = c->oversized[o].slot, listed = 0;
                double d[3], shift[3], touch = world->bodies.radius[i] + world->bodies.radius[j];
                for (int k = 0; k < 3; ++k)
                    d[k] = kg_nearest_image(world->work.motion[j].x[k] - world->work.motion[i].x[k],
                                            24);
                for (uint32_t k = 0; k < count; ++k) {
                    if ((all[k] & KG_NEIGHBOUR_SLOT) != j) continue;
                    kg_image_offset(world->grid->lattice, all[k] >> KG_NEIGHBOUR_IMAGE_SHIFT,
                                    shift);
                    for (int axis = 0; axis < 3; ++axis)
                        cr_assert_float_eq(world->work.motion[j].x[axis] -
                                               world->work.motion[i].x[axis] + shift[axis],
                                           d[axis], 1e-9, "rounding of the shift");
                    listed += 1;
                }
                cr_assert_leq(listed, 1);
                cr_assert(listed || kg_length3(d) > touch);
                found += listed;
            }
        }
    }
    cr_assert_gt(found, 1000);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

typedef struct visited {
    uint32_t neighbour[4096], count;
} visited;

static void visit_cells(void *context, const kg_cell *cells, uint32_t count, uint32_t image)
{
    visited *v = context;
    for (uint32_t k = 0; k < count; ++k) {
        for (int place = 0; place < KG_CELL_CAPACITY && cells[k][place] != KG_NONE; ++place) {
            uint32_t slot = cells[k][place] & KG_NEIGHBOUR_SLOT;
            cr_assert_lt(v->count, 4096);
            v->neighbour[v->count++] = slot | image << KG_NEIGHBOUR_IMAGE_SHIFT;
        }
    }
}

static bool is_visited(const visited *v, uint32_t neighbour)
{
    for (uint32_t k = 0; k < v->count; ++k)
        if (v->neighbour[k] == neighbour) return true;
    return false;
}

/* True until the centre crosses a face of the world, when it is predicted anew. */
static bool is_within(const kugel_world *world, const kg_motion *m, double t)
{
    const kugel_bounds *bounds = &world->def.bounds;
    bool within = true;
    for (int k = 0; k < 3; ++k) {
        double x = m->x[k] + m->v[k] * t;
        within = within && x >= bounds->min[k] && x <= bounds->max[k];
    }
    return within;
}

/* An oversized body that moves a part of a cell, or across several, visits each body that it meets
 * before either leaves its cell or the world. */
Test(cell_lists, an_oversized_body_visits_all_that_it_meets_on_its_path)
{
    support_random random = support_random_start("dense/unlike", 30);
    const unlike u = {1200, 6, 24, {1.5, 4}, KUGEL_FACE_PERIODIC};
    support_scene scene = unlike_gas(&u, &random);
    kugel_world *world = support_scene_world(&scene);
    const double h = 0.1, now = 0.04;
    uint32_t met = 0, face;
    support_run(world, 0.05, 1);
    cr_assert(support_caches_use_cell_lists(world));
    const kg_cell_lists *c = &world->grid->cell_lists;
    kg_images images = kg_lattice_images(world->grid->lattice);
    for (int round = 0; round < 400; ++round) {
        uint32_t i = c->oversized[round % 6].slot;
        kg_motion *m = &world->work.motion[i];
        visited v = {.count = 0};
        double speed = round % 3 == 0 ? 50 : 8;
        for (int k = 0; k < 3; ++k) {
            double x = c->edge[k] * support_uniform(&random) + c->low[k] +
                       c->edge[k] * kg_cell_coordinate(c->body_cell[i].cell, k);
            m->v[k] = speed * support_gauss(&random);
            m->x[k] = x - m->v[k] * now; /* in its cell at `now` */
        }
        m->clock = 0;
        double leaves = kg_cell_lists_exit_time(c, m, c->body_cell[i].cell, &face);
        kg_oversized_visit_path(world, i, c->largest_radius, now, h, visit_cells, &v);
        for (uint32_t j = 0; j < world->bodies.count; ++j) {
            kg_motion *small = &world->work.motion[j];
            if (kg_cell_lists_is_oversized(c, j)) continue;
            small->clock = 0;
            double until = kg_cell_lists_exit_time(c, small, c->body_cell[j].cell, &face);
            until = until < leaves ? until : leaves;
            for (uint32_t k = 0; k < images.count; ++k) {
                uint32_t neighbour = j | images.code[k] << KG_NEIGHBOUR_IMAGE_SHIFT;
                double t = kg_predict_pair(world, i, neighbour, h);
                if (t <= now || t >= until || t > h || !is_within(world, m, t) ||
                    !is_within(world, small, t))
                    continue;
                cr_assert(is_visited(&v, neighbour), "round %d: %u meets %u", round, i, j);
                met += 1;
            }
        }
    }
    cr_assert_gt(met, 100, "%u are met", met);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* The filter passes every neighbour that is met, at any speed and any distance travelled since the
 * start of the window. */
Test(cell_lists, the_filter_passes_every_neighbour_that_is_met)
{
    support_random random = support_random_start("dense/filter", 6);
    support_scene scene = support_scene_gas(5, 0.3, KUGEL_FACE_PERIODIC, 5, &random);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.01, 10);
    cr_assert(support_caches_use_cell_lists(world));
    kg_impact_stage *stage = world->impact;
    uint32_t met = 0, left = 0, listed = 0;
    for (int round = 0; round < 40; ++round) {
        double speed = round % 4 == 3   ? 1e6
                       : round % 4 == 2 ? 1e-3
                                        : 4,
               h = 0.2 / speed, now = 0.5 * h * (round % 2);
        const double drift[3] = {round % 5 == 4 ? 1e3 * speed : 0, 0, 0};
        stage->h = stage->until = h, stage->from = 0;
        for (uint32_t i = 0; i < world->bodies.count; ++i) {
            kg_motion *m = &world->work.motion[i];
            m->clock = 0;
            for (int k = 0; k < 3; ++k) m->v[k] = drift[k] + speed * support_gauss(&random);
            for (int k = 0; k < 3; ++k) m->x[k] -= m->v[k] * now; /* in its cell at `now` */
        }
        cr_assert(kg_quantised_motions_begin(world));
        for (uint32_t i = 0; i < world->bodies.count; ++i) {
            uint32_t all[KG_CELL_NEIGHBOURS_MAX],
                count = kg_cell_lists_neighbours(&world->grid->cell_lists, i, all);
            cr_assert_leq(count, 64);
            uint64_t near =
                kg_filter_motion_lanes(&world->impact->quantised, i, all, count, now, false);
            listed += count;
            for (uint32_t k = 0; k < count; ++k) {
                double t = kg_predict_pair(world, i, all[k], h);
                bool meets = t >= now && t < KG_NEVER && (all[k] & KG_NEIGHBOUR_SLOT) != i,
                     is_kept = near >> k & 1;
                cr_assert(!meets || is_kept, "round %d: %u meets %u but is filtered out", round, i,
                          all[k] & KG_NEIGHBOUR_SLOT);
                met += meets;
                left += is_kept;
            }
        }
        for (uint32_t i = 0; i < world->bodies.count; ++i) {
            kg_motion *m = &world->work.motion[i];
            for (int k = 0; k < 3; ++k) m->x[k] += m->v[k] * now;
        }
    }
    cr_assert(met > 1000 && left < listed / 2, "%u of %u are left, %u meet", left, listed, met);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

enum { ROWS = 3 };

/* Remove a body from the middle and two from the end, and add others, as ranks do with rows. */
static void change_rows(kugel_world *world, uint32_t middle, const kugel_body_def defs[ROWS])
{
    kg_bodies *bodies = &world->bodies;
    uint32_t slot;
    kg_neighbours_remove_row(world, middle);
    kg_bodies_remove(bodies, middle);
    kg_neighbours_truncate(world, bodies->count - 2);
    for (int k = 0; k < 2; ++k) kg_bodies_remove(bodies, bodies->count - 1);
    for (int k = 0; k < ROWS; ++k)
        cr_assert(!kg_bodies_add(&world->memory, bodies, &defs[k], &slot));
}

/* Replace three bodies of both worlds by ones in their places with other velocities. */
static void replace(kugel_world *kept, kugel_world *anew, uint32_t middle, kugel_body_def def,
                    support_random *random)
{
    const kg_bodies *bodies = &kept->bodies;
    const uint32_t slots[ROWS] = {middle, bodies->count - 2, bodies->count - 3};
    kugel_body_def defs[ROWS];
    for (int k = 0; k < ROWS; ++k) {
        for (int axis = 0; axis < 3; ++axis) def.position[axis] = bodies->x[axis][slots[k]];
        support_direction(random, 5, def.velocity);
        defs[k] = def;
        cr_assert(!kugel_body_destroy(anew, kg_bodies_handle(bodies, slots[k])));
    }
    for (int k = 0; k < ROWS; ++k) cr_assert(!kugel_body_create(anew, &defs[k], NULL));
    change_rows(kept, middle, defs);
}

/* Cells that are kept while rows come and go hold every pair. */
static void compare_rows(kugel_face face)
{
    support_random random = support_random_start("dense/rows", face);
    support_scene scene = support_scene_gas(5, 0.2, face, 5, &random);
    kugel_world *kept = support_scene_world(&scene), *anew = support_scene_world(&scene);
    support_caches_allow_cell_lists(anew, false);
    for (uint32_t tick = 0; tick < 30; ++tick) {
        support_run(kept, 0.005, 1);
        support_run(anew, 0.005, 1);
        cr_assert_eq(kugel_world_hash(kept), kugel_world_hash(anew), "tick %u", tick);
        replace(kept, anew, 7 * tick % (scene.count - ROWS), scene.bodies[0], &random);
    }
    cr_assert(support_caches_use_cell_lists(kept) && kept->list_rebuilds < 5);
    kugel_world_destroy(kept);
    kugel_world_destroy(anew);
    support_scene_free(&scene);
}

Test(cell_lists, rows_come_and_go)
{
    compare_rows(KUGEL_FACE_PERIODIC);
    compare_rows(KUGEL_FACE_WALL);
}
