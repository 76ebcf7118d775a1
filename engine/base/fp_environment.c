/* Checks the rounding mode, subnormals and fused multiply-add at run time (fp_environment.h). */
#include "base/fp_environment.h"

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

bool kg_fp_is_ieee754(void) { return rounds_to_nearest() && keeps_subnormals() && does_not_fuse(); }
