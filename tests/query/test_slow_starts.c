/* For all of engine/query: rays and casts from a million tangent, sliding, touching and inner
 * starts equal the pure functions, bit for bit for bodies. */
#include <criterion/criterion.h>

#include "query/support_starts_world.h"

Test(slow_starts, queries_have_the_bits_of_the_pure_functions)
{
    support_check_starts("slow_starts", 1000000);
}
