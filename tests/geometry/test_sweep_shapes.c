/* For engine/geometry/sweep_shapes.c: the first contact of a moving sphere with a segment, capsule,
 * triangle, disc and box. The oracle minimises and bisects each shape's distance in long double; it
 * is convex along the motion. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "kugel/geometry.h"
#include "support/support_random.h"
#include "surfaces/oracle_mesh.h"
#include "surfaces/shape.h"

typedef enum kind { SEGMENT, CAPSULE, TRIANGLE, DISC, BOX, KINDS } kind;
static const char *const kind_names[KINDS] = {"segment", "capsule", "triangle", "disc", "box"};

/* point: corners, or the middle and the normal of a disc, or the middle and half lengths of a box.
 */
typedef struct shape {
    kind kind;
    double point[3][3], radius, rotation[4];
} shape;

typedef struct motion {
    double center[3], velocity[3], radius, dt;
} motion;

static void to_frame(const double *q, const long double *a, long double *out)
{
    const long double x = -q[0], y = -q[1], z = -q[2], w = q[3],
                      s = 2 / (x * x + y * y + z * z + w * w);
    const oracle_vec u = {x, y, z};
    for (int k = 0; k < 3; ++k) { /* a + s (w (u x a) + u x (u x a)) */
        int l = (k + 1) % 3, m = (k + 2) % 3;
        long double twice = u[k] * oracle_dot(u, a) - a[k] * oracle_dot(u, u);
        out[k] = a[k] + s * (w * (u[l] * a[m] - u[m] * a[l]) + twice);
    }
}

static long double disc_distance(const shape *s, const long double *x)
{
    oracle_vec n, d;
    for (int k = 0; k < 3; ++k) n[k] = s->point[1][k], d[k] = x[k] - s->point[0][k];
    long double length = sqrtl(oracle_dot(n, n)), height = oracle_dot(n, d) / length;
    for (int k = 0; k < 3; ++k) d[k] -= height * n[k] / length;
    long double beyond = sqrtl(oracle_dot(d, d)) - s->radius;
    return hypotl(height, beyond > 0 ? beyond : 0);
}

static long double box_distance(const shape *s, const long double *x)
{
    oracle_vec d, y;
    for (int k = 0; k < 3; ++k) d[k] = x[k] - s->point[0][k];
    to_frame(s->rotation, d, y);
    long double nearest_face = INFINITY;
    for (int k = 0; k < 3; ++k) {
        long double beyond = fabsl(y[k]) - s->point[1][k];
        nearest_face = fminl(nearest_face, -beyond);
        y[k] = beyond > 0 ? beyond : 0;
    }
    long double outside = sqrtl(oracle_dot(y, y));
    return outside > 0 ? outside : -nearest_face;
}

static long double triangle_distance(const shape *s, const long double *x)
{
    oracle_vec p[3];
    long double best = INFINITY, longest = -1;
    int from = 0;
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 3; ++k) p[c][k] = s->point[c][k];
    }
    for (int c = 0; c < 3; ++c) {
        const long double *a = p[c], *b = p[(c + 1) % 3];
        long double square = 0;
        for (int k = 0; k < 3; ++k) square += (b[k] - a[k]) * (b[k] - a[k]);
        if (square > longest) longest = square, from = c;
        if (square > 0) best = fminl(best, oracle_segment_distance(a, b, x));
    }
    return fminl(best, oracle_face_distance(p[from], p[(from + 1) % 3], p[(from + 2) % 3], x));
}

static long double distance_of(const shape *s, const long double *x)
{
    oracle_vec a, b;
    for (int k = 0; k < 3; ++k) a[k] = s->point[0][k], b[k] = s->point[1][k];
    switch (s->kind) {
    case SEGMENT:
        return oracle_segment_distance(a, b, x);
    case CAPSULE:
        return oracle_segment_distance(a, b, x) - s->radius;
    case TRIANGLE:
        return triangle_distance(s, x);
    case DISC:
        return disc_distance(s, x);
    default:
        return box_distance(s, x);
    }
}

static long double gap_at(const shape *s, const motion *m, long double t)
{
    oracle_vec x;
    for (int k = 0; k < 3; ++k) x[k] = m->center[k] + t * m->velocity[k];
    return distance_of(s, x) - m->radius;
}

typedef struct truth {
    bool hit;
    long double time, closest; /* the smallest gap in [0, dt] */
} truth;

static truth exact_sweep(const shape *s, const motion *m)
{
    long double low = 0, high = m->dt;
    for (int step = 0; step < 160; ++step) { /* ternary search for the closest approach */
        long double one = low + (high - low) / 3, two = high - (high - low) / 3;
        if (gap_at(s, m, one) <= gap_at(s, m, two)) high = two;
        else low = one;
    }
    truth t = {false, 0, gap_at(s, m, low)};
    long double last = gap_at(s, m, m->dt);
    if (last < t.closest) t.closest = last, low = m->dt;
    t.hit = t.closest <= 0;
    long double before = 0, after = low;
    for (int step = 0; step < 80; ++step) {
        long double middle = (before + after) / 2;
        if (gap_at(s, m, middle) > 0) before = middle;
        else after = middle;
    }
    t.time = after;
    return t;
}

static kugel_contact sweep(const shape *s, const motion *m)
{
    kugel_contact c;
    kugel_status status = KUGEL_ERROR_LIMIT;
    const double(*p)[3] = s->point;
    switch (s->kind) {
    case SEGMENT:
    case CAPSULE:
        status = kugel_sweep_sphere_capsule(m->center, m->velocity, m->radius, p[0], p[1],
                                            s->kind == CAPSULE ? s->radius : 0, m->dt, &c);
        break;
    case TRIANGLE:
        status = kugel_sweep_sphere_triangle(m->center, m->velocity, m->radius, p[0], p[1], p[2],
                                             m->dt, &c);
        break;
    case DISC:
        status = kugel_sweep_sphere_disc(m->center, m->velocity, m->radius, p[0], p[1], s->radius,
                                         m->dt, &c);
        break;
    default:
        status = kugel_sweep_sphere_oriented_box(m->center, m->velocity, m->radius, p[0], p[1],
                                                 s->rotation, m->dt, &c);
    }
    cr_assert_eq(status, KUGEL_OK, "%s", kind_names[s->kind]);
    return c;
}

static double power_of_ten(support_random *random, double low, double high)
{
    return pow(10, support_between(random, low, high));
}

/* Of this size, anywhere within ten sizes of the origin. */
static shape random_shape(support_random *random, kind kind, double size)
{
    shape s = {.kind = kind, .radius = size * power_of_ten(random, -3, 0)};
    double length = 0;
    for (int k = 0; k < 4; ++k) {
        s.rotation[k] = support_gauss(random);
        length += s.rotation[k] * s.rotation[k];
    }
    for (int k = 0; k < 4; ++k) s.rotation[k] /= sqrt(length);
    support_direction(random, support_between(random, 0, 10) * size, s.point[0]);
    for (int c = 1; c < 3; ++c) {
        support_direction(random, size * power_of_ten(random, -3, 0), s.point[c]);
        for (int k = 0; k < 3; ++k) s.point[c][k] += s.point[0][k];
    }
    if (kind == DISC) support_direction(random, 1, s.point[1]);
    if (kind != BOX) return s;
    for (int k = 0; k < 3; ++k) s.point[1][k] = size * power_of_ten(random, -3, 0);
    return s;
}

/* From a place within `away` sizes towards a place near the shape, at any speed. A third of the
 * spheres are points. */
static motion random_motion(support_random *random, const shape *s, double size, double away)
{
    motion m = {.radius = support_below(random, 3) ? size * power_of_ten(random, -3, 0) : 0};
    double speed = power_of_ten(random, -6, 6), target[3], from[3], length = 0;
    support_direction(random, size * support_between(random, 0, away), from);
    support_direction(random, (size + m.radius) * power_of_ten(random, -3, 0), target);
    for (int k = 0; k < 3; ++k) {
        m.center[k] = s->point[0][k] + from[k];
        length += (target[k] - from[k]) * (target[k] - from[k]);
    }
    for (int k = 0; k < 3; ++k) m.velocity[k] = speed * (target[k] - from[k]) / sqrt(length);
    m.dt = sqrt(length) / speed * support_between(random, 0.5, 2);
    return m;
}

/* The contact point is on the shape, a radius from the centre along the normal. */
static void check_point(const shape *s, const motion *m, const kugel_contact *c, double scale)
{
    oracle_vec point;
    double out = 0, length = 0;
    for (int k = 0; k < 3; ++k) {
        point[k] = c->point[k];
        double center = m->center[k] + c->time * m->velocity[k];
        double at = center - m->radius * c->normal[k] - c->point[k];
        out += at * at, length += c->normal[k] * c->normal[k];
    }
    cr_assert(fabs(sqrt(length) - 1) < 1e-15, "%s: normal of %g", kind_names[s->kind],
              sqrt(length));
    cr_assert(sqrt(out) < 2e-14 * scale, "%s: %g off", kind_names[s->kind], sqrt(out) / scale);
    cr_assert(fabsl(distance_of(s, point)) < 1e-14L * scale, "%s", kind_names[s->kind]);
}

static void check_random(kind kind, uint64_t seed, double away)
{
    support_random random = support_random_start(kind_names[kind], seed);
    int hits = 0, misses = 0, points = 0, touching = 0;
    long double worst_gap = 0, worst_late = 0;
    for (int i = 0; i < 4000; ++i) {
        double size = power_of_ten(&random, -3, 6);
        shape s = random_shape(&random, kind, size);
        motion m = random_motion(&random, &s, size, away);
        double scale = size * (10 + away); /* of coordinates */
        kugel_contact c = sweep(&s, &m);
        long double gap = gap_at(&s, &m, 0);
        cr_assert(fabsl(c.gap - gap) < 1e-15L * scale, "case %d: gap %g, not %Lg", i, c.gap, gap);
        if (gap <= 0) {
            cr_assert(c.hit && c.touching && c.time == 0, "case %d", i);
            ++touching;
            continue;
        }
        truth t = exact_sweep(&s, &m);
        if (fabsl(t.closest) < 4e-15L * scale && m.radius > 0) continue;
        /* a point meets a flat shape where the distance has its smallest value, 0 */
        bool thin = m.radius == 0 && kind != CAPSULE && kind != BOX;
        bool hit = thin ? t.closest < 1e-16L * scale : t.hit;
        if (fabsl(t.closest) < 4e-15L * scale && !hit) continue;
        cr_assert_eq(c.hit, hit, "%s, case %d: closest approach %Lg of %g", kind_names[kind], i,
                     t.closest, scale);
        misses += !hit;
        if (!hit) continue;
        ++hits, points += m.radius == 0;
        long double there = gap_at(&s, &m, c.time);
        worst_gap = fmaxl(worst_gap, fabsl(there) / scale);
        if (!thin) worst_late = fmaxl(worst_late, (c.time - t.time) / m.dt);
        check_point(&s, &m, &c, scale);
    }
    fprintf(stderr, "%s: %d hits (%d of points), %d misses, %d touching; gap %.2Lg, late %.2Lg\n",
            kind_names[kind], hits, points, misses, touching, worst_gap, worst_late);
    cr_assert(hits > 300 && misses > 300, "%d hits, %d misses", hits, misses);
    cr_assert(kind == SEGMENT || points > 30, "%d points", points);
    cr_assert(worst_gap < 2e-15L, "gap at contact: %Lg of the scale", worst_gap);
    cr_assert(worst_late < 1e-14L, "late by %Lg of the motion", worst_late);
}

Test(sweep_shapes, segments_agree_with_long_double) { check_random(SEGMENT, 1, 20); }
Test(sweep_shapes, capsules_agree_with_long_double) { check_random(CAPSULE, 2, 20); }
Test(sweep_shapes, triangles_agree_with_long_double) { check_random(TRIANGLE, 3, 20); }
Test(sweep_shapes, discs_agree_with_long_double) { check_random(DISC, 4, 20); }
Test(sweep_shapes, boxes_agree_with_long_double) { check_random(BOX, 5, 20); }

Test(sweep_shapes, starts_in_contact_agree_with_long_double)
{
    for (int k = 0; k < KINDS; ++k) check_random((kind)k, 100 + (uint64_t)k, 1.5);
}

struct row {
    char name[40];
    shape shape;
    motion motion;
    bool hit, touching, approaching;
    double time, gap, normal[3];
};

/* clang-format off */
static const struct row rows[] = {
    {"segment, across", {SEGMENT, {{-1, 0, 0}, {1, 0, 0}}, 0, {0}}, {{0.5, 0, 3}, {0, 0, -4}, 1, 1},
     true, false, true, 0.5, 2, {0, 0, 1}},
    {"segment, its end", {SEGMENT, {{-1, 0, 0}, {1, 0, 0}}, 0, {0}}, {{4, 0, 0}, {-4, 0, 0}, 1, 1},
     true, false, true, 0.5, 2, {1, 0, 0}},
    {"segment, too slow", {SEGMENT, {{-1, 0, 0}, {1, 0, 0}}, 0, {0}},
     {{4, 0, 0}, {-1.5, 0, 0}, 1, 1},
     false, false, true, 0, 2, {0, 0, 0}},
    {"segment, leaving", {SEGMENT, {{-1, 0, 0}, {1, 0, 0}}, 0, {0}}, {{4, 0, 0}, {4, 0, 0}, 1, 1},
     false, false, false, 0, 2, {0, 0, 0}},
    {"segment, a point on it", {SEGMENT, {{-1, 0, 0}, {1, 0, 0}}, 0, {0}},
     {{0, 0, 0}, {0, 1, 0}, 0, 1},
     true, true, false, 0, 0, {1, 0, 0}},
    {"segment of one point", {SEGMENT, {{1, 0, 0}, {1, 0, 0}}, 0, {0}},
     {{4, 0, 0}, {-4, 0, 0}, 1, 1},
     true, false, true, 0.5, 2, {1, 0, 0}},
    {"capsule, graze", {CAPSULE, {{-1, 0, 0}, {1, 0, 0}}, 0.5, {0}},
     {{0, -4, 1.5}, {0, 4, 0}, 1, 2},
     true, false, true, 1, 2.772001872658765, {0, 0, 1}},
    {"capsule, along", {CAPSULE, {{-1, 0, 0}, {1, 0, 0}}, 0.5, {0}}, {{0, 0, 1.5}, {4, 0, 0}, 1, 2},
     true, true, false, 0, 0, {0, 0, 1}},
    {"capsule, on its axis", {CAPSULE, {{-1, 0, 0}, {1, 0, 0}}, 0.5, {0}},
     {{0, 0, 0}, {0, 0, 1}, 1, 2},
     true, true, false, 0, -1.5, {1, 0, 0}},
    {"triangle, face", {TRIANGLE, {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, 0, {0}},
     {{1, 1, -3}, {0, 0, 4}, 1, 1}, true, false, true, 0.5, 2, {0, 0, -1}},
    {"triangle, edge", {TRIANGLE, {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, 0, {0}},
     {{2, -3, 0}, {0, 4, 0}, 1, 1}, true, false, true, 0.5, 2, {0, -1, 0}},
    {"triangle, at rest on it", {TRIANGLE, {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, 0, {0}},
     {{1, 1, 1}, {0, 0, 0}, 1, 1}, true, true, false, 0, 0, {0, 0, 1}},
    {"triangle, sliding", {TRIANGLE, {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, 0, {0}},
     {{1, 1, 1}, {9, 0, 0}, 1, 1}, true, true, false, 0, 0, {0, 0, 1}},
    {"triangle, a point through it", {TRIANGLE, {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, 0, {0}},
     {{1, 1, 2}, {0, 0, -4}, 0, 1}, true, false, true, 0.5, 2, {0, 0, 1}},
    {"triangle, a point in it", {TRIANGLE, {{0, 0, 0}, {0, 4, 0}, {4, 0, 0}}, 0, {0}},
     {{1, 1, 0}, {0, 0, -4}, 0, 1}, true, true, false, 0, 0, {0, 0, -1}},
    {"triangle of a segment", {TRIANGLE, {{-1, 0, 0}, {1, 0, 0}, {0, 0, 0}}, 0, {0}},
     {{0.5, 0, 3}, {0, 0, -4}, 1, 1}, true, false, true, 0.5, 2, {0, 0, 1}},
    {"triangle of a point", {TRIANGLE, {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}, 0, {0}},
     {{4, 0, 0}, {-4, 0, 0}, 1, 1}, true, false, true, 0.5, 2, {1, 0, 0}},
    {"disc, face", {DISC, {{0, 0, 0}, {0, 0, 1}}, 2, {0}}, {{1, 1, -3}, {0, 0, 4}, 1, 1},
     true, false, true, 0.5, 2, {0, 0, -1}},
    {"disc, rim", {DISC, {{0, 0, 0}, {0, 0, 1}}, 2, {0}}, {{5, 0, 0}, {-4, 0, 0}, 1, 1},
     true, false, true, 0.5, 2, {1, 0, 0}},
    {"disc, just beyond the rim", {DISC, {{0, 0, 0}, {0, 0, 1}}, 2, {0}},
     {{3.0001, 0, 3}, {0, 0, -4}, 1, 2},
     false, false, true, 0, 2.1623092843679919, {0, 0, 0}},
    {"disc of no radius", {DISC, {{1, 0, 0}, {0, 0, 1}}, 0, {0}}, {{4, 0, 0}, {-4, 0, 0}, 1, 1},
     true, false, true, 0.5, 2, {1, 0, 0}},
    {"disc, a point in its plane", {DISC, {{0, 0, 0}, {0, 0, 1}}, 2, {0}},
     {{4, 0, 0}, {-4, 0, 0}, 0, 1},
     true, false, true, 0.5, 2, {1, 0, 0}},
    {"box, face", {BOX, {{0, 0, 0}, {1, 2, 3}}, 0, {0, 0, 0, 1}}, {{4, 1, 1}, {-4, 0, 0}, 1, 1},
     true, false, true, 0.5, 2, {1, 0, 0}},
    {"box, a quarter turn", {BOX, {{0, 0, 0}, {1, 2, 3}}, 0, {0.5, 0.5, 0.5, 0.5}},
     {{0, 4, 0}, {0, -4, 0}, 1, 1}, true, false, true, 0.5, 2, {0, 1, 0}},
    {"box, inside", {BOX, {{0, 0, 0}, {1, 2, 3}}, 0, {0, 0, 0, 1}}, {{0.5, 0, 0}, {1, 0, 0}, 1, 1},
     true, true, false, 0, -1.5, {1, 0, 0}},
    {"box, deeper", {BOX, {{0, 0, 0}, {1, 2, 3}}, 0, {0, 0, 0, 1}}, {{0.5, 0, 0}, {-1, 0, 0}, 1, 1},
     true, true, true, 0, -1.5, {1, 0, 0}},
    {"flat box, a point in it", {BOX, {{0, 0, 0}, {1, 0, 3}}, 0, {0, 0, 0, 1}},
     {{0, 2, 0}, {0, -4, 0}, 0, 1},
     true, false, true, 0.5, 2, {0, 1, 0}},
    {"box of one point", {BOX, {{1, 0, 0}, {0, 0, 0}}, 0, {0, 0, 0, 1}},
     {{4, 0, 0}, {-4, 0, 0}, 1, 1},
     true, false, true, 0.5, 2, {1, 0, 0}},
};
/* clang-format on */

Test(sweep_shapes, simple_cases_have_exact_values)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const struct row *row = &rows[i];
        kugel_contact c = sweep(&row->shape, &row->motion);
        cr_assert_eq(c.hit, row->hit, "%s: hit %d, time %g", row->name, c.hit, c.time);
        cr_assert_eq(c.touching, row->touching, "%s: gap %g", row->name, c.gap);
        cr_assert_eq(c.approaching, row->approaching, "%s", row->name);
        double slack = strstr(row->name, "graze") ? 1e-7 : 1e-15;
        cr_assert(fabs(c.time - row->time) <= slack, "%s: time %.17g", row->name, c.time);
        cr_assert(fabs(c.gap - row->gap) < 1e-15, "%s: gap %.17g", row->name, c.gap);
        for (int k = 0; k < 3; ++k)
            cr_assert(fabs(c.normal[k] - row->normal[k]) <= slack, "%s: normal %g %g %g", row->name,
                      c.normal[0], c.normal[1], c.normal[2]);
    }
}

/* A sphere passes over the middle of each shape, higher or lower than touching. */
Test(sweep_shapes, grazing_spheres_hit_and_miss_within_1e_13)
{
    static const double tops[] = {-1e-3, -1e-9, -1e-13, 0, 1e-13, 1e-9, 1e-3};
    static const shape flat[KINDS] = {
        {SEGMENT, {{-1, 0, 0}, {1, 0, 0}}, 0, {0}},
        {CAPSULE, {{-1, 0, -0.5}, {1, 0, -0.5}}, 0.5, {0}},
        {TRIANGLE, {{-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}}, 0, {0}},
        {DISC, {{0, 0, 0}, {0, 0, 1}}, 2, {0}},
        {BOX, {{0, 0, -1}, {3, 2, 1}}, 0, {0, 0, 0, 1}},
    };
    for (int k = 0; k < KINDS; ++k) {
        for (int i = 0; i < 7; ++i) {
            const motion m = {{0.25, -10, 0.5 + tops[i]}, {0, 10, 0}, 0.5, 2};
            kugel_contact c = sweep(&flat[k], &m);
            cr_assert_eq(c.hit, tops[i] <= 0, "%s: passes %g over the top: hit %d", kind_names[k],
                         tops[i], c.hit);
        }
    }
}

/* Triangles without an area agree with segments at all scales. */
Test(sweep_shapes, degenerate_shapes_are_those_of_fewer_dimensions)
{
    support_random random = support_random_start("degenerate", 31);
    int hits = 0;
    for (int i = 0; i < 6000; ++i) {
        double size = power_of_ten(&random, -3, 6);
        shape thin = random_shape(&random, TRIANGLE, size), segment = thin;
        segment.kind = SEGMENT;
        double share = i % 3 == 0 ? 0 : i % 3 == 1 ? 0.5 : support_uniform(&random);
        for (int k = 0; k < 3; ++k)
            thin.point[2][k] = thin.point[0][k] + share * (thin.point[1][k] - thin.point[0][k]);
        motion m = random_motion(&random, &thin, size, 4);
        kugel_contact one = sweep(&thin, &m), two = sweep(&segment, &m);
        double scale = 14 * size;
        cr_assert(fabs(one.gap - two.gap) < 1e-15 * scale, "%g", (one.gap - two.gap) / scale);
        if (m.radius == 0 || one.hit != two.hit) {
            double closest = (double)exact_sweep(&segment, &m).closest;
            cr_assert(m.radius == 0 || fabs(closest) < 4e-15 * scale, "closest %g",
                      closest / scale);
            continue;
        }
        hits += one.hit && !one.touching;
        if (one.hit)
            cr_assert(fabsl(gap_at(&segment, &m, one.time)) < 2e-15L * scale || one.touching);
    }
    cr_assert(hits > 500, "%d hits", hits);
}

/* A point passes through a triangle where its plane does, far away and fast; the normal is that of
 * the side from which it comes. */
static void check_points(uint64_t seed)
{
    support_random random = support_random_start("points", seed);
    for (int i = 0; i < 20000; ++i) {
        double size = power_of_ten(&random, -3, 6), share[3], sum = 0;
        shape s = random_shape(&random, i % 2 ? TRIANGLE : DISC, size);
        s.radius = size;
        oracle_vec target, n, u, v;
        for (int c = 0; c < 3; ++c) sum += share[c] = support_between(&random, 0.1, 1);
        for (int k = 0; k < 3; ++k) {
            u[k] = s.point[1][k] - s.point[0][k], v[k] = s.point[2][k] - s.point[0][k];
            target[k] = s.point[0][k];
            if (i % 2) target[k] += (share[1] * u[k] + share[2] * v[k]) / sum;
            n[k] = s.point[1][k];
        }
        for (int k = 0; k < 3 && i % 2; ++k)
            n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        long double length = sqrtl(oracle_dot(n, n)), side = 0;
        if (i % 2 && length < 1e-4L * size * size) continue; /* of slivers the edge counts, too */
        motion m = {.dt = 1};
        support_direction(&random, power_of_ten(&random, -3, 4) * size, m.velocity);
        for (int k = 0; k < 3; ++k) {
            m.center[k] = (double)(target[k] - m.velocity[k] * 0.75L);
            side -= n[k] * m.velocity[k] / length;
        }
        double speed = sqrt(m.velocity[0] * m.velocity[0] + m.velocity[1] * m.velocity[1] +
                            m.velocity[2] * m.velocity[2]);
        if (fabsl(side) < 1e-3L * speed) continue;
        kugel_contact c = sweep(&s, &m);
        double slack = 1e-14 * (speed + 10 * size) / (double)fabsl(side);
        cr_assert(c.hit && !c.touching, "case %d: size %g, speed %g", i, size, speed);
        cr_assert(fabs(c.time - 0.75) < slack, "case %d: time %.17g", i, c.time);
        for (int k = 0; k < 3; ++k) {
            double expected = (double)(side < 0 ? -n[k] / length : n[k] / length);
            cr_assert(fabs(c.normal[k] - expected) < 1e-10, "case %d: normal %g, not %g", i,
                      c.normal[k], expected);
        }
    }
}

Test(sweep_shapes, points_pass_no_triangle_and_no_disc)
{
    const uint64_t needles = 2000043; /* one was passed */
    check_points(37);
    check_points(needles);
}

Test(sweep_shapes, capsules_of_one_point_have_the_bits_of_spheres)
{
    support_random random = support_random_start("capsule_sphere", 41);
    int hits = 0;
    for (int i = 0; i < 2000; ++i) {
        shape s = random_shape(&random, CAPSULE, 1);
        motion m = random_motion(&random, &s, 1, 5);
        kugel_contact capsule, sphere;
        kugel_sweep_sphere_capsule(m.center, m.velocity, m.radius, s.point[0], s.point[0], s.radius,
                                   m.dt, &capsule);
        kugel_sweep_spheres(m.center, m.velocity, m.radius, s.point[0], (double[3]){0}, s.radius,
                            m.dt, &sphere);
        cr_assert(capsule.hit == sphere.hit && capsule.time == sphere.time &&
                  capsule.gap == sphere.gap && capsule.normal[0] == sphere.normal[0]);
        hits += capsule.hit;
    }
    cr_assert(hits > 300, "%d hits", hits);
}

/* The step sweeps triangles of a mesh by closed forms: both find the same contacts. */
Test(sweep_shapes, triangles_agree_with_the_sweep_of_meshes)
{
    support_random random = support_random_start("mesh", 43);
    const kugel_allocator none = {0};
    kg_memory memory;
    kg_memory_init(&memory, &none);
    static const uint32_t corners[3] = {0, 1, 2};
    int hits = 0;
    for (int i = 0; i < 20000; ++i) {
        shape s = random_shape(&random, TRIANGLE, 1);
        motion m = random_motion(&random, &s, 1, 20);
        kg_mesh mesh;
        cr_assert(kg_mesh_build(&memory, NULL, &mesh, s.point[0], 3, corners, 1, false));
        kg_mesh_path path = {.radius = m.radius, .horizon = m.dt};
        for (int k = 0; k < 3; ++k) path.x[k] = m.center[k], path.v[k] = m.velocity[k];
        uint32_t feature;
        double normal[3], time = kg_mesh_cast(&mesh, &path, false, &feature, normal);
        kugel_contact c = sweep(&s, &m);
        kg_mesh_free(&memory, &mesh);
        if (m.radius == 0 || c.touching) continue;
        if (c.hit != (time <= m.dt)) {
            cr_assert(fabsl(exact_sweep(&s, &m).closest) < 1e-13L, "case %d", i);
            continue;
        }
        if (!c.hit) continue;
        ++hits;
        cr_assert(fabs((double)gap_at(&s, &m, c.time) - (double)gap_at(&s, &m, time)) < 1e-12,
                  "case %d: %g and %g", i, c.time, time);
    }
    cr_assert(hits > 1000, "%d hits", hits);
}

/* The step sweeps capsules as surfaces, on parabolas, too: both find the same contacts. */
Test(sweep_shapes, capsules_agree_with_the_sweep_of_surfaces)
{
    support_random random = support_random_start("surface", 47);
    int hits = 0;
    for (int i = 0; i < 20000; ++i) {
        shape s = random_shape(&random, CAPSULE, 1);
        double half = support_uniform(&random);
        for (int k = 0; k < 3; ++k)
            s.point[0][k] = k == 2 ? -half : 0, s.point[1][k] = k == 2 ? half : 0;
        motion m = random_motion(&random, &s, 1, 10);
        kg_shape solid = {KUGEL_SURFACE_CAPSULE, {s.radius, half}};
        kg_mesh_path path = {.radius = m.radius, .horizon = m.dt};
        for (int k = 0; k < 3; ++k) path.x[k] = m.center[k], path.v[k] = m.velocity[k];
        double normal[3], time = kg_shape_sweep(&solid, &path, normal);
        kugel_contact c = sweep(&s, &m);
        if (c.touching) continue;
        if (c.hit != (time <= m.dt)) {
            cr_assert(fabsl(exact_sweep(&s, &m).closest) < 1e-12L, "case %d", i);
            continue;
        }
        if (!c.hit) continue;
        ++hits;
        cr_assert(fabs((double)gap_at(&s, &m, c.time) - (double)gap_at(&s, &m, time)) < 1e-12,
                  "case %d: %g and %g", i, c.time, time);
        for (int k = 0; k < 3; ++k) cr_assert(fabs(c.normal[k] + normal[k]) < 1e-6, "case %d", i);
    }
    cr_assert(hits > 1000, "%d hits", hits);
}

/* A sphere in a plane recedes and is pulled back before it has left. It turns at v / a along the
 * normal; the contact is found there. */
Test(sweep_shapes, overlapping_spheres_that_turn_back_are_found_at_once)
{
    support_random random = support_random_start("sweep_shapes/turn", 9);
    const kg_shape ground = {KUGEL_SURFACE_PLANE, {0}};
    for (int trial = 0; trial < 2000; ++trial) {
        kg_mesh_path path = {.radius = 1, .horizon = support_between(&random, 0.1, 10)};
        double turn = path.horizon * support_between(&random, 0, 0.9), normal[3];
        for (int k = 0; k < 2; ++k) {
            path.v[k] = support_between(&random, -9, 9);
            path.a[k] = support_between(&random, -9, 9);
        }
        path.a[2] = -support_between(&random, 0.1, 9);
        path.v[2] = -path.a[2] * turn;
        path.x[2] = 0.5 - 0.5 * path.v[2] * turn; /* rises to half a radius of overlap */
        double t = kg_shape_sweep(&ground, &path, normal);
        cr_assert_float_eq(t, turn, 1e-12 * turn, "trial %d: %g s, it turns at %g s", trial, t,
                           turn);
        cr_assert_eq(normal[2], -1);
    }
}

/* A sphere falls beside a tall cylinder, at a gap so small that safe steps are short. It drifts
 * towards the cylinder, and meets it or not within the horizon. A contact is reported where the gap
 * is closed only: before, the sweep gave up after 10,000 steps and reported one at an open gap. The
 * axis is along z, so the gap is that of circles: x, in closed form. */
Test(sweep_shapes, a_long_way_beside_a_cylinder_ends_at_a_closed_gap)
{
    const kg_shape cylinder = {KUGEL_SURFACE_CONE, {1, 1, 1000}};
    int hits = 0;
    for (int k = 0; k < 12; ++k) {
        double gap = 1e-9 / (1 + k), share = k % 3 ? 0.5 : 1.25, normal[3];
        kg_mesh_path path = {.x = {1.5 + gap, 0, 0}, .radius = 0.5, .horizon = 5};
        path.v[0] = -share * gap / path.horizon, path.v[2] = -100, path.a[2] = -10;
        double t = kg_shape_sweep(&cylinder, &path, normal);
        cr_assert_eq(t <= path.horizon, share > 1, "gap %g, share %g: %g s", gap, share, t);
        if (share < 1) continue;
        /* a gap of 2^-50 of the sizes counts as closed */
        double error = 0x1p-50 * 1010 / -path.v[0];
        cr_assert_float_eq(t, path.horizon / share, error, "gap %g: %g s", gap, t);
        cr_assert_eq(normal[0], -1);
        ++hits;
    }
    cr_assert_eq(hits, 4);
}
