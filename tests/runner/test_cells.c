/* Grids of the runner find the pairs that brute force finds: across periodic faces, in boxes of few
 * cells, with spheres of many sizes. */
#include <cell_levels.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_random.h"

enum { COUNT = 300 };

typedef struct finding {
    const double *radius;
    uint32_t me;
    unsigned char found[COUNT][COUNT];
} finding;

static bool note(void *context, uint32_t other, double d2)
{
    finding *f = context;
    double reach = f->radius[f->me] + f->radius[other];
    if (f->me == other || d2 > reach * reach) return true;
    f->found[f->me][other] += 1;
    return true;
}

static double distance2(const kugel_bounds *bounds, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double d = a[k] - b[k], length = bounds->max[k] - bounds->min[k];
        if (bounds->faces[2 * k] == KUGEL_FACE_PERIODIC) d -= length * nearbyint(d / length);
        sum += d * d;
    }
    return sum;
}

static void search_all(cell_levels *levels, double (*place)[3], finding *f)
{
    memset(f->found, 0, sizeof f->found);
    for (f->me = 0; f->me < COUNT; ++f->me)
        cell_levels_near(levels, place[f->me], f->radius[f->me], note, f);
}

static void check_found(const finding *f, const kugel_bounds *bounds, double (*place)[3], int world)
{
    for (int i = 0; i < COUNT; ++i) {
        for (int j = 0; j < COUNT; ++j) {
            double reach = f->radius[i] + f->radius[j];
            bool near = i != j && distance2(bounds, place[i], place[j]) <= reach * reach;
            cr_assert_eq(f->found[i][j], near, "world %d: %d, %d", world, i, j);
        }
    }
}

static void check_world(support_random *random, int world)
{
    kugel_bounds bounds = {0};
    double place[COUNT][3], radius[COUNT];
    cell_levels levels;
    static finding found;
    double largest = support_between(random, 0.05, 0.6);
    for (int k = 0; k < 3; ++k) {
        bounds.min[k] = support_between(random, -5, 5);
        bounds.max[k] = bounds.min[k] + support_between(random, 2.5, 8);
        bool periodic = support_uniform(random) < 0.5;
        for (int side = 0; side < 2; ++side)
            bounds.faces[2 * k + side] = periodic ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL;
    }
    for (int i = 0; i < COUNT; ++i) {
        for (int k = 0; k < 3; ++k)
            place[i][k] = support_between(random, bounds.min[k], bounds.max[k]);
        radius[i] = world % 2 ? largest : support_between(random, 0.02, 1) * largest;
    }
    cr_assert(cell_levels_open(&levels, &bounds, radius, COUNT, 1));
    for (uint32_t i = 0; i < COUNT; ++i) cell_levels_add(&levels, i, place[i]);
    found.radius = radius;
    search_all(&levels, place, &found);
    check_found(&found, &bounds, place, world);
    cell_levels_close(&levels);
}

Test(cells, pairs_are_those_of_brute_force)
{
    support_random random = support_random_start("cells", 5);
    for (int world = 0; world < 60; ++world) check_world(&random, world);
}
