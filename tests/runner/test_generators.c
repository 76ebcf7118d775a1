/* Generators: the same bodies with every compiler and processor, and little memory before the
 * bodies are created. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "runner/support_program.h"
#include "support/support_sanitized.h"

#define START "{\"format\": \"kugel-scene\", \"version\": 1, \"bounce_threshold\": 0, "
#define BOX                                                                                        \
    "\"bounds\": {\"min\": [0, 0, 0], \"max\": [12, 10, 9]}, \"defaults\": {\"radius\": 0.3}, "
#define PERIODIC                                                                                   \
    "\"bounds\": {\"min\": [0, 0, 0], \"max\": [12, 10, 9], \"faces\": [\"periodic\", "            \
    "\"periodic\", \"wall\", \"wall\", \"wall\", \"wall\"]}, \"defaults\": {\"radius\": 0.3}, "
#define LATTICE                                                                                    \
    "{\"lattice\": {\"origin\": [1, 1, 1], \"spacing\": [1, 1, 1], \"count\": [4, 3, 2], "         \
    "\"jitter\": 0.05, \"radius\": {\"uniform\": [0.2, 0.4]}, \"density\": 3, \"seed\": 4}}"
#define GAS(count, fraction)                                                                       \
    "{\"gas\": {\"count\": " count ", \"packing_fraction\": " fraction                             \
    ", \"speed_sigma\": 3, \"seed\": 5}}"

typedef struct row {
    char name[24], keys[900];
    uint64_t hash; /* FNV-1a of the trajectory's first frame */
} row;

static const row rows[] = {
    {"lattice", BOX "\"generators\": [" LATTICE "]}", 0xd7fba73db3cd4d00},
    {"gas after lattice", BOX "\"generators\": [" LATTICE ", " GAS("200", "0.05") "]}",
     0x3b8438b138fc8d31},
    {"gas before lattice", BOX "\"generators\": [" GAS("200", "0.02") ", " LATTICE "]}",
     0x404cb687376255d8},
    {"two gases", PERIODIC "\"generators\": [" GAS("200", "0.1") ", " GAS("50", "0.1") "]}",
     0x0c024737a8632d8a},
    {"on lattice sites", PERIODIC "\"generators\": [" GAS("300", "0.45") "]}", 0x434d1ecc1618f54c},
    {"one ball", BOX "\"generators\": [" GAS("1", "0.01") "]}", 0xfcc0e173a7f52e29},
    {"listed",
     BOX "\"bodies\": [{\"position\": [6, 5, 8], \"radius\": 0.7}], \"generators\": [" LATTICE
         ", " GAS("200", "0.05") "]}",
     0x3b0bae78a0ffc542},
};

Test(generators, make_the_same_bodies_on_every_platform)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char scene[1024];
        snprintf(scene, sizeof scene, START "%s", rows[i].keys);
        support_write_file("a.json", scene);
        support_program run = RUN("a.json", "--ticks", "0", "--quiet", "--csv", "t.csv");
        cr_assert_eq(run.code, 0, "%s: %s", rows[i].name, run.err);
        char *text = support_read_file("t.csv");
        uint64_t hash = 0xcbf29ce484222325u;
        for (const char *c = text; *c; ++c) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
        cr_expect_eq(hash, rows[i].hash, "%s: 0x%016llx", rows[i].name, (unsigned long long)hash);
        free(text);
        support_program_free(&run);
    }
}

/* The start of a scene with the preset: its energy and its momentum, without units. */
static void start_of(const char *keys, double *energy, double momentum[3])
{
    char scene[1024];
    snprintf(
        scene, sizeof scene,
        "{\"format\": \"kugel-scene\", \"version\": 1, \"preset\": \"reduced_gas\", \"bounds\": "
        "{\"min\": [0, 0, 0], \"max\": [12, 12, 12]}, %s}",
        keys);
    support_write_file("p.json", scene);
    support_program run = RUN("p.json", "--ticks", "0", "--quiet", "--series", "s.csv");
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("s.csv");
    cr_assert_eq(sscanf(strchr(text, '\n') + 1, "0,0,%lf,%*f,%*f,%lf,%lf,%lf", energy, momentum,
                        momentum + 1, momentum + 2),
                 4);
    free(text);
    support_program_free(&run);
}

/* Of n bodies n - 1 have 3 k_B T / 2, as their centre of mass is at rest; in a plane k_B T. */
Test(generators, the_preset_has_a_temperature_of_1)
{
    static const struct {
        const char *keys;
        double energy;
    } scenes[] = {
        {"\"generators\": [{\"gas\": {\"count\": 500}}]", 1.5 * 499},
        {"\"generators\": [{\"gas\": {\"count\": 300, \"mass\": 7}}]", 1.5 * 299},
        {"\"defaults\": {\"density\": 3}, \"generators\": [{\"gas\": {\"packing_fraction\": 0.2, "
         "\"radius\": {\"choices\": [[0.3, 1]]}}}, {\"gas\": {\"count\": 100, \"radius\": 0.6}}]",
         1.5 * 3155},
        {"\"defaults\": {\"locks\": \"plane\"}, \"generators\": [{\"gas\": {\"count\": 200}}]",
         199}};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k) {
        double energy, p[3];
        start_of(scenes[k].keys, &energy, p);
        cr_expect_float_eq(energy / scenes[k].energy, 1, 1e-12, "%zu: %.17g", k, energy);
        for (int i = 0; i < 3; ++i) cr_expect_float_eq(p[i], 0, 1e-10, "%zu: %g", k, p[i]);
    }
}

/* A speed_sigma is that of Gaussian velocities, whatever the masses: their energy differs from the
 * temperature's by sqrt(2 / 1497) = 0.04. */
Test(generators, a_speed_sigma_takes_the_place_of_the_temperature)
{
    double energy, heavy, p[3];
    start_of("\"generators\": [{\"gas\": {\"count\": 500, \"speed_sigma\": 1}}]", &energy, p);
    start_of("\"generators\": [{\"gas\": {\"count\": 500, \"speed_sigma\": 1, \"mass\": 4}}]",
             &heavy, p);
    cr_expect_float_eq(energy / (1.5 * 499), 1, 0.16, "%.17g", energy);
    cr_expect(fabs(energy / (1.5 * 499) - 1) > 1e-3, "%.17g", energy);
    cr_expect_float_eq(heavy / energy, 4, 1e-12, "%.17g", heavy);
}

/* Count and packing fraction give another diameter: 12 (6 * 0.2 / (500 pi))^(1/3). */
Test(generators, the_preset_has_a_diameter_of_1)
{
    static const char scene[] =
        "{\"format\": \"kugel-scene\", \"version\": 1, \"preset\": \"reduced_gas\", \"bounds\": "
        "{\"min\": [0, 0, 0], \"max\": [%g, %g, %g]}, \"generators\": [{\"gas\": {\"count\": 500, "
        "\"packing_fraction\": 0.2%s}}]}";
    static const char *const more[] = {"", ", \"radius\": {\"uniform\": [0.5, 0.5]}"};
    char text[512];
    for (int k = 0; k < 3; ++k) {
        double length = k == 1 ? 10.938 : 12;
        snprintf(text, sizeof text, scene, length, length, length, more[k == 2]);
        support_program run =
            support_kugel_run(text, (const char *const[]){"-", "--ticks", "0", NULL});
        if (k) cr_expect_eq(run.code, 0, "%d: %s", k, run.err);
        else
            cr_expect(support_complains(&run, 2,
                                        "-: generators[0].gas.packing_fraction: with count it "
                                        "makes the diameter 1.09699, that of the preset is 1"));
        support_program_free(&run);
    }
}

/* Largest resident set of all programs run so far, MB. */
static double largest_set(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
#ifdef __APPLE__
    usage.ru_maxrss /= 1024;
#endif
    return (double)usage.ru_maxrss / 1024;
}

/* The run ends before bodies are created, because its checkpoint cannot be written. Definitions of
 * all bodies would take 184 MB in the first scene, and 55 MB in the second. */
Test(generators, take_little_memory_until_bodies_are_created)
{
    static const char *const generators[] = {
        "{\"lattice\": {\"origin\": [1, 1, 1], \"spacing\": [2, 2, 2], \"count\": [100, 100, "
        "100]}}",
        "{\"gas\": {\"count\": 300000, \"packing_fraction\": 0.1}}"};
    unsetenv("MALLOC_PERTURB_"); /* it fills what malloc reserves, so that all of it is resident */
    for (int i = 0; i < 2 && !SUPPORT_SANITIZED; ++i) {
        char scene[512];
        snprintf(scene, sizeof scene,
                 START "\"bounds\": {\"min\": [0, 0, 0], \"max\": [200, 200, 200]}, "
                       "\"generators\": [%s]}",
                 generators[i]);
        support_write_file("a.json", scene);
        support_program run = RUN("a.json", "--quiet", "--checkpoint", "absent/a.ck@1");
        cr_assert_eq(run.code, 4, "%s", run.err);
        cr_assert_lt(largest_set(), 40, "%s", generators[i]);
        support_program_free(&run);
    }
}
