/* Sizes and mixtures of scenes: distributions of radii against their closed forms, masses from
 * densities, packings without overlaps by brute force, the same bodies from the same seed. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"

#define PI 3.14159265358979323846
#define ROUNDING 1e-8 /* of nine digits, m */

/* The bodies of a scene at its start, as --export xyz writes them: radii and velocities have nine
 * digits. */
typedef struct sphere {
    double place[3], velocity[3], radius;
} sphere;

typedef struct spheres {
    size_t count;
    sphere *each;
    double energy; /* J, at the start */
    char hash[24]; /* at the end */
} spheres;

/* `keys` of a scene that runs no tick. */
static spheres make(const char *keys)
{
    char *scene = NULL;
    spheres s = {0};
    cr_assert(asprintf(&scene, "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 0, %s}",
                       keys) > 0);
    support_write_file("mix.json", scene);
    support_program run = RUN("mix.json", "--quiet", "--export", "mix.xyz", "--check");
    cr_assert_eq(run.code, 0, "%s of %s", run.err, scene);
    cr_assert_eq(sscanf(support_line_from_end(run.out, 1), "energy %lf", &s.energy), 1);
    cr_assert_eq(sscanf(support_line_from_end(run.out, 0), "hash %23s", s.hash), 1);
    char *text = support_read_file("mix.xyz"), *save, *line = strtok_r(text, "\n", &save);
    s.each = calloc(strtoul(line, NULL, 10) + 1, sizeof *s.each);
    strtok_r(NULL, "\n", &save);
    while ((line = strtok_r(NULL, "\n", &save))) {
        sphere *b = &s.each[s.count++];
        cr_assert_eq(sscanf(line, "%*s %lf %lf %lf %lf %lf %lf %lf", &b->place[0], &b->place[1],
                            &b->place[2], &b->velocity[0], &b->velocity[1], &b->velocity[2],
                            &b->radius),
                     7);
    }
    free(text);
    free(scene);
    support_program_free(&run);
    return s;
}

#define ROW                                                                                        \
    "\"lattice\": {\"origin\": [0, 0, 1], \"spacing\": [9, 9, 9], \"count\": [100, 100, 1], "

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Kolmogorov and Smirnov: the largest difference of the cumulative distributions. */
static double distance_to(const spheres *s, double (*cdf)(double radius))
{
    double *radius = malloc(s->count * sizeof *radius), n = (double)s->count, largest = 0;
    for (size_t i = 0; i < s->count; ++i) radius[i] = s->each[i].radius;
    qsort(radius, s->count, sizeof *radius, rising);
    for (size_t i = 0; i < s->count; ++i) {
        double f = cdf(radius[i]);
        largest = fmax(largest, fmax(f - (double)i / n, (double)(i + 1) / n - f));
    }
    free(radius);
    return largest;
}

static double uniform(double r) { return (r - 0.5) / 1.5; }
static double log_uniform(double r) { return log(r / 0.01) / log(200); }
static double power(double r) /* exponent -3.5 */
{
    return (pow(r, -2.5) - pow(0.1, -2.5)) / (pow(2, -2.5) - pow(0.1, -2.5));
}
static double rising_power(double r) { return (pow(r, 3) - 1e-3) / (8 - 1e-3); }
static double inverse_power(double r) { return log(r / 0.1) / log(20); }

/* With 10,000 radii one in a hundred seeds differs by more than 1.63 / sqrt(10,000). */
Test(mixtures, radii_follow_their_distributions)
{
    static const struct {
        const char *radius;
        double (*cdf)(double radius);
    } rows[] = {{"{\"uniform\": [0.5, 2]}", uniform},
                {"{\"log_uniform\": [0.01, 2]}", log_uniform},
                {"{\"power\": [0.1, 2, -3.5]}", power},
                {"{\"power\": [0.1, 2, 2]}", rising_power},
                {"{\"power\": [0.1, 2, -1]}", inverse_power}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char keys[512];
        snprintf(keys, sizeof keys, "\"generators\": [{" ROW "\"radius\": %s}}]", rows[k].radius);
        spheres s = make(keys);
        cr_assert_eq(s.count, 10000);
        double distance = distance_to(&s, rows[k].cdf);
        cr_assert_lt(distance, 0.0163, "%s: %g", rows[k].radius, distance);
        free(s.each);
    }
}

/* Shares 1/2, 3/10, 1/5, within four standard deviations; "defaults" count as well. */
Test(mixtures, choices_have_their_weights)
{
    spheres s = make("\"defaults\": {\"radius\": {\"choices\": [[1, 5], [2, 3], [0.5, 2]]}}, "
                     "\"generators\": [{" ROW "\"seed\": 3}}]");
    double count[3] = {0};
    for (size_t i = 0; i < s.count; ++i) {
        double r = s.each[i].radius;
        cr_assert(r == 1 || r == 2 || r == 0.5);
        count[r == 1 ? 0 : r == 2 ? 1 : 2] += 1;
    }
    cr_assert(fabs(count[0] - 5000) < 200 && fabs(count[1] - 3000) < 184 &&
                  fabs(count[2] - 2000) < 160,
              "%g, %g, %g", count[0], count[1], count[2]);
    free(s.each);
}

/* At a height of 1 m under 1 m/s^2 the potential energy is the mass. */
Test(mixtures, density_gives_masses)
{
    spheres s =
        make("\"gravity\": [0, 0, -1], \"defaults\": {\"density\": 2500}, \"generators\": [{" ROW
             "\"radius\": {\"uniform\": [0.1, 0.3]}}}]");
    double mass = 0;
    for (size_t i = 0; i < s.count; ++i) mass += 2500 * 4 / 3. * PI * pow(s.each[i].radius, 3);
    cr_assert(fabs(s.energy / mass - 1) < ROUNDING, "%.17g J, %.17g kg", s.energy, mass);
    free(s.each);
    s = make(
        "\"gravity\": [0, 0, -1], \"defaults\": {\"density\": 3, \"radius\": 0.5}, \"bodies\": ["
        "{\"position\": [0, 0, 1]}, {\"position\": [5, 0, 1], \"mass\": 7}, "
        "{\"position\": [9, 0, 1], \"density\": 6, \"radius\": 1}], \"generators\": [{" ROW
        "\"mass\": 2}}]");
    double wanted = 3 * PI / 6 + 7 + 6 * 4 * PI / 3 + 20000;
    cr_assert(fabs(s.energy / wanted - 1) < ROUNDING, "%.17g J, %.17g kg", s.energy, wanted);
    free(s.each);
}

/* Positions of a lattice do not depend on its radii. */
Test(mixtures, radii_move_no_lattice)
{
    spheres a = make("\"generators\": [{" ROW "\"jitter\": 1}}]"),
            b = make("\"generators\": [{" ROW
                     "\"jitter\": 1, \"radius\": {\"uniform\": [1, 2]}}}]");
    for (size_t i = 0; i < a.count; ++i)
        cr_assert_eq(memcmp(a.each[i].place, b.each[i].place, sizeof a.each->place), 0);
    free(a.each);
    free(b.each);
}

static double gap(const sphere *a, const sphere *b, const double period[3])
{
    double d2 = 0;
    for (int k = 0; k < 3; ++k) {
        double d = a->place[k] - b->place[k];
        if (period[k] > 0) d -= period[k] * nearbyint(d / period[k]);
        d2 += d * d;
    }
    return sqrt(d2) - a->radius - b->radius;
}

/* Each pair, and the faces of the box [0, edge]^3. */
static void assert_apart(const spheres *s, double edge, const double period[3])
{
    for (size_t i = 0; i < s->count; ++i) {
        const sphere *a = &s->each[i];
        for (int k = 0; k < 3; ++k) {
            double inset = period[k] > 0 ? 0 : a->radius;
            cr_assert(a->place[k] >= inset - ROUNDING && a->place[k] <= edge - inset + ROUNDING,
                      "body %zu is outside", i);
        }
        for (size_t j = 0; j < i; ++j) {
            double g = gap(a, &s->each[j], period);
            cr_assert(g > -ROUNDING, "bodies %zu and %zu overlap by %g m", i, j, -g);
        }
    }
}

static double packing(const spheres *s, size_t first, size_t last, double volume)
{
    double sum = 0;
    for (size_t i = first; i < last; ++i) sum += 4 / 3. * PI * pow(s->each[i].radius, 3);
    return sum / volume;
}

#define BOX                                                                                        \
    "\"bounds\": {\"min\": [0, 0, 0], \"max\": [10, 10, 10], \"faces\": [\"periodic\", "           \
    "\"periodic\", \"wall\", \"wall\", \"wall\", \"wall\"]}, "

/* Half of the volume, of equal spheres and of mixtures. */
Test(mixtures, reach_half_the_volume_without_overlaps)
{
    static const char *const gases[] = {
        "{\"gas\": {\"packing_fraction\": 0.5, \"radius\": 0.4}}",
        "{\"gas\": {\"count\": 2000, \"packing_fraction\": 0.5, \"radius\": {\"uniform\": [1, "
        "2]}}}",
        "{\"gas\": {\"packing_fraction\": 0.5, \"radius\": {\"log_uniform\": [0.1, 1.5]}}}",
        "{\"gas\": {\"packing_fraction\": 0.25, \"radius\": 1.2}}, "
        "{\"gas\": {\"packing_fraction\": 0.25, \"radius\": 0.25}}",
        "{\"gas\": {\"count\": 500, \"packing_fraction\": 0.2}}, "
        "{\"gas\": {\"count\": 1500, \"packing_fraction\": 0.3}}"};
    static const double period[3] = {10, 0, 0};
    for (size_t k = 0; k < sizeof gases / sizeof *gases; ++k) {
        char keys[1024];
        snprintf(keys, sizeof keys, BOX "\"generators\": [%s]", gases[k]);
        spheres s = make(keys);
        double fraction = packing(&s, 0, s.count, 1000);
        cr_assert(fabs(fraction - 0.5) < 0.005, "%g in %zu spheres", fraction, s.count);
        assert_apart(&s, 10, period);
        free(s.each);
    }
}

/* Clear of planes, listed bodies and lattices before and after; each gas has its own number. */
Test(mixtures, keep_clear_of_all_else)
{
    static const double period[3] = {10, 0, 0};
    spheres s =
        make(BOX "\"planes\": [{\"normal\": [0.6, 0, 0.8], \"offset\": 3}], "
                 "\"bodies\": [{\"position\": [9, 5, 5], \"type\": \"static\", \"radius\": 2}], "
                 "\"generators\": ["
                 "{\"gas\": {\"packing_fraction\": 0.15, \"radius\": 0.5, \"speed_sigma\": 2}}, "
                 "{\"gas\": {\"count\": 800, \"radius\": {\"choices\": [[0.2, 1], [0.3, 1]]}}}, "
                 "{\"lattice\": {\"origin\": [4, 2, 8.5], \"spacing\": [1, 1, 1], \"count\": [4, "
                 "7, 1], \"radius\": 0.4}}]");
    size_t coarse = (size_t)(0.15 * 1000 / (4 / 3. * PI * 0.125) + 0.5);
    cr_assert_eq(s.count, 1 + coarse + 800 + 28, "%zu bodies", s.count);
    cr_assert(fabs(packing(&s, 1, 1 + coarse, 1000) - 0.15) < 0.0003);
    assert_apart(&s, 10, period);
    double mean[3] = {0}, square = 0;
    for (size_t i = 1; i < s.count; ++i) {
        const sphere *b = &s.each[i];
        double height = 0.6 * b->place[0] + 0.8 * b->place[2] - 3;
        cr_assert(i >= 1 + coarse + 800 || height > b->radius - ROUNDING, "body %zu: %g m", i,
                  height);
        for (int k = 0; k < 3 && i < 1 + coarse; ++k) {
            mean[k] += b->velocity[k];
            square += b->velocity[k] * b->velocity[k] / (3 * (double)coarse);
        }
        cr_assert(i < 1 + coarse || b->velocity[0] == 0);
    }
    for (int k = 0; k < 3; ++k) cr_assert_lt(fabs(mean[k]), 1e-5);
    cr_assert(fabs(sqrt(square) - 2) < 0.2, "sigma %g", sqrt(square));
    free(s.each);
}

/* Gases of equal spheres by count and fraction keep off the lattices before and behind them: below
 * the fraction at which places are random, and above. */
Test(mixtures, plain_gases_keep_off_lattices)
{
    static const double period[3] = {10, 0, 0}, fractions[] = {0.2, 0.3};
    for (int k = 0; k < 4; ++k) {
        char gas[128], keys[512];
        const char *lattice = "{\"lattice\": {\"origin\": [2, 2, 2], \"spacing\": [1.1, 1.1, 1.1], "
                              "\"count\": [4, 4, 4]}}";
        snprintf(gas, sizeof gas, "{\"gas\": {\"count\": 382, \"packing_fraction\": %g}}",
                 fractions[k / 2]);
        snprintf(keys, sizeof keys, BOX "\"generators\": [%s, %s]", k % 2 ? gas : lattice,
                 k % 2 ? lattice : gas);
        spheres s = make(keys);
        cr_assert_eq(s.count, 382 + 64);
        assert_apart(&s, 10, period);
        free(s.each);
    }
}

/* A static body takes no spin from the defaults: none with a spin could be made. */
Test(mixtures, static_generators_do_not_spin)
{
    static const char *const generators[] = {
        "{\"lattice\": {\"origin\": [2, 2, 2], \"spacing\": [2, 2, 2], \"count\": [2, 1, 1]}}",
        "{\"gas\": {\"count\": 5, \"packing_fraction\": 0.1}}",
        "{\"gas\": {\"packing_fraction\": 0.1, \"radius\": {\"uniform\": [0.3, 0.4]}}}"};
    for (size_t k = 0; k < sizeof generators / sizeof *generators; ++k) {
        char keys[512];
        snprintf(keys, sizeof keys,
                 BOX
                 "\"defaults\": {\"type\": \"static\", \"spin\": [0, 0, 1]}, \"generators\": [%s]",
                 generators[k]);
        spheres s = make(keys);
        cr_assert_gt(s.count, 1);
        cr_assert_eq(s.energy, 0);
        free(s.each);
    }
}

/* Where the spheres of a gas may be: distance of a centre from the surfaces, < 0 where none may. */
static double outside_box(const double x[3])
{
    double square = 0;
    for (int k = 0; k < 3; ++k) square += pow(fmax(fabs(x[k] - 5) - 2, 0), 2);
    return square > 0 ? sqrt(square) : -1;
}

static double outside_capsule(const double x[3])
{
    double z = x[2] < 4 ? 4 : x[2] > 6 ? 6 : x[2];
    return sqrt(pow(x[0] - 5, 2) + pow(x[1] - 5, 2) + pow(x[2] - z, 2)) - 2;
}

/* A prism inside of a cylinder, with its ends at the walls. */
static double inside_drum(const double x[3]) { return 5 - hypot(x[0] - 5, x[1] - 5); }

static double from_sheet(const double x[3]) { return fabs(x[2] - 5); }

/* Clear of surfaces: outside of closed meshes and solid shapes, inside of a mesh as large as the
 * bounds, on both sides of a sheet; at random, on a lattice, relaxed. */
Test(mixtures, keep_off_surfaces)
{
    static const struct {
        const char *surface;
        double (*distance)(const double x[3]);
    } shapes[] = {
        {"\"box\": {\"half\": [2, 2, 2]}, \"position\": [5, 5, 5]", outside_box},
        {"\"box\": {\"half\": [2, 2, 2]}, \"position\": [5, 5, 5], \"sides\": 1", outside_box},
        {"\"capsule\": {\"from\": [5, 5, 4], \"to\": [5, 5, 6], \"radius\": 2, \"solid\": true}",
         outside_capsule},
        {"\"cylinder\": {\"from\": [5, 5, 0], \"to\": [5, 5, 10], \"radius\": 5}", inside_drum},
        {"\"disc\": {\"radius\": 20}, \"position\": [5, 5, 5]", from_sheet},
    };
    static const char *const gases[] = {
        "\"count\": 500, \"packing_fraction\": 0.1",
        "\"count\": 500, \"packing_fraction\": 0.35",
        "\"packing_fraction\": 0.1, \"radius\": {\"uniform\": [0.2, 0.4]}",
        "\"packing_fraction\": 0.4, \"radius\": {\"uniform\": [0.4, 0.5]}",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        for (size_t j = 0; j < sizeof gases / sizeof *gases; ++j) {
            char keys[1024];
            bool below = false, above = false;
            snprintf(
                keys, sizeof keys,
                "\"bounds\": {\"min\": [0, 0, 0], \"max\": [10, 10, 10]}, \"surfaces\": [{%s}], "
                "\"generators\": [{\"gas\": {%s}}]",
                shapes[i].surface, gases[j]);
            spheres s = make(keys);
            cr_assert_gt(s.count, 50);
            for (size_t k = 0; k < s.count; ++k) {
                double distance = shapes[i].distance(s.each[k].place);
                cr_assert(distance > s.each[k].radius - ROUNDING, "sphere %zu is %g m off in %s", k,
                          distance, keys);
                below = below || s.each[k].place[2] < 5;
                above = above || s.each[k].place[2] > 5;
            }
            cr_assert(below && above);
            free(s.each);
        }
    }
}

/* The same scene twice, and with another seed of one gas. */
Test(mixtures, follow_their_seeds)
{
    static const char *const seeds[] = {"1", "1", "2"};
    spheres s[3];
    for (int k = 0; k < 3; ++k) {
        char keys[512];
        snprintf(keys, sizeof keys,
                 BOX
                 "\"generators\": [{\"gas\": {\"packing_fraction\": 0.2, \"radius\": {\"uniform\": "
                 "[0.2, 0.6]}}}, {\"gas\": {\"count\": 900, \"packing_fraction\": 0.25, "
                 "\"radius\": {\"uniform\": [1, 2]}, \"seed\": %s}}]",
                 seeds[k]);
        s[k] = make(keys);
    }
    cr_assert_str_eq(s[0].hash, s[1].hash);
    cr_assert_str_neq(s[0].hash, s[2].hash);
    for (int k = 0; k < 3; ++k) free(s[k].each);
}

/* The bits of all positions (FNV-1a): the same with every compiler and processor, for ever. */
Test(mixtures, are_the_same_on_every_platform)
{
    spheres s = make(BOX "\"generators\": [{\"gas\": {\"packing_fraction\": 0.5, \"radius\": "
                         "{\"uniform\": [0.3, 0.6]}, \"seed\": 9}}]");
    unsigned long long hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < s.count; ++i) {
        unsigned char bytes[sizeof s.each->place];
        memcpy(bytes, s.each[i].place, sizeof bytes);
        for (size_t k = 0; k < sizeof bytes; ++k) hash = (hash ^ bytes[k]) * 0x100000001b3u;
    }
    cr_assert_eq(hash, 0x554617a018156183u, "0x%016llx", hash);
    free(s.each);
}
