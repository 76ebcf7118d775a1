/* Properties of a settled heap: its weight on the floor, its packing fraction, its slope. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support_pile.h"
#include "world/world.h"

/* A pile between frictionless walls, without sleep. */
static support_scene in_a_box(uint32_t side, uint32_t layers, double friction,
                              support_random *random)
{
    support_scene scene = support_pile(side, layers, 0, random);
    scene.def.bounds.friction = 0;
    scene.def.sleep = false;
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].friction = friction;
    return scene;
}

/* Force on face 4, the floor, in the last substep, N. */
static double floor_force(const kugel_world *world)
{
    double sum = 0;
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        const kg_contact *c = &world->contacts.items[k];
        if (c->with == 4) sum += (double)c->normal_force;
    }
    return sum;
}

/* Between frictionless walls the impulses of the floor's contacts add up to the weight, within 1 %
 * in the mean over two seconds, while single balls still roll. */
Test(settled, the_floor_carries_the_weight)
{
    for (int rough = 0; rough < 2; ++rough) {
        support_random random = support_random_start("settled/weight", 3);
        support_scene scene = in_a_box(6, 8, 0.5 * rough, &random);
        kugel_world *world = support_scene_world(&scene);
        support_run(world, 1 / 60., 480);
        double mean = 0, weight = 9.81 * scene.count;
        for (int tick = 0; tick < 120; ++tick) {
            support_run(world, 1 / 60., 1);
            mean += floor_force(world) / 120;
        }
        cr_assert(fabs(mean / weight - 1) < 0.01, "friction %g: %g N carry %g N", 0.5 * rough, mean,
                  weight);
        kugel_world_destroy(world);
        support_scene_free(&scene);
    }
}

/* Packing fraction of a box inside the heap, by `POINTS` random points: the standard error is at
 * most 0.5 / sqrt(POINTS) = 0.0035. */
static double packing(const double *x, uint32_t count, const double low[3], const double high[3],
                      support_random *random)
{
    enum { POINTS = 20000 };
    int inside = 0;
    for (int n = 0; n < POINTS; ++n) {
        double p[3];
        for (int k = 0; k < 3; ++k) p[k] = support_between(random, low[k], high[k]);
        for (uint32_t i = 0; i < count; ++i) {
            double dx = x[3 * i] - p[0], dy = x[3 * i + 1] - p[1], dz = x[3 * i + 2] - p[2];
            if (dx * dx + dy * dy + dz * dz > 0.25) continue;
            inside += 1;
            break;
        }
    }
    return inside / (double)POINTS;
}

static double packing_of_a_heap(double friction, support_random *random)
{
    support_scene scene = in_a_box(10, 14, friction, random);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 300);
    double *x = malloc(3 * (size_t)scene.count * sizeof *x);
    kugel_world_read_arrays(world, scene.count, &(kugel_body_arrays){.position = x});
    double low[3] = {2, 2, 2}, high[3] = {9, 9, 8};
    double share = packing(x, scene.count, low, high, random);
    free(x);
    kugel_world_destroy(world);
    support_scene_free(&scene);
    return share;
}

/* Away from walls, which order the balls, the packing fraction of poured balls is between random
 * loose packing, 0.55, and random close packing, 0.64. Heaps of a thousand differ by 0.005, means
 * of four by half of that; the tolerance is two standard errors. */
Test(settled, packing_is_random)
{
    enum { HEAPS = 4 };
    for (int rough = 0; rough < 2; ++rough) {
        support_random random = support_random_start("settled/packing", 4);
        double mean = 0, error = 0.005 / sqrt(HEAPS);
        for (int k = 0; k < HEAPS; ++k) mean += packing_of_a_heap(0.5 * rough, &random) / HEAPS;
        fprintf(stderr, "friction %g: a share of %.4f is full\n", 0.5 * rough, mean);
        cr_assert(mean > 0.55 - 2 * error && mean < 0.64 + 2 * error,
                  "friction %g: a share of %g is full", 0.5 * rough, mean);
    }
}

enum { FLOOR = 26, POURED = 300 };

/* @param rough true: a floor of fixed balls, as in granular experiments; false: a plane without
 * friction. */
static support_scene floor_to_pour_on(bool rough)
{
    support_scene scene = {.def = kugel_world_def_default()};
    scene.def.gravity[2] = -9.81;
    scene.def.sleep = false;
    if (!rough) scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}};
    for (int k = 0; k < FLOOR * FLOOR && rough; ++k) {
        double x[3] = {k % FLOOR - 0.5 * (FLOOR - 1), k / FLOOR - 0.5 * (FLOOR - 1), -0.5};
        kugel_body_def *ball = support_scene_add(&scene, x, NULL, 0.5, 1);
        ball->type = KUGEL_STATIC, ball->friction = 0.5, ball->restitution = 0;
    }
    return scene;
}

/* Height of the topmost centre, m. */
static double top(const kugel_world *world, uint32_t first)
{
    double highest = 0;
    for (uint32_t id = first; id < first + POURED; ++id) {
        kugel_body_state s;
        support_state(world, id, &s);
        highest = fmax(highest, s.position[2]);
    }
    return highest;
}

/* Pours balls over the middle and measures the height, then and five seconds later. Radii differ:
 * equal balls would form a crystal on the lattice of the floor. */
static void pour(bool rough, double heights[2])
{
    support_random random = support_random_start("settled/cone", 5);
    support_scene scene = floor_to_pour_on(rough);
    kugel_world *world = support_scene_world(&scene);
    kugel_body_def ball = kugel_body_def_default();
    ball.friction = rough ? 0.5 : 0;
    ball.velocity[2] = -2;
    for (int k = 0; k < POURED; ++k) {
        ball.position[0] = support_between(&random, -0.5, 0.5);
        ball.position[1] = 3 * (k % 2) - 1.5 + support_between(&random, -0.5, 0.5);
        ball.position[2] = 7;
        ball.radius = support_between(&random, 0.35, 0.5);
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        support_run(world, 1 / 60., 8);
    }
    for (int k = 0; k < 2; ++k) {
        support_run(world, 1 / 60., 300);
        heights[k] = top(world, scene.count);
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* 300 balls of mean radius 0.43 m at packing 0.58 fill 166 m^3. A cone with a slope of 15 degrees
 * is 2.2 m high (glass beads: 20 and more), and its topmost centre one radius lower. */
Test(settled, a_poured_cone_stands)
{
    double heights[2];
    pour(true, heights);
    cr_assert(heights[0] > 1.8, "only %g m high", heights[0]);
    cr_assert(fabs(heights[1] - heights[0]) < 0.02, "%g m, later %g m", heights[0], heights[1]);
}

/* In the end each ball lies on the floor: no centre is higher than the largest radius. */
Test(settled, without_friction_it_flows_flat)
{
    double heights[2];
    pour(false, heights);
    cr_assert(heights[1] < 0.51, "still %g m high", heights[1]);
}
