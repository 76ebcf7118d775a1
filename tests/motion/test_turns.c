/* Rotations after constant spins, of bodies and surfaces; test_slow_turns.c has a million
 * ticks. */
#include <criterion/criterion.h>

#include "support/support_turns.h"

Test(turns, constant_spins)
{
    support_turns_check(3000, 1, 1 / 60.);
    support_turns_check(1000, 7, 1e-6);
    support_turns_check(1000, 3, 10);
}
