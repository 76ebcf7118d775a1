/* The pairs of --check are those of brute force: with periodic and open axes, unlike radii, places
 * far away, spheres that just touch or just do not, and any motion between two searches. */
#include <criterion/criterion.h>
#include <math.h>
#include <sphere_pairs.h>
#include <string.h>

#include "support/support_random.h"

enum { MOST = 200 };

typedef struct spheres {
    kugel_bounds bounds;
    uint32_t count;
    double radius[MOST], place[MOST][3];
    double far; /* m, places of open axes are within this of each other */
    bool found[MOST][MOST];
} spheres;

static void note(void *context, uint32_t a, uint32_t b, double d2)
{
    spheres *s = context;
    double reach = s->radius[a] + s->radius[b];
    cr_assert(a != b && d2 <= reach * reach);
    s->found[a][b] = s->found[b][a] = true;
}

static bool is_periodic(const spheres *s, int k)
{
    return s->bounds.faces[2 * k] == KUGEL_FACE_PERIODIC;
}

static bool overlap(const spheres *s, uint32_t a, uint32_t b)
{
    double sum = 0, reach = s->radius[a] + s->radius[b];
    for (int k = 0; k < 3; ++k) {
        double d = fabs(s->place[a][k] - s->place[b][k]);
        if (is_periodic(s, k)) d = fmin(d, s->bounds.max[k] - s->bounds.min[k] - d);
        sum += d * d;
    }
    return sum <= reach * reach;
}

static void make(spheres *s, support_random *random)
{
    static const double spread[] = {1, 0.9, 0.3, 0.05, 1e-3, 1e-12};
    double largest = pow(10, support_between(random, -3, 1));
    double smallest = largest * spread[support_below(random, 6)];
    bool two = support_uniform(random) < 0.3;
    *s = (spheres){.count = 1 + support_below(random, MOST)};
    s->far =
        largest * pow(10, support_between(random, 0.5, support_uniform(random) < 0.5 ? 2 : 13));
    for (int k = 0; k < 3; ++k) {
        int face = support_uniform(random) < 0.5 ? KUGEL_FACE_PERIODIC : KUGEL_FACE_OPEN;
        s->bounds.faces[2 * k] = s->bounds.faces[2 * k + 1] = face;
        s->bounds.min[k] = support_between(random, -9, 9) * largest;
        s->bounds.max[k] = s->bounds.min[k] + support_between(random, 4.01, 15) * largest;
    }
    for (uint32_t i = 0; i < s->count; ++i) {
        double share = support_uniform(random);
        s->radius[i] = smallest + (largest - smallest) * (two ? share < 0.2 : share);
    }
}

/* Most places are anywhere, or where they were; some touch an earlier sphere. */
static void place_one(spheres *s, support_random *random, uint32_t i, bool first)
{
    double *x = s->place[i], to[3];
    if (!first && support_uniform(random) < 0.3) return;
    uint32_t other = support_below(random, i + 1);
    double gap = pow(10, support_between(random, -12, 0));
    gap *= support_uniform(random) < 0.5 ? -1 : 1;
    support_direction(random, (s->radius[i] + s->radius[other]) * (1 + gap), to);
    bool touches = other != i && support_uniform(random) < 0.5;
    for (int k = 0; k < 3; ++k) {
        double low = s->bounds.min[k], length = s->bounds.max[k] - low;
        if (touches) x[k] = s->place[other][k] + to[k];
        else if (is_periodic(s, k)) x[k] = low + support_uniform(random) * length;
        else x[k] = low + support_between(random, -1, 1) * s->far;
        if (!is_periodic(s, k)) continue;
        x[k] -= length * floor((x[k] - low) / length);
        x[k] = support_uniform(random) < 0.02 ? s->bounds.max[k]
                                              : fmin(fmax(x[k], low), s->bounds.max[k]);
    }
}

Test(sphere_pairs, are_those_of_brute_force)
{
    support_random random = support_random_start("sphere_pairs", 5);
    static spheres s;
    size_t overlaps = 0;
    for (int world = 0; world < 600; ++world) {
        sphere_pairs pairs;
        make(&s, &random);
        cr_assert(sphere_pairs_open(&pairs, &s.bounds, s.radius, s.count));
        for (int tick = 0; tick < 4; ++tick) {
            for (uint32_t i = 0; i < s.count; ++i) place_one(&s, &random, i, tick == 0);
            memset(s.found, 0, sizeof s.found);
            sphere_pairs_find(&pairs, s.place[0], note, &s);
            for (uint32_t i = 0; i < s.count; ++i) {
                for (uint32_t j = 0; j < i; ++j) {
                    cr_assert_eq(s.found[i][j], overlap(&s, i, j), "world %d, tick %d: %u, %u",
                                 world, tick, i, j);
                    overlaps += s.found[i][j];
                }
            }
        }
        sphere_pairs_close(&pairs);
    }
    cr_assert_gt(overlaps, 10000);
}

enum { WIDE = 33, MANY = WIDE * WIDE * WIDE };

/* A lattice of spheres that overlap their six neighbours. Sphere 0 is in the middle. */
typedef struct dense_lattice {
    double radius[MANY], place[MANY][3];
    uint8_t found[MANY]; /* bit k: the pair with the next sphere along axis k */
} dense_lattice;

static void note_lattice(void *context, uint32_t a, uint32_t b, double d2)
{
    dense_lattice *l = context;
    cr_assert(d2 < 1);
    for (int k = 0; k < 3; ++k) {
        double step = l->place[b][k] - l->place[a][k];
        if (fabs(step) > 0.5) l->found[step > 0 ? a : b] |= (uint8_t)(1 << k);
    }
}

/* More than 2^15 spheres have more buckets than numbers of cells along an axis: on an open axis the
 * cells of the largest and of the smallest number, at the first sphere, are neighbours. */
Test(sphere_pairs, of_many_spheres_around_the_first)
{
    static dense_lattice l;
    kugel_bounds bounds = kugel_world_def_default().bounds;
    sphere_pairs pairs;
    for (uint32_t i = 0; i < MANY; ++i) {
        uint32_t at = (i + MANY / 2) % MANY;
        const uint32_t cell[3] = {at % WIDE, at / WIDE % WIDE, at / WIDE / WIDE};
        l.radius[i] = 0.5;
        for (int k = 0; k < 3; ++k) l.place[i][k] = 0.99 * cell[k];
    }
    cr_assert(sphere_pairs_open(&pairs, &bounds, l.radius, MANY));
    sphere_pairs_find(&pairs, l.place[0], note_lattice, &l);
    for (uint32_t i = 0; i < MANY; ++i) {
        for (int k = 0; k < 3; ++k) {
            bool last = l.place[i][k] > 0.99 * (WIDE - 1.5);
            cr_assert_eq(l.found[i] >> k & 1, !last, "sphere %u, axis %d", i, k);
        }
    }
    sphere_pairs_close(&pairs);
}
