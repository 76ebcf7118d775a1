/* For engine/geometry/convex_meet.c: balls and boxes, thick, thin and flat, meet if the distance of
 * the ball's centre from the box in long double is at most the radius, and the common point is in
 * both. */
#include "geometry/convex_meet.h"

#include <criterion/criterion.h>
#include <math.h>

#include "support/support_random.h"

enum { ROWS = 20000 };

typedef struct block {
    double center[3], half[3]; /* m; a ball has the radius half[0] */
} block;

static void farthest_of_ball(const void *solid, const double direction[3], double point[3])
{
    const block *b = solid;
    double length = hypot(hypot(direction[0], direction[1]), direction[2]);
    for (int k = 0; k < 3; ++k) point[k] = b->center[k] + b->half[0] * (direction[k] / length);
}

static void farthest_of_box(const void *solid, const double direction[3], double point[3])
{
    const block *b = solid;
    for (int k = 0; k < 3; ++k)
        point[k] = b->center[k] + (direction[k] < 0 ? -b->half[k] : b->half[k]);
}

/* Distance of a point from the box; 0 inside. */
static double box_distance(const block *box, const double x[3])
{
    long double sum = 0;
    for (int k = 0; k < 3; ++k) {
        long double d = fabsl((long double)x[k] - box->center[k]) - box->half[k];
        sum += d > 0 ? d * d : 0;
    }
    return (double)sqrtl(sum);
}

Test(convex_meet, balls_meet_boxes_of_any_shape)
{
    support_random random = support_random_start("convex_meet", 1);
    uint32_t met = 0;
    for (uint32_t row = 0; row < ROWS; ++row) {
        block ball = {.half = {exp(support_between(&random, log(1e-3), log(10)))}}, box = {{0}};
        double start[3], point[3], center_far = 0;
        for (int k = 0; k < 3; ++k) {
            bool thin = support_below(&random, 3) == 0;
            box.half[k] = thin ? 0 : exp(support_between(&random, log(1e-6), log(100)));
            ball.center[k] = support_between(&random, -1, 1) * (box.half[k] + 2 * ball.half[0]);
            start[k] = ball.center[k];
        }
        const kg_convex a = {farthest_of_ball, &ball}, b = {farthest_of_box, &box};
        double distance = box_distance(&box, ball.center), gap = distance - ball.half[0];
        bool meet = kg_convex_meet(&a, &b, start, point);
        if (fabs(gap) > 1e-9) cr_assert_eq(meet, gap < 0, "row %u: gap %g", row, gap);
        if (!meet) continue;
        met += 1;
        for (int k = 0; k < 3; ++k) center_far = hypot(center_far, point[k] - ball.center[k]);
        cr_assert_leq(box_distance(&box, point), 1e-8, "row %u: %g", row,
                      box_distance(&box, point));
        cr_assert_leq(center_far, ball.half[0] + 1e-8, "row %u: %g", row,
                      center_far - ball.half[0]);
    }
    cr_assert(met > ROWS / 10 && met < ROWS - ROWS / 10, "%u meet", met);
}
