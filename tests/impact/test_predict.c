/* Predictions are pure functions: vectorised predictions, those of a single pair, and those with
 * exchanged bodies have the same bits. */
#include <criterion/criterion.h>
#include <math.h>

#include "geometry/sweep_ballistic.h"
#include "geometry/sweep_linear.h"
#include "impact/predict.h"
#include "support/support_scene.h"

Test(predict, both_orders_agree_bit_for_bit)
{
    support_random random = support_random_start("predict", 1);
    support_scene scene = support_scene_gas(4, 0.4, KUGEL_FACE_PERIODIC, 5, &random);
    scene.def.gravity[2] = -9.81;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.01, 3);
    uint32_t met = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        for (uint32_t c = i; c != KG_NONE; c = world->grid->nodes[c].next) {
            for (uint32_t k = 0; k < world->grid->nodes[c].count; ++k) {
                uint32_t neighbour = world->grid->nodes[c].neighbour[k],
                         j = neighbour & KG_NEIGHBOUR_SLOT;
                uint32_t back = i | (26 - (neighbour >> KG_NEIGHBOUR_IMAGE_SHIFT))
                                        << KG_NEIGHBOUR_IMAGE_SHIFT;
                double t = kg_predict_pair(world, i, neighbour, 1);
                cr_assert_eq(t, kg_predict_pair(world, j, back, 1), "%u and %u", i, j);
                met += t < KG_NEVER;
            }
        }
    }
    cr_assert(met > 50, "only %u pairs meet", met);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Against a scan of the same polynomial in long double: the first entry, within 1e-9 s. */
Test(ballistic, first_root_is_found)
{
    support_random random = support_random_start("ballistic", 2);
    int hits = 0;
    for (int round = 0; round < 3000; ++round) {
        double d[3], w[3], a[3], reach = support_between(&random, 0.2, 1);
        for (int k = 0; k < 3; ++k) {
            d[k] = support_between(&random, -2, 2);
            w[k] = support_between(&random, -3, 3);
            a[k] = support_between(&random, -12, 12);
        }
        double t = kg_sweep_spheres_ballistic(d, w, a, reach, 1);
        long double first = -1, before = 1;
        enum { STEPS = 20000 };
        for (int s = 0; s <= STEPS && first < 0; ++s) {
            long double at = (long double)s / STEPS, f = -(long double)reach * reach;
            for (int k = 0; k < 3; ++k) {
                long double x = d[k] + w[k] * at + 0.5L * a[k] * at * at;
                f += x * x;
            }
            if (s > 0 && before > 0 && f <= 0) first = at;
            before = f;
        }
        double dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2],
               dw = d[0] * w[0] + d[1] * w[1] + d[2] * w[2];
        if (dd <= reach * reach && dw < 0) first = 0;
        if (first >= 0) {
            hits += 1;
            cr_assert(t <= first && t >= first - 1.001 / STEPS, "round %d: %.12g, scanned %.12Lg",
                      round, t, first);
        } else if (t < KG_NEVER) { /* a dip between two samples: it must touch */
            double f = -reach * reach;
            for (int k = 0; k < 3; ++k)
                f +=
                    (d[k] + w[k] * t + 0.5 * a[k] * t * t) * (d[k] + w[k] * t + 0.5 * a[k] * t * t);
            cr_assert(f < 1e-9, "round %d: no touch at %.12g", round, t);
        }
    }
    cr_assert(hits > 100, "only %d hits", hits);
}

/* After ways of 1e4 to 1e6 m, at reaches of a metre and less: they touch where they meet, to the
 * rounding of the way. */
Test(ballistic, a_long_way_ends_at_the_surface)
{
    support_random random = support_random_start("ballistic long", 3);
    for (int round = 0; round < 3000; ++round) {
        double n[3], v[3], d[3], w[3], a[3], reach = support_between(&random, 0.2, 1),
                                             end = support_between(&random, 0.5, 0.9), way = 1e4;
        for (int k = round % 3; k > 0; --k) way *= 10;
        double along;
        support_direction(&random, 1, n);
        do { /* no grazing */
            support_direction(&random, way, v);
            along = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
        } while (along > -0.3 * way);
        support_direction(&random, way, a);
        for (int k = 0; k < 3; ++k) {
            w[k] = v[k] - a[k] * end;
            d[k] = reach * n[k] - (w[k] + 0.5 * a[k] * end) * end;
        }
        double t = kg_sweep_spheres_ballistic(d, w, a, reach, 1);
        long double dd = 0;
        for (int k = 0; k < 3; ++k) {
            long double x = d[k] + ((long double)w[k] + 0.5L * a[k] * t) * t;
            dd += x * x;
        }
        double gap = (double)(sqrtl(dd) - reach);
        cr_assert(t <= 1 && fabs(gap) <= 1e-15 * way,
                  "round %d, %g m in a tick: a gap of %g m at %.17g s", round, way, gap, t);
    }
}

Test(ballistic, plane_cases)
{
    struct row {
        char name[40];
        double gap, u, a, expected;
    };
    static const struct row rows[] = {{"falls on it", 1, 0, -2, 1},
                                      {"thrown up, falls back", 0, 1, -2, 1},
                                      {"leaves for good", 0, 1, 0, KG_NEVER},
                                      {"touches and approaches", 0, -1, 0, 0},
                                      {"inside and approaches", -1, -1, 0, 0},
                                      {"straight", 2, -4, 0, 0.5},
                                      {"turns before it", 1, -1, 2, KG_NEVER},
                                      {"too late", 10, -1, 0, KG_NEVER},
                                      {"parallel", 1, 0, 0, KG_NEVER}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        double t = kg_sweep_plane_ballistic(rows[i].gap, rows[i].u, rows[i].a, 2);
        cr_assert_float_eq(t, rows[i].expected, 1e-15, "%s: %g", rows[i].name, t);
    }
}
