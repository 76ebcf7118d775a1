/* As test_fills.c, with larger and more fills. Environment: KUGEL_WORLDS and KUGEL_SEED. */
#include <criterion/criterion.h>

#include "support/support_fill.h"

/* The whole range is 4 to 12 diameters and 5 to 60 layers; fills of 8 and 40 take a fifth of the
 * time. Of 200 of the whole range three do not rest (tools/docs/limits.md). */
Test(slow_fills, rest) { support_fill_check("slow fills", 1001, 12, 8, 40); }
