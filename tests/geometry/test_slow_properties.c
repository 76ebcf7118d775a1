/* For all of engine/geometry: a million random inputs of every public function against an oracle
 * that computes no roots (support_properties.h). */
#include <criterion/criterion.h>

#include "geometry/support_properties.h"

#define TEST(name)                                                                                 \
    Test(slow_properties, name)                                                                    \
    {                                                                                              \
        cr_assert_eq(support_property_count_wrong(#name, support_property_##name, 1000000), 0);    \
    }
SUPPORT_PROPERTIES(TEST)
