/* The sample `pile` with all lengths scaled, in the same ticks and with the defaults: --check finds
 * no violation at any size. The processor time stays the same: a smaller pile falls for fewer
 * ticks. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "runner/support_program.h"

/* `radius`: of the balls, m; 0.5 in the sample. */
static void write_pile(double radius)
{
    char scene[1024];
    double s = radius / 0.5;
    snprintf(scene, sizeof scene,
             "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 240, \"gravity\": [0, 0, "
             "-9.81], \"bounds\": {\"min\": [0, 0, 0], \"max\": [%.17g, %.17g, %.17g], \"faces\": "
             "[\"wall\", \"wall\", \"wall\", \"wall\", \"wall\", \"open\"], \"friction\": 0.5}, "
             "\"defaults\": {\"restitution\": 0.5, \"radius\": %.17g, \"density\": 1900}, "
             "\"generators\": [{\"lattice\": {\"origin\": [%.17g, %.17g, %.17g], \"spacing\": "
             "[%.17g, %.17g, %.17g], \"count\": [8, 8, 16], \"jitter\": %.17g, \"seed\": 5}}]}",
             8.8 * s, 8.8 * s, 40 * s, radius, 0.55 * s, 0.55 * s, 0.55 * s, 1.1 * s, 1.1 * s,
             1.1 * s, 0.03 * s);
    support_write_file("pile.json", scene);
}

static double impacts_of(const support_program *run)
{
    double impacts = 0;
    sscanf(support_line_from_end(run->out, 2), "impacts %lf", &impacts);
    return impacts;
}

Test(sizes, a_pile_is_sound_from_half_a_metre_to_a_tenth_of_a_millimetre)
{
    static const double radii[] = {0.5, 0.1, 0.05, 0.01, 1e-3, 1e-4};
    double first = 0;
    for (size_t k = 0; k < sizeof radii / sizeof *radii; ++k) {
        write_pile(radii[k]);
        support_program run = RUN("pile.json", "--check", "--quiet");
        cr_assert_eq(run.code, 0, "radius %g: %s", radii[k], run.err);
        cr_assert_eq(run.err[0], 0, "radius %g: %s", radii[k], run.err);
        double impacts = impacts_of(&run);
        if (k == 0) first = impacts;
        cr_assert_float_eq(impacts / first, 1, 0.1, "radius %g: %g impacts instead of %g", radii[k],
                           impacts, first);
        support_program_free(&run);
    }
}

/* Below 8 um a tick of 1/60 s takes the bound of substeps; the run ends with a note. */
Test(sizes, the_bound_of_substeps_is_noted)
{
    write_pile(5e-6);
    support_program run = RUN("pile.json", "--ticks", "1", "--quiet");
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert(strstr(run.err, "note: 1 tick needed more than 1000 substeps"), "%s", run.err);
    support_program_free(&run);
}
