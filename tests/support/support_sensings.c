#include "support/support_sensings.h"

#include <criterion/criterion.h>

const kugel_sensing *support_sensings(const kugel_world *world, size_t expected)
{
    size_t count;
    const kugel_sensing *all = kugel_world_sensings(world, &count);
    cr_assert_eq(count, expected, "%zu events, not %zu", count, expected);
    return all;
}
