/* For all of engine/geometry: ten thousand random inputs of every public function against an oracle
 * that computes no roots (support_properties.h). test_slow_properties.c has a million. */
#include <criterion/criterion.h>

#include "geometry/support_properties.h"
#include "support/support_sanitized.h"

#define TEST(name)                                                                                 \
    Test(properties, name)                                                                         \
    {                                                                                              \
        cr_assert_eq(                                                                              \
            support_property_count_wrong(#name, support_property_##name, SUPPORT_ROUNDS(10000)),   \
            0);                                                                                    \
    }
SUPPORT_PROPERTIES(TEST)
