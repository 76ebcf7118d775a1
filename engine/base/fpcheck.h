/* Does this process compute as IEEE 754 says? A host linked with -ffast-math, or one that changed the
 * rounding mode, would drift silently; a world refuses to be made there instead. */
#ifndef KG_BASE_FPCHECK_H
#define KG_BASE_FPCHECK_H

#include <float.h>
#include <stdbool.h>

#ifdef __FAST_MATH__
#error "kugel cannot be compiled with -ffast-math: it changes the results of a run"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "kugel needs float and double evaluated in their own precision");

/* Rounding to nearest, subnormals kept, no fused multiply-add behind our back. */
bool kg_fp_is_sane(void);

#endif
