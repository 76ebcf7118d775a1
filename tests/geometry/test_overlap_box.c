/* For engine/geometry/overlap_box.c: gap, normal and nearest points of a sphere and a box. */
#include <criterion/criterion.h>
#include <math.h>

#include "kugel/geometry.h"
#include "support/support_random.h"

/* Closed forms: in front of a face, an edge and a corner of [0, 2]^3, inside, touching. */
Test(overlap_box, faces_edges_corners_and_inside_have_closed_forms)
{
    static const struct {
        double c[3], r;
        bool hit;
        double gap, normal[3];
    } rows[] = {
        {{3, 1, 1}, 0.5, false, 0.5, {1, 0, 0}},
        {{3, 1, 1}, 1, true, 0, {1, 0, 0}},
        {{5, 6, 1}, 1, false, 4, {0.6, 0.8, 0}},
        {{-1, -2, -2}, 1, false, 2, {-1 / 3., -2 / 3., -2 / 3.}},
        {{1, 0.25, 1}, 1, true, -1.25, {0, -1, 0}},
        {{1, 1, 1}, 0.5, true, -1.5, {-1, 0, 0}},
        {{2, 1, 1}, 0.5, true, -0.5, {1, 0, 0}},
    };
    const double min[3] = {0, 0, 0}, max[3] = {2, 2, 2};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        kugel_overlap o;
        cr_assert_eq(kugel_overlap_sphere_box(rows[i].c, rows[i].r, min, max, &o), KUGEL_OK);
        cr_assert_eq(o.hit, rows[i].hit, "row %zu", i);
        cr_assert_float_eq(o.gap, rows[i].gap, 1e-15, "row %zu: %g", i, o.gap);
        for (int k = 0; k < 3; ++k) {
            cr_assert_float_eq(o.normal[k], rows[i].normal[k], 1e-15, "row %zu", i);
            cr_assert_float_eq(o.point_a[k], rows[i].c[k] - rows[i].r * o.normal[k], 1e-15);
            cr_assert_float_eq(o.point_b[k], o.point_a[k] - o.gap * o.normal[k], 1e-14);
        }
    }
    const double turned[3] = {2, -1, 2};
    kugel_overlap o;
    cr_assert_eq(kugel_overlap_sphere_box(min, 1, min, turned, &o), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_overlap_sphere_box(min, -1, min, max, &o), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_overlap_sphere_box((double[3]){NAN, 0, 0}, 1, min, max, &o), KUGEL_OK);
    cr_assert(!o.hit && o.gap == 0);
}

/* No point of the box is nearer to the centre than the reported one. */
Test(overlap_box, reports_the_nearest_point)
{
    support_random random = support_random_start("box", 71);
    for (int i = 0; i < 20000; ++i) {
        double min[3], max[3], c[3], p[3], distance = 0, other = 0;
        kugel_overlap o;
        for (int k = 0; k < 3; ++k) {
            min[k] = support_between(&random, -2, 1);
            max[k] = min[k] + support_uniform(&random);
            c[k] = support_between(&random, -4, 4);
            p[k] = support_between(&random, min[k], max[k]);
        }
        kugel_overlap_sphere_box(c, 0, min, max, &o);
        for (int k = 0; k < 3; ++k)
            distance += pow(o.point_b[k] - c[k], 2), other += pow(p[k] - c[k], 2);
        if (o.gap > 0) cr_assert(distance <= other * (1 + 1e-12));
        cr_assert_float_eq(fabs(o.gap), sqrt(distance), 1e-14);
    }
}
