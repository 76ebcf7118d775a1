/* As test_fills.c, with larger and more fills. Environment: KUGEL_WORLDS and KUGEL_SEED. */
#include <criterion/criterion.h>

#include "support/support_fill.h"

/* The whole range is 4 to 12 diameters and 5 to 60 layers; fills of 8 and 40 take a fifth of the
 * time. Of 24 such fills three do not rest, and of four of the whole range one
 * (tools/docs/limits.md): `KUGEL_SEED=1001 KUGEL_WORLDS=24` shows them. */
Test(slow_fills, rest) { support_fill_check("slow fills", 1001, 12, 8, 40); }
