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

Test(cost, extras_cost_a_share_of_the_run)
{
    write_layer();
    double plain = cost((const char *const[]){"layer.json", NULL});
    double checked = cost((const char *const[]){"layer.json", "--check", NULL});
    double events = cost((const char *const[]){"layer.json", "--events", "/dev/null", NULL});
    double drawn = cost((const char *const[]){"layer.json", "--live", "on", NULL});
    double exported =
        cost((const char *const[]){"layer.json", "--export", "e.gsd", "--every", "12", NULL});
    cr_assert_lt(checked, 4 * plain, "%g s checked, %g s plain", checked, plain);
    cr_assert_lt(events, 4 * plain, "%g s with beams, %g s plain", events, plain);
    cr_assert_lt(drawn, 4 * plain, "%g s drawn, %g s plain", drawn, plain);
    cr_assert_lt(exported, 4 * plain, "%g s exported, %g s plain", exported, plain);
}

/* It costs a step of a thin gas, whose steps are the cheapest, and less in a pile. A fifth of the
 * sum is left for other processors. The least of eight runs in turn counts: other programs only add
 * to processor times. */
Test(cost, check_costs_no_more_than_a_step)
{
    static const char *const scenes[] = {"pile", "gas.json"};
    support_write_file("gas.json",
                       "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 150, "
                       "\"substeps\": 1, \"bounce_threshold\": 0, \"slop\": 0, "
                       "\"bounds\": {\"min\": [0, 0, 0], \"max\": [37.4, 37.4, 37.4], "
                       "\"restitution\": 1, \"friction\": 0}, "
                       "\"defaults\": {\"restitution\": 1, \"friction\": 0}, "
                       "\"generators\": [{\"gas\": {\"count\": 10000, \"packing_fraction\": 0.1, "
                       "\"speed_sigma\": 5, \"seed\": 7}}]}");
    for (int i = 0; i < 2; ++i) {
        double plain = HUGE_VAL, checked = HUGE_VAL;
        for (int run = 0; run < 8; ++run) {
            plain = fmin(plain, cost((const char *const[]){scenes[i], "--quiet", NULL}));
            checked =
                fmin(checked, cost((const char *const[]){scenes[i], "--quiet", "--check", NULL}));
        }
        cr_assert_lt(checked, 2.4 * plain, "%s: %g s checked, %g s plain", scenes[i], checked,
                     plain);
    }
}
