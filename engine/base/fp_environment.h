/* Does this process compute as IEEE 754 says? A host linked with -ffast-math, or one that changed
 * the rounding mode, would drift silently; a world refuses to be made there instead. */
#ifndef KG_BASE_FP_ENVIRONMENT_H
#define KG_BASE_FP_ENVIRONMENT_H

#include <float.h>
#include <stdbool.h>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||     \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error                                                                                             \
    "kugel cannot be compiled with -ffast-math: it changes the results of a run. Add -fno-fast-math for it."
#endif
#if defined(__riscv_vector) && !defined(__clang__)
#error                                                                                             \
    "gcc fuses multiply and add in RISC-V's vectors whatever it is told: compile kugel without them, or with clang"
#endif
_Static_assert(FLT_EVAL_METHOD == 0,
               "kugel needs float and double evaluated in their own precision");

/* Rounding to nearest, subnormals kept, no fused multiply-add behind our back. */
bool kg_fp_is_ieee754(void);

#endif
