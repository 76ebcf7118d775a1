/* Check of the floating point environment. In a host that is linked with -ffast-math, or has
 * changed the rounding mode, results would have other bits, and traps would stop it: there
 * kugel_world_create and kugel_world_step fail. */
#ifndef KG_BASE_FP_ENVIRONMENT_H
#define KG_BASE_FP_ENVIRONMENT_H

#include <float.h>
#include <stdbool.h>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||     \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "kugel cannot be compiled with -ffast-math: it changes results. Add -fno-fast-math."
#endif
#if defined(__riscv_vector) && !defined(__clang__)
#error "gcc fuses multiply-add in RISC-V vectors: compile kugel without them, or with clang"
#endif
#if defined(__i386__) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "the x87 unit rounds to 64 bits of mantissa: compile kugel with -msse2 -mfpmath=sse"
#endif
#ifdef FLT_EVAL_METHOD /* tcc has none */
/* 0: each type is evaluated in its own precision; 16: _Float16 is, too (gcc where it exists) */
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
               "kugel needs float and double evaluated in their own precision");
#endif

/* True if this process has no floating point traps, rounds to nearest, keeps subnormals, and does
 * not fuse multiply and add. */
bool kg_fp_is_ieee754(void);

#endif
