/* Generators: the same bodies with every compiler and processor, and little memory before the
 * bodies are created. */
#include <criterion/criterion.h>
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
