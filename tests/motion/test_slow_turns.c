/* Rotations after constant spins in a million ticks, of bodies and surfaces. */
#include <criterion/criterion.h>

#include "support/support_turns.h"

Test(slow_turns, a_million_ticks) { support_turns_check(1000000, 1, 1 / 60.); }
