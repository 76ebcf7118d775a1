/* Every pile rests: vessels that are gently filled come to rest at the defaults, without sinking.
 * Environment: KUGEL_WORLDS, the number of fills; KUGEL_SEED, the first seed. Each failure prints
 * its seed; the first one also prints a smaller fill with the same fault. More fills are in
 * test_slow_fills.c. */
#include <criterion/criterion.h>

#include "support/support_fill.h"
#include "support/support_sanitized.h"

Test(fills, small_ones_rest) { support_fill_check("fills", 1, SUPPORT_SANITIZED ? 2 : 12, 5, 12); }

/* Fills that sank or stayed awake while the sweeps stopped on what the last one changed, and while
 * the energy of the warm start was limited for all bodies together. */
Test(fills, that_sank_rest)
{
    static const support_fill fills[] = {
        {.vessel = SUPPORT_PERIODIC, .width = 4.2, .layers = 23, .radius = 0.26, .ratio = 0.7},
        {.vessel = SUPPORT_FUNNEL, .width = 4.3, .layers = 20, .radius = 0.21, .slope = 0.8},
        {.vessel = SUPPORT_BOX, .width = 5, .layers = 36, .radius = 0.5, .friction = 0.5}};
    for (size_t k = 0; k < sizeof fills / sizeof *fills; k += SUPPORT_SANITIZED ? 3 : 1) {
        support_fill fill = fills[k];
        fill.places = 7;
        if (fill.ratio == 0) fill.ratio = 1;
        support_fill_figures figures = support_fill_run(&fill);
        support_fill_print(&fill, &figures);
        cr_expect(!support_fill_fails(&fill, &figures), "fill %zu does not rest", k);
    }
}

/* 69 balls. They rested 2.1 % of the radius deep while the warm start of few contacts was
 * limited. */
Test(fills, few_balls_rest)
{
    support_fill fill = support_fill_make(12, 5, 12);
    fill.vessel = SUPPORT_BOX, fill.ratio = 1;
    fill.width *= 0.75, fill.layers *= 0.75;
    support_fill_figures figures = support_fill_run(&fill);
    support_fill_print(&fill, &figures);
    cr_expect(!support_fill_fails(&fill, &figures));
}
