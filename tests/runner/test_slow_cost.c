/* Outputs and checks cost a share of a run: one pass over bodies and contacts a tick. Processor
 * times are compared within one run of the test. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

#include "runner/support_program.h"

/* A layer of 19,600 touching balls on a floor: 58,000 contacts from the first tick on. Beams hit
 * nothing. */
static void write_layer(void)
{
    char beams[4096] = "", scene[8192];
    size_t used = 0;
    for (int tick = 0; tick < 12; ++tick) {
        used +=
            (size_t)snprintf(beams + used, sizeof beams - used,
                             "%s{\"tick\": %d, \"origin\": [0, 0, 9], \"direction\": [1, 0, 0]}",
                             tick ? ", " : "", tick);
    }
    snprintf(scene, sizeof scene,
             "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 12, \"gravity\": [0, 0, "
             "-9.81], \"sleep\": false, "
             "\"planes\": [{\"normal\": [0, 0, 1]}], \"beams\": [%s], \"generators\": "
             "[{\"lattice\": {\"origin\": [0, 0, 0.5], "
             "\"spacing\": [1, 1, 1], \"count\": [140, 140, 1]}}]}",
             beams);
    support_write_file("layer.json", scene);
}

/* Processor time of all child processes that have ended, s. */
static double used(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

static double cost(const char *const *arguments)
{
    double before = used();
    support_program run = support_kugel_run(NULL, arguments);
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    return used() - before;
}

static void write_gas(void)
{
    support_write_file("gas.json",
                       "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 50, "
                       "\"substeps\": 1, \"bounce_threshold\": 0, \"slop\": 0, "
                       "\"bounds\": {\"min\": [0, 0, 0], \"max\": [37.4, 37.4, 37.4], "
                       "\"restitution\": 1, \"friction\": 0}, "
                       "\"defaults\": {\"restitution\": 1, \"friction\": 0}, "
                       "\"generators\": [{\"gas\": {\"count\": 10000, \"packing_fraction\": 0.1, "
                       "\"speed_sigma\": 5, \"seed\": 7}}]}");
}

/* Other programs add to processor times: the least of three runs in turn counts. --check takes
 * about one step of a gas, the cheapest steps of all. A test of all pairs would take hundreds. */
Test(cost, extras_cost_a_share_of_the_run)
{
    static const struct {
        const char *scene, *option, *argument;
        double limit; /* of the time, in times without the option */
    } extras[] = {
        {"layer.json", "--check", NULL, 4}, {"layer.json", "--events", "/dev/null", 4},
        {"layer.json", "--live", "on", 4},  {"layer.json", "--export", "e.gsd", 4},
        {"gas.json", "--check", NULL, 3},   {"pile", "--check", NULL, 2.4},
    };
    write_layer();
    write_gas();
    for (size_t i = 0; i < sizeof extras / sizeof *extras; ++i) {
        const char *scene = extras[i].scene, *option = extras[i].option;
        double plain = HUGE_VAL, with = HUGE_VAL;
        for (int run = 0; run < 3; ++run) {
            plain = fmin(plain, cost((const char *const[]){scene, "--quiet", NULL}));
            with = fmin(with, cost((const char *const[]){scene, "--quiet", option,
                                                         extras[i].argument, NULL}));
        }
        cr_assert_lt(with, extras[i].limit * plain, "%s %s: %g s, %g s plain", scene, option, with,
                     plain);
    }
}
