/* Checks traps, the rounding mode, subnormals and fused multiply-add at run time
 * (fp_environment.h). */
#include "base/fp_environment.h"
#include "base/wide.h"

static bool rounds_to_nearest(void)
{
    volatile double one = 1, half_ulp = 0x1p-53, more = 0x1.8p-53;
    return one + half_ulp == 1 && one + more == 1 + 0x1p-52 && -one - half_ulp == -1;
}

static bool keeps_subnormals(void)
{
    volatile double small = DBL_MIN, half = 0.5, tiny = 0x1p-1074;
    volatile float small_float = FLT_MIN, half_float = 0.5f;
    return small * half > 0 && tiny + tiny == 0x1p-1073 && small_float * half_float > 0;
}

static bool does_not_fuse(void)
{
    /* a fused operation computes the rounding error of the product; separate ones give 0 */
    volatile double a = 1 + 0x1p-30, p = a * a;
    double x = a;
    volatile double difference = x * x - p;
    return difference == 0;
}

/* Divisions by zero, overflows and NaNs are ordinary in the engine. Other targets have no traps or
 * no way to ask. */
static bool masks_traps(void)
{
#ifdef KG_HAS_SSE2
    return (_mm_getcsr() & _MM_MASK_MASK) == _MM_MASK_MASK;
#else
    return true;
#endif
}

/* With traps the other checks would stop the process. */
bool kg_fp_is_ieee754(void)
{
    return masks_traps() && rounds_to_nearest() && keeps_subnormals() && does_not_fuse();
}
