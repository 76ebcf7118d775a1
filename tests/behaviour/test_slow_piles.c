/* Large piles: how deep balls are pressed into one another, that none gets out, and that pouring never ends
 * in a jam. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/support_pile.h"

/* What is asked of 10,000 balls at default settings; the best engine of BASELINES.md has a mean of 0.12 %
 * and 10 % in the worst moment. */
static void check_bars(double restitution)
{
    support_random random = support_random_start("piles/bars", 21);
    support_scene scene = support_pile(22, 21, restitution, &random);
    support_pile_figures f = support_pile_watch(&scene, 2);
    cr_expect(f.worst <= 0.02, "overlap of %g radii in tick %u", f.worst, f.worst_tick);
    cr_expect(f.mean <= 0.001 && f.most <= 0.01, "overlaps of %g, at most %g radii", f.mean, f.most);
    cr_expect(f.energy <= 0.01, "%g J a ball", f.energy);
    cr_expect(f.awake == 0, "%u of %u awake", f.awake, scene.count);
    support_scene_free(&scene);
}

Test(piles, of_10000) { check_bars(0); }
Test(piles, of_10000_that_bounce_a_little) { check_bars(0.5); }
Test(piles, of_10000_that_bounce) { check_bars(0.9); }
