/* For engine/geometry/overlap_spheres.c: gap, normal and nearest points of two spheres. */
#include <criterion/criterion.h>

#include <math.h>

#include "kugel/geometry.h"
#include "support/support_random.h"

struct overlap_row {
    char name[24];
    double b[3], radius_a, radius_b;
    bool hit;
    double gap, point_a, point_b, point; /* x of the points */
};

Test(overlap_spheres, pairs_on_the_x_axis_have_exact_values)
{
    static const struct overlap_row table[] = {
        {"apart", {5, 0, 0}, 1, 2, false, 2, 1, 3, 2},
        {"touching", {3, 0, 0}, 1, 2, true, 0, 1, 1, 1},
        {"overlapping", {2, 0, 0}, 1, 2, true, -1, 1, 0, 0.5},
        {"b inside a", {1, 0, 0}, 4, 1, true, -4, 4, 0, 2},
        {"on the other side", {-5, 0, 0}, 1, 2, false, 2, -1, -3, -2},
        {"points apart", {1, 0, 0}, 0, 0, false, 1, 0, 1, 0.5},
    };
    const double a[3] = {0, 0, 0};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const struct overlap_row *row = &table[i];
        kugel_overlap o;
        cr_assert_eq(kugel_overlap_spheres(a, row->radius_a, row->b, row->radius_b, &o), KUGEL_OK);
        cr_assert_eq(o.hit, row->hit, "%s", row->name);
        cr_assert_eq(o.gap, row->gap, "%s: gap %g", row->name, o.gap);
        cr_assert_eq(o.normal[0], row->b[0] > 0 ? 1 : -1, "%s", row->name);
        cr_assert_eq(o.point_a[0], row->point_a, "%s", row->name);
        cr_assert_eq(o.point_b[0], row->point_b, "%s", row->name);
        cr_assert_eq(o.point[0], row->point, "%s: point %g", row->name, o.point[0]);
    }
}

Test(overlap_spheres, equal_centres_have_the_documented_normal)
{
    const double c[3] = {4, 5, 6};
    kugel_overlap o;
    kugel_overlap_spheres(c, 1, c, 2, &o);
    cr_assert(o.hit && o.gap == -3);
    cr_assert(o.normal[0] == 1 && o.normal[1] == 0 && o.normal[2] == 0);
    cr_assert(o.point_a[0] == 5 && o.point_b[0] == 2 && o.point[0] == 3.5);
    kugel_overlap_spheres(c, 0, c, 0, &o);
    cr_assert(o.hit && o.gap == 0 && o.normal[0] == 1, "two equal points touch");
}

/* hit is the sign of the gap and agrees with `touching` of the moving spheres. Swapped spheres have
 * the opposite normal. The gap agrees with long double to the rounding of the distance. */
Test(overlap_spheres, random_pairs_agree_with_long_double)
{
    support_random random = support_random_start("overlap_properties", 13);
    int touching = 0;
    for (int i = 0; i < 50000; ++i) {
        double a[3], b[3], rest[3] = {0, 0, 0}, radius_a = support_between(&random, 0.1, 1);
        double radius_b = support_between(&random, 0.1, 1);
        support_direction(&random, 100, a);
        double gap =
            i % 2 ? 1e-14 * support_between(&random, -1, 1) : support_between(&random, -0.2, 1);
        support_direction(&random, radius_a + radius_b + gap, b);
        for (int k = 0; k < 3; ++k) b[k] += a[k];
        kugel_overlap o, swapped;
        kugel_contact contact;
        kugel_overlap_spheres(a, radius_a, b, radius_b, &o);
        kugel_overlap_spheres(b, radius_b, a, radius_a, &swapped);
        kugel_sweep_spheres(a, rest, radius_a, b, rest, radius_b, 1, &contact);
        cr_assert_eq(o.hit, o.gap <= 0);
        cr_assert(o.hit == contact.touching && o.gap == contact.gap);
        cr_assert(swapped.gap == o.gap && swapped.normal[0] == -o.normal[0]);
        long double dd = 0;
        for (int k = 0; k < 3; ++k) dd += ((long double)b[k] - a[k]) * ((long double)b[k] - a[k]);
        long double exact = sqrtl(dd) - radius_a - radius_b;
        cr_assert(fabsl(o.gap - exact) < 2e-15, "gap %g is off by %Lg", o.gap, o.gap - exact);
        touching += o.hit;
    }
    cr_assert(touching > 10000 && touching < 40000, "both cases must occur: %d", touching);
}
