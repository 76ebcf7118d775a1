/* For all of engine/query: rays and casts from ten thousand tangent, sliding, touching and inner
 * starts equal the pure functions, bit for bit for bodies. test_slow_starts.c has a million. */
#include <criterion/criterion.h>

#include "query/support_starts_world.h"
#include "support/support_sanitized.h"

Test(starts, queries_have_the_bits_of_the_pure_functions)
{
    support_check_starts("starts", SUPPORT_ROUNDS(10000));
}
