/* --check: what is no violation. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "runner/support_program.h"

/* Overlaps of the start lift the body as they end, from deep ones to those within the tolerance. */
Test(check, a_start_in_the_floor_is_no_gain_of_energy)
{
    static const double heights[] = {0.25, 0.3, 0.4, 0.45, 0.475, 0.485, 0.49, 0.4925, 0.4975, 0.4995, 0.5};
    for (size_t k = 0; k < 2 * sizeof heights / sizeof *heights; ++k) {
        char scene[256];
        snprintf(scene, sizeof scene,
                 "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 60, \"gravity\": [0, 0, -9.81], "
                 "\"planes\": [{\"normal\": [0, 0, 1]}], \"bodies\": [{\"position\": [0, 0, %g], \"velocity\": [0, 0, %d]}]}",
                 heights[k / 2], k % 2 ? -2 : 0);
        support_program run = support_kugel_run(scene, (const char *const[]){"-", "--quiet", "--check", NULL});
        cr_assert_eq(run.code, 0, "from %g m: %s", heights[k / 2], run.err);
        support_program_free(&run);
    }
}
